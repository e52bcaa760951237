//! Where what leaves a room goes: deliveries to the webhooks of a seller, messages to other rooms.

use std::sync::Arc;

use futures::FutureExt;
use storage::Store;

use crate::clock::Clock;
use crate::contract::Contracts;
use crate::delivery::{Destination, Found, WebhookLookup};
use crate::directory::Directory;
use crate::domain::messages::{Addressee, Message};
use crate::domain::platform::seller::Mode;
use crate::kernel::AskError;
use crate::link_subscription::LinkSubscriptions;
use crate::outbox::Deliver;
use crate::payee::Payees;
use crate::payment::Payments;
use crate::seller::Sellers;
use crate::tables::PAYOUT_HOOKS;

/// Finds where a delivery goes: from the directory, or the call-back of a payout from its row.
pub(super) fn lookup(directory: Directory, store: Store, clock: Clock) -> WebhookLookup {
    Arc::new(move |seller, webhook| {
        let Ok(Some(snapshot)) = directory.seller(seller) else { return Found::Unknown };
        let registered = snapshot.webhook(webhook).map(Arc::clone);
        let listed_only = registered.is_none();
        let webhook = match registered {
            Some(webhook) => webhook,
            None => match store.get(PAYOUT_HOOKS, &(seller, webhook)) {
                Ok(Some(hook)) => Arc::new(hook),
                Ok(None) => return Found::Gone,
                Err(_) => return Found::Unknown,
            },
        };
        Found::Destination(Destination {
            seller: snapshot.seller.uuid,
            is_open: snapshot.seller.is_open(clock.now()),
            webhook,
            live: snapshot.seller.mode == Mode::Live,
            allowlist: snapshot.allowlist.as_slice().into(),
            listed_only,
        })
    })
}

/// Brings messages to their room one after the other; those of a payee in one write.
pub(super) fn deliver(
    contracts: Contracts,
    payees: Payees,
    payments: Payments,
    sellers: Sellers,
    subscriptions: LinkSubscriptions,
) -> Deliver {
    Arc::new(move |to, messages| {
        let (contracts, payees, payments) = (contracts.clone(), payees.clone(), payments.clone());
        let (sellers, subscriptions) = (sellers.clone(), subscriptions.clone());
        let delivered = async move {
            let mut to_payee = Vec::new();
            for (id, message) in messages {
                match (to, message) {
                    (Addressee::Contract(seller, contract), Message::Contract(message)) => {
                        contracts.receive(seller, contract, id, message).await?;
                    }
                    (Addressee::Payee(..), Message::Payee(message)) => to_payee.push((id, message)),
                    (Addressee::Payment(seller, payment), Message::Payment(message)) => {
                        payments.receive(seller, payment, id, message).await?;
                    }
                    (Addressee::Seller(seller), Message::Seller(message)) => {
                        sellers.receive(seller, id, message).await?;
                    }
                    (Addressee::Subscription(seller, subscription), Message::Subscription(one)) => {
                        subscriptions.receive(seller, subscription, id, one).await?;
                    }
                    (to, message) => {
                        tracing::error!(?to, ?message, "a message that its addressee cannot read");
                    }
                }
            }
            match to {
                Addressee::Payee(seller, payee) if !to_payee.is_empty() => {
                    payees.take(seller, payee, to_payee).await
                }
                _ => Ok(()),
            }
        };
        delivered
            .map(|asked: Result<(), AskError>| asked.map_err(|error| error.to_string()))
            .boxed()
    })
}
