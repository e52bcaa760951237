//! Appending versions to a contract.

use storage::Batch;

use super::Contracts;
use super::room::{Change, Context, ContractRoom, Effects};
use crate::chunked;
use crate::domain::billing::contract::{Amendment, Contract, amend};
use crate::domain::ids::{ContractId, LineItemId, SellerId};
use crate::kernel::AskError;
use crate::tables::{CONTRACT_PARTS, CONTRACT_VERSIONS, CONTRACTS, VERSION_PARTS, ids};

impl Contracts {
    pub async fn amend(
        &self,
        seller: SellerId,
        id: ContractId,
        amendment: Amendment,
    ) -> Result<Contract, AskError> {
        let amend = move |room: &ContractRoom, cx: &Context| {
            let mut fresh = || LineItemId(cx.id(ids::LINE_ITEM));
            let amended = amend(room.contract()?, &amendment, &mut fresh, cx.now())?;
            let mut effects = Effects::new();
            effects.change(Change::Contract(Box::new(amended.clone())));
            Ok(effects.answer(amended))
        };
        self.rooms.command((seller, id), amend).await
    }
}

pub(super) fn put_contract(rows: &mut Batch, contract: &Contract) {
    let key = (contract.seller, contract.id);
    chunked::put(rows, CONTRACTS, &key, CONTRACT_PARTS, &key, contract);
    let version = (contract.seller, contract.id, contract.current.version);
    chunked::put(rows, CONTRACT_VERSIONS, &version, VERSION_PARTS, &version, &contract.current);
}
