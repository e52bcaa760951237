//! Accounts, and what is kept beside them: customers, metrics, and all that has a key of its own.

use std::collections::BTreeMap;

use storage::{ReadError, Scan};

use super::leaving;
use super::run::{At, Run};
use crate::directory::EVERYONE;
use crate::domain::ids::SellerId;
use crate::domain::platform::seller::agreement_number;
use crate::seller::AGREEMENTS;
use crate::tables::{
    ALLOWLIST, API_KEYS, AUDIT, CUSTOMER_EMAILS, CUSTOMER_REFS, CUSTOMER_WORDS, CUSTOMERS,
    INBOUND_ENDPOINTS, LOGINS, METRICS, PEOPLE, SAFEGUARDING, SANDBOX_ENDS, SELLER_EMAILS,
    SELLER_KEYS, SELLERS, SPLIT_RULES, SWITCHES, TERMINALS, UPLOADS, WEBHOOKS,
};

/// The accounts themselves.
pub(super) fn check(run: &mut Run<'_>) -> Result<(), ReadError> {
    run.each(SELLERS, Scan::all(), |reading, id, seller, found| {
        found.same("account under its own key", *id, seller.id);
        found.agrees(reading, SELLER_EMAILS, &seller.email.folded(), id)?;
        if let Some(end) = seller.expires_at {
            found.wants(reading, SANDBOX_ENDS, &(end, *id), &())?;
        }
        Ok(())
    })?;
    let leaving = leaving(run.reading)?;
    run.no_others(SANDBOX_ENDS, Scan::all(), |reading, (end, id), ()| {
        match reading.get(SELLERS, id)? {
            Some(seller) => Ok(seller.expires_at == Some(*end)),
            None => Ok(leaving.contains(id)),
        }
    })?;
    run.each(SWITCHES, Scan::all(), |reading, id, _, found| {
        if *id != EVERYONE && !leaving.contains(id) {
            found.names(reading, SELLERS, id)?;
        }
        Ok(())
    })?;
    agreements(run)
}

/// Agreement numbers are unique, and none is beyond what was drawn.
fn agreements(run: &mut Run<'_>) -> Result<(), ReadError> {
    let mut given: BTreeMap<u64, SellerId> = BTreeMap::new();
    for row in run.reading.scan(SELLERS, Scan::all()) {
        let Ok((id, seller)) = row else { continue };
        let agreement = seller.agreement_number;
        let drawn = run.reading.drawn(&AGREEMENTS.to_owned())?;
        let other = given.insert(agreement, id);
        run.settle(&At::new(SELLERS, &id), |_, found, _| {
            found.same("agreement number of one account", None, other);
            let known = (agreement_number(1)..=agreement_number(drawn)).contains(&agreement);
            found.holds("agreement number that was drawn", known, &agreement);
            Ok(())
        })?;
    }
    Ok(())
}

/// What one account keeps.
pub(super) fn check_owned(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let all = || Scan::prefix(&(seller,));
    run.each(CUSTOMERS, all(), |reading, key, customer, found| {
        found.same("customer under its own key", *key, (customer.seller, customer.id));
        let email = (key.0, customer.email.folded());
        found.wants(reading, CUSTOMER_EMAILS, &email, &key.1)?;
        if let Some(reference) = &customer.customer_ref {
            found.wants(reading, CUSTOMER_REFS, &(key.0, reference.clone()), &key.1)?;
        }
        Ok(())
    })?;
    run.no_others(CUSTOMER_EMAILS, all(), |reading, (seller, email), id| {
        let known = reading.get(CUSTOMERS, &(*seller, *id))?;
        Ok(known.is_some_and(|known| known.email.folded() == *email))
    })?;
    run.no_others(CUSTOMER_WORDS, all(), |reading, (seller, words, id), ()| {
        let known = reading.get(CUSTOMERS, &(*seller, *id))?;
        Ok(known.is_some_and(|known| known.words().contains(words)))
    })?;
    run.no_others(CUSTOMER_REFS, all(), |reading, (seller, reference), id| {
        let known = reading.get(CUSTOMERS, &(*seller, *id))?;
        Ok(known.is_some_and(|known| known.customer_ref.as_ref() == Some(reference)))
    })?;
    run.each(PEOPLE, all(), |reading, key, person, found| {
        found.same("person under its own key", *key, (person.seller, person.id));
        if person.invitation.is_none() {
            found.names(reading, LOGINS, &person.email.folded())?;
        }
        Ok(())
    })?;
    run.each(SELLER_KEYS, all(), |reading, key, entry, found| {
        found.same("API key under its own key", key.1, entry.id);
        found.wants(reading, API_KEYS, &entry.hash, &entry.record(key.0))
    })?;
    run.each(AUDIT, all(), |_, key, entry, found| {
        found.same("audit entry under its own key", key.1, entry.id);
        Ok(())
    })?;
    run.each(METRICS, all(), |reading, (seller, name, version), metric, found| {
        found.same("metric under its own key", (name, *version), (&metric.name, metric.version));
        let before = (*seller, name.clone(), version.saturating_sub(1));
        let first = *version == 1 || reading.contains(METRICS, &before)?;
        found.holds("metric versions without a gap", first, version);
        Ok(())
    })?;
    run.each(TERMINALS, all(), |_, key, terminal, found| {
        found.same("terminal under its own key", *key, (terminal.seller, terminal.id));
        Ok(())
    })?;
    run.each(WEBHOOKS, all(), |_, key, webhook, found| {
        found.same("webhook under its own key", *key, (webhook.seller, webhook.id));
        Ok(())
    })?;
    run.each(ALLOWLIST, all(), |_, key, entry, found| {
        found.same("allowlist entry under its own key", key.1, entry.id);
        Ok(())
    })?;
    run.each(SAFEGUARDING, all(), |_, key, account, found| {
        found.same(
            "safeguarding account under its own key",
            *key,
            (account.seller, account.currency),
        );
        Ok(())
    })?;
    run.each(INBOUND_ENDPOINTS, all(), |_, key, endpoint, found| {
        found.same("inbound endpoint under its own key", *key, (endpoint.seller, endpoint.id));
        Ok(())
    })?;
    run.each(UPLOADS, all(), |_, key, upload, found| {
        found.same("upload under its own key", key.1, upload.id);
        Ok(())
    })?;
    run.each(SPLIT_RULES, all(), |reading, key, rule, found| {
        found.same("split rule under its own key", *key, (rule.seller, rule.id));
        if rule.active {
            let rules = reading.scan(SPLIT_RULES, Scan::prefix(&(key.0,))).values()?;
            let active = rules.iter().filter(|rule| rule.active).count();
            found.same("split rules in force", 1, active);
        }
        Ok(())
    })
}
