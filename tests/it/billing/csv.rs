//! `/usage/csv`: files, mappings, what becomes of rows.

use std::time::Duration;

use actors::tables::{LETTER_PACKS, UPLOAD_PARTS};
use hyper::Method;
use storage::Scan;

use crate::support::meter::EARLIER;
use crate::support::response::column;
use crate::support::wait::until_within;
use crate::support::{Api, Response, Seller, Server, Value, json};

const BOUNDARY: &str = "----the-boundary";

/// An upload about to be sent.
pub(crate) struct Csv {
    parts: Vec<(&'static str, String)>,
}

impl Csv {
    pub(crate) fn of(file: &str, mapping: &Value) -> Self {
        Self { parts: vec![("file", file.to_owned()), ("mapping", mapping.to_string())] }
    }

    pub(crate) fn body(&self) -> String {
        let mut body = String::new();
        for (name, content) in &self.parts {
            let file = if *name == "file" { "; filename=\"usage.csv\"" } else { "" };
            body.push_str(&format!(
                "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n\
                 {content}\r\n"
            ));
        }
        body + &format!("--{BOUNDARY}--\r\n")
    }

    pub(crate) async fn send(&self, billing: &Api) -> Response {
        self.send_to(billing, "/usage/csv").await
    }

    async fn send_to(&self, api: &Api, path: &str) -> Response {
        let kind = format!("multipart/form-data; boundary={BOUNDARY}");
        api.send(Method::POST, path, &[("content-type", &kind)], &self.body()).await
    }
}

/// Waits until no more of an upload is recorded.
pub(crate) async fn done(seller: &Seller, accepted: &Value) -> Value {
    let path = format!("/usage/csv/{}", accepted["uploadId"]);
    until_within(Duration::from_secs(120), "a done upload", async || {
        let now = seller.billing.get(&path).await.is(200);
        (now["status"] != "processing").then_some(now)
    })
    .await
}

/// A refused upload leaves no part behind.
fn nothing_is_left(server: &Server) {
    let parts = server.app().store.scan(UPLOAD_PARTS, Scan::all()).count();
    assert_eq!(parts, 0, "something is left");
}

fn columns() -> Value {
    json!({
        "contractId": "contract", "metric": "metric", "quantity": "quantity",
        "occurredAt": "at", "idempotencyKey": "key", "metadata": {"user": "who", "from": {"const": "csv"}},
    })
}

#[tokio::test]
async fn every_row_is_recorded_known_or_parked() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let other = seller.contract("2027-01-15").await;
    let users = json!({"aggregation": "count_unique", "uniqueKey": "user"});
    seller.metric("users", users).await;
    let file = [
        "\u{feff}contract,metric,quantity,at,key,who,ignored".to_owned(),
        format!("{contract},api.calls,1.5,{EARLIER},k1,ada,"),
        format!("{contract},api.calls,\"2\",{EARLIER},k2,\"bob, \"\"the builder\"\"\nof things\","),
        format!("{other},api.calls,4,{EARLIER},k3,,x"),
        format!("{contract},api.calls,1.50,{EARLIER},k1,ada,"),
        String::new(),
        format!("{contract},api.calls,-1,{EARLIER},k5,ada,"),
        format!("{contract},api.calls,1,{EARLIER},k6,ada"),
        format!("{contract},users,1,{EARLIER},k7,ada,"),
        format!("{contract},users,1,{EARLIER},k8,,"),
        format!("{contract},api.calls,8,{EARLIER},,ada,"),
        format!("77,api.calls,8,{EARLIER},k10,ada,"),
        format!("{contract},api.calls,8,{EARLIER},k1,ada,"),
        format!("{contract},api.calls,{},{EARLIER},k12,ada,", "9".repeat(30_000)),
        format!("{contract},api.calls,16,{EARLIER},k13,ada,last"),
    ]
    .join("\r\n");
    let accepted = Csv::of(&file, &columns()).send(&seller.billing).await.is(202);
    assert_eq!(accepted["rows"], 13);
    let end = done(&seller, &accepted).await;
    assert_eq!(
        end,
        json!({
            "uploadId": accepted["uploadId"], "status": "done", "rows": 13,
            "ingested": 5, "duplicates": 1, "parked": 7,
        })
    );
    assert_eq!(seller.used(contract, "api.calls").await, "19.5");
    assert_eq!(seller.used(contract, "users").await, "1");
    let list = seller.billing.get("/usage/dead-letters").await.is(200);
    let mut reasons: Vec<&str> = column(&list, "deadLetters", "reason")
        .into_iter()
        .map(|reason| reason.as_str().expect("a reason"))
        .collect();
    reasons.reverse();
    for (reason, (row, named)) in reasons.iter().zip([
        ("row 5: ", "quantity"),
        ("row 6: ", "6 cells"),
        ("row 8: ", "user"),
        ("row 9: ", "idempotencyKey"),
        ("row 10: ", "contractId"),
        ("row 11: ", "idempotencyKey"),
        ("row 12: ", "larger than"),
    ]) {
        assert!(reason.starts_with(row) && reason.contains(named), "{reasons:#?}");
    }
    assert_eq!(
        list["deadLetters"][6]["event"],
        json!({
            "contractId": contract.to_string(), "metric": "api.calls", "quantity": "-1",
            "occurredAt": EARLIER, "idempotencyKey": "k5",
            "metadata": {"user": "ada", "from": "csv"},
        })
    );
    // The same file again brings nothing new, and parks what it parks.
    let accepted = Csv::of(&file, &columns()).send_to(&seller.older(), "/csv").await.is(202);
    let end = done(&seller, &accepted).await;
    assert_eq!(
        (&end["ingested"], &end["duplicates"], &end["parked"]),
        (&json!(0), &json!(6), &json!(7))
    );
    server.close().await;
}

