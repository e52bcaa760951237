//! Which events can be asked for side by side.

use std::collections::HashMap;

use super::EventFingerprint;
use crate::domain::ids::ContractId;

/// The keys of events that are asked for together, each with its contract. A key is taken for
/// ever by the first event that has it, so whether another contract may still have it is known
/// only when the room of the first has answered.
#[derive(Clone, Debug, Default)]
pub struct KeysAsked(HashMap<EventFingerprint, ContractId>);

impl KeysAsked {
    /// Takes a key for a contract; false where it is another contract's already.
    pub fn take(&mut self, key: EventFingerprint, contract: ContractId) -> bool {
        *self.0.entry(key).or_insert(contract) == contract
    }
}
