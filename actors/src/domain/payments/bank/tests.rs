//! Bank identifiers, and what is shown of a number.

use super::digits::{is_aba, is_bic};
use super::*;

#[test]
fn bank_identifiers_are_recognised_by_their_digits() {
    for (text, expected) in [
        ("021000021", true),
        ("011401533", true),
        ("091000019", true),
        ("021000020", false),
        ("02100002", false),
        ("0210000210", false),
        ("02100002a", false),
        ("000000000", false),
        ("500000005", false),
    ] {
        assert_eq!(is_aba(text), expected, "{text}");
    }
    for (text, expected) in [
        ("DEUTDEFF", true),
        ("DEUTDEFF500", true),
        ("NWBKGB2L", true),
        ("XKPRXKPR", true),
        ("DEUTDEF", false),
        ("DEUTDEFF50", false),
        ("DEUTUKFF", false),
        ("deutdeff", false),
        ("DEUT-EFF", false),
        ("ÄEUTDEF", false),
    ] {
        assert_eq!(is_bic(text), expected, "{text}");
    }
}

#[test]
fn a_short_number_is_hidden_whole() {
    assert_eq!(mask(&last_four("1234")), "****");
    assert_eq!(mask(&last_four("12345")), "****2345");
}
