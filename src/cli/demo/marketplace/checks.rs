//! What must hold in the marketplace: the server's figures beside each other and beside arithmetic
//! of our own.

use serde_json::{Value, json};

use super::{HELD, part};
use crate::cli::demo::answers::{Answers, all, cents, plain, sum};
use crate::cli::demo::table::{Check, check, check_none};
use crate::cli::terminal::grouped;

pub(crate) fn checks(answers: &Answers) -> Vec<Check> {
    vec![
        sold(answers),
        sent_back(answers),
        decided(answers),
        parties(answers),
        by_payment(answers),
        balances(answers),
        events(answers),
    ]
}

/// The sales as ordered, their payments as read back, and the payments' references.
fn sales(answers: &Answers) -> impl Iterator<Item = (&Value, &Value, String)> {
    let pairs = answers.all("ordered/*").into_iter().zip(answers.all("sales/*"));
    pairs.map(|(sale, payment)| (sale, payment, plain(&payment["paymentId"])))
}

fn sold(answers: &Answers) -> Check {
    let as_asked = |sale: &Value, payment: &Value| {
        let refunds: Vec<i64> = all(payment, "refunds/*/amount").into_iter().map(cents).collect();
        payment["status"] == sale["status"]
            && sale["amount"] == cents(&payment["amount"])
            && sale["captured"] == cents(&payment["capturedAmount"])
            && sale["refunds"] == json!(refunds)
            && cents(&payment["refundedAmount"]) == refunds.iter().sum::<i64>()
            && all(payment, "refunds/*/status").iter().all(|status| **status == "succeeded")
    };
    let wrong = sales(answers).filter(|(sale, payment, _)| !as_asked(sale, payment));
    let wrong: Vec<String> = wrong.map(|(.., reference)| reference).collect();
    let text = "<sales/*/capturedAmount|cents|minor> captured, settled and \
                <sales/*/refundedAmount|cents|minor> given back as asked";
    check_none(&wrong, answers.show(text), "not as asked")
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
    let payees = answers.texts("payees/*/payee/id");
    let as_ordered = |sale: &Value, reference: &str| {
        let decisions = answers.all(&format!("splits/*/decisions/[paymentId={reference}]"));
        let [decision] = decisions.as_slice() else { return false };
        let outcome = &decision["outcome"];
        let share = |payee| sum(outcome, &format!("shares/[payeeId={payee}]/netAmountMinor"));
        let shared = sum(outcome, "shares/*/shareAmountMinor") + sum(outcome, "remainderMinor");
        sale["shares"] == payees.iter().map(share).collect::<Value>()
            && decision["inputs"]["allocationMode"] == "absolute"
            && decision["inputs"]["ruleId"].is_null()
            && outcome["grossAmountMinor"] == sale["amount"]
            && sale["amount"] == shared
    };
    let sold = || sales(answers).filter(|(sale, ..)| sale["captured"] != 0);
    let right = sold().filter(|(sale, _, reference)| as_ordered(sale, reference)).count();
    let all = sold().count();
    check(right == all, format!("{right} of {all} split decisions say what the orders say"))
}

fn parties(answers: &Answers) -> Check {
    let mut wrong = Vec::new();
    for (sale, _, reference) in sales(answers) {
        for (place, due) in ["0", "1", "2"].iter().zip(all(sale, "parts/*")) {
            let found = part(answers, place, &reference);
            if *due != found {
                wrong.push(format!("wallet {place} has {found} of {reference}, {due} are due"));
            }
        }
    }
    let text = "every party has its part of every sale to the cent, refunds taken back";
    check_none(&wrong, text, "wrong parts, in cents")
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

fn balances(answers: &Answers) -> Check {
    let wallets = answers.all("wallets/*");
    let equal = |(wallet, entries): &(&&Value, &Value)| {
        HELD.iter().all(|account| {
            let posted = sum(entries, &format!("*/postings/[account={account}]/amountMinor"));
            wallet[format!("{account}BalanceMinor")] == posted
        })
    };
    let count = wallets.iter().zip(answers.all("entries/*")).filter(equal).count();
    let payees =
        answers.all("wallets/*/availableBalanceMinor").into_iter().zip(answers.all("due/*"));
    let as_due = payees.into_iter().all(|(available, due)| available == due);
    let all = wallets.len();
    check(
        count == all && as_due && all > 0,
        format!("{count} of {all} wallets show what was posted, those of payees what is due"),
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
        if !once("PaymentCompleted", json!({"paymentId": reference, "status": sale["status"]})) {
            missing.push(format!("{reference} {}", plain(&sale["status"])));
        }
        for minor in all(sale, "refunds/*") {
            let refund = json!({"paymentId": reference, "refundedAmountMinor": minor});
            if !once("PaymentRefunded", refund) {
                missing.push(format!("{reference} refunded"));
            }
        }
    }
    let payout = answers.get("paidOut/id");
    if !once("PayoutCompleted", json!({"payoutId": payout})) {
        missing.push(format!("payout {payout} completed"));
    }
    let text = "one webhook each for every end, every refund and the payout";
    check_none(&missing, text, "webhooks that did not come once")
}
