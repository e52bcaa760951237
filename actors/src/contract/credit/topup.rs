//! Granting credit by hand.

use crate::contract::Contracts;
use crate::contract::changes::Changes;
use crate::contract::room::{Context, ContractRoom};
use crate::domain::billing::credit::{CreditEntry, CreditKey, NewTopup, top_up};
use crate::domain::ids::{ContractId, CreditEntryId, SellerId};
use crate::kernel::{AskError, Once};
use crate::tables::{CREDIT_KEYS, ids};

impl Contracts {
    /// Grants credit, once for each key.
    pub async fn top_up_credit(
        &self,
        seller: SellerId,
        contract: ContractId,
        new: NewTopup,
        key: String,
    ) -> Result<Once<CreditEntry>, AskError> {
        let grant = move |room: &ContractRoom, cx: &Context| {
            let of = room.contract()?;
            let row = (seller, key.clone());
            cx.once(CREDIT_KEYS, &row)?;
            let mut changes = Changes::begin(room, cx)?;
            let id = CreditEntryId(cx.id(ids::CREDIT_ENTRY));
            let balance = room.credit.available(of.currency, cx.now()).total();
            let made = top_up(id, of, &new, (room.credit.len(), balance), cx.now())?;
            changes.effects.claim(CREDIT_KEYS, &row, &CreditKey { contract, entry: id });
            changes.move_credit(vec![made.clone()], None);
            Ok(changes.finish().answer(made))
        };
        self.rooms.once((seller, contract), grant).await
    }
}
