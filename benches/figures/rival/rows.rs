//! The same writes against PostgreSQL: a locked row, a checked version, new rows, a commit.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use hdrhistogram::Histogram;
use tokio::task::JoinSet;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, NoTls, Statement};

use crate::support::load::Rate;

const SCHEMA: &str = "
DROP TABLE IF EXISTS contract, contract_version, subscription, idempotency;
DROP FUNCTION IF EXISTS amend;
CREATE TABLE contract (
    id bigint PRIMARY KEY, seller bigint NOT NULL, version int NOT NULL, status text NOT NULL,
    currency text NOT NULL, customer_name text NOT NULL, subscriptions int NOT NULL DEFAULT 0);
CREATE TABLE contract_version (
    contract bigint NOT NULL, version int NOT NULL, content text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (contract, version));
CREATE TABLE subscription (
    id bigserial PRIMARY KEY, contract bigint NOT NULL, content text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now());
CREATE INDEX ON subscription (contract, id);
CREATE TABLE idempotency (seller bigint, key text, subscription bigint, PRIMARY KEY (seller, key));
CREATE FUNCTION amend(wanted bigint, base int, body text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE current int;
BEGIN
    SELECT version INTO current FROM contract WHERE id = wanted FOR UPDATE;
    IF base <> current THEN RAISE EXCEPTION 'stale'; END IF;
    INSERT INTO contract_version (contract, version, content) VALUES (wanted, current + 1, body);
    UPDATE contract SET version = current + 1, customer_name = 'Ada' WHERE id = wanted;
    RETURN current + 1;
END $$;";

/// What 300 bytes of content look like.
const CONTENT: &str = r#"{"currency":"EUR","status":"active","startDate":"2026-11-21","customerName":"Ada, Countess of Lovelace","customerPhone":"+44 20 7946 0000","customerCompanyName":"Analytical Engines Ltd","customerCompanyCountry":"GB","lineItems":[{"lineItemId":1,"componentType":"recurring","quantity":"1"}]}"#;

/// A durable write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Write {
    /// An amendment, statement by statement.
    Amend,
    /// An amendment as one function in the server.
    AmendByFunction,
    /// A subscription under an idempotency key.
    Subscribe,
}

/// A connection with its statements prepared.
pub(crate) struct Session {
    client: Client,
    prepared: Prepared,
}

struct Prepared {
    lock: Statement,
    insert: Statement,
    update: Statement,
    call: Statement,
    subscribe: Statement,
    claim: Statement,
    count: Statement,
}

/// Makes the tables anew, with `contracts` rows.
pub(crate) async fn fill(socket: &Path, contracts: i64) -> anyhow::Result<()> {
    let client = connect(socket).await?;
    client.batch_execute(SCHEMA).await?;
    let rows = "INSERT INTO contract SELECT n, 1, 1, 'active', 'EUR', 'Ada' \
                FROM generate_series(1, $1::bigint) n";
    client.execute(rows, &[&contracts]).await?;
    client.batch_execute("ANALYZE").await?;
    Ok(())
}

/// `clients` connections write for `time`, spread over `contracts` rows.
pub(crate) async fn measure(
    socket: &Path,
    write: Write,
    clients: i64,
    contracts: i64,
    time: Duration,
) -> anyhow::Result<Rate> {
    let socket: Arc<Path> = socket.into();
    let end = Instant::now() + time;
    let mut tasks = JoinSet::new();
    for number in 0..clients {
        let socket = Arc::clone(&socket);
        tasks.spawn(async move { client(&socket, write, number, clients, contracts, end).await });
    }
    let mut all = Histogram::<u64>::new_with_bounds(1, 60_000_000, 3)?;
    while let Some(one) = tasks.join_next().await {
        all.add(one??)?;
    }
    let micros = u64::try_from(time.as_micros())?;
    Ok(Rate { per_second: all.len() * 1_000_000 / micros, p99: all.value_at_quantile(0.99) })
}

