//! The four ways that events come in: one by one, in batches, as a CSV file, and from a third
//! party that signs what it sends (billing 4.6, decisions 6).

use std::time::Duration;

use actors::clock::Clock;
use anyhow::{Context as _, bail, ensure};
use bytes::Bytes;
use hyper::{Method, StatusCode};
use serde_json::{Value, json};

use super::meter::Meter;
use super::plan::{Event, decimal};
use super::records::{BatchAnswer, DeadLetter, Ingested, Upload};
use super::{Chapter, hundredths};
use crate::cli::demo::records::{record, records};
use crate::cli::signature;

/// What separates the parts of the upload.
const BOUNDARY: &str = "accrue-demo-boundary";
/// A row that cannot be taken: it is parked.
const BAD_ROW: &str = "2026-01-01T00:00:00Z,plenty,disk-bad,rack-7\n";

/// How the events came in.
#[derive(Debug, Default)]
pub(super) struct Intake {
    /// Events recorded one by one, and answers to two more: a repetition and a contradiction.
    pub(super) single: u64,
    pub(super) repeated: String,
    pub(super) contradicted: u16,
    /// Events recorded in batches.
    pub(super) batched: u64,
    /// Rows of the file that were recorded and that were parked.
    pub(super) csv: u64,
    pub(super) parked: Vec<DeadLetter>,
    /// Events accepted from the third party, and the answer to a forged call.
    pub(super) inbound: u64,
    pub(super) forged: u16,
}

