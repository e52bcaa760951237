//! The metrics of the chapter and their prices.

use serde_json::{Value, json};

pub(super) const CALLS: &str = "api.calls";
pub(super) const STORAGE: &str = "storage.gigabytes";
pub(super) const PEOPLE: &str = "people.active";
pub(super) const SALES: &str = "sales.volume";

pub(super) struct Meter {
    pub(super) name: &'static str,
    unit: &'static str,
    aggregation: &'static str,
    /// The price configuration of the API.
    pub(super) price: fn() -> Value,
    /// The price in a few words.
    words: &'static str,
}

/// The calls come first.
pub(super) const METERS: [Meter; 4] = [
    Meter {
        name: CALLS,
        unit: "call",
        aggregation: "sum",
        price: || {
            json!({
                "scheme": "graduated", "currency": "EUR", "rounding": "half_up",
                "tiers": [
                    {"upTo": "1000", "unitPrice": "0.02"},
                    {"upTo": "10000", "unitPrice": "0.015"},
                    {"upTo": null, "unitPrice": "0.01"},
                ],
            })
        },
        words: "graduated: 0.02 to 1,000, 0.015 to 10,000, then 0.01",
    },
    Meter {
        name: STORAGE,
        unit: "GB",
        aggregation: "max",
        price: || {
            json!({
                "scheme": "package", "currency": "EUR", "rounding": "half_up",
                "packageSize": "100", "unitPrice": "5.00",
                "allotment": {"includedUnits": "250", "rollover": "none"},
            })
        },
        words: "package: 5.00 for each 100 beyond 250 included",
    },
    Meter {
        name: PEOPLE,
        unit: "person",
        aggregation: "count_unique",
        price: || {
            json!({
                "scheme": "volume", "currency": "EUR", "rounding": "half_up",
                "tiers": [
                    {"upTo": "50", "unitPrice": "2.00"},
                    {"upTo": null, "unitPrice": "1.50"},
                ],
            })
        },
        words: "volume: 2.00 each to 50, beyond that 1.50 for all",
    },
    Meter {
        name: SALES,
        unit: "EUR",
        aggregation: "sum",
        price: || {
            json!({
                "scheme": "percentage", "currency": "EUR", "rounding": "half_up",
                "percentBps": 290, "commitment": {"minimumMinor": 5_000},
            })
        },
        words: "percentage: 2.9 %, at least 50.00",
    },
];

/// Another price for the calls, to see what it would have brought.
pub(super) fn flat_price() -> Value {
    json!({"scheme": "per_unit", "unitPrice": "0.012", "currency": "EUR", "rounding": "half_up"})
}

impl Meter {
    /// The body that registers it.
    pub(super) fn body(&self) -> Value {
        let Self { name, unit, aggregation, .. } = self;
        let mut body = json!({"name": name, "unit": unit, "aggregation": aggregation});
        if *aggregation == "count_unique" {
            body["uniqueKey"] = json!("user");
        }
        body
    }

    /// The row of the table of prices.
    pub(super) fn row(&self) -> Value {
        let mut row = self.body();
        row["words"] = json!(self.words);
        row
    }
}
