//! Documents, payments and splits in the hands of people.

use crate::support::{Server, fresh, fresh_uuid, json};

#[tokio::test]
async fn an_invoice_is_voided_and_another_written_off() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let contract = seller.contract("2027-01-15").await;
    let first = seller.one_time(contract, 1_000).await["id"].to_string();
    let second = seller.one_time(contract, 2_000).await["id"].to_string();
    let end = |mutation: &str, id: &str| {
        format!(
            "mutation {{ {mutation}(input: {{invoiceId: \"{id}\", reason: \"a mistake\"}}) {{
                id status outstandingMinor }} }}"
        )
    };
    let voided = browser.query(&end("voidInvoice", &first)).await["voidInvoice"].clone();
    assert_eq!(voided, json!({"id": first, "status": "voided", "outstandingMinor": 0}));
    let ended = browser.query(&end("writeOffInvoice", &second)).await["writeOffInvoice"].clone();
    assert_eq!(ended["status"], "written_off");
    let (_, code, status) = browser.error(&end("voidInvoice", &first)).await;
    assert_eq!((code.as_str(), status), ("UNPROCESSABLE", 422));
    let third = seller.one_time(contract, 3_000).await["id"].to_string();
    for (mutation, reason) in [
        ("voidInvoice", String::new()),
        ("voidInvoice", "  ".to_owned()),
        ("writeOffInvoice", "x".repeat(60_000)),
    ] {
        let long = end(mutation, &third).replace("a mistake", &reason);
        let (text, code, _) = browser.error(&long).await;
        assert!(text.contains("reason: must have 1 to 512 characters"), "{text}");
        assert_eq!(code, "BAD_REQUEST");
    }
    let (text, code, _) = browser.error(&end("voidInvoice", "9999")).await;
    assert_eq!((text.as_str(), code.as_str()), ("not found", "NOT_FOUND"));
    let other = server.owner_of(&server.seller().await).await;
    let (text, code, _) = other.error(&end("voidInvoice", &first)).await;
    assert_eq!((text.as_str(), code.as_str()), ("not found", "NOT_FOUND"));
    server.close().await;
}

#[tokio::test]
async fn a_credit_note_lowers_what_is_outstanding() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 1_000).await;
    let note = |amount: i64| {
        format!(
            "mutation {{ createCreditNote(input: {{corrects: {}, memo: \"sorry\", lines: [
                {{description: \"Back\", quantity: \"1\", unitPriceMinor: {amount}}}
            ]}}) {{ invoiceType grandTotalMinor corrects memo }} }}",
            invoice["invoiceNumber"]
        )
    };
    let made = browser.query(&note(400)).await["createCreditNote"].clone();
    let expected = json!({
        "invoiceType": "credit_note", "grandTotalMinor": -400, "memo": "sorry",
        "corrects": invoice["invoiceNumber"],
    });
    assert_eq!(made, expected);
    let id = invoice["id"].as_u64().expect("an id");
    assert_eq!(seller.invoice_now(id).await["outstandingMinor"], 600);
    let (_, code, _) = browser.error(&note(601)).await;
    assert_eq!(code, "UNPROCESSABLE");
    server.close().await;
}

