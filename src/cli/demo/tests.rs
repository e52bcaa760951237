//! The answers of a real run, in which everything adds up; each thing that is off fails a check.

use super::*;

/// What the checks read of a run on 2026-11-22.
const RECORDED: &str = include_str!("tests/recorded.json");

fn chapters() -> Vec<Chapter> {
    let parsed = CHAPTERS.iter().map(|(text, ..)| serde_json::from_str(text));
    parsed.collect::<Result<_, _>>().expect("every chapter has its form")
}

/// The texts of the checks that fail, and how many there are in all, once `path` is `value`.
fn failed(change: Option<(&str, Value)>) -> (Vec<String>, usize) {
    let recorded: serde_json::Map<String, Value> = serde_json::from_str(RECORDED).expect("JSON");
    let mut answers = Answers::default();
    recorded.into_iter().for_each(|(name, value)| answers.put(&name, value));
    if let Some((path, value)) = change {
        assert_ne!(answers.get(path), &value, "{path} is that already");
        answers.put(path, value);
    }
    let mut all = Vec::new();
    for ((_, rows, checks), chapter) in CHAPTERS.into_iter().zip(&chapters()) {
        answers.put("rows", rows(&answers));
        all.extend(checks_of(&answers, chapter, checks));
    }
    let count = all.len();
    (all.into_iter().filter(|check| !check.good).map(|check| check.text).collect(), count)
}

#[test]
fn a_run_that_adds_up_passes() {
    assert_eq!(failed(None), (Vec::new(), 39));
}

#[test]
fn each_thing_that_is_off_fails_its_check() {
    let changes = [
        ("versions/1/version", json!(3), "contract versions 1, 3"),
        ("invoices/0/invoiceNumber", json!("1000001-2611ZZZ"), "AAA is missing"),
        ("invoices/0/lines/0/periodStart", json!("2027-01-01"), "were not billed"),
        ("invoices/5/lines/1/source", json!("adjustment"), "plan change"),
        ("invoices/3/taxMinor", json!(1), "do not add up: 1000001-2611AAD"),
        ("invoices/3/status", json!("sent"), "13 of 14 invoices paid"),
        ("settlements/2/payments", json!([]), "settlement trails hold 1,015.96"),
        ("clock/last/lifecycle/renewed", json!(2), "22 renewals counted"),
        ("subscriptions/1/status", json!("active"), "ended up active, active"),
        ("inbox/forged", json!(["wrong signature"]), "1 without"),
        ("inbox/events/0/eventId", json!(77_777), "events recorded as delivered"),
        ("inbox/events/6/payload/invoiceId", json!(77_777), "do not match the invoices"),
        ("upload/ingested", json!(30), "598 events recorded in four ways, 599 sent"),
        ("forged/status", json!(202), "a forged request 202"),
        ("snapshot/metrics/0/used", json!("1"), "3 of 4 counters"),
        ("usageInvoice/lines/0/amountMinor", json!(1), "api.calls must be 191.25 for 13625"),
        ("usageInvoice/lines/1/ratingBreakdown/exactAmount", json!("1"), "bands that do not"),
        ("usageInvoice/outstandingMinor", json!(1), "usage invoice of 548.92"),
        ("lineEvents/0/quantity", json!("21"), "add up to 13626"),
        ("days/points/0/quantity", json!("0"), "days of the series"),
        ("backTest/periods/0/wouldBeMinor", json!(1), "0.01 would have been"),
        ("late/late", json!(false), "is marked late"),
        ("sales/1/status", json!("failed"), "not as asked: workshop-"),
        ("declined/body/failureCode", json!(2002), "with 2002"),
        ("sales/2/retry", json!("later"), "retry later"),
        ("sentBack/location", json!("https://example.com/thanks"), "sent back to"),
        ("splits/0/decisions/0/inputs/allocationMode", json!("weight"), "2 of 3 split"),
        ("refundsAgain/0/status", json!(202), "answered 202, 200"),
        ("refundsAgain/1/body/refundId", json!(77_777), "stays one"),
        ("paidOut/status", json!("failed"), "payout of 100.00 failed"),
        ("payoutAgain/status", json!(201), "a repeated one 201"),
        ("wallets/0/availableBalanceMinor", json!(1), "2 of 3 wallets"),
        ("entries/0/0/postings/0/amountMinor", json!(1), "56 movements sum to zero"),
        ("payments/0/capturedAmount", json!(0.01), "payments and wallets differ"),
        ("payouts/0/status", json!("failed"), "0.00 paid out"),
        ("note/grandTotalMinor", json!(-3_000), "the credit note over"),
        ("ledger/entries/0/signedDeltaMinor", json!(1), "nothing is left"),
        ("fundedTrail/paidVia", json!("payment_link"), "nothing is left"),
        ("printed/contentType", json!("text/plain"), "the PDF of the credit note"),
        ("marketInbox/events/last/eventType", json!("x"), "did not come once"),
        ("dunningClock/1/collection/failed", json!(2), "charges of the saved card failed"),
        ("dunnedStates/1/status", json!("past_due"), "was past_due, past_due, active"),
        ("dunnedCustomer/savedCards/0/last4", json!("9979"), "card ending in 9979"),
    ];
    for (path, value, words) in changes {
        let (failed, _) = failed(Some((path, value)));
        assert!(failed.iter().any(|text| text.contains(words)), "{path}: {failed:#?}");
        assert!(failed.len() <= 5, "{path}: {failed:#?}");
    }
}

#[test]
fn whoever_tries_it_is_told_the_dashboard_with_its_login_and_the_key() {
    let mut answers = Answers::default();
    let login = json!({"email": "seller-5@sandbox.example.com", "password": "drawn"});
    answers.put("account", json!({"apiKey": "sk_test_drawn", "dashboard": login}));
    let told = hints(&answers, "http://127.0.0.1:8080");
    for line in [
        "  dashboard  http://127.0.0.1:8080/dashboard\n",
        "  sign in    seller-5@sandbox.example.com drawn\n",
        "  API key    sk_test_drawn\n",
    ] {
        assert!(told.contains(line), "{told}");
    }
}

#[test]
fn every_step_does_one_thing_and_every_group_is_there() {
    fn look(steps: &[scenario::Step], chapter: &Chapter) {
        for step in steps {
            assert!(step.actions() <= 1, "{step} does more than one thing");
            let named = step.group.as_ref().is_none_or(|name| chapter.groups.contains_key(name));
            assert!(named, "{step}");
            look(&step.steps, chapter);
        }
    }
    for chapter in &chapters() {
        look(&chapter.steps, chapter);
        chapter.groups.values().for_each(|steps| look(steps, chapter));
    }
}
