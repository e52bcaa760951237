//! The second chapter: metered usage, from an event to an invoice line that explains itself. It
//! plays on a contract of its own that began forty days ago, since metering goes by the wall clock.

mod checks;
mod events;
mod meters;
mod tables;

use serde_json::{Value, json};

use super::scenario::{Action, Is, Step, be, get, list, post, put, say, upload};
use super::year::TAX_PERCENT;
use events::{Event, decimal};
use meters::{CALLS, METERS, SALES, STORAGE, flat_price};

pub(super) use checks::checks;
pub(super) use events::Usage;
pub(super) use tables::print;

/// A row that cannot be taken: it is parked as a dead letter.
const BAD_ROW: &str = "2026-01-01T00:00:00Z,plenty,disk-bad,rack-7\n";
/// The passes that close periods and bill them, in this order.
const PASSES: [&str; 2] = ["billing.usage.close_pass", "billing.usage.invoice_pass"];
const EVENTS: &str = "/billing-api/v1/usage/events";
const UPLOADS: &str = "/billing-api/v1/usage/csv";

pub(super) fn steps(usage: &Usage) -> Vec<Step> {
    let mut steps = contract(usage);
    steps.extend(single_events(usage));
    steps.extend(csv_file(usage));
    steps.extend(signed_events(usage));
    // Prices come after the events: a period that has none is not closed yet.
    steps.extend(prices(usage));
    steps.extend(bill());
    steps.extend(explain(usage));
    steps
}

/// A customer, a contract and its usage subscription, forty days old; the metrics.
fn contract(usage: &Usage) -> Vec<Step> {
    let start = usage.start.to_string();
    let customer = json!({"email": "grace@example.com", "name": "Grace Hopper"});
    let contract = json!({
        "sellerCustomerId": "<meteredCustomer/id>", "currency": "EUR", "startDate": start,
    });
    let subscription = json!({
        "frequency": "monthly", "priceMinor": 0, "currency": "EUR", "startDate": start,
        "description": "Pay as you go", "taxRate": TAX_PERCENT.to_string(),
    });
    let mut steps = vec![
        say("making a contract with metered usage"),
        post("/billing-api/v1/customers", customer).keep("meteredCustomer"),
        post("/billing-api/v1/contracts", contract).key("metered").keep("metered"),
        post("/billing-api/v1/contracts/<metered/id>/subscriptions", subscription).key("usage"),
    ];
    let metric = |meter: &meters::Meter| post("/billing-api/v1/usage/metrics", meter.body());
    steps.extend(METERS.iter().map(metric));
    steps
}

/// One by one, with a repetition and a contradiction of the first one, and in batches.
fn single_events(usage: &Usage) -> Vec<Step> {
    let mut steps = vec![say("sending usage events")];
    let present = usage.present();
    for event in &present {
        let step = post(EVENTS, event.json()).expect("metered", be(true));
        steps.push(step.expect("status", be("ingested")).push("single"));
    }
    let first = &present[0];
    let mut other = first.clone();
    other.hundredths += 1;
    steps.push(post(EVENTS, first.json()).answer("repeated"));
    steps.push(post(EVENTS, other.json()).answer("contradicted"));
    for events in [usage.calls(), usage.logins()] {
        let batch = post("/billing-api/v1/usage/events:batch", batch(&events));
        steps.push(batch.expect("rejected", be(0)).push("batches"));
    }
    steps
}

fn batch(events: &[Event]) -> Value {
    json!({"events": events.iter().map(Event::json).collect::<Vec<_>>()})
}

