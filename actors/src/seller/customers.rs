//! Customers by e-mail, and the contract that ad-hoc invoices to them go to.

use storage::{Batch, ReadError, Scan, Store};

use super::account::{put_customer, unexpected};
use super::handle::AdhocContract;
use super::room::SellerRoom;
use crate::domain::billing::contract::ContractStatus;
use crate::domain::billing::customer::{Customer, CustomerRequest, merge};
use crate::domain::ids::{ContractId, CustomerId, SellerId};
use crate::domain::money::Currency;
use crate::domain::refusal::Refusal;
use crate::query;
use crate::room::{Desk, Reply};
use crate::tables::{
    ADHOC_CONTRACTS, CUSTOMER_CONTRACTS, CUSTOMER_EMAILS, CUSTOMER_REFS, CUSTOMERS, ids,
};

impl SellerRoom {
    pub(super) fn customer(
        &mut self,
        desk: &Desk<Self>,
        request: Box<CustomerRequest>,
        reply: Reply<Result<Customer, Refusal>>,
    ) {
        if self.seller.is_none() {
            return reply.send(Err(Refusal::missing()));
        }
        let known = self.known(desk.store(), &request);
        let (existing, holder) = match known {
            Ok(known) => known,
            Err(error) => return reply.send(Err(unreadable(&error))),
        };
        let id = CustomerId(desk.next_id(ids::CUSTOMER));
        let (seller, now) = (self.id, desk.now());
        let change = match merge(existing.as_ref(), *request, seller, id, now, holder) {
            Ok(change) => change,
            Err(refusal) => return reply.send(Err(refusal.into())),
        };
        let mut batch = Batch::new();
        let customer = change.customer;
        if change.changed {
            put_customer(&mut batch, &customer);
            if let Some(reference) = &customer.customer_ref {
                batch.put(CUSTOMER_REFS, &(seller, reference.clone()), &customer.id.0);
                self.customer_refs.note(desk, reference.clone(), customer.id.0);
            }
            self.customers.note(desk, customer.email.folded(), customer.clone());
        }
        // Answered in order behind the batch that made the customer, also when nothing changes.
        desk.commit(batch, reply, move |result| result.map(|_| customer).map_err(unexpected));
    }

    /// The customer of this e-mail, and the customer that holds the reference.
    fn known(
        &self,
        store: &Store,
        request: &CustomerRequest,
    ) -> Result<(Option<Customer>, Option<CustomerId>), ReadError> {
        let email = request.email.folded();
        let existing = self.customers.get(&email, || {
            match store.get(CUSTOMER_EMAILS, &(self.id, email.clone()))? {
                Some(id) => store.get(CUSTOMERS, &(self.id, CustomerId(id))),
                None => Ok(None),
            }
        })?;
        let holder = match &request.customer_ref {
            Some(reference) => self
                .customer_refs
                .get(reference, || store.get(CUSTOMER_REFS, &(self.id, reference.clone())))?,
            None => None,
        };
        Ok((existing, holder.map(CustomerId)))
    }

    pub(super) fn adhoc_contract(
        &mut self,
        desk: &Desk<Self>,
        customer: CustomerId,
        currency: Currency,
        reply: Reply<Result<AdhocContract, Refusal>>,
    ) {
        let key = (customer.0, currency.code().to_owned());
        let found = oldest_active(desk.store(), self.id, customer, currency).and_then(|active| {
            let given = self
                .adhoc_contracts
                .get(&key, || desk.store().get(ADHOC_CONTRACTS, &(self.id, customer, currency)))?;
            let Some(given) = given.map(ContractId) else { return Ok((active, None)) };
            let made = query::contract(desk.store(), self.id, given)?.is_some();
            Ok((active, (!made).then_some(given)))
        });
        let (active, promised) = match found {
            Ok(found) => found,
            Err(error) => return reply.send(Err(unreadable(&error))),
        };
        // Two invoices at the same time are promised the same contract, made by the first.
        if let Some(known) = active.or(promised) {
            let vacant = active.is_none();
            return desk.commit(Batch::new(), reply, move |result| {
                result.map(|_| AdhocContract { id: known, vacant }).map_err(unexpected)
            });
        }
        let id = ContractId(desk.next_id(ids::CONTRACT));
        let mut batch = Batch::new();
        batch.put(ADHOC_CONTRACTS, &(self.id, customer, currency), &id.0);
        self.adhoc_contracts.note(desk, key, id.0);
        desk.commit(batch, reply, move |result| {
            result.map(|_| AdhocContract { id, vacant: true }).map_err(unexpected)
        });
    }
}

/// The oldest active contract of a customer in a currency.
fn oldest_active(
    store: &Store,
    seller: SellerId,
    customer: CustomerId,
    currency: Currency,
) -> Result<Option<ContractId>, ReadError> {
    for row in store.scan(CUSTOMER_CONTRACTS, Scan::prefix(&(seller, customer))) {
        let ((_, _, id), ()) = row?;
        let contract = query::contract(store, seller, id)?;
        let fits = contract
            .is_some_and(|c| c.current.status == ContractStatus::Active && c.currency == currency);
        if fits {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// The store cannot be read: the log says why.
fn unreadable(error: &ReadError) -> Refusal {
    tracing::error!(%error, "a seller room cannot read");
    Refusal::fault()
}
