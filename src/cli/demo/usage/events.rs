//! The usage events of the chapter, and by arithmetic of its own what they cost.

use actors::domain::time::{Date, Timestamp};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use crate::cli::demo::year::tax;

const CALLS: &str = "api.calls";
const STORAGE: &str = "storage.gigabytes";
const PEOPLE: &str = "people.active";
const SALES: &str = "sales.volume";
const METRICS: [&str; 4] = [CALLS, STORAGE, PEOPLE, SALES];

/// How long ago the contract began: its first period is over, its second one open.
const DAYS_AGO: i64 = 40;
/// Calls of each day, every other hour.
const CALLS_A_DAY: i64 = 12;
/// Logins of the first period, and the people behind them.
const LOGINS: i64 = 180;
const USERS: i64 = 64;
const SALES_MADE: i64 = 12;
const BAD_ROW: &str = "2026-01-01T00:00:00Z,plenty,disk-bad,rack-7\n";

#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    start: Date,
    /// First day of the second period, which is open.
    turn: Date,
    now: Timestamp,
}

#[derive(Clone, Debug)]
struct Event {
    metric: &'static str,
    /// The quantity in hundredths.
    hundredths: i64,
    occurred_at: Timestamp,
    /// What makes its key.
    name: String,
    user: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Expected {
    /// The quantity in hundredths.
    hundredths: i64,
    amount_minor: i64,
}

impl Usage {
    pub(crate) fn at(now: Timestamp) -> Self {
        let start = now.date().plus_days(-DAYS_AGO);
        Self { start, turn: start.plus_months(1), now }
    }

    /// What the chapter's steps and checks refer to; `run` makes the events' keys its own.
    pub(crate) fn data(&self, run: &str) -> Value {
        let list = |events: &[Event]| events.iter().map(|event| event.json(run)).collect::<Value>();
        let (present, calls, logins) = (self.present(), self.calls(), self.logins());
        let (storage, sales) = (self.storage(), self.sales());
        let sent = [&present, &calls, &logins, &storage, &sales].map(Vec::len);
        let mut contradiction = present[0].clone();
        contradiction.hundredths += 1;
        let expected = |metric: &&str| {
            let Expected { hundredths, amount_minor } = self.expected(metric);
            let figures = json!({
                "quantity": decimal(hundredths), "amountMinor": amount_minor,
                "usedNow": decimal(Self::used_now(metric)),
            });
            ((*metric).to_owned(), figures)
        };
        let net: i64 = METRICS.iter().map(|metric| self.expected(metric).amount_minor).sum();
        let (billed, flat) = (self.expected(CALLS).amount_minor, self.calls_at_flat_price());
        json!({
            "start": self.start, "turn": self.turn,
            "present": list(&present), "contradiction": contradiction.json(run),
            "calls": list(&calls), "logins": list(&logins), "sales": list(&sales),
            "file": file(&storage, run), "late": self.late_call().json(run),
            "sent": sent.iter().sum::<usize>(),
            "expected": METRICS.iter().map(expected).collect::<serde_json::Map<_, _>>(),
            "dueMinor": net + tax(net), "flatMinor": flat, "differenceMinor": flat - billed,
        })
    }

    /// The calls of the first period; on two days of seven there are few.
    fn calls(&self) -> Vec<Event> {
        let day = |day: i64| {
            (0..CALLS_A_DAY).map(move |nth| {
                let calls = 20 + (day * 7 + nth * 13) % 50;
                let calls = if day % 7 < 5 { calls } else { calls / 3 };
                self.event(CALLS, calls * 100, day, 2 * nth, format!("call-{day}-{nth}"))
            })
        };
        (0..self.days()).flat_map(day).collect()
    }

    fn logins(&self) -> Vec<Event> {
        let login = |nth: i64| {
            let day = nth % self.days();
            let user = Some(format!("user-{}", nth * 37 % USERS));
            Event { user, ..self.event(PEOPLE, 100, day, nth % 24, format!("login-{nth}")) }
        };
        (0..LOGINS).map(login).collect()
    }

    fn storage(&self) -> Vec<Event> {
        let kept = |day: i64| {
            let hundredths = (300 + day * 97 % 313) * 100;
            self.event(STORAGE, hundredths, day, 23, format!("disk-{day}"))
        };
        (0..self.days()).map(kept).collect()
    }

    fn sales(&self) -> Vec<Event> {
        let sale = |nth: i64| {
            let hundredths = 12_005 + nth * nth * 713;
            self.event(SALES, hundredths, nth * 2, 12, format!("sale-{nth}"))
        };
        (0..SALES_MADE).map(sale).collect()
    }

    /// The events of the open period, a minute apart: one of each metric.
    fn present(&self) -> Vec<Event> {
        let event = |(nth, metric): (i64, &'static str)| Event {
            metric,
            hundredths: Self::used_now(metric),
            occurred_at: self.now.plus_seconds(-60 * nth),
            name: format!("now-{nth}"),
            user: (metric == PEOPLE).then(|| "user-1".to_owned()),
        };
        (1..).zip(METRICS).map(event).collect()
    }

    /// What the open period has used, in hundredths.
    fn used_now(metric: &str) -> i64 {
        match metric {
            CALLS => 12_000,
            STORAGE => 28_000,
            PEOPLE => 100,
            _ => 9_995,
        }
    }

