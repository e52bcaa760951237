//! What becomes of test clocks when their account goes live.

use storage::{Batch, Scan};

use super::house::House;
use crate::contract::{Once, SubscriptionAction};
use crate::domain::billing::invoice::{Invoice, InvoiceStatus, NewInvoice, Origin};
use crate::domain::billing::subscription::{
    Cancel, CancelMode, Frequency, Pause, PlanChange, Subscription,
};
use crate::domain::billing::test_clock::TestClock;
use crate::domain::billing::usage::Coverage;
use crate::domain::ids::ContractId;
use crate::domain::platform::seller::{Mode, Seller, SellerPatch};
use crate::domain::refusal::RefusalKind;
use crate::domain::time::Date;
use crate::passes::{Pass, Scope};
use crate::query;
use crate::tables::{CLOCKS, SELLERS};

impl House {
    /// Puts the account live; whoever is to hear of it has heard.
    async fn goes_live(&self) {
        let patch = SellerPatch { mode: Some(Mode::Live), ..SellerPatch::default() };
        self.system.sellers.patch(self.seller.id, patch).await.expect("live");
        self.until_told().await;
    }

    /// A contract whose first week is billed.
    async fn billed_weekly(&self, name: &str) -> ContractId {
        let contract = self.contract(name).await;
        let made = self.subscribe(contract, name, Frequency::Weekly, 500).await;
        assert!(matches!(made, Once::Made(_)));
        self.issue_recurring(contract, name).await.expect("issued");
        contract
    }

    /// Lets scheduled passes come by at the beginning of a day, counted from now.
    async fn pass_days(&self, days: i64) {
        self.clock.push(self.start().date().plus_days(days).start());
        for pass in [Pass::Lifecycle, Pass::RecurringInvoice] {
            self.system.passes.run(pass, Scope::Schedule).await.expect("run");
        }
    }

    /// The same behind the system's back, as by a program that told no contract of it.
    async fn went_live_untold(&mut self) {
        let live = Seller { mode: Mode::Live, ..self.seller.clone() };
        let put = move |store: &storage::Store| {
            let mut batch = Batch::new();
            batch.put(SELLERS, &live.id, &live);
            store.write_blocking(batch).expect("durable");
        };
        self.restart_with(put).await;
    }

    /// A contract of a live account whose clock was let go 200 days ahead, with a subscription that
    /// has lived up to there.
    async fn let_go_ahead(&self, name: &str) -> (ContractId, Subscription) {
        let contract = self.contract(name).await;
        let made = self.subscribe(contract, name, Frequency::Weekly, 700).await;
        let Once::Made(made) = made else { panic!("the key was used") };
        self.clock.push(self.start().plus_seconds(1));
        self.advance(contract, self.ahead().start()).await.expect("advanced");
        self.goes_live().await;
        (contract, made)
    }

    fn ahead(&self) -> Date {
        self.start().date().plus_days(200)
    }

    async fn acted(&self, on: &Subscription, action: SubscriptionAction) -> Subscription {
        let contracts = &self.system.contracts;
        let acted = contracts.change_subscription(self.seller.id, on.contract, on.id, action);
        acted.await.expect("not refused")
    }

