//! Closed usage: one line for each claim on a period, each with the price that it was rated by and
//! on the document that bills it.

use storage::{ReadError, Scan};

use super::documents::Documents;
use super::run::Run;
use crate::domain::ids::SellerId;
use crate::tables::{PRICES, UNBILLED_LINES, USAGE_CLAIMS, USAGE_LINES};

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let all = || Scan::prefix(&(seller,));
    let documents = Documents::default();
    run.each(USAGE_LINES, all(), |reading, key, line, found| {
        let (seller, contract, id) = *key;
        found.same("usage line under its own key", id, line.id);
        let claim = (seller, contract, line.metric.clone(), line.span.start);
        found.wants(reading, USAGE_CLAIMS, &claim, &id)?;
        let price = (seller, contract, line.metric.clone(), line.breakdown.price_version);
        found.names(reading, PRICES, &price)?;
        match line.billed_by {
            None => found.wants(reading, UNBILLED_LINES, key, &())?,
            Some(invoice) => {
                let document = documents.carried(reading, seller, invoice)?;
                let there = document.usage.get(&id).copied();
                let minor = Some(line.amount_minor());
                found.same("usage line on the document that bills it", minor, there);
            }
        }
        Ok(())
    })?;
    run.no_others(USAGE_CLAIMS, all(), |reading, (seller, contract, metric, start), id| {
        let known = reading.get(USAGE_LINES, &(*seller, *contract, *id))?;
        Ok(known.is_some_and(|line| line.metric == *metric && line.span.start == *start))
    })?;
    run.no_others(UNBILLED_LINES, all(), |reading, key, ()| {
        Ok(reading.get(USAGE_LINES, key)?.is_some_and(|line| line.billed_by.is_none()))
    })
}
