//! Each message, as it reads.

use actors::domain::money::Currency;

use super::*;

fn t() -> &'static Words {
    Words::english()
}

fn euro(minor: i64) -> Money {
    Money::new(minor, Currency::EUR).expect("money")
}

fn receipt() -> Receipt {
    Receipt {
        invoice_number: Some("1000001-2611AAA".to_owned()),
        method: None,
        paid_on: Timestamp::parse("2026-11-21T09:05:00Z"),
        card: None,
        reference: Some("<ref>".to_owned()),
        refunded: None,
    }
}

#[test]
fn a_receipt_says_what_was_paid() {
    let page = Outcome::paid(t(), euro(1250), receipt()).of(SellerView::new(t(), "A & B"), true);
    let html = page.render().expect("a page");
    for said in
        ["Payment received", "€12.50", "21\u{a0}November 2026, 09:05", "&#60;ref&#62;", "Demo mode"]
    {
        assert!(html.contains(said), "{said} is missing in\n{html}");
    }
    assert!(html.contains("<title>Payment received – A &#38; B</title>"), "{html}");
    assert!(!html.contains("http-equiv"));
}

#[test]
fn a_receipt_says_what_went_back_of_the_amount() {
    let part = Receipt { refunded: Some(euro(250)), ..receipt() };
    let html = Outcome::paid(t(), euro(1250), part).render().expect("a page");
    assert!(html.contains("<dt>Refunded</dt><dd>€2.50</dd>"), "{html}");
    let whole = Outcome::paid(t(), euro(1250), receipt()).render().expect("a page");
    assert!(!whole.contains("Refunded"), "{whole}");
}

#[test]
fn only_a_page_that_waits_loads_itself_anew() {
    let waiting = Outcome::under_way(t(), euro(1)).render().expect("a page");
    assert!(waiting.contains(r#"<meta http-equiv="refresh" content="3">"#), "{waiting}");
    for page in [
        Outcome::closed(t(), "n"),
        Outcome::unknown_link(t()),
        Outcome::invalid_link(t()),
        Outcome::portal_over(t()),
        Outcome::unreadable(t()),
        Outcome::cancelled(t(), None),
        Outcome::out_of_order(t(), None),
        Outcome::failed(t(), FailureCode::Declined, None),
        Outcome::waiting(t(), euro(1), "/scheme/x".to_owned()),
    ] {
        let html = page.render().expect("a page");
        assert!(!html.contains("http-equiv"), "{html}");
    }
}

#[test]
fn a_card_that_is_only_verified_is_told_no_amount() {
    let verified = Outcome::under_way(t(), euro(0)).render().expect("a page");
    assert!(verified.contains("Your card is being checked"), "{verified}");
    let asked = Outcome::waiting(t(), euro(0), "/scheme/x".to_owned()).render().expect("a page");
    for page in [verified, asked] {
        assert!(!page.contains('€') && !page.contains("do not pay again"), "{page}");
    }
    let charged = Outcome::under_way(t(), euro(1_900)).render().expect("a page");
    assert!(charged.contains("€19.00") && charged.contains("do not pay again"), "{charged}");
}

#[test]
fn a_failed_payment_leads_back() {
    let page = Outcome::failed(t(), FailureCode::Declined, Some("/pay/\"x".to_owned()));
    let html = page.render().expect("a page");
    assert!(html.contains(r#"href="/pay/&#34;x""#) && html.contains("Try again"), "{html}");
}
