//! Where the money is: the movements of the wallets beside the payments, and beside arithmetic of
//! our own.

use super::check;
use crate::cli::demo::checks::Check;
use crate::cli::demo::marketplace::Market;
use crate::cli::demo::marketplace::facts::expected;
use crate::cli::demo::marketplace::records::{Entry, Payment};
use crate::cli::demo::marketplace::sale::{PEOPLE, Sale};
use crate::cli::terminal::{grouped, major};

/// Each party's part of each sale is what largest remainders make of it.
pub(super) fn parties(market: &Market) -> Check {
    let mut wrong = Vec::new();
    for sale in Sale::ALL {
        let reference = sale.reference(&market.run);
        for (place, expected) in sale.expected().into_iter().enumerate() {
            let found = market.part(&reference, place);
            if found != expected {
                let name = PEOPLE.get(place).map_or("the seller", |person| person.name);
                let (found, expected) = (major(found), major(expected));
                wrong.push(format!("{name} has {found} of {reference}, {expected} are due"));
            }
        }
    }
    let text = match wrong.as_slice() {
        [] => "every party has its part of every sale to the cent, refunds taken back".to_owned(),
        wrong => wrong.join("; "),
    };
    check(wrong.is_empty(), text)
}

/// What a buyer paid and did not get back is with the seller and the payees, payment by payment.
pub(super) fn by_payment(market: &Market) -> Check {
    let wallets = market.facts.wallets.len();
    let wrong: Vec<&str> = market
        .facts
        .all_payments
        .iter()
        .filter(|payment| {
            let part = |place| market.part(&payment.payment_id, place);
            let moved: i64 = (0..wallets).map(part).sum();
            moved != payment.captured_amount.0 - payment.refunded_amount.0
        })
        .map(|payment| payment.payment_id.as_str())
        .collect();
    let count = market.facts.all_payments.len() as u64;
    let text = match wrong.as_slice() {
        [] => {
            format!("{} payments, each with its money in the wallets, no cent more", grouped(count))
        }
        wrong => format!("payments and wallets differ: {}", wrong.join(", ")),
    };
    check(wrong.is_empty() && count > 0, text)
}

pub(super) fn double_entry(market: &Market) -> Check {
    let zero = |entry: &&Entry| {
        entry.postings.iter().map(|posting| posting.amount_minor).sum::<i64>() == 0
    };
    let (count, all) = (market.entries().filter(zero).count(), market.entries().count());
    let postings: usize = market.entries().map(|entry| entry.postings.len()).sum();
    check(
        count == all && all > 0,
        format!("{postings} postings in {all} movements; {count} movements sum to zero"),
    )
}

pub(super) fn balances(market: &Market) -> Check {
    let facts = &market.facts;
    let equal = facts.wallets.iter().zip(&facts.entries).filter(|(wallet, entries)| {
        let of = |account: &str| entries.iter().map(|entry| entry.of(account)).sum::<i64>();
        of("pending") == wallet.pending_balance_minor
            && of("available") == wallet.available_balance_minor
            && of("reserved") == wallet.reserved_balance_minor
    });
    let (count, all) = (equal.count(), facts.wallets.len());
    let payees = facts.wallets.iter().zip(expected()).take(market.payees.len());
    let due = payees.into_iter().all(|(wallet, minor)| wallet.available_balance_minor == minor);
    check(
        count == all && due && all > 0,
        format!("{count} of {all} wallets show what was posted, those of payees what is due"),
    )
}

/// All that came in and did not go back is in a wallet, or was paid out.
pub(super) fn in_and_out(market: &Market) -> Check {
    let facts = &market.facts;
    let kept = |payment: &Payment| payment.captured_amount.0 - payment.refunded_amount.0;
    let came: i64 = facts.all_payments.iter().map(kept).sum();
    let held: i64 = facts.wallets.iter().map(|wallet| wallet.holds()).sum();
    let completed = facts.payouts.iter().filter(|payout| payout.status == "completed");
    let out: i64 = completed.map(|payout| payout.amount_minor).sum();
    let (came_text, held_text, out_text) = (major(came), major(held), major(out));
    check(
        came == held + out,
        format!("{came_text} came in and stayed: {held_text} in wallets, {out_text} paid out"),
    )
}
