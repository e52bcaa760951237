//! Tax that is left to the countries: what is given back is taxed as it was billed.

use super::house::House;
use crate::chunked::Chunked;
use crate::contract::{Once, SubscriptionAction};
use crate::domain::billing::invoice::{Invoice, NewInvoice, Origin, StatedBillTo};
use crate::domain::billing::subscription::{Cancel, CancelMode, Frequency, PlanChange};
use crate::domain::billing::tax::TaxCategory;
use crate::domain::country::Country;
use crate::domain::ids::{ContractId, SubscriptionId};
use crate::domain::platform::seller::{Seller, TaxMode};
use crate::domain::platform::switches::Switch;
use crate::domain::quantity::TaxRate;
use crate::tables::{CUSTOMERS, SELLERS, SUBSCRIPTIONS};
use storage::{Batch, Store};

impl House {
    /// The seller is in the Netherlands and the customer in Germany; the default rate is neither's.
    async fn leave_tax_to_the_countries(&mut self) {
        self.leave_tax_to_countries_with("DE").await;
    }

    /// The same with a customer elsewhere.
    pub(super) async fn leave_tax_to_countries_with(&mut self, customer: &str) {
        self.seller = Seller {
            country: Country::parse("NL"),
            tax_mode: TaxMode::Automatic,
            default_tax_rate: TaxRate::parse("33").expect("a rate"),
            ..self.seller.clone()
        };
        self.customer.company_country = Some(customer.to_owned());
        let (seller, customer) = (self.seller.clone(), self.customer.clone());
        let write = move |store: &Store| {
            let mut batch = Batch::new();
            batch.put(SELLERS, &seller.id, &seller);
            batch.put(CUSTOMERS, &(seller.id, customer.id), &customer);
            store.write_blocking(batch).expect("durable");
        };
        self.restart_with(write).await;
    }

    async fn billed(&self, key: &str, price_minor: i64) -> (ContractId, SubscriptionId, Invoice) {
        let contract = self.contract(key).await;
        let made = self.subscribe(contract, key, Frequency::Monthly, price_minor).await;
        let Once::Made(subscription) = made else { panic!("the key was used") };
        let invoice = self.issue_recurring(contract, &format!("i-{key}")).await.expect("issued");
        (contract, subscription.id, invoice)
    }

    async fn changed(&self, contract: ContractId, of: SubscriptionId, action: SubscriptionAction) {
        let contracts = &self.system.contracts;
        let changed = contracts.change_subscription(self.seller.id, contract, of, action).await;
        changed.expect("changed");
    }
}

const AT_ONCE: CancelMode = CancelMode::Immediately;

