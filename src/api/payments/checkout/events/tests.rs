//! What a stream tells of a payment, and when it ends.

use actors::domain::payments::payment::PaymentStatus;

use super::*;
use crate::testing;

fn payment(status: PaymentStatus) -> Payment {
    Payment { status, failure: None, ..testing::payment(None) }
}

#[test]
fn each_change_is_told_and_then_the_end() {
    for status in PaymentStatus::ALL {
        let payment = payment(*status);
        let event = StatusEvent::of("abc", &payment);
        let first = News::of("abc", Some(&payment), None);
        assert_eq!(first, News::Change(event.clone()), "{status}");
        let next = News::of("abc", Some(&payment), Some(&event));
        let is_open = matches!(status, PaymentStatus::ProviderPending | PaymentStatus::Authorized);
        assert_eq!(next, if is_open { News::Nothing } else { News::End }, "{status}");
    }
}

#[test]
fn nothing_is_told_of_a_payment_that_is_gone() {
    let event = StatusEvent::of("abc", &payment(PaymentStatus::ProviderPending));
    for told in [None, Some(&event)] {
        assert_eq!(News::of("abc", None, told), News::End);
    }
}
