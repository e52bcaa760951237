//! The form as a browser and a screen reader get it.

use actors::domain::money::{Currency, Money};
use actors::domain::time::Date;

use super::*;
use crate::pages::bill::{BillSums, LineView};

fn euro(minor: i64) -> Money {
    Money::new(minor, Currency::EUR).expect("money")
}

fn form(seller: &str, description: &str) -> PayForm {
    form_in(Words::english(), seller, description)
}

fn form_in(t: &'static Words, seller: &str, description: &str) -> PayForm {
    let day = |text| Date::parse(text).expect("a day");
    let period = Some((day("2026-11-01"), day("2026-12-01")));
    let lines = vec![LineView::new(t, description, "3", period, euro(100_000))];
    let sums = BillSums {
        subtotal: euro(100_000),
        discount: euro(0),
        tax: euro(21_000),
        credit: euro(0),
        settled: euro(0),
        outstanding: euro(121_000),
    };
    let bill = BillView::new(t, "1000001-2611AAA", Some(day("2026-12-05")), lines, sums);
    let form = PayForm::plain(t, SellerView::new(t, seller), bill, true, "/pay/abc".to_owned());
    PayForm { saves: Some(Saving::Offered), ..form }
}

#[test]
fn a_subscription_is_cancelled_by_a_second_press_after_what_it_does_is_said() {
    let page = PayForm { may_cancel: true, ..form("Nordlicht", "Coffee") };
    let page = page.render().expect("a page");
    let (before, _) = page.split_once("value=\"cancel\"").expect("a way to cancel");
    let (_, step) = before.rsplit_once("<details").expect("it opens first");
    assert!(!step.contains("</details>"), "{page}");
    for said in ["<summary>Cancel the subscription</summary>", "This cannot be undone."] {
        assert!(step.contains(said), "{said}: {step}");
    }
}

#[test]
fn the_page_says_who_what_and_how_much() {
    let page = form("Nordlicht GmbH", "Team plan").render().expect("a page");
    for said in [
        "<title>Pay €1,210.00 to Nordlicht GmbH</title>",
        "Nordlicht GmbH",
        "€1,210.00",
        "1000001-2611AAA",
        "5\u{a0}December 2026",
        "Team plan",
        "Quantity 3 · 1\u{a0}Nov – 30\u{a0}Nov 2026",
        "€210.00",
        "4242 4242 4242 4242",
        r#"autocomplete="cc-number""#,
        r#"autocomplete="cc-csc""#,
        r#"action="/pay/abc""#,
    ] {
        assert!(page.contains(said), "{said} is missing in\n{page}");
    }
    assert!(!page.contains("aria-invalid"));
}

#[test]
fn the_page_is_written_in_one_language() {
    let german = Words::of_tag("de-AT").expect("a language");
    let page = form_in(german, "Nordlicht GmbH", "Team").render().expect("a page");
    for said in [
        r#"<html lang="de">"#,
        "<title>1.210,00\u{a0}€ an Nordlicht GmbH zahlen</title>",
        "5.\u{a0}Dezember 2026",
        "Menge 3 · 1.\u{a0}Nov. – 30.\u{a0}Nov. 2026",
        "Kartennummer",
        "Demo-Modus.",
        "fragt die Bank",
    ] {
        assert!(page.contains(said), "{said} is missing in\n{page}");
    }
    for said in [">Card", "Pay ", "Invoice", "Security", "Demo mode", "Skip"] {
        assert!(!page.contains(said), "{said} is in\n{page}");
    }
}

#[test]
fn hostile_names_stay_text() {
    let mut hostile = form("<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>");
    hostile.typed.holder = "\" autofocus onfocus=\"alert(1)".to_owned();
    hostile.typed.expiry = "<b>".to_owned();
    let page = hostile.render().expect("a page");
    assert!(!page.contains("<script>"), "{page}");
    assert!(!page.contains("<img") && !page.contains("<b>"), "{page}");
    assert!(!page.contains("\" autofocus"), "{page}");
    assert!(page.contains("&#60;script&#62;alert(1)&#60;/script&#62;"), "{page}");
}

#[test]
fn a_problem_stands_beside_its_field_and_above_the_form() {
    let mut wrong = form("Nordlicht", "Plan");
    wrong.problems = vec![CardProblem::NumberChecksum, CardProblem::Cvv];
    wrong.typed = Typed { expiry: "12 / 30".into(), holder: "Ada".into(), ..Typed::default() };
    let page = wrong.render().expect("a page");
    assert!(page.contains("<title>Error: Pay"), "{page}");
    assert!(page.contains(r#"role="alert""#));
    for field in ["cardNumber", "cvv"] {
        let tie = format!(r#"aria-invalid="true" aria-describedby="{field}-problem""#);
        assert!(page.contains(&tie), "{tie}");
        assert!(page.contains(&format!(r##"<a href="#{field}">"##)));
        assert!(page.contains(&format!(r#"<p class="problem" id="{field}-problem">"#)));
    }
    assert!(!page.contains("expiry-problem"));
    assert!(page.contains(r#"value="Ada""#) && page.contains(r#"value="12 / 30""#));
}

#[test]
fn the_card_is_blamed_for_what_is_wrong_with_it_alone() {
    let missing = Some(Saving::Needed { missing: true });
    let headed = |saves, problems: &[CardProblem]| {
        let wrong = PayForm { saves, problems: problems.to_vec(), ..form("Nordlicht", "Plan") };
        let page = wrong.render().expect("a page");
        (page.contains("Please check the card details"), page.contains("check what you entered"))
    };
    assert_eq!(headed(None, &[CardProblem::Cvv]), (true, false));
    assert_eq!(headed(missing, &[]), (false, true));
    assert_eq!(headed(missing, &[CardProblem::Cvv]), (false, true));
}

#[test]
fn an_expired_card_is_told_at_the_expiry() {
    let mut expired = form("Nordlicht", "Plan");
    expired.failure = Some(FailureCode::CardExpired);
    let page = expired.render().expect("a page");
    assert!(page.contains(r#"id="expiry-problem""#));
    assert!(page.contains("This card has expired"));
}

#[test]
fn a_failed_attempt_is_told_without_the_banks_words() {
    let mut declined = form("Nordlicht", "Plan");
    declined.failure = Some(FailureCode::Declined);
    declined.action_url = Some("/scheme/xyz".to_owned());
    let page = declined.render().expect("a page");
    assert!(page.contains("Your bank declined the payment"));
    assert!(page.contains(r#"href="/scheme/xyz""#));
    assert!(!page.contains("2001"));
}

#[test]
fn test_cards_are_for_demo_sellers() {
    let mut live = form("Nordlicht", "Plan");
    live.demo = false;
    let page = live.render().expect("a page");
    assert!(!page.contains("4242") && !page.contains("Demo"), "{page}");
}

#[test]
fn nothing_in_the_page_needs_what_the_policy_forbids() {
    let page = form("Nordlicht", "Plan").render().expect("a page");
    assert!(!page.contains("style=") && !page.contains("<style"));
    assert!(!page.contains("onclick") && !page.contains("javascript:"));
    for (at, _) in page.match_indices("<script") {
        assert!(page[at..].starts_with("<script src=\"/assets/"), "{}", &page[at..]);
    }
    assert!(!page.contains("http://") && !page.contains("https://"));
}
