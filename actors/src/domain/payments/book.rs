//! What moves a wallet's money. Each rule answers the wallet as it is afterwards with the entry
//! that brought it there; the seller's main wallet and those of payees follow the same rules.

use crate::domain::ids::{PaymentId, PayoutId, PostingId};
use crate::domain::payments::ledger::{Account, Cause, Entry, Posting};
use crate::domain::payments::pool::{LineFull, Pool, Span};
use crate::domain::payments::share::{Share, ShareMove};
use crate::domain::payments::wallet::Wallet;
use crate::domain::time::Timestamp;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Movement {
    pub wallet: Wallet,
    pub cause: Cause,
    /// What moved; sums to zero, and is never empty.
    pub postings: Vec<Posting>,
}

#[derive(Clone, Copy, Debug)]
pub enum Mover<'a> {
    /// A payment's share, with the payment's reference.
    Share(PaymentId, &'a str),
    Payout(PayoutId),
    /// A deposit, by its reference.
    Deposit(&'a str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the wallet is full")]
pub struct WalletFull;

#[derive(Clone, Copy, Debug)]
pub struct ShareNews<'a> {
    pub what: ShareMove,
    pub payment: PaymentId,
    pub reference: &'a str,
    /// Minor units of the wallet's currency, above 0.
    pub amount_minor: i64,
    pub at: Timestamp,
}

/// A share after news of it; the movement is absent when no money moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShareChange {
    pub share: Share,
    pub movement: Option<Movement>,
}

/// Takes in news of a payment's share. `known` is what is known of it so far.
pub fn share_moved(
    wallet: &Wallet,
    known: Option<&Share>,
    news: &ShareNews<'_>,
) -> Result<ShareChange, WalletFull> {
    let before = known.cloned().unwrap_or_else(|| Share::new(news.payment, news.reference));
    let mut share = before.clone();
    let cause = match news.what {
        ShareMove::Credited => {
            share.credited_minor = sum(share.credited_minor, news.amount_minor)?;
            Cause::ShareCredited
        }
        ShareMove::Settled => {
            share.settled_at = share.settled_at.or(Some(news.at));
            Cause::ShareSettled
        }
        ShareMove::TakenBack => {
            share.taken_back_minor = sum(share.taken_back_minor, news.amount_minor)?;
            Cause::ShareTakenBack
        }
    };
    let (pending, available) = share.standing();
    let (pending, available) = (pending - before.standing().0, available - before.standing().1);
    let mut wallet = wallet.clone();
    let mut pool = wallet.pool.take().unwrap_or_default();
    match available {
        0 => {}
        more @ 1.. => note_span(&mut share.spans, pool.settle(more.unsigned_abs())?),
        less => pool.take_back(&share.spans, less.unsigned_abs()),
    }
    let moved = [
        (Account::Pending, pending),
        (Account::Available, available),
        (Account::Clearing, -(pending + available)),
    ];
    Ok(ShareChange { share, movement: movement(wallet, pool, cause, &moved)? })
}

/// Takes in money that is available at once and of no payment. `amount_minor` is above 0.
pub fn deposited(wallet: &Wallet, amount_minor: i64) -> Result<Option<Movement>, WalletFull> {
    let (wallet, mut pool) = opened(wallet);
    pool.settle(amount_minor.unsigned_abs())?;
    let moved = [(Account::Available, amount_minor), (Account::Clearing, -amount_minor)];
    movement(wallet, pool, Cause::Deposited, &moved)
}

/// Reserves money for a payout, and answers which. The caller has seen that there is enough.
pub fn reserve(wallet: &Wallet, amount_minor: i64) -> Result<(Movement, Vec<Span>), WalletFull> {
    let (wallet, mut pool) = opened(wallet);
    let spans = pool.take(amount_minor.unsigned_abs());
    let moved = [(Account::Available, -amount_minor), (Account::Reserved, amount_minor)];
    let movement = movement(wallet, pool, Cause::PayoutReserved, &moved)?;
    Ok((movement.ok_or(WalletFull)?, spans))
}

