//! Rows that lead to what a seller has from what others know of it: ids, addresses, and hashes of
//! tokens.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use storage::{Key, ReadError, Record, Scan, Table};

use super::reading::Reading;
use super::run::Run;
use super::{leaving, sellers_of};
use crate::domain::billing::usage::inbound::EndpointStatus;
use crate::domain::ids::SellerId;
use crate::tables::{
    API_KEYS, CHECKOUTS, INBOUND_ENDPOINTS, INBOUND_TOKENS, INVOICES, LINK_SUBSCRIPTION_PAGES,
    LINK_SUBSCRIPTIONS, LINKS, LOGINS, PAYEE_HOMES, PAYEES, PAYMENT_LINK_PAGES, PAYMENT_LINKS,
    PAYMENTS, PAYOUT_HOMES, PAYOUTS, PEOPLE, SELLER_EMAILS, SELLER_KEYS, SELLERS, VENDOR_HOMES,
    VENDORS,
};

/// The rows of one table, by the accounts that they are of.
type Counts = BTreeMap<SellerId, u64>;

pub(super) fn check(run: &mut Run<'_>) -> Result<(), ReadError> {
    let sellers = sellers_of(run.reading)?;
    let known = Known { here: sellers.iter().copied().collect(), leaving: leaving(run.reading)? };
    known.each(
        run,
        PAYEE_HOMES,
        |_, seller| *seller,
        |reading, id, seller| reading.contains(PAYEES, &(*seller, *id)),
    )?;
    known.each(
        run,
        PAYOUT_HOMES,
        |_, home| home.seller,
        |reading, id, home| {
            let payout = reading.get(PAYOUTS, &(home.seller, *id))?;
            Ok(payout.is_some_and(|payout| payout.payee == home.payee))
        },
    )?;
    known.each(
        run,
        VENDOR_HOMES,
        |_, seller| *seller,
        |reading, id, seller| reading.contains(VENDORS, &(*seller, *id)),
    )?;
    known.each(
        run,
        SELLER_EMAILS,
        |_, seller| *seller,
        |reading, email, id| {
            let seller = reading.get(SELLERS, id)?;
            Ok(seller.is_some_and(|seller| seller.email.folded() == *email))
        },
    )?;
    known.each(
        run,
        LOGINS,
        |_, login| login.seller,
        |reading, email, login| {
            let person = reading.get(PEOPLE, &(login.seller, login.person))?;
            Ok(login.email.folded() == *email && person.is_some_and(|one| one.email == login.email))
        },
    )?;
    known.each(
        run,
        API_KEYS,
        |_, key| key.seller,
        |reading, hash, key| {
            let entry = reading.get(SELLER_KEYS, &(key.seller, key.id))?;
            Ok(entry.is_some_and(|one| one.hash == *hash && one.record(key.seller) == *key))
        },
    )?;

    let of_links = known.each(
        run,
        LINKS,
        |_, to| to.seller,
        |reading, _, to| {
            let invoice = reading.get(INVOICES, &(to.seller, to.invoice))?;
            Ok(invoice
                .is_some_and(|invoice| invoice.contract == to.contract && invoice.link.is_some()))
        },
    )?;
    let of_own_links = known.each(
        run,
        PAYMENT_LINK_PAGES,
        |_, home| home.seller,
        |reading, _, home| reading.contains(PAYMENT_LINKS, &(home.seller, home.link)),
    )?;
    let of_subscriptions = known.each(
        run,
        LINK_SUBSCRIPTION_PAGES,
        |_, home| home.seller,
        |reading, _, home| reading.contains(LINK_SUBSCRIPTIONS, &(home.seller, home.subscription)),
    )?;
    let of_sessions = known.each(
        run,
        CHECKOUTS,
        |_, home| home.seller,
        |reading, _, home| {
            let payment = reading.get(PAYMENTS, &(home.seller, home.payment))?;
            Ok(payment.is_some_and(|payment| payment.checkout.is_some()))
        },
    )?;
    let of_tokens = known.each(
        run,
        INBOUND_TOKENS,
        |_, to| to.seller,
        |reading, _, to| {
            let endpoint = reading.get(INBOUND_ENDPOINTS, &(to.seller, to.endpoint))?;
            Ok(endpoint.is_some_and(|endpoint| endpoint.status == EndpointStatus::Active))
        },
    )?;
    if run.reading.moves() {
        return Ok(());
    }
    for seller in sellers {
        let linked = run.reading.scan(INVOICES, Scan::prefix(&(seller,))).flatten();
        let linked = linked.filter(|(_, invoice)| invoice.link.is_some()).count();
        number(run, "number of payment links", seller, linked, &of_links)?;
        let own = run.reading.scan(PAYMENT_LINKS, Scan::prefix(&(seller,))).flatten().count();
        number(run, "number of own payment links", seller, own, &of_own_links)?;
        let signed = run.reading.scan(LINK_SUBSCRIPTIONS, Scan::prefix(&(seller,)));
        let signed = signed.flatten().count();
        number(run, "number of link subscriptions", seller, signed, &of_subscriptions)?;
        let hosted = run.reading.scan(PAYMENTS, Scan::prefix(&(seller,))).flatten();
        let hosted = hosted.filter(|(_, payment)| payment.checkout.is_some()).count();
        number(run, "number of checkout sessions", seller, hosted, &of_sessions)?;
        let active = run.reading.scan(INBOUND_ENDPOINTS, Scan::prefix(&(seller,))).flatten();
        let active = active.filter(|(_, one)| one.status == EndpointStatus::Active).count();
        number(run, "number of inbound tokens", seller, active, &of_tokens)?;
    }
    Ok(())
}

/// A hash tells nobody what it is of: as many are there as there are objects with a token.
fn number(
    run: &mut Run<'_>,
    what: &'static str,
    seller: SellerId,
    wanted: usize,
    there: &Counts,
) -> Result<(), ReadError> {
    let there = there.get(&seller).copied().unwrap_or(0);
    run.settle(&format!("{seller:?}"), |_, found, _| {
        found.same(what, wanted as u64, there);
        Ok(())
    })
}

struct Known {
    here: BTreeSet<SellerId>,
    leaving: BTreeSet<SellerId>,
}

impl Known {
    /// Each row is of an account that is there, and leads to something.
    fn each<K: Key + Debug, V: Record + Debug>(
        &self,
        run: &mut Run<'_>,
        table: Table<K, V>,
        whose: impl Fn(&K, &V) -> SellerId,
        leads: impl Fn(&Reading, &K, &V) -> Result<bool, ReadError>,
    ) -> Result<Counts, ReadError> {
        run.each(table, Scan::all(), |reading, key, row, found| {
            let seller = whose(key, row);
            if !self.here.contains(&seller) && !reading.contains(SELLERS, &seller)? {
                let leaving = self.leaving.contains(&seller);
                found.holds("row of an account that is there", leaving, row);
            } else if !leads(reading, key, row)? {
                found.wrong("row that leads to what is there", "its object", &format!("{row:?}"));
            }
            Ok(())
        })?;
        let mut counts = Counts::new();
        for (key, row) in run.reading.scan(table, Scan::all()).flatten() {
            *counts.entry(whose(&key, &row)).or_default() += 1;
        }
        Ok(counts)
    }
}
