//! Invoices of a contract.

use bytes::Bytes;
use hyper::Method;
use serde_json::json;

use crate::cost::{Growth, Probe, compared, costs, page, read, write};
use crate::support::fleet::Call;
use crate::support::server::Bench;

const FRESH: usize = 50;

pub(crate) async fn growth(size: usize) -> anyhow::Result<Vec<Growth>> {
    let bench = Bench::start(&[]).await?;
    let contract = bench.seller.contract("2026-01-01").await?;
    let ids = bench.seller.fleet(FRESH, move |nth| invoice(contract, "first", nth)).await?;
    let fresh = costs(&bench, probes(&bench, contract, &ids, "fresh")).await?;
    let ids = bench.seller.fleet(size, move |nth| invoice(contract, "more", nth)).await?;
    Ok(compared(fresh, costs(&bench, probes(&bench, contract, &ids, "after")).await?))
}

fn probes(bench: &Bench, contract: u64, ids: &[u64], run: &'static str) -> Vec<Probe> {
    let early = ids.get(ids.len() / 2).copied().unwrap_or_default();
    let invoices = "/billing-api/v1/invoices";
    let mut probes = vec![
        write("POST /invoices", move |nth| invoice(contract, run, nth)),
        read("GET /invoices/{id}", format!("{invoices}/{early}")),
        page("GET /invoices", format!("{invoices}?limit=20")),
        page("GET /invoices, deep", format!("{invoices}?limit=20&beforeId={early}")),
        page("GET …/timeline", format!("/billing-api/v1/contracts/{contract}/timeline?limit=20")),
    ];
    // The first two let everything through, the others nothing.
    let customer = bench.seller.customer;
    for filter in [
        format!("contractId={contract}"),
        format!("sellerCustomerId={customer}"),
        "status=paid".to_owned(),
        "origin=recurring".to_owned(),
        "invoiceType=credit_note".to_owned(),
        "corrects=1".to_owned(),
        "issuedFrom=2031-01-01".to_owned(),
        "issuedTo=2020-01-01".to_owned(),
        format!("contractId={contract}&status=paid"),
        format!("sellerCustomerId={customer}&origin=usage&issuedTo=2020-01-01"),
    ] {
        let (name, _) = filter.split_once('=').unwrap_or_default();
        let both = if filter.contains('&') { " and others" } else { "" };
        let path = format!("{invoices}?limit=20&{filter}");
        probes.push(page(&format!("GET /invoices?{name}={both}"), path));
    }
    probes
}

fn invoice(contract: u64, run: &str, nth: usize) -> Call {
    let line = json!({"description": "bench", "quantity": "1", "unitPriceMinor": 1000});
    let body =
        json!({"contractId": contract, "origin": "one_time", "send": false, "lines": [line]});
    let path = "/billing-api/v1/invoices".to_owned();
    (Method::POST, path, Some(format!("{run}-{nth}")), Bytes::from(body.to_string()))
}
