//! Prices of metrics: evaluated, put on contracts, tried on closed periods.

mod backtest;
mod evaluating;
mod putting;

use crate::support::make::merge;
use crate::support::{Value, json};

/// A configuration: `more` put over euros, rounded half up.
fn config(more: Value) -> Value {
    let mut config = json!({"currency": "EUR", "rounding": "half_up"});
    merge(&mut config, more);
    config
}

/// So much for each unit.
fn per_unit(price: &str) -> Value {
    config(json!({"scheme": "per_unit", "unitPrice": price}))
}

/// What is wrong with a configuration, by what is put over a right one, and the field that the
/// refusal names.
fn wrong() -> Vec<(Value, &'static str)> {
    let two = |first: Value, last: Value| json!({"scheme": "graduated", "tiers": [first, last]});
    let last = || json!({"upTo": null, "unitPrice": "1"});
    vec![
        (json!({"scheme": null}), "config.scheme is required"),
        (json!({"scheme": "flat"}), "config.scheme must be one of"),
        (json!({"currency": null}), "config.currency is required"),
        (json!({"currency": "XXY"}), "config.currency"),
        (json!({"rounding": null}), "config.rounding is required"),
        (json!({"rounding": "nearest"}), "config.rounding"),
        (json!({"unitPrice": null}), "config.unitPrice is required"),
        (json!({"unitPrice": "-1"}), "config.unitPrice"),
        (json!({"unitPrice": "1e3"}), "config.unitPrice"),
        (json!({"unitPrice": 1}), "config.unitPrice"),
        (json!({"scheme": "package"}), "config.packageSize is required"),
        (json!({"scheme": "package", "packageSize": "0"}), "config.packageSize"),
        (json!({"packageSize": "10"}), "config.packageSize is not allowed"),
        (json!({"scheme": "percentage"}), "config.percentBps is required"),
        (json!({"scheme": "percentage", "percentBps": -1}), "config.percentBps"),
        (json!({"scheme": "percentage", "percentBps": 2.5}), "config.percentBps"),
        (json!({"percentBps": 100}), "config.percentBps is not allowed"),
        (json!({"scheme": "volume"}), "config.tiers is required"),
        (json!({"scheme": "volume", "tiers": []}), "config.tiers"),
        (two(json!({"upTo": null, "unitPrice": "1"}), last()), "config.tiers[0].upTo"),
        (two(json!({"upTo": "0", "unitPrice": "1"}), last()), "config.tiers[0].upTo"),
        (two(json!({"upTo": "5"}), last()), "config.tiers[0].unitPrice is required"),
        (two(json!({"upTo": "5", "flatAmount": "1"}), last()), "config.tiers[0].flatAmount"),
        (
            two(json!({"upTo": "5", "unitPrice": "1"}), json!({"upTo": "9", "unitPrice": "1"})),
            "config.tiers[1].upTo",
        ),
        (
            json!({"scheme": "tiered", "tiers": [
                {"upTo": "9", "flatAmount": "1"}, {"upTo": "8", "flatAmount": "1"},
                {"upTo": null, "flatAmount": "1"},
            ]}),
            "config.tiers[1].upTo",
        ),
        (json!({"allotment": {}}), "config.allotment.includedUnits is required"),
        (json!({"allotment": {"includedUnits": "-1"}}), "config.allotment.includedUnits"),
        (
            json!({"allotment": {"includedUnits": "1", "rollover": "always"}}),
            "config.allotment.rollover",
        ),
        (json!({"commitment": {"minimumMinor": -1}}), "config.commitment.minimumMinor"),
        (json!({"commitment": {"minimumMinor": "1"}}), "config.commitment.minimumMinor"),
        (json!({"commitment": {"spendCapMinor": -1}}), "config.commitment.spendCapMinor"),
        (
            json!({"commitment": {"minimumMinor": 2, "spendCapMinor": 1}}),
            "config.commitment.minimumMinor",
        ),
        (json!({"commitment": {"usageCap": "many"}}), "config.commitment.usageCap"),
        (
            json!({"scheme": "per_seat", "allotment": {"includedUnits": "1"}}),
            "config.allotment is not allowed",
        ),
        (
            json!({"scheme": "per_seat", "commitment": {"usageCap": "1"}}),
            "config.commitment.usageCap is not allowed",
        ),
    ]
}
