//! Invoices that are charged to a saved card: by the pass, on the days of a retry, and what that
//! makes of subscriptions.

use crate::support::buyer::{GOOD, page_of};
use crate::support::response::{column, id};
use crate::support::{Seller, Server, Value, json, until};

const PASS: &str = "billing.invoice.auto_charge";
/// Pays when it is saved; later it is declined.
const DECLINED_LATER: &str = "4000000000000341";
/// Pays when it is saved; later its bank does not answer.
pub(super) const TIMES_OUT_LATER: &str = "4000000000009979";
/// Its bank asks its holder, who is not there later.
const ASKS: &str = "4000000000003220";

pub(super) struct Shop {
    pub(super) server: Server,
    pub(super) seller: Seller,
    contract: u64,
    pub(super) subscription: u64,
}

impl Shop {
    /// A monthly subscription, the first term of which was paid with a card that is saved.
    pub(super) async fn open(number: &str) -> Self {
        let server = Server::start().await;
        let seller = server.seller().await;
        let contract = seller.contract("2027-01-15").await;
        let subscription = id(&seller.subscribe(contract, "2027-01-15", json!({})).await);
        let shop = Self { server, seller, contract, subscription };
        let first = shop.seller.recurring(contract).await;
        shop.saves(&first, number).await;
        shop
    }

    /// Pays an invoice with a card that is saved, and waits until the contract knows of both.
    async fn saves(&self, invoice: &Value, number: &str) {
        let before = self.told("card_saved").await.len();
        self.pays(invoice, number, true).await;
        until("the contract to know of the card", async || {
            (self.told("card_saved").await.len() > before).then_some(())
        })
        .await;
    }

    pub(super) async fn pays(&self, invoice: &Value, number: &str, saves: bool) {
        let more = json!({"cardNumber": number, "saveCard": saves});
        let paid = self.server.anonymous.pay_with(&page_of(invoice), more).await.is(200);
        if let Some(bank) = paid["actionUrl"].as_str() {
            self.server.anonymous.answer_bank(bank, "approve").await.is(200);
        }
        until("the invoice to be paid", async || {
            let now = self.seller.invoice_now(id(invoice)).await;
            (now["status"] == "paid").then_some(())
        })
        .await;
    }

    /// The timeline's entries of a kind, oldest first.
    async fn told(&self, kind: &str) -> Vec<Value> {
        let path = format!("/contracts/{}/timeline?limit=100", self.contract);
        let timeline = self.seller.billing.get(&path).await.is(200);
        let entries = timeline["entries"].as_array().expect("entries").iter();
        entries.rev().filter(|entry| entry["kind"] == kind).cloned().collect()
    }

    pub(super) async fn advance(&self, to: &str) -> Value {
        self.seller.advance(self.contract, &format!("{to}T12:00:00Z")).await
    }

    pub(super) async fn status(&self) -> Value {
        self.seller.subscription(self.subscription).await["status"].clone()
    }

    pub(super) async fn newest(&self) -> Value {
        let path = format!("/invoices?contractId={}&limit=1", self.contract);
        self.seller.billing.get(&path).await.is(200)["invoices"][0].clone()
    }

    async fn trail(&self, invoice: &Value) -> Value {
        self.seller.billing.get(&format!("/invoices/{}/settlement", id(invoice))).await.is(200)
    }

    async fn run(&self) -> Value {
        let path = format!("/passes/{PASS}/run");
        self.server.operator.post(&path, &json!({})).await.is(200)["counts"].clone()
    }
}

fn counts(charged: u64, failed: u64, past_due: u64) -> Value {
    json!({
        "charged": charged, "failed": failed, "pending": 0, "skipped": 0, "pastDue": past_due,
        "passDisabled": false,
    })
}

#[tokio::test]
async fn a_sent_invoice_is_charged_to_the_saved_card_once() {
    let shop = Shop::open(GOOD).await;
    let invoice = shop.seller.one_time(shop.contract, 4_200).await;
    let ran = shop.run().await;
    let once = json!({"charged": 1, "failed": 0, "pending": 0, "skipped": 0, "pastDue": 0});
    assert_eq!(ran, once);
    let now = shop.seller.invoice_now(id(&invoice)).await;
    assert_eq!((&now["status"], &now["outstandingMinor"]), (&json!("paid"), &json!(0)));
    let trail = shop.trail(&invoice).await;
    assert_eq!(trail["paidVia"], "saved_card");
    assert_eq!(column(&trail, "payments", "amountMinor"), [4_200]);
    let entry = &shop.told("card_charged").await[0];
    assert_eq!((&entry["invoiceId"], &entry["amountMinor"]), (&json!(id(&invoice)), &json!(4_200)));
    let nothing = json!({"charged": 0, "failed": 0, "pending": 0, "skipped": 0, "pastDue": 0});
    assert_eq!(shop.run().await, nothing);
    shop.server.close().await;
}

