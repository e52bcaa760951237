//! Random lives of a contract, judged by books that are kept apart: what subscriptions came to is
//! billed once, with its tax, and so is what was used; every invoice asks for what is left of it,
//! refunds take no more than came, and no money and no credit is made or lost, whatever is done in
//! whatever order, and however often the system stops in between.

mod books;
mod plans;
mod refunds;
mod usage;

use std::process::Command;

use storage::testing::UNCERTAIN;

use self::books::{Account, Books};
use self::plans::Plans;
use self::refunds::Refunds;
use self::usage::Usage;
use super::house::House;
use crate::contract::{Once, SubscriptionAction};
use crate::domain::billing::contract::{Amendment, ContractStatus};
use crate::domain::billing::credit::CreditType;
use crate::domain::billing::invoice::{Invoice, InvoiceStatus, NewInvoice, NewLine, Origin};
use crate::domain::billing::subscription::{Cancel, CancelMode, NewSubscription, PlanChange};
use crate::domain::billing::tax::StatedTax;
use crate::domain::ids::ContractId;
use crate::domain::payments::failure::FailureCode;
use crate::domain::payments::payment::PaymentStatus;
use crate::domain::quantity::TaxRate;
use crate::domain::time::Date;
use crate::entropy::Entropy;
use crate::kernel::AskError;
use crate::payment::BeginRefusal;
use crate::query::Paging;

const STEPS: u64 = 60;

const ALL: Paging = Paging { limit: 100_000, cursor: None };

/// Tax rates, in percent and in thousandths.
const RATES: [(&str, i64); 4] = [("0", 0), ("7", 70), ("19", 190), ("25.5", 255)];

/// Numbers from a seed, by xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }

    fn minor(&mut self, limit: u64) -> i64 {
        1 + i64::try_from(self.below(limit)).expect("small")
    }

    fn of<T>(&mut self, all: &[T]) -> Option<usize> {
        (!all.is_empty()).then(|| usize::try_from(self.below(all.len() as u64)).expect("small"))
    }
}

/// Tax on so much, half a minor unit upwards.
fn tax_on(net: i64, thousandths: i64) -> i64 {
    (net * thousandths + 500) / 1_000
}

/// Bills all terms that are due.
async fn bill_due(house: &House, contract: ContractId, key: &str) {
    for nth in 0.. {
        if house.issue_recurring(contract, &format!("{key}-{nth}")).await.is_err() {
            return;
        }
    }
}

struct Life {
    house: House,
    contract: ContractId,
    /// The contract's own day.
    today: Date,
    version: u64,
    books: Books,
    plans: Plans,
    usage: Usage,
    refunds: Refunds,
    random: Random,
    step: u64,
}

/// Some lives that are always the same and a random one, or that of `SEED`. Each seed is printed
/// before its life begins.
#[tokio::test(flavor = "multi_thread")]
async fn random_lives_make_and_lose_nothing() {
    let given = std::env::var("SEED").ok().map(|seed| seed.parse().expect("a number"));
    let drawn = u64::from(u32::from_le_bytes(Entropy.bytes()));
    let fixed = || (1..=6).chain([drawn]).collect();
    for seed in given.map_or_else(fixed, |seed: u64| vec![seed]) {
        eprintln!("SEED={seed}");
        Life::begin(seed).await.live().await;
    }
}

#[test]
fn random_lives_make_and_lose_nothing_on_an_engine_that_answers_late_or_not_at_all() {
    let drawn = || u32::from_le_bytes(Entropy.bytes()).to_string();
    let seed = std::env::var("SEED").unwrap_or_else(|_| drawn());
    eprintln!("SEED={seed}");
    let mut program = Command::new(std::env::current_exe().expect("this program"));
    program.args(["random_lives_make_and_lose_nothing", "--nocapture", "--skip", "on_an_engine"]);
    let run = program.env("SEED", &seed).env(UNCERTAIN, &seed).output().expect("it runs");
    let said = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success(), "{said}{}", String::from_utf8_lossy(&run.stderr));
    assert!(said.contains("ok. 1 passed"), "{said}");
}