impl Chapter<'_> {
    /// Sends the events of both periods.
    pub(super) async fn send_events(&self) -> anyhow::Result<Intake> {
        let mut intake = Intake::default();
        self.story.show("sending usage events one by one");
        self.one_by_one(&mut intake).await?;
        self.story.show("sending usage events in batches");
        for events in [self.plan.calls(), self.plan.logins()] {
            intake.batched += self.batch(&events).await?;
        }
        self.story.show("uploading a CSV file of usage");
        self.upload(&mut intake).await?;
        self.story.show("receiving signed usage");
        self.signed(&mut intake).await?;
        Ok(intake)
    }

    /// Sends one event, whatever the answer is.
    pub(super) async fn event(&self, body: &Value) -> anyhow::Result<(StatusCode, Value)> {
        let path = "/billing-api/v1/usage/events";
        let answer = self.story.client.send(Method::POST, path, &[], Some(body)).await?;
        Ok((answer.status, answer.body))
    }

    async fn one_by_one(&self, intake: &mut Intake) -> anyhow::Result<()> {
        let events = self.plan.present();
        for event in &events {
            let (status, answer) = self.event(&self.json(event)).await?;
            ensure!(status == StatusCode::CREATED, "an event was answered {status}: {answer}");
            let ingested: Ingested = record("an event", answer)?;
            ensure!(ingested.metered, "an event is not metered");
            intake.single += 1;
        }
        let first = events.first().context("no events")?;
        let (_, again) = self.event(&self.json(first)).await?;
        intake.repeated = record::<Ingested>("a repeated event", again)?.status;
        let other = Event { hundredths: first.hundredths + 1, ..first.clone() };
        intake.contradicted = self.event(&self.json(&other)).await?.0.as_u16();
        Ok(())
    }

    async fn batch(&self, events: &[Event]) -> anyhow::Result<u64> {
        let events: Vec<Value> = events.iter().map(|event| self.json(event)).collect();
        let path = "/billing-api/v1/usage/events:batch";
        let answer = self.story.client.post(path, &json!({"events": events})).await?;
        let answer: BatchAnswer = record("a batch of events", answer)?;
        ensure!(answer.rejected == 0, "{} events of a batch were rejected", answer.rejected);
        Ok(answer.ingested)
    }

    /// Every row is an event; one row is bad.
    async fn upload(&self, intake: &mut Intake) -> anyhow::Result<()> {
        let client = &self.story.client;
        let mut file = "when,gigabytes,id,rack\n".to_owned();
        for event in self.plan.storage() {
            let (quantity, key) = (decimal(event.hundredths), event.key(&self.run));
            file.push_str(&format!("{},{quantity},{key},rack-7\n", event.occurred_at));
        }
        file.push_str(BAD_ROW);
        let mapping = json!({
            "contractId": {"const": self.contract.to_string()},
            "metric": {"const": Meter::Storage.name()},
            "quantity": "gigabytes", "occurredAt": "when", "idempotencyKey": "id",
            "metadata": {"rack": "rack"},
        });
        let body = multipart(&file, &mapping);
        let content_type = format!("multipart/form-data; boundary={BOUNDARY}");
        let path = "/billing-api/v1/usage/csv";
        let upload = client.upload(path, &content_type, body).await?;
        let mut upload: Upload = record("an upload", upload)?;
        let path = format!("{path}/{}", upload.upload_id);
        for _ in 0..200 {
            upload = record("an upload", client.get(&path).await?)?;
            if upload.status == "done" {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        ensure!(upload.status == "done", "the upload was not done within 10 seconds");
        intake.csv = upload.ingested;
        let parked = client.list("/billing-api/v1/usage/dead-letters", "deadLetters").await?;
        intake.parked = records("the dead letters", parked)?;
        Ok(())
    }

    /// A third party that knows the endpoint's secret, and one that does not.
    async fn signed(&self, intake: &mut Intake) -> anyhow::Result<()> {
        let client = &self.story.client;
        let path = "/billing-api/v1/usage/webhook-endpoints";
        let endpoint = client.post(path, &json!({"description": "Till of the shop"})).await?;
        let text = |name: &str| endpoint[name].as_str().with_context(|| format!("no {name}"));
        let (url, secret) = (text("url")?, text("secret")?);
        let events: Vec<Value> = self.plan.sales().iter().map(|event| self.json(event)).collect();
        let body = json!({"events": events});
        let now = Clock::wall().now().unix_seconds().to_string();
        // The client sends the object as this very text.
        let bytes = body.to_string();
        for (secret, good) in [("whsec_another", false), (secret, true)] {
            let signed = signature::sign(secret, &now, bytes.as_bytes());
            let headers =
                [("x-service-timestamp", now.as_str()), ("x-service-signature", signed.as_str())];
            let answer = client.send(Method::POST, url, &headers, Some(&body)).await?;
            match (good, answer.status) {
                (true, StatusCode::ACCEPTED) => {
                    let accepted = answer.body["accepted"].as_u64();
                    intake.inbound = accepted.context("an answer without accepted")?;
                }
                (true, other) => bail!("signed usage was answered {other}: {}", answer.body),
                (false, status) => intake.forged = status.as_u16(),
            }
        }
        self.inbound_done(intake.inbound).await
    }

    /// What a third party sends is recorded in the background.
    async fn inbound_done(&self, expected: u64) -> anyhow::Result<()> {
        let (from, to) = (self.plan.start.to_string(), self.plan.turn.to_string());
        let sold = self.plan.expected(Meter::Sales).hundredths;
        for _ in 0..200 {
            let series = self.series(Meter::Sales, &from, &to).await?;
            if hundredths(series.iter().map(|day| day.quantity).sum()) == Some(sold) {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        bail!("{expected} signed events were not recorded within 10 seconds")
    }

    fn json(&self, event: &Event) -> Value {
        event.json(self.contract, &self.run)
    }
}

fn multipart(file: &str, mapping: &Value) -> Bytes {
    let part = |name: &str, kind: &str, content: &str| {
        format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"; \
             filename=\"{name}\"\r\nContent-Type: {kind}\r\n\r\n{content}\r\n"
        )
    };
    let mapping = part("mapping", "application/json", &mapping.to_string());
    let file = part("file", "text/csv", file);
    Bytes::from(format!("{mapping}{file}--{BOUNDARY}--\r\n"))
}
