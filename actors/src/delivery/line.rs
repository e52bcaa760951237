//! The line of one endpoint: what waits in memory, how many attempts may run at once, and when
//! there is more to fetch from the disk.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use tokio::time::Instant;

use super::client::EndpointClient;
use crate::domain::ids::{DeliveryId, SellerId, WebhookId};
use crate::domain::platform::delivery::Delivery;
use crate::domain::platform::webhook::url::WebhookUrl;
use crate::domain::time::Timestamp;

/// The window of an endpoint that is new or failing: wide enough that deliveries which wait for
/// a hanging endpoint are given up in reasonable time.
const NARROW: usize = 4;

/// The endpoint of a line.
pub(super) type LineKey = (SellerId, WebhookId);

/// What waits for one endpoint.
#[derive(Debug)]
pub(super) struct Line {
    ready: VecDeque<Delivery>,
    /// What is in `ready`, under way, or on its way to the disk: fetching passes it over.
    under_way: HashSet<DeliveryId>,
    /// Tasks that take from `ready`.
    lanes: usize,
    /// How many there may be.
    window: usize,
    /// Whether the endpoint's latest answer was a prompt success.
    pub(super) prompt: bool,
    /// The earliest instant at which an open delivery that is only on disk is due.
    on_disk: Option<Timestamp>,
    fetching: bool,
    client: Option<Arc<EndpointClient>>,
    used: Instant,
}

impl Line {
    /// An empty line with at most `widest` attempts at once.
    pub(super) fn new(widest: usize) -> Self {
        Self {
            ready: VecDeque::new(),
            under_way: HashSet::new(),
            lanes: 0,
            window: NARROW.min(widest),
            prompt: false,
            on_disk: None,
            fetching: false,
            client: None,
            used: Instant::now(),
        }
    }

    /// How many deliveries wait in memory.
    pub(super) fn waiting(&self) -> usize {
        self.ready.len()
    }

    /// How many deliveries are waiting, under way or on their way to the disk.
    pub(super) fn held(&self) -> usize {
        self.under_way.len()
    }

    /// Marks a delivery as being dealt with; false when it already is.
    pub(super) fn hold(&mut self, id: DeliveryId) -> bool {
        self.under_way.insert(id)
    }

    /// The delivery is on disk as it stands; `due` is when it is to be attempted again.
    pub(super) fn release(&mut self, id: DeliveryId, due: Option<Timestamp>) {
        self.under_way.remove(&id);
        if let Some(due) = due {
            self.note_on_disk(due);
        }
    }

    /// Queues a delivery that is held.
    pub(super) fn push(&mut self, delivery: Delivery) {
        self.used = Instant::now();
        self.ready.push_back(delivery);
    }

    /// Something open that is not held is due at `due`.
    pub(super) fn note_on_disk(&mut self, due: Timestamp) {
        self.on_disk = Some(self.on_disk.map_or(due, |known| known.min(due)));
    }

    /// How many more tasks to start. They are counted as started.
    pub(super) fn open_lanes(&mut self) -> usize {
        let more = self.window.saturating_sub(self.lanes).min(self.ready.len());
        self.lanes += more;
        more
    }

    /// The next delivery for a task; `None` ends the task.
    pub(super) fn take(&mut self) -> Option<Delivery> {
        self.used = Instant::now();
        let next = if self.lanes > self.window { None } else { self.ready.pop_front() };
        if next.is_none() {
            self.lanes -= 1;
        }
        next
    }

    /// Ends a task that stops in the middle.
    pub(super) fn close_lane(&mut self) {
        self.lanes = self.lanes.saturating_sub(1);
    }

    /// Everything that waits, taken out; it stays held.
    pub(super) fn drain(&mut self) -> Vec<Delivery> {
        self.ready.drain(..).collect()
    }

    /// Learns from an attempt how much the endpoint can take.
    pub(super) fn learn(&mut self, success: bool, prompt: bool, widest: usize) {
        self.window = if success { self.window + 1 } else { NARROW }.min(widest);
        self.prompt = success && prompt;
    }

    /// Whether rows on disk are due, and memory has room for half of `room` or more.
    pub(super) fn wants_fetch(&self, now: Timestamp, room: usize) -> bool {
        !self.fetching && self.ready.len() <= room / 2 && self.on_disk.is_some_and(|due| due <= now)
    }

    /// A fetch begins: it finds all that is on disk by now.
    pub(super) fn begin_fetch(&mut self) {
        self.fetching = true;
        self.on_disk = None;
    }

    pub(super) fn end_fetch(&mut self) {
        self.fetching = false;
    }

    /// Whether something on disk waits for its time.
    pub(super) fn waits(&self) -> bool {
        self.on_disk.is_some()
    }

    /// Whether nothing would be lost if the line were forgotten.
    pub(super) fn is_idle(&self) -> bool {
        self.under_way.is_empty() && self.lanes == 0 && self.on_disk.is_none() && !self.fetching
    }

    /// When the line was last busy.
    pub(super) fn used(&self) -> Instant {
        self.used
    }

    /// The client of the endpoint, if it was made for this URL.
    pub(super) fn client(&self, url: &WebhookUrl) -> Option<Arc<EndpointClient>> {
        self.client.clone().filter(|client| client.url() == url)
    }

    pub(super) fn keep_client(&mut self, client: Arc<EndpointClient>) {
        self.client = Some(client);
    }
}
