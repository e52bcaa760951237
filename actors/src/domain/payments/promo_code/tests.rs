use proptest::prelude::*;

use super::*;
use crate::domain::money::Currency;
use crate::domain::testing::instant;

const LINK: PaymentLinkId = PaymentLinkId(7);

fn money(minor: i64, currency: &str) -> Money {
    Money { minor, currency: Currency::parse(currency).expect("a currency") }
}

fn noon() -> Timestamp {
    instant("2027-01-15T12:00:00Z")
}

fn new(off: Off) -> NewPromoCode {
    NewPromoCode { code: "Summer-25".to_owned(), off, most: None, expires_at: None, links: None }
}

fn made(new: NewPromoCode) -> PromoCode {
    PromoCode::create(new, (SellerId(1), PromoCodeId(3)), noon()).expect("a code")
}

#[test]
fn a_discount_is_rounded_half_up_and_leaves_something_to_pay() {
    for (off, price, expected) in [
        (Off::Part(2_500), 1_000, Ok(250)),
        (Off::Part(2_500), 2, Ok(1)),
        (Off::Part(2_500), 1, Ok(0)),
        (Off::Part(3_333), 101, Ok(34)),
        (Off::Part(5_000), 1, Err(PromoRefusal::NothingLeft)),
        (Off::Part(9_999), 1_000_000_000_000, Ok(999_900_000_000)),
        (Off::Amount(money(300, "EUR")), 1_000, Ok(300)),
        (Off::Amount(money(1_000, "EUR")), 1_000, Err(PromoRefusal::NothingLeft)),
        (Off::Amount(money(300, "USD")), 1_000, Err(PromoRefusal::OtherCurrency)),
    ] {
        let discount = made(new(off)).discount(LINK, money(price, "EUR"), noon());
        assert_eq!(discount.map(|money| money.minor), expected, "{off:?} of {price}");
    }
}

#[test]
fn a_code_is_good_at_its_links_until_its_end() {
    let off = Off::Part(1_000);
    let price = money(1_000, "EUR");
    let code = made(NewPromoCode {
        expires_at: Some(noon().plus_seconds(60)),
        links: Some(vec![LINK]),
        ..new(off)
    });
    assert!(code.discount(LINK, price, noon()).is_ok());
    let elsewhere = code.discount(PaymentLinkId(8), price, noon());
    assert_eq!(elsewhere, Err(PromoRefusal::NotHere));
    let late = code.discount(LINK, price, noon().plus_seconds(60));
    assert_eq!(late, Err(PromoRefusal::Expired));
    assert_eq!(code.status(noon().plus_seconds(60)), PromoStatus::Expired);
}

#[test]
fn a_code_is_made_of_what_can_be_typed_and_counted() {
    let off = Off::Part(1_000);
    let many = |count| Some((1..=count).map(PaymentLinkId).collect());
    for (asked, expected) in [
        (NewPromoCode { code: "AB".to_owned(), ..new(off) }, PromoRefusal::Code),
        (NewPromoCode { code: "A B C".to_owned(), ..new(off) }, PromoRefusal::Code),
        (NewPromoCode { code: "é".repeat(10), ..new(off) }, PromoRefusal::Code),
        (new(Off::Part(0)), PromoRefusal::Percent),
        (new(Off::Part(10_000)), PromoRefusal::Percent),
        (new(Off::Amount(money(0, "EUR"))), PromoRefusal::Amount),
        (NewPromoCode { most: Some(0), ..new(off) }, PromoRefusal::Most),
        (NewPromoCode { expires_at: Some(noon()), ..new(off) }, PromoRefusal::ExpiresInThePast),
        (NewPromoCode { links: many(0), ..new(off) }, PromoRefusal::Links),
        (NewPromoCode { links: many(101), ..new(off) }, PromoRefusal::Links),
        (NewPromoCode { links: Some(vec![LINK, LINK]), ..new(off) }, PromoRefusal::Links),
    ] {
        let refused = PromoCode::create(asked, (SellerId(1), PromoCodeId(3)), noon());
        assert_eq!(refused.expect_err("refused"), expected);
    }
    assert_eq!(folded(" Summer-25 "), "SUMMER-25");
}

proptest! {
    /// Whatever begins, fails, pays and is taken back, in whatever order.
    #[test]
    fn redeemed_and_reserved_never_pass_the_maximum(
        most in 1_u64..5,
        steps in prop::collection::vec(0_u8..4, 0..60),
    ) {
        let mut code = made(NewPromoCode { most: Some(most), ..new(Off::Part(1_000)) });
        let (mut under_way, mut paid) = (0_u64, 0_u64);
        for step in steps {
            match step {
                0 => match code.reserve() {
                    Ok(reserved) => {
                        code = reserved;
                        under_way += 1;
                    }
                    Err(refusal) => {
                        prop_assert_eq!(refusal, PromoRefusal::UsedUp);
                        prop_assert_eq!(under_way + paid, most);
                    }
                },
                1 if under_way > 0 => {
                    code = code.release(1);
                    under_way -= 1;
                }
                2 if under_way > 0 => {
                    code = code.redeem();
                    under_way -= 1;
                    paid += 1;
                }
                3 if paid > 0 => {
                    code = code.take_back();
                    paid -= 1;
                }
                _ => {}
            }
            prop_assert_eq!((code.reserved, code.redeemed), (under_way, paid));
            prop_assert!(code.reserved + code.redeemed <= most);
        }
    }
}