#[tokio::test]
async fn a_payment_is_captured_and_refunded_in_minor_units() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let body = json!({
        "externalOrderRef": "order/1", "amount": 100, "currencyCode": "EUR", "skip3DS": true,
        "autoSettlement": false, "captureMode": "manual",
        "cardData": {"cardNumber": "4242424242424242", "cvv": "123", "expMonth": 12, "expYear": 2030},
        "billingDetails": {"country": "DE", "zip": "10115"},
    });
    seller.payments.create("/initialize-payment", &fresh_uuid(), &body).await.has_status(202);
    let act = |mutation: &str, more: &str| {
        format!(
            "mutation {{ {mutation}(input: {{paymentId: \"order/1\" {more}}}) {{
                status }} }}"
        )
    };
    let captured = browser.query(&act("capturePayment", ", amountMinor: 4005, final: true")).await;
    assert_eq!(captured["capturePayment"]["status"], "provider_completed");
    let payment = "{ payment(id: \"order/1\") { capturedAmount }
        genericPayment(id: \"order/1\") { capturedAmount } }";
    let shown = browser.query(payment).await;
    assert_eq!(shown["payment"]["capturedAmount"].to_string(), "40.05");
    assert_eq!(shown["genericPayment"], shown["payment"]);
    let refund = act("refundPayment", ", amountMinor: 1005, reason: \"late\"");
    browser.query(&refund).await;
    let (text, code, status) = browser.error(&act("cancelPayment", "")).await;
    assert_eq!((code.as_str(), status), ("CONFLICT", 409), "{text}");
    let (_, code, _) = browser.error(&act("refundPayment", ", amountMinor: 999999")).await;
    assert_eq!(code, "CONFLICT");
    server.close().await;
}

#[tokio::test]
async fn a_split_rule_is_put_in_force_by_who_has_seen_it() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let payee = seller.minted["payees"][0]["id"].to_string();
    let save = format!(
        "mutation {{ saveSplitRule(input: {{
            name: \"Half\", allocationMode: \"absolute\", amountBase: \"gross_payment\",
            lines: [{{payeeId: \"{payee}\", priority: 1, allocationType: \"percent_bps\",
                      allocationPercentBps: 5000}}]
        }}) {{ id version active }} }}"
    );
    let rule = browser.query(&save).await["saveSplitRule"].clone();
    assert_eq!((&rule["version"], &rule["active"]), (&json!(1), &json!(false)));
    let id = rule["id"].as_str().expect("an id").to_owned();
    let preview = format!(
        "{{ previewSplit(ruleId: \"{id}\") {{ activationReceipt
            outcome {{ grossAmountMinor shares {{ payeeId netAmountMinor }} }} }} }}"
    );
    let shown = browser.query(&preview).await["previewSplit"].clone();
    let shares = json!([{"payeeId": payee, "netAmountMinor": 5_000}]);
    assert_eq!(shown["outcome"]["shares"], shares);
    let of = preview.replace("\")", "\", amountMinor: 701)");
    let shown_of = browser.query(&of).await["previewSplit"]["outcome"].clone();
    let shares = json!([{"payeeId": payee, "netAmountMinor": 350}]);
    assert_eq!((&shown_of["grossAmountMinor"], &shown_of["shares"]), (&json!(701), &shares));
    let activate = |receipt: &str| {
        format!(
            "mutation {{ activateSplit(input: {{ruleId: \"{id}\", activationReceipt: {receipt}}}) {{
                active }} }}"
        )
    };
    let receipt = shown["activationReceipt"].to_string();
    let refused = async |browser: &crate::support::Browser, receipt: &str| {
        let (text, code, _) = browser.error(&activate(receipt)).await;
        assert!(text.contains("preview"), "{text}");
        assert_eq!(code, "CONFLICT");
    };
    refused(&browser, "\"nothing\"").await;
    // It belongs to the session.
    refused(&server.owner_of(&seller).await, &receipt).await;
    assert_eq!(browser.query(&activate(&receipt)).await["activateSplit"]["active"], true);
    refused(&browser, &receipt).await;
    let again = browser.query(&preview).await["previewSplit"]["activationReceipt"].to_string();
    server.pass_seconds(600);
    refused(&browser, &again).await;
    server.close().await;
}

