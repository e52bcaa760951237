//! Invitations and their mails in a running system, with a mail server that refuses some.

use std::sync::{Arc, Mutex};

use futures::FutureExt;
use storage::Scan;
use storage::testing::TempStore;

use crate::clock::Clock;
use crate::domain::billing::mail::{MailKind, MailRetries, MailStatus};
use crate::domain::ids::SellerId;
use crate::domain::platform::person::{InviteToken, Person, PersonRole};
use crate::mail::{Bounce, Carrier, Letter, MailSettings, Taken};
use crate::system::{System, SystemSettings};
use crate::tables::MAILS;
use crate::testing::{Running, close, until};

/// What came to the mail server: to whom, and where it leads.
type Came = Arc<Mutex<Vec<(String, Option<String>)>>>;

struct House {
    store: TempStore,
    clock: Clock,
    system: System,
    seller: SellerId,
    came: Came,
}

impl House {
    /// With a mail server that takes what comes after the first `refused` mails.
    async fn open(refused: usize) -> Self {
        let came = Came::default();
        let kept = Arc::clone(&came);
        let carrier = Carrier::new(move |Letter { mail, url, .. }| {
            let mut came = kept.lock().expect("not poisoned");
            came.push((mail.to.as_str().to_owned(), url));
            let full = Bounce { reason: "full".to_owned(), for_good: false };
            let answer = if came.len() > refused { Ok(Taken::default()) } else { Err(full) };
            async move { answer }.boxed()
        });
        let retries = MailRetries([60, 600, 3_600]);
        let mail = MailSettings { carrier: Some(carrier), retries };
        let settings = SystemSettings { mail, ..SystemSettings::testing() };
        let Running { store, clock, system, minted } = Running::open(settings).await;
        let seller = minted.seller.id;
        system.links.listen_at("https://pay.example.com");
        Self { store, clock, system, seller, came }
    }

    async fn invite(&self, email: &str) -> (Person, InviteToken) {
        let invited = self.system.sellers.invite(self.seller, email.to_owned(), PersonRole::Viewer);
        invited.await.expect("invited")
    }

    fn came(&self) -> Vec<(String, Option<String>)> {
        self.came.lock().expect("not poisoned").clone()
    }

    fn mails(&self) -> Vec<(MailStatus, u32)> {
        let mails = self.store.scan(MAILS, Scan::all()).values().expect("read");
        assert!(mails.iter().all(|mail| mail.kind == MailKind::Invitation));
        mails.iter().map(|mail| (mail.status, mail.attempts)).collect()
    }

    async fn until(&self, what: &str, is_so: impl Fn() -> bool) {
        until(what, is_so).await;
    }

    fn pass(&self, seconds: i64) {
        self.clock.push(self.clock.now().plus_seconds(seconds));
    }

    /// Stops, and proves that what is stored is right.
    async fn close(self) {
        close(self.system, self.store).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invitation_is_mailed_with_the_link_that_accepts_it() {
    let house = House::open(1).await;
    let (_, token) = house.invite("bea@example.com").await;
    house.until("it is tried", || house.mails() == [(MailStatus::Queued, 1)]).await;
    house.pass(60);
    house.until("it is sent", || house.mails() == [(MailStatus::Sent, 2)]).await;
    let url = format!("https://pay.example.com/dashboard/invite/{}", token.reveal());
    assert_eq!(house.came(), vec![("bea@example.com".to_owned(), Some(url)); 2]);
    // Anew, it is another link in another mail.
    let (_, anew) = house.invite("bea@example.com").await;
    house.until("it is sent", || house.mails().last() == Some(&(MailStatus::Sent, 1))).await;
    assert_ne!(anew.reveal(), token.reveal());
    let last = house.came().last().and_then(|(_, url)| url.clone()).expect("a link");
    assert!(last.ends_with(anew.reveal()), "{last}");
    house.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invitation_that_was_taken_back_or_is_over_is_not_mailed() {
    let house = House::open(usize::MAX).await;
    let (bea, _) = house.invite("bea@example.com").await;
    house.until("it is tried", || house.mails() == [(MailStatus::Queued, 1)]).await;
    house.system.sellers.remove_person(house.seller, bea.id).await.expect("taken back");
    house.pass(60);
    house.until("it is not sent", || house.mails() == [(MailStatus::NotSent, 1)]).await;
    house.invite("cleo@example.com").await;
    let tried = [(MailStatus::NotSent, 1), (MailStatus::Queued, 1)];
    house.until("it is tried", || house.mails() == tried).await;
    house.pass(8 * 86_400);
    let over = [(MailStatus::NotSent, 1), (MailStatus::NotSent, 1)];
    house.until("it is not sent", || house.mails() == over).await;
    house.close().await;
}
