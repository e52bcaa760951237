//! The moves of a payout as a table, the order of its checks, and what events tell of it.

use storage::Record;

use super::*;
use crate::domain::payments::bank::BankAccount;
use crate::domain::payments::book::{ShareNews, share_moved};
use crate::domain::payments::payee::{Payee, Verification};
use crate::domain::payments::payout_method::{MethodStatus, PayoutMethod};
use crate::domain::payments::share::ShareMove;
use crate::domain::payments::wallet::{Wallet, WalletType};
use crate::domain::platform::event::EventType;
use crate::domain::platform::webhook::url::WebhookUrl;
use crate::domain::refusal::{Refusal, RefusalKind};
use crate::secrets::{Place, SecretBox};

const SELLER: SellerId = SellerId(1);

fn now() -> Timestamp {
    Timestamp::parse("2026-11-21T10:00:00Z").expect("an instant")
}

fn payee() -> Payee {
    Payee::approved(PayeeId(2), SELLER, "Harbour Couriers", now())
}

/// A wallet with 1,000 available.
fn wallet() -> Wallet {
    let mut wallet = Wallet::empty(WalletId(3), SELLER, Some(PayeeId(2)), Currency::EUR);
    let mut share = None;
    for what in [ShareMove::Credited, ShareMove::Settled] {
        let payment = crate::domain::ids::PaymentId(9);
        let news =
            ShareNews { what, payment, reference: "order-9", amount_minor: 1_000, at: now() };
        let change = share_moved(&wallet, share.as_ref(), &news).expect("room");
        share = Some(change.share);
        wallet = change.movement.expect("moved").wallet;
    }
    wallet
}

fn account(currency: &str) -> BankAccount {
    let currency = Currency::parse(currency).expect("a currency");
    let account = BankAccount::of_iban(currency, "DE89370400440532013000").expect("sound");
    BankAccount { account_name: Some("Harbour Couriers".to_owned()), ..account }
}

fn method() -> PayoutMethod {
    let secrets = SecretBox::new(&[5; 32]);
    let place = Place::AccountNumber(SELLER, PayoutMethodId(4));
    let seal = |plain: &str| secrets.seal(place, plain.as_bytes(), [6; 24]);
    PayoutMethod {
        id: PayoutMethodId(4),
        seller: SELLER,
        payee: PayeeId(2),
        currency: Currency::EUR,
        status: MethodStatus::Active,
        destination: account("EUR").destination(seal),
        created_at: now(),
    }
}

fn order(amount_minor: i64) -> PayoutOrder {
    PayoutOrder {
        payee: PayeeId(2),
        wallet: WalletId(3),
        method: PayoutMethodId(4),
        amount_minor,
        currency: Currency::EUR,
        call_back: None,
    }
}

fn new(needs_approval: bool) -> NewPayout {
    NewPayout {
        id: PayoutId(7),
        seller: SELLER,
        mode: Mode::Demo,
        needs_approval,
        payout_seconds: 5,
        key: "key".to_owned(),
        call_back: None,
    }
}

fn made(amount: i64, needs_approval: bool) -> (Payout, Wallet) {
    let (payee, wallet, method) = (payee(), wallet(), method());
    let funds =
        Funds { payee: Some(&payee), wallet: Some(&wallet), method: Some(&method), open: 0 };
    let change = create(&order(amount), &funds, new(needs_approval), now()).expect("made");
    (change.payout, change.movement.expect("reserved").wallet)
}

fn balances(wallet: &Wallet) -> (i64, i64) {
    (wallet.available_minor, wallet.reserved_minor)
}

#[test]
fn a_payout_reserves_its_money_and_keeps_its_destination() {
    let (payout, wallet) = made(400, false);
    assert_eq!(
        (payout.status, payout.approval),
        (PayoutStatus::Processing, ApprovalStatus::NotRequired)
    );
    assert_eq!(payout.completes_at, Some(now().plus_seconds(5)));
    assert_eq!(balances(&wallet), (600, 400));
    assert_eq!(payout.destination, method().destination, "the snapshot has its own sealed number");
    let (waiting, wallet) = made(1_000, true);
    assert_eq!(
        (waiting.status, waiting.approval, waiting.completes_at),
        (PayoutStatus::Pending, ApprovalStatus::AwaitingApproval, None)
    );
    assert_eq!(balances(&wallet), (0, 1_000));
}

