//! Payments and wallets that fit what was acknowledged, and those that do not.

use std::sync::Arc;

use actors::domain::time::Date;
use bytes::Bytes;
use futures::FutureExt as _;
use hyper::{HeaderMap, StatusCode};
use serde_json::json;

use super::*;

fn payment(kind: Kind, mark: Mark, refunded: i64) -> ((Kind, Mark), Listed) {
    let amount = Sales::amount(mark);
    let (status, captured) = match kind {
        Kind::Paid => ("settled", amount),
        Kind::Waiting => ("provider_pending", 0),
    };
    let listed = Listed { status: status.to_owned(), amount, captured, refunded };
    ((kind, mark), listed)
}

fn acknowledged() -> Payments {
    Payments {
        begun: vec![(Kind::Paid, 1), (Kind::Paid, 2), (Kind::Waiting, 3)],
        refunded: vec![2],
        ..Payments::default()
    }
}

fn found() -> Found {
    let back = Sales::refund(2);
    [payment(Kind::Paid, 1, 0), payment(Kind::Paid, 2, back), payment(Kind::Waiting, 3, 0)].into()
}

fn findings(found: &Found) -> Vec<String> {
    let mut proof = Proof::default();
    compare(&acknowledged(), found, &mut proof);
    proof.findings
}

#[test]
fn what_was_acknowledged_is_there_and_nothing_else() {
    assert_eq!(findings(&found()), Vec::<String>::new());
    let mut lost = found();
    lost.remove(&(Kind::Paid, 1));
    assert!(findings(&lost)[0].contains("is lost"));
    let mut more = found();
    more.extend([payment(Kind::Paid, 9, 0)]);
    assert!(findings(&more)[0].contains("never acknowledged"));
    for spoil in [
        |one: &mut Listed| one.amount += 1,
        |one: &mut Listed| one.captured -= 1,
        |one: &mut Listed| one.refunded = 0,
        |one: &mut Listed| one.status.push('x'),
    ] {
        let mut off = found();
        off.entry((Kind::Paid, 2)).and_modify(spoil);
        assert_eq!(findings(&off).len(), 1, "{off:?}");
    }
}

#[test]
fn a_payment_whose_buyer_did_not_come_may_be_given_up_with_nothing_captured() {
    let given_up = |captured| {
        let mut found = found();
        let listed = found.get_mut(&(Kind::Waiting, 3)).expect("there");
        (listed.status, listed.captured) = ("cancelled".to_owned(), captured);
        findings(&found)
    };
    assert_eq!(given_up(0), Vec::<String>::new());
    assert_eq!(given_up(1).len(), 1);
    let mut paid = found();
    paid.get_mut(&(Kind::Paid, 1)).expect("there").status = "cancelled".to_owned();
    assert_eq!(findings(&paid).len(), 1);
}

#[test]
fn the_wallets_must_hold_what_was_captured_less_what_went_back() {
    let due = due(&found());
    let captured = Sales::amount(1) + Sales::amount(2);
    assert_eq!((due.captured, due.refunded), (captured, Sales::refund(2)));
    let before = Wallets { total: 50, pending: 0, payees: vec![5; due.payees.len()] };
    let payees: Vec<i64> = due.payees.iter().map(|minor| minor + 5).collect();
    let right = Wallets { total: 50 + captured - due.refunded, pending: 0, payees };
    let findings = |wallets: &Wallets| {
        let mut proof = Proof::default();
        wallets_hold(wallets, &before, &due, &acknowledged(), &mut proof);
        proof.findings
    };
    assert_eq!(findings(&right), Vec::<String>::new());
    assert_eq!(findings(&Wallets { total: right.total - 1, ..right.clone() }).len(), 1);
    let pending = findings(&Wallets { pending: 1, ..right.clone() });
    assert!(pending.len() == 1 && pending[0].ends_with(", not all of it settled"), "{pending:?}");
    let mut other = right;
    other.payees[0] += 1;
    assert_eq!(findings(&other).len(), 1);
}

#[tokio::test]
async fn a_payment_asked_for_again_is_the_one_that_is_there_or_a_finding() {
    let sales = Sales {
        run: "0123456789abcdef0123456789abcdef".to_owned(),
        today: Date::new(2026, 11, 21).expect("a day"),
        payees: vec![7; 8],
    };
    let acknowledged = Payments { begun: vec![(Kind::Paid, 3)], ..Payments::default() };
    for (status, text) in [(StatusCode::OK, "1 payments"), (StatusCode::CONFLICT, "payment 3")] {
        let body = json!({"paymentId": sales.reference(Kind::Paid, 3)}).to_string();
        let mut headers = HeaderMap::new();
        headers.insert("idempotent-replayed", "true".parse().expect("a value"));
        let answer = (status, headers, Bytes::from(body));
        let client = Client::inside(
            "http://localhost",
            Arc::new(move |_| std::future::ready(answer.clone()).boxed()),
        );
        let mut proof = Proof::default();
        again::replay(&client, &sales, &acknowledged, &mut proof).await.expect("asked");
        let good = status == StatusCode::OK;
        let counted = (proof.holds.len(), proof.findings.len());
        assert_eq!(counted, if good { (1, 0) } else { (0, 1) }, "{proof:?}");
        let lines = if good { &proof.holds } else { &proof.findings };
        assert!(lines[0].starts_with(text) && lines[0].contains("asked for again"), "{proof:?}");
    }
}
