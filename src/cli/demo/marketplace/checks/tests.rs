//! A marketplace that adds up passes; each thing that is off fails its own check.

use std::collections::BTreeMap;

use hyper::StatusCode;
use serde_json::{Value, json};

use super::*;
use crate::cli::cents::Cents;
use crate::cli::demo::marketplace::facts::{Facts, expected};
use crate::cli::demo::marketplace::giving::Given;
use crate::cli::demo::marketplace::records::{
    Destination, Entry, Inputs, Outcome, Payout, Posting, Refund, Share, Wallet,
};
use crate::cli::demo::marketplace::selling::Declined;
use crate::cli::demo::receiver::Event;

const RUN: &str = "0123456789";
const PAYEES: [u64; 2] = [11, 12];
const SELLER: usize = PAYEES.len();
const PAYOUT_ID: u64 = 5;

fn payment(sale: Sale) -> Payment {
    let failed = sale == Sale::Declined;
    let text = |text: &str| failed.then(|| text.to_owned());
    let refund = |(id, minor): (u64, &i64)| Refund {
        refund_id: id,
        status: "succeeded".to_owned(),
        amount: Cents(*minor),
    };
    Payment {
        payment_id: sale.reference(RUN),
        status: if failed { "failed" } else { "settled" }.to_owned(),
        amount: Cents(sale.amount()),
        payment_method: "card".to_owned(),
        action_url: None,
        failure_code: if failed { 2001 } else { 0 },
        retry: text("never"),
        failure_category: text("hard"),
        failure_stage: text("authorization"),
        captured_amount: Cents(sum(sale.captures())),
        refunded_amount: Cents(sum(sale.refunds())),
        refunds: (1..).zip(sale.refunds()).map(refund).collect(),
    }
}

fn decision(sale: Sale) -> Decision {
    let lines = PAYEES.into_iter().zip(sale.distribution()).filter(|(_, minor)| *minor > 0);
    let shares: Vec<Share> = lines
        .map(|(payee_id, minor)| Share {
            payee_id,
            share_amount_minor: minor,
            fee_amount_minor: 0,
            net_amount_minor: minor,
        })
        .collect();
    let named: i64 = sale.distribution().iter().sum();
    Decision {
        payment_id: sale.reference(RUN),
        inputs: Inputs { rule_id: None, allocation_mode: "absolute".to_owned() },
        outcome: Outcome {
            gross_amount_minor: sale.amount(),
            remainder_minor: sale.amount() - named,
            shares,
        },
    }
}

fn entry(cause: &str, payment: Option<String>, postings: &[(&str, i64)]) -> Entry {
    let posting = |(account, minor): &(&str, i64)| Posting {
        account: (*account).to_owned(),
        amount_minor: *minor,
    };
    Entry {
        cause: cause.to_owned(),
        payment_id: payment,
        payout_id: None,
        postings: postings.iter().map(posting).collect(),
    }
}

fn entries(place: usize) -> Vec<Entry> {
    let mut entries = Vec::new();
    for sale in Sale::ALL.into_iter().filter(|sale| !sale.captures().is_empty()) {
        let minor = sale.expected()[place];
        let reference = Some(sale.reference(RUN));
        let parts = [("pending", minor), ("clearing", -minor)];
        entries.push(entry("share_credited", reference.clone(), &parts));
        let parts = [("pending", -minor), ("available", minor)];
        entries.push(entry("share_settled", reference, &parts));
    }
    if place == 0 {
        let parts = [("available", -PAYOUT), ("bank", PAYOUT)];
        entries.push(entry("payout_completed", None, &parts));
    }
    entries
}

fn event(kind: &str, payload: Value) -> Event {
    Event { kind: kind.to_owned(), invoice: None, payload, deliveries: 1 }
}

fn events() -> BTreeMap<u64, Event> {
    let mut events = vec![event("PayoutCompleted", json!({"payoutId": PAYOUT_ID}))];
    for sale in Sale::ALL {
        let (reference, status) = (sale.reference(RUN), payment(sale).status);
        let told = json!({"paymentId": reference, "status": status});
        events.push(event("PaymentCompleted", told));
        for minor in sale.refunds() {
            let told = json!({"paymentId": reference, "refundedAmountMinor": minor});
            events.push(event("PaymentRefunded", told));
        }
    }
    (1..).zip(events).collect()
}