async fn client(
    socket: &Path,
    write: Write,
    number: i64,
    clients: i64,
    contracts: i64,
    end: Instant,
) -> anyhow::Result<Histogram<u64>> {
    let mut session = Session::open(socket).await?;
    let mut times = Histogram::<u64>::new_with_bounds(1, 60_000_000, 3)?;
    // Spread, a client has contracts of its own and knows their versions; hot, all share the
    // only one and take it as they find it.
    let own = contracts / clients;
    let mut versions = vec![1_i32; usize::try_from(own)?];
    for nth in 0_i64.. {
        let begun = Instant::now();
        if begun >= end {
            break;
        }
        let place = if own == 0 { 0 } else { nth % own };
        let contract = if own == 0 { 1 } else { 1 + number * own + place };
        let known = versions.get_mut(usize::try_from(place)?);
        let base = known.as_ref().map(|version| **version);
        let made = match write {
            Write::Amend => session.amend(contract, base).await?,
            Write::AmendByFunction => session.amend_by_function(contract, base).await?,
            Write::Subscribe => {
                session.subscribe(contract, &format!("{number}:{nth}")).await?;
                base.unwrap_or(1)
            }
        };
        if let Some(known) = known {
            *known = made;
        }
        times.saturating_record(u64::try_from(begun.elapsed().as_micros())?.max(1));
    }
    Ok(times)
}

impl Session {
    pub(super) async fn open(socket: &Path) -> anyhow::Result<Self> {
        let client = connect(socket).await?;
        let prepared = prepare(&client).await?;
        Ok(Self { client, prepared })
    }

    /// `SELECT … FOR UPDATE`, the check, then the writes and the commit in one go.
    pub(super) async fn amend(&mut self, contract: i64, base: Option<i32>) -> anyhow::Result<i32> {
        let (transaction, prepared) = (self.client.transaction().await?, &self.prepared);
        let current: i32 = transaction.query_one(&prepared.lock, &[&contract]).await?.get(0);
        ensure!(base.is_none_or(|base| base == current), "stale version");
        let next = current + 1;
        let insert =
            async { transaction.execute(&prepared.insert, &[&contract, &next, &CONTENT]).await };
        let update = async { transaction.execute(&prepared.update, &[&contract, &next]).await };
        futures::try_join!(insert, update)?;
        transaction.commit().await?;
        Ok(next)
    }

    async fn amend_by_function(&mut self, contract: i64, base: Option<i32>) -> anyhow::Result<i32> {
        let arguments: [&(dyn ToSql + Sync); 3] = [&contract, &base, &CONTENT];
        Ok(self.client.query_one(&self.prepared.call, &arguments).await?.get(0))
    }

    /// The id of the subscription that was made.
    pub(super) async fn subscribe(&mut self, contract: i64, key: &str) -> anyhow::Result<i64> {
        let (transaction, prepared) = (self.client.transaction().await?, &self.prepared);
        transaction.query_one(&prepared.lock, &[&contract]).await?;
        let row = transaction.query_one(&prepared.subscribe, &[&contract, &CONTENT]).await?;
        let id: i64 = row.get(0);
        let claim = async { transaction.execute(&prepared.claim, &[&key, &id]).await };
        let count = async { transaction.execute(&prepared.count, &[&contract]).await };
        futures::try_join!(claim, count)?;
        transaction.commit().await?;
        Ok(id)
    }
}

async fn prepare(client: &Client) -> anyhow::Result<Prepared> {
    Ok(Prepared {
        lock: client
            .prepare("SELECT version, status FROM contract WHERE id = $1 FOR UPDATE")
            .await?,
        insert: client
            .prepare(
                "INSERT INTO contract_version (contract, version, content) VALUES ($1, $2, $3)",
            )
            .await?,
        update: client
            .prepare("UPDATE contract SET version = $2, customer_name = 'Ada' WHERE id = $1")
            .await?,
        call: client.prepare("SELECT amend($1, $2, $3)").await?,
        subscribe: client
            .prepare("INSERT INTO subscription (contract, content) VALUES ($1, $2) RETURNING id")
            .await?,
        claim: client.prepare("INSERT INTO idempotency VALUES (1, $1, $2)").await?,
        count: client
            .prepare("UPDATE contract SET subscriptions = subscriptions + 1 WHERE id = $1")
            .await?,
    })
}

async fn connect(socket: &Path) -> anyhow::Result<Client> {
    let mut config = Config::new();
    config.host_path(socket).user("bench").dbname("postgres");
    let (client, connection) = config.connect(NoTls).await.context("cannot reach PostgreSQL")?;
    tokio::spawn(connection);
    Ok(client)
}
