use super::url::UrlRefusal;
use super::*;
use crate::domain::platform::address::{AddressGuard, AddressRefusal};

const NOW: i64 = 1_000_000;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_micros(NOW).plus_seconds(seconds)
}

fn guard() -> AddressGuard {
    AddressGuard::new(vec!["127.0.0.0/8".parse().unwrap()])
}

fn sealed() -> Sealed {
    crate::secrets::SecretBox::new(&[1; 32]).seal(
        Place::WebhookSecret(SellerId(1), WebhookId(5)),
        b"whsec_x",
        [2; 24],
    )
}

fn fresh() -> Fresh {
    Fresh { id: WebhookId(5), secret: sealed() }
}

fn registration(url: &str) -> Registration {
    Registration { url: Some(url.to_owned()), ..Registration::default() }
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|&name| name.to_owned()).collect()
}

fn ask(others: &[Webhook], command: Registration) -> Result<Registered, WebhookRefusal> {
    let rules = UrlRules { demo: true, guard: &guard(), allowlist: &[], most: 2 };
    register(SellerId(1), others, command, &rules, fresh, at(0))
}

fn change(webhook: &Webhook, command: Patch) -> Result<Option<Webhook>, WebhookRefusal> {
    let rules = UrlRules { demo: true, guard: &guard(), allowlist: &[], most: 2 };
    patch(webhook, [webhook], command, &rules, at(9))
}

