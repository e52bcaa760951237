//! The next invoice where usage is billed beside terms.

use super::super::house::House;
use super::books::per_unit;
use super::workshop::Workshop;
use crate::domain::billing::credit::CreditType;
use crate::domain::billing::invoice::{CollectionMethod, LineSource, NewInvoice, Origin};
use crate::domain::billing::subscription::NewSubscription;
use crate::passes::Pass;

#[tokio::test(flavor = "multi_thread")]
async fn a_projection_draws_credit_as_each_of_its_documents_is_collected() {
    // Beside terms usage is collected as they are; alone it is as the usage before.
    for (beside_terms, applied) in [(true, 1_100), (false, 0)] {
        let shop = Workshop::open().await;
        shop.register("calls", "sum", None).await;
        shop.register("pages", "sum", None).await;
        let contract = shop.metered_contract("c").await;
        let (now, day) = (shop.house.start(), shop.house.start().date());
        for metric in ["calls", "pages"] {
            shop.use_some(contract, metric, "25", now, metric).await;
        }
        shop.price(contract, "calls", day, per_unit("0.10")).await;
        shop.house.issue_recurring(contract, "first").await.expect("issued");
        shop.noon(day.plus_months(1));
        shop.pass(Pass::Lifecycle).await;
        shop.pass(Pass::UsageClose).await;
        if !beside_terms {
            shop.house.issue_recurring(contract, "second").await.expect("issued");
        }
        let by_transfer = NewInvoice {
            collection_method: Some(CollectionMethod::BankTransfer),
            ..House::asking(contract, Origin::Usage)
        };
        shop.house.issue(contract, "usage", by_transfer, None).await.expect("issued");
        shop.price(contract, "pages", day, per_unit("0.10")).await;
        shop.pass(Pass::UsageClose).await;
        let granted = shop.house.top_up(contract, "a", CreditType::Gift, 1_100, None).await;
        granted.expect("granted");

        let (contracts, seller) = (&shop.house.system.contracts, shop.house.seller.id);
        let shown = contracts.upcoming_invoice(seller, contract, None).await.expect("shown");
        let usage = shown.lines.iter().filter(|line| line.source == LineSource::Usage);
        assert_eq!(usage.map(|line| line.amount_minor).sum::<i64>(), 250, "{shown:?}");
        assert_eq!(shown.credit_applied_minor, applied, "{shown:?}");
        let by_transfer = "the usage document is collected by bank transfer: no credit is drawn";
        assert_eq!(shown.notes.iter().any(|note| note == by_transfer), !beside_terms);
        let run = contracts.run_billing(seller, contract).await.expect("billed");
        let drawn = run.issued.iter().map(|issued| issued.invoice.credit_applied_minor);
        assert_eq!(drawn.sum::<i64>(), applied);
        assert_eq!(run.issued.len(), if beside_terms { 2 } else { 1 });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn usage_without_a_price_is_noted_until_one_covers_its_period() {
    let shop = Workshop::open().await;
    shop.register("calls", "sum", None).await;
    let contract = shop.house.contract("c").await;
    let (seller, now) = (shop.house.seller.id, shop.house.start());
    let first = now.date().plus_days(-1);
    shop.subscribe(contract, "s", NewSubscription::monthly(&first.to_string(), 1_000)).await;
    let note =
        format!("calls has no price in the period from {first}: what is used of it is not billed");
    let noted = async |shop: &Workshop| {
        let contracts = &shop.house.system.contracts;
        let shown = contracts.upcoming_invoice(seller, contract, None).await.expect("shown");
        shown.notes.contains(&note)
    };
    shop.use_some(contract, "calls", "1", first.plus_days(-1).start(), "early").await;
    assert!(!noted(&shop).await, "no period covers what is used");
    shop.use_some(contract, "calls", "25", now, "1").await;
    assert!(noted(&shop).await);
    // Wherever the contract's clock stands, behind the period, and with a price for the next ones.
    let next = first.plus_months(1);
    shop.house.advance(contract, next.plus_months(2).start()).await.expect("advanced");
    assert!(noted(&shop).await);
    shop.noon(next);
    shop.price(contract, "calls", next, per_unit("0.10")).await;
    assert!(noted(&shop).await);
    shop.price(contract, "calls", first, per_unit("0.10")).await;
    assert!(!noted(&shop).await);
    assert_eq!(shop.pass(Pass::UsageClose).await, [("closed", 1), ("lines", 1)].into());
    assert_eq!(shop.lines(contract)[0].amount_minor(), 250);
}
