//! One change of a contract on its way to the disk: rows, claims, timers, events, timeline.

use std::sync::Arc;

use storage::{Batch, Receipt};

use super::record::{InvoiceHead, TimelineRow};
use super::room::ContractRoom;
use crate::delivery::{Origin, Staged, StagedSlot, ids_needed, stage_events};
use crate::directory::SellerSnapshot;
use crate::domain::billing::invoice::{self, Invoice};
use crate::domain::billing::subscription::{Change, Subscription};
use crate::domain::billing::timeline::TimelineEntry;
use crate::domain::billing::usage::Coverage;
use crate::domain::ids::{ContractId, ProrationId, SellerId, TimelineId};
use crate::domain::platform::event::{EventType, NewEvent};
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::room::{Desk, Refused, Reply};
use crate::tables::{
    CONTRACT_INVOICES, EVENT_IDS, INVOICES, PRORATIONS, SUBSCRIPTIONS, TIMELINE, ids,
};

/// The most timeline entries that one row keeps.
const ENTRIES_A_ROW: usize = 100;

/// A change in the making. The room's memory is changed along with it; both are handed over
/// together by [`finish`](Write::finish).
pub(super) struct Write {
    pub(super) batch: Batch,
    pub(super) snapshot: Arc<SellerSnapshot>,
    pub(super) now: Timestamp,
    events: Vec<NewEvent>,
    timeline: Vec<TimelineEntry>,
    staged: StagedSlot,
}

impl Write {
    /// A write for the contract's seller, at the present instant.
    ///
    /// # Errors
    /// When the seller cannot be read.
    pub(super) fn new(room: &ContractRoom, desk: &Desk<ContractRoom>) -> Result<Self, Refusal> {
        let snapshot = desk.tools().directory.seller(room.seller);
        let snapshot = snapshot.map_err(|error| {
            tracing::error!(%error, "a contract room cannot read its seller");
            Refusal::fault()
        })?;
        Ok(Self {
            batch: Batch::new(),
            snapshot: snapshot.ok_or_else(Refusal::missing)?,
            now: desk.now(),
            events: Vec::new(),
            timeline: Vec::new(),
            staged: StagedSlot::new(),
        })
    }

    /// Takes in what a rule made of a subscription.
    pub(super) fn subscription(
        &mut self,
        room: &mut ContractRoom,
        desk: &Desk<ContractRoom>,
        change: Change,
    ) {
        for proration in change.prorations {
            let id = ProrationId(desk.next_id(ids::PRORATION));
            self.batch.put(PRORATIONS, &(room.seller, room.id, id), &proration);
            if proration.is_open() {
                room.prorations.insert(id, proration);
            }
        }
        self.events.extend(change.events);
        self.timeline.extend(change.timeline);
        self.put_subscription(room, change.subscription);
    }

    /// Puts a subscription's row and what the room keeps of it.
    pub(super) fn put_subscription(&mut self, room: &mut ContractRoom, after: Subscription) {
        let before = room.subscriptions.get(&after.id);
        if Coverage::of(before.into_iter()) != Coverage::of(std::iter::once(&after)) {
            room.metering.coverage_changed();
        }
        self.batch.put(SUBSCRIPTIONS, &(room.seller, room.id, after.id), &after);
        room.agenda.subscription(room.subscriptions.get(&after.id), &after);
        room.subscriptions.insert(after.id, after);
        room.metering.coverage_changed();
    }

    /// Takes in an entry of the contract's timeline.
    pub(super) fn entry(&mut self, entry: TimelineEntry) {
        self.timeline.push(entry);
    }

    /// Takes in a move of an invoice that has its number.
    pub(super) fn invoice(
        &mut self,
        room: &mut ContractRoom,
        desk: &Desk<ContractRoom>,
        change: invoice::Change,
    ) {
        self.events.extend(change.events);
        self.timeline.extend(change.timeline);
        put_invoice(&mut self.batch, room.seller, &change.invoice);
        let head = InvoiceHead::of(&change.invoice);
        room.agenda.invoice(change.invoice.id, head.overdue_at);
        room.invoices.note(desk, change.invoice.id, change.invoice);
    }

