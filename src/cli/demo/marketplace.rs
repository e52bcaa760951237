//! The third chapter: a small marketplace. Sales are shared with payees, refunded in part, settled
//! and paid out, and at the end there is the trail of every cent.

mod checks;
mod sales;
mod tables;

use serde_json::{Value, json};

use super::buyer::{Card, DECLINED, MASTERCARD, VISA};
use super::scenario::{Action, Is, Step, be, each, get, list, oldest_first, post, say};
use crate::cli::cents::Cents;
use sales::{BASKET, COMMISSION, FAILING, PAYOUT, PEOPLE, SALES, Sale, WORKSHOP};

pub(super) use checks::checks;
pub(super) use tables::print;

const INITIATE: &str = "/payments-api/v1/initialize-payment";
const PAYOUTS: &str = "/payments-api/v1/payees/<payees/0/payee/id>/payouts";

pub(super) fn steps() -> Vec<Step> {
    let mut steps = payees();
    steps.extend(sell_by_card());
    steps.extend(sell_by_bancontact());
    steps.extend(sell_declined());
    steps.extend(sell_in_parts());
    steps.push(say("waiting for the sales to settle"));
    let sold = SALES.iter().filter(|sale| !sale.captured.is_empty());
    steps.extend(sold.map(settled));
    steps.extend(refund());
    steps.extend(pay_out());
    steps.extend(read_back());
    steps
}

/// Each payee with its bank account and its wallet in one call.
fn payees() -> Vec<Step> {
    let setup = |(nth, person): (usize, &sales::Person)| {
        let body = json!({
            "payee": {
                "displayName": person.name, "role": "contractor", "email": person.email,
                "kycEntityType": "Individual", "payeeContractId": format!("demo-<run>-{nth}"),
            },
            "payoutMethod": {"currency": "EUR", "iban": person.iban, "accountName": person.name},
            "wallet": {"currency": "EUR"},
        });
        post("/payments-api/v1/payees/setup", body).key(person.email).push("payees")
    };
    let mut steps = vec![say("setting payees up")];
    steps.extend(PEOPLE.iter().enumerate().map(setup));
    steps
}

/// Begins a sale, with what it has besides the order.
fn initiate(sale: &Sale, besides: Value) -> Step {
    let lines = sale.shares.iter().enumerate().filter(|(_, minor)| **minor > 0);
    let lines = lines.map(|(place, minor)| {
        json!({"payeeId": format!("<payees/{place}/payee/id>"), "amount": Cents(*minor).json()})
    });
    let mut body = json!({
        "externalOrderRef": sale.reference,
        "amount": Cents(sale.amount).json(),
        "currencyCode": "EUR",
        "billingDetails": {"country": "DE", "zip": "10115", "city": "Berlin"},
        "orderData": {"payeeDistribution": lines.collect::<Vec<_>>()},
    });
    for (name, value) in besides.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    post(INITIATE, body).key(sale.reference)
}

fn card(card: Card) -> Value {
    json!({
        "cardNumber": card.number, "cvv": "123", "expMonth": 12, "expYear": "<expiryYear>",
        "holderName": "Ada Lovelace",
    })
}

/// The bank asks the buyer, and the seller finalizes.
fn sell_by_card() -> Vec<Step> {
    let finalize = json!({"externalOrderRef": BASKET.reference});
    vec![
        say("selling a split basket by card"),
        initiate(&BASKET, json!({"cardData": card(VISA)})).keep("basket"),
        Step::of(Action::Approve("<basket/actionUrl>")),
        post("/payments-api/v1/finalize-payment", finalize)
            .key("finalize")
            .expect("status", be("provider_completed")),
    ]
}

/// The scheme sends the buyer back; there is nothing to finalize.
fn sell_by_bancontact() -> Vec<Step> {
    let besides = json!({
        "paymentType": "apm", "paymentMethod": "bancontact", "countryCode": "BE",
        // Sandbox accounts allow this host.
        "returnUrl": "https://example.com/thanks",
    });
    vec![
        say("selling by Bancontact"),
        initiate(&WORKSHOP, besides).keep("workshop"),
        Step::of(Action::Approve("<workshop/actionUrl>")).keep("scheme"),
        get("<scheme/redirectUrl>").answer("sentBack"),
    ]
}

