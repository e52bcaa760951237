//! References, amounts and the simulator's header.

use proptest::prelude::*;

use super::*;
use crate::domain::money::{AMOUNT_LIMIT, Currency};
use crate::domain::payments::amount::{AmountRefusal, minor_of_number};
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::ForcedRefund;

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn references_can_stand_in_a_path() {
    let long = "r".repeat(129);
    for (reference, right) in [
        ("order-1", true),
        ("Bestellung 7/β?", true),
        ("...", true),
        (&long[..128], true),
        (&long, false),
        (".", false),
        ("..", false),
        ("a\nb", false),
        ("\u{7f}", false),
    ] {
        assert_eq!(fields::reference(some(reference)).is_ok(), right, "{reference:?}");
    }
}

#[test]
fn amounts_are_read_by_their_value() {
    for (text, expected) in [
        ("12.5", Ok(1_250)),
        ("12.50", Ok(1_250)),
        ("12.500", Ok(1_250)),
        ("1", Ok(100)),
        ("0.01", Ok(1)),
        ("1e2", Ok(10_000)),
        ("1E+2", Ok(10_000)),
        ("125e-1", Ok(1_250)),
        ("0.0001e2", Ok(1)),
        ("10000000000000.00", Ok(AMOUNT_LIMIT)),
        ("10000000000000.01", Err(AmountRefusal::TooLarge)),
        ("1e400", Err(AmountRefusal::TooLarge)),
        ("1e99999999999999999999", Err(AmountRefusal::TooLarge)),
        ("1e-400", Err(AmountRefusal::Decimals(Currency::EUR))),
        ("1e-99999999999999999999", Err(AmountRefusal::Decimals(Currency::EUR))),
        ("0.001", Err(AmountRefusal::Decimals(Currency::EUR))),
        ("0", Err(AmountRefusal::NotPositive)),
        ("-0.00", Err(AmountRefusal::NotPositive)),
        ("0e999", Err(AmountRefusal::NotPositive)),
        ("-12.5", Err(AmountRefusal::NotPositive)),
        ("NaN", Err(AmountRefusal::Malformed)),
        ("", Err(AmountRefusal::Malformed)),
        (".5", Err(AmountRefusal::Malformed)),
    ] {
        assert_eq!(minor_of_number(text, Currency::EUR), expected, "{text}");
    }
}

proptest! {
    #[test]
    fn every_way_to_write_an_amount_reads_alike(minor in 1..AMOUNT_LIMIT, shift in 0_usize..12) {
        let plain = format!("{}.{:02}", minor / 100, minor % 100);
        prop_assert_eq!(minor_of_number(&plain, Currency::EUR), Ok(minor));
        let (zeros, scale) = ("0".repeat(shift), shift + 2);
        let long = format!("{minor}{zeros}e-{scale}");
        prop_assert_eq!(minor_of_number(&long, Currency::EUR), Ok(minor));
    }
}

#[test]
fn the_simulator_obeys_known_words_alone() {
    for code in FailureCode::ALL {
        assert_eq!(forced_failure(&format!("force_failure={}", code.code())), Ok(*code));
    }
    for word in [
        "",
        "force_failure=",
        "force_failure=0",
        "force_failure=2006",
        "force_failure=02001",
        "2001",
        "force_refund=cancelled",
    ] {
        assert_eq!(forced_failure(word), Err(SimulatorRefusal::Payment), "{word}");
    }
    let early = ForcedRefund::Fails(FailureCode::RefundTooEarly);
    assert_eq!(forced_refund("force_failure=2004"), Ok(early));
    assert_eq!(forced_refund("force_refund=cancelled"), Ok(ForcedRefund::Cancelled));
    for word in ["", "force_failure=2001", "force_refund=failed"] {
        assert_eq!(forced_refund(word), Err(SimulatorRefusal::Refund), "{word}");
    }
}