#[tokio::test]
async fn of_two_contracts_with_one_key_the_first_in_a_file_has_it() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let (one, other) = (seller.metered("2027-01-15").await, seller.contract("2027-01-15").await);
    let mut file = "contract,metric,quantity,at,key,who\n".to_owned();
    // Whichever of them has the smaller id.
    for (name, first, second) in [("a", one, other), ("b", other, one)] {
        for (n, contract) in (0..4).flat_map(|n| [(n, first), (n, second)]) {
            file += &format!("{contract},api.calls,1,{EARLIER},{name}{n},ada\n");
        }
    }
    let accepted = Csv::of(&file, &columns()).send(&seller.billing).await.is(202);
    let end = done(&seller, &accepted).await;
    assert_eq!((&end["ingested"], &end["parked"]), (&json!(8), &json!(8)));
    let list = seller.billing.get("/usage/dead-letters?limit=100").await.is(200);
    let of: Vec<String> = column(&list, "deadLetters", "event")
        .into_iter()
        .map(|event| event["contractId"].as_str().expect("an id").to_owned())
        .collect();
    // Newest first.
    assert_eq!(of, [vec![one.to_string(); 4], vec![other.to_string(); 4]].concat());
    server.close().await;
}

#[tokio::test]
async fn twenty_thousand_rows_of_one_column_count_exactly() {
    let mut server = Server::start().await;
    let mut seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let mapping = json!({
        "contractId": {"const": contract.to_string()}, "metric": {"const": "api.calls"},
        "quantity": "q", "occurredAt": {"const": EARLIER},
    });
    let file = format!("q\n{}", "3\n".repeat(20_000));
    let accepted = Csv::of(&file, &mapping).send(&seller.billing).await.is(202);
    assert_eq!(accepted["rows"], 20_000);
    // Stopped somewhere in the middle, it goes on after the start.
    server.restart().await;
    seller = server.again(&seller);
    let end = done(&seller, &accepted).await;
    assert_eq!(
        (&end["ingested"], &end["duplicates"], &end["parked"]),
        (&json!(20_000), &json!(0), &json!(0))
    );
    assert_eq!(seller.used(contract, "api.calls").await, "60000");
    let key = format!("csv:{}:20000", accepted["uploadId"]);
    let last = crate::support::meter::event_with(contract, &key, json!({"quantity": "3"}));
    let known = seller.billing.post("/usage/events", &last).await.is(200);
    assert_eq!(known["status"], "duplicate");
    server.close().await;
}

