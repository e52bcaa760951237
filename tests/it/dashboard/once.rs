//! Operations whose answer was lost, and which are sent again.

use hyper::Method;

use crate::support::{Browser, Server, Value, fresh_uuid, json};

const PATH: &str = "/dashboard/graphql";

/// The answer to a mutation under a key.
async fn send(browser: &Browser, key: &str, mutation: &str) -> Value {
    let body = json!({"query": format!("mutation {{ {mutation} }}")}).to_string();
    browser.send(Method::POST, PATH, &[("idempotency-key", key)], &body).await.is(200)
}

#[tokio::test]
async fn an_operation_that_is_sent_again_under_its_key_is_done_once() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 10_000).await;
    let body = json!({
        "externalOrderRef": "order-1", "amount": 100, "currencyCode": "EUR", "skip3DS": true,
        "cardData": {"cardNumber": "4242424242424242", "cvv": "123", "expMonth": 12, "expYear": 2030},
        "billingDetails": {"country": "DE", "zip": "10115"},
    });
    seller.payments.create("/initialize-payment", &fresh_uuid(), &body).await.has_status(202);
    let note = |alias: &str| {
        format!(
            "{alias}: createCreditNote(input: {{corrects: {}, lines: [
                {{description: \"Back\", quantity: \"1\", unitPriceMinor: 1000}}
            ]}}) {{ id }} ",
            invoice["invoiceNumber"]
        )
    };
    let top_up = format!(
        "topUpCredits(input: {{contractId: \"{contract}\", amountMinor: 5000, currency: \"EUR\",
            creditType: \"manual\", reason: \"sorry\"}}) {{ __typename }} "
    );
    let subscribe = format!(
        "createSubscription(input: {{contractId: \"{contract}\", frequency: \"monthly\",
            priceMinor: 9900, currency: \"EUR\", startDate: \"2027-01-15\"}}) {{ id }} "
    );
    let refund = "refundPayment(input: {paymentId: \"order-1\", amountMinor: 3000}) { status }";
    let all =
        [note("first"), note("second"), top_up.clone(), subscribe, refund.to_owned()].concat();
    let made = send(&browser, "form-1", &all).await;
    assert_eq!(made.get("errors"), None, "{made}");
    let again = send(&browser, "form-1", &all).await;
    assert_eq!(again.get("errors"), None, "{again}");
    for made_once in ["first", "second", "createSubscription"] {
        assert_eq!(again["data"][made_once], made["data"][made_once]);
    }
    assert_ne!(made["data"]["first"]["id"], made["data"]["second"]["id"], "each field is its own");

    let id = invoice["id"].as_u64().expect("an id");
    assert_eq!(seller.invoice_now(id).await["outstandingMinor"], 8_000);
    let credits = seller.billing.get(&format!("/contracts/{contract}/credits")).await.is(200);
    assert_eq!(credits["balances"][0]["balanceMinor"], 5_000);
    let payment = seller.payments.get("/payments/order-1").await.is(200);
    assert_eq!(payment["refunds"].as_array().map(Vec::len), Some(1));
    let log = browser.query("{ auditEntries(first: 50) { nodes { action } } }").await;
    let log = log["auditEntries"]["nodes"].as_array().expect("entries").clone();
    let noted = |action: &str| log.iter().filter(|entry| entry["action"] == action).count();
    assert_eq!((noted("createCreditNote"), noted("topUpCredits")), (2, 1));

    // Another content under the key is refused, and goes through under a key of its own.
    let other = top_up.replace("5000", "700");
    let refused = send(&browser, "form-1", &other).await;
    assert!(refused["errors"][0]["message"].to_string().contains("amountMinor"), "{refused}");
    assert_eq!(send(&browser, "form-2", &other).await.get("errors"), None);
    // Without a key each operation is another one.
    browser.query(&format!("mutation {{ {other} }}")).await;
    let credits = seller.billing.get(&format!("/contracts/{contract}/credits")).await.is(200);
    assert_eq!(credits["balances"][0]["balanceMinor"], 6_400);
    server.close().await;
}

#[tokio::test]
async fn a_key_of_one_account_is_nothing_to_another() {
    let server = Server::start().await;
    let mut made = Vec::new();
    for _ in 0..2 {
        let seller = server.seller().await;
        let browser = server.owner_of(&seller).await;
        let customer = seller.customer();
        let create = format!(
            "createContract(input: {{sellerCustomerId: \"{customer}\", currency: \"EUR\",
                startDate: \"2027-01-15\"}}) {{ id }}"
        );
        let answer = send(&browser, "form-1", &create).await;
        made.push(answer["data"]["createContract"]["id"].as_str().expect("an id").to_owned());
        let key = [("idempotency-key", "a b")];
        let body = json!({"query": "{ me { role } }"}).to_string();
        let refused = browser.send(Method::POST, PATH, &key, &body).await;
        refused.refuses(400, "Idempotency-Key must be 1 to 128 characters");
    }
    assert_ne!(made[0], made[1]);
    server.close().await;
}

