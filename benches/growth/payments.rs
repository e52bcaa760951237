//! Payments of a seller that are shared with one payee, and the movements of that payee's wallet.

use anyhow::Context as _;
use bytes::Bytes;
use hyper::Method;
use serde_json::json;

use crate::cost::{Growth, Probe, compared, costs, page, read, write};
use crate::support::fleet::Call;
use crate::support::server::Bench;

const FRESH: usize = 50;

pub(crate) async fn growth(size: usize) -> anyhow::Result<Vec<Growth>> {
    let bench = Bench::start(&[]).await?;
    let (payee, wallet) = payee(&bench).await?;
    bench.seller.fleet(FRESH, move |nth| payment(payee, "first", nth)).await?;
    let fresh = costs(&bench, probes(payee, wallet, "fresh")).await?;
    bench.seller.fleet(size, move |nth| payment(payee, "more", nth)).await?;
    Ok(compared(fresh, costs(&bench, probes(payee, wallet, "after")).await?))
}

fn probes(payee: u64, wallet: u64, run: &'static str) -> Vec<Probe> {
    let api = "/payments-api/v1";
    let wallet = format!("{api}/wallets/{wallet}");
    let mut probes = vec![
        write("POST /initialize-payment, shared", move |nth| payment(payee, run, nth)),
        read("GET /payments/{ref}", format!("{api}/payments/first-7")),
        page("GET /payments", format!("{api}/payments?limit=20")),
        page("GET /wallets", format!("{api}/wallets?limit=20")),
        page("GET /wallets?payeeId=", format!("{api}/wallets?limit=20&payeeId={payee}")),
        read("GET /wallets/{id}", wallet.clone()),
        page("GET /wallets/{id}/entries", format!("{wallet}/entries?limit=20")),
    ];
    for status in ["authorized", "failed", "refunded"] {
        let path = format!("{api}/payments?limit=20&status={status}");
        probes.push(page(&format!("GET /payments?status={status}"), path));
    }
    probes
}

async fn payee(bench: &Bench) -> anyhow::Result<(u64, u64)> {
    let client = &bench.seller.client;
    let body = json!({"displayName": "Ada", "role": "contractor"});
    let payee = client.create("/payments-api/v1/payees", &key("payee", 0), &body).await?;
    let payee = payee["id"].as_u64().context("no payee")?;
    let body = json!({"currency": "EUR", "payeeId": payee});
    let wallet = client.create("/payments-api/v1/wallets", &key("wallet", 0), &body).await?;
    Ok((payee, wallet["wallets"][0]["id"].as_u64().context("no wallet")?))
}

fn payment(payee: u64, run: &str, nth: usize) -> Call {
    let body = json!({
        "externalOrderRef": format!("{run}-{nth}"), "amount": 10, "currencyCode": "EUR",
        "skip3DS": true,
        "cardData": {"cardNumber": "4242424242424242", "cvv": "123", "expMonth": 12,
            "expYear": 2099, "holderName": "Ada Lovelace"},
        "billingDetails": {"country": "DE", "zip": "10115"},
        "orderData": {"payeeDistribution": [{"payeeId": payee, "amount": 4}]},
    });
    let path = "/payments-api/v1/initialize-payment".to_owned();
    (Method::POST, path, Some(key(run, nth)), Bytes::from(body.to_string()))
}

/// A UUID for a call of a run.
pub(crate) fn key(run: &str, nth: usize) -> String {
    let mut bytes = [0; 16];
    for (place, byte) in bytes.iter_mut().zip(run.bytes()) {
        *place = byte;
    }
    let [.., a, b, c, d] = &mut bytes;
    let number = u32::try_from(nth).unwrap_or(u32::MAX).to_be_bytes();
    [*a, *b, *c, *d] = number;
    uuid::Builder::from_random_bytes(bytes).into_uuid().hyphenated().to_string()
}
