//! Which addresses the server connects to when a seller names the host.
//!
//! Public addresses are open to all. Private, loopback, link-local and metadata addresses, and
//! everything else that is no host on the internet, are reached only where the operator's
//! `webhooks.private_cidrs` covers them; demo accounts of a server that serves nobody else reach
//! loopback as well. A seller's allowlist narrows that and never widens it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

use super::seller::Mode;

#[derive(Clone, Debug, Default)]
pub struct AddressGuard {
    private: Vec<IpNet>,
    loopback_for_demo: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressRefusal {
    #[error("the address is not a public one")]
    NotPublic,
    #[error("the address is not in the webhook allowlist")]
    NotAllowed,
}

impl AddressGuard {
    /// A guard that opens `private` networks (setting `webhooks.private_cidrs`) beside the
    /// public ones.
    pub fn new(private: Vec<IpNet>) -> Self {
        Self { private, loopback_for_demo: false }
    }

    /// The same; if `open`, demo accounts reach this machine.
    #[must_use]
    pub fn loopback_for_demo(self, open: bool) -> Self {
        Self { loopback_for_demo: open, ..self }
    }

    /// Whether a connection to `address` may be made for a seller in `mode` with this allowlist.
    ///
    /// An IPv4 address written inside an IPv6 one (`::ffff:a.b.c.d`) is judged as itself.
    pub fn check(
        &self,
        address: IpAddr,
        mode: Mode,
        allowlist: &[IpNet],
    ) -> Result<(), AddressRefusal> {
        let address = address.to_canonical();
        let home = self.loopback_for_demo && mode == Mode::Demo && address.is_loopback();
        if !is_public(address) && !home && !covers(&self.private, address) {
            return Err(AddressRefusal::NotPublic);
        }
        if !allowlist.is_empty() && !covers(allowlist, address) {
            return Err(AddressRefusal::NotAllowed);
        }
        Ok(())
    }

