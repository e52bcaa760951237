//! The transport of GraphQL, and its reads.

use std::collections::BTreeMap;

use hyper::Method;

use crate::support::{Server, Value, fresh, fresh_uuid, json};

const PATH: &str = "/dashboard/graphql";

#[tokio::test]
async fn it_takes_one_operation_as_json_from_a_session() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let me = r#"{"query": "{ me { role } }"}"#;
    let answer = browser.send(Method::POST, PATH, &[], me).await.is(200);
    assert_eq!(answer, json!({"data": {"me": {"role": "owner"}}}));

    let stranger = server.anonymous.send(Method::POST, PATH, &[], me).await;
    assert_eq!((stranger.status, stranger.media_type()), (401, "text/plain"));
    let with_key = server.anonymous.with_key(&seller.key);
    with_key.send(Method::POST, PATH, &[], me).await.has_status(401);
    let foreign = [("origin", "https://evil.example")];
    browser.send(Method::POST, PATH, &foreign, me).await.has_status(403);

    let get = browser.send(Method::GET, PATH, &[], "").await;
    assert_eq!(get.has_status(405).header("allow"), Some("POST"));
    let batch = format!("[{me}, {me}]");
    browser.send(Method::POST, PATH, &[], &batch).await.refuses(400, "one operation");
    browser.send(Method::POST, PATH, &[], "{").await.refuses(400, "not JSON");
    browser.send(Method::POST, PATH, &[], "{}").await.refuses(400, "query");
    let form = [("content-type", "application/x-www-form-urlencoded")];
    browser.send(Method::POST, PATH, &form, "query={me{role}}").await.has_status(415);
    let (_, code, status) = browser.error("{ me { nothing } }").await;
    assert_eq!((code.as_str(), status), ("BAD_REQUEST", 400));
    let (_, code, _) = browser.error("{ me {").await;
    assert_eq!(code, "BAD_REQUEST");
    server.close().await;
}

#[tokio::test]
async fn each_field_of_the_root_counts_in_what_the_answer_says_is_left() {
    let flags = [("limits.dashboard_burst", "9"), ("limits.dashboard_per_hour", "9")];
    let server = Server::with(&flags).await;
    let browser = server.owner_of(&server.seller().await).await;
    for (query, left) in [("{ me { role } }", "8"), ("{ a: me { role } b: me { role } }", "6")] {
        let answer = browser.post(PATH, &json!({"query": query})).await;
        assert_eq!(answer.has_status(200).header("x-ratelimit-remaining"), Some(left));
    }
    server.close().await;
}

#[tokio::test]
async fn a_mutation_takes_what_its_route_takes() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let shown = "{ __schema { mutationType { fields { name args { name } } } } }";
    let shown = browser.query(shown).await;
    let fields = shown["__schema"]["mutationType"]["fields"].as_array().expect("fields").iter();
    let takes_nothing = |field: &&Value| field["args"] == json!([]);
    let names: Vec<&Value> = fields.filter(takes_nothing).map(|field| &field["name"]).collect();
    assert_eq!(names, [&json!("goLive")]);

    server.fund(&seller, seller.payee(0), 1, 1_000).await;
    let input = json!({
        "walletId": seller.wallet(0).to_string(),
        "currencyCode": "EUR",
        "payoutMethodId": seller.method(seller.payee(0)).await.to_string(),
        "amountMinor": 250,
        "idempotencyKey": "first",
    });
    let pay_out = "mutation($input: CreatePayoutInput!) {
        createPayout(input: $input) { id amountMinor status } }";
    let made = browser.query_with(pay_out, json!({"input": input})).await["createPayout"].clone();
    assert_eq!((&made["amountMinor"], &made["status"]), (&json!(250), &json!("processing")));
    let again = browser.operation(pay_out, json!({"input": input})).await;
    let named = &again["errors"][0]["extensions"]["payoutId"];
    assert_eq!(made["id"], named.to_string(), "{again}");
    server.close().await;
}

