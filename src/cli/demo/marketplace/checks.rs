//! What must hold in the marketplace: the server's figures beside each other and beside
//! arithmetic of our own.

mod money;

use std::collections::BTreeMap;

use super::Market;
use super::records::{Decision, Payment};
use super::sale::{PAYOUT, Sale};
use crate::cli::demo::checks::Check;
use crate::cli::terminal::major;

/// All checks, in the order of the tables.
pub(in crate::cli::demo) fn checks(market: &Market) -> Vec<Check> {
    vec![
        sold(market),
        declined(market),
        sent_back(market),
        decided(market),
        refunded(market),
        money::parties(market),
        money::by_payment(market),
        money::double_entry(market),
        money::balances(market),
        money::in_and_out(market),
        paid_out(market),
        told(market),
    ]
}

fn check(good: bool, text: String) -> Check {
    Check { good, text }
}

fn sum(amounts: &[i64]) -> i64 {
    amounts.iter().sum()
}

fn sold(market: &Market) -> Check {
    let wrong: Vec<&str> = Sale::ALL
        .iter()
        .zip(&market.facts.payments)
        .filter(|(sale, payment)| !is_sold(**sale, payment))
        .map(|(_, payment)| payment.payment_id.as_str())
        .collect();
    let captured: i64 = market.facts.payments.iter().map(|one| one.captured_amount.0).sum();
    let text = match wrong.as_slice() {
        [] => format!("{} captured as asked, settled", major(captured)),
        wrong => format!("not as asked: {}", wrong.join(", ")),
    };
    check(wrong.is_empty() && market.facts.payments.len() == Sale::ALL.len(), text)
}

fn is_sold(sale: Sale, payment: &Payment) -> bool {
    let status = if sale == Sale::Declined { "failed" } else { "settled" };
    payment.status == status
        && payment.amount.0 == sale.amount()
        && payment.captured_amount.0 == sum(sale.captures())
        && payment.refunded_amount.0 == sum(sale.refunds())
}

fn declined(market: &Market) -> Check {
    let answer = &market.declined;
    let reference = Sale::Declined.reference(&market.run);
    let payment = market.facts.payments.iter().find(|payment| payment.payment_id == reference);
    let told = payment.map(|payment| {
        let of = |text: &Option<String>| text.clone().unwrap_or_default();
        let stage = of(&payment.failure_stage);
        (payment.failure_code, of(&payment.retry), of(&payment.failure_category), stage)
    });
    let (code, retry, category, stage) = told.unwrap_or_default();
    let good = (answer.status, answer.code, code) == (502, 2001, 2001)
        && (retry.as_str(), category.as_str(), stage.as_str())
            == ("never", "hard", "authorization")
        && market.entries().all(|entry| entry.payment_id.as_ref() != Some(&reference));
    let (status, code) = (answer.status, answer.code);
    check(
        good,
        format!(
            "the declined card is answered {status} with {code}, retry {retry}; it moved nothing"
        ),
    )
}

fn sent_back(market: &Market) -> Check {
    let (to, reference) = (&market.sent_back, Sale::Workshop.reference(&market.run));
    let query = to.strip_prefix("https://example.com/thanks?").unwrap_or_default();
    let says = |pair: String| query.split('&').any(|stated| stated == pair);
    let good = says("status=succeeded".to_owned()) && says(format!("paymentId={reference}"));
    let text = match good {
        true => "the Bancontact buyer is sent back with status and paymentId".to_owned(),
        false => format!("the Bancontact buyer is sent back to {to:?}"),
    };
    check(good, text)
}

fn decided(market: &Market) -> Check {
    let sold = || Sale::ALL.into_iter().filter(|sale| !sale.captures().is_empty());
    let right = |sale: &Sale| {
        let reference = sale.reference(&market.run);
        let mut decisions =
            market.facts.decisions.iter().filter(|decision| decision.payment_id == reference);
        let first = decisions.next().is_some_and(|decision| follows(decision, *sale, market));
        first && decisions.next().is_none()
    };
    let (count, all) = (sold().filter(right).count(), sold().count());
    check(count == all, format!("{count} of {all} split decisions say what the orders say"))
}