#[tokio::test]
async fn an_advance_charges_what_it_invoices_and_says_so() {
    let shop = Shop::open(GOOD).await;
    let answer = shop.advance("2027-02-15").await;
    assert_eq!(answer["invoices"]["issued"], 1);
    assert_eq!(answer["collection"], counts(1, 0, 0));
    assert_eq!(shop.newest().await["status"], "paid");
    assert_eq!(shop.status().await, "active");
    shop.server.close().await;
}

#[tokio::test]
async fn a_passing_failure_is_tried_again_on_its_days_and_then_is_past_due_until_paid() {
    let shop = Shop::open(TIMES_OUT_LATER).await;
    let events = async |kind: &str| {
        let path = format!("/events?eventType={kind}");
        shop.seller.billing.get(&path).await.is(200)["events"].as_array().expect("events").clone()
    };
    let answer = shop.advance("2027-02-15").await;
    assert_eq!(answer["collection"], counts(0, 1, 0));
    let invoice = shop.newest().await;
    assert_eq!((&invoice["status"], shop.status().await), (&json!("sent"), json!("active")));
    assert_eq!(shop.advance("2027-02-17").await["collection"], counts(0, 0, 0));
    assert_eq!(shop.advance("2027-02-18").await["collection"], counts(0, 1, 0));
    // One long advance makes what is left of them, each on its day.
    let answer = shop.advance("2027-02-28").await;
    assert_eq!(answer["collection"], counts(0, 2, 1));
    let days: Vec<_> = shop.told("card_charge_failed").await;
    let on = |entry: &Value| entry["occurredAt"].as_str().expect("an instant")[..10].to_owned();
    let days: Vec<_> = days.iter().map(on).collect();
    assert_eq!(days, ["2027-02-15", "2027-02-18", "2027-02-20", "2027-02-22"]);
    assert_eq!(shop.status().await, "past_due");
    assert_eq!(events("BillingSubscriptionPastDue").await.len(), 1);
    let trail = shop.trail(&invoice).await;
    assert_eq!(column(&trail, "payments", "status"), ["failed"; 4]);
    assert_eq!(shop.advance("2027-03-10").await["collection"], counts(0, 0, 0));

    // However it is paid, it recovers.
    shop.pays(&invoice, GOOD, false).await;
    assert_eq!(shop.status().await, "active");
    let recovered = events("BillingSubscriptionRecovered").await;
    assert_eq!(recovered.len(), 1);
    assert_eq!(recovered[0]["payload"]["status"], "active");
    assert_eq!(shop.trail(&invoice).await["paidVia"], "payment_link");
    shop.server.close().await;
}

#[tokio::test]
async fn what_is_declined_for_good_is_past_due_at_once_and_a_deposit_recovers_it_too() {
    let shop = Shop::open(DECLINED_LATER).await;
    assert_eq!(shop.advance("2027-02-15").await["collection"], counts(0, 1, 1));
    assert_eq!(shop.status().await, "past_due");
    assert_eq!(shop.advance("2027-03-01").await["collection"], counts(0, 0, 0), "it is over");
    let invoice = shop.newest().await;
    let deposit = json!({
        "invoiceNumber": invoice["invoiceNumber"], "sellerAccountId": shop.seller.id,
        "amountMinor": 1000, "currency": "EUR", "reference": "transfer-1",
    });
    shop.server.operator.post("/bank-deposits", &deposit).await.is(200);
    assert_eq!(shop.status().await, "active");
    shop.server.close().await;
}

#[tokio::test]
async fn the_next_invoice_that_is_paid_recovers_it_once_the_unpaid_one_is_written_off() {
    let shop = Shop::open(DECLINED_LATER).await;
    shop.advance("2027-02-15").await;
    let invoice = shop.newest().await;
    let owner = shop.server.owner_of(&shop.seller).await;
    let input = format!("{{invoiceId: \"{}\", reason: \"insolvent\"}}", id(&invoice));
    let mutation = format!("mutation {{ writeOffInvoice(input: {input}) {{ status }} }}");
    let ended = owner.query(&mutation).await["writeOffInvoice"].clone();
    assert_eq!(ended["status"], "written_off");
    assert_eq!(shop.status().await, "past_due", "nothing was paid");
    assert_eq!(shop.advance("2027-03-15").await["collection"], counts(0, 1, 1));
    shop.pays(&shop.newest().await, GOOD, false).await;
    assert_eq!(shop.status().await, "active");
    shop.server.close().await;
}

