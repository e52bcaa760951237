//! What all rooms work with.

use storage::Store;

use crate::clock::Clock;
use crate::delivery::DeliveryPool;
use crate::directory::Directory;
use crate::link_tokens::LinkTokens;
use crate::mail::MailPolicy;
use crate::outbox::Outbox;
use crate::queue::Supervisor;
use crate::sandboxes::Keeping;
use crate::timers::Calendar;

#[derive(Clone, Debug)]
pub struct Services {
    pub store: Store,
    pub clock: Clock,
    /// Sellers with their switches and webhooks, as of their last durable change.
    pub directory: Directory,
    pub deliveries: DeliveryPool,
    /// Carries the messages of durable batches to other rooms.
    pub outbox: Outbox,
    /// Knows when timers are due.
    pub calendar: Calendar,
    /// Runs what works by itself.
    pub supervisor: Supervisor,
    /// What sandbox accounts keep.
    pub keeping: Keeping,
    pub links: LinkTokens,
    pub mail: MailPolicy,
}

#[cfg(test)]
impl Services {
    /// Services over a store, with no webhook to deliver to and no room to carry messages to.
    pub(crate) fn over(store: Store, clock: Clock) -> Self {
        use std::sync::Arc;

        use crate::delivery::{DeliverySettings, Found};
        use crate::directory::DirectorySettings;
        use crate::entropy::Entropy;
        use crate::health::Health;
        use crate::secrets::SecretBox;

        let supervisor = Supervisor::start(Health::default()).expect("a supervisor");
        let links = LinkTokens::new(&[7; 32]);
        let deliveries = DeliveryPool::start(
            store.clone(),
            clock.clone(),
            Entropy,
            DeliverySettings::default(),
            Arc::new(|_, _| Found::Unknown),
            (SecretBox::new(&[7; 32]), links.clone()),
            &supervisor,
        );
        let outbox = Outbox::new();
        let directory = Directory::new(
            store.clone(),
            DirectorySettings { demo_server: true, ..DirectorySettings::default() },
        );
        let keeping = Keeping::new(store.clone(), clock.clone(), 0);
        Self {
            store,
            clock,
            directory,
            deliveries,
            outbox,
            calendar: Calendar::default(),
            supervisor,
            keeping,
            links,
            mail: MailPolicy::default(),
        }
    }
}
