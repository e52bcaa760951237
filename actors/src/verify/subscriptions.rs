//! Subscriptions: where they are found, and the claims of their terms.

use storage::{ReadError, Scan};

use super::reading::Reading;
use super::run::{Found, Run};
use crate::chunked::Chunked;
use crate::domain::billing::subscription::{Subscription, TermClaim};
use crate::domain::ids::{ContractId, SellerId, SubscriptionId};
use crate::tables::{
    CONTRACTS, SUBSCRIPTION_HOMES, SUBSCRIPTION_PARTS, SUBSCRIPTIONS, TERM_CLAIMS,
};

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let all = || Scan::prefix(&(seller,));
    run.each(SUBSCRIPTIONS, all(), subscription)?;
    run.no_others(SUBSCRIPTION_HOMES, all(), |reading, (seller, id), contract| {
        reading.contains(SUBSCRIPTIONS, &(*seller, *contract, *id))
    })?;
    run.each(SUBSCRIPTION_PARTS, all(), |reading, (key, _), _, found| {
        found.names(reading, SUBSCRIPTIONS, key).map(|_| ())
    })
}

fn subscription(
    reading: &Reading,
    key: &(SellerId, ContractId, SubscriptionId),
    row: &Chunked<Subscription>,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    let subscription = reading.joined(SUBSCRIPTIONS, (key, row), SUBSCRIPTION_PARTS, key)?;
    let (seller, contract, id) = *key;
    found.same(
        "subscription under its own key",
        (contract, id),
        (subscription.contract, subscription.id),
    );
    found.names(reading, CONTRACTS, &(seller, contract))?;
    found.wants(reading, SUBSCRIPTION_HOMES, &(seller, id), &contract)?;
    let starts: Vec<_> = subscription.terms.iter().map(|term| term.start).collect();
    let rise = starts.windows(2).all(|pair| pair[0] < pair[1]);
    found.holds("terms in order", rise, &starts);
    for term in &subscription.terms {
        let claim = (seller, id, term.start);
        match term.billed_by {
            Some(invoice) => {
                let carries = |claim: &TermClaim| claim.invoice == invoice;
                found.says(reading, TERM_CLAIMS, &claim, &invoice, carries)?;
            }
            None => {
                let claimed = reading.get(TERM_CLAIMS, &claim)?;
                found.same("claim of a term that is not billed", None, claimed);
            }
        }
    }
    Ok(())
}
