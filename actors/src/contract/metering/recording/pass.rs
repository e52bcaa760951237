//! One pass over the events of a command, in order: each is judged by what those before it have
//! made of the meters.

use std::sync::Arc;

use storage::{Batch, ReadError, Seen, Store, Taken};

use super::place::{Place, exceeded};
use crate::contract::metering::Metering;
use crate::contract::metering::keys::Known;
use crate::contract::metering::meter::Home;
use crate::contract::room::ContractRoom;
use crate::contract::write::put_timeline;
use crate::directory::SellerSnapshot;
use crate::domain::billing::subscription::Span;
use crate::domain::billing::usage::{
    Coverage, Entry, EventFingerprint, EventRefusal, Ingested, LateEvent, Measured, MetricName,
    NewEvent, UsageEvent, UsageLimit, measure,
};
use crate::domain::ids::{TimelineId, UsageEventId};
use crate::domain::time::{Date, Timestamp};
use crate::room::Desk;
use crate::tables::{LATE_EVENTS, USAGE_KEYS, ids};

/// A command under way.
pub(super) struct Pass<'a> {
    home: Home,
    store: &'a Store,
    seller: &'a SellerSnapshot,
    now: Timestamp,
    /// Which command of the room this is.
    turn: u64,
    /// Which batch of the room it hands in, if any.
    number: u64,
    /// How many batches of the room have landed.
    landed: u64,
    coverage: Arc<Coverage>,
    metering: &'a mut Metering,
    /// One for every event whose key is free, and some more.
    ids: std::vec::IntoIter<u64>,
    /// The metrics and days of the events so far; the last one is the likeliest next.
    places: Vec<Place<'a>>,
    keys: Vec<(EventFingerprint, Taken)>,
    late: Vec<(MetricName, UsageEvent)>,
    /// Soft limits that are exceeded from now on, each in its period.
    exceeded: Vec<(&'a MetricName, UsageLimit, Span)>,
    /// Whether a verdict rests on something that may not be durable yet.
    rests_on_flight: bool,
}

impl<'a> Pass<'a> {
    pub(super) fn new(
        room: &'a mut ContractRoom,
        desk: &'a Desk<ContractRoom>,
        seller: &'a SellerSnapshot,
        ids: Vec<u64>,
        landed: u64,
    ) -> Self {
        Self {
            home: Home { seller: room.seller, contract: room.id },
            store: desk.store(),
            seller,
            now: desk.now(),
            turn: room.metering.turn(),
            number: desk.submitted() + 1,
            landed,
            coverage: room.metering.coverage(&room.subscriptions),
            metering: &mut room.metering,
            ids: ids.into_iter(),
            places: Vec::new(),
            keys: Vec::new(),
            late: Vec::new(),
            exceeded: Vec::new(),
            rests_on_flight: false,
        }
    }

