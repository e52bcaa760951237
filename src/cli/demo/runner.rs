//! Carries out the steps of a chapter, one after the other.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use actors::clock::Clock;
use actors::entropy::Entropy;
use anyhow::{Context as _, ensure};
use bytes::Bytes;
use hyper::{Method, header};
use indicatif::ProgressBar;
use serde_json::{Value, json};

use super::answers::Answers;
use super::buyer::Buyer;
use super::receiver::Receiver;
use super::scenario::{Chapter, Step};
use crate::cli::client::{Client, Response};
use crate::cli::signature;

/// The shortest and the longest time between two looks at something that changes by itself.
const PAUSE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(1));
/// The time between two looks that must be alike.
const STEADY: Duration = Duration::from_millis(500);
/// How long a step is repeated at most, in seconds, when it does not say.
const WITHIN: u64 = 30;
const BOUNDARY: &str = "accrue-demo-boundary";

pub(super) struct Runner {
    pub(super) client: Client,
    pub(super) operator: Option<Client>,
    /// None where webhooks are not listened to.
    pub(super) receiver: Option<Receiver>,
    pub(super) buyer: Buyer,
    pub(super) progress: ProgressBar,
    pub(super) answers: Answers,
    pub(super) groups: BTreeMap<String, Vec<Step>>,
}

impl Runner {
    pub(super) async fn chapter(&mut self, chapter: &mut Chapter) -> anyhow::Result<()> {
        self.groups = std::mem::take(&mut chapter.groups);
        for (name, value) in &chapter.data {
            let value = self.answers.fill_json(value)?;
            self.answers.put(name, value);
        }
        for step in &chapter.steps {
            self.run(std::slice::from_ref(step)).await?;
            self.progress.inc(1);
        }
        Ok(())
    }

    pub(super) async fn run(&mut self, steps: &[Step]) -> anyhow::Result<()> {
        for step in steps {
            let nobody = step.by_operator && self.operator.is_none();
            if !nobody && self.answers.hold_here(&step.only_if) {
                self.step(step).await?;
            }
        }
        Ok(())
    }

    async fn step(&mut self, step: &Step) -> anyhow::Result<()> {
        if let Some(text) = &step.say {
            self.progress.set_message(self.answers.fill(text)?);
        }
        let answer = self.repeated(step).await?;
        let expected = self.answers.hold(&step.expect, &answer)?;
        ensure!(expected, "{step}: {:?} do not hold for {answer}", step.expect);
        if let Some(path) = &step.keep {
            self.answers.put(path, answer);
        } else if let Some(path) = &step.push {
            self.answers.push(path, answer);
        }
        Ok(())
    }

    /// Acts until the answer is as the step wants it.
    async fn repeated(&mut self, step: &Step) -> anyhow::Result<Value> {
        let (begun, within) = (Instant::now(), step.within.unwrap_or(WITHIN));
        let mut before = None;
        loop {
            let answer = self.act(step).await?;
            let steady = !step.steady || before.as_ref() == Some(&answer);
            let late = begun.elapsed().as_secs() >= within;
            if (steady && self.answers.hold(&step.until, &answer)?) || (late && step.or_go_on) {
                return Ok(answer);
            }
            let until = &step.until;
            ensure!(!late, "{step}: {until:?} do not hold for {answer} after {within} seconds");
            before = Some(answer);
            let pause = (begun.elapsed() / 10).clamp(PAUSE.0, PAUSE.1);
            tokio::time::sleep(if step.steady { STEADY } else { pause }).await;
        }
    }

