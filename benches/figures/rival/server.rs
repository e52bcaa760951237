//! The rival's server: hyper, JSON, a pool of connections, a locked row in one transaction.

use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;
use tokio::sync::{Mutex, mpsc};

use super::CLIENTS;
use super::rows::Session;

/// Serves until it is killed; prints where.
#[expect(clippy::print_stdout, reason = "whoever started it reads the address")]
pub(crate) fn serve(socket: &Path) -> Result<()> {
    tokio::runtime::Runtime::new()?.block_on(async {
        let pool = Arc::new(Pool::open(socket).await?);
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", listener.local_addr()?);
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            let pool = Arc::clone(&pool);
            let service = service_fn(move |request| answer(request, Arc::clone(&pool)));
            tokio::spawn(
                hyper::server::conn::http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), service),
            );
        }
    })
}

/// Connections to the database that wait for a request.
struct Pool {
    give: mpsc::Sender<Session>,
    take: Mutex<mpsc::Receiver<Session>>,
}

impl Pool {
    async fn open(socket: &Path) -> Result<Self> {
        let (give, take) = mpsc::channel(CLIENTS);
        for _ in 0..CLIENTS {
            give.send(Session::open(socket).await?).await?;
        }
        Ok(Self { give, take: Mutex::new(take) })
    }

    async fn session(&self) -> Result<Session> {
        self.take.lock().await.recv().await.context("the pool is closed")
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Amendment {
    expected_base_version: i32,
    customer_name: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Amended {
    id: i64,
    version: i32,
    customer_name: String,
    status: &'static str,
    currency: &'static str,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Subscription {
    #[serde(default)]
    id: i64,
    frequency: String,
    price_minor: i64,
    currency: String,
    start_date: String,
}

async fn answer(
    request: Request<Incoming>,
    pool: Arc<Pool>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (status, body) = match written(request, &pool).await {
        Ok(body) => (StatusCode::CREATED, body),
        Err(error) => (StatusCode::CONFLICT, format!(r#"{{"error":"{error}"}}"#).into_bytes()),
    };
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    Ok(response)
}

/// Carries out `POST /contracts/{id}/amendments` or `…/subscriptions`.
async fn written(request: Request<Incoming>, pool: &Pool) -> Result<Vec<u8>> {
    let path = request.uri().path().to_owned();
    let key = request.headers().get("idempotency-key").and_then(|key| key.to_str().ok());
    let key = key.unwrap_or_default().to_owned();
    let mut parts = path.trim_start_matches("/contracts/").split('/');
    let contract: i64 = parts.next().context("no contract")?.parse()?;
    let noun = parts.next().context("no noun")?.to_owned();
    let body = request.into_body().collect().await?.to_bytes();
    let mut session = pool.session().await?;
    let written = write(&mut session, contract, &noun, &key, &body).await;
    pool.give.send(session).await?;
    written
}

async fn write(
    session: &mut Session,
    contract: i64,
    noun: &str,
    key: &str,
    body: &[u8],
) -> Result<Vec<u8>> {
    if noun == "amendments" {
        let amendment: Amendment = serde_json::from_slice(body)?;
        let version = session.amend(contract, Some(amendment.expected_base_version)).await?;
        let customer_name = amendment.customer_name;
        let (id, status, currency) = (contract, "active", "EUR");
        return Ok(serde_json::to_vec(&Amended { id, version, customer_name, status, currency })?);
    }
    let mut subscription: Subscription = serde_json::from_slice(body)?;
    subscription.id = session.subscribe(contract, key).await?;
    Ok(serde_json::to_vec(&subscription)?)
}