impl Life {
    async fn begin(seed: u64) -> Self {
        let house = House::open().await;
        let contract = house.contract("c").await;
        let today = house.start().date();
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let taxed = RATES[random.of(&RATES).expect("four")];
        let (mut books, plans) = (Books::of(taxed.1), Plans::taxed(taxed.0));
        let usage = Usage::begin(&house, contract, plans.rate).await;
        bill_due(&house, contract, "before").await;
        books.look(&house, contract);
        let refunds = Refunds::default();
        Self { house, contract, today, version: 1, books, plans, usage, refunds, random, step: 0 }
    }

    async fn live(mut self) {
        for step in 0..STEPS {
            self.step = step;
            match self.random.below(30) {
                0 | 1 => self.subscribe().await,
                2 | 3 => self.change_plan().await,
                4 => self.cancel().await,
                5 | 6 => self.bill().await,
                7 | 8 => self.advance().await,
                9 => self.top_up().await,
                10 | 11 => self.sell().await,
                12 => self.deposit().await,
                13 | 14 => self.pay().await,
                15 | 16 => self.credit().await,
                17 => self.void().await,
                18 => self.write_off().await,
                19 => self.price_usage().await,
                20..=22 => self.use_some().await,
                23 => self.close_usage().await,
                24 => self.correct_usage().await,
                25 | 26 => {
                    self.bill_usage().await;
                }
                27 | 28 => self.refund().await,
                _ if self.random.below(3) == 0 => self.restart().await,
                _ => self.amend().await,
            }
            self.books.judge(&self.house, self.contract);
        }
        self.end().await;
    }

    /// Lets all subscriptions end and bills what is left of them.
    async fn end(mut self) {
        for index in 0..self.plans.all.len() {
            self.cancel_one(index, CancelMode::Immediately).await;
        }
        for _ in 0..3 {
            self.advance_to(self.today.plus_days(1)).await;
        }
        self.close_usage().await;
        for step in STEPS..STEPS + 200 {
            self.step = step;
            let terms = self.bill_once().await;
            if !self.bill_usage().await && !terms {
                break;
            }
        }
        self.advance_to(self.today.plus_days(1)).await;
        let (contracts, seller) = (&self.house.system.contracts, self.house.seller.id);
        contracts.run_usage_invoices(seller, self.contract).await.expect("run");
        self.books.look(&self.house, self.contract);
        self.books.judge(&self.house, self.contract);
        let billed = self.books.billed_net(Origin::Recurring) - self.books.given_days_net;
        assert_eq!(billed, self.plans.owed(), "what the subscriptions came to");
        self.judge_usage();
        self.house.pass(30);
        self.house.until_told().await;
        self.house.assert_right_at_rest().await;
        self.books.judge(&self.house, self.contract);
    }

    fn key(&self, name: &str) -> String {
        format!("{name}-{}", self.step)
    }

    async fn amend(&mut self) {
        let (contracts, seller) = (&self.house.system.contracts, self.house.seller.id);
        let late = self.random.below(3) == 0;
        let amendment = Amendment {
            expected_base_version: if late { self.version + 1 } else { self.version },
            status: Some(ContractStatus::Active),
            ..Amendment::default()
        };
        let amended = contracts.amend(seller, self.contract, amendment).await;
        assert_eq!(amended.is_err(), late);
        if let Ok(amended) = amended {
            self.version = amended.current.version;
        }
    }

    async fn subscribe(&mut self) {
        if self.plans.all.len() >= 4 {
            return;
        }
        let (key, price) = (self.key("s"), self.random.minor(40_000));
        let start = self.house.start().date();
        let new = NewSubscription::monthly(&start.to_string(), price);
        let new = NewSubscription { tax_rate: self.plans.rate, ..new };
        let (contracts, seller) = (&self.house.system.contracts, self.house.seller.id);
        let made = contracts.create_subscription(seller, self.contract, new, key).await;
        let Once::Made(made) = made.expect("made") else { panic!("the key was used") };
        self.plans.begin(made.id, start, self.today, price);
    }

