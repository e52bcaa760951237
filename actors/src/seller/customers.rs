//! Customers by e-mail.

use super::accounts::put_customer;
use super::{SellerRoom, Sellers};
use crate::domain::billing::customer::{Customer, CustomerRequest, merge};
use crate::domain::ids::{CustomerId, SavedCardId, SellerId};
use crate::domain::platform::seller::TaxMode;
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, Decision, Effects};
use crate::payment::forgetting::take_away;
use crate::tables::{CUSTOMER_EMAILS, CUSTOMER_REFS, CUSTOMERS, SAVED_CARDS, ids};

impl Sellers {
    pub async fn customer(
        &self,
        id: SellerId,
        request: CustomerRequest,
    ) -> Result<Customer, AskError> {
        self.rooms.command(id, move |room, cx| room.customer(cx, &request)).await
    }

    /// Takes a saved card away: it is charged no more, and its processor is told to forget it.
    pub async fn remove_card(
        &self,
        id: SellerId,
        customer: CustomerId,
        card: SavedCardId,
    ) -> Result<(), AskError> {
        let row = (id, customer, card);
        let remove = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            room.account()?;
            let card = cx.get(SAVED_CARDS, &row)?.ok_or_else(Refusal::missing)?;
            let mut effects = Effects::new();
            take_away(&mut effects, id, &card);
            Ok(effects.answer(()))
        };
        self.rooms.command(id, remove).await
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
        let is_automatic = self.account()?.tax_mode == TaxMode::Automatic;
        if is_automatic && request.tax_id.is_some() {
            customer.check_tax_id()?;
        }
        let mut effects = Effects::new();
        put_customer(&mut effects.rows, &customer, existing.is_none());
        if let Some(reference) = &customer.customer_ref {
            effects.put(CUSTOMER_REFS, &(self.id, reference.clone()), &customer.id);
        }
        Ok(effects.answer(customer))
    }
}
