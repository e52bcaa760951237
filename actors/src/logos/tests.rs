//! Logos from a host of the test's own.

use std::sync::atomic::{AtomicU32, Ordering};

use ipnet::IpNet;
use storage::testing::TempStore;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use super::shelf::MOST_LOGOS;
use super::*;
use crate::delivery;
use crate::domain::payments::logo::{FAILED_SECONDS, ImageKind, KEPT_SECONDS};
use crate::domain::time::Timestamp;
use crate::tables::{LOGO_PARTS, LOGOS};
use storage::{Scan, Table};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\nrest";

/// A host that gives one answer to whatever is asked, and counts how often.
struct Host {
    url: WebhookUrl,
    asked: Arc<AtomicU32>,
    served: JoinHandle<()>,
}

impl Host {
    async fn answering(status: &'static str, body: Vec<u8>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let addr = listener.local_addr().expect("an address");
        let asked = Arc::new(AtomicU32::new(0));
        let count = Arc::clone(&asked);
        let served = tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                count.fetch_add(1, Ordering::SeqCst);
                let mut head = [0; 2048];
                let _ = stream.read(&mut head).await;
                let said = format!(
                    "HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(said.as_bytes()).await;
                let _ = stream.write_all(&body).await;
            }
        });
        let url = WebhookUrl::parse(&format!("http://{addr}/logo.png"), true).expect("a URL");
        Self { url, asked, served }
    }

    fn asked(&self) -> u32 {
        self.asked.load(Ordering::SeqCst)
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        self.served.abort();
    }
}

fn home() -> AddressGuard {
    let net: IpNet = "127.0.0.0/8".parse().expect("a network");
    AddressGuard::new(vec![net])
}

fn clock() -> Clock {
    Clock::by_hand(Timestamp::parse("2027-01-15T09:00:00Z").expect("an instant"))
}

#[tokio::test]
async fn a_logo_is_fetched_once_and_kept_for_a_day() {
    let (store, host) = (TempStore::new(), Host::answering("200 OK", PNG.to_vec()).await);
    let clock = clock();
    let logos = Logos::new(store.store().clone(), clock.clone(), home());
    let (one, two) = tokio::join!(
        logos.get(SellerId(1), Mode::Demo, &host.url),
        logos.get(SellerId(1), Mode::Demo, &host.url)
    );
    let image = one.expect("a logo");
    assert_eq!((image.kind, image.bytes.as_slice()), (ImageKind::Png, PNG));
    assert_eq!(two, Some(image.clone()));
    let again = Logos::new(store.store().clone(), clock.clone(), home());
    assert_eq!(again.get(SellerId(1), Mode::Demo, &host.url).await, Some(image));
    assert_eq!(host.asked(), 1);
    assert!(logos.inner.under_way.is_empty());
    clock.push(clock.now().plus_seconds(KEPT_SECONDS));
    assert!(again.get(SellerId(1), Mode::Demo, &host.url).await.is_some());
    assert_eq!(host.asked(), 2);
}

#[tokio::test]
async fn a_large_logo_is_kept_in_parts_and_a_larger_one_is_not_taken() {
    let store = TempStore::new();
    let logos = Logos::new(store.store().clone(), clock(), home());
    let mut large = PNG.to_vec();
    large.resize(MAX_LOGO_BYTES, 7);
    let host = Host::answering("200 OK", large.clone()).await;
    assert!(logos.get(SellerId(1), Mode::Demo, &host.url).await.is_some());
    let kept = logos.get(SellerId(1), Mode::Demo, &host.url).await.expect("kept");
    assert_eq!((kept.bytes, host.asked()), (large.clone(), 1));
    large.push(7);
    let host = Host::answering("200 OK", large).await;
    assert_eq!(logos.get(SellerId(1), Mode::Demo, &host.url).await, None);
}

#[tokio::test]
async fn what_is_no_picture_is_not_served_nor_asked_for_at_once_again() {
    let store = TempStore::new();
    let clock = clock();
    let logos = Logos::new(store.store().clone(), clock.clone(), home());
    for (status, body) in
        [("200 OK", &b"<html>"[..]), ("404 Not Found", PNG), ("302 Found", PNG), ("200 OK", b"")]
    {
        let host = Host::answering(status, body.to_vec()).await;
        assert_eq!(logos.get(SellerId(1), Mode::Demo, &host.url).await, None, "{status}");
        assert_eq!(logos.get(SellerId(1), Mode::Demo, &host.url).await, None, "{status}");
        assert_eq!(host.asked(), 1, "{status}");
        clock.push(clock.now().plus_seconds(FAILED_SECONDS));
        assert_eq!(logos.get(SellerId(1), Mode::Demo, &host.url).await, None, "{status}");
        assert_eq!(host.asked(), 2, "{status}");
    }
}

