//! Stored credit in its room: granted, drawn, expired, and replayed.

use storage::{Batch, Scan, Store};

use super::house::House;
use crate::contract::{Once, SubscriptionAction};
use crate::domain::billing::credit::{
    CreditEntry, CreditKind, CreditRefusal, CreditType, NewTopup,
};
use crate::domain::billing::invoice::{
    CollectionMethod, Invoice, InvoiceStatus, NewInvoice, Origin, PaidVia,
};
use crate::domain::billing::subscription::{
    Cancel, CancelMode, Frequency, NewSubscription, Pause, PlanChange,
};
use crate::domain::ids::{ContractId, SubscriptionId};
use crate::domain::money::Currency;
use crate::domain::platform::event::EventType;
use crate::domain::platform::switches::Switch;
use crate::domain::quantity::{Quantity, TaxRate};
use crate::domain::refusal::Refusal;
use crate::kernel::AskError;
use crate::passes::{Pass, Scope};
use crate::query::{self, Paging};
use crate::tables::{CREDIT_COUNTED, CREDIT_TOTALS, EVENTS};

const ALL: Paging = Paging { limit: 1_000, cursor: None };

impl House {
    pub(super) async fn top_up(
        &self,
        contract: ContractId,
        key: &str,
        credit_type: CreditType,
        amount_minor: i64,
        expires_in: Option<i64>,
    ) -> Result<Once<CreditEntry>, Refusal> {
        let new = NewTopup {
            credit_type,
            amount_minor,
            currency: Currency::EUR,
            expires_at: expires_in.map(|seconds| self.start().plus_seconds(seconds)),
            reason: "for trying it out".to_owned(),
            customer: self.customer.id,
        };
        let granted =
            self.system.contracts.top_up_credit(self.seller.id, contract, new, key.to_owned());
        granted.await.map_err(AskError::refusal)
    }

    fn entries(&self, contract: ContractId) -> Vec<(CreditKind, i64)> {
        let page = query::credit_entries(&self.store, self.seller.id, contract, ALL);
        let items = page.expect("read").items;
        items.iter().rev().map(|entry| (entry.kind, entry.signed_delta_minor)).collect()
    }

    pub(super) fn balance(&self, contract: ContractId) -> i64 {
        let now = self.start();
        let balances = query::credit_balances(&self.store, self.seller.id, contract, now);
        balances.expect("read").map_or(0, |balances| balances.total())
    }

    fn credit_of_all(&self) -> Vec<(CreditType, i64)> {
        let sums = query::seller_credit(&self.store, self.seller.id, self.start()).expect("read");
        sums.into_iter().map(|(_, kind, minor)| (kind, minor)).collect()
    }

    pub(super) async fn switch(&self, switch: Switch, on: bool) {
        self.system.sellers.switch(self.seller.id, switch, on).await.expect("turned");
    }

    async fn subscribed(&self, contract: ContractId, price_minor: i64) -> SubscriptionId {
        match self.subscribe(contract, "s", Frequency::Monthly, price_minor).await {
            Once::Made(made) => made.id,
            Once::Before => panic!("the key was used"),
        }
    }

