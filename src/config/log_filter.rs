//! What is logged, in the form of `RUST_LOG`.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

pub(crate) const TAKES: &str = "levels (off, error, warn, info, debug, trace), targets of this \
     program (accrue, actors, storage) and any targets with their level, with commas between them, \
     such as info,accrue::access=debug";

/// The crates of this program.
const OWN: [&str; 3] = ["accrue", "actors", "storage"];

/// A filter; `None` where it is none. A word alone that is no level would be the target of
/// somebody, and then nothing else is logged, however bad it is: it has to be one of ours.
pub(crate) fn read(text: &str) -> Option<EnvFilter> {
    let words: Vec<&str> = text.split(',').map(str::trim).filter(|word| !word.is_empty()).collect();
    let is_meant = |word: &&str| {
        word.contains(['=', '[']) || word.parse::<LevelFilter>().is_ok() || is_own(word)
    };
    if words.is_empty() || !words.iter().all(is_meant) {
        return None;
    }
    EnvFilter::try_new(words.join(",")).ok()
}

fn is_own(target: &str) -> bool {
    let rest = OWN.iter().find_map(|own| target.strip_prefix(own));
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_that_is_neither_a_level_nor_a_target_of_ours_is_no_filter() {
        for good in [
            "info",
            "WARN",
            "off",
            "info,accrue::access=debug",
            "warn, storage",
            "error,hyper=debug",
            "accrue[request]=trace",
        ] {
            assert!(read(good).is_some(), "{good}");
        }
        for bad in
            ["warning", "errors", "x y", "-1", "info,verbose", "accrued", "info,accrue=much", ","]
        {
            assert!(read(bad).is_none(), "{bad}");
        }
        let spaced = read("warn, accrue::access=debug").expect("a filter").to_string();
        assert!(spaced.contains("accrue::access=debug"), "{spaced}");
    }
}