#[tokio::test]
async fn an_operation_has_its_bounds() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let many: String = (0..51).map(|n| format!("a{n}: me {{ role }} ")).collect();
    let (text, code, _) = browser.error(&format!("{{ {many} }}")).await;
    assert_eq!((text.contains("at most 50"), code.as_str()), (true, "BAD_REQUEST"));
    let wide: String = (0..1_600).map(|n| format!("a{n}: role ")).collect();
    let (text, ..) = browser.error(&format!("{{ me {{ {wide} }} }}")).await;
    assert!(text.contains("complex"), "{text}");
    let types = "ofType { ".repeat(14);
    let deep = format!("{{ __schema {{ types {{ {types} name {} }} }} }}", "}".repeat(14));
    let (text, ..) = browser.error(&deep).await;
    assert!(text.contains("deep"), "{text}");
    let usual = "{ __schema { types { fields { args { type { ofType { ofType { ofType { ofType \
                 { name } } } } } } } } } }";
    browser.query(usual).await;
    server.close().await;
}

#[tokio::test]
async fn a_document_that_would_keep_the_server_busy_is_refused_at_once() {
    let server = Server::start().await;
    let browser = server.owner_of(&server.seller().await).await;
    let mut bomb = "{ ...F28 } fragment F0 on Query { me { role } } ".to_owned();
    for number in 1..=28 {
        let spreads = format!("...F{} ", number - 1).repeat(10);
        bomb.push_str(&format!("fragment F{number} on Query {{ {spreads} }} "));
    }
    let (text, code, status) = browser.error(&bomb).await;
    assert!(text.contains("complex"), "{text}");
    assert_eq!((code.as_str(), status), ("BAD_REQUEST", 400));
    let long = json!({"query": format!("{{ {} }}", "me { role } ".repeat(6_000))});
    browser.post(PATH, &long).await.refuses(400, "query is larger than 65536 bytes");
    let long = json!({"query": "{ me { role } }", "variables": {"unused": "x".repeat(524_288)}});
    browser.post(PATH, &long).await.has_status(413);
    let shared = "{ a: me { ...Shown } b: me { ...Shown } } fragment Shown on OwnMeView { role }";
    let kind = browser.query("{ me { __typename } }").await["me"]["__typename"].clone();
    let shared = shared.replace("OwnMeView", kind.as_str().expect("a type"));
    let shown = json!({"a": {"role": "owner"}, "b": {"role": "owner"}});
    assert_eq!(browser.query(&shared).await, shown);
    server.close().await;
}

#[tokio::test]
async fn aliases_multiply_an_answer_only_so_far() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let item = json!({
        "componentType": "project", "quantity": "1",
        "componentConfig": {"description": "x", "amountMinor": 1, "blob": "y".repeat(9_500)},
    });
    let body = json!({
        "sellerCustomerId": seller.customer(), "currency": "EUR", "startDate": "2027-01-15",
        "lineItems": vec![item; 20],
    });
    let made = seller.billing.create("/contracts", &fresh("contract"), &body).await.is(201);
    let asked = |aliases: usize| {
        let aliases: String = (0..aliases).map(|n| format!("a{n}: componentConfig ")).collect();
        format!("{{ contract(id: {}) {{ lineItems {{ {aliases} }} }} }}", made["id"])
    };
    let shown = browser.query(&asked(50)).await;
    assert_eq!(shown["contract"]["lineItems"][19]["a49"]["amountMinor"], 1);
    let (text, code, status) = browser.error(&asked(150)).await;
    assert!(text.contains("too large"), "{text}");
    assert_eq!((code.as_str(), status), ("BAD_REQUEST", 400));
    // What routes answer counts too, whatever is asked of it.
    let many: String = (0..50)
        .map(|n| {
            format!("a{n}: versions(contractId: {}) {{ pageInfo {{ endCursor }} }} ", made["id"])
        })
        .collect();
    for version in 1..4 {
        let body = json!({"expectedBaseVersion": version, "customerName": format!("{version}")});
        let path = format!("/contracts/{}/amendments", made["id"]);
        seller.billing.create(&path, &fresh("amendment"), &body).await;
    }
    let answer = browser.operation(&format!("{{ {many} }}"), json!({})).await;
    assert_eq!(answer["data"], Value::Null);
    assert_eq!(answer["errors"].as_array().map(Vec::len), Some(1));
    server.close().await;
}