#[tokio::test]
async fn a_file_or_mapping_that_does_not_fit_is_refused_and_forgotten() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let file = "contract,metric,quantity,at,key,who\n1,m,1,t,k,w\n";
    let send = async |parts: Vec<(&'static str, String)>| Csv { parts }.send(&seller.billing).await;
    let mapping = |more: Value| crate::support::make::with(&columns(), more).to_string();
    let whole = || ("mapping", columns().to_string());
    let named = |file: &str| ("file", file.to_owned());
    let cases = [
        (vec![whole()], "file is required"),
        (vec![named(file)], "mapping is required"),
        (vec![], ""),
        (vec![named(""), whole()], "no header"),
        (vec![named("\n\r\n"), whole()], "no header"),
        (vec![whole(), named("contract,metric,quantity,\"at,key,who\n")], "the header of the file"),
        (vec![named("contract,metric"), whole()], "quantity"),
        (vec![named("contract,metric,quantity,at,key,who,who"), whole()], "more than once"),
        (vec![named(file), named(file), whole()], "twice"),
        (vec![named(file), ("mapping", "7".to_owned())], "mapping: expected a JSON object"),
        (vec![named(file), ("mapping", "{".to_owned())], "mapping"),
        (vec![named(file), ("mapping", mapping(json!({"metric": 7})))], "metric"),
        (vec![named(file), ("mapping", mapping(json!({"metric": {"constant": "m"}})))], "metric"),
        (
            vec![named(file), ("mapping", mapping(json!({"quantity": null})))],
            "quantity is required",
        ),
        (vec![("mapping", mapping(json!({"quantity": "Quantity"}))), named(file)], "\"Quantity\""),
        (vec![named(file), ("mapping", mapping(json!({"metadata": {"a": "b"}})))], "metadata.a"),
        (vec![named(file), ("mapping", mapping(json!({"x": "y".repeat(9_000)})))], "8192"),
    ];
    for (parts, why) in cases {
        let response = send(parts).await;
        response.refuses(400, "invalid request body: ");
        response.refuses(400, why);
    }
    seller.billing.post("/usage/csv", &json!({})).await.refuses(400, "multipart/form-data");
    seller.billing.get("/usage/csv/1").await.refuses_saying(404, "not found");
    nothing_is_left(&server);

    let empty = Csv { parts: vec![whole(), named("contract,metric,quantity,at,key,who\n")] };
    let accepted = empty.send(&seller.billing).await.is(202);
    assert_eq!(accepted["rows"], 0);
    assert_eq!(done(&seller, &accepted).await["status"], "done");
    let path = format!("/usage/csv/{}", accepted["uploadId"]);
    server.seller().await.billing.get(&path).await.refuses_saying(404, "not found");
    server.close().await;
}

#[tokio::test]
async fn a_form_in_which_no_part_begins_is_refused() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let kind = format!("multipart/form-data; boundary={BOUNDARY}");
    let head = format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"file\"");
    for before in ["", &head] {
        let body = format!("{before}{}", "x".repeat(1024 * 1024));
        let headers = [("content-type", kind.as_str())];
        let sent = seller.billing.send(Method::POST, "/usage/csv", &headers, &body).await;
        sent.refuses(400, "no part begins within 65536 bytes of the form");
    }
    nothing_is_left(&server);
    server.close().await;
}

