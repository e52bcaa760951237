//! The billing run, and items of a contract that are billed once.

use serde_json::{Value, json};

use super::house::House;
use super::{ALL, Once};
use crate::contract::BillingRun;
use crate::domain::billing::contract::{
    AmendedLineItem, Amendment, Contract, ContractStatus, LineItemContent,
};
use crate::domain::billing::invoice::{Invoice, LineSource, NewInvoice, Origin};
use crate::domain::billing::subscription::{Frequency, NewSubscription};
use crate::domain::billing::timeline::TimelineKind;
use crate::domain::ids::{ContractId, LineItemId};
use crate::domain::platform::switches::Switch;
use crate::domain::quantity::{Quantity, TaxRate};
use crate::domain::refusal::{Refusal, RefusalKind};
use crate::kernel::AskError;
use crate::query;
use crate::tables::ITEM_CLAIMS;

fn item(id: Option<LineItemId>, kind: &str, quantity: &str, config: Value) -> AmendedLineItem {
    let config = serde_json::value::to_raw_value(&config).expect("JSON");
    let content = LineItemContent::parse(Some(kind), Some(quantity), Some(&config));
    AmendedLineItem { id, content: content.expect("valid") }
}

impl House {
    async fn with_items(&self, contract: ContractId, items: Vec<AmendedLineItem>) -> Contract {
        let known = query::contract(&self.store, self.seller.id, contract).expect("read");
        let amendment = Amendment {
            expected_base_version: known.expect("a contract").current.version,
            line_items: Some(items),
            ..Amendment::default()
        };
        let amended = self.system.contracts.amend(self.seller.id, contract, amendment).await;
        amended.expect("amended")
    }

    async fn run(&self, contract: ContractId) -> BillingRun {
        self.system.contracts.run_billing(self.seller.id, contract).await.expect("answered")
    }

    async fn complete(&self, contract: ContractId, item: LineItemId) -> Result<Contract, Refusal> {
        let contracts = &self.system.contracts;
        let completed = contracts.complete_work_item(self.seller.id, contract, item).await;
        completed.map_err(AskError::refusal)
    }
}