    async fn change_plan(&mut self) {
        let Some(index) = self.random.of(&self.plans.all) else { return };
        let price = self.random.minor(40_000);
        let change = PlanChange { price_minor: Some(price), ..PlanChange::default() };
        let action = SubscriptionAction::ChangePlan(change);
        if self.act(index, action).await {
            self.plans.all[index].change(price, self.today);
        }
    }

    async fn cancel(&mut self) {
        let Some(index) = self.random.of(&self.plans.all) else { return };
        let at_once = self.random.below(2) == 0;
        let mode = if at_once { CancelMode::Immediately } else { CancelMode::PeriodEnd };
        self.cancel_one(index, mode).await;
    }

    async fn cancel_one(&mut self, index: usize, mode: CancelMode) {
        let action = SubscriptionAction::Cancel(Cancel { mode, ..Cancel::default() });
        if self.act(index, action).await {
            self.plans.all[index].cancel(mode, self.today);
        }
    }

    async fn act(&self, index: usize, action: SubscriptionAction) -> bool {
        let (contracts, id) = (&self.house.system.contracts, self.plans.all[index].id);
        let acted = contracts.change_subscription(self.house.seller.id, self.contract, id, action);
        acted.await.is_ok()
    }

    /// Stops and starts again when nothing is due: the recurring pass of every start would bill it
    /// beside the test.
    async fn restart(&mut self) {
        bill_due(&self.house, self.contract, &self.key("x")).await;
        self.books.look(&self.house, self.contract);
        self.house.restart().await;
    }

    async fn bill(&mut self) {
        self.bill_once().await;
    }

    /// Whether anything was due.
    async fn bill_once(&mut self) -> bool {
        let issued = self.house.issue_recurring(self.contract, &self.key("r")).await;
        let due = issued.is_ok();
        self.books.look(&self.house, self.contract);
        due
    }

    async fn advance(&mut self) {
        let days = self.random.minor(40);
        self.advance_to(self.today.plus_days(days)).await;
    }

    async fn advance_to(&mut self, day: Date) {
        let to = day.start().plus_seconds(43_200);
        self.house.advance(self.contract, to).await.expect("advanced");
        self.today = day;
        self.plans.live_until(day);
        self.usage.look(&self.house, self.contract);
        self.books.look(&self.house, self.contract);
    }

    async fn top_up(&mut self) {
        let kinds = [CreditType::Manual, CreditType::Gift, CreditType::Purchased];
        let kind = kinds[self.random.of(&kinds).expect("three")];
        let minor = self.random.minor(20_000);
        let key = self.key("t");
        self.house.top_up(self.contract, &key, kind, minor, None).await.expect("granted");
        self.books.granted += minor;
        self.books.balance += minor;
    }

    /// Issues a one-time invoice, and knows what it comes to.
    async fn sell(&mut self) {
        let (rate, thousandths) = RATES[self.random.of(&RATES).expect("four")];
        let net = self.random.minor(30_000);
        let tax = StatedTax::of_rate(TaxRate::parse(rate));
        let line = NewLine { tax, ..House::line(net) };
        let request = House::asking(self.contract, Origin::OneTime);
        let request = NewInvoice { lines: Some(vec![line]), ..request };
        let key = self.key("o");
        let issued = self.house.issue(self.contract, &key, request, None).await.expect("issued");
        assert_eq!(issued.totals.grand_total_minor, net + tax_on(net, thousandths));
        self.books.look(&self.house, self.contract);
    }

    fn any_invoice(&mut self) -> Option<Invoice> {
        let ids: Vec<_> = self.books.accounts.keys().copied().collect();
        let id = ids[self.random.of(&ids)?];
        Some(self.house.invoice(id))
    }