#[tokio::test]
async fn the_people_of_an_account_share_a_budget_of_requests() {
    let settings = [("limits.dashboard_per_hour", "3600"), ("limits.dashboard_burst", "4")];
    let server = Server::with(&settings).await;
    let browser = server.owner_of(&server.seller().await).await;
    let me = r#"{"query": "{ me { role } }"}"#;
    let answer = browser.send(Method::POST, PATH, &[], me).await;
    assert_eq!(answer.has_status(200).header("x-ratelimit-remaining"), Some("3"));
    // Each further field of the root costs as much as a request.
    browser.query("{ a: me { role } b: me { role } }").await;
    let refused = browser.operation("{ a: me { role } b: me { role } }", json!({})).await;
    let extensions = json!({"code": "TOO_MANY_REQUESTS", "status": 429, "retryAfter": 1});
    assert_eq!(refused["errors"][0]["extensions"], extensions);
    let refused = browser.send(Method::POST, PATH, &[], me).await;
    assert_eq!(refused.has_status(429).header("retry-after"), Some("1"));
    let other = server.owner_of(&server.seller().await).await;
    other.query("{ me { role } }").await;
    server.pass_seconds(1);
    browser.query("{ me { role } }").await;
    server.close().await;
}

#[tokio::test]
async fn lists_are_connections_and_their_pages_go_on() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let mut made = Vec::new();
    for _ in 0..5 {
        made.push(seller.contract("2027-01-15").await.to_string());
    }
    let query = "query($after: String) { contracts(first: 2, after: $after) {
        nodes { id status } edges { cursor node { id } }
        pageInfo { hasNextPage endCursor }
    } }";
    let (mut seen, mut after) = (Vec::new(), Value::Null);
    loop {
        let page = browser.query_with(query, json!({"after": after})).await["contracts"].clone();
        for edge in page["edges"].as_array().expect("edges") {
            assert_eq!(edge["cursor"], edge["node"]["id"]);
            seen.push(edge["node"]["id"].as_str().expect("an id").to_owned());
        }
        assert_eq!(page["nodes"].as_array().map(Vec::len), page["edges"].as_array().map(Vec::len));
        if page["pageInfo"]["hasNextPage"] == false {
            assert_eq!(page["pageInfo"]["endCursor"], Value::Null);
            break;
        }
        after = page["pageInfo"]["endCursor"].clone();
    }
    assert_eq!(seen, made);

    let one = format!("{{ contract(id: {}) {{ id currency version }} }}", made[0]);
    let expected = json!({"contract": {"id": made[0], "currency": "EUR", "version": 1}});
    assert_eq!(browser.query(&one).await, expected);
    let paid = "{ invoices(status: \"paid\") { nodes { id } } }";
    assert_eq!(browser.query(paid).await["invoices"]["nodes"], json!([]));
    let (text, code, status) = browser.error("{ contracts(first: 101) { nodes { id } } }").await;
    assert_eq!((code.as_str(), status), ("BAD_REQUEST", 400));
    assert_eq!(text, "first must be an integer from 1 to 100");

    // What is another's is not there.
    let other = server.owner_of(&server.seller().await).await;
    let not_found = ("not found".to_owned(), "NOT_FOUND".to_owned(), 404);
    assert_eq!(other.error(&one).await, not_found);
    assert_eq!(
        other.query("{ contracts { nodes { id } } }").await["contracts"]["nodes"],
        json!([])
    );
    server.close().await;
}

