//! `POST /prices/evaluate`.

use super::{config, per_unit, wrong};
use crate::support::make::with;
use crate::support::{Seller, Server, Value, json};

async fn evaluate(seller: &Seller, config: Value, quantities: &[&str]) -> Vec<Value> {
    let body = json!({"config": config, "quantities": quantities});
    let answer = seller.billing.post("/prices/evaluate", &body).await.is(200);
    answer["results"].as_array().expect("results").clone()
}

fn limits(acted: &str) -> Value {
    json!({
        "includedUnitsApplied": acted.contains('i'), "usageCapApplied": acted.contains('u'),
        "minimumApplied": acted.contains('m'), "spendCapApplied": acted.contains('s'),
    })
}

#[tokio::test]
async fn every_scheme_comes_to_its_amounts() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let bands = json!([
        {"upTo": "10", "unitPrice": "1"}, {"upTo": "20", "unitPrice": "0.5"},
        {"upTo": null, "unitPrice": "0.25"},
    ]);
    let flats = json!([{"upTo": "10", "flatAmount": "5"}, {"upTo": null, "flatAmount": "8"}]);
    let share = json!({"scheme": "percentage", "percentBps": 250});
    let package = json!({
        "scheme": "package", "unitPrice": "5", "packageSize": "100",
        "allotment": {"includedUnits": "100"},
    });
    let rows: [(Value, &[(&str, i64)]); 6] = [
        (
            json!({"scheme": "per_unit", "unitPrice": "0.015"}),
            &[("0", 0), ("9", 14), ("0.3", 0), ("1000000", 1_500_000)],
        ),
        (
            json!({"scheme": "graduated", "tiers": bands}),
            &[("0", 0), ("10", 1_000), ("20", 1_500), ("25.5", 1_638)],
        ),
        (
            json!({"scheme": "volume", "tiers": bands}),
            &[("0", 0), ("10", 1_000), ("10.1", 505), ("20", 1_000), ("20.001", 500)],
        ),
        (
            json!({"scheme": "tiered", "tiers": flats}),
            &[("0", 500), ("10", 500), ("10.000000001", 800)],
        ),
        (package, &[("0", 0), ("100", 0), ("100.5", 500), ("200", 500), ("201", 1_000)]),
        (share, &[("0", 0), ("80.4", 201), ("80.2", 201), ("80.1", 200)]),
    ];
    for (scheme, amounts) in rows {
        let quantities: Vec<&str> = amounts.iter().map(|(quantity, _)| *quantity).collect();
        let results = evaluate(&seller, config(scheme.clone()), &quantities).await;
        for (result, (quantity, minor)) in results.iter().zip(amounts) {
            assert_eq!(
                (&result["quantity"], &result["currency"]),
                (&json!(quantity), &json!("EUR"))
            );
            assert_eq!(result["amountMinor"], *minor, "{quantity} by {scheme}");
        }
        assert_eq!(results.len(), amounts.len());
    }
    for (currency, minor) in [("JPY", 2), ("USD", 150), ("KWD", 1_500)] {
        let config = with(&per_unit("1.5"), json!({"currency": currency}));
        let result = evaluate(&seller, config, &["1"]).await.remove(0);
        assert_eq!(
            (&result["amountMinor"], &result["currency"]),
            (&json!(minor), &json!(currency))
        );
    }
    server.close().await;
}

