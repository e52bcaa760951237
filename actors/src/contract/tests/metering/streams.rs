//! Random streams of events against a list that the test keeps itself, and against a recount
//! from what is stored.

use std::collections::BTreeMap;

use rust_decimal::Decimal;
use serde_json::json;

use super::recount::{Fact, definitions, quantity, stored};
use super::workshop::{Workshop, event, metric};
use crate::domain::billing::subscription::Span;
use crate::domain::billing::usage::NewEvent;
use crate::domain::ids::ContractId;
use crate::domain::refusal::RefusalKind;
use crate::domain::time::{Date, Timestamp};
use crate::query::usage::{BucketWidth, series, total};

const METRICS: [(&str, &str); 6] = [
    ("sum", "sum"),
    ("max", "max"),
    ("min", "min"),
    ("last", "last"),
    ("count", "count"),
    ("unique", "count_unique"),
];

/// Numbers that are the same for the same seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % limit
    }
}

/// What the test knows of what it has sent.
struct Referee {
    dice: Dice,
    contracts: Vec<ContractId>,
    /// Accepted events by their place in `contracts` and metric, in order of arrival.
    counted: BTreeMap<(usize, &'static str), Vec<(String, Fact)>>,
    late: BTreeMap<usize, usize>,
    sent: Vec<(usize, NewEvent, bool)>,
    closed: BTreeMap<(usize, &'static str), Vec<Date>>,
    versions: BTreeMap<&'static str, u32>,
    keys: u64,
}

impl Referee {
    /// Any event of a contract, from four days before the start until now.
    fn invent(&mut self, place: usize, now: Timestamp) -> (&'static str, NewEvent) {
        let (name, _) = METRICS[self.dice.below(6) as usize];
        let since = Date::new(2026, 11, 17).expect("a day").start();
        let span = (now.unix_seconds() - since.unix_seconds()).cast_unsigned();
        // Often at the same instants, so that the later arrival has to win.
        let seconds = match self.dice.below(3) {
            0 => span / 1_800 * 1_800,
            1 => self.dice.below(span) / 1_800 * 1_800,
            _ => self.dice.below(span),
        };
        let quantity = format!("{}.{:03}", self.dice.below(1_000), self.dice.below(1_000));
        let data = json!({"user": self.dice.below(300), "note": "x"}).to_string();
        self.keys += 1;
        let key = match self.dice.below(2) {
            0 => format!("key {}", self.keys),
            _ => format!("00000000-0000-0000-0000-{:012x}", self.keys),
        };
        let at = since.plus_seconds(seconds.cast_signed());
        let data = (name == "unique" || self.dice.below(4) == 0).then_some(data.as_str());
        (name, event(self.contracts[place], name, &quantity, at, &key, data))
    }

    /// A batch of new events, repetitions, other events under known keys, and some of tomorrow.
    async fn batch(&mut self, shop: &Workshop) {
        let now = shop.house.clock.now();
        let place = self.dice.below(self.contracts.len() as u64) as usize;
        let size = if self.dice.below(3) == 0 { 1 } else { self.dice.below(70) + 1 };
        let (mut events, mut names) = (Vec::new(), Vec::new());
        for _ in 0..size {
            let known = (!self.sent.is_empty())
                .then(|| self.sent[self.dice.below(self.sent.len() as u64) as usize].clone());
            let (name, fresh) = self.invent(place, now);
            match (self.dice.below(20), known) {
                (0..3, Some((of, known, _))) if of == place => {
                    events.push(known);
                    names.push("known");
                }
                (0..=3, Some((_, known, _))) => {
                    events.push(NewEvent {
                        key: known.key,
                        fingerprint: known.fingerprint,
                        ..fresh
                    });
                    names.push("conflict");
                }
                (4, _) => {
                    events.push(NewEvent { occurred_at: now.plus_seconds(60), ..fresh });
                    names.push("ahead");
                }
                _ => {
                    events.push(fresh);
                    names.push(name);
                }
            }
        }
        let verdicts = shop.record(self.contracts[place], events.clone()).await;
        for ((name, event), verdict) in names.into_iter().zip(events).zip(verdicts) {
            let of_key = self.sent.iter().find(|(_, known, _)| known.key == event.key).cloned();
            match (name, of_key) {
                ("known" | "conflict", Some((_, known, late))) => {
                    if known.payload == event.payload {
                        let told = verdict.expect("known");
                        assert!(told.duplicate);
                        assert_eq!(told.late, late);
                    } else {
                        assert_eq!(verdict.expect_err("other").kind, RefusalKind::Conflict);
                    }
                }
                ("ahead", _) => {
                    assert_eq!(verdict.expect_err("ahead").kind, RefusalKind::Invalid);
                }
                (name, _) => {
                    let told = verdict.expect("taken");
                    assert!(!told.duplicate);
                    let day = event.occurred_at.date();
                    let closed = self.closed.get(&(place, name));
                    assert_eq!(told.late, closed.is_some_and(|days| days.contains(&day)));
                    assert_eq!(told.metered, day >= Date::new(2026, 11, 21).expect("a day"));
                    if told.late {
                        *self.late.entry(place).or_default() += 1;
                    } else {
                        let fact = Fact {
                            version: self.versions[name],
                            quantity: event.quantity.value(),
                            at: event.occurred_at,
                            metadata: event
                                .metadata
                                .as_ref()
                                .map(|raw| serde_json::from_str(raw.get()).expect("JSON")),
                        };
                        let key = event.key.as_str().to_owned();
                        self.counted.entry((place, name)).or_default().push((key, fact));
                    }
                    self.sent.push((place, event, told.late));
                }
            }
        }
    }

    /// Compares everything that can be asked.
    async fn compare(&mut self, shop: &Workshop) {
        let (store, seller) = (shop.house.store.store(), shop.house.seller.id);
        let period = Span {
            start: Date::new(2026, 11, 21).expect("a day"),
            end: Date::new(2026, 12, 21).expect("a day"),
        };
        let ever = Span { start: Date::new(2026, 11, 1).expect("a day"), end: period.end };
        for (place, contract) in self.contracts.clone().into_iter().enumerate() {
            let usage = shop.usage(contract).await;
            for (name, _) in METRICS {
                let name_of = metric(name);
                let all = self.counted.get(&(place, name)).cloned().unwrap_or_default();
                let facts = |span: Span| -> Vec<Fact> {
                    let inside = all.iter().filter(|(_, fact)| span.contains(fact.at.date()));
                    inside.map(|(_, fact)| fact.clone()).collect()
                };
                let definitions = definitions(store, seller, &name_of);
                for span in [period, ever] {
                    let own = facts(span);
                    let expected = quantity(&own, &definitions);
                    let kept = total(store, seller, contract, &name_of, span).expect("read").used();
                    assert_eq!(
                        (kept.quantity, kept.events),
                        (expected, own.len() as u64),
                        "{name}"
                    );
                    let page = self.dice.below(40) as usize + 1;
                    let rows = stored(store, seller, contract, &name_of, span, page);
                    let recounted: Vec<Fact> = rows.into_iter().map(Fact::from).collect();
                    assert_eq!(recounted.len(), own.len());
                    assert_eq!(quantity(&recounted, &definitions), expected, "{name}");
                }
                // What is closed is no part of what is open.
                let closed = self.closed.get(&(place, name)).cloned().unwrap_or_default();
                let mut own = facts(period);
                own.retain(|fact| !closed.contains(&fact.at.date()));
                match usage.get(name) {
                    Some(told) => {
                        assert_eq!(told.used, quantity(&own, &definitions), "{name}");
                        assert_eq!(told.period, Some(period));
                    }
                    None => assert!(own.is_empty()),
                }
                self.compare_series(shop, contract, name, &facts(ever));
            }
        }
    }

    fn compare_series(&self, shop: &Workshop, contract: ContractId, name: &str, facts: &[Fact]) {
        let (store, seller) = (shop.house.store.store(), shop.house.seller.id);
        let definitions = definitions(store, seller, &metric(name));
        let first = Date::new(2026, 11, 1).expect("a day");
        let ever = Span { start: first, end: first.plus_days(90) };
        for (width, seconds) in [(BucketWidth::Hour, 3_600), (BucketWidth::Day, 86_400)] {
            let mut expected: BTreeMap<i64, Vec<Fact>> = BTreeMap::new();
            for fact in facts {
                let bucket = fact.at.unix_seconds() / seconds * seconds;
                expected.entry(bucket).or_default().push(fact.clone());
            }
            let told = series(store, seller, contract, &metric(name), ever, width).expect("read");
            let told: BTreeMap<i64, (Decimal, u64)> = told
                .into_iter()
                .map(|one| (one.start.unix_seconds(), (one.quantity, one.events)))
                .collect();
            let expected: BTreeMap<i64, (Decimal, u64)> = expected
                .into_iter()
                .map(|(at, own)| (at, (quantity(&own, &definitions), own.len() as u64)))
                .collect();
            assert_eq!(told, expected, "{name}");
        }
    }

    /// Closes a day of a metric.
    async fn close(&mut self, shop: &mut Workshop) {
        let place = self.dice.below(self.contracts.len() as u64) as usize;
        let (name, _) = METRICS[self.dice.below(6) as usize];
        let day = Date::new(2026, 11, 17).expect("a day").plus_days(self.dice.below(8) as i64);
        self.closed.entry((place, name)).or_default().push(day);
        let span = Span { start: day, end: day.plus_days(1) };
        shop.meter(self.contracts[place], name, |row| row.closed.push(span)).await;
    }
}

async fn stream(seed: u64) {
    let mut shop = Workshop::open().await;
    let mut referee = Referee {
        dice: Dice(seed),
        contracts: Vec::new(),
        counted: BTreeMap::new(),
        late: BTreeMap::new(),
        sent: Vec::new(),
        closed: BTreeMap::new(),
        versions: BTreeMap::new(),
        keys: 0,
    };
    for (name, aggregation) in METRICS {
        let unique = (aggregation == "count_unique").then_some("user");
        shop.register(name, aggregation, unique).await;
        referee.versions.insert(name, 1);
    }
    for name in ["a", "b"] {
        referee.contracts.push(shop.metered_contract(name).await);
    }
    for step in 0..60 {
        match referee.dice.below(20) {
            0 => shop.house.restart().await,
            1 => referee.close(&mut shop).await,
            2 => {
                let (name, _) = METRICS[referee.dice.below(6) as usize];
                let version = referee.versions.entry(name).or_default();
                *version += 1;
                let known = METRICS.iter().find(|known| known.0 == name).expect("it");
                let unique = (name == "unique").then_some("user");
                let unit = format!("unit {version}");
                shop.register_as(name, &unit, known.1, unique).await;
            }
            3 => {
                let hours = referee.dice.below(30).cast_signed();
                let now = shop.house.clock.now();
                shop.house.clock.push(now.plus_seconds(hours * 3_600));
            }
            _ => referee.batch(&shop).await,
        }
        if step % 20 == 19 {
            referee.compare(&shop).await;
        }
    }
    shop.house.restart().await;
    referee.compare(&shop).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn streams_add_up_whatever_happens_in_between() {
    for seed in 1..=6 {
        println!("seed {seed}");
        stream(seed).await;
    }
}
