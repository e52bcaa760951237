//! What lists find objects by: the places that each object has, and no others.

use std::fmt::Debug;

use storage::{Key, ReadError, Record, Scan, Table};

use super::reading::Reading;
use super::run::{Found, Run};
use crate::backfill::Backfill;
use crate::domain::ids::{
    InvoiceId, LinkSubscriptionId, PaymentId, PaymentLinkId, PayoutId, SellerId,
};
use crate::listing::{Facet, Listed, Place};
use crate::tables::{
    DRAFT_PARTS, DRAFTS, INVOICES, LINK_SUBSCRIPTIONS, PAYMENT_LINKS, PAYMENTS, PAYOUTS, PLACES,
};

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    objects(run, INVOICES, seller)?;
    objects(run, PAYMENTS, seller)?;
    objects(run, PAYOUTS, seller)?;
    objects(run, PAYMENT_LINKS, seller)?;
    objects(run, LINK_SUBSCRIPTIONS, seller)?;
    drafts(run, seller)?;
    run.no_others(PLACES, Scan::prefix(&(seller,)), |reading, (seller, facet, value, id), ()| {
        let place = |facet: Facet| (facet, *value);
        match *facet {
            1 => has(reading, PAYMENTS, &(*seller, PaymentId(*id)), place(Facet::PaymentStatus)),
            2 => has(reading, PAYOUTS, &(*seller, PayoutId(*id)), place(Facet::PayoutStatus)),
            3 => has(reading, INVOICES, &(*seller, InvoiceId(*id)), place(Facet::InvoiceClass)),
            4 => has(reading, INVOICES, &(*seller, InvoiceId(*id)), place(Facet::InvoiceCustomer)),
            5 => has(reading, INVOICES, &(*seller, InvoiceId(*id)), place(Facet::InvoiceCorrects)),
            30 => {
                let link = (*seller, PaymentLinkId(*id));
                has(reading, PAYMENT_LINKS, &link, place(Facet::PaymentLinkStatus))
            }
            32 => {
                let one = (*seller, LinkSubscriptionId(*id));
                has(reading, LINK_SUBSCRIPTIONS, &one, place(Facet::LinkSubscriptionStatus))
            }
            41 => has_draft(reading, (*seller, InvoiceId(*id)), place(Facet::OpenDraft)),
            42 => has_draft(reading, (*seller, InvoiceId(*id)), place(Facet::OpenDraftOfContract)),
            _ => Ok(false),
        }
    })
}

fn drafts(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    if !run.reading.is_complete(Backfill::OpenDrafts)? {
        return Ok(());
    }
    run.each(DRAFTS, Scan::prefix(&(seller,)), |reading, key, row, found| {
        let draft = reading.joined(DRAFTS, (key, row), DRAFT_PARTS, key)?;
        places(reading, seller, &draft, found)
    })
}

fn has_draft(
    reading: &Reading,
    key: (SellerId, InvoiceId),
    place: Place,
) -> Result<bool, ReadError> {
    let Some(row) = reading.get(DRAFTS, &key)? else { return Ok(false) };
    let draft = reading.joined(DRAFTS, (&key, &row), DRAFT_PARTS, &key)?;
    Ok(draft.places().contains(&place))
}

fn objects<I: Debug, T: Record + Listed>(
    run: &mut Run<'_>,
    table: Table<(SellerId, I), T>,
    seller: SellerId,
) -> Result<(), ReadError>
where
    (SellerId, I): Key + Debug,
{
    run.each(table, Scan::prefix(&(seller,)), |reading, _, object, found| {
        places(reading, seller, object, found)
    })
}

fn places(
    reading: &Reading,
    seller: SellerId,
    object: &impl Listed,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    for (facet, value) in object.places() {
        found.wants(reading, PLACES, &(seller, facet as u8, value, object.id()), &())?;
    }
    Ok(())
}

fn has<K: Key, T: Record + Listed>(
    reading: &Reading,
    table: Table<K, T>,
    key: &K,
    place: Place,
) -> Result<bool, ReadError> {
    let object = reading.get(table, key)?;
    Ok(object.is_some_and(|object| object.places().contains(&place)))
}
