//! Forgets mails that were kept long enough. Those that wait for an attempt stay.

use std::time::Duration;

use storage::{Batch, ReadError, Scan, Store};

use crate::clock::Clock;
use crate::domain::billing::mail::MailStatus;
use crate::domain::ids::SellerId;
use crate::domain::time::Timestamp;
use crate::queue::{BEAT, Pulse, Supervisor, blocking};
use crate::tables::MAILS;

const ROUND: Duration = Duration::from_secs(3_600);
const PATIENCE: Duration = Duration::from_secs(120);
/// How many rows one look reads.
const ROWS: usize = 1_000;

#[derive(Clone, Debug)]
pub(crate) struct Retention {
    pub(crate) store: Store,
    pub(crate) clock: Clock,
    pub(crate) keep_days: u32,
}

/// What a look has found, and of which seller the next one is to be.
struct Look {
    deletes: Batch,
    next: Option<Scan>,
}

impl Retention {
    pub(crate) fn start(self, supervisor: &Supervisor) {
        supervisor.run("mail retention", PATIENCE, move |pulse| self.clone().run(pulse));
    }

    async fn run(self, pulse: Pulse) {
        loop {
            if let Err(error) = self.round(&|| pulse.beat()).await {
                tracing::error!(%error, "old mails could not be deleted");
            }
            pulse.rest(if self.store.is_held() { BEAT } else { ROUND }).await;
        }
    }

    /// Goes over all mails once, unless the store is held: what was restored is looked at first.
    async fn round(&self, beat: &(dyn Fn() + Send + Sync)) -> Result<(), ReadError> {
        if self.store.is_held() {
            return Ok(());
        }
        let until = self.clock.now().plus_seconds(-86_400 * i64::from(self.keep_days));
        let mut from = Some(Scan::all());
        while let Some(scan) = from {
            beat();
            let store = self.store.clone();
            let look = blocking(move || look(&store, scan, until)).await?;
            if !look.deletes.is_empty()
                && let Err(error) = self.store.write(look.deletes).await
            {
                return Err(ReadError::Failed(error.to_string()));
            }
            from = look.next;
        }
        Ok(())
    }
}

/// Looks at the oldest mails of the first seller in `scan`: ids rise with time.
fn look(store: &Store, scan: Scan, until: Timestamp) -> Result<Look, ReadError> {
    let mut look = Look { deletes: Batch::new(), next: None };
    let mut seller: Option<SellerId> = None;
    let mut seen = 0;
    for row in store.scan(MAILS, scan) {
        let (key, mail) = match row {
            Ok(row) => row,
            Err(error) if error.concerns_all() => return Err(error),
            // It stays, and no other because of it.
            Err(error) => {
                tracing::error!(%error, "a mail cannot be read");
                continue;
            }
        };
        seen += 1;
        let new = mail.created_at >= until;
        if new || seller.is_some_and(|seller| seller != key.0) {
            let done = if new { key.0 } else { seller.unwrap_or(key.0) };
            look.next = Some(Scan::all().after(&(done,)));
            break;
        }
        seller = Some(key.0);
        if mail.status != MailStatus::Queued {
            look.deletes.delete(MAILS, &key);
        }
        if seen == ROWS {
            look.next = Some(Scan::all().after(&key));
            break;
        }
    }
    Ok(look)
}

#[cfg(test)]
mod tests {
    use storage::Table;
    use storage::testing::TempStore;

    use super::*;
    use crate::domain::billing::mail::{Mail, MailRetries, Tried};
    use crate::domain::ids::MailId;
    use crate::domain::testing::queued_mail;

    fn at(day: i64) -> Timestamp {
        Timestamp::from_micros(0).plus_seconds(day * 86_400)
    }

    fn mail(seller: u64, id: u64, day: i64, ended: bool) -> Mail {
        let queued = Mail { seller: SellerId(seller), ..queued_mail(id, at(day)) };
        if ended {
            queued.tried(Tried::Taken { attached_bytes: None }, MailRetries::default(), at(day))
        } else {
            queued
        }
    }

    #[test]
    fn old_mails_of_every_seller_go_but_those_that_wait() {
        let store = TempStore::new();
        let kept = [(1, 2, 5, false), (1, 4, 30, true), (2, 6, 31, true), (3, 8, 6, false)];
        let gone = [(1, 1, 1, true), (1, 3, 9, true), (2, 5, 2, true), (3, 7, 3, true)];
        let mut batch = Batch::new();
        for (seller, id, day, ended) in kept.into_iter().chain(gone) {
            let mail = mail(seller, id, day, ended);
            batch.put(MAILS, &(mail.seller, mail.id), &mail);
        }
        store.write_blocking(batch).expect("durable");
        delete_old(&store);
        let expected = kept.map(|(seller, id, ..)| (SellerId(seller), MailId(id)));
        assert_eq!(left(&store), expected);
    }

    #[test]
    fn a_mail_that_cannot_be_read_keeps_no_other() {
        let store = TempStore::new();
        let raw: Table<(SellerId, MailId), Vec<u8>> = Table::new(MAILS.tag(), MAILS.name());
        let mut batch = Batch::new();
        batch.put(raw, &(SellerId(1), MailId(1)), &vec![0xFF, 0xFF]);
        for (seller, id) in [(1, 2), (2, 3)] {
            let mail = mail(seller, id, 1, true);
            batch.put(MAILS, &(mail.seller, mail.id), &mail);
        }
        store.write_blocking(batch).expect("durable");
        delete_old(&store);
        assert_eq!(left(&store), [(SellerId(1), MailId(1))], "it is left for who looks at it");
    }

    #[tokio::test]
    async fn what_was_restored_stays_until_somebody_has_looked_at_it() {
        let store = TempStore::new();
        let mail = mail(1, 1, 1, true);
        let mut batch = Batch::new();
        batch.put(MAILS, &(mail.seller, mail.id), &mail);
        store.write(batch).await.expect("durable");
        store.hold_as_restored();
        let clock = Clock::by_hand(at(40));
        let retention = Retention { store: store.store().clone(), clock, keep_days: 30 };
        retention.round(&|| ()).await.expect("a round");
        assert_eq!(left(&store), [(mail.seller, mail.id)]);
        assert_eq!(store.resume(), Ok(true));
        retention.round(&|| ()).await.expect("a round");
        assert!(left(&store).is_empty());
    }

    /// Deletes what is older than the tenth day.
    fn delete_old(store: &TempStore) {
        let mut from = Some(Scan::all());
        while let Some(scan) = from {
            let look = look(store, scan, at(10)).expect("readable");
            if !look.deletes.is_empty() {
                store.write_blocking(look.deletes).expect("durable");
            }
            from = look.next;
        }
    }

    fn left(store: &TempStore) -> Vec<(SellerId, MailId)> {
        store.scan(MAILS, Scan::all()).keys().collect::<Result<_, _>>().expect("keys")
    }
}
