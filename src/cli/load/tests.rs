//! The options of `accrue load`.

use clap::Parser;

use super::*;

#[derive(Debug, Parser)]
struct Load {
    #[command(flatten)]
    args: LoadArgs,
}

#[test]
fn the_defaults_are_those_of_the_documentation() {
    let args = Load::parse_from(["load"]).args;
    assert_eq!((args.connections, args.contracts), (64, 1000));
    assert_eq!((args.batch, args.scatter), (1, false));
    assert_eq!(args.duration, Duration::from_secs(10));
    assert_eq!(args.mix, "mixed".parse().expect("a mix"));
    assert!(!args.contend && args.rate.is_none() && args.kill_after.is_none());
}

#[test]
fn a_server_that_is_not_ours_is_not_killed() {
    for line in [
        ["load", "--url", "http://127.0.0.1:1", "--kill-after", "1s"],
        ["load", "--url", "http://127.0.0.1:1", "--set", "a=b"],
        ["load", "--connections", "0", "--contracts", "1"],
        ["load", "--mix", "delete", "--duration", "1s"],
        ["load", "--mix", "usage", "--batch", "501"],
        ["load", "--key", "sk_test_x", "--duration", "1s"],
    ] {
        assert!(Load::try_parse_from(line).is_err(), "{line:?}");
    }
}

#[test]
fn a_mix_of_payments_needs_no_contracts() {
    let args = Load::parse_from(["load", "--mix", "initiate", "--rate", "500"]).args;
    assert!(args.mix.sells() && !args.mix.needs_contracts());
    assert_eq!(args.rate, Some(500));
}
