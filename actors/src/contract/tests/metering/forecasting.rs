//! Usage that a forecast assumes.

use super::books::{at_least, per_unit};
use super::workshop::{Workshop, metric};
use crate::contract::{ForecastOrder, NewPrice};
use crate::domain::billing::forecast::Forecast;
use crate::domain::billing::invoice::{Invoice, InvoiceLine, Origin};
use crate::domain::billing::usage::AssumedUsage;
use crate::domain::ids::ContractId;
use crate::domain::platform::seller::{ProfilePatch, SellerPatch};
use crate::domain::quantity::Quantity;
use crate::domain::refusal::{Refusal, RefusalKind};
use crate::kernel::AskError;
use crate::passes::Pass;
use crate::query;

fn used(name: &str, per_day: &str) -> AssumedUsage {
    let per_day = Quantity::parse(per_day).expect("a quantity");
    AssumedUsage { metric: metric(name), per_day }
}

impl Workshop {
    /// A forecast over so many months.
    async fn foresee(
        &self,
        contract: ContractId,
        months: u32,
        usage: Vec<AssumedUsage>,
        prices: Vec<NewPrice>,
    ) -> Result<Forecast, Refusal> {
        let house = &self.house;
        let to = house.start().date().plus_months(months).start();
        let order = ForecastOrder { to, usage, changes: Vec::new(), prices, first_invoice: false };
        let told = house.system.contracts.forecast(house.seller.id, contract, order).await;
        told.map_err(AskError::refusal)
    }
}