    async fn act(&self, contract: ContractId, of: SubscriptionId, action: SubscriptionAction) {
        let contracts = &self.system.contracts;
        let acted = contracts.change_subscription(self.seller.id, contract, of, action).await;
        acted.expect("acted");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_invoices_at_once_never_overdraw() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    for (key, minor) in [("a", 700), ("b", 1_000), ("c", 300)] {
        house.top_up(contract, key, CreditType::Manual, minor, None).await.expect("granted");
    }
    let keys: Vec<_> = (0..50).map(|n| format!("i{n}")).collect();
    let issues = keys.iter().map(|key| house.issue_one_time(contract, key, 90));
    let invoices = futures::future::join_all(issues).await;
    let applied: i64 = invoices.iter().map(|invoice| invoice.credit_applied_minor).sum();
    assert_eq!((applied, house.balance(contract)), (2_000, 0));
    let paid = invoices.iter().filter(|invoice| invoice.status == InvoiceStatus::Paid);
    assert_eq!(paid.count(), 22);
    let collected: i64 = invoices.iter().map(|invoice| invoice.collectible_minor).sum();
    assert_eq!(collected, 50 * 90 - 2_000);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn credit_pays_after_tax_and_what_it_pays_whole_is_paid_at_once() {
    let mut house = House::open().await;
    let contract = house.contract("c").await;
    house.top_up(contract, "a", CreditType::Purchased, 500, None).await.expect("granted");
    house.top_up(contract, "b", CreditType::Gift, 100, Some(60)).await.expect("granted");
    let first = house.issue_one_time(contract, "1", 250).await;
    assert_eq!((first.credit_applied_minor, first.collectible_minor), (250, 0));
    assert_eq!((first.status, first.paid_via), (InvoiceStatus::Paid, Some(PaidVia::StoredCredit)));
    assert!(first.link.is_none() && first.sent_at.is_none());
    let expected = [
        (CreditKind::Topup, 500),
        (CreditKind::Topup, 100),
        (CreditKind::Deduction, -100),
        (CreditKind::Deduction, -150),
    ];
    assert_eq!(house.entries(contract), expected);
    // The room finds it all again.
    house.restart().await;
    let second = house.issue_one_time(contract, "2", 1_000).await;
    assert_eq!((second.credit_applied_minor, second.outstanding_minor), (350, 650));
    assert_eq!(second.status, InvoiceStatus::Sent);
    let by_bank = NewInvoice {
        collection_method: Some(CollectionMethod::BankTransfer),
        lines: Some(vec![House::line(100)]),
        ..House::asking(contract, Origin::OneTime)
    };
    house.top_up(contract, "c", CreditType::Manual, 100, None).await.expect("granted");
    let by_bank = house.issue(contract, "3", by_bank, None).await.expect("issued");
    assert_eq!((by_bank.credit_applied_minor, by_bank.outstanding_minor), (0, 100));
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn while_credits_are_off_nothing_is_drawn() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    house.top_up(contract, "a", CreditType::Manual, 500, None).await.expect("granted");
    house.switch(Switch::Credits, false).await;
    let invoice = house.issue_one_time(contract, "1", 250).await;
    assert_eq!((invoice.credit_applied_minor, invoice.outstanding_minor), (0, 250));
    assert_eq!(house.balance(contract), 500);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_expired_is_forfeited_once_and_never_drawn() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    house.top_up(contract, "a", CreditType::Promotional, 500, Some(60)).await.expect("granted");
    house.top_up(contract, "b", CreditType::Manual, 70, None).await.expect("granted");
    house.clock.push(house.start().plus_seconds(60));
    assert_eq!(house.balance(contract), 70);
    let sums = query::seller_credit(&house.store, house.seller.id, house.start()).expect("read");
    let manual = (Currency::EUR, CreditType::Manual, 70);
    assert_eq!(sums, [(Currency::EUR, CreditType::Promotional, 0), manual]);
    let invoice = house.issue_one_time(contract, "1", 100).await;
    assert_eq!(invoice.credit_applied_minor, 70);
    for forfeited in [1, 0] {
        let report = house.system.passes.run(Pass::CreditExpiry, Scope::Schedule).await;
        assert_eq!(report.expect("run").counts, [("expired", forfeited)]);
    }
    let last = house.entries(contract).last().copied();
    assert_eq!((last, house.balance(contract)), (Some((CreditKind::Expiry, -500)), 0));
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn that_nothing_is_left_is_told_once_also_where_a_lot_expires_before_it_is_forfeited() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    house.top_up(contract, "a", CreditType::Manual, 500, Some(60)).await.expect("granted");
    house.top_up(contract, "b", CreditType::Manual, 70, None).await.expect("granted");
    house.clock.push(house.start().plus_seconds(60));
    assert_eq!(house.issue_one_time(contract, "1", 100).await.credit_applied_minor, 70);
    house.until_told().await;
    assert_eq!(house.told(EventType::CreditDepleted), 0);
    house.system.contracts.run_credit_expiry(house.seller.id, contract).await.expect("ran");
    house.until_told().await;
    assert_eq!(house.told(EventType::CreditDepleted), 1);

    house.top_up(contract, "c", CreditType::Manual, 70, None).await.expect("granted");
    assert_eq!(house.issue_one_time(contract, "2", 100).await.credit_applied_minor, 70);
    house.until_told().await;
    assert_eq!(house.told(EventType::CreditDepleted), 2);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn one_key_grants_once() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let grants = (0..20).map(|_| house.top_up(contract, "k", CreditType::Manual, 5, None));
    let granted = futures::future::join_all(grants).await;
    let made = granted.iter().filter(|one| matches!(one, Ok(Once::Made(_)))).count();
    assert_eq!((made, house.balance(contract)), (1, 5));
    let past = house.top_up(contract, "p", CreditType::Manual, 5, Some(0)).await;
    assert_eq!(past, Err(CreditRefusal::ExpiryPast.into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn unused_days_of_a_billed_term_become_credit() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let subscription = house.subscribed(contract, 3_000).await;
    house.issue_recurring(contract, "first").await.expect("issued");
    let cancel = Cancel { mode: CancelMode::Immediately, prorate: true, ..Cancel::default() };
    let day = house.start().date();
    house.advance(contract, day.plus_days(10).start()).await.expect("advanced");
    house.act(contract, subscription, SubscriptionAction::Cancel(cancel)).await;
    // 20 of 30 days.
    let page = query::credit_entries(&house.store, house.seller.id, contract, ALL).expect("read");
    let lot = &page.items[0];
    assert_eq!((lot.credit_type, lot.signed_delta_minor), (CreditType::Proration, 2_000));
    assert_eq!(lot.expires_at, None);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_left_of_a_plans_credit_becomes_a_lot_with_its_invoice() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let subscription = house.subscribed(contract, 3_000).await;
    house.issue_recurring(contract, "first").await.expect("issued");
    let day = house.start().date();
    let change = PlanChange { price_minor: Some(300), ..PlanChange::default() };
    house.act(contract, subscription, SubscriptionAction::ChangePlan(change)).await;
    house.advance(contract, day.plus_months(1).start()).await.expect("advanced");
    let newest = &house.invoices(contract)[0];
    // 27.00 come back: 3.00 on the line, 24.00 as a lot for later invoices.
    assert_eq!((newest.totals.discount_minor, newest.totals.grand_total_minor), (300, 0));
    assert_eq!((newest.credit_applied_minor, newest.paid_via), (0, None));
    assert_eq!(house.balance(contract), 2_400);
    house.advance(contract, day.plus_months(2).start()).await.expect("advanced");
    let next = &house.invoices(contract)[0];
    assert_eq!((next.credit_applied_minor, next.paid_via), (300, Some(PaidVia::StoredCredit)));
    assert_eq!(house.balance(contract), 2_100);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn the_balance_that_is_told_has_what_the_same_document_makes_of_a_plans_credit() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let subscription = house.subscribed(contract, 3_000).await;
    house.subscribe(contract, "t", Frequency::Monthly, 1_000).await;
    house.issue_recurring(contract, "first").await.expect("issued");
    let change = PlanChange { price_minor: Some(300), ..PlanChange::default() };
    house.act(contract, subscription, SubscriptionAction::ChangePlan(change)).await;
    house.top_up(contract, "g", CreditType::Gift, 500, None).await.expect("granted");
    let next = house.start().date().plus_months(1).start();
    house.advance(contract, next).await.expect("advanced");
    let newest = &house.invoices(contract)[0];
    assert_eq!((newest.credit_applied_minor, house.balance(contract)), (500, 2_400));
    let events = house.store.scan(EVENTS, Scan::all()).values().expect("read");
    let applied = events.iter().find(|event| event.kind == EventType::CreditApplied);
    let payload: serde_json::Value =
        serde_json::from_slice(&applied.expect("told").payload).expect("JSON");
    assert_eq!(payload["balanceMinor"], 2_400);
    assert_eq!(house.told(EventType::CreditDepleted), 1, "the gift");
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn while_credits_are_off_what_is_left_waits_for_the_next_invoice() {
    let house = House::open().await;
    house.switch(Switch::Credits, false).await;
    let contract = house.contract("c").await;
    let subscription = house.subscribed(contract, 3_000).await;
    house.issue_recurring(contract, "first").await.expect("issued");
    let day = house.start().date();
    let change = PlanChange { price_minor: Some(300), ..PlanChange::default() };
    house.act(contract, subscription, SubscriptionAction::ChangePlan(change)).await;
    for month in 1..=2 {
        house.advance(contract, day.plus_months(month).start()).await.expect("advanced");
        let Invoice { totals, .. } = house.invoices(contract)[0];
        assert_eq!((totals.discount_minor, totals.grand_total_minor), (300, 0));
    }
    assert!(house.entries(contract).is_empty());
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credit_of_what_has_ended_becomes_a_lot_by_itself() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let subscription = house.subscribed(contract, 3_000).await;
    house.issue_recurring(contract, "first").await.expect("issued");
    let change = PlanChange { price_minor: Some(300), ..PlanChange::default() };
    house.act(contract, subscription, SubscriptionAction::ChangePlan(change)).await;
    house.act(contract, subscription, SubscriptionAction::Cancel(Cancel::default())).await;
    let end = house.start().date().plus_months(1);
    house.clock.push(end.start());
    for pass in [Pass::Lifecycle, Pass::RecurringInvoice] {
        house.system.passes.run(pass, Scope::Schedule).await.expect("run");
    }
    assert_eq!(house.balance(contract), 2_700);
    assert_eq!(house.invoices(contract).len(), 1);
    house.system.passes.run(Pass::RecurringInvoice, Scope::Schedule).await.expect("run");
    assert_eq!(house.balance(contract), 2_700);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credit_of_what_has_ended_is_listed_as_long_as_it_is_open() {
    let house = House::open().await;
    house.switch(Switch::Credits, false).await;
    for beside_another in [false, true] {
        let contract = house.contract(&format!("c {beside_another}")).await;
        let (seller, today) = (house.seller.id, house.start().date().to_string());
        let new = NewSubscription {
            tax_rate: TaxRate::parse("21"),
            ..NewSubscription::monthly(&today, 3_000)
        };
        let (key, contracts) = (format!("s {beside_another}"), &house.system.contracts);
        let made = contracts.create_subscription(seller, contract, new, key.clone()).await;
        let Ok(Once::Made(ended)) = made else { panic!("made") };
        house.issue_recurring(contract, &key).await.expect("issued");
        if beside_another {
            house.subscribe(contract, "another", Frequency::Monthly, 1_000).await;
        }
        let change = PlanChange { price_minor: Some(1_000), ..PlanChange::default() };
        house.act(contract, ended.id, SubscriptionAction::ChangePlan(change)).await;
        let now = Cancel { mode: CancelMode::Immediately, ..Cancel::default() };
        house.act(contract, ended.id, SubscriptionAction::Cancel(now)).await;
        let told = async |becomes: &str| {
            let shown = contracts.upcoming_invoice(seller, contract, None).await.expect("shown");
            let credit = "a credit of 2420 EUR minor units, tax included,";
            let note = format!("{credit} {becomes}");
            assert!(shown.notes.iter().any(|told| told.ends_with(&note)), "{:?}", shown.notes);
            shown.notes.contains(&"plan changes are not bound to invoices: they wait".to_owned())
        };
        assert!(!told("waits").await);
        house.switch(Switch::Credits, true).await;
        assert!(!told("becomes stored credit").await);
        house.switch(Switch::ProrationBinding, false).await;
        assert!(told("waits").await);
        house.switch(Switch::ProrationBinding, true).await;
        house.switch(Switch::Credits, false).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn credit_of_what_ends_within_a_jump_pays_the_invoice_of_the_jump() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let ending = house.subscribed(contract, 3_000).await;
    house.subscribe(contract, "t", Frequency::Monthly, 1_000).await;
    house.issue_recurring(contract, "first").await.expect("issued");
    let change = PlanChange { price_minor: Some(0), ..PlanChange::default() };
    house.act(contract, ending, SubscriptionAction::ChangePlan(change)).await;
    let day = house.start().date();
    let at = Some(day.plus_days(10));
    let cancel = Cancel { mode: CancelMode::AtDate, at, ..Cancel::default() };
    house.act(contract, ending, SubscriptionAction::Cancel(cancel)).await;
    house.advance(contract, day.plus_days(40).start()).await.expect("advanced");
    let newest = &house.invoices(contract)[0];
    assert_eq!((newest.credit_applied_minor, newest.collectible_minor), (1_000, 0));
    assert_eq!(house.balance(contract), 2_000);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charge_of_what_ends_within_a_jump_is_billed_by_the_jump() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let subscription = house.subscribed(contract, 1_000).await;
    house.issue_recurring(contract, "first").await.expect("issued");
    let change = PlanChange { price_minor: Some(3_000), ..PlanChange::default() };
    house.act(contract, subscription, SubscriptionAction::ChangePlan(change)).await;
    house.act(contract, subscription, SubscriptionAction::Pause(Pause::default())).await;
    let day = house.start().date();
    let at = Some(day.plus_days(38));
    let cancel = Cancel { mode: CancelMode::AtDate, at, ..Cancel::default() };
    house.act(contract, subscription, SubscriptionAction::Cancel(cancel)).await;
    let advanced = house.advance(contract, day.plus_days(60).start()).await.expect("advanced");
    assert_eq!((advanced.lifecycle.canceled, advanced.invoices.issued), (1, 1));
    assert_eq!(house.invoices(contract)[0].totals.grand_total_minor, 2_000);
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_credit_waits_for_the_line_of_its_own_subscription_while_one_is_to_come() {
    let house = House::open().await;
    for ends in [false, true] {
        let contract = house.contract(&format!("c {ends}")).await;
        let (own, other) = (format!("own {ends}"), format!("other {ends}"));
        let made = house.subscribe(contract, &own, Frequency::Monthly, 3_000).await;
        let Once::Made(subscription) = made else { panic!("made") };
        house.subscribe(contract, &other, Frequency::Weekly, 500).await;
        house.issue_recurring(contract, &own).await.expect("issued");
        let half = PlanChange {
            price_minor: Some(500),
            quantity: Quantity::parse("2"),
            ..PlanChange::default()
        };
        let lower = PlanChange { price_minor: Some(1_000), ..PlanChange::default() };
        // The second change comes to nothing, and any invoice shows it.
        for change in [lower, half] {
            let change = SubscriptionAction::ChangePlan(change);
            house.act(contract, subscription.id, change).await;
        }
        let day = house.start().date();
        house.advance(contract, day.plus_days(7).start()).await.expect("advanced");
        assert_eq!(house.invoices(contract)[0].totals.grand_total_minor, 500);
        assert!(house.entries(contract).is_empty());
        if ends {
            let cancel = SubscriptionAction::Cancel(Cancel::default());
            house.act(contract, subscription.id, cancel).await;
        }
        house.advance(contract, day.plus_months(1).start()).await.expect("advanced");
        let newest = &house.invoices(contract)[0];
        let expected = if ends { (0, 500, 1_500) } else { (1_000, 0, 1_000) };
        let applied = (newest.totals.discount_minor, newest.credit_applied_minor);
        assert_eq!((applied.0, applied.1, house.balance(contract)), expected);
    }
    house.assert_right();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_all_contracts_have_is_kept_while_they_change_it_at_once() {
    let mut house = House::open().await;
    let (first, second) = (house.contract("c").await, house.contract("d").await);
    let (gift, bought) = (CreditType::Gift, CreditType::Purchased);
    assert_eq!(house.credit_of_all(), []);
    let keys: Vec<_> = (0..20).map(|n| format!("k{n}")).collect();
    let grants = keys.iter().enumerate().map(|(n, key)| {
        let (contract, kind) = (if n % 2 == 0 { first } else { second }, [gift, bought][n % 2]);
        house.top_up(contract, key, kind, 100, None)
    });
    for granted in futures::future::join_all(grants).await {
        granted.expect("granted");
    }
    house.issue_one_time(first, "i", 250).await;
    house.top_up(second, "short", gift, 40, Some(60)).await.expect("granted");
    assert_eq!(house.credit_of_all(), [(bought, 1_000), (gift, 790)]);
    // It has expired, and is forfeited some time later.
    house.clock.push(house.start().plus_seconds(60));
    assert_eq!(house.credit_of_all(), [(bought, 1_000), (gift, 750)]);
    house.system.contracts.run_credit_expiry(house.seller.id, second).await.expect("ran");
    assert_eq!(house.credit_of_all(), [(bought, 1_000), (gift, 750)]);
    house.assert_right();

    // A store from before it was kept.
    let before = |store: &Store| {
        let mut batch = Batch::new();
        for key in store.scan(CREDIT_TOTALS, Scan::all()).keys() {
            batch.delete(CREDIT_TOTALS, &key.expect("read"));
        }
        batch.delete(CREDIT_COUNTED, &0);
        store.write_blocking(batch).expect("durable");
    };
    house.restart_with(before).await;
    assert_eq!(house.credit_of_all(), [(bought, 1_000), (gift, 750)]);
    house.top_up(first, "later", gift, 1, None).await.expect("granted");
    house.restart().await;
    assert_eq!(house.credit_of_all(), [(bought, 1_000), (gift, 751)]);
    house.assert_right();
}
