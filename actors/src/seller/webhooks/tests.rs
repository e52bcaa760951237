//! Webhooks in a running system.

use storage::testing::TempStore;

use crate::clock::Clock;
use crate::domain::ids::SellerId;
use crate::domain::platform::webhook::{Patch, Registration};
use crate::domain::time::Timestamp;
use crate::kernel::{KeyClaim, Once};
use crate::seller::WebhookAnswer;
use crate::system::{System, SystemSettings};

fn clock() -> Clock {
    Clock::by_hand(Timestamp::parse("2026-11-21T09:00:00Z").expect("an instant"))
}

async fn start(store: &TempStore, clock: &Clock, key: u8) -> System {
    let (clock, settings) = (clock.clone(), SystemSettings::testing());
    let started = System::start(store.store().clone(), clock, &[key; 32], settings).await;
    started.expect("started")
}

async fn sandbox(system: &System) -> SellerId {
    let client = std::net::Ipv4Addr::LOCALHOST.into();
    system.sellers.mint_sandbox(client).await.expect("minted").seller.id
}

async fn register(system: &System, seller: SellerId, key: &str) -> WebhookAnswer {
    let url = Some("https://hook.invalid/".to_owned());
    let registration = Registration { url, ..Registration::default() };
    let claim = KeyClaim::testing("webhooks", key);
    match system.sellers.register_webhook(seller, registration, claim).await {
        Ok(Once::Made(answer)) => answer,
        other => panic!("not registered: {other:?}"),
    }
}

async fn disable(system: &System, seller: SellerId, answer: &WebhookAnswer) {
    let off = Patch { status: Some(Some("disabled".to_owned())), ..Patch::default() };
    let off = system.sellers.patch_webhook(seller, answer.webhook.id, off).await;
    off.expect("disabled");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_whose_secret_is_lost_is_used_again_with_a_new_one() {
    let (mut store, clock) = (TempStore::new(), clock());
    let system = start(&store, &clock, 7).await;
    let seller = sandbox(&system).await;
    let first = register(&system, seller, "one").await;
    disable(&system, seller, &first).await;
    let back = register(&system, seller, "two").await;
    assert_eq!((back.webhook.id, &back.secret), (first.webhook.id, &first.secret));
    disable(&system, seller, &first).await;
    system.stop().await;
    store.reopen();

    let system = start(&store, &clock, 8).await;
    let given = register(&system, seller, "three").await;
    assert_eq!(given.webhook.id, first.webhook.id);
    assert!(given.secret.is_some() && given.secret != first.secret);
    disable(&system, seller, &given).await;
    assert_eq!(register(&system, seller, "four").await.secret, given.secret, "now it is known");
    system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_is_changed_when_its_secret_is() {
    let (store, clock) = (TempStore::new(), clock());
    let system = start(&store, &clock, 7).await;
    let seller = sandbox(&system).await;
    let first = register(&system, seller, "one").await;
    clock.push(clock.now().plus_seconds(5));
    let rotated = system.sellers.rotate_webhook_secret(seller, first.webhook.id).await;
    let rotated = rotated.expect("rotated");
    assert!(rotated.secret.is_some() && rotated.secret != first.secret);
    assert_eq!(rotated.webhook.updated_at, clock.now());
    assert_eq!(rotated.webhook.created_at, first.webhook.created_at);
    system.stop().await;
}