/// What is billed of usage, document by document.
fn billed(forecast: &Forecast) -> Vec<i64> {
    let of_usage = forecast.documents.iter().filter(|of| of.invoice.origin == Origin::Usage);
    of_usage.map(|of| of.invoice.totals.grand_total_minor).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn assumed_usage_is_rated_by_the_simulated_clock() {
    let shop = Workshop::open().await;
    shop.register("calls", "sum", None).await;
    shop.register("visits", "count", None).await;
    let contract = shop.metered_contract("c").await;
    let (now, day) = (shop.house.start(), shop.house.start().date());
    shop.price(contract, "calls", day, per_unit("0.10")).await;
    shop.price(contract, "visits", day, per_unit("0.01")).await;
    shop.use_some(contract, "calls", "25", now, "1").await;
    // 21 November to 20 December has 30 days: today counts what was sent, 29 days begin.
    let usage = vec![used("calls", "10"), used("visits", "100000")];
    let forecast = shop.foresee(contract, 2, usage, Vec::new()).await.expect("told");
    let calls = (25 + 29 * 10) * 10;
    assert_eq!(billed(&forecast), [calls + 29 * 100_000, 31 * 100 + 31 * 100_000]);
    let first = &forecast.documents[0];
    assert_eq!(first.invoice.issue_date, day.plus_months(1));
    assert_eq!(first.lines[0].quantity.to_string(), (25 + 29 * 10).to_string());
    // Nothing of it is there.
    assert_eq!(shop.used(contract, "calls").await, "25");
    assert_eq!(shop.used(contract, "visits").await, "");
    shop.noon(day.plus_months(1));
    shop.pass(Pass::UsageClose).await;
    assert_eq!(shop.lines(contract).iter().map(|line| line.amount_minor()).sum::<i64>(), 250);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_assumptions_usage_closes_with_what_was_sent() {
    let shop = Workshop::open().await;
    shop.register("calls", "sum", None).await;
    shop.register("free", "sum", None).await;
    shop.register("later", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    let (now, day) = (shop.house.start(), shop.house.start().date());
    shop.price(contract, "calls", day, at_least("0.10", 100)).await;
    shop.price(contract, "later", day.plus_months(1), per_unit("0.10")).await;
    for metric in ["calls", "free", "later"] {
        shop.use_some(contract, metric, "25", now, metric).await;
    }
    let forecast = shop.foresee(contract, 2, Vec::new(), Vec::new()).await.expect("told");
    assert_eq!(billed(&forecast), [250, 100]);
    for metric in ["free", "later"] {
        let note = format!("{metric} has no price in the period from {day}");
        assert!(forecast.notes.iter().any(|told| told.starts_with(&note)), "{:?}", forecast.notes);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn assumed_prices_rate_the_copy_alone() {
    let shop = Workshop::open().await;
    shop.register("calls", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    let (now, day) = (shop.house.start(), shop.house.start().date());
    shop.price(contract, "calls", day, per_unit("0.10")).await;
    shop.use_some(contract, "calls", "10", now, "1").await;
    let price = |name: &str, config: &str| NewPrice {
        metric: metric(name),
        effective_from: day,
        config: per_unit(config).check().expect("a price"),
    };
    let assumed = vec![price("calls", "0.30")];
    let forecast = shop.foresee(contract, 1, Vec::new(), assumed).await.expect("told");
    assert_eq!(billed(&forecast), [300]);
    let forecast = shop.foresee(contract, 1, Vec::new(), Vec::new()).await.expect("told");
    assert_eq!(billed(&forecast), [100]);
    let unknown = vec![price("calls", "1"), price("nobody", "1")];
    let refusal = shop.foresee(contract, 1, Vec::new(), unknown).await.expect_err("unknown");
    assert!(refusal.text.starts_with("assume.prices[1]: "), "{refusal}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hard_limit_holds_assumed_usage_back_too() {
    let mut shop = Workshop::open().await;
    shop.register("calls", "sum", None).await;
    let contract = shop.metered_contract("c").await;
    let day = shop.house.start().date();
    shop.price(contract, "calls", day, per_unit("0.10")).await;
    shop.cap(contract, "calls", "25").await;
    let usage = vec![used("calls", "10")];
    let forecast = shop.foresee(contract, 2, usage, Vec::new()).await.expect("told");
    assert_eq!(billed(&forecast), [250, 250]);
    assert!(forecast.notes.iter().any(|note| note.starts_with("calls: its hard limit")));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_assumption_of_an_unknown_metric_is_refused() {
    let shop = Workshop::open().await;
    let contract = shop.metered_contract("c").await;
    let usage = vec![used("nobody", "10")];
    let refusal = shop.foresee(contract, 2, usage, Vec::new()).await.expect_err("unknown");
    assert_eq!(refusal.text, "assume.usage[0].metric nobody is not registered");
}

#[tokio::test(flavor = "multi_thread")]
async fn more_assumed_values_than_a_forecast_keeps_are_refused_at_once() {
    let shop = Workshop::open().await;
    let contract = shop.metered_contract("c").await;
    for name in ["users", "devices"] {
        shop.register(name, "count_unique", Some("id")).await;
    }
    // Of each 1,001 values a day: more are looked at nowhere.
    let usage = vec![used("users", "1000000"), used("devices", "1000000")];
    let refusal = shop.foresee(contract, 36, usage.clone(), Vec::new()).await.expect_err("much");
    assert_eq!(refusal.kind, RefusalKind::Unprocessable);
    assert!(refusal.text.starts_with("to is too far ahead for assume.usage"), "{refusal}");
    shop.foresee(contract, 1, usage, Vec::new()).await.expect("told");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_metric_is_assumed_once() {
    let shop = Workshop::open().await;
    let contract = shop.metered_contract("c").await;
    for name in ["calls", "visits"] {
        shop.register(name, "sum", None).await;
    }
    let usage = vec![used("calls", "10"), used("visits", "1"), used("calls", "5")];
    let refusal = shop.foresee(contract, 2, usage, Vec::new()).await.expect_err("twice");
    assert_eq!(refusal.kind, RefusalKind::Invalid);
    assert_eq!(refusal.text, "assume.usage[2].metric calls is stated twice");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_forecast_says_is_what_the_passes_then_do() {
    let shop = Workshop::open().await;
    let (house, days) = (&shop.house, 75);
    shop.register("calls", "sum", None).await;
    shop.register("peak", "max", None).await;
    let profile = ProfilePatch { usage_grace_minutes: Some(Some(90)), ..ProfilePatch::default() };
    let grace = SellerPatch { profile, ..SellerPatch::default() };
    house.system.sellers.patch(house.seller.id, grace).await.expect("patched");
    let contract = shop.metered_contract("c").await;
    house.issue_recurring(contract, "first").await.expect("issued");
    let today = house.start().date();
    shop.price(contract, "calls", today, at_least("0.10", 100)).await;
    shop.price(contract, "peak", today, per_unit("2")).await;
    shop.use_some(contract, "calls", "25", house.start(), "before").await;
    let to = today.plus_days(days).start().plus_seconds(3 * 3_600);
    let order = ForecastOrder {
        to,
        usage: vec![used("calls", "10"), used("peak", "3")],
        changes: Vec::new(),
        prices: Vec::new(),
        first_invoice: false,
    };
    let told = house.system.contracts.forecast(house.seller.id, contract, order).await;
    let forecast = told.expect("told");
    for day in (1..=days).map(|day| today.plus_days(day)) {
        // Behind midnight, and behind the time that late arrivals have.
        for seconds in [0, 3 * 3_600] {
            house.clock.push(day.start().plus_seconds(seconds));
            for pass in [Pass::Lifecycle, Pass::Overdue, Pass::Reminders, Pass::UsageClose] {
                shop.pass(pass).await;
            }
            for pass in [Pass::RecurringInvoice, Pass::UsageInvoice] {
                while !shop.pass(pass).await.is_empty() {}
            }
        }
        shop.use_some(contract, "calls", "10", day.start(), &format!("calls-{day}")).await;
        shop.use_some(contract, "peak", "3", day.start(), &format!("peak-{day}")).await;
    }
    let told = |of: &Invoice, lines: &[InvoiceLine]| {
        let lines: Vec<_> = lines
            .iter()
            .map(|line| (line.source, line.quantity, line.amount_minor, line.period_start))
            .collect();
        (of.origin, of.status, of.issue_date, of.due_date, of.totals, lines)
    };
    let mut issued = house.invoices(contract);
    issued.pop().expect("the first one");
    issued.reverse();
    let lines = |of: &Invoice| query::invoice_lines(&house.store, house.seller.id, of.id);
    let issued: Vec<_> = issued.iter().map(|of| told(of, &lines(of).expect("read"))).collect();
    let foreseen: Vec<_> =
        forecast.documents.iter().map(|of| told(&of.invoice, &of.lines)).collect();
    assert_eq!(foreseen, issued);
    assert_eq!(issued.len(), 4, "two terms, and two periods of usage");
    house.assert_right();
}