#[tokio::test]
async fn a_file_above_16_mib_is_too_large() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let mapping = json!({
        "contractId": {"const": "1"}, "metric": {"const": "m"}, "quantity": "q",
        "occurredAt": {"const": EARLIER},
    });
    let limit = 16 * 1024 * 1024;
    let row = format!("{}\n", "x".repeat(1023));
    for excess in [1, 200_000] {
        let file = format!("q\n{}{}", row.repeat(16 * 1024 - 1), "y".repeat(1022 + excess));
        assert_eq!(file.len(), limit + excess);
        let response = Csv::of(&file, &mapping).send(&seller.billing).await;
        response.refuses(413, "");
    }
    nothing_is_left(&server);
    server.close().await;
}

/// A file of one column, and the mapping that reads it.
fn quantities(contract: u64, rows: &[String]) -> Csv {
    let mapping = json!({
        "contractId": {"const": contract.to_string()}, "metric": {"const": "api.calls"},
        "quantity": "q", "occurredAt": {"const": EARLIER},
    });
    Csv::of(&format!("q\n{}\n", rows.join("\n")), &mapping)
}

#[tokio::test]
async fn a_thousand_refused_rows_in_a_row_stop_an_upload_where_they_end() {
    let mut server = Server::start().await;
    let mut seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let rows = |count: usize, cell: &str| vec![cell.to_owned(); count];
    let file = [rows(10, "1"), rows(999, "x"), rows(1, "1"), rows(1_000, "x"), rows(500, "1")];
    let accepted = quantities(contract, &file.concat()).send(&seller.billing).await.is(202);
    assert_eq!(accepted["rows"], 2_510);
    server.restart().await;
    seller = server.again(&seller);
    let end = done(&seller, &accepted).await;
    assert_eq!(
        end,
        json!({
            "uploadId": accepted["uploadId"], "status": "stopped", "rows": 2_510,
            "ingested": 11, "duplicates": 0, "parked": 1_999, "stoppedAtRow": 2_010,
            "reason": "1000 rows were refused one after the other",
        })
    );
    // Nothing behind the row at which it stopped is recorded.
    assert_eq!(seller.used(contract, "api.calls").await, "11");
    let key = format!("csv:{}:2011", accepted["uploadId"]);
    let behind = crate::support::meter::event_with(contract, &key, json!({}));
    assert_eq!(seller.record(&behind).await["status"], "ingested");
    nothing_is_left(&server);
    let newest = seller.billing.get("/usage/dead-letters?limit=1").await.is(200);
    let reason = newest["deadLetters"][0]["reason"].as_str().expect("a reason");
    assert!(reason.starts_with("row 2010: quantity"), "{reason}");
    let all = seller.billing.all("/usage/dead-letters?status=parked", "deadLetters").await;
    assert_eq!(all.len(), 1_999);
    let packs = server.app().store.scan(LETTER_PACKS, Scan::all());
    assert!(packs.count() < 60, "letters lie in a row each");
    server.close().await;
}

#[tokio::test]
async fn as_many_letters_as_may_be_parked_stop_uploads_until_some_are_discarded() {
    let server = Server::with(&[("limits.dead_letters", "30")]).await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let bad = |count: usize| vec!["x".to_owned(); count];
    let rows = [bad(20), vec!["1".to_owned()], bad(50), vec!["1".to_owned()]].concat();
    let accepted = quantities(contract, &rows).send(&seller.billing).await.is(202);
    let end = done(&seller, &accepted).await;
    assert_eq!(
        (&end["status"], &end["parked"], &end["ingested"], &end["stoppedAtRow"]),
        (&json!("stopped"), &json!(30), &json!(1), &json!(31))
    );
    let too_many = "too many dead letters: redrive or discard some";
    assert_eq!(end["reason"], too_many);
    let again = quantities(contract, &bad(1)).send(&seller.billing).await;
    assert_eq!(again.header("retry-after"), Some("3600"), "somebody has to make room first");
    again.refuses_saying(429, too_many);
    let list = seller.billing.get("/usage/dead-letters?limit=1").await.is(200);
    let path = format!("/usage/dead-letters/{}/discard", list["deadLetters"][0]["id"]);
    seller.billing.post(&path, &json!({})).await.is(200);
    let accepted = quantities(contract, &bad(1)).send(&seller.billing).await.is(202);
    assert_eq!(done(&seller, &accepted).await["status"], "done");
    server.close().await;
}

