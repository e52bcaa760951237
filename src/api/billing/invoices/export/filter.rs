//! The filters of the file: those of the list, with the words of top-up invoices.

use actors::domain::billing::invoice::{InvoiceStatus, Origin};
use actors::domain::payments::topup::TopupStatus;
use actors::query::ExportFilter;

use super::super::filter::{Filter, word};
use super::topup::ORIGIN;
use crate::gate::Request;
use crate::http::ApiError;

/// What `origin` may name.
pub(super) const ORIGINS: &[&str] = &[
    "recurring",
    "usage",
    "milestone",
    "project",
    "one_time",
    "adhoc",
    "marketplace",
    "subscription",
    ORIGIN,
];
pub(super) const STATUSES: &[&str] = &[
    "draft",
    "issued",
    "sent",
    "paid",
    "overdue",
    "voided",
    "written_off",
    "partially_paid",
    "expired",
];

/// None where nothing can match.
pub(super) fn read(request: &Request) -> Result<Option<ExportFilter>, ApiError> {
    let origin = word(request, "origin", ORIGINS, |name| match name {
        ORIGIN => Some(None),
        name => Origin::parse(name).map(Some),
    })?;
    let status = word(request, "status", STATUSES, |name| {
        let of_both = InvoiceStatus::parse(name);
        let known = (of_both, TopupStatus::parse(name).filter(|_| of_both.is_none()));
        (known != (None, None)).then_some(known)
    })?;
    let (of_both, topup_status) = status.unwrap_or_default();
    Ok(match Filter::of(request, origin.flatten(), of_both)? {
        Filter::Nothing => None,
        Filter::Matching(invoices) => {
            let only_topups = origin == Some(None);
            Some(ExportFilter { invoices, only_topups, topup_status })
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::filter;
    use super::*;

    #[test]
    fn the_file_has_the_words_of_the_list_and_those_of_top_ups() {
        assert_eq!(ORIGINS, [filter::ORIGINS, &[ORIGIN]].concat());
        let of_topups = TopupStatus::ALL.iter().map(|status| status.name());
        let further: Vec<_> = of_topups.filter(|name| !filter::STATUSES.contains(name)).collect();
        assert_eq!(STATUSES, [filter::STATUSES, &further].concat());
    }
}
