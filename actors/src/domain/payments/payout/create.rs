//! Making a payout: its checks in order, its reservation, and how it begins.

use super::{ApprovalStatus, Payout, PayoutChange, PayoutOrder, PayoutRefusal, PayoutStatus};
use crate::domain::ids::{PayoutId, SellerId, WebhookId};
use crate::domain::payments::book::reserve;
use crate::domain::payments::payee::Payee;
use crate::domain::payments::payout_method::PayoutMethod;
use crate::domain::payments::wallet::Wallet;
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;

/// The most payouts of one payee that are open at a time.
pub const MAX_OPEN: usize = 1_000;

#[derive(Clone, Debug)]
pub struct NewPayout {
    pub id: PayoutId,
    pub seller: SellerId,
    pub mode: Mode,
    pub needs_approval: bool,
    /// How long a demo payout is under way.
    pub payout_seconds: i64,
    pub key: String,
    pub call_back: Option<WebhookId>,
}

#[derive(Clone, Copy, Debug)]
pub struct Funds<'a> {
    /// Whose the money is; absent when it is the seller's own, which nobody verifies.
    pub payee: Option<&'a Payee>,
    pub wallet: Option<&'a Wallet>,
    pub method: Option<&'a PayoutMethod>,
    /// How many payouts of the payee are open.
    pub open: usize,
}

/// Makes a payout and reserves its money. Refused first for what is not there, then for what
/// does not fit, then for what the present state forbids.
pub fn create(
    order: &PayoutOrder,
    funds: &Funds<'_>,
    new: NewPayout,
    now: Timestamp,
) -> Result<PayoutChange, PayoutRefusal> {
    let wallet = funds.wallet.ok_or(PayoutRefusal::WalletMissing)?;
    let method = funds.method.filter(|method| method.is_active());
    let method = method.ok_or(PayoutRefusal::MethodMissing)?;
    if order.currency != wallet.currency {
        return Err(PayoutRefusal::Currency(wallet.currency));
    }
    if method.currency != wallet.currency {
        return Err(PayoutRefusal::MethodCurrency(wallet.currency));
    }
    if funds.payee.is_some_and(Payee::is_archived) {
        return Err(PayoutRefusal::Archived);
    }
    if wallet.mode() != new.mode {
        return Err(PayoutRefusal::WrongMode);
    }
    if funds.payee.is_some_and(|payee| !payee.is_payable(new.mode)) {
        return Err(PayoutRefusal::NotApproved);
    }
    if order.amount_minor > wallet.withdrawable_minor(true) {
        return Err(PayoutRefusal::InsufficientBalance);
    }
    if funds.open >= MAX_OPEN {
        return Err(PayoutRefusal::TooManyOpen(MAX_OPEN));
    }
    let (movement, spans) = reserve(wallet, order.amount_minor)?;
    let payout = Payout {
        id: new.id,
        seller: new.seller,
        payee: wallet.payee,
        wallet: wallet.id,
        method: method.id,
        amount_minor: order.amount_minor,
        currency: wallet.currency,
        status: PayoutStatus::Pending,
        approval: ApprovalStatus::NotRequired,
        destination: method.destination.clone(),
        provider_reference: None,
        failure_code: None,
        created_at: now,
        updated_at: now,
        completed_at: None,
        completes_at: None,
        spans,
        mode: new.mode,
        call_back: new.call_back,
        idempotency_key: new.key,
    };
    let payout = if new.needs_approval {
        Payout { approval: ApprovalStatus::AwaitingApproval, ..payout }
    } else {
        payout.sent(new.payout_seconds, now)
    };
    Ok(PayoutChange { payout, movement: Some(movement), events: Vec::new() })
}
