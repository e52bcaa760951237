//! What the metering chapter uses, and by arithmetic of its own what that costs.

use actors::domain::time::{Date, Timestamp};
use serde_json::{Value, json};

use super::meter::Meter;

/// How long ago the contract began: its first period is over, its second one open.
const DAYS_AGO: i64 = 40;
/// The usage subscription's tax, in percent.
pub(super) const TAX_PERCENT: i64 = 21;
/// Calls of each day, every other hour.
const CALLS_A_DAY: i64 = 12;
/// Logins of the first period.
const LOGINS: i64 = 180;
/// The people behind them.
const USERS: i64 = 64;
/// Sales of the first period.
const SALES: i64 = 12;

/// The days of the chapter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// First day of the contract and of its first period.
    pub(super) start: Date,
    /// First day of the second period, which is open.
    pub(super) turn: Date,
    now: Timestamp,
}

/// A usage event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub(super) meter: Meter,
    /// The quantity in hundredths.
    pub(super) hundredths: i64,
    pub(super) occurred_at: Timestamp,
    /// What makes its key.
    pub(super) name: String,
    pub(super) user: Option<String>,
}

/// What a metric's first period must cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Expected {
    /// The quantity in hundredths.
    pub(super) hundredths: i64,
    pub(super) amount_minor: i64,
}

impl Plan {
    /// The plan of a chapter that is told at `now`.
    pub(super) fn at(now: Timestamp) -> Self {
        let start = now.date().plus_days(-DAYS_AGO);
        Self { start, turn: start.plus_months(1), now }
    }

    /// The calls of the first period; on two days of seven there are few.
    pub(super) fn calls(&self) -> Vec<Event> {
        let day = |day: i64| {
            (0..CALLS_A_DAY).map(move |nth| {
                let calls = 20 + (day * 7 + nth * 13) % 50;
                let calls = if day % 7 < 5 { calls } else { calls / 3 };
                self.event(Meter::Calls, calls * 100, day, 2 * nth, format!("call-{day}-{nth}"))
            })
        };
        (0..self.days()).flat_map(day).collect()
    }

    /// The logins of the first period.
    pub(super) fn logins(&self) -> Vec<Event> {
        let login = |nth: i64| {
            let day = nth % self.days();
            let user = Some(format!("user-{}", nth * 37 % USERS));
            let event = self.event(Meter::People, 100, day, nth % 24, format!("login-{nth}"));
            Event { user, ..event }
        };
        (0..LOGINS).map(login).collect()
    }

    /// What was kept on each day of the first period.
    pub(super) fn storage(&self) -> Vec<Event> {
        let kept = |day: i64| {
            let hundredths = (300 + day * 97 % 313) * 100;
            self.event(Meter::Storage, hundredths, day, 23, format!("disk-{day}"))
        };
        (0..self.days()).map(kept).collect()
    }

    /// The sales of the first period.
    pub(super) fn sales(&self) -> Vec<Event> {
        let sale = |nth: i64| {
            let hundredths = 12_005 + nth * nth * 713;
            self.event(Meter::Sales, hundredths, nth * 2, 12, format!("sale-{nth}"))
        };
        (0..SALES).map(sale).collect()
    }

    /// The events of the open period, a minute apart: one of each metric.
    pub(super) fn present(&self) -> Vec<Event> {
        let event = |(nth, meter): (i64, Meter)| Event {
            meter,
            hundredths: Self::used_now(meter),
            occurred_at: self.now.plus_seconds(-60 * nth),
            name: format!("now-{nth}"),
            user: (meter == Meter::People).then(|| "user-1".to_owned()),
        };
        (1..).zip(Meter::ALL).map(event).collect()
    }

    /// What the open period has used, in hundredths.
    pub(super) fn used_now(meter: Meter) -> i64 {
        match meter {
            Meter::Calls => 12_000,
            Meter::Storage => 28_000,
            Meter::People => 100,
            Meter::Sales => 9_995,
        }
    }

    /// A call of the first period that is told when that is closed.
    pub(super) fn late_call(&self) -> Event {
        self.event(Meter::Calls, 50_000, 1, 1, "late".to_owned())
    }