    fn clocks(&self) -> Vec<TestClock> {
        let all = Scan::prefix(&(self.seller.id,));
        self.store.scan(CLOCKS, all).values().expect("read")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn once_an_account_is_live_passes_come_by_contracts_that_had_a_test_clock() {
    for starts_again in [false, true] {
        let mut house = House::open().await;
        let (behind, ahead) = (house.billed_weekly("a").await, house.billed_weekly("b").await);
        let day = house.start().date();
        house.advance(behind, day.plus_days(2).start()).await.expect("advanced");
        house.advance(ahead, day.plus_days(9).start()).await.expect("advanced");
        let billed = |house: &House| [behind, ahead].map(|one| house.invoices(one).len());
        assert_eq!(billed(&house), [1, 2]);
        if starts_again {
            // Nobody has the contracts in memory.
            house.restart().await;
        }
        house.goes_live().await;
        house.pass_days(8).await;
        // What the one had billed on its way ahead is due by the wall now, and billed once.
        assert_eq!(billed(&house), [2, 2]);
        house.pass_days(7).await;
        assert_eq!(billed(&house), [3, 3]);
        house.assert_right_at_rest().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_contract_catches_up_with_the_terms_that_began_while_its_clock_stood() {
    let house = House::open().await;
    let contract = house.billed_weekly("a").await;
    house.advance(contract, house.start().plus_seconds(1)).await.expect("advanced");
    house.pass_days(22).await;
    assert_eq!(house.invoices(contract).len(), 1);
    house.goes_live().await;
    for documents in 2..=4 {
        house.pass_days(0).await;
        assert_eq!(house.invoices(contract).len(), documents);
    }
    house.pass_days(0).await;
    assert_eq!(house.invoices(contract).len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_moves_a_clock_of_a_live_account() {
    let house = House::open().await;
    let (simulated, real) = (house.contract("a").await, house.contract("b").await);
    let to = house.start().plus_seconds(3_600);
    house.advance(simulated, to).await.expect("advanced");
    house.goes_live().await;
    for contract in [simulated, real] {
        for to in [to, to.plus_seconds(3_600)] {
            let refusal = house.advance(contract, to).await.expect_err("refused");
            let told = "test clocks are for demo accounts only";
            assert_eq!((refusal.kind, refusal.text.as_str()), (RefusalKind::Forbidden, told));
        }
    }
    let clocks = house.clocks();
    assert_eq!((clocks.len(), clocks[0].now), (1, to));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_contract_hears_of_it_however_many_there_are() {
    const MANY: usize = 600;
    let mut house = House::open().await;
    let contract = house.contract("a").await;
    house.advance(contract, house.start().plus_seconds(60)).await.expect("advanced");
    let (seller, clock) = (house.seller.id, house.clocks().remove(0));
    let copies = move |store: &storage::Store| {
        let mut batch = Batch::new();
        for n in 1..MANY as u64 {
            batch.put(CLOCKS, &(seller, ContractId(contract.0 + n)), &clock);
        }
        store.write_blocking(batch).expect("durable");
    };
    house.restart_with(copies).await;
    house.goes_live().await;
    let let_go = house.clocks().iter().filter(|clock| clock.let_go_at.is_some()).count();
    assert_eq!((house.clocks().len(), let_go), (MANY, MANY));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_contract_that_did_not_hear_of_it_lets_its_clock_go_with_what_is_done_next() {
    let mut house = House::open().await;
    let contract = house.contract("a").await;
    let stood = house.start().plus_seconds(60);
    house.advance(contract, stood).await.expect("advanced");
    house.went_live_untold().await;
    assert_eq!(house.clocks()[0].stands_at(), Some(stood));
    house.subscribe(contract, "s", Frequency::Weekly, 500).await;
    assert_eq!((house.clocks()[0].stands_at(), house.clocks()[0].now), (None, stood));
}

#[tokio::test(flavor = "multi_thread")]
async fn contracts_hear_of_it_when_it_is_stated_again_that_the_account_is_live() {
    let mut house = House::open().await;
    let contract = house.billed_weekly("a").await;
    house.advance(contract, house.start().plus_seconds(60)).await.expect("advanced");
    house.went_live_untold().await;
    house.goes_live().await;
    assert_eq!(house.clocks()[0].stands_at(), None);
    house.pass_days(8).await;
    assert_eq!(house.invoices(contract).len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_of_a_live_account_goes_by_the_wall_where_the_clock_had_run_ahead() {
    let house = House::open().await;
    let (contract, _) = house.let_go_ahead("a").await;
    let today = house.start().date();
    let issue = async |key: &str, due_date| {
        let lines = Some(vec![House::line(700)]);
        let asked = House::asking(contract, Origin::OneTime);
        let asked = NewInvoice { lines, due_date, ..asked };
        house.issue(contract, key, asked, None).await.expect("issued")
    };
    let stated = issue("stated", Some(today.plus_days(14))).await;
    let usual = issue("usual", None).await;
    for invoice in [&stated, &usual] {
        assert_eq!((invoice.status, invoice.overdue_told_at), (InvoiceStatus::Sent, None));
        let due = invoice.due_date.expect("a day");
        assert!(due < house.ahead());
        assert!(invoice.remind_on.is_some_and(|day| today < day && day < due));
        let collected = invoice.collection.as_ref().and_then(|collection| collection.next_on);
        assert_eq!(collected, Some(today));
    }
    let fell_overdue = async |days| {
        house.clock.push(today.plus_days(days).start());
        house.system.passes.run(Pass::Overdue, Scope::Schedule).await.expect("run");
        let found = house.invoices(contract).into_iter().find(|one| one.id == stated.id);
        found.map(|invoice: Invoice| invoice.status) == Some(InvoiceStatus::Overdue)
    };
    assert!(!fell_overdue(14).await);
    assert!(fell_overdue(15).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_made_in_a_live_account_lives_by_the_wall_where_the_clock_had_run_ahead() {
    let house = House::open().await;
    let (contract, _) = house.let_go_ahead("a").await;
    let day = house.start().date();
    let made = house.subscribe(contract, "b", Frequency::Weekly, 500).await;
    let Once::Made(made) = made else { panic!("the key was used") };
    assert_eq!(made.current_period_end, Some(day.plus_days(7)));
    house.pass_days(8).await;
    let ends = house.acted(&made, SubscriptionAction::Cancel(Cancel::default())).await;
    assert_eq!(ends.cancel_at(), Some(day.plus_days(14)));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_ends_in_a_live_account_serves_no_usage_up_to_where_the_clock_had_run() {
    let house = House::open().await;
    let day = house.start().date();
    let serves = |sub: &Subscription, days| {
        let coverage = Coverage::of(std::iter::once(sub));
        coverage.period_of(day.plus_days(days)).is_some()
    };
    let contract = house.contract("a").await;
    let mut both = Vec::new();
    for key in ["canceled", "paused"] {
        let made = house.subscribe(contract, key, Frequency::Weekly, 700).await;
        let Once::Made(made) = made else { panic!("the key was used") };
        both.push(made);
    }
    house.clock.push(house.start().plus_seconds(1));
    house.advance(contract, house.ahead().start()).await.expect("advanced");
    house.goes_live().await;

    let at_once = Cancel { mode: CancelMode::Immediately, ..Cancel::default() };
    let canceled = house.acted(&both[0], SubscriptionAction::Cancel(at_once)).await;
    assert_eq!(canceled.canceled_at.map(|at| at.date()), Some(day));
    assert_eq!([0, 1, 7, 199].map(|days| serves(&canceled, days)), [true, false, false, false]);

    let paused = house.acted(&both[1], SubscriptionAction::Pause(Pause::default())).await;
    assert_eq!([0, 6, 7, 199].map(|days| serves(&paused, days)), [true, true, false, false]);
    house.clock.push(day.plus_days(20).start());
    let resumed = house.acted(&both[1], SubscriptionAction::Resume).await;
    assert_eq!([6, 7, 19, 20].map(|days| serves(&resumed, days)), [true, false, false, true]);
    assert_eq!(resumed.current_period_end, paused.current_period_end);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_changes_from_where_its_terms_had_come_to() {
    let house = House::open().await;
    let (_, made) = house.let_go_ahead("a").await;
    let dearer = PlanChange { price_minor: Some(1_400), ..PlanChange::default() };
    let changed = house.acted(&made, SubscriptionAction::ChangePlan(dearer)).await;
    let term = changed.terms.last().expect("a term");
    // 200 days are 28 weeks and 4 days: 3 of 7 are left of the term.
    assert_eq!((term.credited_minor, term.added_minor), (300, 600));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_overview_has_documents_of_a_live_account_in_the_months_of_their_issue() {
    let house = House::open().await;
    let contract = house.contract("a").await;
    house.advance(contract, house.start().plus_seconds(60)).await.expect("advanced");
    let issue = async |key: &str, minor| {
        let lines = Some(vec![House::line(minor)]);
        let due_date = Some(Date::parse("2026-12-05").expect("a date"));
        let asked = House::asking(contract, Origin::OneTime);
        let asked = NewInvoice { lines, due_date, ..asked };
        house.issue(contract, key, asked, None).await.expect("issued")
    };
    issue("while it stands", 300).await;
    house.clock.push(house.start().plus_seconds(60));
    house.goes_live().await;
    issue("live", 700).await;
    let december = Date::parse("2026-12-10").expect("a date").start();
    let overview = query::overview(&house.store, house.seller.id, december, 2, &|| true);
    let months = &overview.expect("read").currencies[0].months;
    let billed: Vec<_> = months.iter().map(|month| month.billed_minor).collect();
    assert_eq!(billed, [700, 300]);
}
