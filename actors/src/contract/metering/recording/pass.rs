//! One pass over the events of a command, in order: each is judged by what those before it have
//! made of the meters.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use storage::{Seen, Taken};

use super::RecordedDay;
use crate::contract::changes::put_timeline;
use crate::contract::metering::meter::OpenDay;
use crate::contract::room::{Context, ContractKey, ContractRoom, Effects};
use crate::directory::SellerSnapshot;
use crate::domain::billing::subscription::Span;
use crate::domain::billing::test_clock::Moment;
use crate::domain::billing::timeline::{TimelineEntry, TimelineKind};
use crate::domain::billing::usage::{
    EventFingerprint, EventRefusal, Ingested, KeyUse, LateEvent, LimitedUse, Measured, Metric,
    MetricName, NewEvent, UsageEvent, UsageLimit, admit,
};
use crate::domain::ids::UsageEventId;
use crate::domain::refusal::Refusal;
use crate::domain::time::{Date, Timestamp};
use crate::tables::{LATE_EVENTS, LATE_HOMES, USAGE_KEYS, ids};

pub(super) struct Pass<'a> {
    room: &'a ContractRoom,
    cx: &'a Context,
    key: ContractKey,
    seller: &'a SellerSnapshot,
    /// One for every event whose key is free, and some more.
    ids: std::vec::IntoIter<u64>,
    /// The metrics and days of the events so far; the last one is the likeliest next.
    places: Vec<Place<'a>>,
    /// The periods with a limit that events have fallen into.
    limited: Vec<(&'a MetricName, Span, LimitedUse)>,
    /// What the keys of new events stand for, and whether these are late.
    known: FxHashMap<EventFingerprint, (KeyUse, bool)>,
    keys: Vec<(EventFingerprint, Taken)>,
    late: Vec<(MetricName, UsageEvent)>,
    /// Soft limits that are exceeded from now on, each in its period.
    exceeded: Vec<(&'a MetricName, UsageLimit, Span)>,
}

struct Place<'a> {
    metric: &'a MetricName,
    day: Date,
    definition: Option<&'a Metric>,
    /// The period of the day, if a subscription covers it.
    period: Option<Span>,
    /// Whether the day was billed for the metric already.
    closed: bool,
    fresh: Vec<(usize, UsageEventId, Measured)>,
    /// Bytes of these at most, as they are kept.
    bytes: usize,
}

/// What a pass comes to: rows, the days of new events, and soft limits that are exceeded, each
/// with the first day of its period.
type Finished = (Effects, Vec<RecordedDay>, Vec<(MetricName, Date)>);

impl<'a> Pass<'a> {
    pub(super) fn new(
        room: &'a ContractRoom,
        cx: &'a Context,
        seller: &'a SellerSnapshot,
        ids: Vec<u64>,
    ) -> Self {
        Self {
            room,
            cx,
            key: (room.seller, room.id),
            seller,
            known: FxHashMap::default(),
            keys: Vec::with_capacity(ids.len()),
            ids: ids.into_iter(),
            places: Vec::new(),
            limited: Vec::new(),
            late: Vec::new(),
            exceeded: Vec::new(),
        }
    }

