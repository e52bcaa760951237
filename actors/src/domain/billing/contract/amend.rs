use super::line_item::{LineItem, LineItemContent, MAX_LINE_ITEMS};
use super::{
    Contract, ContractRefusal, ContractStatus, ContractVersion, LineProblem, StatedDetails, dates,
};
use crate::domain::ids::LineItemId;
use crate::domain::time::{Date, Timestamp};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AmendedLineItem {
    /// The item of the current version that this is, whatever else changes.
    pub id: Option<LineItemId>,
    pub content: LineItemContent,
}

/// What an amendment asks for; what is absent stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Amendment {
    pub expected_base_version: u64,
    pub status: Option<ContractStatus>,
    pub start_date: Option<Date>,
    /// Another last day; `Some(None)` asks that there be none.
    pub end_date: Option<Option<Date>>,
    pub line_items: Option<Vec<AmendedLineItem>>,
    /// Stated details; an empty or blank text clears one.
    pub details: StatedDetails,
}

/// Appends a version. `fresh` draws ids for the line items that are new.
///
/// Values that can be judged by themselves come first, stated days among them, then the state of
/// the contract, then what must fit to its current version. A first day that stays what it was is not held against
/// today's window.
pub fn amend(
    contract: &Contract,
    amendment: &Amendment,
    fresh: &mut impl FnMut() -> LineItemId,
    now: Timestamp,
) -> Result<Contract, ContractRefusal> {
    check_shape(amendment)?;
    let current = &contract.current;
    check_days(current, amendment, now.date())?;
    check_state(current, amendment)?;
    let start_date = amendment.start_date.unwrap_or(current.start_date);
    let end_date = amended_end(current, amendment)?;
    dates::check_order(start_date, end_date)?;
    let line_items = match &amendment.line_items {
        None => current.line_items.clone(),
        Some(items) => amended_items(&current.line_items, items, fresh)?,
    };
    let next = ContractVersion {
        version: current.version + 1,
        created_at: now,
        status: amendment.status.unwrap_or(current.status),
        start_date,
        end_date,
        details: amendment.details.over(&current.details),
        line_items,
    };
    Ok(Contract {
        id: contract.id,
        seller: contract.seller,
        order: contract.order,
        customer: contract.customer,
        currency: contract.currency,
        created_at: contract.created_at,
        current: next,
    })
}

fn check_shape(amendment: &Amendment) -> Result<(), ContractRefusal> {
    if amendment.expected_base_version == 0 {
        return Err(ContractRefusal::BaseVersion);
    }
    if amendment.line_items.as_ref().is_some_and(|items| items.len() > MAX_LINE_ITEMS) {
        return Err(ContractRefusal::TooManyLineItems);
    }
    amendment.details.check()
}

fn check_state(current: &ContractVersion, amendment: &Amendment) -> Result<(), ContractRefusal> {
    if current.status == ContractStatus::Closed {
        return Err(ContractRefusal::Closed);
    }
    let expected = amendment.expected_base_version;
    if expected != current.version {
        return Err(ContractRefusal::StaleVersion { expected, current: current.version });
    }
    match amendment.status {
        Some(to) if !current.status.may_become(to) => {
            Err(ContractRefusal::IllegalMove { from: current.status, to })
        }
        _ => Ok(()),
    }
}

fn check_days(
    current: &ContractVersion,
    amendment: &Amendment,
    today: Date,
) -> Result<(), ContractRefusal> {
    let end = amendment.end_date.flatten();
    if let Some(start) = amendment.start_date {
        if start != current.start_date {
            dates::check_start(start, today)?;
        }
        dates::check_order(start, end)?;
    }
    end.map_or(Ok(()), |end| dates::check_end(end, today))
}

fn amended_end(
    current: &ContractVersion,
    amendment: &Amendment,
) -> Result<Option<Date>, ContractRefusal> {
    match amendment.end_date {
        None => Ok(current.end_date),
        Some(None) if current.end_date.is_some() => Err(ContractRefusal::EndCleared),
        Some(end) => Ok(end),
    }
}

/// Gives every item of the new set its id: the one it names, else that of the first current
/// item of equal content which nobody else is, else a fresh one.
fn amended_items(
    current: &[LineItem],
    items: &[AmendedLineItem],
    fresh: &mut impl FnMut() -> LineItemId,
) -> Result<Vec<LineItem>, ContractRefusal> {
    let mut free: Vec<&LineItem> = current.iter().collect();
    for (index, id) in items.iter().enumerate().filter_map(|(index, item)| Some((index, item.id?)))
    {
        if let Some(place) = free.iter().position(|item| item.id == id) {
            free.remove(place);
        } else if current.iter().any(|item| item.id == id) {
            return Err(LineProblem::RepeatedId.at(index));
        } else {
            return Err(LineProblem::UnknownId.at(index));
        }
    }
    let identified = |item: &AmendedLineItem| {
        let equal = || free.iter().position(|known| known.content == item.content);
        let id = match (item.id, item.id.is_none().then(equal).flatten()) {
            (Some(id), _) => id,
            (None, Some(place)) => free.remove(place).id,
            (None, None) => fresh(),
        };
        LineItem { id, content: item.content.clone() }
    };
    Ok(items.iter().map(identified).collect())
}
