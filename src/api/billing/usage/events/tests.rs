use actors::domain::billing::usage::Ingested;
use actors::domain::ids::UsageEventId;
use serde_json::json;

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