fn market() -> Market {
    let payments: Vec<Payment> = Sale::ALL.into_iter().map(payment).collect();
    let refunds = payments[0].refunds.clone();
    let payout = Payout {
        id: PAYOUT_ID,
        amount_minor: PAYOUT,
        status: "completed".to_owned(),
        approval_status: "not_required".to_owned(),
        provider_reference: Some("sim".to_owned()),
        destination: Destination { iban: "****3000".to_owned() },
    };
    let wallet = |(place, minor): (usize, i64)| Wallet {
        payee_id: PAYEES.get(place).copied(),
        available_balance_minor: minor,
        ..Wallet::default()
    };
    Market {
        run: RUN.to_owned(),
        payees: PAYEES.to_vec(),
        declined: Declined { status: 502, code: 2001, error: "payment declined".to_owned() },
        sent_back: format!(
            "https://example.com/thanks?status=succeeded&paymentId={}",
            Sale::Workshop.reference(RUN)
        ),
        given: Given {
            repeated: (refunds[0].clone(), StatusCode::OK, refunds[0].clone()),
            refused: (StatusCode::CONFLICT, "insufficient balance".to_owned()),
            payout: payout.clone(),
            payout_again: StatusCode::CONFLICT,
        },
        facts: Facts {
            all_payments: payments.clone(),
            payments,
            wallets: expected().into_iter().enumerate().map(wallet).collect(),
            entries: (0..=SELLER).map(entries).collect(),
            payouts: vec![payout],
            decisions: Sale::ALL.into_iter().map(decision).collect(),
            events: events(),
        },
    }
}

fn failed(market: &Market) -> Vec<usize> {
    let checks = checks(market);
    let wrong = checks.iter().enumerate().filter(|(_, check)| !check.good);
    wrong.map(|(place, _)| place).collect()
}

#[test]
fn a_marketplace_that_adds_up_passes() {
    let texts: Vec<String> = checks(&market()).into_iter().map(|check| check.text).collect();
    assert_eq!(failed(&market()), Vec::<usize>::new(), "{texts:#?}");
}

#[test]
fn each_thing_that_is_off_is_told() {
    let off = |spoil: &dyn Fn(&mut Market)| {
        let mut market = market();
        spoil(&mut market);
        failed(&market)
    };
    let decision_text = |market: &mut Market, text: &str| {
        text.clone_into(&mut market.facts.decisions[0].inputs.allocation_mode);
    };
    assert_eq!(off(&|market| market.facts.payments[1].status.push('x')), [0]);
    assert_eq!(off(&|market| market.declined.code = 2002), [1]);
    assert_eq!(off(&|market| market.facts.payments[2].retry = None), [1]);
    assert_eq!(off(&|market| market.sent_back.push('x')), [2]);
    assert_eq!(off(&|market| decision_text(market, "weight")), [3]);
    assert_eq!(off(&|market| market.facts.decisions[1].outcome.shares.clear()), [3]);
    assert_eq!(off(&|market| market.given.repeated.1 = StatusCode::ACCEPTED), [4]);
    assert_eq!(off(&|market| market.facts.wallets[SELLER].reserved_balance_minor = 1), [8, 9]);
    assert_eq!(off(&|market| market.facts.payouts.clear()), [9]);
    assert_eq!(off(&|market| market.given.payout_again = StatusCode::CREATED), [10]);
    assert_eq!(off(&|market| drop(market.facts.events.pop_first())), [11]);
}

#[test]
fn a_cent_in_the_wrong_wallet_is_told() {
    let mut market = market();
    let reference = Some(market.basket());
    for (place, minor) in [(0, 1), (1, -1)] {
        let parts = [("available", minor), ("clearing", -minor)];
        market.facts.entries[place].push(entry("share_settled", reference.clone(), &parts));
        market.facts.wallets[place].available_balance_minor += minor;
    }
    assert_eq!(failed(&market), [5, 8], "the sum is right, the parties are not");
}

#[test]
fn a_movement_that_makes_money_is_told() {
    let mut market = market();
    let reference = Some(market.basket());
    let parts = [("available", 7)];
    market.facts.entries[SELLER].push(entry("share_credited", reference, &parts));
    market.facts.wallets[SELLER].available_balance_minor += 7;
    assert_eq!(failed(&market), [5, 6, 7, 9]);
}
