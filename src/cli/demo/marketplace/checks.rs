//! What must hold in the marketplace: the server's figures beside each other and beside arithmetic
//! of our own.

use serde_json::{Value, json};

use super::sales::{BASKET, PAYOUT, PEOPLE, SALES, Sale, due};
use crate::cli::demo::answers::{Answers, cents, plain, sum};
use crate::cli::demo::table::{Check, check, check_none};
use crate::cli::terminal::{grouped, major};

/// The accounts of a wallet; what is posted to others is outside of it.
const HELD: [&str; 3] = ["pending", "available", "reserved"];

/// All checks, in the order of the tables.
pub(crate) fn checks(answers: &Answers) -> Vec<Check> {
    vec![
        sold(answers),
        declined(answers),
        sent_back(answers),
        decided(answers),
        refunded(answers),
        parties(answers),
        by_payment(answers),
        double_entry(answers),
        balances(answers),
        in_and_out(answers),
        paid_out(answers),
        events(answers),
    ]
}

/// What the movements of a wallet, by its place or `*`, brought it of a payment.
pub(super) fn part(answers: &Answers, place: &str, payment: &str) -> i64 {
    let of_payment = format!("entries/{place}/[paymentId={payment}]/postings");
    let held =
        HELD.map(|account| answers.sum(&format!("{of_payment}/[account={account}]/amountMinor")));
    held.iter().sum()
}

/// The sales and their payments as read back.
fn sales(answers: &Answers) -> impl Iterator<Item = (&'static Sale, &Value, String)> {
    let payments = SALES.iter().zip(answers.all("sales/*"));
    payments.map(|(sale, payment)| (sale, payment, plain(&payment["paymentId"])))
}

fn sold(answers: &Answers) -> Check {
    let as_asked = |sale: &Sale, payment: &Value| {
        payment["status"] == sale.status()
            && cents(&payment["amount"]) == sale.amount
            && cents(&payment["capturedAmount"]) == sale.captured.iter().sum::<i64>()
            && cents(&payment["refundedAmount"]) == sale.refunded.iter().sum::<i64>()
    };
    let wrong = sales(answers).filter(|(sale, payment, _)| !as_asked(sale, payment));
    let wrong: Vec<String> = wrong.map(|(.., reference)| reference).collect();
    let captured = major(answers.cents("sales/*/capturedAmount"));
    check_none(&wrong, format!("{captured} captured as asked, settled"), "not as asked")
}

fn declined(answers: &Answers) -> Check {
    let payment = answers.get("sales/[status=failed]");
    let moved = answers.all(&format!("entries/*/[paymentId={}]", plain(&payment["paymentId"])));
    let (status, code) = (answers.get("declined/status"), answers.get("declined/body/failureCode"));
    let good = *status == 502
        && *code == 2001
        && payment["failureCode"] == 2001
        && payment["retry"] == "never"
        && payment["failureCategory"] == "hard"
        && payment["failureStage"] == "authorization"
        && moved.is_empty();
    let retry = plain(&payment["retry"]);
    check(
        good,
        format!(
            "the declined card is answered {status} with {code}, retry {retry}; it moved nothing"
        ),
    )
}

fn sent_back(answers: &Answers) -> Check {
    let location = answers.text("sentBack/location");
    let query = location.strip_prefix("https://example.com/thanks?").unwrap_or_default();
    let states = |pair: &str| query.split('&').any(|stated| stated == pair);
    let reference = answers.text("workshop/paymentId");
    match states("status=succeeded") && states(&format!("paymentId={reference}")) {
        true => check(true, "the Bancontact buyer is sent back with status and paymentId"),
        false => check(false, format!("the Bancontact buyer is sent back to {location:?}")),
    }
}

fn decided(answers: &Answers) -> Check {
    let payees = answers.all("payees/*/payee/id");
    let as_ordered = |sale: &Sale, reference: &str| {
        let decisions = answers.all(&format!("splits/*/decisions/[paymentId={reference}]"));
        let [decision] = decisions.as_slice() else { return false };
        let outcome = &decision["outcome"];
        let share = |place: usize| {
            let of_payee = format!("shares/[payeeId={}]/netAmountMinor", payees[place]);
            sum(outcome, &of_payee)
        };
        let shared = sum(outcome, "shares/*/shareAmountMinor") + sum(outcome, "remainderMinor");
        (0..PEOPLE.len()).all(|place| share(place) == sale.shares[place])
            && decision["inputs"]["allocationMode"] == "absolute"
            && decision["inputs"]["ruleId"].is_null()
            && outcome["grossAmountMinor"] == sale.amount
            && shared == sale.amount
    };
    let sold = || sales(answers).filter(|(sale, ..)| !sale.captured.is_empty());
    let right = sold().filter(|(sale, _, reference)| as_ordered(sale, reference)).count();
    let all = sold().count();
    check(right == all, format!("{right} of {all} split decisions say what the orders say"))
}

fn refunded(answers: &Answers) -> Check {
    let refunds = answers.all("sales/0/refunds/*");
    let amounts: Vec<i64> = refunds.iter().map(|refund| cents(&refund["amount"])).collect();
    let statuses = answers.texts("refundsAgain/*/status");
    let good = amounts == BASKET.refunded
        && refunds.iter().all(|refund| refund["status"] == "succeeded")
        && statuses.iter().all(|status| status == "200")
        && answers.texts("refunds/*/refundId") == answers.texts("refundsAgain/*/body/refundId");
    let (count, total) = (refunds.len(), major(amounts.iter().sum()));
    let status = answers.text("refundsAgain/last/status");
    check(good, format!("{count} refunds give back {total}; one asked for twice answers {status}"))
}

