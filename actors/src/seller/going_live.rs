//! What an account that goes live tells its contracts: those that have a test clock let it go. Each
//! hears it by a message of its own, and a batch has some of them; the rest is for another message
//! to itself.

use storage::Scan;

use super::room::SellerRoom;
use crate::domain::ids::ContractId;
use crate::domain::messages::{ContractMessage, Envelope, SellerMessage};
use crate::domain::refusal::Refusal;
use crate::kernel::{Context, Effects};
use crate::tables::CLOCKS;

/// How many contracts are told in one batch.
const TOGETHER: usize = 256;

impl SellerRoom {
    /// Tells contracts with a test clock behind this one.
    pub(super) fn tell_clocks(
        &self,
        cx: &Context<Self>,
        after: ContractId,
        effects: &mut Effects<Self>,
    ) -> Result<(), Refusal> {
        let behind = Scan::prefix(&(self.id,)).after(&(self.id, after));
        let mut told = 0;
        for key in cx.store().scan(CLOCKS, behind).keys().take(TOGETHER) {
            let (_, contract) = cx.read(key)?;
            effects.send(Envelope::to_contract(self.id, contract, ContractMessage::WentLive));
            told += 1;
            if told == TOGETHER {
                effects.send(Envelope::to_seller(self.id, SellerMessage::WentLive(contract)));
            }
        }
        Ok(())
    }
}
