//! The page that the dashboard's modules fill, and the modules.

use hyper::Method;

use crate::support::Server;

const FORM: [(&str, &str); 2] =
    [("content-type", "application/x-www-form-urlencoded"), ("accept", "text/html")];

#[tokio::test]
async fn every_address_of_a_page_is_answered_with_the_dashboard_to_whoever_has_signed_in() {
    let server = Server::start().await;
    let seller = server.seller().await;
    for path in ["/dashboard", "/dashboard/invoices", "/dashboard/payments/order%2F1"] {
        let page = server.anonymous.get(path).await;
        assert!(page.has_status(200).text.contains("Sign in"), "{path}");
        let wanted = format!("name=\"to\" value=\"{path}\"");
        assert!(page.text.contains(&wanted), "{path} is not kept: {}", page.text);
        assert_eq!(page.header("referrer-policy"), Some("same-origin"));
        let policy = page.header("content-security-policy").expect("a policy");
        assert!(!policy.contains("unsafe"), "{policy}");
    }
    let led = server.anonymous.get("/dashboard/").await;
    assert_eq!(led.has_status(303).header("location"), Some("/dashboard"));
    let browser = server.owner_of(&seller).await;
    for path in ["/dashboard", "/dashboard/invoices", "/dashboard/payments/order%2F1"] {
        let page = browser.get(path).await;
        let shell = "<script type=\"module\"";
        assert!(page.has_status(200).text.contains(shell), "{path}");
        assert_eq!(page.text.matches("<script").count(), 1, "no script stands in the page");
    }
    for path in ["/dashboard/nothing", "/dashboard/own/me", "/dashboard/app"] {
        browser.get(path).await.has_status(404);
    }
    server.close().await;
}

#[tokio::test]
async fn a_login_leads_to_the_page_that_was_asked_for() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let text = |name: &str| seller.minted["dashboard"][name].as_str().expect("text").to_owned();
    let login = "/api/v1/login/dashboard";
    for (to, led) in [
        ("%2Fdashboard%2Finvoices%2F7%3Ftab%3Dsettlement", "/dashboard/invoices/7?tab=settlement"),
        ("https%3A%2F%2Fevil.example", "/dashboard"),
        ("%2F%2Fevil.example", "/dashboard"),
    ] {
        let body = format!("email={}&password={}&to={to}", text("email"), text("password"));
        let answer = server.anonymous.send(Method::POST, login, &FORM, &body).await;
        assert_eq!(answer.has_status(303).header("location"), Some(led));
    }
    let wrong = format!("email={}&password=wrong&to=%2Fdashboard%2Fkeys", text("email"));
    let refused = server.anonymous.send(Method::POST, login, &FORM, &wrong).await;
    assert!(refused.has_status(401).text.contains("value=\"/dashboard/keys\""));
    server.close().await;
}

#[tokio::test]
async fn modules_are_kept_for_ever_and_belong_to_one_build() {
    let server = Server::start().await;
    let browser = server.owner_of(&server.seller().await).await;
    let page = browser.get("/dashboard").await.text;
    let named = |text: &str| text.split('"').next().expect("a path").to_owned();
    let modules: Vec<String> =
        page.split("href=\"").skip(1).map(named).filter(|path| path.contains("/app/")).collect();
    assert!(modules.len() > 10, "{modules:?}");
    for path in &modules {
        let plain = server.anonymous.get(path).await;
        let caching = plain.has_status(200).header("cache-control").expect("caching");
        assert!(caching.contains("immutable"), "{caching}");
        assert_eq!(plain.header("vary"), Some("accept-encoding"));
        assert_eq!(plain.header("content-encoding"), None);
        let gzip = [("accept-encoding", "gzip, br")];
        let packed = server.anonymous.send(Method::GET, path, &gzip, "").await;
        assert_eq!(packed.has_status(200).header("content-encoding"), Some("gzip"));
        assert!(packed.bytes.len() < plain.bytes.len(), "{path}");
    }
    let (folder, file) = modules[0].rsplit_once('/').expect("a folder");
    server.anonymous.get(&format!("{folder}0/{file}")).await.has_status(404);
    server.anonymous.get(&format!("{folder}/pages/none.js")).await.has_status(404);
    server.close().await;
}

#[tokio::test]
async fn prices_taxes_and_forecasts_are_worked_out_by_whoever_may_look() {
    let server = Server::start().await;
    let seller = server.seller().await;
    let owner = server.owner_of(&seller).await;
    let price = "{ evaluatePrice(config: {scheme: \"per_unit\", currency: \"EUR\", \
                 rounding: \"half_up\", unitPrice: \"0.02\"}, quantities: [\"250\"]) \
                 { results { amountMinor } } }";
    let found = owner.query(price).await;
    assert_eq!(found["evaluatePrice"]["results"][0]["amountMinor"], 500);
    let tax = "{ evaluateTax(sellerCountry: \"DE\", customerCountry: \"DE\", amountMinor: 10000) \
               { taxMinor taxRate } }";
    assert_eq!(owner.query(tax).await["evaluateTax"]["taxMinor"], 1_900);
    let (text, ..) =
        owner.error("{ simulate(contractId: \"9\", to: \"2027-06-01\") { to } }").await;
    assert_eq!(text, "not found");
    let entries = "{ auditEntries(first: 50) { nodes { action } } }";
    let noted = owner.query(entries).await["auditEntries"]["nodes"].clone();
    let actions: Vec<&str> = noted
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|entry| entry["action"].as_str())
        .collect();
    assert!(!actions.contains(&"evaluatePrice"), "what only reads is in no log: {actions:?}");
    server.close().await;
}

#[tokio::test]
async fn who_signs_in_is_told_what_they_may_do() {
    let server = Server::start().await;
    let owner = server.owner_of(&server.seller().await).await;
    let may = owner.query("{ me { may } }").await["me"]["may"].clone();
    let may: Vec<&str> =
        may.as_array().expect("a list").iter().filter_map(|one| one.as_str()).collect();
    assert!(may.contains(&"voidInvoice") && may.contains(&"auditEntries"), "{may:?}");
    assert!(!may.contains(&"invoices"), "everybody may read invoices: {may:?}");
    server.close().await;
}