    async fn act(&mut self, step: &Step) -> anyhow::Result<Value> {
        if let Some((method, path)) = step.request() {
            return self.request(step, method, path).await;
        }
        if let Some(path) = &step.list {
            let mut rows = self.client.list(&self.answers.fill(path)?, &step.rows).await?;
            if step.oldest_first {
                rows.reverse();
            }
            return Ok(Value::Array(rows));
        }
        if let Some(invoice) = &step.pay {
            let invoice = self.answers.get(invoice);
            return match &step.save_card {
                Some(number) => self.buyer.pay_and_save(invoice, number).await,
                None => self.buyer.pay(invoice).await,
            };
        }
        if let Some(page) = &step.approve {
            return self.buyer.approve(&self.answers.fill(page)?).await;
        }
        if step.inbox {
            let inbox = self.receiver.as_ref().map(Receiver::inbox);
            return Ok(inbox.unwrap_or_default());
        }
        if let Some(text) = &step.text {
            return Ok(Value::String(self.answers.fill(text)?));
        }
        if let Some(key) = &step.sign_in {
            self.client = self.client.with_key(&self.answers.fill(key)?);
        }
        if let Some(secret) = &step.trust {
            let secret = self.answers.fill(secret)?;
            self.receiver.iter().for_each(|receiver| receiver.trust(&secret));
        }
        if let Some(name) = &step.group {
            let steps = self.groups.remove(name).with_context(|| format!("no group {name}"))?;
            Box::pin(self.run(&steps)).await?;
            self.groups.insert(name.clone(), steps);
        }
        if let Some(path) = &step.each {
            let rows: Vec<Value> = self
                .answers
                .all(path)
                .into_iter()
                .filter_map(Value::as_array)
                .flatten()
                .cloned()
                .collect();
            for row in rows {
                self.answers.put(&step.row, row);
                Box::pin(self.run(&step.steps)).await?;
            }
        }
        Ok(Value::Null)
    }

    async fn request(&mut self, step: &Step, method: Method, path: &str) -> anyhow::Result<Value> {
        let path = self.answers.fill(path)?;
        let body = self.body(step)?;
        let mut headers = Vec::new();
        if let Some(name) = &step.key {
            headers.push(("idempotency-key", self.key(name)?));
        }
        if let (Some(secret), Some((_, body))) = (&step.signed, &body) {
            let now = Clock::wall().now().unix_seconds().to_string();
            let signature = signature::sign(&self.answers.fill(secret)?, &now, body);
            headers.extend([("x-service-timestamp", now), ("x-service-signature", signature)]);
        }
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let client = match &self.operator {
            Some(operator) if step.by_operator => operator,
            _ => &self.client,
        };
        let body = body.as_ref().map(|(kind, bytes)| (kind.as_str(), bytes.clone()));
        let answer = client.send_bytes(method.clone(), &path, &headers, body).await?;
        if let Some(name) = &step.file {
            let path = std::env::temp_dir().join(self.answers.fill(name)?);
            return written(&path, answer, method);
        }
        if !step.any_status {
            return Ok(answer.success(method, &path)?);
        }
        let location = answer.header(header::LOCATION);
        Ok(json!({"status": answer.status.as_u16(), "location": location, "body": answer.body}))
    }

    /// The UUID of an idempotency key's name, drawn when it is first used.
    fn key(&mut self, name: &str) -> anyhow::Result<String> {
        let path = format!("keys/{}", self.answers.fill(name)?);
        if self.answers.get(&path).is_null() {
            self.answers.put(&path, json!(Entropy.uuid()));
        }
        Ok(self.answers.text(&path))
    }

    fn body(&self, step: &Step) -> anyhow::Result<Option<(String, Bytes)>> {
        if let Some(body) = &step.body {
            let text = self.answers.fill_json(body)?.to_string();
            return Ok(Some(("application/json".to_owned(), Bytes::from(text))));
        }
        let Some(parts) = &step.form else { return Ok(None) };
        let mut form = String::new();
        for (name, kind, content) in parts {
            let content = match self.answers.fill_json(content)? {
                Value::String(text) => text,
                json => json.to_string(),
            };
            form.push_str(&format!(
                "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"; \
                 filename=\"{name}\"\r\nContent-Type: {kind}\r\n\r\n{content}\r\n"
            ));
        }
        form.push_str(&format!("--{BOUNDARY}--\r\n"));
        let kind = format!("multipart/form-data; boundary={BOUNDARY}");
        Ok(Some((kind, Bytes::from(form))))
    }
}

fn written(path: &Path, answer: Response, method: Method) -> anyhow::Result<Value> {
    let (bytes, kind) = (answer.bytes.clone(), json!(answer.header(header::CONTENT_TYPE)));
    answer.success(method, &path.display().to_string())?;
    let written = std::fs::write(path, &bytes);
    written.with_context(|| format!("cannot write {}", path.display()))?;
    Ok(json!({"path": path.display().to_string(), "contentType": kind, "bytes": bytes.len()}))
}
