//! The files of invoices: a PDF, and the export of a period.

use std::time::{Duration, Instant};

use actors::clock::Clock;
use anyhow::{Context as _, ensure};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::header::AUTHORIZATION;
use hyper::{Request, StatusCode};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;

use crate::figure::{Figure, grouped, millis};
use crate::support::load::stated;
use crate::support::server::Bench;
use crate::verify;

const CONTRACTS: u64 = 10_000;
const PDFS: u32 = 200;

const PDF_ASKED: Duration = Duration::from_millis(30);
const EXPORT_ASKED: Duration = Duration::from_secs(5);

pub(crate) fn figures() -> anyhow::Result<Vec<Figure>> {
    let contracts = usize::try_from(stated("BENCH_CONTRACTS", CONTRACTS))?;
    tokio::runtime::Runtime::new()?.block_on(taken(contracts))
}

async fn taken(contracts: usize) -> anyhow::Result<Vec<Figure>> {
    let bench = verify::filled(contracts).await?;
    let client = &bench.seller.client;
    let newest = client.get("/billing-api/v1/invoices?limit=1").await?;
    let newest = newest["invoices"][0]["id"].as_u64().context("no invoice")?;
    let path = format!("/billing-api/v1/invoices/{newest}/pdf");
    let begun = Instant::now();
    for _ in 0..PDFS {
        fetch(&bench, &path).await?;
    }
    let pdf = begun.elapsed() / PDFS;

    let today = Clock::wall().now().date();
    let period = format!("issuedFrom={}&issuedTo={}", today.plus_days(-1), today.plus_days(2));
    let mut figures = vec![Figure::new(
        "the PDF of an invoice, one after the other",
        millis(u64::try_from(pdf.as_micros())?),
        "30 ms",
        pdf < PDF_ASKED,
    )];
    for format in ["csv", "ndjson"] {
        let path = format!("/billing-api/v1/invoices/export?format={format}&{period}");
        let begun = Instant::now();
        let file = fetch(&bench, &path).await?;
        let took = begun.elapsed();
        let head = usize::from(format == "csv");
        let rows = file.iter().filter(|byte| **byte == b'\n').count() - head;
        ensure!(rows == contracts * verify::INVOICES, "{rows} rows were exported");
        let what = format!("export of {} invoices as {format}", grouped(u64::try_from(rows)?));
        let measured = format!("{:.1} s, {} MiB", took.as_secs_f64(), file.len() >> 20);
        figures.push(Figure::new(&what, measured, "5 s", took < EXPORT_ASKED));
    }
    Ok(figures)
}

/// The bytes of a file, read as they come.
async fn fetch(bench: &Bench, path: &str) -> anyhow::Result<Vec<u8>> {
    let client = Client::builder(TokioExecutor::new()).build_http();
    let request = Request::get(format!("http://{}{path}", bench.server.address()))
        .header(AUTHORIZATION, format!("Bearer {}", bench.seller.key))
        .body(Full::<Bytes>::default())?;
    let mut answer = client.request(request).await?;
    ensure!(answer.status() == StatusCode::OK, "{path} answered {}", answer.status());
    let mut file = Vec::new();
    while let Some(frame) = answer.frame().await {
        if let Ok(piece) = frame?.into_data() {
            file.extend_from_slice(&piece);
        }
    }
    Ok(file)
}