    /// What the first period must bring.
    pub(super) fn expected(&self, meter: Meter) -> Expected {
        let sum = |events: Vec<Event>| -> i64 { events.iter().map(|event| event.hundredths).sum() };
        match meter {
            Meter::Calls => {
                let hundredths = sum(self.calls());
                let calls = hundredths / 100;
                // In tenths of a cent.
                let bands = calls.min(1_000) * 20
                    + (calls.clamp(1_000, 10_000) - 1_000) * 15
                    + (calls.max(10_000) - 10_000) * 10;
                Expected { hundredths, amount_minor: half_up(bands, 10) }
            }
            Meter::Storage => {
                let most = self.storage().iter().map(|event| event.hundredths).max().unwrap_or(0);
                let packages = (most - 25_000 + 9_999) / 10_000;
                Expected { hundredths: most, amount_minor: packages * 500 }
            }
            Meter::People => Expected { hundredths: USERS * 100, amount_minor: USERS * 150 },
            Meter::Sales => {
                let hundredths = sum(self.sales());
                let share = half_up(hundredths * 290, 10_000);
                Expected { hundredths, amount_minor: share.max(5_000) }
            }
        }
    }

    /// What the calls of the first period would have brought at the price that is tried.
    pub(super) fn calls_at_flat_price(&self) -> i64 {
        half_up(self.expected(Meter::Calls).hundredths / 100 * 12, 10)
    }

    fn days(&self) -> i64 {
        self.turn.days_since(self.start)
    }

    fn event(&self, meter: Meter, hundredths: i64, day: i64, hour: i64, name: String) -> Event {
        let occurred_at = self.start.plus_days(day).start().plus_seconds(hour * 3600 + 60);
        Event { meter, hundredths, occurred_at, name, user: None }
    }
}

impl Event {
    /// The event as the API takes it (billing 2.8).
    pub(super) fn json(&self, contract: u64, run: &str) -> Value {
        let mut body = json!({
            "contractId": contract.to_string(), "metric": self.meter.name(),
            "quantity": decimal(self.hundredths), "occurredAt": self.occurred_at.to_string(),
            "idempotencyKey": self.key(run),
        });
        if let Some(user) = &self.user {
            body["metadata"] = json!({"user": user});
        }
        body
    }

    /// Its idempotency key.
    pub(super) fn key(&self, run: &str) -> String {
        format!("demo:{run}:{}", self.name)
    }
}

/// Hundredths as a plain decimal: `12.5`, `3`.
pub(super) fn decimal(hundredths: i64) -> String {
    let text = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The quotient of two numbers that are not negative, a half rounded up.
fn half_up(number: i64, by: i64) -> i64 {
    (number * 2 + by) / (by * 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(now: &str) -> Plan {
        Plan::at(Timestamp::parse(now).expect("a time"))
    }

    #[test]
    fn the_first_period_costs_what_a_pocket_calculator_says() {
        let plan = plan("2026-11-21T10:00:00Z");
        assert_eq!((plan.start.to_string(), plan.turn.to_string()), {
            ("2026-10-12".to_owned(), "2026-11-12".to_owned())
        });
        let calls = plan.expected(Meter::Calls);
        // 13,625 calls: 20.00 + 135.00 + 3,625 × 0.01.
        assert_eq!(calls, Expected { hundredths: 1_362_500, amount_minor: 19_125 });
        // 609 GB at most: 359 beyond those included, four packages.
        let storage = Expected { hundredths: 60_900, amount_minor: 2_000 };
        assert_eq!(plan.expected(Meter::Storage), storage);
        assert_eq!(plan.expected(Meter::People).amount_minor, 9_600);
        // 2.9 % of 5,048.38 is 146.40302.
        let sales = Expected { hundredths: 504_838, amount_minor: 14_640 };
        assert_eq!(plan.expected(Meter::Sales), sales);
    }

    #[test]
    fn every_event_of_the_past_lies_in_the_first_period_and_the_second_is_open() {
        for offset in 0..800 {
            let now = Date::parse("2027-01-01").expect("a day").plus_days(offset).start();
            let plan = Plan::at(now.plus_seconds(5));
            let past = [plan.calls(), plan.logins(), plan.storage(), plan.sales()].concat();
            let first = plan.start..plan.turn;
            assert!(past.iter().all(|event| first.contains(&event.occurred_at.date())));
            assert!(first.contains(&plan.late_call().occurred_at.date()));
            let second = plan.turn..plan.start.plus_months(2);
            assert!(plan.present().iter().all(|event| second.contains(&event.occurred_at.date())));
            assert!(plan.calls().len() <= 500 && plan.logins().len() <= 500);
        }
    }

    #[test]
    fn hundredths_read_as_decimals() {
        assert_eq!([1250, 300, 5, 0].map(decimal), ["12.5", "3", "0.05", "0"]);
    }
}