#[test]
fn checks_come_in_order() {
    let (payee, full, method) = (payee(), wallet(), method());
    let other = Payee { verification: Verification::Pending, ..payee.clone() };
    let archived = Payee { archived_at: Some(now()), ..payee.clone() };
    let live = Wallet { mode: Some(Mode::Live), ..full.clone() };
    let pounds = PayoutMethod { currency: Currency::parse("GBP").expect("GBP"), ..method.clone() };
    let deleted = method.clone().deleted();
    let funds = Funds { payee: Some(&payee), wallet: Some(&full), method: Some(&method), open: 0 };
    let euros = order(1_001);
    let pound_order = PayoutOrder { currency: pounds.currency, ..euros.clone() };
    let table = [
        (&euros, Funds { wallet: None, method: None, ..funds }, "walletId not found"),
        (&euros, Funds { method: None, ..funds }, "payoutMethodId not found"),
        (&euros, Funds { method: Some(&deleted), ..funds }, "payoutMethodId not found"),
        (&pound_order, funds, "currencyCode must be EUR, the currency of the wallet"),
        (
            &euros,
            Funds { method: Some(&pounds), payee: Some(&archived), ..funds },
            "payoutMethodId must be of a payout method for EUR",
        ),
        (&euros, Funds { payee: Some(&archived), ..funds }, "payee is archived"),
        (&euros, Funds { wallet: Some(&live), ..funds }, "wallet is of demo mode"),
        (&euros, Funds { payee: Some(&other), ..funds }, "payee is not approved"),
        (&euros, Funds { open: MAX_OPEN, ..funds }, "insufficient balance"),
        (&order(1_000), Funds { open: MAX_OPEN, ..funds }, "a payee has at most 1000 open payouts"),
    ];
    for (order, funds, text) in table {
        let refusal = create(order, &funds, new(false), now()).expect_err(text);
        assert_eq!(Refusal::from(refusal).text, text);
    }
    let own = Wallet { payee: None, wallet_type: WalletType::Main, ..full.clone() };
    let funds = Funds { payee: None, wallet: Some(&own), ..funds };
    let made = create(&order(1_000), &funds, new(false), now()).expect("nobody verifies a seller");
    assert_eq!(made.payout.payee, None);
    let missing = Refusal::from(PayoutRefusal::MethodMissing).kind;
    let poor = Refusal::from(PayoutRefusal::InsufficientBalance).kind;
    assert_eq!((missing, poor), (RefusalKind::Missing, RefusalKind::Conflict));
}

#[test]
fn every_state_takes_or_refuses_every_action() {
    use PayoutStatus::{Cancelled, Completed, Failed, Pending, Processing};
    let actions = [
        Action::Approve,
        Action::Reject,
        Action::Complete { provider_reference: Some("bank-1".to_owned()) },
        Action::Fail { failure_code: Some("AC04".to_owned()) },
    ];
    // Approved and then, at the end of a path of actions, each action and what comes of it: the
    // status after it, nothing new, or a refusal.
    type Outcome = Result<Option<PayoutStatus>, &'static str>;
    const NOT_AWAITING: &str = "payout is not awaiting approval";
    let table: [(bool, &[usize], [Outcome; 4]); 6] = [
        (
            true,
            &[],
            [
                Ok(Some(Processing)),
                Ok(Some(Cancelled)),
                Err("invalid status transition from pending to complete"),
                Err("invalid status transition from pending to fail"),
            ],
        ),
        (true, &[0], [Ok(None), Err(NOT_AWAITING), Ok(Some(Completed)), Ok(Some(Failed))]),
        (
            true,
            &[1],
            [
                Err(NOT_AWAITING),
                Ok(None),
                Err("invalid status transition from cancelled to complete"),
                Err("invalid status transition from cancelled to fail"),
            ],
        ),
        (false, &[], [Err(NOT_AWAITING), Err(NOT_AWAITING), Ok(Some(Completed)), Ok(Some(Failed))]),
        (false, &[2], [Err(NOT_AWAITING), Err(NOT_AWAITING), Ok(None), Ok(Some(Failed))]),
        (
            false,
            &[3],
            [
                Err(NOT_AWAITING),
                Err(NOT_AWAITING),
                Err("invalid status transition from failed to complete"),
                Ok(None),
            ],
        ),
    ];
    for (needs_approval, path, outcomes) in table {
        let (mut payout, mut wallet) = made(400, needs_approval);
        for step in path {
            let change = payout.act(&actions[*step], &wallet, 5, now());
            let change = change.expect("allowed").expect("new");
            payout = change.payout;
            wallet = change.movement.map_or(wallet, |movement| movement.wallet);
        }
        for (action, expected) in actions.iter().zip(outcomes) {
            let after = payout.act(action, &wallet, 5, now());
            let after = match &after {
                Ok(change) => Ok(change.as_ref().map(|change| change.payout.status)),
                Err(refusal) => Err(refusal.to_string()),
            };
            let expected = expected.map_err(str::to_owned);
            assert_eq!(after, expected, "{action:?} after {path:?} of {:?}", payout.status);
            let Ok(Some(change)) = payout.act(action, &wallet, 5, now()) else { continue };
            let held = change.movement.as_ref().map_or(&wallet, |movement| &movement.wallet);
            let expected = match change.payout.status {
                Pending | Processing => (600, 400),
                Completed => (600, 0),
                Failed | Cancelled => (1_000, 0),
            };
            assert_eq!(balances(held), expected, "{action:?} after {path:?}");
        }
    }
}