/// Origin and total of each document.
fn told(run: &BillingRun) -> Vec<(Origin, i64)> {
    let of = |invoice: &Invoice| (invoice.origin, invoice.totals.grand_total_minor);
    run.issued.iter().map(|issued| of(&issued.invoice)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_bills_each_model_on_a_document_of_its_own_and_only_once() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    for switch in [Switch::RecurringInvoicePass, Switch::UsageInvoicePass] {
        house.switch(switch, false).await;
    }
    // Two months back: three terms are due.
    let start = house.start().date().minus_months(2).to_string();
    let new =
        NewSubscription { frequency: Frequency::Monthly, ..NewSubscription::monthly(&start, 700) };
    let contracts = &house.system.contracts;
    let made = contracts.create_subscription(house.seller.id, contract, new, "s".to_owned()).await;
    assert!(matches!(made, Ok(Once::Made(_))));
    house
        .with_items(
            contract,
            vec![
                item(
                    None,
                    "one_time",
                    "2.5",
                    json!({"description": "Set-up", "amountMinor": 101,
                     "taxRate": "19"}),
                ),
                item(None, "adjustment", "1", json!({"amountMinor": -50})),
                item(None, "project", "1", json!({"amountMinor": 9_000})),
                item(None, "milestone", "1", json!({"amountMinor": 400, "status": "completed"})),
                item(None, "marketplace", "1", json!({"amountMinor": 77})),
                item(None, "recurring", "1", json!({"amountMinor": 88})),
            ],
        )
        .await;
    let run = house.run(contract).await;
    // 2.5 times 101 is 253 rounded half up; its tax 48; less 50.
    let expected = [
        (Origin::Recurring, 700),
        (Origin::Recurring, 700),
        (Origin::Recurring, 700),
        (Origin::Milestone, 400),
        (Origin::OneTime, 253 + 48 - 50),
    ];
    assert_eq!((told(&run), run.failed.len()), (expected.to_vec(), 0));
    let once = run.issued.last().expect("a document");
    let lines: Vec<_> = once.lines.iter().map(|line| (line.source, &*line.description)).collect();
    assert_eq!(lines, [(LineSource::OneTime, "Set-up"), (LineSource::Adjustment, "Adjustment")]);
    assert_eq!(house.run(contract).await, BillingRun::default(), "nothing is missing");
    assert_eq!(house.invoices(contract).len(), 5);
    house.assert_right();
    house.assert_listed();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_cannot_be_billed_takes_no_other_with_it() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    house.subscribe(contract, "s", Frequency::Monthly, 700).await;
    let amended = house
        .with_items(
            contract,
            vec![
                item(None, "project", "1", json!({"amountMinor": 900, "status": "completed"})),
                item(None, "adjustment", "1", json!({"amountMinor": -50})),
            ],
        )
        .await;
    let run = house.run(contract).await;
    assert_eq!(told(&run), [(Origin::Recurring, 700), (Origin::Project, 900)]);
    let [(Origin::OneTime, refusal)] = &run.failed[..] else { panic!("{:?}", run.failed) };
    assert_eq!(refusal.kind, RefusalKind::Unprocessable);
    assert!(refusal.text.contains("less than 0"), "{refusal}");
    // What was missing is made once it can be.
    let known = amended
        .current
        .line_items
        .iter()
        .map(|known| AmendedLineItem { id: Some(known.id), content: known.content.clone() });
    let more = item(None, "one_time", "1", json!({"amountMinor": 80}));
    house.with_items(contract, known.chain([more]).collect()).await;
    let run = house.run(contract).await;
    assert_eq!((told(&run), run.failed.len()), (vec![(Origin::OneTime, 30)], 0));
    let unknown = house.system.contracts.run_billing(house.seller.id, ContractId(999_999)).await;
    assert_eq!(unknown.map_err(AskError::refusal), Err(Refusal::missing()));
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_beyond_a_document_keeps_nothing_else_from_being_billed() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let contracts = &house.system.contracts;
    let (large, today) = (600_000_000_000_000, house.start().date().to_string());
    // The last is beyond every document with its tax.
    for (key, quantity, percent) in [("a", "600", "0"), ("b", "600", "0"), ("c", "600", "100")] {
        let new = NewSubscription {
            quantity: Quantity::parse(quantity),
            tax_rate: TaxRate::parse(percent),
            ..NewSubscription::monthly(&today, 1_000_000_000_000)
        };
        let made = contracts.create_subscription(house.seller.id, contract, new, key.to_owned());
        assert!(matches!(made.await, Ok(Once::Made(_))));
    }
    house.subscribe(contract, "d", Frequency::Monthly, 100).await;
    let once = |minor: i64| item(None, "one_time", "1", json!({"amountMinor": minor}));
    let beyond = item(None, "one_time", "1000", json!({"amountMinor": large}));
    house.with_items(contract, vec![once(large), once(large), once(500), beyond]).await;
    let shown = contracts.upcoming_invoice(house.seller.id, contract, None).await.expect("shown");
    let waits = shown.notes.iter().filter(|note| note.contains("waits for a document"));
    assert_eq!((shown.subtotal_minor, waits.count()), (large + 100, 2));
    let run = house.run(contract).await;
    let expected = [
        (Origin::Recurring, large + 100),
        (Origin::Recurring, large),
        (Origin::OneTime, large + 500),
        (Origin::OneTime, large),
    ];
    assert_eq!(told(&run), expected);
    let failed: Vec<_> = run.failed.iter().map(|(origin, _)| *origin).collect();
    assert_eq!(failed, [Origin::Recurring, Origin::OneTime]);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_billed_item_is_not_billed_again_unless_its_document_is_voided() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let one = |minor: i64| item(None, "one_time", "1", json!({"amountMinor": minor}));
    let amended = house.with_items(contract, vec![one(100)]).await;
    let id = amended.current.line_items[0].id;
    let (first, second) = tokio::join!(house.run(contract), house.run(contract));
    let issued = [first.issued, second.issued].concat();
    assert_eq!(issued.len(), 1, "two runs at once bill it once");
    // The same item at another price is the same item, and an equal one beside it is another.
    house
        .with_items(
            contract,
            vec![item(Some(id), "one_time", "1", json!({"amountMinor": 500})), one(100)],
        )
        .await;
    assert_eq!(told(&house.run(contract).await), [(Origin::OneTime, 100)]);
    house.void(&issued[0].invoice).await.expect("voided");
    assert!(!house.store.contains(ITEM_CLAIMS, &(house.seller.id, contract, id)).expect("read"));
    let run = house.run(contract).await;
    assert_eq!(told(&run), [(Origin::OneTime, 500)]);
    assert_eq!(run.issued[0].lines[0].item, Some(id));
    assert!(house.run(contract).await.issued.is_empty());
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn work_is_billed_when_it_is_done() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let config = json!({"amountMinor": 5_000, "description": "Launch", "rank": 1.50});
    let items = vec![
        item(None, "milestone", "1", config),
        item(None, "one_time", "1", json!({"amountMinor": 10})),
    ];
    let amended = house.with_items(contract, items).await;
    let [work, once] = &amended.current.line_items[..] else { panic!("two items") };
    assert_eq!(told(&house.run(contract).await), [(Origin::OneTime, 10)]);
    let done = house.complete(contract, work.id).await.expect("done");
    assert_eq!(done.current.version, amended.current.version + 1);
    let config = done.current.line_items[0].content.component_config.as_str();
    let expected = r#"{"amountMinor":5000,"description":"Launch","rank":1.5,"status":"completed"}"#;
    assert_eq!(config, expected);
    let again = house.complete(contract, work.id).await.expect("done before");
    assert_eq!(again, done, "no further version");
    assert_eq!(told(&house.run(contract).await), [(Origin::Milestone, 5_000)]);
    let timeline = query::timeline(&house.store, house.seller.id, contract, ALL).expect("read");
    let completed =
        timeline.items.iter().filter(|(_, one)| one.kind == TimelineKind::WorkCompleted);
    let told: Vec<_> = completed.map(|(_, one)| (one.amount_minor, one.detail.clone())).collect();
    assert_eq!(told, [(Some(5_000), Some("Launch".to_owned()))]);

    let refused = house.complete(contract, once.id).await.expect_err("no work");
    assert_eq!(refused.kind, RefusalKind::Unprocessable);
    let refused = house.complete(contract, LineItemId(999_999)).await.expect_err("unknown");
    assert_eq!(refused, Refusal::missing());
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_contract_completes_no_work() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let open = item(None, "project", "1", json!({"amountMinor": 5_000}));
    let amended = house.with_items(contract, vec![open]).await;
    let amendment = Amendment {
        expected_base_version: amended.current.version,
        status: Some(ContractStatus::Closed),
        ..Amendment::default()
    };
    house.system.contracts.amend(house.seller.id, contract, amendment).await.expect("closed");
    let refused = house.complete(contract, amended.current.line_items[0].id).await;
    assert_eq!(refused.expect_err("closed").text, "the contract is closed");
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_of_items_are_made_out_as_the_last_recurring_one() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    house.subscribe(contract, "s", Frequency::Monthly, 700).await;
    let request = House::asking(contract, Origin::Recurring);
    let mut bill_to = request.bill_to.clone();
    bill_to.city = Some("Bremen".to_owned());
    house.issue(contract, "k", NewInvoice { bill_to, ..request }, None).await.expect("issued");
    house.with_items(contract, vec![item(None, "one_time", "1", json!({"amountMinor": 10}))]).await;
    let run = house.run(contract).await;
    assert_eq!(run.issued[0].invoice.bill_to.city.as_deref(), Some("Bremen"));
}
