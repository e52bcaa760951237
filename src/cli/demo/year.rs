//! The first chapter: a year of subscription billing, by the contract's test clock.

mod calendar;
mod checks;
mod tables;

use serde_json::json;

use super::scenario::{Action, Is, Step, be, each, get, list, oldest_first, post, say, text};
use calendar::{ADDON_PRICES, MONTHS, TEAM_PRICE};

pub(super) use calendar::{Calendar, TAX_PERCENT, tax};
pub(super) use checks::checks;
pub(super) use tables::print;

/// Where the seller's and the buyer's actions are noted: with the latest stop of the clock.
const NOTES: &str = "clock/last/notes";

pub(super) fn steps(calendar: &Calendar, webhook_url: &str) -> Vec<Step> {
    let mut steps = opening(calendar, webhook_url);
    steps.extend(pay_what_is_open());
    for stop in calendar.stops() {
        let noon = stop.start().plus_seconds(12 * 3600).to_string();
        steps.push(say("advancing the clock"));
        steps.push(
            post("/billing-api/v1/contracts/<contract/id>/test-clock/advance", json!({"to": noon}))
                .push("clock"),
        );
        if stop == calendar.change_day {
            let path = "/billing-api/v1/subscriptions/<addon/id>/change-plan";
            let body = json!({"priceMinor": ADDON_PRICES[1], "effective": "immediately"});
            steps.push(post(path, body));
            steps.push(text("add-on upgraded in the middle of its term").push(NOTES));
        }
        steps.extend(pay_what_is_open());
        if stop == calendar.cancel_day {
            let path = "/billing-api/v1/subscriptions/<addon/id>/cancel";
            let body = json!({"mode": "period_end", "reason": "end of the demonstration"});
            steps.push(post(path, body));
            steps.push(text("add-on canceled to the end of its term").push(NOTES));
        }
    }
    steps.extend(bill_the_rest());
    steps.extend(read_back());
    steps
}

/// Before the clock moves: seller, webhook, customer, contract, subscriptions, first invoice.
fn opening(calendar: &Calendar, webhook_url: &str) -> Vec<Step> {
    let start = calendar.today.to_string();
    let plan = |description: &str, price: i64| {
        json!({
            "frequency": "monthly", "priceMinor": price, "currency": "EUR", "startDate": start,
            "description": description, "taxRate": TAX_PERCENT.to_string(),
        })
    };
    let mut team = plan("Team plan", TEAM_PRICE);
    team["trialEnd"] = json!(calendar.trial_end.to_string());
    let subscriptions = "/billing-api/v1/contracts/<contract/id>/subscriptions";
    vec![
        say("minting a sandbox account"),
        post("/billing-api/v1/sandbox/accounts", json!({})).keep("account"),
        Step::of(Action::SignIn("<account/apiKey>")),
        say("registering the webhook"),
        post("/payments-api/v1/webhooks", json!({"webhookUrl": webhook_url}))
            .key("webhook")
            .keep("webhook"),
        Step::of(Action::Trust("<webhook/secretKey>")),
        say("making customer, contract and subscriptions"),
        post(
            "/billing-api/v1/customers",
            json!({
                "email": "ada@example.com", "name": "Ada Lovelace",
                "companyName": "Analytical Engines Ltd", "companyCountry": "GB",
            }),
        )
        .keep("customer"),
        post(
            "/billing-api/v1/contracts",
            json!({"sellerCustomerId": "<customer/id>", "currency": "EUR", "startDate": start}),
        )
        .key("contract")
        .keep("contract"),
        get("/billing-api/v1/contracts/<contract/id>/test-clock").push("clock"),
        post(
            "/billing-api/v1/contracts/<contract/id>/amendments",
            json!({
                "expectedBaseVersion": 1, "status": "active",
                "customerName": "Ada, Countess of Lovelace",
            }),
        ),
        post(subscriptions, team).key("team"),
        post(subscriptions, plan("Add-on", ADDON_PRICES[0])).key("add-on").keep("addon"),
        // The first recurring invoice is the seller's own; the clock continues from it.
        say("issuing the first invoice"),
        recurring_invoice("first invoice"),
        text("first invoice issued by the seller").push(NOTES),
    ]
}

fn recurring_invoice(key: &str) -> Step {
    let body = json!({"contractId": "<contract/id>", "origin": "recurring"});
    post("/billing-api/v1/invoices", body).key(key)
}

fn pay_what_is_open() -> Vec<Step> {
    let open = "/billing-api/v1/invoices?contractId=<contract/id>&status=sent";
    vec![
        oldest_first(open, "invoices").keep("open"),
        each(
            "open",
            "invoice",
            vec![
                say("paying an invoice"),
                Step::of(Action::Pay("invoice")).push("paid"),
                get("/billing-api/v1/invoices/<invoice/id>").until("status", be("paid")),
                text("<invoice/invoiceNumber>: <paid/last/outcome>").push(NOTES),
            ],
        ),
    ]
}

/// An advance issues one invoice for each contract: where the clock passed two month ends at
/// once, a term is left over.
fn bill_the_rest() -> Vec<Step> {
    let mut steps = vec![say("billing what is left")];
    for round in 0..MONTHS {
        let billed = recurring_invoice(&format!("rest {round}")).answer("rest");
        // 422: nothing is due any more.
        let billed = billed.only_if("rest/status", Is::No("422"));
        steps.push(billed.expect("status", Is::OneOf(&["201", "422"])));
        let note = text("remaining term billed by the seller").push(NOTES);
        steps.push(note.only_if("rest/status", be(201)));
        steps.extend(pay_what_is_open());
    }
    steps
}

/// Everything that is shown and checked, once the webhooks have come to rest.
fn read_back() -> Vec<Step> {
    vec![
        say("waiting for the last payment to settle"),
        get("/billing-api/v1/invoices/<paid/last/invoiceId>/settlement")
            .until("payments/*/status", be("settled"))
            .or_go_on(),
        say("waiting for the last webhooks"),
        list("/payments-api/v1/webhook-deliveries", "deliveries")
            .until("*/status", Is::No("pending"))
            .until_steady()
            .within(120)
            .keep("deliveries"),
        Step::of(Action::Inbox).keep("inbox"),
        oldest_first("/billing-api/v1/contracts/<contract/id>/versions", "versions")
            .keep("versions"),
        oldest_first("/billing-api/v1/subscriptions?contractId=<contract/id>", "subscriptions")
            .keep("subscriptions"),
        oldest_first("/billing-api/v1/invoices", "invoices").keep("listed"),
        each(
            "listed",
            "invoice",
            vec![
                get("/billing-api/v1/invoices/<invoice/id>").push("invoices"),
                get("/billing-api/v1/invoices/<invoice/id>/settlement").push("settlements"),
            ],
        ),
        list("/billing-api/v1/contracts/<contract/id>/timeline", "entries").keep("timeline"),
    ]
}