#[tokio::test]
async fn addresses_that_the_guard_closes_are_not_asked() {
    let store = TempStore::new();
    let host = Host::answering("200 OK", PNG.to_vec()).await;
    let logos = Logos::new(store.store().clone(), clock(), AddressGuard::default());
    assert_eq!(logos.get(SellerId(1), Mode::Demo, &host.url).await, None);
    assert_eq!(host.asked(), 0);
}

#[tokio::test]
async fn a_logo_whose_host_could_not_be_looked_up_is_asked_for_at_once_again() {
    let store = TempStore::new();
    let logos = Logos::new(store.store().clone(), clock(), home());
    let host = Host::answering("200 OK", PNG.to_vec()).await;
    let named = host.url.as_str().replace("127.0.0.1", "localhost");
    let named = WebhookUrl::parse(&named, true).expect("a URL");
    // All places of the seller are taken, as by names that nobody answers for.
    let held = delivery::all_unknown_of(SellerId(1)).await;
    let (one, two) = tokio::join!(
        logos.get(SellerId(1), Mode::Demo, &named),
        logos.get(SellerId(1), Mode::Demo, &named)
    );
    assert_eq!((one, two, host.asked()), (None, None, 0));
    assert_eq!(store.scan(LOGOS, Scan::all()).count(), 0, "nothing is known of it");
    drop(held);
    assert!(logos.get(SellerId(1), Mode::Demo, &named).await.is_some());
    assert!(logos.inner.under_way.is_empty());
}

#[tokio::test]
async fn who_comes_behind_one_that_found_no_place_tries_while_others_still_wait_for_that() {
    let (store, host) = (TempStore::new(), Host::answering("200 OK", PNG.to_vec()).await);
    let logos = Logos::new(store.store().clone(), clock(), home());
    let key = (SellerId(1), key_of(&host.url));
    let waiting = logos.inner.under_way.entry(key).or_default().clone();
    *waiting.lock().await = Some(Instant::now());
    assert!(logos.get(SellerId(1), Mode::Demo, &host.url).await.is_some());
    assert_eq!(host.asked(), 1);
}

#[tokio::test]
async fn a_seller_keeps_so_many_logos_and_what_is_over_is_deleted() {
    let (store, clock) = (TempStore::new(), clock());
    let logos = Logos::new(store.store().clone(), clock.clone(), home());
    let mut large = PNG.to_vec();
    large.resize(200_000, 7);
    let host = Host::answering("200 OK", large).await;
    let rows = || store.scan(LOGOS, Scan::all()).count();
    let parts = || store.scan(LOGO_PARTS, Scan::all()).count();
    let named = |nth: usize| {
        WebhookUrl::parse(&format!("{}?{nth}", host.url.as_str()), true).expect("a URL")
    };
    for nth in 0..MOST_LOGOS + 4 {
        clock.push(clock.now().plus_seconds(1));
        assert!(logos.get(SellerId(1), Mode::Demo, &named(nth)).await.is_some());
    }
    assert!(logos.get(SellerId(2), Mode::Demo, &named(0)).await.is_some());
    assert_eq!((rows(), parts()), (MOST_LOGOS + 1, (MOST_LOGOS + 1) * 4));
    let asked = host.asked();
    assert!(logos.get(SellerId(1), Mode::Demo, &named(MOST_LOGOS + 3)).await.is_some());
    assert_eq!(host.asked(), asked, "the newest is there");

    clock.push(clock.now().plus_seconds(KEPT_SECONDS));
    logos.clear().await.expect("cleared");
    assert_eq!((rows(), parts()), (0, 0));
}

#[tokio::test]
async fn a_logo_that_cannot_be_read_keeps_no_other_from_being_cleared() {
    let (store, clock) = (TempStore::new(), clock());
    let logos = Logos::new(store.store().clone(), clock.clone(), home());
    let host = Host::answering("200 OK", PNG.to_vec()).await;
    let raw: Table<(SellerId, LogoKey), Vec<u8>> = Table::new(LOGOS.tag(), LOGOS.name());
    let mut batch = Batch::new();
    for seller in [1, 3] {
        batch.put(raw, &(SellerId(seller), [0; 16]), &vec![0xFF, 0xFF]);
    }
    store.write(batch).await.expect("durable");
    assert!(logos.get(SellerId(2), Mode::Demo, &host.url).await.is_some());
    clock.push(clock.now().plus_seconds(KEPT_SECONDS));
    logos.clear().await.expect("cleared");
    let left: Vec<_> =
        store.scan(LOGOS, Scan::all()).keys().map(|key| key.expect("a key").0).collect();
    assert_eq!(left, [SellerId(1), SellerId(3)]);
}