fn webhook() -> Webhook {
    match ask(&[], registration("https://example.com/hook")) {
        Ok(Registered::Created(webhook)) => webhook,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_new_url_is_active_and_gets_everything_but_opt_in_families() {
    let made = webhook();
    assert_eq!((made.id, made.status), (WebhookId(5), WebhookStatus::Active));
    assert!(made.subscribes_to(EventType::InvoicePaid));
    assert!(!made.subscribes_to(EventType::MarketplaceVendorBlocked));
}

#[test]
fn an_active_url_stays_as_it_is() {
    let known = webhook();
    let again = Registration {
        event_types: Some(names(&["InvoicePaid"])),
        ..registration("https://example.com/hook")
    };
    assert_eq!(ask(&[known], again), Ok(Registered::Unchanged(WebhookId(5))));
}

#[test]
fn an_url_in_another_spelling_is_the_same_webhook() {
    let known = webhook();
    for spelling in ["https://EXAMPLE.com/hook", "https://example.com:443/hook#part"] {
        let again = ask(std::slice::from_ref(&known), registration(spelling));
        assert_eq!(again, Ok(Registered::Unchanged(known.id)), "{spelling}");
    }
}

#[test]
fn an_account_has_no_more_webhooks_than_its_bound() {
    let others = [("https://example.com/a", 1), ("https://example.com/b", 2)].map(|(url, id)| {
        let url = WebhookUrl::parse(url, true).unwrap();
        Webhook { id: WebhookId(id), url, ..webhook() }
    });
    assert!(ask(&others[..1], registration("https://example.com/c")).is_ok());
    let refused = ask(&others, registration("https://example.com/c")).unwrap_err();
    assert_eq!(refused.to_string(), "at most 2 webhooks can be registered");
    let again = ask(&others, registration("https://example.com/b"));
    assert_eq!(again, Ok(Registered::Unchanged(WebhookId(2))));
}

#[test]
fn a_disabled_url_comes_back_with_its_secret_and_the_types_sent() {
    let known = Webhook { status: WebhookStatus::Disabled, ..webhook() };
    let again = Registration {
        event_types: Some(names(&["InvoicePaid"])),
        ..registration("https://example.com/hook")
    };
    let Ok(Registered::Reactivated(back)) = ask(std::slice::from_ref(&known), again) else {
        panic!("reactivated")
    };
    assert_eq!((back.id, back.status), (known.id, WebhookStatus::Active));
    assert_eq!(back.secret, known.secret);
    assert_eq!(back.event_types.names().collect::<Vec<_>>(), ["InvoicePaid"]);

    let Ok(Registered::Reactivated(kept)) =
        ask(std::slice::from_ref(&back_disabled(&back)), registration("https://example.com/hook"))
    else {
        panic!("reactivated")
    };
    assert_eq!(kept.event_types, back.event_types);
}

fn back_disabled(webhook: &Webhook) -> Webhook {
    Webhook { status: WebhookStatus::Disabled, ..webhook.clone() }
}

#[test]
fn wrong_registrations_are_refused_by_name() {
    let unknown = Registration {
        event_types: Some(names(&["InvoicePaid", "invoicePaid"])),
        ..registration("https://example.com/")
    };
    let status =
        Registration { status: Some("on".to_owned()), ..registration("https://example.com/") };
    let table = [
        (Registration::default(), "webhookUrl is required"),
        (registration("example.com"), "webhookUrl must be an absolute URL"),
        (
            unknown,
            "eventTypes has an unknown event type: invoicePaid (WebhookEventType in /openapi.json has all)",
        ),
        (status, "status must be active or disabled"),
        (
            registration("https://10.0.0.1/"),
            "webhookUrl cannot be used: the address is not a public one",
        ),
        (
            registration("https://[::ffff:169.254.169.254]/"),
            "webhookUrl cannot be used: the address is not a public one",
        ),
    ];
    for (command, text) in table {
        assert_eq!(ask(&[], command).unwrap_err().to_string(), text);
    }
    assert!(ask(&[], registration("http://127.0.0.1:9000/hook")).is_ok());
}

#[test]
fn live_accounts_need_https_and_the_allowlist_narrows_literal_addresses() {
    let nets = ["203.0.113.0/24".parse().unwrap()];
    let rules = UrlRules { demo: false, guard: &guard(), allowlist: &nets, most: 2 };
    let try_url = |url: &str| register(SellerId(1), [], registration(url), &rules, fresh, at(0));
    assert!(try_url("https://203.0.113.9/").is_ok());
    assert!(try_url("https://example.com/").is_ok());
    assert_eq!(try_url("http://203.0.113.9/"), Err(UrlRefusal::NotHttps.into()));
    assert_eq!(try_url("https://1.1.1.1/"), Err(AddressRefusal::NotAllowed.into()));
}

#[test]
fn a_webhook_from_demo_mode_is_used_again_in_live_mode_by_https_alone() {
    let url = WebhookUrl::parse("http://example.com/hook", true).unwrap();
    let known = Webhook { url, status: WebhookStatus::Disabled, ..webhook() };
    let on = || Patch { status: Some(Some("active".to_owned())), ..Patch::default() };
    assert!(change(&known, on()).unwrap().is_some());
    let rules = UrlRules { demo: false, guard: &guard(), allowlist: &[], most: 2 };
    let live = |command| patch(&known, [&known], command, &rules, at(9));
    assert_eq!(live(on()), Err(UrlRefusal::NotHttps.into()));
    let url = Some(Some("https://example.com/hook".to_owned()));
    assert!(live(Patch { url, ..on() }).unwrap().is_some());
}

#[test]
fn a_patch_replaces_what_it_names() {
    let known =
        Webhook { event_types: EventFilter::parse(&names(&["InvoicePaid"])).unwrap(), ..webhook() };
    assert_eq!(change(&known, Patch::default()), Ok(None));

    let reset = Patch { event_types: Some(Some(Vec::new())), ..Patch::default() };
    let next = change(&known, reset).unwrap().unwrap();
    assert_eq!((next.event_types.names().count(), next.updated_at), (0, at(9)));

    let ordered = Patch { ordered: Some(Some(true)), ..Patch::default() };
    assert!(change(&known, ordered).unwrap().unwrap().ordered && !known.ordered);

    let off = Patch { status: Some(Some("disabled".to_owned())), ..Patch::default() };
    let next = change(&known, off).unwrap().unwrap();
    assert_eq!(next.status, WebhookStatus::Disabled);
    assert!(!next.subscribes_to(EventType::InvoicePaid));
}

#[test]
fn null_and_a_taken_url_are_refused_in_a_patch() {
    let known = webhook();
    for (command, field) in [
        (Patch { url: Some(None), ..Patch::default() }, "webhookUrl"),
        (Patch { event_types: Some(None), ..Patch::default() }, "eventTypes"),
        (Patch { status: Some(None), ..Patch::default() }, "status"),
        (Patch { ordered: Some(None), ..Patch::default() }, "ordered"),
    ] {
        assert_eq!(change(&known, command), Err(WebhookRefusal::Null(field)));
    }
    let other = Webhook {
        id: WebhookId(6),
        url: WebhookUrl::parse("https://example.com/b", true).unwrap(),
        ..known.clone()
    };
    let command = Patch { url: Some(Some("https://example.com/b".to_owned())), ..Patch::default() };
    let rules = UrlRules { demo: true, guard: &guard(), allowlist: &[], most: 2 };
    let refused = patch(&known, [&known, &other], command, &rules, at(9));
    assert_eq!(refused, Err(WebhookRefusal::UrlTaken));
}

#[test]
fn a_webhook_gets_what_its_list_names() {
    use EventType::{
        InvoiceIssued, InvoicePaid, MarketplaceVendorActivated, MarketplaceVendorBlocked,
    };
    let vendors: &[&str] = &["MarketplaceVendorActivated"];
    let table = [
        (&[] as &[&str], InvoicePaid, true),
        (&[], MarketplaceVendorActivated, false),
        (&["InvoicePaid"], InvoicePaid, true),
        (&["InvoicePaid"], InvoiceIssued, false),
        (vendors, MarketplaceVendorActivated, true),
        (vendors, MarketplaceVendorBlocked, false),
        (vendors, InvoicePaid, false),
    ];
    for (list, kind, heard) in table {
        let filter = EventFilter::parse(&names(list)).unwrap();
        assert_eq!(filter.matches(kind), heard, "{list:?} {kind:?}");
    }
}

#[test]
fn signatures_are_those_computed_elsewhere() {
    use super::signature::{SignatureRefusal, sign, verify};
    // Computed with Python's hmac module.
    let expected = "sha256=c5570963820ece10fe902e2b0373765c1ccb6307fc2758c71655d9d4b50e4b73";
    let key = b"whsec_paWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaWlpaU";
    let body = br#"{"eventId":7,"eventType":"InvoicePaid"}"#;
    let sent = 1_795_230_000;
    assert_eq!(sign(key, sent, body), expected);

    let now = Timestamp::from_micros(0).plus_seconds(sent);
    let time = sent.to_string();
    assert_eq!(verify(key, &time, expected, body, now.plus_seconds(300)), Ok(()));
    let refused = verify(key, &time, expected, body, now.plus_seconds(301));
    assert_eq!(refused, Err(SignatureRefusal::Stale));
    let refused = verify(b"whsec_other", &time, expected, body, now);
    assert_eq!(refused, Err(SignatureRefusal::Mismatch));
    assert_eq!(verify(key, "soon", expected, body, now), Err(SignatureRefusal::Stale));
}

#[test]
fn the_row_and_the_debug_text_do_not_show_the_secret() {
    let known = webhook();
    let row = storage::Record::encode(&known);
    assert_eq!(<Webhook as storage::Record>::decode(1, &row).unwrap(), known);
    assert!(!row.windows(6).any(|part| part == b"whsec_"));
    assert!(!format!("{known:?}").contains("whsec_"));
}