    /// Judges one event, and counts it if it is new and stands. `taken`: what its key is taken
    /// for already.
    pub(super) fn event(
        &mut self,
        number: usize,
        event: &'a NewEvent,
        taken: Option<Taken>,
    ) -> Result<Result<Ingested, EventRefusal>, Refusal> {
        let place = self.place(&event.metric, event.occurred_at.date());
        let Place { definition, closed, period, .. } = self.places[place];
        if let Some((known, late)) = self.known(event, closed, taken)? {
            return Ok(known.repeated(event, period.is_some(), late));
        }
        let limited = if closed { None } else { self.limited(&event.metric, period)? };
        let used = limited.map(|place| &mut self.limited[place].2);
        let admitted = match admit(event, definition, closed, used, self.cx.now()) {
            Ok(admitted) => admitted,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let id = UsageEventId(self.ids.next().expect("an id was drawn for every free key"));
        if admitted.late {
            let version = admitted.measured.version;
            let kept = UsageEvent::fresh(event, id, version, self.cx.now());
            self.late.push((event.metric.clone(), kept));
        } else {
            self.places[place].fresh.push((number, id, admitted.measured));
            self.places[place].bytes += event.most_bytes();
        }
        if admitted.exceeds {
            self.exceed(&event.metric, period);
        }
        let known = KeyUse { payload: event.payload, event: id };
        self.keys.push((event.fingerprint, known.taken()));
        self.known.insert(event.fingerprint, (known, admitted.late));
        let metered = period.is_some();
        Ok(Ok(Ingested { event: id, duplicate: false, metered, late: admitted.late }))
    }

    fn place(&mut self, metric: &'a MetricName, day: Date) -> usize {
        let is = |place: &Place<'_>| place.day == day && place.metric == metric;
        if let Some(known) = self.places.iter().rposition(is) {
            return known;
        }
        let meter = self.room.metering.meters.get(metric);
        self.places.push(Place {
            metric,
            day,
            definition: self.seller.metric(metric).map(Arc::as_ref),
            period: self.room.coverage.period_of(day).map(|period| period.span),
            closed: meter.is_some_and(|meter| meter.row.is_closed(day)),
            fresh: Vec::new(),
            bytes: 0,
        });
        self.places.len() - 1
    }

    fn known(
        &self,
        event: &NewEvent,
        closed: bool,
        taken: Option<Taken>,
    ) -> Result<Option<(KeyUse, bool)>, Refusal> {
        let Some(known) = taken.map(KeyUse::of_taken) else {
            return Ok(self.known.get(&event.fingerprint).copied());
        };
        // Days close and stay closed: an event of an open day was never late.
        let late = closed
            && known.payload == event.payload
            && self.cx.contains(LATE_EVENTS, &(self.key.0, self.key.1, known.event))?;
        Ok(Some((known, late)))
    }

    fn limited(
        &mut self,
        metric: &'a MetricName,
        period: Option<Span>,
    ) -> Result<Option<usize>, Refusal> {
        let (Some(period), Some(meter)) = (period, self.room.metering.meters.get(metric)) else {
            return Ok(None);
        };
        let Some(limit) = meter.row.limit else { return Ok(None) };
        let is = |(known, span, _): &(&MetricName, _, _)| *span == period && *known == metric;
        if let Some(known) = self.limited.iter().rposition(is) {
            return Ok(Some(known));
        }
        let noted = meter.row.is_told_exceeded(period.start);
        let total = meter.total(self.cx, self.key, metric, period)?;
        self.limited.push((metric, period, LimitedUse::new(limit, noted, total)));
        Ok(Some(self.limited.len() - 1))
    }

    fn exceed(&mut self, metric: &'a MetricName, period: Option<Span>) {
        let limit = self.room.metering.meters.get(metric).and_then(|meter| meter.row.limit);
        self.exceeded.extend(limit.zip(period).map(|(limit, period)| (metric, limit, period)));
    }

    /// What is to be written; nothing where no event is new.
    pub(super) fn finish(self, seen: Seen) -> Result<Option<Finished>, Refusal> {
        if self.keys.is_empty() {
            return Ok(None);
        }
        let ((seller, contract), cx) = (self.key, self.cx);
        let mut effects = Effects::new();
        let mut days = Vec::with_capacity(self.places.len());
        for Place { metric, day, fresh, bytes, .. } in self.places {
            if !fresh.is_empty() {
                days.push(recorded_day(self.room, cx, metric, day, (fresh, bytes))?);
            }
        }
        for (metric, limit, period) in &self.exceeded {
            let engine = Moment::of(self.room.clock.as_ref(), cx.now()).engine;
            let entry = exceeded(metric, *limit, *period, engine);
            put_timeline(&mut effects.rows, self.key, cx.ids(ids::TIMELINE, 1), vec![entry]);
        }
        for (metric, event) in self.late {
            let key = (seller, contract, event.id);
            effects.put(LATE_HOMES, &(seller, event.id), &contract);
            effects.put(LATE_EVENTS, &key, &LateEvent { metric, event, corrected_by: None });
        }
        effects.rows.claim_fingerprints(USAGE_KEYS, seller.0, self.keys, seen);
        let exceeded = self.exceeded.into_iter();
        let exceeded = exceeded.map(|(metric, _, period)| (metric.clone(), period.start));
        Ok(Some((effects, days, exceeded.collect())))
    }
}

fn recorded_day(
    room: &ContractRoom,
    cx: &Context,
    metric: &MetricName,
    day: Date,
    (fresh, bytes): (Vec<(usize, UsageEventId, Measured)>, usize),
) -> Result<RecordedDay, Refusal> {
    let known = room.metering.meters.get(metric).and_then(|meter| meter.days.get(&day));
    let read = match known {
        Some(_) => None,
        None => {
            let key = (room.seller, room.id, metric.clone(), day);
            Some(cx.read(OpenDay::read(cx.store(), &key))?)
        }
    };
    let tail = match known.or(read.as_ref()) {
        Some(open) => cx.read(open.full_tail(fresh.len(), bytes))?,
        None => None,
    };
    Ok(RecordedDay { metric: metric.clone(), day, read, tail, fresh })
}

fn exceeded(metric: &MetricName, limit: UsageLimit, period: Span, at: Timestamp) -> TimelineEntry {
    let (cap, from) = (limit.cap_quantity, period.start);
    TimelineEntry {
        kind: TimelineKind::UsageCapExceeded,
        occurred_at: at,
        subscription: None,
        invoice: None,
        amount_minor: None,
        currency: None,
        detail: Some(format!(
            "{metric} is above its soft limit of {cap} in the period from {from}"
        )),
    }
}
