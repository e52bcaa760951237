//! The whole service on an engine that answers late or not at all, whether or not it has written:
//! other tests are run again on it, and each proves at its end that what is stored is right.

use std::process::Command;

use actors::entropy::Entropy;
use storage::testing::UNCERTAIN;

/// Runs the tests whose names contain one of these again, in a process of their own. The seed is
/// printed, or that of `SEED`.
fn run_again(tests: &[&str]) {
    let drawn = || u32::from_le_bytes(Entropy.bytes()).to_string();
    let seed = std::env::var("SEED").unwrap_or_else(|_| drawn());
    eprintln!("SEED={seed}");
    let program = std::env::current_exe().expect("this program");
    let run = Command::new(program).args(tests).env(UNCERTAIN, seed).output().expect("it runs");
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{said}{}", String::from_utf8_lossy(&run.stderr));
    assert!(!said.contains("ok. 0 passed"), "{tests:?}: {said}");
}

#[test]
fn journeys_end_well() {
    run_again(&["journeys::"]);
}

#[test]
fn random_sellers_and_payments_add_up() {
    run_again(&["simulation::"]);
}

#[test]
fn of_many_at_once_one_wins() {
    run_again(&["concurrency::"]);
}

#[test]
fn a_little_of_everything_is_stored_as_it_should_be() {
    run_again(&["verify::a_running_server", "verify::nothing_looks_wrong"]);
}

#[test]
fn the_demonstration_holds() {
    run_again(&["commands::the_demonstration_holds"]);
}