fn sell_declined() -> Vec<Step> {
    let besides = json!({"cardData": card(DECLINED), "skip3DS": true});
    vec![say("trying a card that is declined"), initiate(&FAILING, besides).answer("declined")]
}

/// Held first, and captured in parts.
fn sell_in_parts() -> Vec<Step> {
    let besides = json!({
        "cardData": card(MASTERCARD), "skip3DS": true, "autoSettlement": false,
        "captureMode": "manual",
    });
    let mut steps = vec![
        say("capturing a commission in two parts"),
        initiate(&COMMISSION, besides).expect("status", be("authorized")),
    ];
    let path = format!("/payments-api/v1/payments/{}/capture", COMMISSION.reference);
    for (nth, minor) in (1..).zip(COMMISSION.captured) {
        let last = nth == COMMISSION.captured.len();
        let body = json!({"amount": Cents(*minor).json(), "final": last});
        steps.push(post(&path, body).key(format!("capture {nth}")));
    }
    steps
}

fn settled(sale: &Sale) -> Step {
    let path = format!("/payments-api/v1/payments/{}", sale.reference);
    get(path).until("status", be("settled"))
}

/// Each refund is asked for twice with one key.
fn refund() -> Vec<Step> {
    let mut steps = vec![say("refunding a part of the basket")];
    let path = format!("/payments-api/v1/payments/{}/refund", BASKET.reference);
    for minor in BASKET.refunded {
        let body = json!({"amount": Cents(*minor).json(), "reason": "returned"});
        let refund = post(&path, body).key(format!("refund {minor}"));
        steps.push(refund.clone().push("refunds"));
        steps.push(settled(&BASKET));
        steps.push(refund.any_status().push("refundsAgain"));
    }
    steps
}

/// Once the payee is verified and its shares have settled.
fn pay_out() -> Vec<Step> {
    let body = |name: &str, amount: i64| {
        json!({
            "payoutMethodId": "<payees/0/payoutMethod/id>", "amount": Cents(amount).text(),
            "idempotencyKey": format!("demo:<run>:{name}"),
        })
    };
    vec![
        say("paying a payee out"),
        get("/payments-api/v1/wallets/<payees/0/wallet/id>")
            .until("withdrawableBalanceMinor", Is::AtLeast(PAYOUT)),
        post(PAYOUTS, body("above", 10_000_000)).answer("payoutAbove"),
        post(PAYOUTS, body("payout", PAYOUT)).keep("payout"),
        post(PAYOUTS, body("payout", PAYOUT)).answer("payoutAgain"),
        get("/payments-api/v1/payouts/<payout/id>")
            .until("status", Is::OneOf(&["completed", "failed", "cancelled"]))
            .keep("payout"),
    ]
}

/// Everything that is shown and checked, once wallets and webhooks have come to rest; what does
/// not come to rest is for the checks to find.
fn read_back() -> Vec<Step> {
    let wallet = |id: &str| {
        let path = format!("/payments-api/v1/wallets/<{id}>");
        get(path).until("pendingBalanceMinor", be(0)).or_go_on().push("wallets")
    };
    let mut steps = vec![say("following the money")];
    for place in 0..PEOPLE.len() {
        let due = be(sales::due(place));
        steps
            .push(wallet(&format!("payees/{place}/wallet/id")).until("availableBalanceMinor", due));
    }
    steps.push(list("/payments-api/v1/wallets", "wallets").keep("all"));
    steps.push(wallet("all/[type=main]/[currency=EUR]/id"));
    let entries = oldest_first("/payments-api/v1/wallets/<wallet/id>/entries", "entries");
    steps.push(each("wallets", "wallet", vec![entries.push("entries")]));
    for sale in &SALES {
        let path = format!("/payments-api/v1/payments/{}", sale.reference);
        steps.push(get(&path).push("sales"));
        steps.push(get(format!("{path}/split-decisions")).push("splits"));
    }
    steps.extend([
        list("/payments-api/v1/payments", "payments").keep("payments"),
        list("/payments-api/v1/payouts", "payouts").keep("payouts"),
        Step::of(Action::Inbox)
            .until("events/[eventType=PayoutCompleted]", Is::Count(1))
            .until("events/[eventType=PaymentRefunded]", Is::Count(BASKET.refunded.len()))
            .or_go_on()
            .keep("marketInbox"),
    ]);
    steps
}
