//! Customers by e-mail, and the contract that ad-hoc invoices to them go to.

use storage::{ReadError, Scan, Store};

use super::accounts::put_customer;
use super::{SellerRoom, Sellers};
use crate::domain::billing::contract::ContractStatus;
use crate::domain::billing::customer::{Customer, CustomerRequest, merge};
use crate::domain::ids::{ContractId, CustomerId, SellerId};
use crate::domain::money::Currency;
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, Decision, Effects};
use crate::query;
use crate::tables::{
    ADHOC_CONTRACTS, CUSTOMER_CONTRACTS, CUSTOMER_EMAILS, CUSTOMER_REFS, CUSTOMERS, ids,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdhocContract {
    pub id: ContractId,
    /// Whether it is still to be made under this id.
    pub vacant: bool,
}

impl Sellers {
    pub async fn customer(
        &self,
        id: SellerId,
        request: CustomerRequest,
    ) -> Result<Customer, AskError> {
        self.rooms.command(id, move |room, cx| room.customer(cx, &request)).await
    }

    /// The contract that an ad-hoc invoice to this customer goes to: the oldest active one in
    /// the currency, else one that is still to be made.
    pub async fn adhoc_contract(
        &self,
        id: SellerId,
        customer: CustomerId,
        currency: Currency,
    ) -> Result<AdhocContract, AskError> {
        self.rooms.command(id, move |room, cx| room.adhoc_contract(cx, customer, currency)).await
    }
}

impl SellerRoom {
    fn customer(
        &self,
        cx: &Context<Self>,
        request: &CustomerRequest,
    ) -> Result<Decision<Self, Customer>, Refusal> {
        self.account()?;
        let existing = match cx.get(CUSTOMER_EMAILS, &(self.id, request.email.folded()))? {
            Some(known) => cx.get(CUSTOMERS, &(self.id, known))?,
            None => None,
        };
        let holder = match &request.customer_ref {
            Some(reference) => cx.get(CUSTOMER_REFS, &(self.id, reference.clone()))?,
            None => None,
        };
        let id = CustomerId(cx.id(ids::CUSTOMER));
        let change = merge(existing.as_ref(), request.clone(), self.id, id, cx.now(), holder)?;
        let customer = change.customer;
        if !change.changed {
            return Ok(Decision::unchanged(customer));
        }
        let mut effects = Effects::new();
        put_customer(&mut effects.rows, &customer);
        if let Some(reference) = &customer.customer_ref {
            effects.put(CUSTOMER_REFS, &(self.id, reference.clone()), &customer.id);
        }
        Ok(effects.answer(customer))
    }

    fn adhoc_contract(
        &self,
        cx: &Context<Self>,
        customer: CustomerId,
        currency: Currency,
    ) -> Result<Decision<Self, AdhocContract>, Refusal> {
        if let Some(id) = cx.read(oldest_active(cx.store(), self.id, customer, currency))? {
            return Ok(Decision::unchanged(AdhocContract { id, vacant: false }));
        }
        // Two invoices at the same time are promised the same contract, made by the first.
        let row = (self.id, customer, currency);
        if let Some(promised) = cx.get(ADHOC_CONTRACTS, &row)?
            && cx.read(query::contract(cx.store(), self.id, promised))?.is_none()
        {
            return Ok(Decision::unchanged(AdhocContract { id: promised, vacant: true }));
        }
        let id = ContractId(cx.id(ids::CONTRACT));
        let mut effects = Effects::new();
        effects.put(ADHOC_CONTRACTS, &row, &id);
        Ok(effects.answer(AdhocContract { id, vacant: true }))
    }
}

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
