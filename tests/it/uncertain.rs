//! The whole service on a disk that answers late or not at all, be it written or not: the stories
//! are told again, and each of them proves at its end that what is stored is right.

use std::process::Command;

use actors::entropy::Entropy;
use storage::testing::UNCERTAIN;

/// Tells the stories whose names begin like one of these, in a process of their own. The seed is
/// printed, or that of `SEED`.
fn told_again(stories: &[&str]) {
    let drawn = || u32::from_le_bytes(Entropy.bytes()).to_string();
    let seed = std::env::var("SEED").unwrap_or_else(|_| drawn());
    eprintln!("SEED={seed}");
    let program = std::env::current_exe().expect("this program");
    let told = Command::new(program).args(stories).env(UNCERTAIN, seed).output().expect("it runs");
    let said = String::from_utf8_lossy(&told.stdout);
    assert!(told.status.success(), "{said}{}", String::from_utf8_lossy(&told.stderr));
    assert!(!said.contains("ok. 0 passed"), "{stories:?}: {said}");
}

#[test]
fn journeys_end_well() {
    told_again(&["journeys::"]);
}

#[test]
fn random_sellers_and_payments_add_up() {
    told_again(&["simulation::"]);
}

#[test]
fn of_many_at_once_one_wins() {
    told_again(&["concurrency::"]);
}

#[test]
fn a_little_of_everything_is_stored_as_it_should_be() {
    told_again(&["verify::a_running_server", "verify::nothing_looks_wrong"]);
}

#[test]
fn the_demonstration_holds() {
    told_again(&["commands::the_demonstration_holds"]);
}