#[tokio::test]
async fn a_link_that_is_made_again_under_its_key_is_made_and_mailed_once() {
    let server = Server::start().await;
    let browser = server.owner_of(&server.seller().await).await;
    let make = "createPaymentLink(input: {title: \"A poster\", amountMinor: 2500,
            currency: \"EUR\", singleUse: true, recipientEmail: \"ada@example.com\"}) { id url }
        createLinkSubscription(input: {title: \"A club\", amountMinor: 2500, currency: \"EUR\",
            frequency: \"monthly\", recipientEmail: \"ada@example.com\"}) { id url }";
    let made = send(&browser, "form-1", make).await;
    assert_eq!(made.get("errors"), None, "{made}");
    assert_eq!(send(&browser, "form-1", make).await, made);
    let listed = "{ paymentLinks { nodes { id } } linkSubscriptions { nodes { id } } }";
    let listed = browser.query(listed).await;
    for (list, one) in
        [("paymentLinks", "createPaymentLink"), ("linkSubscriptions", "createLinkSubscription")]
    {
        assert_eq!(listed[list]["nodes"], json!([{"id": made["data"][one]["id"]}]));
    }
    let dearer = make.replace("2500", "2600");
    let refused = send(&browser, "form-1", &dearer).await;
    assert_eq!(refused["errors"].as_array().map(Vec::len), Some(2), "{refused}");
    assert_eq!(refused["errors"][0]["extensions"]["code"], "CONFLICT");
    server.close().await;
}

#[tokio::test]
async fn what_people_make_is_made_once_and_its_secrets_are_shown_once() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let contract = seller.contract("2027-01-15").await;
    let payee = seller.minted["payees"][0]["id"].to_string();
    let make = format!(
        "createApiKey(input: {{name: \"Reports\", scopes: [\"billing:read\"]}}) {{
            secret apiKey {{ id name }} }}
        createUsageEndpoint(input: {{description: \"The data centre\"}}) {{ secret id url }}
        createDraftInvoice(input: {{contractId: \"{contract}\", origin: \"one_time\", lines: [
            {{description: \"Set-up\", quantity: \"1\", unitPriceMinor: 700}}]}}) {{
            id grandTotalMinor }}
        saveTerminal(input: {{name: \"Cards\", rail: \"card\", methods: [\"card\"],
            currencies: [\"EUR\"], mode: \"demo\", connector: \"simulator\"}}) {{ id name }}
        saveSplitRule(input: {{
            name: \"Half\", allocationMode: \"absolute\", amountBase: \"gross_payment\",
            lines: [{{payeeId: \"{payee}\", priority: 1, allocationType: \"percent_bps\",
                      allocationPercentBps: 5000}}]
        }}) {{ id version }}
        createPromoCode(input: {{code: \"ONCE\", percentBps: 100}}) {{ id code }}"
    );
    let lists =
        "{ apiKeys { nodes { id } } webhookEndpoints { nodes { id } } drafts { nodes { id } }
        terminals { nodes { id } } splitRules { nodes { id } } promoCodes { nodes { id } } }";
    let mut made = send(&browser, "form-1", &make).await;
    assert_eq!(made.get("errors"), None, "{made}");
    let listed = browser.query(lists).await;
    let again = send(&browser, "form-1", &make).await;
    for drawn in ["createApiKey", "createUsageEndpoint"] {
        assert!(made["data"][drawn]["secret"].is_string(), "{made}");
        made["data"][drawn]["secret"] = Value::Null;
    }
    assert_eq!(again, made);
    assert_eq!(browser.query(lists).await, listed);

    let others = [
        ("Reports", "Report"),
        ("The data centre", "A data centre"),
        ("Minor: 700", "Minor: 800"),
        ("Cards", "Card"),
        ("Half", "A half"),
        ("ONCE", "TWICE"),
    ];
    let other = others.iter().fold(make, |make, (one, other)| make.replace(one, other));
    let refused = send(&browser, "form-1", &other).await;
    let errors = refused["errors"].as_array().expect("errors");
    assert!(errors.iter().all(|error| error["extensions"]["code"] == "CONFLICT"), "{refused}");
    assert_eq!(errors.len(), others.len());
    assert_eq!(browser.query(lists).await, listed);
    server.close().await;
}

#[tokio::test]
async fn what_has_gone_on_since_is_answered_as_it_is_and_what_is_gone_is_not_made_again() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let contract = seller.contract("2027-01-15").await;
    let lists = "{ apiKeys { nodes { id } } drafts { nodes { id } } }";
    let before = browser.query(lists).await;
    let make = format!(
        "createApiKey(input: {{name: \"Reports\", scopes: [\"billing:read\"]}}) {{
            apiKey {{ id }} }}
        createDraftInvoice(input: {{contractId: \"{contract}\", origin: \"one_time\", lines: [
            {{description: \"Set-up\", quantity: \"1\", unitPriceMinor: 700}}]}}) {{
            id grandTotalMinor lines {{ description }} }}"
    );
    let made = send(&browser, "form-1", &make).await["data"].clone();
    let mut draft = made["createDraftInvoice"].clone();
    assert_eq!(draft["lines"], json!([{"description": "Set-up"}]));
    let goes_on = format!(
        "mutation {{ revokeApiKey(input: {{id: {}}}) {{ id }}
            issueDraftInvoice(input: {{invoiceId: {}, send: false}}) {{ id }} }}",
        made["createApiKey"]["apiKey"]["id"], draft["id"]
    );
    browser.query(&goes_on).await;

    let again = send(&browser, "form-1", &make).await;
    let errors = again["errors"].as_array().expect("errors");
    assert_eq!(errors.len(), 1, "{again}");
    assert_eq!(errors[0]["extensions"]["code"], "NOT_FOUND", "the key was revoked");
    draft["lines"] = Value::Null;
    assert_eq!(again["data"]["createDraftInvoice"], draft);
    assert_eq!(browser.query(lists).await, before);
    let invoices = browser.query("{ invoices { nodes { grandTotalMinor } } }").await;
    assert_eq!(invoices["invoices"]["nodes"], json!([{"grandTotalMinor": 700}]));
    server.close().await;
}
