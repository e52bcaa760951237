//! Contract rooms on a real store, with the whole tree around them and a clock by hand.

mod auto_topup;
mod billing_run;
mod collection;
mod creation;
mod credit;
mod drafts;
mod endings;
mod forecast;
mod going_live;
mod house;
mod lives;
mod loading;
mod lost_messages;
mod metering;
mod overdue;
mod overviews;
mod packs;
mod passes;
mod past_due;
mod paying;
mod strides;
mod taxes;

use storage::Batch;
use storage::testing::AfterFailure;

use self::house::House;
use super::{Once, SubscriptionAction};
use crate::domain::billing::contract::{Amendment, ContractStatus};
use crate::domain::billing::invoice::InvoiceStatus;
use crate::domain::billing::subscription::{Frequency, PlanChange, SubscriptionStatus};
use crate::domain::ids::{MessageId, PaymentId};
use crate::domain::messages::{ContractMessage, Envelope, PaymentNotice};
use crate::domain::money::{Currency, Money};
use crate::domain::refusal::RefusalKind;
use crate::kernel::AskError;
use crate::outbox::Outbox;
use crate::passes::{Pass, Scope};
use crate::query::{self, Paging};

const ALL: Paging = Paging { limit: 1_000, cursor: None };

#[tokio::test(flavor = "multi_thread")]
async fn forty_amendments_on_one_version_make_one() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let amendments = (0..40).map(|_| {
        let (contracts, seller) = (house.system.contracts.clone(), house.seller.id);
        let amendment = Amendment {
            expected_base_version: 1,
            status: Some(ContractStatus::Active),
            ..Amendment::default()
        };
        tokio::spawn(async move { contracts.amend(seller, contract, amendment).await })
    });
    let mut made = 0;
    for one in futures::future::join_all(amendments).await {
        match one.expect("no panic").map_err(AskError::refusal) {
            Ok(amended) => {
                made += 1;
                assert_eq!(amended.current.version, 2);
            }
            Err(refusal) => assert_eq!(refusal.kind, RefusalKind::Stale),
        }
    }
    assert_eq!(made, 1);
    let versions = query::versions(&house.store, house.seller.id, contract, ALL).expect("read");
    assert_eq!(versions.items.iter().map(|v| v.version).collect::<Vec<_>>(), [2, 1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_creates_under_one_key_make_one_contract() {
    let house = House::open().await;
    let creates = (0..20).map(|_| {
        let (contracts, seller) = (house.system.contracts.clone(), house.seller.id);
        let (new, customer) = (house.new_contract(), house.customer.clone());
        tokio::spawn(async move { contracts.create(seller, new, customer, "one".into()).await })
    });
    let mut made = 0;
    for one in futures::future::join_all(creates).await {
        let answer = one.expect("no panic").expect("not refused");
        made += usize::from(matches!(answer, Once::Made(_)));
    }
    assert_eq!(made, 1);
    let all = query::contracts(&house.store, house.seller.id, ALL).expect("read");
    assert_eq!(all.items.len(), 1);
    assert_eq!(all.items[0].contract_number().as_deref(), Some("C-000001"));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_key_at_two_contracts_makes_one_subscription_and_harms_neither() {
    let house = House::open().await;
    let (left, right) = (house.contract("l").await, house.contract("r").await);
    let mut made = 0;
    for round in 0..20 {
        let key = format!("key-{round}");
        let (one, other) = futures::join!(
            house.subscribe(left, &key, Frequency::Monthly, 1_000),
            house.subscribe(right, &key, Frequency::Monthly, 1_000),
        );
        made += [one, other].into_iter().filter(|a| matches!(a, Once::Made(_))).count();
    }
    assert_eq!(made, 20);
    let all = query::subscriptions(&house.store, house.seller.id, None, ALL).expect("read");
    assert_eq!(all.items.len(), 20);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_year_on_the_test_clock_bills_every_term_once() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let Once::Made(made) = house.subscribe(contract, "s", Frequency::Monthly, 1_000).await else {
        panic!("made")
    };
    assert_eq!(made.status, SubscriptionStatus::Active);
    house.issue_recurring(contract, "first").await.expect("issued");
    for month in 1..=12 {
        let to = house.start().date().plus_months(month).start();
        let advanced = house.advance(contract, to).await.expect("advanced");
        assert!(advanced.advanced);
        assert_eq!(advanced.lifecycle.renewed, 1, "month {month}");
        assert_eq!((advanced.invoices.issued, advanced.invoices.sent), (1, 1), "month {month}");
    }
    let invoices = house.invoices(contract);
    assert_eq!(invoices.len(), 13);
    let mut starts: Vec<_> = invoices.iter().filter_map(|i| i.period_start).collect();
    starts.sort_unstable();
    starts.dedup();
    assert_eq!(starts.len(), 13, "a term was billed twice");
    let mut orders: Vec<_> = invoices.iter().filter_map(|i| i.number).map(|n| n.order).collect();
    orders.sort_unstable();
    assert_eq!(orders, (1..=13).collect::<Vec<_>>(), "numbers have a gap");
    // What is long due and unpaid has fallen overdue by the contract's clock.
    let overdue = invoices.iter().filter(|i| i.status == InvoiceStatus::Overdue).count();
    assert_eq!(overdue, 12);
    house.assert_listed();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_jump_over_several_terms_renews_all_and_bills_the_oldest() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    house.subscribe(contract, "s", Frequency::Monthly, 1_000).await;
    house.issue_recurring(contract, "first").await.expect("issued");
    let to = house.start().date().plus_months(3).start();
    let advanced = house.advance(contract, to).await.expect("advanced");
    assert_eq!((advanced.lifecycle.renewed, advanced.invoices.issued), (3, 1));
    let newest = &house.invoices(contract)[0];
    assert_eq!(newest.period_start, Some(house.start().date().plus_months(1)));
    for rest in [1, 1, 0] {
        let report = house.system.passes.run(Pass::RecurringInvoice, Scope::Operator).await;
        let counts = report.expect("run").counts;
        assert_eq!(counts.iter().find(|(name, _)| *name == "issued"), Some(&("issued", rest)));
    }
    assert_eq!(house.invoices(contract).len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_plan_is_prorated_onto_the_next_invoice() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let Once::Made(made) = house.subscribe(contract, "s", Frequency::Monthly, 3_000).await else {
        panic!("made")
    };
    house.issue_recurring(contract, "first").await.expect("issued");
    let day = house.start().date();
    house.advance(contract, day.plus_days(10).start()).await.expect("advanced");
    let change = PlanChange { price_minor: Some(6_000), ..PlanChange::default() };
    let action = SubscriptionAction::ChangePlan(change);
    let changed = house
        .system
        .contracts
        .change_subscription(house.seller.id, contract, made.id, action)
        .await;
    assert_eq!(changed.expect("changed").price_minor, 6_000);
    house.advance(contract, day.plus_months(1).start()).await.expect("advanced");
    let newest = &house.invoices(contract)[0];
    let term = day.plus_months(1).days_since(day);
    let left = term - 10;
    let half_up = |price: i64| (price * left * 2 + term) / (term * 2);
    let expected = 6_000 + half_up(6_000) - half_up(3_000);
    assert_eq!(newest.totals.grand_total_minor, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_is_taken_once_however_often_it_is_told() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    house.subscribe(contract, "s", Frequency::Annual, 9_900).await;
    let invoice = house.issue_recurring(contract, "first").await.expect("issued");
    let notice = PaymentNotice {
        payment: PaymentId(1),
        reference: "r".to_owned(),
        invoice: invoice.id,
        amount: Money::new(9_900, Currency::EUR).expect("money"),
        at: house.start(),
        attempt: None,
    };
    let before = query::timeline(&house.store, house.seller.id, contract, ALL).expect("read");
    let send = |id, content: ContractMessage| {
        let mut batch = Batch::new();
        Outbox::stage(&mut batch, id, &Envelope::to_contract(house.seller.id, contract, content));
        house.store.write_blocking(batch).expect("durable");
    };
    send(MessageId(7), ContractMessage::PaymentSucceeded(notice.clone()));
    for _ in 0..3 {
        let content = ContractMessage::PaymentSucceeded(notice.clone());
        let taken =
            house.system.contracts.receive(house.seller.id, contract, MessageId(7), content);
        taken.await.expect("taken");
    }
    let paid = &house.invoices(contract)[0];
    assert_eq!((paid.status, paid.outstanding_minor), (InvoiceStatus::Paid, 0));
    let after = query::timeline(&house.store, house.seller.id, contract, ALL).expect("read");
    assert_eq!(after.items.len(), before.items.len() + 1);

    let content = ContractMessage::PaymentReversed(notice);
    send(MessageId(8), content.clone());
    let taken = house.system.contracts.receive(house.seller.id, contract, MessageId(8), content);
    taken.await.expect("taken");
    let reopened = &house.invoices(contract)[0];
    assert_eq!((reopened.status, reopened.outstanding_minor), (InvoiceStatus::Sent, 9_900));
    house.assert_listed();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_commit_leaves_memory_as_the_disk_has_it() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let Once::Made(made) = house.subscribe(contract, "s", Frequency::Monthly, 3_000).await else {
        panic!("made")
    };
    let day = house.start().date();
    for (round, step) in [0, 1, 2, 0, 1, 2].into_iter().enumerate() {
        house.store.fail_at(1, AfterFailure::WorksOn);
        let refused = match step {
            0 => house.issue_recurring(contract, &format!("f{round}")).await.err(),
            1 => house.advance(contract, day.plus_months(2).start()).await.err(),
            _ => {
                let price_minor = Some(4_000 + i64::try_from(round).expect("small"));
                let change = PlanChange { price_minor, ..PlanChange::default() };
                let action = SubscriptionAction::ChangePlan(change);
                let acted = house.system.contracts.change_subscription(
                    house.seller.id,
                    contract,
                    made.id,
                    action,
                );
                acted.await.map_err(AskError::refusal).err()
            }
        };
        assert_eq!(refused.expect("the disk failed").kind, RefusalKind::Fault);
        house.store.fail_at(0, AfterFailure::WorksOn);
    }
    let kept = query::subscription(&house.store, house.seller.id, made.id).expect("read");
    assert_eq!(kept.as_ref(), Some(&made));
    assert!(house.invoices(contract).is_empty());
    // The room works on from what the disk has: the first term is still due, once.
    house.issue_recurring(contract, "works").await.expect("issued");
    let again = house.issue_recurring(contract, "again").await.expect_err("billed already");
    assert_eq!(again.kind, RefusalKind::Unprocessable);
    assert_eq!(house.invoices(contract)[0].number.map(|n| n.order), Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn scheduled_passes_leave_a_contract_on_a_test_clock_alone() {
    let house = House::open().await;
    let (simulated, real) = (house.contract("a").await, house.contract("b").await);
    for contract in [simulated, real] {
        let key = format!("s{contract}");
        house.subscribe(contract, &key, Frequency::Weekly, 500).await;
        house.issue_recurring(contract, &key).await.expect("issued");
    }
    let day = house.start().date();
    house.advance(simulated, day.plus_days(2).start()).await.expect("advanced");
    house.clock.push(day.plus_days(8).start());
    for pass in [Pass::Lifecycle, Pass::RecurringInvoice] {
        house.system.passes.run(pass, Scope::Schedule).await.expect("run");
    }
    assert_eq!(house.invoices(real).len(), 2);
    assert_eq!(house.invoices(simulated).len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_contract_of_any_size_is_kept_and_read_whole() {
    let house = House::open().await;
    let contract = house.contract("c").await;
    let amended = house.amend_with_large_items(contract, 100, 9_000).await;
    let read = query::contract(&house.store, house.seller.id, contract).expect("read");
    assert_eq!(read.as_ref(), Some(&amended));
    let version = query::contract_version(&house.store, house.seller.id, contract, 2);
    assert_eq!(version.expect("read").as_ref(), Some(&amended.current));
}