#[tokio::test]
async fn a_page_goes_on_behind_what_its_list_goes_by() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let contract = seller.contract("2027-01-15").await;
    seller.one_time(contract, 1_000).await;
    for order in ["order-1", "order-2"] {
        let body = json!({
            "externalOrderRef": order, "amount": 25, "currencyCode": "EUR", "countryCode": "BE",
            "returnUrls": {"success": "http://localhost/a", "failure": "http://localhost/b"},
        });
        seller.payments.create("/checkout", &fresh_uuid(), &body).await.is(201);
    }
    let events = "{ events(first: 100) { edges { cursor node { eventId sequence } } } }";
    let events = browser.query(events).await["events"]["edges"].clone();
    assert_eq!(events[0]["cursor"], events[0]["node"]["sequence"].to_string());
    let behind =
        format!("{{ events(first: 1, after: {}) {{ nodes {{ eventId }} }} }}", events[0]["cursor"]);
    let behind = browser.query(&behind).await["events"]["nodes"][0]["eventId"].clone();
    assert_eq!(behind, events[1]["node"]["eventId"]);

    let page = "{ payments(first: 1) { edges { cursor } pageInfo { hasNextPage endCursor } } }";
    let page = browser.query(page).await["payments"].clone();
    assert_eq!(page["pageInfo"]["hasNextPage"], true);
    assert_eq!(page["edges"][0]["cursor"], page["pageInfo"]["endCursor"]);

    for amount in [100, 200, 300] {
        let body = json!({"creditType": "manual", "amountMinor": amount, "currency": "EUR",
            "reason": "sorry"});
        let path = format!("/contracts/{contract}/credits/top-up");
        seller.billing.create(&path, &fresh("credit"), &body).await.is(201);
    }
    let credit = |page: &str| {
        format!(
            "{{ creditEntries(contractId: {contract}, {page}) {{
                entries {{ signedDeltaMinor }} hasMore nextCursor }} }}"
        )
    };
    let first = browser.query(&credit("first: 2")).await["creditEntries"].clone();
    let entries = json!([{"signedDeltaMinor": 300}, {"signedDeltaMinor": 200}]);
    assert_eq!((&first["entries"], &first["hasMore"]), (&entries, &json!(true)));
    let after = format!("after: \"{}\"", first["nextCursor"]);
    let last = browser.query(&credit(&after)).await["creditEntries"].clone();
    let entries = json!([{"signedDeltaMinor": 100}]);
    assert_eq!((&last["entries"], &last["hasMore"]), (&entries, &json!(false)));
    server.close().await;
}

#[tokio::test]
async fn data_has_the_order_of_the_request() {
    let server = Server::start().await;
    let browser = server.owner_of(&server.seller().await).await;
    let query = "{ z: contracts { nodes { id } } ...More a: me { role } }
        fragment More on Query { account { name } drafts { nodes { id } } }";
    for _ in 0..20 {
        let answer = browser.post(PATH, &json!({"query": query})).await;
        let place = |name: &str| answer.text.find(&format!("\"{name}\":{{"));
        let places = ["z", "account", "drafts", "a"].map(place);
        assert!(places.is_sorted() && places[0].is_some(), "{}", answer.text);
    }
    server.close().await;
}

#[tokio::test]
async fn money_is_whole_and_ids_are_texts() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 9_000_000_000_000).await;
    let query = format!(
        "{{ invoice(id: {}) {{ id grandTotalMinor lines {{ lineId amountMinor }} }} }}",
        invoice["id"]
    );
    let shown = browser.query(&query).await["invoice"].clone();
    assert_eq!(shown["id"], invoice["id"].to_string());
    assert_eq!(shown["grandTotalMinor"], invoice["grandTotalMinor"]);
    assert_eq!(shown["lines"][0]["amountMinor"], 9_000_000_000_000_i64);
    server.close().await;
}

/// The selection of all that a type has, lists of objects included, to some depth.
fn selection(types: &BTreeMap<String, Value>, name: &str, depth: usize) -> Option<String> {
    let fields = types.get(name)?["fields"].as_array()?;
    let mut all = String::new();
    for field in fields {
        let mut of = &field["type"];
        while of["ofType"].is_object() {
            of = &of["ofType"];
        }
        let name = field["name"].as_str().expect("a name");
        if of["kind"] == "OBJECT" {
            let inner = (depth > 0).then(|| of["name"].as_str()).flatten();
            if let Some(inner) = inner.and_then(|inner| selection(types, inner, depth - 1)) {
                all.push_str(&format!("{name} {{ {inner} }} "));
            }
        } else {
            all.push_str(&format!("{name} "));
        }
    }
    (!all.is_empty()).then_some(all)
}