#[tokio::test(flavor = "multi_thread")]
async fn a_term_that_is_given_back_whole_comes_to_its_invoice() {
    let mut house = House::open().await;
    house.leave_tax_to_the_countries().await;
    let (contract, id, invoice) = house.billed("a", 10_001).await;
    assert_eq!(invoice.totals.tax_minor, 1_900, "19 % of Germany");
    let cancel = Cancel { mode: AT_ONCE, prorate: true, ..Cancel::default() };
    house.changed(contract, id, SubscriptionAction::Cancel(cancel)).await;
    assert_eq!(house.balance(contract), invoice.totals.grand_total_minor);

    // The same by a plan that costs nothing any more, of which no document is left to be lowered.
    let (contract, id, invoice) = house.billed("b", 10_001).await;
    let free = PlanChange { price_minor: Some(0), ..PlanChange::default() };
    house.changed(contract, id, SubscriptionAction::ChangePlan(free)).await;
    let cancel = Cancel { mode: AT_ONCE, ..Cancel::default() };
    house.changed(contract, id, SubscriptionAction::Cancel(cancel)).await;
    house.clock.push(house.start().date().plus_days(1).start());
    house.system.contracts.run_recurring(house.seller.id, contract).await.expect("run");
    assert_eq!(house.balance(contract), invoice.totals.grand_total_minor);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_document_has_no_room_for_is_foretold_as_it_becomes_credit() {
    let mut house = House::open().await;
    house.leave_tax_to_the_countries().await;
    let (contract, id, _) = house.billed("a", 31_000).await;
    let less = PlanChange { price_minor: Some(1_000), ..PlanChange::default() };
    house.changed(contract, id, SubscriptionAction::ChangePlan(less)).await;
    let next = house.start().date().plus_days(40).start();
    let contracts = house.system.contracts.clone();
    let seller = house.seller.id;
    let foretold = contracts.upcoming_invoice(seller, contract, Some(next)).await.expect("shown");
    let note = foretold.notes.iter().find(|note| note.contains("becomes stored credit"));
    // 310.00 back for 10.00, and another 10.00 of the next term: 290.00 and 19 %.
    let credit = "a credit of 34510 EUR minor units, tax included";
    assert!(note.is_some_and(|note| note.contains(credit)), "{:?}", foretold.notes);
    house.advance(contract, next).await.expect("advanced");
    assert_eq!(house.balance(contract), 34_510);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tax_of_a_term_comes_back_with_its_days_where_the_customer_has_left_the_union() {
    let mut house = House::open().await;
    house.leave_tax_to_the_countries().await;
    let (contract, id, _) = house.billed("a", 6_000).await;
    house.switch(Switch::RecurringInvoicePass, false).await;
    let start = house.start().date();
    house.advance(contract, start.plus_days(10).start()).await.expect("advanced");
    let less = PlanChange { price_minor: Some(3_000), ..PlanChange::default() };
    house.changed(contract, id, SubscriptionAction::ChangePlan(less)).await;
    house.advance(contract, start.plus_months(1).start()).await.expect("advanced");
    let abroad = StatedBillTo { country: Some("US".to_owned()), ..StatedBillTo::default() };
    let asked = NewInvoice { bill_to: abroad, ..House::asking(contract, Origin::Recurring) };
    let next = house.issue(contract, "next", asked, None).await.expect("issued");
    assert_eq!((next.totals.grand_total_minor, next.totals.tax_minor), (3_000, 0));
    // 20 of 30 days at 30.00 less, with 19 % of Germany.
    assert_eq!(house.balance(contract), 2_000 + 380);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_days_of_a_term_without_tax_come_back_in_the_category_of_the_term() {
    let mut house = House::open().await;
    house.leave_tax_to_the_countries().await;
    let contract = house.contract("a").await;
    let made = house.subscribe(contract, "a", Frequency::Monthly, 6_000).await;
    let Once::Made(subscription) = made else { panic!("the key was used") };
    let with_vat_id =
        StatedBillTo { tax_id: Some("DE136695976".to_owned()), ..StatedBillTo::default() };
    let asked = NewInvoice { bill_to: with_vat_id, ..House::asking(contract, Origin::Recurring) };
    let first = house.issue(contract, "first", asked, None).await.expect("issued");
    assert_eq!(first.totals.tax_minor, 0);
    house.switch(Switch::RecurringInvoicePass, false).await;
    let start = house.start().date();
    house.advance(contract, start.plus_days(10).start()).await.expect("advanced");
    let less = PlanChange { price_minor: Some(3_000), ..PlanChange::default() };
    house.changed(contract, subscription.id, SubscriptionAction::ChangePlan(less)).await;
    house.advance(contract, start.plus_months(1).start()).await.expect("advanced");
    let next = house.issue_recurring(contract, "next").await.expect("issued");
    // 30.00 with 19 % of Germany, less 20 of 30 days at 30.00, of which the buyer owed the tax.
    let taxes = next.tax_summary.iter().map(|of| (of.category, of.taxable_minor, of.tax_minor));
    let (standard, reverse) = (TaxCategory::Standard, TaxCategory::ReverseCharge);
    assert_eq!(Vec::from_iter(taxes), [(standard, 3_000, 570), (reverse, -2_000, 0)]);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_gets_a_rate_in_a_term_outside_all_tax_keeps_no_later_term_from_being_billed() {
    let mut house = House::open().await;
    house.leave_tax_to_countries_with("US").await;
    let taxed = || {
        SubscriptionAction::ChangePlan(PlanChange {
            tax_rate: TaxRate::parse("21"),
            ..PlanChange::default()
        })
    };
    let start = house.start().date();
    let (contract, id, first) = house.billed("a", 6_000).await;
    assert_eq!(first.tax_summary[0].category, TaxCategory::OutOfScope);
    house.advance(contract, start.plus_days(10).start()).await.expect("advanced");
    house.changed(contract, id, taxed()).await;
    house.advance(contract, start.plus_months(1).start()).await.expect("advanced");
    // The next term and 20 of 30 days with their tax; the same days without it come back.
    let next = &house.invoices(contract)[0];
    let totals = (next.totals.grand_total_minor, next.totals.tax_minor);
    assert_eq!((totals, house.balance(contract)), ((12_100, 2_100), 4_000));

    // Of a term that is not billed yet the charge waits for the next.
    let contract = house.contract("b").await;
    let made = house.subscribe(contract, "b", Frequency::Monthly, 6_000).await;
    let Once::Made(subscription) = made else { panic!("the key was used") };
    house.changed(contract, subscription.id, taxed()).await;
    let first = house.issue_recurring(contract, "first").await.expect("issued");
    assert_eq!(first.totals.grand_total_minor, 0);
    house.advance(contract, start.plus_months(1).start()).await.expect("advanced");
    assert_eq!(house.invoices(contract)[0].totals.grand_total_minor, 14_520);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn days_of_a_term_of_which_no_rate_was_kept_come_back_with_the_tax_of_today() {
    let mut house = House::open().await;
    house.leave_tax_to_the_countries().await;
    let (contract, id, _) = house.billed("a", 10_001).await;
    let (seller, of) = (house.seller.id, id);
    let forget = move |store: &Store| {
        let row = store.get(SUBSCRIPTIONS, &(seller, contract, of)).expect("read");
        let Some(Chunked::Whole(mut subscription)) = row else { panic!("a row") };
        for term in &mut subscription.terms {
            (term.billed_rate, term.billed_category) = (None, None);
        }
        let mut batch = Batch::new();
        let row = Chunked::Whole(subscription);
        batch.put(SUBSCRIPTIONS, &(seller, contract, of), &row);
        store.write_blocking(batch).expect("durable");
    };
    house.restart_with(forget).await;
    let cancel = Cancel { mode: AT_ONCE, prorate: true, ..Cancel::default() };
    house.changed(contract, id, SubscriptionAction::Cancel(cancel)).await;
    assert_eq!(house.balance(contract), 10_001 + 1_900);
}