    /// About what is asked for: less, all of it, or more.
    fn about(&mut self, minor: i64) -> i64 {
        match self.random.below(3) {
            0 => self.random.minor(minor.max(1).unsigned_abs()),
            1 => minor.max(1),
            _ => minor + self.random.minor(5_000),
        }
    }

    async fn deposit(&mut self) {
        let Some(invoice) = self.any_invoice() else { return };
        let minor = self.about(invoice.outstanding_minor);
        self.house.deposit(&invoice, minor, &self.key("d")).await.expect("taken");
        self.books.money_in += minor;
        let surplus = self.books.account(&invoice).take(minor);
        self.books.balance += surplus;
    }

    async fn pay(&mut self) {
        let Some(invoice) = self.any_invoice() else { return };
        let (key, minor) = (self.key("p"), self.about(invoice.outstanding_minor));
        let Account { paid_by_card, void, .. } = *self.books.account(&invoice);
        if paid_by_card {
            return;
        }
        if void {
            let begun = self.house.try_to_pay(key, &invoice, minor, None).await;
            assert_eq!(begun.map_err(AskError::refusal), Err(BeginRefusal::Voided.into()));
            return;
        }
        let paid = invoice.status == InvoiceStatus::Paid;
        let fails = !paid && self.random.below(3) == 0;
        let forced = fails.then_some(FailureCode::SettlementFailed);
        let id = self.house.pay_under(key, &invoice, minor, forced).await;
        self.house.until_told().await;
        self.books.account(&invoice).paid_by_card = true;
        if paid {
            self.house.pass(10);
            let gone = || self.house.status(id) == PaymentStatus::Refunded;
            self.house.until("the refund", gone).await;
            return;
        }
        self.books.money_in += minor;
        let surplus = self.books.account(&invoice).take(minor);
        self.books.balance += surplus;
        self.books.judge(&self.house, self.contract);
        if fails {
            self.house.pass(6);
            let failed = || self.house.status(id) == PaymentStatus::Failed;
            self.house.until("the failure", failed).await;
            self.house.until_told().await;
            self.books.money_in -= minor;
            self.books.account(&invoice).paid_by_card = false;
            let now = self.house.invoice(invoice.id);
            self.books.account(&invoice).lose(minor - surplus, &now);
            self.books.look(&self.house, self.contract);
            return;
        }
        self.refunds.paid(id, invoice.id, (minor - surplus, surplus));
    }

    async fn credit(&mut self) {
        let Some(invoice) = self.any_invoice() else { return };
        let minor = self.random.minor(invoice.creditable_minor().max(1).unsigned_abs() + 50);
        let Ok(note) = self.house.credit(&invoice, &self.key("n"), minor).await else {
            let Account { void, grand, notes, .. } = *self.books.account(&invoice);
            assert!(void || minor * 2 > grand - notes, "{minor} of {grand} less {notes}");
            return;
        };
        let (back, refunded) = self.books.account(&invoice).credit(-note.totals.grand_total_minor);
        self.books.balance += back;
        self.books.refunded += refunded;
    }

    async fn void(&mut self) {
        let Some(invoice) = self.any_invoice() else { return };
        let account = self.books.account(&invoice);
        let open = account.is_open(invoice.status) && account.notes == 0;
        assert_eq!(self.house.void(&invoice).await.is_ok(), open, "{:?}", invoice.status);
        if open {
            let (back, refunded) = self.books.account(&invoice).void();
            self.books.balance += back;
            self.books.refunded += refunded;
        }
    }

    async fn write_off(&mut self) {
        let Some(invoice) = self.any_invoice() else { return };
        let open = self.books.account(&invoice).is_open(invoice.status);
        let (contracts, seller) = (&self.house.system.contracts, self.house.seller.id);
        let reason = "insolvent".to_owned();
        let ended = contracts.write_off_invoice(seller, self.contract, invoice.id, reason).await;
        assert_eq!(ended.is_ok(), open);
        self.books.account(&invoice).written_off |= open;
    }
}