fn parties(answers: &Answers) -> Check {
    let mut wrong = Vec::new();
    for (sale, _, reference) in sales(answers) {
        for (place, expected) in sale.parts.iter().enumerate() {
            let found = part(answers, &place.to_string(), &reference);
            if found != *expected {
                let name = PEOPLE.get(place).map_or("the seller", |person| person.name);
                let (found, expected) = (major(found), major(*expected));
                wrong.push(format!("{name} has {found} of {reference}, {expected} are due"));
            }
        }
    }
    let text = "every party has its part of every sale to the cent, refunds taken back";
    check_none(&wrong, text, "wrong parts")
}

/// What a buyer paid and did not get back is with the seller and the payees, payment by payment.
fn by_payment(answers: &Answers) -> Check {
    let payments = answers.all("payments/[currencyCode=EUR]");
    let wrong = payments.iter().filter(|payment| {
        let kept = cents(&payment["capturedAmount"]) - cents(&payment["refundedAmount"]);
        part(answers, "*", &plain(&payment["paymentId"])) != kept
    });
    let wrong: Vec<String> = wrong.map(|payment| plain(&payment["paymentId"])).collect();
    let count = grouped(payments.len() as u64);
    let text = format!("{count} payments, each with its money in the wallets, no cent more");
    check_none(&wrong, text, "payments and wallets differ")
}

fn double_entry(answers: &Answers) -> Check {
    let entries = answers.all("entries/*/*");
    let zero = entries.iter().filter(|entry| sum(entry, "postings/*/amountMinor") == 0).count();
    let (all, postings) = (entries.len(), answers.all("entries/*/*/postings/*").len());
    check(
        zero == all && all > 0,
        format!("{postings} postings in {all} movements; {zero} movements sum to zero"),
    )
}

fn balances(answers: &Answers) -> Check {
    let wallets = answers.all("wallets/*");
    let equal = |(wallet, entries): &(&&Value, &Value)| {
        HELD.iter().all(|account| {
            let posted = sum(entries, &format!("*/postings/[account={account}]/amountMinor"));
            wallet[format!("{account}BalanceMinor")] == posted
        })
    };
    let count = wallets.iter().zip(answers.all("entries/*")).filter(equal).count();
    let as_due = (0..PEOPLE.len())
        .all(|place| *answers.get(&format!("wallets/{place}/availableBalanceMinor")) == due(place));
    let all = wallets.len();
    check(
        count == all && as_due && all > 0,
        format!("{count} of {all} wallets show what was posted, those of payees what is due"),
    )
}

/// All that came in and did not go back is in a wallet, or was paid out.
fn in_and_out(answers: &Answers) -> Check {
    let came = answers.cents("payments/[currencyCode=EUR]/capturedAmount")
        - answers.cents("payments/[currencyCode=EUR]/refundedAmount");
    let held = HELD.map(|account| answers.sum(&format!("wallets/*/{account}BalanceMinor")));
    let held: i64 = held.iter().sum();
    let out = answers.sum("payouts/[status=completed]/amountMinor");
    let (came_text, held_text, out_text) = (major(came), major(held), major(out));
    check(
        came == held + out,
        format!("{came_text} came in and stayed: {held_text} in wallets, {out_text} paid out"),
    )
}

fn paid_out(answers: &Answers) -> Check {
    let payout = answers.get("payout");
    let (above, again) = (answers.get("payoutAbove/status"), answers.get("payoutAgain/status"));
    let good = payout["status"] == "completed"
        && payout["amountMinor"] == PAYOUT
        && payout["providerReference"].is_string()
        && *above == 409
        && answers.text("payoutAbove/body/error") == "insufficient balance"
        && *again == 409;
    let (amount, status) = (major(sum(payout, "amountMinor")), plain(&payout["status"]));
    check(
        good,
        format!(
            "payout of {amount} {status}; one above the balance {above}, a repeated one {again}"
        ),
    )
}

fn events(answers: &Answers) -> Check {
    let once = |kind: &str, fields: Value| {
        let payloads = answers.all(&format!("marketInbox/events/[eventType={kind}]/payload"));
        let fits = |payload: &&&Value| {
            let mut fields = fields.as_object().into_iter().flatten();
            fields.all(|(name, value)| payload[name] == *value)
        };
        payloads.iter().filter(fits).count() == 1
    };
    let mut missing = Vec::new();
    for (sale, _, reference) in sales(answers) {
        let end = json!({"paymentId": reference, "status": sale.status()});
        if !once("PaymentCompleted", end) {
            missing.push(format!("{reference} {}", sale.status()));
        }
        for minor in sale.refunded {
            let refund = json!({"paymentId": reference, "refundedAmountMinor": minor});
            if !once("PaymentRefunded", refund) {
                missing.push(format!("{reference} refunded"));
            }
        }
    }
    let payout = answers.get("payout/id");
    if !once("PayoutCompleted", json!({"payoutId": payout})) {
        missing.push(format!("payout {payout} completed"));
    }
    let text = "one webhook each for every end, every refund and the payout";
    check_none(&missing, text, "webhooks that did not come once")
}