#[test]
fn a_move_that_is_repeated_fills_in_what_was_not_known_and_changes_nothing_else() {
    let text = |text: &str| Some(text.to_owned());
    let complete = |reference| Action::Complete { provider_reference: reference };
    let fail = |code| Action::Fail { failure_code: code };
    let later = now().plus_seconds(9);
    for (first, more, other, said) in [
        (
            complete(None),
            complete(text("BANK-1")),
            complete(text("BANK-2")),
            "providerReference is BANK-1 already",
        ),
        (fail(None), fail(text("AC04")), fail(text("AM09")), "failureCode is AC04 already"),
    ] {
        let (payout, wallet) = made(400, false);
        let ended = payout.act(&first, &wallet, 5, now()).expect("allowed").expect("new").payout;
        let told = ended.act(&more, &wallet, 5, later).expect("allowed").expect("new");
        assert_eq!((told.movement, told.events), (None, vec![]), "its end was told");
        let told = told.payout;
        let parts = |of: &Payout| (of.provider_reference.clone(), of.failure_code.clone());
        assert_ne!(parts(&told), parts(&ended));
        assert_eq!((told.status, told.updated_at), (ended.status, later));
        for known in [&first, &more] {
            assert_eq!(told.act(known, &wallet, 5, later), Ok(None));
        }
        let refusal = Refusal::from(told.act(&other, &wallet, 5, later).expect_err("differs"));
        assert_eq!((refusal.kind, refusal.text.as_str()), (RefusalKind::Conflict, said));
    }
}

#[test]
fn a_demo_payout_arrives_by_itself_and_a_live_one_does_not() {
    let (payout, wallet) = made(400, false);
    assert_eq!(payout.due(now().plus_seconds(4)), None);
    let action = payout.due(now().plus_seconds(5)).expect("due");
    let change = payout.act(&action, &wallet, 5, now().plus_seconds(5));
    let completed = change.expect("allowed").expect("new").payout;
    assert_eq!(completed.provider_reference.as_deref(), Some("demo-7"));
    assert_eq!(
        (completed.due(Timestamp::MAX), completed.completed_at),
        (None, Some(now().plus_seconds(5)))
    );
    let live = Payout { mode: Mode::Live, ..payout }.sent(5, now());
    assert_eq!(live.due(Timestamp::MAX), None);
}

#[test]
fn events_tell_of_the_end_and_hide_the_account() {
    let (payout, wallet) = made(400, true);
    let approved = payout.act(&Action::Approve, &wallet, 5, now()).expect("allowed").expect("new");
    assert_eq!(approved.events, []);
    let rejected = payout.act(&Action::Reject, &wallet, 5, now()).expect("allowed").expect("new");
    assert_eq!(rejected.events[0].kind, EventType::PayoutFailed);
    assert_eq!(rejected.events[0].payload["status"], "cancelled");
    let action = Action::Complete { provider_reference: Some("bank-1".to_owned()) };
    let completed = approved.payout.act(&action, &wallet, 5, now()).expect("allowed").expect("new");
    let event = &completed.events[0];
    assert_eq!(event.kind, EventType::PayoutCompleted);
    assert_eq!(event.payload["amountMinor"], 400);
    assert_eq!(event.payload["destination"]["iban"], "****3000");
    assert_eq!(event.payload["providerReference"], "bank-1");
    assert!(!event.payload.to_string().contains("DE8937"));
    assert!(event.payload.get("failureCode").is_none());
}

#[test]
fn a_key_names_the_field_that_differs() {
    let first = order(100);
    let url = WebhookUrl::parse("https://example.com/", false).expect("a url");
    for (again, field) in [
        (first.clone(), None),
        (PayoutOrder { payee: PayeeId(8), wallet: WalletId(8), ..first.clone() }, Some("payeeId")),
        (PayoutOrder { wallet: WalletId(8), ..first.clone() }, Some("walletId")),
        (PayoutOrder { method: PayoutMethodId(8), ..first.clone() }, Some("payoutMethodId")),
        (PayoutOrder { amount_minor: 101, ..first.clone() }, Some("amount")),
        (PayoutOrder { call_back: Some(url), ..first.clone() }, Some("webhookUrl")),
    ] {
        assert_eq!(first.first_difference(&again), field);
    }
}

#[test]
fn rows_lead_back() {
    let (payout, wallet) = made(400, false);
    assert_eq!(Payout::decode(1, &payout.encode()).as_ref(), Ok(&payout));
    assert_eq!(Wallet::decode(1, &wallet.encode()), Ok(wallet));
    let key = PayoutKey { payout: payout.id, order: order(4) };
    assert_eq!(PayoutKey::decode(1, &key.encode()), Ok(key));
    assert_eq!(PayoutMethod::decode(1, &method().encode()), Ok(method()));
    // The first wallets end with their status.
    let first = [0x89, 3, 1, 2, 0x63, b'E', b'U', b'R', 1, 0, 0, 0, 0];
    let old = Wallet::decode(1, &first).expect("an old row");
    assert_eq!((old.id, old.mode(), old.pool), (WalletId(3), Mode::Demo, None));
}