fn follows(decision: &Decision, sale: Sale, market: &Market) -> bool {
    let lines = market.payees.iter().zip(sale.distribution()).filter(|(_, minor)| *minor > 0);
    let stated: BTreeMap<u64, i64> = lines.map(|(payee, minor)| (*payee, minor)).collect();
    let shares = &decision.outcome.shares;
    let found: BTreeMap<u64, i64> =
        shares.iter().map(|share| (share.payee_id, share.net_amount_minor)).collect();
    let shared: i64 = shares.iter().map(|share| share.share_amount_minor).sum();
    let outcome = &decision.outcome;
    found == stated
        && decision.inputs.allocation_mode == "absolute"
        && decision.inputs.rule_id.is_none()
        && outcome.gross_amount_minor == sale.amount()
        && shared + outcome.remainder_minor == sale.amount()
}

fn refunded(market: &Market) -> Check {
    let (first, status, again) = &market.given.repeated;
    let reference = market.basket();
    let basket = market.facts.payments.iter().find(|payment| payment.payment_id == reference);
    let refunds = basket.map(|payment| payment.refunds.as_slice()).unwrap_or_default();
    let amounts: Vec<i64> = refunds.iter().map(|refund| refund.amount.0).collect();
    let good = amounts == Sale::Basket.refunds()
        && refunds.iter().all(|refund| refund.status == "succeeded")
        && status.as_u16() == 200
        && first.refund_id == again.refund_id;
    let (count, total) = (refunds.len(), major(sum(&amounts)));
    let status = status.as_u16();
    check(good, format!("{count} refunds give back {total}; one asked for twice answers {status}"))
}

fn paid_out(market: &Market) -> Check {
    let given = &market.given;
    let (payout, (refused, error)) = (&given.payout, &given.refused);
    let good = payout.status == "completed"
        && payout.amount_minor == PAYOUT
        && payout.provider_reference.is_some()
        && (refused.as_u16(), error.as_str()) == (409, "insufficient balance")
        && given.payout_again.as_u16() == 409;
    let (amount, status) = (major(payout.amount_minor), &payout.status);
    let (refused, again) = (refused.as_u16(), given.payout_again.as_u16());
    check(
        good,
        format!(
            "payout of {amount} {status}; one above the balance {refused}, a repeated one {again}"
        ),
    )
}

fn told(market: &Market) -> Check {
    let events = || market.facts.events.values();
    let count = |kind: &str, fits: &dyn Fn(&serde_json::Value) -> bool| {
        events().filter(|event| event.kind == kind && fits(&event.payload)).count()
    };
    let mut missing = Vec::new();
    for sale in Sale::ALL {
        let reference = sale.reference(&market.run);
        let end = if sale == Sale::Declined { "failed" } else { "settled" };
        let ends = count("PaymentCompleted", &|payload| {
            payload["paymentId"] == reference && payload["status"] == end
        });
        if ends != 1 {
            missing.push(format!("{reference} {end}"));
        }
        for minor in sale.refunds() {
            let refunds = count("PaymentRefunded", &|payload| {
                payload["paymentId"] == reference && payload["refundedAmountMinor"] == *minor
            });
            if refunds != 1 {
                missing.push(format!("{reference} refunded"));
            }
        }
    }
    let payout = market.given.payout.id;
    if count("PayoutCompleted", &|payload| payload["payoutId"] == payout) != 1 {
        missing.push(format!("payout {payout} completed"));
    }
    let text = match missing.as_slice() {
        [] => "webhooks told once of every end, every refund and the payout".to_owned(),
        missing => format!("webhooks did not tell once of: {}", missing.join(", ")),
    };
    check(missing.is_empty(), text)
}

#[cfg(test)]
mod tests;