fn csv_file(usage: &Usage) -> Vec<Step> {
    let mut file = "when,gigabytes,id,rack\n".to_owned();
    for event in usage.storage() {
        let (at, quantity, key) = (event.occurred_at, decimal(event.hundredths), event.key());
        file.push_str(&format!("{at},{quantity},{key},rack-7\n"));
    }
    file.push_str(BAD_ROW);
    let mapping = json!({
        "contractId": {"const": "<metered/id>"}, "metric": {"const": STORAGE},
        "quantity": "gigabytes", "occurredAt": "when", "idempotencyKey": "id",
        "metadata": {"rack": "rack"},
    });
    let form =
        vec![("mapping", "application/json", mapping.to_string()), ("file", "text/csv", file)];
    vec![
        say("uploading a CSV file of usage"),
        upload(UPLOADS, form).keep("upload"),
        get(format!("{UPLOADS}/<upload/uploadId>")).until("status", be("done")).keep("upload"),
        list("/billing-api/v1/usage/dead-letters", "deadLetters").keep("deadLetters"),
    ]
}

/// Sent by a third party that does not know the endpoint's secret, and by one that does.
fn signed_events(usage: &Usage) -> Vec<Step> {
    let endpoint = json!({"description": "Till of the shop"});
    let sales = batch(&usage.sales());
    let sold = usage.expected(SALES).quantity();
    vec![
        say("receiving signed usage"),
        post("/billing-api/v1/usage/webhook-endpoints", endpoint).keep("endpoint"),
        post("<endpoint/url>", sales.clone()).signed("whsec_another").answer("forged"),
        post("<endpoint/url>", sales).signed("<endpoint/secret>").keep("signed"),
        // What a third party sends is recorded in the background.
        get(usage.series(SALES)).until("points/*/quantity", Is::Sum(sold)),
    ]
}

fn prices(usage: &Usage) -> Vec<Step> {
    let from = usage.start.to_string();
    let price = |meter: &meters::Meter| {
        let path = "/billing-api/v1/usage/contracts/<metered/id>/metrics";
        let body = json!({"effectiveFrom": from, "config": (meter.price)()});
        put(format!("{path}/{}/price", meter.name), body)
    };
    let mut steps = vec![say("pricing the metrics")];
    steps.extend(METERS.iter().map(price));
    steps.push(get("/billing-api/v1/contracts/<metered/id>/usage").keep("snapshot"));
    let calls = (METERS[0].price)();
    let evaluation = json!({"config": calls, "quantities": ["500", "5000", "20000"]});
    steps.push(post("/billing-api/v1/prices/evaluate", evaluation).keep("evaluated"));
    steps
}

/// Lets the first period close and its invoice be issued, and pays it. Without an operator the
/// server's own passes are waited for.
fn bill() -> Vec<Step> {
    let mut steps = vec![say("closing the usage period and billing it")];
    for pass in PASSES {
        let run = post(format!("/backoffice/v1/passes/{pass}/run"), json!({})).by_operator();
        steps.push(run.expect("passDisabled", Is::No("true")));
    }
    let issued = "/billing-api/v1/invoices?contractId=<metered/id>&origin=usage";
    steps.extend([
        list(issued, "invoices").until("*", Is::Count(1)).within(200).keep("usageInvoices"),
        say("paying the usage invoice"),
        Step::of(Action::Pay("usageInvoices/0")).keep("usagePayment"),
        get("/billing-api/v1/invoices/<usageInvoices/0/id>")
            .until("status", be("paid"))
            .keep("usageInvoice"),
    ]);
    steps
}

/// Asks for everything behind the line of the calls, and sends one call more when it is too late.
fn explain(usage: &Usage) -> Vec<Step> {
    let invoice = "/billing-api/v1/invoices/<usageInvoice/id>";
    let line = format!("<usageInvoice/lines/[metricName={CALLS}]/lineId>");
    let back_test =
        format!("/billing-api/v1/contracts/<metered/id>/metrics/{CALLS}/price/backtest");
    let (from, to) = (usage.start.to_string(), usage.turn.to_string());
    vec![
        say("asking what is behind the invoice"),
        list(format!("{invoice}/lines/{line}/events"), "events").keep("lineEvents"),
        get(usage.series(CALLS)).keep("days"),
        post(back_test, json!({"config": flat_price(), "from": from, "to": to})).keep("backTest"),
        // An event of the closed period is kept and marked, and the invoice stays as it is.
        post(EVENTS, usage.late_call().json()).keep("late"),
        get(invoice).keep("usageInvoiceAfter"),
    ]
}
