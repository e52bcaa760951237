//! Making a contract and appending its versions.

use storage::Batch;

use super::Contracts;
use super::room::{Change, Context, ContractRoom, Decision, Effects};
use crate::chunked;
use crate::domain::billing::contract::{
    Amendment, Contract, NewContract, amend, create, create_for_ad_hoc,
};
use crate::domain::billing::customer::Customer;
use crate::domain::ids::{ContractId, LineItemId, SellerId};
use crate::domain::money::Currency;
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Once, Repeated};
use crate::tables::{
    CONTRACT_KEYS, CONTRACT_PARTS, CONTRACT_VERSIONS, CONTRACTS, CUSTOMER_CONTRACTS, VERSION_PARTS,
    ids,
};

const CONTRACT_ORDER: &str = "contract-order";

impl Contracts {
    /// Makes a contract, once for each key.
    pub async fn create(
        &self,
        seller: SellerId,
        new: NewContract,
        customer: Customer,
        key: String,
    ) -> Result<Once<Contract>, AskError> {
        let id = ContractId(self.rooms.services().store.next_id(ids::CONTRACT));
        let create = move |room: &ContractRoom, cx: &Context| {
            if room.contract.is_some() {
                return Err(Repeated.into());
            }
            let mut fresh = || LineItemId(cx.id(ids::LINE_ITEM));
            let made = create(&new, id, &mut fresh, &customer, cx.now())?;
            let row = (seller, key.clone());
            cx.once(CONTRACT_KEYS, &row)?;
            let mut effects = Effects::new();
            effects.claim(CONTRACT_KEYS, &row, &id);
            Ok(room.put_new(cx, effects, made)?)
        };
        self.rooms.once((seller, id), create).await
    }

    /// Makes the contract that an ad-hoc invoice needs, unless it is there.
    pub async fn open_adhoc(
        &self,
        seller: SellerId,
        id: ContractId,
        customer: Customer,
        currency: Currency,
    ) -> Result<(), AskError> {
        let open = move |room: &ContractRoom, cx: &Context| {
            if room.contract.is_some() {
                return Ok(Decision::unchanged(()));
            }
            let made = create_for_ad_hoc(id, &customer, currency, cx.now());
            Ok(room.put_new(cx, Effects::new(), made)?.map(|_| ()))
        };
        self.rooms.command((seller, id), open).await
    }

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

impl ContractRoom {
    /// Puts version 1. Where contracts are numbered its place in the seller's order is drawn in
    /// the commit: this room does not know it and starts anew.
    fn put_new(
        &self,
        cx: &Context,
        mut effects: Effects,
        made: Contract,
    ) -> Result<Decision<Contract>, Refusal> {
        effects.put(CUSTOMER_CONTRACTS, &(self.seller, made.customer, self.id), &());
        if !cx.seller()?.seller.contract_numbering {
            effects.change(Change::Contract(Box::new(made.clone())));
            return Ok(effects.answer(made));
        }
        let sequence = (CONTRACT_ORDER.to_owned(), self.seller);
        let numbered = effects.draw(&sequence, move |order, rows| {
            let made = made.numbered(order);
            put_contract(rows, &made);
            made
        });
        effects.start_anew();
        Ok(effects.answer_drawn(numbered, |made| made))
    }
}

pub(super) fn put_contract(rows: &mut Batch, contract: &Contract) {
    let key = (contract.seller, contract.id);
    chunked::put(rows, CONTRACTS, &key, CONTRACT_PARTS, &key, contract);
    let version = (contract.seller, contract.id, contract.current.version);
    chunked::put(rows, CONTRACT_VERSIONS, &version, VERSION_PARTS, &version, &contract.current);
}
