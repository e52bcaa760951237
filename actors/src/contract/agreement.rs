//! Making a contract and appending its versions.

use std::sync::Arc;

use parking_lot::Mutex;
use storage::Batch;

use super::command::Answer;
use super::room::ContractRoom;
use super::write::{Write, unexpected};
use crate::domain::billing::contract::{
    Amendment, Contract, NewContract, amend, create, create_for_ad_hoc,
};
use crate::domain::billing::customer::Customer;
use crate::domain::ids::LineItemId;
use crate::domain::money::Currency;
use crate::domain::refusal::Refusal;
use crate::kernel::Once;
use crate::room::{Desk, Refused};
use crate::spill;
use crate::tables::{
    CONTRACT_KEYS, CONTRACT_PARTS, CONTRACT_VERSIONS, CONTRACTS, CUSTOMER_CONTRACTS, VERSION_PARTS,
    ids,
};

/// The first part of the sequence that a seller's contract numbers are drawn from.
const CONTRACT_ORDER: &str = "contract-order";

impl ContractRoom {
    pub(super) fn create(
        &mut self,
        desk: &Desk<Self>,
        new: &NewContract,
        customer: &Customer,
        key: String,
        reply: Answer<Once<Contract>>,
    ) {
        if self.contract.is_some() {
            return reply.send(Ok(Once::Before));
        }
        let mut fresh = || LineItemId(desk.next_id(ids::LINE_ITEM));
        let made = match create(new, self.id, &mut fresh, customer, desk.now()) {
            Ok(made) => made,
            Err(refusal) => return reply.send(Err(refusal.into())),
        };
        let write = match Write::new(self, desk) {
            Ok(write) => write,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        let mut write = write;
        write.batch.claim(CONTRACT_KEYS, &(self.seller, key), &self.id.0);
        let numbered = self.put_new(&mut write, made);
        write.finish(self, desk, reply, move |result| match result {
            Ok(_) => numbered.lock().take().map(Once::Made).ok_or_else(Refusal::fault),
            Err(Refused::Claimed(_)) => Ok(Once::Before),
            Err(refused) => Err(unexpected(refused)),
        });
        desk.retire();
    }

    pub(super) fn open_adhoc(
        &mut self,
        desk: &Desk<Self>,
        customer: &Customer,
        currency: Currency,
        reply: Answer<()>,
    ) {
        if self.contract.is_some() {
            return reply.send(Ok(()));
        }
        let made = create_for_ad_hoc(self.id, customer, currency, desk.now());
        let mut write = match Write::new(self, desk) {
            Ok(write) => write,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        self.put_new(&mut write, made);
        write.finish(self, desk, reply, |result| result.map(|_| ()).map_err(unexpected));
        desk.retire();
    }

    /// Puts version 1. Its place in the seller's order is drawn in the commit, and found in what
    /// is answered here once that is durable; this room does not know it and retires.
    fn put_new(&self, write: &mut Write, made: Contract) -> Arc<Mutex<Option<Contract>>> {
        let slot = Arc::new(Mutex::new(None));
        let place = (self.seller, made.customer, self.id);
        write.batch.put(CUSTOMER_CONTRACTS, &place, &());
        if !write.snapshot.seller.contract_numbering {
            put_contract(&mut write.batch, &made);
            *slot.lock() = Some(made);
            return slot;
        }
        let draw = write.batch.draw(&(CONTRACT_ORDER.to_owned(), self.seller));
        let numbered = Arc::clone(&slot);
        write.batch.with_numbers(move |numbers, rows| {
            let made = made.numbered(numbers[draw]);
            put_contract(rows, &made);
            *numbered.lock() = Some(made);
        });
        slot
    }

    pub(super) fn amend(
        &mut self,
        desk: &Desk<Self>,
        amendment: &Amendment,
        reply: Answer<Contract>,
    ) {
        let Some(contract) = &self.contract else { return reply.send(Err(Refusal::missing())) };
        let mut fresh = || LineItemId(desk.next_id(ids::LINE_ITEM));
        let amended = match amend(contract, amendment, &mut fresh, desk.now()) {
            Ok(amended) => amended,
            Err(refusal) => return reply.send(Err(refusal.into())),
        };
        // An amendment tells no webhook and touches no timer: its rows are all there is.
        let mut batch = Batch::new();
        put_contract(&mut batch, &amended);
        self.contract = Some(amended.clone());
        desk.commit(batch, reply, move |result| result.map(|_| amended).map_err(unexpected));
    }
}

/// The rows of a contract and of its current version.
fn put_contract(batch: &mut Batch, contract: &Contract) {
    let key = (contract.seller, contract.id);
    spill::put(batch, CONTRACTS, &key, CONTRACT_PARTS, &key, contract);
    let version = (contract.seller, contract.id, contract.current.version);
    spill::put(batch, CONTRACT_VERSIONS, &version, VERSION_PARTS, &version, &contract.current);
}
