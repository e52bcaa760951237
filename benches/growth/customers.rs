//! Customers and contracts of a seller, and the credit of these.

use std::sync::Arc;

use bytes::Bytes;
use hyper::Method;
use serde_json::json;

use crate::cost::{Growth, Probe, compared, costs, page, read, write};
use crate::support::fleet::Call;
use crate::support::server::Bench;

/// How many there are when they are fresh: a page is full.
const FRESH: usize = 50;

pub(crate) async fn growth(size: usize) -> anyhow::Result<Vec<Growth>> {
    let bench = Bench::start(&[]).await?;
    let payer = bench.seller.customer;
    let customers = bench.seller.fleet(FRESH, |nth| customer("c", nth)).await?;
    let contracts = bench.seller.fleet(FRESH, move |nth| contract(payer, "k", nth)).await?;
    grants(&bench, &contracts, "fresh").await?;
    let fresh = probes(payer, &customers, &contracts, "fresh");
    let fresh = costs(&bench, fresh).await?;

    let customers = bench.seller.fleet(size, |nth| customer("grown", nth)).await?;
    let contracts = bench.seller.fleet(size, move |nth| contract(payer, "grown", nth)).await?;
    grants(&bench, &contracts, "grown").await?;
    let grown = probes(payer, &customers, &contracts, "after");
    Ok(compared(fresh, costs(&bench, grown).await?))
}

fn probes(payer: u64, customers: &[u64], contracts: &[u64], run: &'static str) -> Vec<Probe> {
    let early = |ids: &[u64]| ids.get(ids.len() / 2).copied().unwrap_or_default();
    let (customer_id, contract_id) = (early(customers), early(contracts));
    let api = "/billing-api/v1";
    vec![
        write("POST /customers", move |nth| customer(run, nth)),
        read("GET /customers/{id}", format!("{api}/customers/{customer_id}")),
        page("GET /customers", format!("{api}/customers?limit=20")),
        page("GET /customers, deep", format!("{api}/customers?limit=20&beforeId={customer_id}")),
        page("GET /customers?email=", format!("{api}/customers?email=c-7%40example.com")),
        page("GET /customers?customerRef=", format!("{api}/customers?customerRef=c-7")),
        write("POST /contracts", move |nth| contract(payer, run, nth)),
        read("GET /contracts/{id}", format!("{api}/contracts/{contract_id}")),
        page("GET /contracts", format!("{api}/contracts?limit=20")),
        page("GET /contracts, deep", format!("{api}/contracts?limit=20&afterId={contract_id}")),
        page("GET /credits", format!("{api}/credits")),
    ]
}

fn customer(run: &str, nth: usize) -> Call {
    let body =
        json!({"email": format!("{run}-{nth}@example.com"), "customerRef": format!("{run}-{nth}")});
    (Method::POST, "/billing-api/v1/customers".to_owned(), None, Bytes::from(body.to_string()))
}

fn contract(customer: u64, run: &str, nth: usize) -> Call {
    let body = json!({"sellerCustomerId": customer, "currency": "EUR", "startDate": "2026-01-01"});
    let path = "/billing-api/v1/contracts".to_owned();
    (Method::POST, path, Some(format!("{run}-{nth}")), Bytes::from(body.to_string()))
}

/// Gives each of these contracts some credit.
async fn grants(bench: &Bench, contracts: &[u64], run: &'static str) -> anyhow::Result<()> {
    let contracts: Arc<[u64]> = contracts.into();
    let count = contracts.len();
    bench.seller.fleet(count, move |nth| grant(contracts[nth], run, nth)).await?;
    Ok(())
}

fn grant(contract: u64, run: &str, nth: usize) -> Call {
    let body =
        json!({"creditType": "gift", "amountMinor": 100, "currency": "EUR", "reason": "bench"});
    let path = format!("/billing-api/v1/contracts/{contract}/credits/top-up");
    (
        Method::POST,
        path,
        Some(format!("grant-{run}-{contract}-{nth}")),
        Bytes::from(body.to_string()),
    )
}
