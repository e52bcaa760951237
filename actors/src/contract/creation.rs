//! Making contracts. A contract is made beside the rooms: its id is drawn in the commit, so that
//! ids rise in the order in which contracts are there to be read, and whoever walks over them from
//! an id on misses none. Its room starts when it is first asked for something.

use std::sync::Arc;

use parking_lot::Mutex;
use storage::{Batch, CommitError, ReadError, Shard};

use super::Contracts;
use super::versions::put_contract;
use crate::domain::billing::contract::{
    Contract, ContractStatus, NewContract, create, create_for_ad_hoc,
};
use crate::domain::billing::customer::Customer;
use crate::domain::billing::overview::contributions::ACTIVE_CONTRACT;
use crate::domain::ids::{ContractId, LineItemId, SellerId};
use crate::domain::money::Currency;
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Once};
use crate::query;
use crate::sums::resum;
use crate::tables::{ACTIVE_CONTRACTS, ADHOC_CONTRACTS, CONTRACT_KEYS, ids};

/// With a shard: the sequence of what contracts have in their ids above it.
const CONTRACT_IDS: &str = "contract-ids";
/// The sequence of the ids of contracts before they had shards.
const CONTRACT_IDS_BEFORE: &str = "contracts";
/// With the seller: the sequence of the numbers of its contracts.
pub(crate) const CONTRACT_ORDER: &str = "contract-order";

/// What a claim says until the commit has drawn the id that stands there afterwards.
const NOT_DRAWN: ContractId = ContractId(0);

impl Contracts {
    /// Makes a contract, once for each key.
    pub async fn create(
        &self,
        seller: SellerId,
        new: NewContract,
        customer: Customer,
        key: String,
    ) -> Result<Once<Contract>, AskError> {
        let row = (seller, key);
        let services = self.rooms.services();
        if self.read(seller, services.store.contains(CONTRACT_KEYS, &row))? {
            return Ok(Once::Before);
        }
        let mut fresh = || LineItemId(services.store.next_id_in(ids::LINE_ITEM, seller.shard()));
        let made = create(&new, NOT_DRAWN, &mut fresh, &customer, services.clock.now())?;
        let mut batch = Batch::new();
        batch.claim(CONTRACT_KEYS, &row, &NOT_DRAWN);
        self.make(batch, made, move |rows, id| rows.put(CONTRACT_KEYS, &row, &id)).await
    }

    /// The contract that ad-hoc invoices to a customer go to: the oldest active one in the
    /// currency, else one that is made for them.
    pub async fn adhoc(
        &self,
        customer: &Customer,
        currency: Currency,
    ) -> Result<ContractId, AskError> {
        let (seller, id) = (customer.seller, customer.id);
        let services = self.rooms.services();
        loop {
            // Each is made behind the one before it, of which two can make only one. That one is
            // looked for first: whoever comes in between is then found active, or has the claim.
            let last = query::last_adhoc_contract(&services.store, seller, id, currency);
            let row = (seller, id, currency, self.read(seller, last)?.unwrap_or(NOT_DRAWN));
            let active = query::oldest_active_contract(&services.store, seller, id, currency);
            if let Some(active) = self.read(seller, active)? {
                return Ok(active);
            }
            let mut batch = Batch::new();
            batch.claim(ADHOC_CONTRACTS, &row, &NOT_DRAWN);
            let made = create_for_ad_hoc(NOT_DRAWN, customer, currency, services.clock.now());
            let made = self.make(batch, made, move |rows, id| rows.put(ADHOC_CONTRACTS, &row, &id));
            if let Once::Made(contract) = made.await? {
                return Ok(contract.id);
            }
        }
    }

    /// Puts version 1 under the id that the commit draws, with its place in the seller's order
    /// where contracts are numbered. `named` puts what is to name it.
    async fn make(
        &self,
        mut batch: Batch,
        made: Contract,
        named: impl FnOnce(&mut Batch, ContractId) + Send + 'static,
    ) -> Result<Once<Contract>, AskError> {
        let services = self.rooms.services();
        let seller = made.seller;
        let found = self.read(seller, services.directory.seller(seller))?;
        let numbered = found.ok_or_else(Refusal::missing)?.seller.contract_numbering;
        let (shard, shards) = (seller.shard(), u64::from(Shard::COUNT));
        // Those of before are fewer, and no more of them are drawn.
        let before = services.store.drawn(&(CONTRACT_IDS_BEFORE.to_owned(),));
        let before = self.read(seller, before)? / shards;
        let number = batch.draw(&(CONTRACT_IDS.to_owned(), shard));
        let order = numbered.then(|| batch.draw(&(CONTRACT_ORDER.to_owned(), seller)));
        let is_active = made.current.status == ContractStatus::Active;
        if is_active {
            resum(&mut batch, seller, &[], &[ACTIVE_CONTRACT]);
        }
        let slot = Arc::new(Mutex::new(None));
        let drawn = Arc::clone(&slot);
        batch.with_numbers(move |numbers, rows| {
            let id = (before + numbers[number]) * shards + u64::from(shard.number());
            let id = ContractId(id);
            let made = Contract { id, order: order.map(|order| numbers[order]), ..made };
            put_contract(rows, &made);
            if is_active {
                rows.put(ACTIVE_CONTRACTS, &(seller, made.customer, made.currency, id), &());
            }
            named(rows, id);
            *drawn.lock() = Some(made);
        });
        match services.store.write(batch).await {
            Ok(_) => Ok(Once::Made(slot.lock().take().ok_or_else(Refusal::fault)?)),
            Err(CommitError::Claimed(_)) => Ok(Once::Before),
            Err(error) => {
                tracing::error!(seller = seller.0, %error, "a contract could not be made");
                Err(Refusal::fault().into())
            }
        }
    }

    fn read<T>(&self, seller: SellerId, read: Result<T, ReadError>) -> Result<T, Refusal> {
        read.map_err(|error| {
            tracing::error!(seller = seller.0, %error, "a row cannot be read");
            Refusal::fault()
        })
    }
}
