//! Finalizing a payment whose buyer was sent to the bank, and has perhaps not come back.

use actors::connector::{Challenge, LookUp};
use actors::domain::payments::failure::FailureCode;
use actors::domain::payments::payment::{CallKind, CaptureMode, ProviderOutcome};

use super::whole::live_at;
use crate::support::orders::{order, reference};
use crate::support::processor::Asker;
use crate::support::stripe::{Fault, STRIPE_KEY, StripeFake};
use crate::support::{Server, fresh_uuid, json};

const TOO_EARLY: &str = "upstream card processor returned 400";
const CHALLENGED: &str = "4000000000003220";

#[tokio::test]
async fn a_buyer_who_has_approved_need_not_come_back() {
    for (manual, status) in [(false, "provider_completed"), (true, "authorized")] {
        let server = Server::start().await;
        let fake = StripeFake::open().await;
        let seller = live_at(&server, &fake.url(), STRIPE_KEY).await;
        let more = if manual {
            json!({"captureMode": "manual", "autoSettlement": false})
        } else {
            json!({})
        };
        let mut waiting = order(more);
        waiting["skip3DS"] = json!(false);
        assert_eq!(seller.initiate(&waiting).await.is(202)["requiresAction"], true);
        let (key, body) = (fresh_uuid(), json!({"externalOrderRef": reference(&waiting)}));
        let finalize = async || seller.payments.create("/finalize-payment", &key, &body).await;
        for _ in 0..2 {
            let early = finalize().await;
            early.refuses_saying(502, TOO_EARLY);
            assert_eq!((&early["failureCode"], &early["retry"]), (&json!(2002), &json!("safe")));
        }
        let pending = seller.payment(reference(&waiting)).await;
        assert_eq!(
            (&pending["status"], &pending["requiresAction"]),
            (&json!("provider_pending"), &json!(true))
        );
        fake.buyer_acts("pi_1", true);
        let done = finalize().await;
        assert!(!done.is_replay(), "asked too early, the key was given back");
        assert_eq!(done.is(200)["status"], status);
        assert!(finalize().await.is_replay());
        assert_eq!(fake.charged().1, 1);
        server.close().await;
    }
}

#[tokio::test]
async fn a_part_is_not_finalized_where_the_processor_has_taken_the_whole() {
    let server = Server::start().await;
    let fake = StripeFake::open().await;
    let seller = live_at(&server, &fake.url(), STRIPE_KEY).await;
    let waiting = order(json!({"skip3DS": false}));
    seller.initiate(&waiting).await.is(202);
    fake.buyer_acts("pi_1", true);
    let finalize = async |amount: f64| {
        let body = json!({"externalOrderRef": reference(&waiting), "amount": amount});
        seller.payments.create("/finalize-payment", &fresh_uuid(), &body).await
    };
    let part = finalize(5.0).await;
    part.refuses_saying(409, "this processor takes the whole amount: refund a part afterwards");
    let whole = finalize(12.5).await.is(200);
    assert_eq!((&whole["capturedAmount"], fake.charged()), (&json!(12.5), (1_250, 1)));
    server.close().await;
}

#[tokio::test]
async fn a_buyer_whom_the_bank_turned_down_has_failed_whether_anybody_asks_or_not() {
    for finalized in [true, false] {
        let server = Server::start().await;
        let fake = StripeFake::open().await;
        let seller = live_at(&server, &fake.url(), STRIPE_KEY).await;
        let waiting = order(json!({"skip3DS": false}));
        seller.initiate(&waiting).await.is(202);
        fake.buyer_acts("pi_1", false);
        if finalized {
            seller.finalize(reference(&waiting)).await.refuses_saying(502, "payment declined");
        } else {
            server.pass_seconds(15 * 60);
        }
        let failed = seller.wait_for_status(reference(&waiting), "failed").await;
        assert_eq!((&failed["failureCode"], &failed["retry"]), (&json!(2001), &json!("never")));
        assert_eq!(fake.charged().1, 0);
        server.close().await;
    }
}

#[tokio::test]
async fn a_seller_who_gives_a_declined_buyer_up_has_cancelled() {
    let server = Server::start().await;
    let fake = StripeFake::open().await;
    let seller = live_at(&server, &fake.url(), STRIPE_KEY).await;
    let waiting = order(json!({"skip3DS": false}));
    seller.initiate(&waiting).await.is(202);
    fake.buyer_acts("pi_1", false);
    let cancelled = seller.act_on(reference(&waiting), "cancel", &json!({})).await.is(200);
    assert_eq!((&cancelled["status"], &cancelled["failureCode"]), (&json!("cancelled"), &json!(0)));
    server.close().await;
}

#[tokio::test]
async fn a_charge_without_a_challenge_whose_answer_was_lost_waits_for_nobody() {
    let fake = StripeFake::open().await;
    let asker = Asker::new(&fake.url(), STRIPE_KEY, "unasked");
    let token = asker.open(CaptureMode::Automatic).await;
    fake.goes_wrong("/confirm", Fault::ActsAndDrops);
    asker.charge(&token, CHALLENGED, Challenge::Skip).await;
    assert_eq!(fake.status(&token), "requires_action");
    let lost = asker.lost(CallKind::Charge, "charge", Some(&token));
    let lost = LookUp { challenge: Challenge::Skip, ..lost };
    fake.goes_wrong("/cancel", Fault::Status(500));
    let found = asker.find(lost.clone()).await;
    assert!(matches!(found, ProviderOutcome::Unknown { .. }), "{found:?}: it may go on");
    let found = asker.find(lost).await;
    let code = FailureCode::AuthenticationRequired;
    assert_eq!(found, ProviderOutcome::Failed { code, token: Some(token.clone()) });
    assert_eq!(fake.status(&token), "canceled");
}

#[tokio::test]
async fn a_cancel_that_the_buyer_was_faster_than_is_refused() {
    let server = Server::start().await;
    let fake = StripeFake::open().await;
    let seller = live_at(&server, &fake.url(), STRIPE_KEY).await;
    let waiting = order(json!({"skip3DS": false}));
    seller.initiate(&waiting).await.is(202);
    fake.buyer_acts("pi_1", true);
    let (path, key) = (format!("/payments/{}/cancel", reference(&waiting)), fresh_uuid());
    for _ in 0..2 {
        let late = seller.payments.create(&path, &key, &json!({})).await;
        late.refuses_saying(409, "invalid status transition from provider_completed to cancel");
    }
    assert_eq!(seller.payment(reference(&waiting)).await["status"], "provider_completed");
    server.close().await;
}

#[tokio::test]
async fn a_payment_that_was_finalized_answers_so_while_its_refund_is_in_doubt() {
    let server = Server::start().await;
    let fake = StripeFake::open().await;
    let seller = live_at(&server, &fake.url(), STRIPE_KEY).await;
    let paid = order(json!({}));
    seller.initiate(&paid).await.is(202);
    fake.goes_wrong("/refunds", Fault::ActsAndDrops);
    seller.act_on(reference(&paid), "refund", &json!({})).await.is(502);
    let again = seller.finalize(reference(&paid)).await.is(200);
    assert_eq!((&again["status"], &again["failureCode"]), (&json!("refund_pending"), &json!(0)));
    server.close().await;
}
