//! Buyers pay a link with a promo code while the program is killed: what links and codes count is
//! what was paid.

use std::time::Duration;

use futures::future::join_all;

use super::moment;
use crate::support::binary::Binary;
use crate::support::buyer::{DECLINED, GOOD, card};
use crate::support::links::url_of;
use crate::support::make::with;
use crate::support::wait::until_within;
use crate::support::{Api, Browser, Value, json};

const ROUNDS: usize = 6;
/// Buyers of a round.
const TOGETHER: usize = 10;
const MOST: u64 = 25;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn links_and_codes_count_what_was_paid_however_often_it_is_killed() {
    let folder = tempfile::Builder::new().prefix("accrue-crash-").tempdir().expect("a folder");
    let mut server = Binary::start(folder.path());
    let minted =
        server.anonymous.under("/billing-api/v1").post("/sandbox/accounts", &json!({})).await;
    let minted = minted.is(201);
    let key = minted["apiKey"].as_str().expect("a key").to_owned();
    let login = json!({
        "email": minted["dashboard"]["email"], "password": minted["dashboard"]["password"],
    });
    let signed_in = server.anonymous.post("/api/v1/login/dashboard", &login).await;
    let browser = Browser::of(&server.anonymous, signed_in.has_status(200));
    let link = browser.payment_link(json!({"singleUse": false})).await;
    let code = browser.promo_code("CRASH", json!({"maxRedemptions": MOST})).await;
    let token = url_of(&link).rsplit_once('/').expect("a token").1.to_owned();
    for _ in 0..ROUNDS {
        let buyers = (0..TOGETHER)
            .map(|n| buy(&server.anonymous, &token, if n % 3 == 0 { DECLINED } else { GOOD }));
        let death = tokio::time::sleep(moment() / 4);
        tokio::select! {
            _ = join_all(buyers) => {}
            () = death => {}
        }
        server.kill();
        server = Binary::start(folder.path());
    }
    let browser = Browser { api: server.anonymous.clone(), ..browser };
    let payments = server.anonymous.under("/payments-api/v1").with_key(&key);
    // A call that was under way at a kill is asked about again after a minute.
    let minutes = Duration::from_secs(150);
    until_within(minutes, "all that was paid to be counted", async || {
        let paid = paid(&payments).await?;
        let link = browser.payment_link_now(&link).await;
        let code = browser.promo_code_now(&code).await;
        let redeemed = code["redemptions"].as_u64().expect("a count");
        assert!(redeemed <= MOST, "{code}");
        (link["usageCount"] == json!(paid) && redeemed == paid).then_some(())
    })
    .await;
    server.kill_for_good();
    folder.close().expect("removed");
}

/// How many payments were made; `None` while one is under way.
async fn paid(payments: &Api) -> Option<u64> {
    let all = payments.all("/payments", "payments").await;
    let status = |payment: &Value| payment["status"].as_str().expect("a status").to_owned();
    if all.iter().any(|payment| status(payment) == "provider_pending") {
        return None;
    }
    let paid =
        |payment: &&Value| ["provider_completed", "settled"].contains(&status(payment).as_str());
    Some(all.iter().filter(paid).count() as u64)
}

/// A buyer who may be cut off at any moment, or come too late for the code.
async fn buy(open: &Api, token: &str, number: &str) {
    let page = format!("{}/pay/{token}", open.origin);
    let form = with(&card(number), json!({"promoCode": "crash"})).to_string();
    let _ = open.try_send(hyper::Method::POST, &page, &[], &form).await;
}
