use actors::domain::billing::usage::Ingested;
use actors::domain::ids::UsageEventId;
use serde_json::json;

use super::batch::{Placed, waves};
use super::*;

fn stored(event: u64, duplicate: bool, metered: bool, late: bool) -> Ingested {
    Ingested { event: UsageEventId(event), duplicate, metered, late }
}

#[test]
fn an_answer_says_what_there_is_to_say() {
    let shown = |of: Ingested| serde_json::to_value(IngestView::from(&of)).expect("JSON");
    assert_eq!(
        shown(stored(7, false, true, false)),
        json!({"status": "ingested", "eventId": 7, "metered": true})
    );
    let unmetered = shown(stored(8, true, false, false));
    assert_eq!((&unmetered["status"], &unmetered["metered"]), (&json!("duplicate"), &json!(false)));
    assert!(unmetered["message"].as_str().expect("a message").contains("occurredAt"));
    assert_eq!(shown(stored(9, false, true, true))["late"], true);
}

#[test]
fn a_batch_counts_its_items() {
    let outcomes = [
        Ok(stored(7, false, true, false)),
        Err("metric: unknown".to_owned()),
        Ok(stored(7, true, true, false)),
        Ok(stored(8, false, false, true)),
    ];
    let view = serde_json::to_value(BatchView::new(outcomes.into_iter())).expect("JSON");
    let expected = json!({
        "ingested": 2, "duplicates": 1, "rejected": 1,
        "items": [
            {"index": 0, "status": "ingested", "eventId": 7, "metered": true},
            {"index": 1, "status": "rejected", "reason": "metric: unknown"},
            {"index": 2, "status": "duplicate", "eventId": 7, "metered": true},
            {"index": 3, "status": "ingested", "eventId": 8, "metered": false, "late": true},
        ],
    });
    assert_eq!(view, expected);
}

/// The places of a batch, by wave and contract; an item is its contract and its key.
fn planned(items: &[(&str, &str)]) -> Vec<Vec<(u64, Vec<usize>)>> {
    let placed = items.iter().enumerate().map(|(index, (contract, key))| {
        let text = json!({
            "contractId": contract, "metric": "m", "quantity": "1",
            "occurredAt": "2027-01-15T08:30:00Z", "idempotencyKey": key,
        });
        let (contract, event) = event::from_json(&text.to_string()).expect("an event");
        Placed { index, contract, event }
    });
    let waves = waves(placed.collect());
    let parts = |wave: &batch::Wave| {
        wave.parts().iter().map(|part| (part.contract.0, part.indexes.clone())).collect()
    };
    waves.iter().map(parts).collect()
}

#[test]
fn contracts_are_asked_side_by_side_each_in_order() {
    assert_eq!(
        planned(&[("1", "a"), ("2", "b"), ("1", "c"), ("2", "b"), ("1", "a")]),
        [[(1, vec![0, 2, 4]), (2, vec![1, 3])]]
    );
}

#[test]
fn a_key_that_comes_again_under_another_contract_waits() {
    assert_eq!(
        planned(&[("1", "a"), ("2", "b"), ("2", "a"), ("1", "c"), ("1", "b"), ("1", "d")]),
        [vec![(1, vec![0]), (2, vec![1])], vec![(2, vec![2]), (1, vec![3, 4, 5])],]
    );
}
