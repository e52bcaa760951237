//! How many records an operation costs the engine, which is paid by the record.

use futures::future::join_all;

use crate::support::orders::{order, reference};
use crate::support::{Server, json, until};

/// Records that the engine has written, with all that is durable handed over to it.
fn written(server: &Server) -> u64 {
    let store = &server.app().store;
    store.hand_over();
    store.stats().engine_records
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_amendment_costs_three_records_at_most() {
    const AMENDMENTS: u64 = 30;
    let server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let mut records = 0;
    for version in 1..=AMENDMENTS {
        let before = written(&server);
        let body = json!({"expectedBaseVersion": version, "customerName": format!("v{version}")});
        seller.billing.post(&format!("/contracts/{contract}/amendments"), &body).await.is(200);
        // The number of the last group is not the amendment's.
        records += written(&server) - before - 1;
    }
    assert!(records <= 3 * AMENDMENTS, "{records} records for {AMENDMENTS} amendments");
    server.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_card_payment_with_two_wallets_costs_fifteen_records_at_most() {
    const PAYMENTS: u64 = 20;
    let server = Server::start().await;
    let seller = server.seller().await;
    let before = written(&server);
    let (first, second) = (seller.payee(0), seller.payee(1));
    let payments = (0..PAYMENTS).map(async |_| {
        let shared = json!({"orderData": {"totalAmount": 12.50, "payeeDistribution": [
            {"payeeId": first, "amount": 4.25}, {"payeeId": second, "amount": 0.5},
        ]}});
        let payment = seller.initiate(&order(shared)).await.is(202);
        server.settle(&seller, reference(&payment)).await;
    });
    join_all(payments).await;
    until("every share", async || {
        let wallet = seller.wallet_now(seller.wallet(1)).await;
        (wallet["availableBalanceMinor"] == 50 * PAYMENTS).then_some(())
    })
    .await;
    let records = written(&server) - before;
    assert!(records <= 15 * PAYMENTS, "{records} records for {PAYMENTS} payments");
    server.close().await;
}
