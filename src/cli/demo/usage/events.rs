//! The usage events of the chapter, and by arithmetic of its own what they cost.

use actors::domain::time::{Date, Timestamp};
use rust_decimal::Decimal;
use serde_json::{Value, json};

use super::meters::{CALLS, METERS, PEOPLE, SALES, STORAGE};

/// How long ago the contract began: its first period is over, its second one open.
const DAYS_AGO: i64 = 40;
/// Calls of each day, every other hour.
const CALLS_A_DAY: i64 = 12;
/// Logins of the first period, and the people behind them.
const LOGINS: i64 = 180;
const USERS: i64 = 64;
/// Sales of the first period.
const SALES_MADE: i64 = 12;

/// What is used, and when.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    /// First day of the contract and of its first period.
    pub(super) start: Date,
    /// First day of the second period, which is open.
    pub(super) turn: Date,
    now: Timestamp,
}

#[derive(Clone, Debug)]
pub(super) struct Event {
    metric: &'static str,
    /// The quantity in hundredths.
    pub(super) hundredths: i64,
    pub(super) occurred_at: Timestamp,
    /// What makes its key.
    name: String,
    user: Option<String>,
}

/// What a metric's first period must cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Expected {
    /// The quantity in hundredths.
    pub(super) hundredths: i64,
    pub(super) amount_minor: i64,
}

impl Expected {
    pub(super) fn quantity(self) -> Decimal {
        Decimal::new(self.hundredths, 2)
    }
}

impl Usage {
    pub(crate) fn at(now: Timestamp) -> Self {
        let start = now.date().plus_days(-DAYS_AGO);
        Self { start, turn: start.plus_months(1), now }
    }

    /// The path of a metric's days in the first period.
    pub(super) fn series(&self, metric: &str) -> String {
        let (from, to) = (self.start, self.turn);
        let path = format!("/billing-api/v1/contracts/<metered/id>/usage/{metric}/series");
        format!("{path}?from={from}&to={to}&bucket=day")
    }

    /// The calls of the first period; on two days of seven there are few.
    pub(super) fn calls(&self) -> Vec<Event> {
        let day = |day: i64| {
            (0..CALLS_A_DAY).map(move |nth| {
                let calls = 20 + (day * 7 + nth * 13) % 50;
                let calls = if day % 7 < 5 { calls } else { calls / 3 };
                self.event(CALLS, calls * 100, day, 2 * nth, format!("call-{day}-{nth}"))
            })
        };
        (0..self.days()).flat_map(day).collect()
    }

    pub(super) fn logins(&self) -> Vec<Event> {
        let login = |nth: i64| {
            let day = nth % self.days();
            let user = Some(format!("user-{}", nth * 37 % USERS));
            Event { user, ..self.event(PEOPLE, 100, day, nth % 24, format!("login-{nth}")) }
        };
        (0..LOGINS).map(login).collect()
    }

    /// What was kept on each day of the first period.
    pub(super) fn storage(&self) -> Vec<Event> {
        let kept = |day: i64| {
            let hundredths = (300 + day * 97 % 313) * 100;
            self.event(STORAGE, hundredths, day, 23, format!("disk-{day}"))
        };
        (0..self.days()).map(kept).collect()
    }

    pub(super) fn sales(&self) -> Vec<Event> {
        let sale = |nth: i64| {
            let hundredths = 12_005 + nth * nth * 713;
            self.event(SALES, hundredths, nth * 2, 12, format!("sale-{nth}"))
        };
        (0..SALES_MADE).map(sale).collect()
    }

    /// The events of the open period, a minute apart: one of each metric.
    pub(super) fn present(&self) -> Vec<Event> {
        let event = |(nth, meter): (i64, &super::meters::Meter)| Event {
            metric: meter.name,
            hundredths: Self::used_now(meter.name),
            occurred_at: self.now.plus_seconds(-60 * nth),
            name: format!("now-{nth}"),
            user: (meter.name == PEOPLE).then(|| "user-1".to_owned()),
        };
        (1..).zip(&METERS).map(event).collect()
    }

    /// What the open period has used, in hundredths.
    pub(super) fn used_now(metric: &str) -> i64 {
        match metric {
            CALLS => 12_000,
            STORAGE => 28_000,
            PEOPLE => 100,
            _ => 9_995,
        }
    }

    /// A call of the first period that is sent when that is closed.
    pub(super) fn late_call(&self) -> Event {
        self.event(CALLS, 50_000, 1, 1, "late".to_owned())
    }

    /// How many events are sent in all, the late one apart.
    pub(super) fn sent(&self) -> usize {
        [self.present(), self.calls(), self.logins(), self.storage(), self.sales()].concat().len()
    }

    /// What the first period must bring.
    pub(super) fn expected(&self, metric: &str) -> Expected {
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
    pub(super) fn calls_at_flat_price(&self) -> i64 {
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
    pub(super) fn json(&self) -> Value {
        let mut body = json!({
            "contractId": "<metered/id|text>", "metric": self.metric,
            "quantity": decimal(self.hundredths), "occurredAt": self.occurred_at.to_string(),
            "idempotencyKey": self.key(),
        });
        if let Some(user) = &self.user {
            body["metadata"] = json!({"user": user});
        }
        body
    }

    /// Its idempotency key: keys are unique for a seller for ever.
    pub(super) fn key(&self) -> String {
        format!("demo:<run>:{}", self.name)
    }
}

/// Hundredths as a plain decimal: `12.5`, `3`.
pub(super) fn decimal(hundredths: i64) -> String {
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
