//! How a link stands, from its status and its payment alone.

use super::*;
use crate::testing;

#[test]
fn a_payment_under_way_is_told_with_its_own_amount() {
    let begun = testing::payment(None);
    let amount = Money { minor: 8_000, ..begun.amount };
    let standing = Standing::of(PaymentLinkStatus::Active, Some(Payment { amount, ..begun }));
    assert!(matches!(standing, Standing::UnderWay(own) if own == amount));
}