    /// The same where an entry of the allowlist must cover the address, so that without entries
    /// nothing is reached: call-backs of payouts.
    pub fn check_listed(
        &self,
        address: IpAddr,
        mode: Mode,
        allowlist: &[IpNet],
    ) -> Result<(), AddressRefusal> {
        self.check(address, mode, allowlist)?;
        if allowlist.is_empty() { Err(AddressRefusal::NotAllowed) } else { Ok(()) }
    }
}

fn covers(nets: &[IpNet], address: IpAddr) -> bool {
    nets.iter().any(|net| net.contains(&address))
}

pub fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

/// Azure answers its metadata and its keys on this address, which is public by its number.
const AZURE_WIRE_SERVER: Ipv4Addr = Ipv4Addr::new(168, 63, 129, 16);

/// The ranges set aside for documentation count as public: nobody answers there.
fn is_public_v4(v4: Ipv4Addr) -> bool {
    let [a, b, c, _] = v4.octets();
    let closed = match (a, b, c) {
        // This network, private, loopback, carrier-grade NAT (and Alibaba's metadata in it).
        (0 | 10 | 127, ..) | (100, 64..=127, _) => true,
        // Link-local, where most clouds answer metadata.
        (169, 254, _) => true,
        (172, 16..=31, _) | (192, 168, _) => true,
        // Protocol assignments, 6to4 relays, benchmarks.
        (192, 0, 0) | (192, 88, 99) | (198, 18 | 19, _) => true,
        // Multicast, reserved, broadcast.
        (224..=255, ..) => true,
        _ => v4 == AZURE_WIRE_SERVER,
    };
    !closed
}

fn is_public_v6(v6: Ipv6Addr) -> bool {
    match v6.segments() {
        // NAT64: a gateway would go on to the IPv4 address inside.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => is_public_v4(v4_of(high, low)),
        // 6to4: the same by a relay.
        [0x2002, high, low, ..] => is_public_v4(v4_of(high, low)),
        // Teredo, benchmarks, ORCHID and other protocol assignments.
        [0x2001, 0..=0x1ff, ..] => false,
        // The global range; loopback, unique local, link-local and multicast lie outside of it.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

fn v4_of(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from((u32::from(high) << 16) | u32::from(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nets(list: &[&str]) -> Vec<IpNet> {
        list.iter().map(|net| net.parse().unwrap()).collect()
    }

    #[test]
    fn only_hosts_of_the_internet_are_public() {
        let table = [
            ("1.1.1.1", true),
            ("93.184.216.34", true),
            ("203.0.113.10", true),
            ("100.63.255.255", true),
            ("100.128.0.1", true),
            ("172.15.0.1", true),
            ("172.32.0.1", true),
            ("0.0.0.0", false),
            ("0.1.2.3", false),
            ("10.0.0.1", false),
            ("100.64.0.1", false),
            ("100.100.100.200", false),
            ("127.0.0.1", false),
            ("127.255.255.254", false),
            ("168.63.129.16", false),
            ("169.254.0.1", false),
            ("169.254.169.254", false),
            ("172.16.0.1", false),
            ("172.31.255.255", false),
            ("192.0.0.192", false),
            ("192.88.99.1", false),
            ("192.168.1.1", false),
            ("198.18.0.1", false),
            ("198.19.255.255", false),
            ("224.0.0.1", false),
            ("240.0.0.1", false),
            ("255.255.255.255", false),
            ("2606:4700:4700::1111", true),
            ("::", false),
            ("::1", false),
            ("::7f00:1", false),
            ("::ffff:127.0.0.1", false),
            ("::ffff:10.1.2.3", false),
            ("::ffff:1.1.1.1", true),
            ("64:ff9b::127.0.0.1", false),
            ("64:ff9b::169.254.169.254", false),
            ("64:ff9b::1.1.1.1", true),
            ("64:ff9b:1::1.1.1.1", false),
            ("100::1", false),
            ("2001::1", false),
            ("2001:10::1", false),
            ("2002:7f00:1::1", false),
            ("2002:a9fe:a9fe::1", false),
            ("2002:101:101::1", true),
            ("fc00::1", false),
            ("fd00:ec2::254", false),
            ("fe80::1", false),
            ("fec0::1", false),
            ("ff02::1", false),
        ];
        for (address, public) in table {
            assert_eq!(is_public(address.parse().unwrap()), public, "{address}");
        }
    }

    #[test]
    fn the_operator_opens_and_the_seller_only_narrows() {
        use AddressRefusal::{NotAllowed, NotPublic};
        let loopback: &[&str] = &["127.0.0.0/8", "::1/128"];
        let table = [
            (&[] as &[&str], &[] as &[&str], "127.0.0.1", Err(NotPublic)),
            (&[], &["127.0.0.0/8"], "127.0.0.1", Err(NotPublic)),
            (&[], &["0.0.0.0/0"], "10.0.0.1", Err(NotPublic)),
            (loopback, &[], "127.0.0.1", Ok(())),
            (loopback, &[], "::ffff:127.0.0.1", Ok(())),
            (loopback, &[], "::1", Ok(())),
            (loopback, &[], "10.0.0.1", Err(NotPublic)),
            (loopback, &[], "1.1.1.1", Ok(())),
            (loopback, &["1.1.1.0/24"], "1.1.1.1", Ok(())),
            (loopback, &["1.1.1.0/24"], "8.8.8.8", Err(NotAllowed)),
            (loopback, &["1.1.1.0/24"], "127.0.0.1", Err(NotAllowed)),
            (loopback, &["1.1.1.0/24", "127.0.0.1/32"], "127.0.0.1", Ok(())),
        ];
        for (private, allowlist, address, expected) in table {
            let guard = AddressGuard::new(nets(private));
            let (address, allowlist) = (address.parse().unwrap(), nets(allowlist));
            for mode in [Mode::Demo, Mode::Live] {
                let said = guard.check(address, mode, &allowlist);
                assert_eq!(said, expected, "{private:?} {allowlist:?} {address}");
                let listed = guard.check_listed(address, mode, &allowlist);
                let unlisted = if allowlist.is_empty() { Err(NotAllowed) } else { Ok(()) };
                assert_eq!(listed, expected.and(unlisted), "{private:?} {allowlist:?} {address}");
            }
        }
    }

    #[test]
    fn this_machine_is_open_to_demo_accounts_alone_and_nothing_beside_it() {
        let guard = AddressGuard::new(Vec::new()).loopback_for_demo(true);
        for home in ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"] {
            let home = home.parse().unwrap();
            assert_eq!(guard.check(home, Mode::Demo, &[]), Ok(()));
            assert_eq!(guard.check(home, Mode::Live, &[]), Err(AddressRefusal::NotPublic));
        }
        for private in ["10.0.0.1", "169.254.169.254", "0.0.0.0", "fd00::1"] {
            let said = guard.check(private.parse().unwrap(), Mode::Demo, &[]);
            assert_eq!(said, Err(AddressRefusal::NotPublic), "{private}");
        }
        let shut = AddressGuard::new(Vec::new());
        let home = "127.0.0.1".parse().unwrap();
        assert_eq!(shut.check(home, Mode::Demo, &[]), Err(AddressRefusal::NotPublic));
    }
}
