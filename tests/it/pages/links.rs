//! Links and sessions: the same again after a restart, and not in the data folder.

use std::path::Path;

use crate::support::buyer::{GOOD, page_of};
use crate::support::{Server, fresh, fresh_uuid, json};

/// The files of a folder, and of those in it, that have `text` in them.
fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else {
            let bytes = std::fs::read(&path).expect("a file");
            if bytes.windows(text.len()).any(|part| part == text.as_bytes()) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

#[tokio::test]
async fn links_outlast_a_restart_and_are_not_on_disk_in_clear() {
    let mut server = Server::start().await;
    let seller = server.seller().await;
    let contract = seller.contract("2027-01-15").await;
    let invoice = seller.one_time(contract, 1234).await;
    let body = json!({
        "externalOrderRef": fresh("order"), "amount": 49.9, "currencyCode": "EUR",
        "returnUrls": {"success": "https://a.example/", "failure": "https://a.example/"},
    });
    let key = fresh_uuid();
    let session = seller.payments.create("/checkout", &key, &body).await.is(201);
    let pages = [page_of(&invoice), session["checkoutUrl"].as_str().expect("a page").to_owned()];
    let tokens = pages.each_ref().map(|page| token_of(page));
    assert_eq!(tokens[1], session["sessionId"]);
    for page in &pages {
        server.anonymous.open_page(page).await.has_status(200);
    }

    server.restart().await;
    let billing = server.billing().with_key(&seller.key);
    let payments = server.payments().with_key(&seller.key);
    let again = billing.get(&format!("/invoices/{}", invoice["id"])).await.is(200);
    let replay = payments.create("/checkout", &key, &body).await.is(200);
    let pages = [page_of(&again), replay["checkoutUrl"].as_str().expect("a page").to_owned()];
    assert_eq!(pages.each_ref().map(|page| token_of(page)), tokens);
    for page in &pages {
        server.anonymous.pay(page, GOOD).await.is(200);
    }
    for wrong in ["x", &tokens[0][1..], &format!("{}A", tokens[0]), &tokens[1]] {
        let page = format!("{}/pay/{wrong}", server.anonymous.origin);
        server.anonymous.open_page(&page).await.has_status(404);
    }
    let reference = body["externalOrderRef"].as_str().expect("a reference");
    assert!(!files_with(&server.data(), reference).is_empty(), "this is how a text is found");
    for token in tokens {
        assert_eq!(files_with(&server.data(), &token), Vec::<String>::new());
    }
    server.close().await;
}

fn token_of(page: &str) -> String {
    page.rsplit_once('/').expect("a token").1.to_owned()
}
