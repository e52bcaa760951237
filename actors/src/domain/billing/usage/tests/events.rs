//! Events for the tests, plain and random.

use proptest::prelude::*;
use rust_decimal::Decimal;

use crate::domain::billing::usage::{
    Aggregation, EventKey, Measured, Units, UsageEvent, ValueFingerprint,
};
use crate::domain::ids::UsageEventId;
use crate::domain::quantity::Quantity;
use crate::domain::time::{Date, Timestamp};

pub(super) const AGGREGATIONS: [Aggregation; 6] = [
    Aggregation::Sum,
    Aggregation::Max,
    Aggregation::Min,
    Aggregation::Last,
    Aggregation::Count,
    Aggregation::CountUnique,
];

pub(super) fn day(number: i64) -> Date {
    Date::new(2026, 11, 1).expect("a day").plus_days(number)
}

/// An event by the numbers that make it: billionths, microseconds since the first day, value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fact {
    pub(super) version: u32,
    pub(super) billionths: u64,
    pub(super) micros: i64,
    pub(super) value: u16,
}

impl Fact {
    pub(super) fn at(self) -> Timestamp {
        Timestamp::from_micros(day(0).start().micros() + self.micros)
    }

    pub(super) fn quantity(self) -> Quantity {
        let value = Decimal::from_i128_with_scale(i128::from(self.billionths), 9);
        Quantity::parse(&value.to_string()).expect("a quantity")
    }

    pub(super) fn measured(self, aggregation: Aggregation) -> Measured {
        let value = ValueFingerprint::of(&self.value.to_string());
        Measured {
            version: self.version,
            aggregation,
            quantity: Units::from(self.quantity()),
            at: self.at(),
            value: (aggregation == Aggregation::CountUnique).then_some(value),
            times: 1,
        }
    }
}

/// Events of five days, many at the same instants, of three metric versions.
pub(super) fn facts() -> impl Strategy<Value = Vec<Fact>> {
    let one = (1..=3_u32, 0..5_000_000_000_u64, 0..5 * 24 * 4_i64, 0..2_000_u16);
    let fact = one.prop_map(|(version, billionths, quarters, value)| Fact {
        version,
        billionths,
        micros: quarters * 15 * 60 * 1_000_000,
        value,
    });
    prop::collection::vec(fact, 0..80)
}

/// Keys as sellers make them.
fn keys() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<u128>().prop_map(uuid),
        any::<u128>().prop_map(|bits| uuid(bits).to_uppercase()),
        (0..2_000_u32).prop_map(|n| format!("order-2026-{n:06}")),
        "[ -~]{1,255}",
        "[a-zà-ö一-丅😀]{1,255}",
        "[0-9a-fA-F-]{36}",
    ]
}

pub(super) fn uuid(bits: u128) -> String {
    let digits = format!("{bits:032x}");
    let parts = [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]];
    parts.join("-")
}

/// Recorded events in the order of arrival.
pub(super) fn recorded(most: usize) -> impl Strategy<Value = Vec<UsageEvent>> {
    let quantity = ("[0-9]{1,18}", "[0-9]{0,9}").prop_map(|(whole, rest)| {
        let text = if rest.is_empty() { whole } else { format!("{whole}.{rest}") };
        Quantity::parse(&text).expect("a quantity")
    });
    let instants = prop_oneof![
        (0..86_400_i64).prop_map(|second| second * 1_000_000),
        (0..86_400_000_i64).prop_map(|milli| milli * 1_000),
        0..86_400_000_000_i64,
    ];
    let one = (
        (1..1_u64 << 53, keys(), quantity),
        (instants, any::<i32>(), 1..=u32::MAX),
        prop::option::weighted(0.3, ".{0,200}"),
    );
    let event = one.prop_map(|((id, key, quantity), (micros, delay, version), metadata)| {
        let occurred_at = Timestamp::from_micros(day(0).start().micros() + micros);
        UsageEvent {
            id: UsageEventId(id),
            key: EventKey::parse(&key).expect("a key"),
            quantity,
            occurred_at,
            received_at: occurred_at.plus_millis(i64::from(delay)),
            metadata,
            version,
        }
    });
    prop::collection::vec(event, 1..most)
}
