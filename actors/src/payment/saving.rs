//! A card that is saved with its holder's consent, when its payment succeeds.

use std::collections::BTreeSet;

use super::Payments;
use super::forgetting::take_away;
use super::room::PaymentRoom;
use crate::domain::ids::{CustomerId, SavedCardId, SellerId};
use crate::domain::messages::{CardNotice, ContractMessage, Envelope};
use crate::domain::payments::payment::Payment;
use crate::domain::payments::saved_card::{CardConsent, SavedCard, replaced_by};
use crate::domain::refusal::Refusal;
use crate::kernel::{Context, Effects};
use crate::query;
use crate::tables::{SAVED_CARDS, ids};

/// How many contracts of a customer are told of a new card, of those that have something to
/// collect and of those that are active; others find it with their next invoice.
const TOLD: usize = 100;

impl Payments {
    /// The consent to save the card of a payment that is about to be made.
    pub fn consent_of(&self, seller: SellerId, customer: Option<CustomerId>) -> CardConsent {
        let card = SavedCardId(self.store().next_id_in(ids::SAVED_CARD, seller.shard()));
        CardConsent { customer, card, token: None }
    }
}

impl PaymentRoom {
    /// Puts the card in place of those that it replaces, and tells the contracts whose invoices
    /// it may pay.
    pub(super) fn save_card(
        &self,
        cx: &Context<Self>,
        payment: &Payment,
        card: &SavedCard,
        effects: &mut Effects<Self>,
    ) -> Result<(), Refusal> {
        // A subscription keeps its own.
        let (seller, Some(customer)) = (self.seller, card.customer) else { return Ok(()) };
        let known = cx.read(query::saved_cards(cx.store(), seller, customer))?;
        let replaced = replaced_by(card, &known);
        for gone in known.iter().filter(|known| replaced.contains(&known.id)) {
            take_away(effects, seller, gone);
        }
        effects.put(SAVED_CARDS, &(seller, customer, card.id), card);
        let notice = CardNotice {
            card: card.id,
            title: format!("{} {}", card.card.brand.title(), card.card.last4),
            at: card.created_at,
        };
        let paid = payment.pays_for.invoice().map(|(contract, _)| contract);
        // Collection asks for no status of a contract, but for an invoice that is to be paid.
        let collecting =
            cx.read(query::collecting_contracts(cx.store(), seller, customer, TOLD))?;
        let active = cx.read(query::active_contracts(cx.store(), seller, customer, TOLD))?;
        let told: BTreeSet<_> = paid.into_iter().chain(collecting).chain(active).collect();
        for contract in told {
            let message = ContractMessage::CardSaved(notice.clone());
            effects.send(Envelope::to_contract(seller, contract, message));
        }
        Ok(())
    }
}