    /// Judges one event, and counts it if it is new and stands. `durable`: what its key was
    /// taken for, as the disk knows it.
    pub(super) fn event(
        &mut self,
        number: usize,
        event: &'a NewEvent,
        durable: Option<Taken>,
    ) -> Result<Result<Ingested, EventRefusal>, ReadError> {
        let place = self.place(&event.metric, event.occurred_at.date());
        if let Some((known, late)) = self.known(event, place, durable)? {
            return Ok(self.repeated(event, place, known, late));
        }
        let Place { definition, closed, period, .. } = &self.places[place];
        let (late, metered) = (*closed, period.is_some());
        let measured = match measure(event, definition.as_deref(), self.now) {
            Ok(measured) => measured,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if !late && let Some(limit) = self.limited(place, measured)? {
            self.rests_on_flight = true;
            return Ok(Err(EventRefusal::Capped(limit.cap_quantity)));
        }
        let id = self.ids.next().expect("an id was drawn for every free key");
        let id = UsageEventId(id);
        if late {
            let kept = UsageEvent::fresh(event, id, measured.version, self.now);
            self.late.push((event.metric.clone(), kept));
        } else {
            self.count(place, measured)?;
            self.places[place].fresh.push((number, id));
        }
        let known = Known { payload: event.payload, event: id };
        self.keys.push((event.fingerprint, known.taken()));
        self.metering.keys.note(event.fingerprint, known, late);
        Ok(Ok(Ingested { event: id, duplicate: false, metered, late }))
    }

    /// The place of a metric and day.
    fn place(&mut self, metric: &'a MetricName, day: Date) -> usize {
        let known = self.places.iter().rposition(|place| place.is(metric, day));
        known.unwrap_or_else(|| {
            let place = Place::of(metric, day, self.seller, &self.coverage, self.metering);
            self.places.push(place);
            self.places.len() - 1
        })
    }

    /// What the key of an event stands for, and whether that event was late.
    fn known(
        &mut self,
        event: &NewEvent,
        place: usize,
        durable: Option<Taken>,
    ) -> Result<Option<(Known, bool)>, ReadError> {
        if let Some(known) = self.metering.keys.get(&event.fingerprint) {
            self.rests_on_flight = true;
            return Ok(Some(known));
        }
        let Some(known) = durable.map(Known::of_taken) else { return Ok(None) };
        // Days close and stay closed: an event of an open day was never late.
        let late = self.places[place].closed
            && known.payload == event.payload
            && self
                .store
                .contains(LATE_EVENTS, &(self.home.seller, self.home.contract, known.event))?;
        Ok(Some((known, late)))
    }

    fn repeated(
        &self,
        event: &NewEvent,
        place: usize,
        known: Known,
        late: bool,
    ) -> Result<Ingested, EventRefusal> {
        if known.payload != event.payload {
            return Err(EventRefusal::KeyReused);
        }
        let metered = self.places[place].period.is_some();
        Ok(Ingested { event: known.event, duplicate: true, metered, late })
    }

    /// Holds an event against the limit of its period. The answer is the limit that refuses it.
    fn limited(&mut self, place: usize, event: Measured) -> Result<Option<UsageLimit>, ReadError> {
        let Place { metric, period, .. } = &self.places[place];
        let (Some(period), Some(meter)) = (*period, self.metering.meters.get_mut(*metric)) else {
            return Ok(None);
        };
        let Some(limit) = meter.row.limit else { return Ok(None) };
        let total = meter.total(self.store, self.home, metric, period)?;
        let (before, after) = (total.value(), total.value_with(event));
        if limit.is_crossed(before, after) && meter.row.told_exceeded < Some(period.start) {
            meter.row.told_exceeded = Some(period.start);
            self.exceeded.push((*metric, limit, period));
        }
        Ok(limit.refuses(before, after).then_some(limit))
    }

    fn count(&mut self, place: usize, event: Measured) -> Result<(), ReadError> {
        let Place { metric, day, fresh, .. } = &self.places[place];
        if !self.metering.meters.contains_key(*metric) {
            self.metering.meters.insert((*metric).clone(), Default::default());
        }
        if let Some(meter) = self.metering.meters.get_mut(*metric) {
            if fresh.is_empty() {
                meter.open(self.store, self.home, metric, *day, self.turn)?;
            }
            meter.count(*day, event);
        }
        Ok(())
    }

    /// What has to be durable before the verdicts are told.
    pub(super) fn batch(self, events: &[NewEvent], seen: Seen) -> Result<Option<Batch>, ReadError> {
        if self.keys.is_empty() {
            let in_flight = self.number > self.landed + 1;
            return Ok((self.rests_on_flight && in_flight).then(Batch::new));
        }
        let mut batch = Batch::new();
        for place in self.places.iter().filter(|place| !place.fresh.is_empty()) {
            let Some(meter) = self.metering.meters.get_mut(place.metric) else { continue };
            let version = place.definition.as_ref().map_or(0, |definition| definition.version);
            let fresh = place
                .fresh
                .iter()
                .map(|(number, id)| Entry::fresh(&events[*number], *id, version, self.now));
            meter.put(&mut batch, self.number, (self.home, place.metric, place.day), fresh)?;
        }
        for (metric, limit, period) in self.exceeded {
            if let Some(meter) = self.metering.meters.get_mut(metric) {
                meter.put_row(&mut batch, self.home, metric);
            }
            let id = TimelineId(self.store.next_id(ids::TIMELINE));
            let entry = exceeded(metric, limit, period, self.now);
            put_timeline(&mut batch, self.home.seller, self.home.contract, vec![(id, entry)]);
        }
        for (metric, event) in self.late {
            let key = (self.home.seller, self.home.contract, event.id);
            batch.put(LATE_EVENTS, &key, &LateEvent { metric, event, corrected_by: None });
        }
        let handed_in = self.keys.iter().map(|(key, _)| *key).collect();
        self.metering.keys.hand_in(self.number, handed_in);
        batch.claim_fingerprints(USAGE_KEYS, self.home.seller.0, self.keys, seen);
        Ok(Some(batch))
    }
}
