//! A backup from a running server, piece by piece.

use anyhow::{Context as _, bail};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::{Request, header};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use indicatif::ProgressBar;

use super::target::Target;
use crate::cli::client::connector;

/// The longest refusal that is read, in bytes.
const REFUSAL_LIMIT: usize = 64 * 1024;

pub(super) async fn download(
    url: &str,
    token: &str,
    target: &mut Target,
    progress: &ProgressBar,
) -> anyhow::Result<()> {
    let client = Client::builder(TokioExecutor::new()).build(connector());
    let address = format!("{}/backoffice/v1/backup", url.trim_end_matches('/'));
    let request = Request::get(&address)
        .header(header::AUTHORIZATION, format!("Bearer {token}"))
        .body(Full::<Bytes>::default())
        .with_context(|| format!("{address} is no address"))?;
    let answer = client.request(request).await;
    let answer = answer.with_context(|| format!("{address} cannot be reached"))?;
    let status = answer.status();
    let mut body = answer.into_body();
    if !status.is_success() {
        let refusal = Limited::new(body, REFUSAL_LIMIT).collect().await;
        let refusal = refusal.map(|body| body.to_bytes()).unwrap_or_default();
        bail!("{address} answered {status}: {}", String::from_utf8_lossy(&refusal));
    }
    while let Some(frame) = body.frame().await {
        let frame = frame.context("the backup was cut off")?;
        if let Ok(piece) = frame.into_data() {
            target.write(&piece)?;
            progress.inc(piece.len() as u64);
        }
    }
    Ok(())
}
