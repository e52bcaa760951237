//! The schema of GraphQL: its text, and whether what it says of values is so.

use async_graphql::parser::parse_schema;

use crate::support::{Server, fresh_uuid, json};

const SDL: &str = "/dashboard/schema.graphql";

#[tokio::test]
async fn the_text_of_the_schema_is_one_that_a_parser_reads() {
    let server = Server::start().await;
    let browser = server.owner_of(&server.seller().await).await;
    let schema = browser.get(SDL).await;
    let text = &schema.has_status(200).text;
    let parsed = parse_schema(text).expect("a text in the language of schemas");
    assert!(parsed.definitions.len() > 100, "{}", parsed.definitions.len());
    for part in ["type Query {", "type Mutation {", "voidInvoice(input: VoidInvoiceInput!)"] {
        assert!(text.contains(part), "{part}");
    }
    server.anonymous.get(SDL).await.has_status(401);
    server.close().await;
}

#[tokio::test]
async fn arguments_are_taken_as_they_are_and_speak_of_no_encoding() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let browser = server.owner_of(&seller).await;
    let schema = browser.get(SDL).await;
    for word in ["percent-encoded", "%2B"] {
        assert!(!schema.has_status(200).text.contains(word), "{word}");
    }
    let body = json!({
        "externalOrderRef": "a/b c%", "amount": 25, "currencyCode": "EUR", "countryCode": "BE",
        "returnUrls": {"success": "http://localhost/a", "failure": "http://localhost/b"},
    });
    seller.payments.create("/checkout", &fresh_uuid(), &body).await.is(201);
    let payment = "{ payment(id: \"a/b c%\") { paymentId } }";
    assert_eq!(browser.query(payment).await["payment"]["paymentId"], "a/b c%");
    seller.billing.post("/customers", &json!({"email": "a+b@example.com"})).await.is(200);
    let customers =
        |email: &str| format!("{{ customers(email: \"{email}\") {{ nodes {{ email }} }} }}");
    let found = browser.query(&customers("a+b@example.com")).await;
    assert_eq!(found["customers"]["nodes"], json!([{"email": "a+b@example.com"}]));
    let (text, ..) = browser.error(&customers("a b")).await;
    assert_eq!(text, "email must be an e-mail address");
    server.close().await;
}

#[tokio::test]
async fn what_is_a_text_or_an_object_is_taken_and_answered_as_either() {
    let server = Server::start().await;
    let browser = server.owner_of(&server.seller().await).await;
    let addresses =
        [("{city: \"London\"}", json!({"city": "London"})), ("\"London\"", "London".into())];
    for (taken, answered) in addresses {
        let create = format!(
            "mutation {{ createPayee(input: {{displayName: \"Ada\", role: \"contractor\",
                businessAddress: {taken}}}) {{ businessAddress }} }}"
        );
        assert_eq!(browser.query(&create).await["createPayee"]["businessAddress"], answered);
    }
    let members = "{ __type(name: \"Payee\") { fields { name type { name } } } }";
    let members = browser.query(members).await["__type"]["fields"].clone();
    let member = json!({"name": "businessAddress", "type": {"name": "JSON"}});
    assert!(members.as_array().expect("fields").contains(&member), "{members}");
    server.close().await;
}
