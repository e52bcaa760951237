//! `/payees/{payeeId}/payout-methods`.

use actors::tables::SECRETS_KEY;
use sha2::{Digest, Sha256};

use crate::support::make::with;
use crate::support::response::{id, ids};
use crate::support::{Response, Seller, Server, Value, fresh_uuid, json};

async fn post(seller: &Seller, payee: u64, body: &Value) -> Response {
    let path = format!("/payees/{payee}/payout-methods");
    seller.payments.create(&path, &fresh_uuid(), body).await
}

fn british() -> Value {
    json!({
        "currency": "GBP", "bankAccountType": "uk_local", "bankCountry": "GB",
        "accountNumber": "12345678", "sortCode": "20-00-00", "accountName": "Ada",
    })
}

fn american() -> Value {
    json!({
        "currency": "USD", "type": "bank_account", "bankAccountType": "us_local",
        "bankCountry": "US", "accountNumber": "000123456789", "routingNumber": "021000021",
    })
}

fn abroad() -> Value {
    json!({
        "currency": "USD", "bankAccountType": "swift", "bankCountry": "SG", "bankName": "DBS",
        "accountNumber": "88123456", "swift": "DBSSSGSG",
    })
}

#[tokio::test]
async fn every_kind_of_account_is_taken_and_masked() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let payee = seller.payee(0);
    let euro = json!({"currency": "EUR", "iban": "no93 8601 1117 947"});
    let table = [
        (
            euro,
            json!({
                "currency": "EUR", "bankAccountType": "iban", "bankCountry": "NO", "iban": "****7947",
            }),
        ),
        (
            british(),
            json!({
                "currency": "GBP", "bankAccountType": "uk_local", "bankCountry": "GB",
                "accountNumber": "****5678", "sortCode": "200000", "accountName": "Ada",
            }),
        ),
        (
            american(),
            json!({
                "currency": "USD", "bankAccountType": "us_local", "bankCountry": "US",
                "accountNumber": "****6789", "routingNumber": "021000021",
            }),
        ),
        (
            abroad(),
            json!({
                "currency": "USD", "bankAccountType": "swift", "bankCountry": "SG", "bankName": "DBS",
                "accountNumber": "****3456", "bic": "DBSSSGSG",
            }),
        ),
    ];
    let mut made = vec![seller.method(payee).await];
    for (body, expected) in table {
        let method = post(&seller, payee, &body).await.is(201);
        let whole = with(
            &expected,
            json!({
                "id": method["id"], "payeeId": payee, "type": "bank_account", "status": "active",
                "createdAt": "2027-01-15T09:00:00Z",
            }),
        );
        assert_eq!(method, whole);
        made.push(id(&method));
    }
    made.reverse();
    let path = format!("/payees/{payee}/payout-methods");
    assert_eq!(ids(&seller.payments.get(&path).await.is(200), "payoutMethods"), made);
    let page = seller.payments.get(&format!("{path}?limit=2")).await.is(200);
    assert_eq!((ids(&page, "payoutMethods"), &page["hasMore"]), (made[..2].to_vec(), &json!(true)));
    server.close().await;
}

#[tokio::test]
async fn a_wrong_field_is_named() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let payee = seller.payee(0);
    let euro = json!({"currency": "EUR", "iban": "DE89370400440532013000"});
    for (body, text) in [
        (json!({}), "currency is required"),
        (with(&euro, json!({"currency": "DKK"})), "currency must be EUR, GBP or USD"),
        (
            with(&euro, json!({"currency": "USD"})),
            "currency USD cannot be paid to bankAccountType iban",
        ),
        (with(&euro, json!({"type": "card"})), "type must be bank_account"),
        (with(&euro, json!({"iban": "DE89370400440532013009"})), "iban must be a valid IBAN"),
        (with(&euro, json!({"bankCountry": "FR"})), "bankCountry must be DE"),
        (with(&british(), json!({"sortCode": "20"})), "sortCode must have 6 digits"),
        (with(&british(), json!({"accountNumber": "1"})), "accountNumber must have 8 digits"),
        (
            with(&american(), json!({"routingNumber": "021000022"})),
            "routingNumber must be a valid ABA routing number",
        ),
        (with(&american(), json!({"bankCountry": null})), "bankCountry is required"),
        (with(&abroad(), json!({"swift": "NOPE"})), "swift must be a valid BIC"),
        (with(&abroad(), json!({"bic": "NOPE"})), "bic must be a valid BIC"),
    ] {
        post(&seller, payee, &body).await.refuses_saying(400, text);
    }
    let malformed = with(&british(), json!({"accountNumber": 12_345_678}));
    post(&seller, payee, &malformed).await.refuses_saying(400, "invalid request body");
    post(&seller, 999_999_999, &euro).await.has_status(404);
    server.close().await;
}