    /// Adds events and timeline entries that are known only when numbers are drawn: at most
    /// these `kinds`, at most `entries` of the timeline.
    pub(super) fn later(
        &mut self,
        room: &ContractRoom,
        desk: &Desk<ContractRoom>,
        kinds: &[EventType],
        entries: usize,
    ) -> Later {
        // What has happened before gets the lower ids.
        self.tell(room, desk);
        let needed = ids_needed(&self.snapshot.webhooks, kinds.iter().copied());
        Later {
            seller: room.seller,
            contract: room.id,
            origin: origin(&self.snapshot, self.now),
            snapshot: Arc::clone(&self.snapshot),
            event_ids: (0..needed).map(|_| desk.next_id(EVENT_IDS)).collect(),
            timeline_ids: (0..entries).map(|_| TimelineId(desk.next_id(ids::TIMELINE))).collect(),
            staged: self.staged.clone(),
        }
    }

    /// Puts the timeline entries and events that have come together so far.
    fn tell(&mut self, room: &ContractRoom, desk: &Desk<ContractRoom>) {
        let entries: Vec<_> = std::mem::take(&mut self.timeline)
            .into_iter()
            .map(|entry| (TimelineId(desk.next_id(ids::TIMELINE)), entry))
            .collect();
        put_timeline(&mut self.batch, room.seller, room.id, entries);
        let staged = stage_events(
            &mut self.batch,
            &origin(&self.snapshot, self.now),
            &self.snapshot.webhooks,
            std::mem::take(&mut self.events),
            || desk.next_id(EVENT_IDS),
        );
        self.staged.put(staged);
    }

    /// Hands the change in. `answer` makes the caller's answer once it is durable or refused.
    pub(super) fn finish<T: Send + 'static>(
        mut self,
        room: &mut ContractRoom,
        desk: &Desk<ContractRoom>,
        reply: Reply<T>,
        answer: impl FnOnce(Result<Receipt, Refused>) -> T + Send + 'static,
    ) {
        let wanted = room.wanted_timers();
        room.timers.set(&mut self.batch, room.seller, room.id.0, wanted);
        self.tell(room, desk);
        let (slot, pool) = (self.staged, desk.tools().deliveries.clone());
        desk.commit(self.batch, reply, move |result| {
            if result.is_ok() {
                let staged: Staged = slot.take();
                pool.notify(staged);
            }
            answer(result)
        });
    }
}

/// What is needed to write events and timeline entries on the committer's thread.
pub(super) struct Later {
    seller: SellerId,
    contract: ContractId,
    origin: Origin,
    snapshot: Arc<SellerSnapshot>,
    event_ids: Vec<u64>,
    timeline_ids: Vec<TimelineId>,
    staged: StagedSlot,
}

impl Later {
    /// Writes a move of an invoice that has just got its number.
    pub(super) fn write(self, batch: &mut Batch, change: invoice::Change) -> Invoice {
        put_invoice(batch, self.seller, &change.invoice);
        let entries = self.timeline_ids.into_iter().zip(change.timeline).collect();
        put_timeline(batch, self.seller, self.contract, entries);
        let mut event_ids = self.event_ids.into_iter();
        let staged =
            stage_events(batch, &self.origin, &self.snapshot.webhooks, change.events, || {
                event_ids.next().expect("an id was drawn for every event that may be heard")
            });
        self.staged.put(staged);
        change.invoice
    }
}

fn origin(snapshot: &SellerSnapshot, now: Timestamp) -> Origin {
    Origin { seller: snapshot.seller.id, uuid: snapshot.seller.uuid, now }
}

fn put_invoice(batch: &mut Batch, seller: SellerId, invoice: &Invoice) {
    batch.put(INVOICES, &(seller, invoice.id), invoice);
    let key = (seller, invoice.contract, invoice.id);
    batch.put(CONTRACT_INVOICES, &key, &InvoiceHead::of(invoice));
}

/// Puts timeline entries, each with its id.
pub(super) fn put_timeline(
    batch: &mut Batch,
    seller: SellerId,
    contract: ContractId,
    entries: Vec<(TimelineId, TimelineEntry)>,
) {
    for row in entries.chunks(ENTRIES_A_ROW) {
        batch.put(TIMELINE, &(seller, contract, row[0].0), &TimelineRow(row.to_vec()));
    }
}

/// A refused batch where no claim can fail: the store could not write.
pub(super) fn unexpected(refused: Refused) -> Refusal {
    tracing::error!(?refused, "a contract room's batch was refused");
    Refusal::fault()
}
