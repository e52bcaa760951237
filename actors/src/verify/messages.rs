//! Messages between objects: each to one that is there and takes such messages.

use storage::{ReadError, Scan};

use super::run::Run;
use crate::domain::ids::SellerId;
use crate::domain::messages::{Addressee, Message};
use crate::domain::payments::wallet::OWN;
use crate::tables::{CONTRACTS, LINK_SUBSCRIPTIONS, OUTBOX, PAYEES, PAYMENTS, SELLERS};

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    run.each(OUTBOX, Scan::prefix(&(seller,)), |reading, key, message, found| {
        let to = Addressee::of_key((key.0, key.1, key.2));
        match (to, message) {
            (Some(Addressee::Contract(seller, id)), Message::Contract(_)) => {
                found.names(reading, CONTRACTS, &(seller, id))?;
            }
            (Some(Addressee::Payee(_, OWN)), Message::Payee(_)) => {}
            (Some(Addressee::Payee(seller, id)), Message::Payee(_)) => {
                found.names(reading, PAYEES, &(seller, id))?;
            }
            (Some(Addressee::Payment(seller, id)), Message::Payment(_)) => {
                found.names(reading, PAYMENTS, &(seller, id))?;
            }
            (Some(Addressee::Seller(seller)), Message::Seller(_)) => {
                found.names(reading, SELLERS, &seller)?;
            }
            (Some(Addressee::Subscription(seller, id)), Message::Subscription(_)) => {
                found.names(reading, LINK_SUBSCRIPTIONS, &(seller, id))?;
            }
            _ => found.holds("addressee of a message", false, &to),
        }
        Ok(())
    })
}