#[tokio::test]
async fn a_replay_is_compared_with_its_payee() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let key = fresh_uuid();
    let post = async |payee: u64, body: &Value| {
        seller.payments.create(&format!("/payees/{payee}/payout-methods"), &key, body).await
    };
    let made = post(seller.payee(0), &british()).await.is(201);
    let again = post(seller.payee(0), &british()).await;
    assert!(again.is_replay());
    assert_eq!(again.is(200), made);
    let other = post(seller.payee(1), &british()).await;
    other.refuses_saying(409, "Idempotency-Key reused with a different payeeId");
    let other = post(seller.payee(0), &with(&british(), json!({"accountName": "B"}))).await;
    other.refuses_saying(409, "Idempotency-Key reused with a different accountName");
    let path = format!("/payees/{}/payout-methods/{}", seller.payee(0), id(&made));
    seller.payments.delete(&path).await.is(200);
    post(seller.payee(0), &british()).await.has_status(404);
    server.close().await;
}

/// What any row has of a number's SHA-256, as idempotency keys were once kept with: as bytes, and as
/// a list of numbers.
fn digests_of(number: &str) -> [Vec<u8>; 2] {
    let length = (number.len() as u64).to_be_bytes();
    let digest = Sha256::new().chain_update("s").chain_update(length).chain_update(number);
    let begin = digest.finalize()[..12].to_vec();
    let list = storage::cbor_encode(&begin)[1..].to_vec();
    [begin, list]
}

#[tokio::test]
async fn no_row_gives_the_number_of_an_account_or_of_a_tax_away_by_its_digest() {
    let server = Server::start().await;
    let seller = server.seller().await;
    post(&seller, seller.payee(0), &british()).await.is(201);
    let iban = json!({"currency": "EUR", "iban": "DE89370400440532013000"});
    post(&seller, seller.payee(0), &iban).await.is(201);
    let taxed = json!({"displayName": "Ada", "role": "contractor", "taxId": "123456789"});
    seller.payments.create("/payees", &fresh_uuid(), &taxed).await.is(201);
    let rows: Vec<_> = server.app().store.export().map(|row| row.expect("readable").row).collect();
    for number in ["12345678", "DE89370400440532013000", "123456789"] {
        for digest in digests_of(number) {
            let told =
                rows.iter().filter(|row| row.windows(digest.len()).any(|part| part == digest));
            assert_eq!(told.count(), 0, "{number}");
        }
    }
    server.close().await;
}

#[tokio::test]
async fn a_replay_is_one_also_after_the_servers_key_was_lost() {
    let mut server = Server::start().await;
    let seller = server.seller().await;
    let key = fresh_uuid();
    let path = |seller: &Seller, nth| format!("/payees/{}/payout-methods", seller.payee(nth));
    let made = seller.payments.create(&path(&seller, 0), &key, &british()).await.is(201);
    let lost = server.app().store.get(SECRETS_KEY, &0).expect("readable").expect("a fingerprint").0;
    server.set("secrets.lost", &lost);
    server.set("secrets.key", "CAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAg=");
    server.restart().await;

    let seller = server.again(&seller);
    let post =
        async |nth, body: &Value| seller.payments.create(&path(&seller, nth), &key, body).await;
    let again = post(0, &british()).await;
    assert!(again.is_replay());
    assert_eq!(again.is(200), made);
    let other = post(1, &british()).await;
    other.refuses_saying(409, "Idempotency-Key reused with a different payeeId");
    let more = post(0, &with(&british(), json!({"bic": "DBSSSGSG"}))).await;
    more.refuses_saying(409, "Idempotency-Key reused with a different bic");
    server.close().await;
}

#[tokio::test]
async fn a_method_with_money_on_its_way_stays() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let payee = seller.payee(0);
    let method = seller.method(payee).await;
    let path = format!("/payees/{payee}/payout-methods/{method}");
    let foreign = format!("/payees/{}/payout-methods/{method}", seller.payee(1));
    seller.payments.delete(&foreign).await.has_status(404);
    server.fund(&seller, payee, 1, 100).await;
    let held = seller.payments.delete(&path).await;
    held.refuses_saying(409, "payout method belongs to a balance that is not zero");
    let payout = id(&seller.payout(json!({})).await);
    let open = seller.payments.delete(&path).await;
    open.refuses_saying(409, "payout method has an open payout");
    server.operator.post(&format!("/payouts/{payout}/complete"), &json!({})).await.is(200);
    assert_eq!(seller.payments.delete(&path).await.is(200), json!({"deleted": true}));
    seller.payments.delete(&path).await.has_status(404);
    let list = seller.payments.get(&format!("/payees/{payee}/payout-methods")).await.is(200);
    assert_eq!(list["payoutMethods"], json!([]));
    assert_eq!(seller.payout_now(payout).await["destination"]["iban"], "****3000");
    server.close().await;
}
