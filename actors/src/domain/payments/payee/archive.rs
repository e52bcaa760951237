//! Putting a payee or a payout method away: not while money is held or under way.

use super::{Payee, PayeeChange, PayeeRefusal};
use crate::domain::payments::wallet::{Wallet, WalletStatus};
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;

/// Archives a payee with its wallets; another may have its `payeeContractId` then. A verification
/// that is under way rests until it is in use again. `None` when it is archived already. `open` says
/// whether it has an open payout, `mode` that of the account: money of another mode keeps nobody.
pub fn archive<'a>(
    payee: &Payee,
    wallets: impl Iterator<Item = &'a Wallet> + Clone,
    open: bool,
    mode: Mode,
    now: Timestamp,
) -> Result<Option<(PayeeChange, Vec<Wallet>)>, PayeeRefusal> {
    if payee.is_archived() {
        return Ok(None);
    }
    if open {
        return Err(PayeeRefusal::OpenPayout);
    }
    if wallets.clone().any(|wallet| wallet.mode() == mode && wallet.holds_money()) {
        return Err(PayeeRefusal::Balance);
    }
    let archived =
        Payee { archived_at: Some(now), closed_at: None, payee_contract_id: None, ..payee.clone() };
    let closed = wallets.map(|wallet| Wallet { status: WalletStatus::Closed, ..wallet.clone() });
    let change = PayeeChange { payee: archived, events: Vec::new() };
    Ok(Some((change, closed.collect())))
}

/// The wallets of an archived payee that gets money after all, as when a bank sends a payout back:
/// they and the payee are in use again, so that it can be paid out. `changed` are the wallets that
/// were moved.
pub fn reopened<'a>(
    payee: &Payee,
    wallets: impl Iterator<Item = &'a Wallet>,
    mut changed: impl Iterator<Item = &'a Wallet>,
) -> Option<Vec<Wallet>> {
    let gets_money = changed.any(|wallet| wallet.available_minor > 0 || wallet.pending_minor > 0);
    if !payee.is_archived() || !gets_money {
        return None;
    }
    let opened = wallets.map(|wallet| Wallet { status: WalletStatus::Active, ..wallet.clone() });
    Some(opened.collect())
}

impl Payee {
    /// In use again: neither archived nor about to be.
    #[must_use]
    pub fn opened(self) -> Self {
        Self { archived_at: None, closed_at: None, ..self }
    }
}

/// Whether a payout method may be deleted: `open` says whether a payout to it is open, `wallet` is
/// the payee's in the method's currency.
pub fn deletable(open: bool, wallet: Option<&Wallet>) -> Result<(), PayeeRefusal> {
    if open {
        return Err(PayeeRefusal::MethodOpenPayout);
    }
    if wallet.is_some_and(Wallet::holds_money) {
        return Err(PayeeRefusal::MethodBalance);
    }
    Ok(())
}