const INTROSPECTION: &str = "{ __schema { types { name fields { name
    args { name type { kind ofType { name } } }
    type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }
} } } }";

/// Whatever a schema promises is answered: a field that is required and missing would be an error.
#[tokio::test]
async fn every_list_answers_all_that_its_type_promises() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let contract = seller.contract("2027-01-15").await;
    seller.subscribe(contract, "2027-01-15", json!({})).await;
    seller.recurring(contract).await;
    seller.one_time(contract, 1_000).await;
    let schema = browser.query(INTROSPECTION).await;
    let types = schema["__schema"]["types"].as_array().expect("types");
    let types: BTreeMap<String, Value> = types
        .iter()
        .map(|one| (one["name"].as_str().expect("a name").to_owned(), one.clone()))
        .collect();
    let mut asked = 0;
    for field in types["Query"]["fields"].as_array().expect("fields") {
        let needs = field["args"].as_array().expect("arguments").iter();
        let needed: Vec<&str> = needs
            .filter(|argument| argument["type"]["kind"] == "NON_NULL")
            .map(|argument| argument["name"].as_str().expect("a name"))
            .collect();
        let arguments = match needed[..] {
            [] => String::new(),
            ["contractId"] => format!("(contractId: {contract})"),
            _ => continue,
        };
        let name = field["name"].as_str().expect("a name");
        // What only another state has an answer to.
        if ["testClock", "taxRates"].contains(&name) {
            continue;
        }
        let mut of = &field["type"];
        while of["ofType"].is_object() {
            of = &of["ofType"];
        }
        let all = selection(&types, of["name"].as_str().expect("a type"), 4).expect("fields");
        browser.query(&format!("{{ {name}{arguments} {{ {all} }} }}")).await;
        asked += 1;
    }
    assert!(asked > 25, "{asked}");
    server.close().await;
}

#[tokio::test]
async fn the_playground_is_for_whoever_has_signed_in() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let stranger = server.anonymous.get("/dashboard/playground").await;
    assert_eq!(stranger.has_status(303).header("location"), Some("/dashboard"));
    let browser = server.owner_of(&seller).await;
    let page = browser.get("/dashboard/playground").await;
    let policy = page.has_status(200).header("content-security-policy").expect("a policy");
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    let script = page.text.split("src=\"").nth(1).and_then(|rest| rest.split('"').next());
    browser.get(script.expect("a script")).await.has_status(200);
    server.close().await;
}

#[tokio::test]
async fn an_account_that_is_not_active_reads_at_most() {
    let server = Server::with(&[("demo", "false")]).await;
    let body = json!({"name": "Byron Ltd", "email": "ada@example.com"});
    let made = server.operator.post("/sellers", &body).await.is(201);
    let text = |name: &str| made["dashboard"][name].as_str().expect("text").to_owned();
    let browser = server.sign_in(&text("email"), &text("password")).await;
    let rename = "mutation { updateSettings(input: {name: \"Lovelace\"}) { name } }";
    let renamed = browser.query(rename).await;
    assert_eq!(renamed["updateSettings"]["name"], "Lovelace");
    let path = format!("/sellers/{}", made["sellerAccountId"]);
    server.operator.patch(&path, &json!({"status": "pending"})).await.has_status(200);
    browser.query("{ account { name } }").await;
    let refused = browser.error(rename).await;
    let expected = ("seller account is not active".to_owned(), "FORBIDDEN".to_owned(), 403);
    assert_eq!(refused, expected);
    server.operator.patch(&path, &json!({"status": "inactive"})).await.has_status(200);
    let body = json!({"query": "{ account { name } }"});
    browser.post(PATH, &body).await.has_status(403);
    server.close().await;
}