pub fn complete(wallet: &Wallet, amount_minor: i64) -> Result<Option<Movement>, WalletFull> {
    let (wallet, pool) = opened(wallet);
    let moved = [(Account::Reserved, -amount_minor), (Account::Bank, amount_minor)];
    movement(wallet, pool, Cause::PayoutCompleted, &moved)
}

/// Makes the reserved money of a payout that was rejected or has failed available again.
pub fn release(
    wallet: &Wallet,
    amount_minor: i64,
    spans: &[Span],
) -> Result<Option<Movement>, WalletFull> {
    available_again(wallet, amount_minor, spans, Account::Reserved, Cause::PayoutReleased)
}

/// Makes what the bank has sent back of a completed payout available again.
pub fn returned(
    wallet: &Wallet,
    amount_minor: i64,
    spans: &[Span],
) -> Result<Option<Movement>, WalletFull> {
    available_again(wallet, amount_minor, spans, Account::Bank, Cause::PayoutReturned)
}

fn available_again(
    wallet: &Wallet,
    amount_minor: i64,
    spans: &[Span],
    from: Account,
    cause: Cause,
) -> Result<Option<Movement>, WalletFull> {
    let (wallet, mut pool) = opened(wallet);
    pool.give_back(spans);
    let moved = [(from, -amount_minor), (Account::Available, amount_minor)];
    movement(wallet, pool, cause, &moved)
}

impl Movement {
    /// The entry of the ledger, and the wallet with it.
    pub fn post(self, id: PostingId, at: Timestamp, of: Mover<'_>) -> (Wallet, Entry) {
        let (payment, reference, payout) = match of {
            Mover::Share(payment, reference) => (Some(payment), Some(reference.to_owned()), None),
            Mover::Payout(payout) => (None, None, Some(payout)),
            Mover::Deposit(reference) => (None, Some(reference.to_owned()), None),
        };
        let Self { mut wallet, cause, postings } = self;
        let mut entry = Entry { id, at, cause, payment, reference, payout, postings, link: None };
        entry.link = Some(entry.link(wallet.last_link.as_ref()));
        wallet.last_link = entry.link;
        (wallet, entry)
    }
}

fn opened(wallet: &Wallet) -> (Wallet, Pool) {
    let mut wallet = wallet.clone();
    let pool = wallet.pool.take().unwrap_or_default();
    (wallet, pool)
}

fn movement(
    wallet: Wallet,
    pool: Pool,
    cause: Cause,
    moved: &[(Account, i64)],
) -> Result<Option<Movement>, WalletFull> {
    let mut wallet = Wallet { pool: Some(pool), ..wallet };
    let mut postings = Vec::with_capacity(moved.len());
    for (account, amount) in moved.iter().filter(|(_, amount)| *amount != 0) {
        let balance = match account {
            Account::Pending => &mut wallet.pending_minor,
            Account::Available => &mut wallet.available_minor,
            Account::Reserved => &mut wallet.reserved_minor,
            Account::Clearing | Account::Bank => &mut 0,
        };
        *balance = sum(*balance, *amount)?;
        postings.push(Posting { account: *account, amount_minor: *amount });
    }
    Ok((!postings.is_empty()).then_some(Movement { wallet, cause, postings }))
}

/// A share that settles in parts lies in one piece when nothing came between.
fn note_span(spans: &mut Vec<Span>, span: Span) {
    match spans.last_mut() {
        Some(last) if last.to == span.from => last.to = span.to,
        _ => spans.push(span),
    }
}

fn sum(balance: i64, amount: i64) -> Result<i64, WalletFull> {
    const LIMIT: i64 = 1 << 61;
    let sum = balance.checked_add(amount);
    sum.filter(|sum| (-LIMIT..=LIMIT).contains(sum)).ok_or(WalletFull)
}

impl From<LineFull> for WalletFull {
    fn from(_: LineFull) -> Self {
        Self
    }
}

#[cfg(test)]
mod tests;
