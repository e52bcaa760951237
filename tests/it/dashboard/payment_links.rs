//! Payment links and promo codes in the hands of people.

use crate::support::{Server, json};

#[tokio::test]
async fn links_are_made_listed_changed_and_cancelled() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let first = browser.payment_link(json!({"recipientEmail": "ada@example.com"})).await;
    assert_eq!((&first["status"], &first["usageCount"]), (&json!("active"), &json!(0)));
    assert_eq!(first["recipientEmail"], "ada@example.com");
    let second = browser.payment_link(json!({"title": "Two posters", "singleUse": false})).await;
    assert_ne!(first["url"], second["url"]);
    let listed = browser.query("{ paymentLinks { nodes { id } pageInfo { hasNextPage } } }").await;
    let expected = json!([{"id": second["id"]}, {"id": first["id"]}]);
    assert_eq!(listed["paymentLinks"]["nodes"], expected);

    let update = |id: &serde_json::Value, more: &str| {
        format!(
            "mutation {{ updatePaymentLink(input: {{paymentLinkId: {id}, {more}}}) {{
                title amountMinor recipientEmail }} }}"
        )
    };
    let changed = browser.query(&update(&first["id"], "title: \"A print\"")).await;
    let expected =
        json!({"title": "A print", "amountMinor": 2_500, "recipientEmail": "ada@example.com"});
    assert_eq!(changed["updatePaymentLink"], expected);
    for (more, word) in [
        ("title: \"\"", "title"),
        ("amountMinor: 0", "amountMinor"),
        ("currency: \"EURO\"", "currency"),
        ("currency: \"CHF\"", "EUR, USD, GBP, DKK, NOK, SEK"),
        ("expiresAt: \"tomorrow\"", "expiresAt"),
        ("expiresAt: \"2020-01-01T00:00:00Z\"", "expiresAt"),
        ("recipientEmail: \"ada\"", "recipientEmail"),
    ] {
        let (text, code, _) = browser.error(&update(&first["id"], more)).await;
        assert!(text.contains(word) && code == "BAD_REQUEST", "{more}: {text}");
    }
    let cancel = |id: &serde_json::Value| {
        format!("mutation {{ cancelPaymentLink(input: {{paymentLinkId: {id}}}) {{ status }} }}")
    };
    browser.query(&cancel(&first["id"])).await;
    let (_, code, _) = browser.error(&update(&first["id"], "title: \"B\"")).await;
    assert_eq!(code, "CONFLICT");
    let cancelled = browser.query("{ paymentLinks(status: \"cancelled\") { nodes { id } } }").await;
    assert_eq!(cancelled["paymentLinks"]["nodes"], json!([{"id": first["id"]}]));
    let (text, ..) = browser.error("{ paymentLinks(status: \"gone\") { nodes { id } } }").await;
    assert!(text.contains("status must be"), "{text}");

    let other = server.owner_of(&server.seller().await).await;
    for operation in [
        format!("{{ paymentLink(id: {}) {{ id }} }}", second["id"]),
        update(&second["id"], "title: \"Mine\""),
        cancel(&second["id"]),
    ] {
        assert_eq!(other.error(&operation).await.0, "not found", "{operation}");
    }
    let listed = other.query("{ paymentLinks { nodes { id } } }").await;
    assert_eq!(listed["paymentLinks"]["nodes"], json!([]));
    server.close().await;
}

#[tokio::test]
async fn codes_are_made_of_one_kind_and_each_once() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let other = server.owner_of(&server.seller().await).await;
    let foreign = other.payment_link(json!({})).await;
    let made = browser.promo_code("Summer", json!({"maxRedemptions": 2})).await;
    assert_eq!((&made["status"], &made["redemptions"]), (&json!("active"), &json!(0)));
    assert_eq!(made["paymentLinkIds"], json!([]));
    let create =
        |body: &str| format!("mutation {{ createPromoCode(input: {{ {body} }}) {{ id }} }}");
    for (body, word, kind) in [
        ("code: \"SUMMER\", percentBps: 100".to_owned(), "already used", "CONFLICT"),
        ("code: \"a\", percentBps: 100".to_owned(), "code", "BAD_REQUEST"),
        ("code: \"abc\"".to_owned(), "exactly one", "BAD_REQUEST"),
        ("code: \"abc\", percentBps: 10000".to_owned(), "percentBps", "BAD_REQUEST"),
        ("code: \"abc\", amountOffMinor: 5".to_owned(), "currency", "BAD_REQUEST"),
        (
            "code: \"abc\", amountOffMinor: 5, currency: \"CHF\"".to_owned(),
            "EUR, USD",
            "BAD_REQUEST",
        ),
        ("code: \"abc\", percentBps: 1, maxRedemptions: 0".to_owned(), "maxRed", "BAD_REQUEST"),
        ("code: \"abc\", percentBps: 1, expiresAt: \"x\"".to_owned(), "expiresAt", "BAD_REQUEST"),
        (
            format!("code: \"abc\", percentBps: 1, paymentLinkIds: [{}]", foreign["id"]),
            "paymentLinkIds",
            "BAD_REQUEST",
        ),
    ] {
        let (text, code, _) = browser.error(&create(&body)).await;
        assert!(text.contains(word) && code == kind, "{body}: {text} {code}");
    }
    let listed = browser.query("{ promoCodes { nodes { code } } }").await;
    assert_eq!(listed["promoCodes"]["nodes"], json!([{"code": "Summer"}]));
    browser.promo_code("Short", json!({"expiresAt": "2027-01-15T09:01:00Z"})).await;
    server.pass_seconds(60);
    for (status, codes) in [
        ("active", json!([{"code": "Summer"}])),
        ("expired", json!([{"code": "Short"}])),
        ("used_up", json!([])),
    ] {
        let listed = format!("{{ promoCodes(status: \"{status}\") {{ nodes {{ code }} }} }}");
        assert_eq!(browser.query(&listed).await["promoCodes"]["nodes"], codes, "{status}");
    }
    let (text, ..) = browser.error("{ promoCodes(status: \"gone\") { nodes { code } } }").await;
    assert!(text.contains("status must be"), "{text}");
    let read = format!("{{ promoCode(id: {}) {{ id }} }}", made["id"]);
    assert_eq!(other.error(&read).await.0, "not found");
    server.close().await;
}
