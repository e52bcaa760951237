//! The metrics of the chapter and their prices.

use serde_json::{Value, json};

/// A metric of the chapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meter {
    /// Calls of an interface, added up: a price for each band.
    Calls,
    /// Gigabytes kept, the most at any time: packages beyond those included.
    Storage,
    /// Distinct people: the band they land in prices them all.
    People,
    /// Money that went through: a share of it, at least a minimum.
    Sales,
}

impl Meter {
    /// All of them.
    pub(super) const ALL: [Self; 4] = [Self::Calls, Self::Storage, Self::People, Self::Sales];

    /// The name it is registered under.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Calls => "api.calls",
            Self::Storage => "storage.gigabytes",
            Self::People => "people.active",
            Self::Sales => "sales.volume",
        }
    }

    /// The body that registers it.
    pub(super) fn registration(self) -> Value {
        let (unit, aggregation) = match self {
            Self::Calls => ("call", "sum"),
            Self::Storage => ("GB", "max"),
            Self::People => ("person", "count_unique"),
            Self::Sales => ("EUR", "sum"),
        };
        let mut body = json!({"name": self.name(), "unit": unit, "aggregation": aggregation});
        if self == Self::People {
            body["uniqueKey"] = json!("user");
        }
        body
    }

    /// Its price configuration (billing 2.7).
    pub(super) fn price(self) -> Value {
        let scheme = match self {
            Self::Calls => json!({"scheme": "graduated", "tiers": [
                {"upTo": "1000", "unitPrice": "0.02"},
                {"upTo": "10000", "unitPrice": "0.015"},
                {"upTo": null, "unitPrice": "0.01"},
            ]}),
            Self::Storage => json!({
                "scheme": "package", "packageSize": "100", "unitPrice": "5.00",
                "allotment": {"includedUnits": "250", "rollover": "none"},
            }),
            Self::People => json!({"scheme": "volume", "tiers": [
                {"upTo": "50", "unitPrice": "2.00"},
                {"upTo": null, "unitPrice": "1.50"},
            ]}),
            Self::Sales => json!({
                "scheme": "percentage", "percentBps": 290,
                "commitment": {"minimumMinor": 5_000},
            }),
        };
        let mut config = scheme;
        config["currency"] = json!("EUR");
        config["rounding"] = json!("half_up");
        config
    }

    /// The price in a few words.
    pub(super) fn price_words(self) -> &'static str {
        match self {
            Self::Calls => "graduated: 0.02 to 1,000, 0.015 to 10,000, then 0.01",
            Self::Storage => "package: 5.00 for each 100 beyond 250 included",
            Self::People => "volume: 2.00 each to 50, beyond that 1.50 for all",
            Self::Sales => "percentage: 2.9 %, at least 50.00",
        }
    }
}

/// Another price for the calls, to see what it would have brought.
pub(super) fn flat_price() -> Value {
    json!({"scheme": "per_unit", "unitPrice": "0.012", "currency": "EUR", "rounding": "half_up"})
}
