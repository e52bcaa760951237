//! Stored credit that tops itself up with the saved card.

use crate::support::buyer::{GOOD, page_of};
use crate::support::response::id;
use crate::support::{Server, json, until};

const PASS: &str = "/passes/credit.auto_topup/run";
/// Pays when it is saved; later it is declined.
const DECLINED_LATER: &str = "4000000000000341";

#[tokio::test]
async fn it_is_off_until_it_is_set_and_says_what_is_wrong() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let path = format!("/contracts/{contract}/credits/auto-topup");
    let off = seller.billing.get(&path).await.is(200);
    assert_eq!(off, json!({"enabled": false, "currency": "EUR"}));
    let whole = json!({
        "enabled": true, "thresholdMinor": 500, "amountMinor": 2_000, "priceMinor": 1_800,
    });
    for (field, value, text) in [
        ("enabled", json!(null), "enabled is required"),
        ("priceMinor", json!(null), "priceMinor is required"),
        ("thresholdMinor", json!(0), "thresholdMinor must be between 1 and 10^12"),
        ("amountMinor", json!(499), "amountMinor must be at least thresholdMinor"),
    ] {
        let mut body = whole.clone();
        body[field] = value;
        seller.billing.put(&path, &body).await.refuses_saying(400, text);
    }
    seller
        .billing
        .put(&path, &json!({"enabled": true}))
        .await
        .refuses_saying(400, "thresholdMinor is required");
    assert_eq!(seller.billing.get(&path).await.is(200), off);
    let set = seller.billing.put(&path, &whole).await.is(200);
    assert_eq!((&set["enabled"], &set["priceMinor"]), (&json!(true), &json!(1_800)));
    let kept = seller.billing.put(&path, &json!({"enabled": false})).await.is(200);
    assert_eq!((&kept["enabled"], &kept["thresholdMinor"]), (&json!(false), &json!(500)));
    server.switch("billing.credits", false).await;
    seller.billing.get(&path).await.has_status(501);
    seller.billing.put(&path, &whole).await.has_status(501);
    server.close().await;
}

#[tokio::test]
async fn a_pack_that_is_bought_goes_to_its_buyer_as_an_invoice_that_is_paid() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let first = seller.one_time(contract, 1_234).await;
    let saves = json!({"cardNumber": GOOD, "saveCard": true});
    server.anonymous.pay_with(&page_of(&first), saves).await.is(200);
    let path = format!("/contracts/{contract}/credits");
    let terms = json!({
        "enabled": true, "thresholdMinor": 500, "amountMinor": 2_000, "priceMinor": 1_800,
    });
    seller.billing.put(&format!("{path}/auto-topup"), &terms).await.is(200);
    until("the pack to be credit", async || {
        server.operator.post(PASS, &json!({})).await.is(200);
        let credit = seller.billing.get(&path).await.is(200);
        (credit["balances"][0]["balanceMinor"] == 2_000).then_some(())
    })
    .await;
    server.operator.post(PASS, &json!({})).await.is(200);
    let list = format!("/invoices?contractId={contract}&limit=1");
    let pack = seller.billing.get(&list).await.is(200)["invoices"][0].clone();
    let mails = server.operator.get(&format!("/mails?sellerAccountId={}", seller.id)).await;
    let mails = mails.is(200)["mails"].as_array().expect("mails").clone();
    let about: Vec<_> = mails.iter().filter(|mail| mail["invoiceId"] == pack["id"]).collect();
    let [mail] = about[..] else { panic!("one mail about the pack, not {about:?}") };
    assert_eq!((&mail["kind"], &mail["to"]), (&json!("paid_invoice"), &pack["billTo"]["email"]));
    let number = pack["invoiceNumber"].as_str().expect("a number");
    assert_eq!(mail["attachments"][0]["name"], format!("{number}.pdf"));
    for part in ["text", "html"] {
        let words = mail[part].as_str().expect("words").replace('\u{a0}', " ");
        for told in [number, "€18.00", "Amount paid", "there is nothing to pay"] {
            assert!(words.contains(told), "{told} is not in {words}");
        }
        assert!(!words.contains("/pay/") && !words.contains("Due"), "{words}");
    }
    server.close().await;
}

#[tokio::test]
async fn a_card_that_is_declined_switches_it_off_and_voids_the_invoice() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let first = seller.one_time(contract, 1_234).await;
    let saves = json!({"cardNumber": DECLINED_LATER, "saveCard": true});
    server.anonymous.pay_with(&page_of(&first), saves).await.is(200);
    let path = format!("/contracts/{contract}/credits/auto-topup");
    let terms = json!({
        "enabled": true, "thresholdMinor": 500, "amountMinor": 2_000, "priceMinor": 1_800,
    });
    seller.billing.put(&path, &terms).await.is(200);
    until("the top-up to be switched off", async || {
        server.operator.post(PASS, &json!({})).await.is(200);
        (seller.billing.get(&path).await.is(200)["enabled"] == false).then_some(())
    })
    .await;
    let list = format!("/invoices?contractId={contract}&limit=1");
    let pack = seller.billing.get(&list).await.is(200)["invoices"][0].clone();
    assert_eq!((&pack["origin"], &pack["status"]), (&json!("adhoc"), &json!("voided")));
    let events = seller.billing.get("/events?eventType=CreditAutoTopUpFailed").await.is(200);
    let payload = &events["events"][0]["payload"];
    assert_eq!(payload["invoiceId"], id(&pack));
    assert_eq!((&payload["amountMinor"], &payload["reason"]), (&json!(2_000), &json!("2001")));
    server.close().await;
}
