//! The texts of the API document: every request in them is sent, in their order, to a server on
//! which nothing has happened yet, and what they show of the answers is what is answered.

use actors::domain::payments::payment::PaymentStatus;
use hyper::Method;
use serde_json::Value;

use crate::support::{Api, Server};

/// A request as a text shows it, and what the text shows of the answer.
#[derive(Debug)]
struct Example {
    method: Method,
    path: String,
    headers: Vec<(String, String)>,
    body: String,
    shown: Option<Value>,
}

/// The blocks of code of a text, each with its language.
fn blocks(text: &str) -> Vec<(&str, &str)> {
    let parts: Vec<&str> = text.split("```").collect();
    assert!(parts.len() % 2 == 1, "a block without an end: {text}");
    let code = parts.iter().skip(1).step_by(2);
    code.map(|block| block.split_once('\n').expect("a language and a block")).collect()
}

fn examples(text: &str) -> Vec<Example> {
    let mut found: Vec<Example> = Vec::new();
    for (language, block) in blocks(text) {
        match language {
            "http" => found.push(request(block)),
            "json" => {
                let last = found.last_mut().expect("a request before its answer");
                last.shown = Some(serde_json::from_str(block).expect(block));
            }
            _ => {}
        }
    }
    found
}

fn request(block: &str) -> Example {
    let (head, body) = block.split_once("\n\n").unwrap_or((block, ""));
    let mut lines = head.lines();
    let (method, path) = lines.next().and_then(|line| line.split_once(' ')).expect("a request");
    let headers = lines.filter_map(|line| line.split_once(": "));
    Example {
        method: method.parse().expect("a method"),
        path: path.to_owned(),
        headers: headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        body: body.trim().to_owned(),
        shown: None,
    }
}

/// Where an answer is not as it is shown. A text that ends with `…` shows its beginning.
fn differences(shown: &Value, answered: &Value, place: &str) -> Vec<String> {
    match (shown, answered) {
        (Value::Object(shown), Value::Object(answered)) => shown
            .iter()
            .flat_map(|(name, value)| {
                let place = format!("{place}/{name}");
                differences(value, answered.get(name).unwrap_or(&Value::Null), &place)
            })
            .collect(),
        (Value::Array(shown), Value::Array(answered)) if shown.len() == answered.len() => {
            let both = shown.iter().zip(answered).enumerate();
            both.flat_map(|(nth, (one, other))| differences(one, other, &format!("{place}/{nth}")))
                .collect()
        }
        (Value::String(shown), Value::String(answered)) if shown.ends_with('…') => {
            let begins = answered.starts_with(shown.trim_end_matches('…'));
            if begins { Vec::new() } else { vec![format!("{place} is {answered}")] }
        }
        (shown, answered) if shown == answered => Vec::new(),
        (shown, answered) => vec![format!("{place} is shown as {shown} and is {answered}")],
    }
}

/// The answer to an example, and where it is not as it is shown.
async fn try_out(api: &Api, example: &Example) -> (Value, Vec<String>) {
    let headers = example.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let headers: Vec<(&str, &str)> = headers.collect();
    let response =
        api.send(example.method.clone(), &example.path, &headers, example.body.as_str()).await;
    let answered = serde_json::from_str(&response.text).unwrap_or(Value::Null);
    let shown = example.shown.as_ref().unwrap_or(&Value::Null);
    let refused_as_shown = shown["error"].is_string();
    assert!(
        response.status < 300 || refused_as_shown,
        "{} {} answered {}: {}",
        example.method,
        example.path,
        response.status,
        response.text
    );
    let place = format!("{} {} ", example.method, example.path);
    let differ = if shown.is_null() { Vec::new() } else { differences(shown, &answered, &place) };
    (answered, differ)
}

/// What is said at the beginning of a part.
fn part<'d>(document: &'d Value, name: &str) -> &'d str {
    let mut parts = document["tags"].as_array().expect("parts").iter();
    let part = parts.find(|part| part["name"] == name).expect(name);
    part["description"].as_str().expect("a text")
}

#[tokio::test]
async fn every_example_was_sent_and_answered_so() {
    let server = Server::start().await;
    let document = server.anonymous.get("/openapi.json").await.is(200);
    let begin = document["info"]["description"].as_str().expect("a beginning");
    let parts = document["tags"].as_array().expect("parts");
    let parts = parts.iter().filter_map(|part| part["description"].as_str());
    let all: Vec<Example> = [begin].into_iter().chain(parts).flat_map(examples).collect();
    assert!(all.len() > 25, "{} examples", all.len());
    let (mut api, mut wrong) = (server.anonymous.clone(), Vec::new());
    for example in &all {
        let (answered, differ) = try_out(&api, example).await;
        wrong.extend(differ);
        if let Some(key) = answered["apiKey"].as_str() {
            api = api.with_key(key);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    server.close().await;
}

#[tokio::test]
async fn the_amount_and_the_replay_of_a_payout_are_told_as_they_are() {
    let server = Server::start().await;
    let document = server.anonymous.get("/openapi.json").await.is(200);
    let begin = document["info"]["description"].as_str().expect("a beginning");
    let part = part(&document, "Payouts");
    for text in [begin, part] {
        assert!(text.contains("`409`") && text.contains("`payoutId`"), "{text}");
    }
    let example = examples(part).pop().expect("an example");
    let mut body: Value = serde_json::from_str(&example.body).expect("a body");
    assert!(body["amount"].is_string() && begin.contains("(`\"30.50\"`)"), "{body}");

    let seller = server.seller().await;
    let payee = seller.payee(0);
    server.fund(&seller, payee, 1, 5_000).await;
    body["payoutMethodId"] = seller.method(payee).await.into();
    let path = format!("/payees/{payee}/payouts");
    let made = seller.payments.post(&path, &body).await.is(201);
    assert_eq!(made["amount"], body["amount"]);
    let again = seller.payments.post(&path, &body).await.is(409);
    assert_eq!((&again["payoutId"], &again["status"]), (&made["id"], &made["status"]));
    server.close().await;
}

#[tokio::test]
async fn the_part_on_payments_names_the_statuses_that_an_event_tells() {
    let server = Server::start().await;
    let document = server.anonymous.get("/openapi.json").await.is(200);
    let text = part(&document, "Payments");
    let told = text.split("`PaymentCompleted` tells").nth(1).expect("a sentence on the event");
    let told = told.split('.').next().unwrap_or_default();
    for status in PaymentStatus::ALL {
        assert_eq!(told.contains(&format!("`{status}`")), status.completes(), "{status}: {told}");
    }
    server.close().await;
}

#[tokio::test]
async fn it_begins_with_the_first_five_minutes() {
    let server = Server::start().await;
    let document = server.anonymous.get("/openapi.json").await.is(200);
    let begin = document["info"]["description"].as_str().expect("a beginning");
    let headings: Vec<&str> = begin.lines().filter(|line| line.starts_with("# ")).collect();
    assert_eq!(headings, ["# The first five minutes", "# What holds everywhere"]);
    server.close().await;
}
