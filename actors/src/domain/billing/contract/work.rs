//! Work that was agreed on is done: a new version of the contract says so.

use super::{Contract, ContractRefusal, ContractStatus, ContractVersion};
use crate::domain::ids::LineItemId;
use crate::domain::time::Timestamp;

/// Says of a project or milestone that it is completed; none where that is said already.
pub fn complete_work(
    contract: &Contract,
    item: LineItemId,
    now: Timestamp,
) -> Result<Option<Contract>, ContractRefusal> {
    let current = &contract.current;
    let known = current.line_items.iter().position(|known| known.id == item);
    let place = known.ok_or(ContractRefusal::UnknownWorkItem)?;
    let known = &current.line_items[place];
    if !known.content.component_type.is_work() {
        return Err(ContractRefusal::NotWork(known.content.component_type));
    }
    if known.priced().is_some_and(|item| item.completed) {
        return Ok(None);
    }
    if current.status == ContractStatus::Closed {
        return Err(ContractRefusal::Closed);
    }
    let mut line_items = current.line_items.clone();
    let config = &mut line_items[place].content.component_config;
    *config = config.with_status("completed");
    let next = ContractVersion {
        version: current.version + 1,
        created_at: now,
        line_items,
        ..current.clone()
    };
    Ok(Some(Contract { current: next, ..contract.clone() }))
}