#[tokio::test]
async fn a_card_whose_bank_asks_waits_for_another_card() {
    let shop = Shop::open(ASKS).await;
    assert_eq!(shop.advance("2027-02-15").await["collection"], counts(0, 1, 0));
    let invoice = shop.newest().await;
    assert_eq!(shop.advance("2027-02-19").await["collection"], counts(0, 0, 0), "it is not asked");
    let another = shop.seller.one_time(shop.contract, 700).await;
    shop.saves(&another, GOOD).await;
    assert_eq!(shop.advance("2027-02-20").await["collection"], counts(1, 0, 0));
    assert_eq!(shop.seller.invoice_now(id(&invoice)).await["status"], "paid");
    assert_eq!(shop.trail(&invoice).await["paidVia"], "saved_card");

    assert_eq!(shop.status().await, "active");
    shop.server.close().await;
}

#[tokio::test]
async fn nobody_saves_another_card_until_the_seventh_day() {
    let shop = Shop::open(ASKS).await;
    assert_eq!(shop.advance("2027-02-15").await["collection"], counts(0, 1, 0));
    assert_eq!(shop.advance("2027-02-21").await["collection"], counts(0, 0, 0));
    assert_eq!(shop.advance("2027-02-22").await["collection"], counts(0, 0, 1));
    assert_eq!(shop.status().await, "past_due");
    shop.server.close().await;
}

#[tokio::test]
async fn a_card_that_was_removed_is_past_due_at_the_next_retry() {
    let shop = Shop::open(TIMES_OUT_LATER).await;
    assert_eq!(shop.advance("2027-02-15").await["collection"], counts(0, 1, 0));
    let path = format!("/customers/{}", shop.seller.customer());
    let customer = shop.seller.billing.get(&path).await.is(200);
    let card = id(&customer["savedCards"][0]);
    shop.seller.billing.delete(&format!("{path}/saved-cards/{card}")).await.has_status(204);
    assert_eq!(shop.advance("2027-02-18").await["collection"], counts(0, 0, 1));
    assert_eq!(shop.status().await, "past_due");
    // What was never tried goes on waiting for its link to be paid.
    shop.seller.one_time(shop.contract, 700).await;
    assert_eq!(shop.advance("2027-02-25").await["collection"], counts(0, 0, 0));
    shop.server.close().await;
}

#[tokio::test]
async fn an_invoice_that_somebody_is_paying_is_left_alone() {
    let shop = Shop::open(GOOD).await;
    let invoice = shop.seller.one_time(shop.contract, 4_200).await;
    let asked = json!({"cardNumber": ASKS});
    let open = shop.server.anonymous.pay_with(&page_of(&invoice), asked).await.is(200);
    let skipped = json!({"charged": 0, "failed": 0, "pending": 0, "skipped": 1, "pastDue": 0});
    assert_eq!(shop.run().await, skipped);
    // Once, however often an advance meets it.
    assert_eq!(shop.advance("2027-01-20").await["collection"]["skipped"], 1);
    let bank = open["actionUrl"].as_str().expect("the bank's page");
    shop.server.anonymous.answer_bank(bank, "cancel").await.is(200);
    assert_eq!(shop.run().await["charged"], 1);
    let trail = shop.trail(&invoice).await;
    assert_eq!(column(&trail, "payments", "status")[1], "cancelled");
    shop.server.close().await;
}

#[tokio::test]
async fn nothing_is_charged_while_it_is_switched_off_or_collected_otherwise() {
    let shop = Shop::open(GOOD).await;
    let by_bank = json!({
        "contractId": shop.contract, "origin": "one_time", "collectionMethod": "bank_transfer",
        "lines": [crate::support::make::line("Set-up", 500)],
    });
    let by_bank = shop.seller.invoice(by_bank).await;
    assert_eq!(shop.run().await["charged"], 0);
    let invoice = shop.seller.one_time(shop.contract, 4_200).await;
    shop.server.switch(PASS, false).await;
    assert_eq!(shop.run().await["charged"], 0);
    assert_eq!(shop.advance("2027-01-20").await["collection"]["passDisabled"], true);
    assert_eq!(shop.seller.invoice_now(id(&invoice)).await["status"], "sent");
    shop.server.switch(PASS, true).await;
    // On a test clock the operator's run takes part, by that clock.
    assert_eq!(shop.run().await["charged"], 1);
    assert_eq!(shop.seller.invoice_now(id(&by_bank)).await["status"], "issued");
    shop.server.close().await;
}

#[tokio::test]
async fn the_schedule_charges_by_itself() {
    let server = Server::with(&[("passes.interval_seconds", "1")]).await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let first = seller.one_time(contract, 1234).await;
    let second = seller.one_time(contract, 4_200).await;
    let saves = json!({"saveCard": true});
    server.anonymous.pay_with(&page_of(&first), saves).await.is(200);
    until("the other invoice to be charged", async || {
        let now = seller.invoice_now(id(&second)).await;
        (now["status"] == "paid").then_some(())
    })
    .await;
    server.close().await;
}