    /// A call of the first period that is sent when that is closed.
    fn late_call(&self) -> Event {
        self.event(CALLS, 50_000, 1, 1, "late".to_owned())
    }

    fn expected(&self, metric: &str) -> Expected {
        let sum = |events: Vec<Event>| -> i64 { events.iter().map(|event| event.hundredths).sum() };
        match metric {
            CALLS => {
                let hundredths = sum(self.calls());
                let calls = hundredths / 100;
                // In tenths of a cent.
                let bands = calls.min(1_000) * 20
                    + (calls.clamp(1_000, 10_000) - 1_000) * 15
                    + (calls.max(10_000) - 10_000) * 10;
                Expected { hundredths, amount_minor: half_up(bands, 10) }
            }
            STORAGE => {
                let most = self.storage().iter().map(|event| event.hundredths).max().unwrap_or(0);
                let packages = (most - 25_000 + 9_999) / 10_000;
                Expected { hundredths: most, amount_minor: packages * 500 }
            }
            PEOPLE => Expected { hundredths: USERS * 100, amount_minor: USERS * 150 },
            _ => {
                let hundredths = sum(self.sales());
                let share = half_up(hundredths * 290, 10_000);
                Expected { hundredths, amount_minor: share.max(5_000) }
            }
        }
    }

    /// What the calls of the first period would have brought at the price that is tried.
    fn calls_at_flat_price(&self) -> i64 {
        half_up(self.expected(CALLS).hundredths / 100 * 12, 10)
    }

    fn days(&self) -> i64 {
        self.turn.days_since(self.start)
    }

    fn event(
        &self,
        metric: &'static str,
        hundredths: i64,
        day: i64,
        hour: i64,
        name: String,
    ) -> Event {
        let occurred_at = self.start.plus_days(day).start().plus_seconds(hour * 3600 + 60);
        Event { metric, hundredths, occurred_at, name, user: None }
    }
}

impl Event {
    fn json(&self, run: &str) -> Value {
        let mut body = json!({
            "contractId": "<metered/id|text>", "metric": self.metric,
            "quantity": decimal(self.hundredths), "occurredAt": self.occurred_at.to_string(),
            "idempotencyKey": self.key(run),
        });
        if let Some(user) = &self.user {
            body["metadata"] = json!({"user": user});
        }
        body
    }

    fn key(&self, run: &str) -> String {
        format!("demo:{run}:{}", self.name)
    }
}

/// The CSV file with these events, and one row that cannot be taken.
fn file(events: &[Event], run: &str) -> String {
    let mut file = "when,gigabytes,id,rack\n".to_owned();
    for event in events {
        let (quantity, key) = (decimal(event.hundredths), event.key(run));
        file.push_str(&format!("{},{quantity},{key},rack-7\n", event.occurred_at));
    }
    file + BAD_ROW
}

/// Hundredths as a plain decimal: `12.5`, `3`.
fn decimal(hundredths: i64) -> String {
    Decimal::new(hundredths, 2).normalize().to_string()
}

/// The quotient of two numbers that are not negative, a half rounded up.
fn half_up(number: i64, by: i64) -> i64 {
    (number * 2 + by) / (by * 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_period_costs_what_a_pocket_calculator_says() {
        let usage = Usage::at(Timestamp::parse("2026-11-21T10:00:00Z").expect("a time"));
        assert_eq!((usage.start.to_string(), usage.turn.to_string()), {
            ("2026-10-12".to_owned(), "2026-11-12".to_owned())
        });
        let expected = |hundredths, amount_minor| Expected { hundredths, amount_minor };
        // 13,625 calls: 20.00 + 135.00 + 3,625 × 0.01.
        assert_eq!(usage.expected(CALLS), expected(1_362_500, 19_125));
        // 609 GB at most: 359 beyond those included, four packages.
        assert_eq!(usage.expected(STORAGE), expected(60_900, 2_000));
        assert_eq!(usage.expected(PEOPLE), expected(6_400, 9_600));
        // 2.9 % of 5,048.38 is 146.40302.
        assert_eq!(usage.expected(SALES), expected(504_838, 14_640));
    }

    #[test]
    fn every_event_of_the_past_lies_in_the_first_period_and_the_second_is_open() {
        for offset in 0..800 {
            let now = Date::parse("2027-01-01").expect("a day").plus_days(offset).start();
            let usage = Usage::at(now.plus_seconds(5));
            let past = [usage.calls(), usage.logins(), usage.storage(), usage.sales()].concat();
            let first = usage.start..usage.turn;
            assert!(past.iter().all(|event| first.contains(&event.occurred_at.date())));
            assert!(first.contains(&usage.late_call().occurred_at.date()));
            let second = usage.turn..usage.start.plus_months(2);
            assert!(usage.present().iter().all(|event| second.contains(&event.occurred_at.date())));
            assert!(usage.calls().len() <= 500 && usage.logins().len() <= 500);
        }
    }

    #[test]
    fn hundredths_read_as_decimals() {
        assert_eq!([1250, 300, 5, 0].map(decimal), ["12.5", "3", "0.05", "0"]);
    }
}
