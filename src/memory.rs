//! How much memory there is for this process.

use std::fs;

/// Where a container is told how much of the machine's memory it may have.
const CONTAINER: &str = "/sys/fs/cgroup/memory.max";

/// MiB of the machine, or of the container when that has less.
pub(crate) fn mib() -> u64 {
    let machine = rustix::system::sysinfo();
    let bytes = machine.totalram as u64 * u64::from(machine.mem_unit);
    // Without a limit the file says "max", and outside of containers it is not there.
    let limit = fs::read_to_string(CONTAINER).ok().and_then(|text| text.trim().parse().ok());
    limit.map_or(bytes, |limit: u64| limit.min(bytes)) / (1024 * 1024)
}

#[cfg(test)]
mod tests {
    #[test]
    fn there_is_some_memory_and_no_more_than_machines_have() {
        let mib = super::mib();
        assert!((64..64 * 1024 * 1024).contains(&mib), "{mib}");
    }
}
