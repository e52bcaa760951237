//! Carries out the steps of a scenario, one after the other.

use std::time::{Duration, Instant};

use actors::clock::Clock;
use actors::entropy::Entropy;
use anyhow::ensure;
use bytes::Bytes;
use hyper::header;
use indicatif::ProgressBar;
use serde_json::{Value, json};

use super::answers::Answers;
use super::buyer::Buyer;
use super::receiver::Receiver;
use super::scenario::{Action, Body, Call, Claim, Keep, Step};
use crate::cli::client::Client;
use crate::cli::signature;

/// The shortest and the longest time between two looks at something that changes by itself.
const PAUSE: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(1));
/// The time between two looks that must be alike.
const STEADY: Duration = Duration::from_millis(500);
/// What separates the parts of a form.
const BOUNDARY: &str = "accrue-demo-boundary";

pub(super) struct Runner {
    pub(super) client: Client,
    pub(super) operator: Option<Client>,
    pub(super) receiver: Receiver,
    pub(super) buyer: Buyer,
    pub(super) progress: ProgressBar,
    pub(super) answers: Answers,
}

impl Runner {
    pub(super) async fn run(&mut self, steps: &[Step]) -> anyhow::Result<()> {
        for step in steps {
            let left_out = step.only_if.as_ref().is_some_and(|Claim(path, is)| {
                let kept = self.answers.all(path).into_iter().cloned().collect();
                !Claim("*", is.clone()).holds(&Value::Array(kept))
            });
            if !left_out {
                self.step(step).await?;
            }
        }
        Ok(())
    }

    async fn step(&mut self, step: &Step) -> anyhow::Result<()> {
        let answer = self.repeated(step).await?;
        for claim in &step.expect {
            let action = &step.action;
            ensure!(claim.holds(&answer), "{action}: {claim:?} does not hold for {answer}");
        }
        match &step.keep {
            Some(Keep::As(path)) => self.answers.put(path, answer),
            Some(Keep::In(path)) => self.answers.push(path, answer),
            None => {}
        }
        Ok(())
    }

    /// Acts until the answer is as the step wants it.
    async fn repeated(&mut self, step: &Step) -> anyhow::Result<Value> {
        let begun = Instant::now();
        let mut before = None;
        loop {
            let answer = self.act(&step.action).await?;
            let steady = !step.steady || before.as_ref() == Some(&answer);
            let late = begun.elapsed() > step.within;
            let there = steady && step.until.iter().all(|claim| claim.holds(&answer));
            if there || (late && step.or_go_on) {
                return Ok(answer);
            }
            let (within, action, until) = (step.within, &step.action, &step.until);
            ensure!(!late, "{action}: {until:?} did not hold within {within:?}: {answer}");
            before = Some(answer);
            let pause = (begun.elapsed() / 10).clamp(PAUSE.0, PAUSE.1);
            tokio::time::sleep(if step.steady { STEADY } else { pause }).await;
        }
    }

    async fn act(&mut self, action: &Action) -> anyhow::Result<Value> {
        match action {
            Action::Say(text) => self.progress.set_message(*text),
            Action::Text(text) => return Ok(Value::String(self.answers.fill(text)?)),
            Action::Call(call) => return self.call(call).await,
            Action::List { path, rows, reversed } => {
                let mut found = self.client.list(&self.answers.fill(path)?, rows).await?;
                if *reversed {
                    found.reverse();
                }
                return Ok(Value::Array(found));
            }
            Action::Each { list, row, steps } => {
                let rows = self.answers.get(list).as_array().cloned().unwrap_or_default();
                for one in rows {
                    self.answers.put(row, one);
                    Box::pin(self.run(steps)).await?;
                }
            }
            Action::Pay(invoice) => return self.buyer.pay(self.answers.get(invoice)).await,
            Action::Approve(page) => {
                return self.buyer.approve(&self.answers.fill(page)?).await;
            }
            Action::SignIn(key) => self.client = self.client.with_key(&self.answers.fill(key)?),
            Action::Trust(secret) => self.receiver.trust(&self.answers.fill(secret)?),
            Action::Inbox => return Ok(self.receiver.inbox()),
        }
        Ok(Value::Null)
    }

    async fn call(&mut self, call: &Call) -> anyhow::Result<Value> {
        let path = self.answers.fill(&call.path)?;
        let body = self.body(&call.body)?;
        let mut headers = Vec::new();
        if let Some(name) = &call.key {
            headers.push(("idempotency-key", self.key(name)));
        }
        if let (Some(secret), Some((_, body))) = (call.signed, &body) {
            let now = Clock::wall().now().unix_seconds().to_string();
            let signature = signature::sign(&self.answers.fill(secret)?, &now, body);
            headers.extend([("x-service-timestamp", now), ("x-service-signature", signature)]);
        }
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let client = match &self.operator {
            Some(operator) if call.by_operator => operator,
            _ => &self.client,
        };
        let body = body.as_ref().map(|(kind, bytes)| (kind.as_str(), bytes.clone()));
        let answer = client.send_bytes(call.method.clone(), &path, &headers, body).await?;
        if !call.any_status {
            return Ok(answer.success(call.method.clone(), &path)?);
        }
        let location = answer.header(header::LOCATION);
        Ok(json!({"status": answer.status.as_u16(), "location": location, "body": answer.body}))
    }

    /// The UUID of an idempotency key's name, drawn when it is first used.
    fn key(&mut self, name: &str) -> String {
        let path = format!("keys/{name}");
        if self.answers.get(&path).is_null() {
            self.answers.put(&path, json!(Entropy.uuid()));
        }
        self.answers.text(&path)
    }

    /// The content type and the bytes of a body.
    fn body(&self, body: &Body) -> anyhow::Result<Option<(String, Bytes)>> {
        Ok(match body {
            Body::None => None,
            Body::Json(body) => {
                let text = self.answers.fill_json(body)?.to_string();
                Some(("application/json".to_owned(), Bytes::from(text)))
            }
            Body::Form(parts) => {
                let mut form = String::new();
                for (name, kind, content) in parts {
                    let content = self.answers.fill(content)?;
                    form.push_str(&format!(
                        "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"; \
                         filename=\"{name}\"\r\nContent-Type: {kind}\r\n\r\n{content}\r\n"
                    ));
                }
                form.push_str(&format!("--{BOUNDARY}--\r\n"));
                let kind = format!("multipart/form-data; boundary={BOUNDARY}");
                Some((kind, Bytes::from(form)))
            }
        })
    }
}