#[tokio::test]
async fn a_draft_becomes_an_invoice_and_due_work_is_billed() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let body = json!({
        "sellerCustomerId": seller.customer(), "currency": "EUR", "startDate": "2027-01-15",
        "lineItems": [{
            "componentType": "project", "quantity": "1",
            "componentConfig": {"description": "Build", "amountMinor": 5000, "status": "pending"},
        }],
    });
    let made = seller.billing.create("/contracts", &fresh("contract"), &body).await.is(201);
    let contract = &made["id"];
    let draft = format!(
        "mutation {{ createDraftInvoice(input: {{contractId: \"{contract}\", origin: \"one_time\",
            lines: [{{description: \"Set-up\", quantity: \"1\", unitPriceMinor: 700}}]}}) {{
            id status invoiceNumber grandTotalMinor }} }}"
    );
    let draft = browser.query(&draft).await["createDraftInvoice"].clone();
    assert_eq!((&draft["status"], &draft["invoiceNumber"]), (&json!("draft"), &json!(null)));
    let listed = browser.query("{ drafts { nodes { id } } invoices { nodes { id } } }").await;
    assert_eq!(listed["drafts"]["nodes"], json!([{"id": draft["id"]}]));
    assert_eq!(listed["invoices"]["nodes"], json!([]));
    let issue = format!(
        "mutation {{ issueDraftInvoice(input: {{invoiceId: {}, send: false}}) {{
            status grandTotalMinor invoiceNumber }} }}",
        draft["id"]
    );
    let issued = browser.query(&issue).await["issueDraftInvoice"].clone();
    assert_eq!((&issued["status"], &issued["grandTotalMinor"]), (&json!("issued"), &json!(700)));
    assert_eq!(browser.query(&issue).await["issueDraftInvoice"], issued, "once, however often");
    let open = "{ drafts { nodes { id } } invoices { nodes { invoiceNumber } } }";
    let nodes = json!([{"invoiceNumber": issued["invoiceNumber"]}]);
    let open = browser.query(open).await;
    assert_eq!((&open["drafts"]["nodes"], &open["invoices"]["nodes"]), (&json!([]), &nodes));

    let run = format!(
        "mutation {{ runBilling(input: {{contractId: \"{contract}\"}}) {{
            origin grandTotalMinor }} }}"
    );
    assert_eq!(browser.query(&run).await["runBilling"], json!([]));
    let done = format!(
        "mutation {{ completeWorkItem(input: {{contractId: \"{contract}\",
            lineItemId: \"{}\"}}) {{ id version }} }}",
        made["lineItems"][0]["lineItemId"]
    );
    assert_eq!(browser.query(&done).await["completeWorkItem"]["version"], 2);
    let billed = json!([{"origin": "project", "grandTotalMinor": 5000}]);
    assert_eq!(browser.query(&run).await["runBilling"], billed);
    server.close().await;
}

#[tokio::test]
async fn a_billing_run_tells_beside_its_documents_what_it_could_not_bill() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let item = |kind: &str, amount: i64, status: &str| {
        json!({"componentType": kind, "quantity": "1", "componentConfig": {
            "description": kind, "amountMinor": amount, "status": status,
        }})
    };
    let body = json!({
        "sellerCustomerId": seller.customer(), "currency": "EUR", "startDate": "2027-01-15",
        "lineItems": [
            item("milestone", 700, "completed"),
            item("one_time", 1_000, ""),
            item("adjustment", -5_000, ""),
        ],
    });
    let made = seller.billing.create("/contracts", &fresh("contract"), &body).await.is(201);
    let path = format!("/contracts/{}/amendments", made["id"]);
    let body = json!({"expectedBaseVersion": 1, "status": "active"});
    seller.billing.create(&path, &fresh("amendment"), &body).await.is(200);
    let run = format!(
        "mutation {{ runBilling(input: {{contractId: \"{}\"}}) {{ origin }} }}",
        made["id"]
    );
    for billed in [json!([{"origin": "milestone"}]), json!([])] {
        let answer = browser.operation(&run, json!({})).await;
        assert_eq!(answer["data"]["runBilling"], billed);
        let errors = answer["errors"].as_array().expect("errors");
        assert_eq!((errors.len(), &errors[0]["path"]), (1, &json!(["runBilling"])));
        assert!(errors[0]["message"].to_string().contains("less than 0"), "{}", errors[0]);
        assert_eq!(errors[0]["extensions"]["origin"], "one_time");
    }
    server.close().await;
}
