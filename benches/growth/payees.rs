//! Payees, vendors and top-ups of a seller.

use bytes::Bytes;
use hyper::Method;
use serde_json::json;

use crate::cost::{Growth, Probe, compared, costs, page, read, write};
use crate::payments::key;
use crate::support::fleet::Call;
use crate::support::server::Bench;

const FRESH: usize = 50;

pub(crate) async fn growth(size: usize) -> anyhow::Result<Vec<Growth>> {
    let bench = Bench::start(&[]).await?;
    let payees = bench.seller.fleet(FRESH, |nth| payee("first", nth)).await?;
    bench.seller.fleet(FRESH, |nth| vendor("first", nth)).await?;
    let fresh = costs(&bench, probes(&payees, "fresh")).await?;
    let payees = bench.seller.fleet(size, |nth| payee("more", nth)).await?;
    bench.seller.fleet(size, |nth| vendor("more", nth)).await?;
    Ok(compared(fresh, costs(&bench, probes(&payees, "after")).await?))
}

fn probes(payees: &[u64], run: &'static str) -> Vec<Probe> {
    let early = payees.get(payees.len() / 2).copied().unwrap_or_default();
    let api = "/payments-api/v1";
    vec![
        write("POST /payees", move |nth| payee(run, nth)),
        read("GET /payees/{id}", format!("{api}/payees/{early}")),
        page("GET /payees", format!("{api}/payees?limit=20")),
        page("GET /payees, deep", format!("{api}/payees?limit=20&beforeId={early}")),
        page("GET /wallets", format!("{api}/wallets?limit=20")),
        page("GET /payouts?status=", format!("{api}/payouts?limit=20&status=completed")),
        write("POST /vendors", move |nth| vendor(run, nth)),
        page("GET /vendors", format!("{api}/vendors?limit=20")),
    ]
}

fn payee(run: &str, nth: usize) -> Call {
    let body = json!({"displayName": format!("{run} {nth}"), "role": "contractor"});
    let path = "/payments-api/v1/payees".to_owned();
    (Method::POST, path, Some(key(run, nth)), Bytes::from(body.to_string()))
}

fn vendor(run: &str, nth: usize) -> Call {
    let body = json!({"displayName": "Vendor", "email": format!("{run}-{nth}@example.com")});
    let path = "/payments-api/v1/vendors".to_owned();
    (Method::POST, path, Some(key(&format!("v{run}"), nth)), Bytes::from(body.to_string()))
}
