use super::{Contract, ContractVersion, LineItemContent, NewContract};

/// The JSON name of the first field in which a repeated `POST /contracts` differs from the
/// contract that its key made; `None` when it is a replay.
///
/// Customer and currency are compared with the contract as it is, all else with its version 1:
/// an absent last day and absent line items say that there are none, the order of line items
/// says nothing, and details count only where they are stated.
pub fn replay_difference(
    request: &NewContract,
    first: &ContractVersion,
    contract: &Contract,
) -> Option<&'static str> {
    if request.customer != contract.customer {
        return Some("sellerCustomerId");
    }
    if request.currency != contract.currency {
        return Some("currency");
    }
    if request.start_date != first.start_date {
        return Some("startDate");
    }
    if request.end_date != first.end_date {
        return Some("endDate");
    }
    if !same_items(&request.line_items, first) {
        return Some("lineItems");
    }
    request.details.difference(&first.details)
}

fn same_items(asked: &[LineItemContent], first: &ContractVersion) -> bool {
    let mut asked: Vec<_> = asked.iter().collect();
    let mut stored: Vec<_> = first.line_items.iter().map(|item| &item.content).collect();
    asked.sort_unstable();
    stored.sort_unstable();
    asked == stored
}