#[tokio::test]
async fn a_row_is_as_large_as_its_mapped_columns() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    // What nobody maps may be as long as it likes; the figure behind a long field is not cut.
    let file = format!(
        "contract;metric;quantity;at;key;who;note\n\
         {contract};api.calls;1,5;{EARLIER};k1;ada;\n\
         {contract};api.calls;1234567;{EARLIER};k2;ada;{}\n\
         {contract};api.calls;7;{EARLIER};k3;{};\n",
        "x".repeat(300_000),
        "y".repeat(30_000),
    );
    let accepted = Csv::of(&file, &columns()).send(&seller.billing).await.is(202);
    let end = done(&seller, &accepted).await;
    assert_eq!((&end["ingested"], &end["parked"]), (&json!(1), &json!(2)));
    assert_eq!(seller.used(contract, "api.calls").await, "1234567");
    let list = seller.billing.get("/usage/dead-letters").await.is(200);
    let letter = &list["deadLetters"][0];
    assert_eq!((&letter["eventCut"], &letter["event"]["quantity"]), (&json!(true), &json!("7")));
    assert!(list["deadLetters"][1].get("eventCut").is_none());
    let path = format!("/usage/dead-letters/{}/redrive", letter["id"]);
    let tried = seller.billing.post(&path, &json!({})).await.is(200);
    assert_eq!((&tried["status"], &tried["attempts"]), (&json!("parked"), &json!(2)));
    assert!(tried["reason"].as_str().expect("a reason").contains("too large"));
    assert_eq!(seller.used(contract, "api.calls").await, "1234567");
    server.close().await;
}

#[tokio::test]
async fn a_stray_quote_hides_no_row() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.metered("2027-01-15").await;
    let file = |stray: &[(usize, &str)]| {
        let mut rows: Vec<String> =
            (1..=100).map(|row| format!("{contract},api.calls,1,{EARLIER},k{row},ada,")).collect();
        for (row, note) in stray {
            rows[*row - 1].push_str(note);
        }
        format!("contract,metric,quantity,at,key,who,note\n{}\n", rows.join("\n"))
    };
    let upload = async |file: &str| Csv::of(file, &columns()).send(&seller.billing).await;

    let unclosed = upload(&file(&[(4, "\"19 inch")])).await;
    unclosed.refuses(400, "row 4 of the file begins a quote that nothing closes");
    nothing_is_left(&server);

    let accepted = upload(&file(&[(4, "\"19 inch"), (61, "\"21 inch")])).await.is(202);
    let end = done(&seller, &accepted).await;
    assert_eq!((&end["ingested"], &end["parked"]), (&json!(42), &json!(1)));
    let list = seller.billing.get("/usage/dead-letters").await.is(200);
    let letter = &list["deadLetters"][0];
    assert_eq!(
        letter["reason"],
        "row 4: text stands behind a closing quote (lines of the file in this row: 58)"
    );
    let hidden = letter["event"]["cells"][6].as_str().expect("a cell");
    assert!(hidden.contains(",k60,ada,"), "{hidden}");

    // With a doubled or a bare quote all is well, and the rows that lay in the one are taken.
    let accepted = upload(&file(&[(4, "\"19\"\" rack\""), (61, "21\" rack")])).await.is(202);
    let end = done(&seller, &accepted).await;
    assert_eq!((&end["ingested"], &end["duplicates"]), (&json!(58), &json!(42)));

    let figure =
        format!("contract,metric,quantity,at,key,who\n{contract},api.calls,\"1\"5,{EARLIER},f,a");
    let end = done(&seller, &upload(&figure).await.is(202)).await;
    assert_eq!((&end["ingested"], &end["parked"]), (&json!(0), &json!(1)));
    assert_eq!(seller.used(contract, "api.calls").await, "100");
    server.close().await;
}