#[tokio::test]
async fn a_result_has_its_bands_and_the_limits_that_acted() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let bands = json!([{"upTo": "10", "unitPrice": "1.50"}, {"upTo": null, "unitPrice": "0.5"}]);
    let graduated = config(json!({
        "scheme": "graduated", "tiers": bands, "unitPrice": "is not read",
        "allotment": {"includedUnits": "5"},
        "commitment": {"minimumMinor": 300, "spendCapMinor": 2000, "usageCap": "30"},
    }));
    let results = evaluate(&seller, graduated, &["0", "6", "12", "20", "35.5"]).await;
    let found: Vec<_> = results.iter().map(|one| (&one["amountMinor"], &one["flags"])).collect();
    let acted = ["m", "im", "i", "i", "ius"].map(limits);
    let amounts = [300, 300, 1_050, 1_750, 2_000].map(Value::from);
    assert_eq!(found, amounts.iter().zip(&acted).collect::<Vec<_>>());
    assert_eq!(
        results[3],
        json!({
            "quantity": "20", "amountMinor": 1750, "currency": "EUR", "flags": limits("i"),
            "lines": [
                {"from": "0", "upTo": "10", "quantity": "10", "unitPrice": "1.5", "amount": "15"},
                {"from": "10", "upTo": null, "quantity": "5", "unitPrice": "0.5", "amount": "2.5"},
            ],
        })
    );
    let line = async |more: Value, quantity: &str| {
        let result = evaluate(&seller, config(more), &[quantity]).await.remove(0);
        let lines = result["lines"].as_array().expect("lines").clone();
        assert_eq!(lines.len(), 1, "{result}");
        lines[0].clone()
    };
    let flats = json!([{"upTo": "10", "flatAmount": "5"}, {"upTo": null, "flatAmount": "8.00"}]);
    assert_eq!(
        line(json!({"scheme": "tiered", "tiers": flats}), "11").await,
        json!({"from": "10", "upTo": null, "quantity": "11", "flatAmount": "8", "amount": "8"})
    );
    assert_eq!(
        line(json!({"scheme": "volume", "tiers": bands}), "11").await,
        json!({"from": "10", "upTo": null, "quantity": "11", "unitPrice": "0.5", "amount": "5.5"})
    );
    let package = json!({"scheme": "package", "packageSize": "10", "unitPrice": "2"});
    assert_eq!(
        line(package, "11").await,
        json!({
            "from": "0", "upTo": null, "quantity": "11", "unitPrice": "2", "packages": "2",
            "amount": "4",
        })
    );
    assert_eq!(
        line(json!({"scheme": "percentage", "percentBps": 1}), "0.000000001").await,
        json!({
            "from": "0", "upTo": null, "quantity": "0.000000001", "amount": "0.0000000000001",
        })
    );
    server.close().await;
}

#[tokio::test]
async fn a_hundred_quantities_under_every_prefix_and_no_more() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let quantities: Vec<String> = (1..=100).map(|n| n.to_string()).collect();
    let body = json!({"config": per_unit("1"), "quantities": quantities});
    let answer = seller.billing.post("/prices/evaluate", &body).await.is(200);
    assert_eq!(answer["results"].as_array().map(Vec::len), Some(100));
    assert_eq!(seller.billing.post("/usage/prices/evaluate", &body).await.is(200), answer);
    assert_eq!(seller.older().post("/prices/evaluate", &body).await.is(200), answer);
    let post = async |quantities: Value| {
        let body = json!({"config": per_unit("10000000000000"), "quantities": quantities});
        seller.billing.post("/prices/evaluate", &body).await
    };
    post(json!(vec!["1"; 101])).await.refuses(400, "quantities");
    post(json!([])).await.refuses(400, "quantities");
    post(Value::Null).await.refuses(400, "quantities");
    post(json!(["1", "-1"])).await.refuses(400, "quantities[1]");
    post(json!(["1", "1", "1e3"])).await.refuses(400, "quantities[2]");
    post(json!([1])).await.refuses(400, "quantities");
    // 10^15 is the largest amount there is.
    assert_eq!(post(json!(["1"])).await.is(200)["results"][0]["amountMinor"], 10_i64.pow(15));
    post(json!(["1", "1.000000001"])).await.refuses(400, "quantities[1]");
    server.close().await;
}

#[tokio::test]
async fn a_wrong_configuration_is_refused_naming_the_field() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for (more, named) in wrong() {
        let body = json!({"config": with(&per_unit("1"), more), "quantities": ["1"]});
        seller.billing.post("/prices/evaluate", &body).await.refuses(400, named);
    }
    let body = json!({"quantities": ["1"]});
    seller.billing.post("/prices/evaluate", &body).await.refuses(400, "config is required");
    let seats = with(&per_unit("1"), json!({"scheme": "per_seat"}));
    let body = json!({"config": seats, "quantities": ["1"]});
    for (api, path) in
        [(&seller.billing, "/prices/evaluate"), (&seller.older(), "/prices/evaluate")]
    {
        api.post(path, &body).await.refuses(422, "per_seat");
    }
    server.close().await;
}
