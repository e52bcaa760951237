//! What a payment tells those it pays for, of how it ended: the contract of its invoice, the seller
//! of its link, its subscription.

use super::{Payment, PaysFor};
use crate::domain::ids::{ContractId, LinkSubscriptionId};
use crate::domain::messages::{
    ChargeNotice, ContractMessage, Envelope, LinkNotice, PaymentNotice, SellerMessage,
    SubscriptionMessage, SubscriptionNotice,
};
use crate::domain::time::Timestamp;

impl Payment {
    /// What the contract is told of the charge of a saved card that has come to nothing.
    fn failed_charge(&self, at: Timestamp) -> Option<(ContractId, ContractMessage)> {
        let (contract, invoice) = self.pays_for.invoice()?;
        let charge = self.saved_charge.filter(|_| self.status.is_lost())?;
        let failure = self.failure.map(|failure| failure.code);
        let notice = ChargeNotice { payment: self.id, invoice, charge, failure, at };
        Some((contract, ContractMessage::ChargeFailed(notice)))
    }

    pub(super) fn success(&self, at: Timestamp) -> Option<Envelope> {
        let to_contract = ContractMessage::PaymentSucceeded;
        self.tell(at, SubscriptionMessage::Paid, SellerMessage::LinkPaid, to_contract)
    }

    /// That what had been paid failed at settlement.
    pub(super) fn reversed(&self, at: Timestamp) -> Option<Envelope> {
        let to_seller = SellerMessage::LinkPaymentReversed;
        let to_contract = ContractMessage::PaymentReversed;
        self.tell(at, SubscriptionMessage::Reversed, to_seller, to_contract)
    }

    fn tell(
        &self,
        at: Timestamp,
        to_subscription: fn(SubscriptionNotice) -> SubscriptionMessage,
        to_seller: fn(LinkNotice) -> SellerMessage,
        to_contract: fn(PaymentNotice) -> ContractMessage,
    ) -> Option<Envelope> {
        if let Some((subscription, notice)) = self.charge_notice(at) {
            let message = to_subscription(notice);
            return Some(Envelope::to_subscription(self.seller, subscription, message));
        }
        if let Some(notice) = self.link_notice() {
            return Some(Envelope::to_seller(self.seller, to_seller(notice)));
        }
        let (contract, notice) = self.notice(at)?;
        Some(Envelope::to_contract(self.seller, contract, to_contract(notice)))
    }

    /// That some of it went back.
    pub(super) fn refunded(&self, at: Timestamp) -> Option<Envelope> {
        let (contract, notice) = self.notice(at)?;
        let message = ContractMessage::PaymentRefunded(notice);
        Some(Envelope::to_contract(self.seller, contract, message))
    }

    /// That it has come to nothing, where somebody waits to hear that.
    pub(super) fn lost(&self, at: Timestamp) -> Option<Envelope> {
        if let Some((subscription, notice)) = self.charge_notice(at) {
            let fails = self.status.is_lost() && self.saved_charge.is_some();
            let message = fails.then_some(SubscriptionMessage::ChargeFailed(notice))?;
            return Some(Envelope::to_subscription(self.seller, subscription, message));
        }
        let reserves = |notice: &LinkNotice| self.status.is_lost() && notice.promo.is_some();
        let of_link = self.link_notice().filter(reserves).map(SellerMessage::LinkPaymentLost);
        of_link.map(|message| Envelope::to_seller(self.seller, message)).or_else(|| {
            let (contract, message) = self.failed_charge(at)?;
            Some(Envelope::to_contract(self.seller, contract, message))
        })
    }

    fn charge_notice(&self, at: Timestamp) -> Option<(LinkSubscriptionId, SubscriptionNotice)> {
        let (subscription, term) = self.pays_for.subscription()?;
        let notice = SubscriptionNotice {
            payment: self.id,
            reference: self.reference.clone(),
            term,
            amount: self.amount,
            charge: self.saved_charge,
            failure: self.failure.map(|failure| failure.code),
            card: self.card_to_save(at),
        };
        Some((subscription, notice))
    }

    fn link_notice(&self) -> Option<LinkNotice> {
        let PaysFor::Link { link, promo, .. } = self.pays_for else { return None };
        let (payment, reference) = (self.id, self.reference.clone());
        Some(LinkNotice { payment, reference, link, amount: self.amount, promo })
    }

    fn notice(&self, at: Timestamp) -> Option<(ContractId, PaymentNotice)> {
        let (contract, invoice) = self.pays_for.invoice()?;
        let notice = PaymentNotice {
            payment: self.id,
            reference: self.reference.clone(),
            invoice,
            amount: self.amount,
            at,
            attempt: self.saved_charge.map(|charge| charge.attempt),
        };
        Some((contract, notice))
    }

    /// What its contract is told of it as it stands, where it has come to an end.
    pub fn message(&self) -> Option<ContractMessage> {
        match self.captured() > 0 && !self.status.is_lost() {
            true => {
                self.notice(self.updated_at).map(|(_, it)| ContractMessage::PaymentSucceeded(it))
            }
            false => self.failed_charge(self.updated_at).map(|(_, message)| message),
        }
    }
}
