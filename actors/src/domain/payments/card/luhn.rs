/// Whether the last digit of `digits` is the Luhn check digit of those before it. Text with
/// anything but digits, or with none, never holds.
pub fn luhn_holds(digits: &str) -> bool {
    let mut sum = 0;
    for (place, byte) in digits.bytes().rev().enumerate() {
        if !byte.is_ascii_digit() {
            return false;
        }
        let digit = u32::from(byte - b'0');
        let weighed = if place % 2 == 1 { digit * 2 } else { digit };
        sum += weighed / 10 + weighed % 10;
    }
    !digits.is_empty() && sum % 10 == 0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn exactly_one_check_digit_fits(body in "[0-9]{11,18}") {
            let fitting = (0..10).filter(|d| luhn_holds(&format!("{body}{d}"))).count();
            prop_assert_eq!(fitting, 1);
        }

        #[test]
        fn one_mistyped_digit_is_always_found(
            body in "[0-9]{11,18}",
            place in 0_usize..11,
            shift in 1_u8..10,
        ) {
            let check = (0..10).find(|d| luhn_holds(&format!("{body}{d}"))).expect("one fits");
            let mut typed = format!("{body}{check}").into_bytes();
            typed[place] = b'0' + (typed[place] - b'0' + shift) % 10;
            prop_assert!(!luhn_holds(&String::from_utf8(typed).expect("digits")));
        }

        #[test]
        fn leading_zeros_change_nothing(number in "[0-9]{12,16}") {
            prop_assert_eq!(luhn_holds(&number), luhn_holds(&format!("00{number}")));
        }
    }

    #[test]
    fn text_that_is_no_number_never_holds() {
        for text in ["", " ", "4242 4242 4242 4242", "٠٠٠٠", "0x0"] {
            assert!(!luhn_holds(text), "{text:?}");
        }
        assert!(luhn_holds("4242424242424242"));
    }
}
