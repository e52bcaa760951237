//! Archiving a payee, against the payments that name it.
//!
//! A payment keeps a row for each payee that it names while it can still bring it money, in the
//! batch that begins it, and demands in the same batch that the payee is not closed. So a payee is
//! closed first, which keeps new payments off, and then judged by the rows that are there: either
//! it is archived, or opened again.

use storage::Scan;

use super::Payees;
use super::room::{Change, Cx, PayeeRoom};
use crate::domain::ids::{PayeeId, SellerId};
use crate::domain::messages::Addressee;
use crate::domain::payments::payee::{Payee, PayeeChange, PayeeRefusal, archive};
use crate::domain::payments::wallet::Wallet;
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Decision, Effects};
use crate::tables::{CLOSED_PAYEES, OPEN_SHARES, OUTBOX};

/// What has become of a payee that was to be archived.
type Judged = Result<(), Refusal>;

impl Payees {
    /// Archives a payee; once is enough. Refused while it has an open payout or a balance, and
    /// while a payment names it that may yet bring it money.
    pub async fn archive(&self, seller: SellerId, id: PayeeId) -> Result<(), AskError> {
        self.rooms.command((seller, id), |room, cx| room.close(cx)).await?;
        let judged = self.rooms.command((seller, id), |room, cx| room.judge(cx)).await?;
        judged.map_err(AskError::Refused)
    }
}

#[cfg(feature = "faults")]
impl Payees {
    /// The first half of an archiving, as it stands when the program ends before the other.
    pub async fn half_archive(&self, seller: SellerId, id: PayeeId) -> Result<(), AskError> {
        self.rooms.command((seller, id), |room, cx| room.close(cx)).await
    }
}

impl PayeeRoom {
    /// Keeps new payments from naming the payee, unless it is plain already that it stays.
    fn close(&self, cx: &Cx) -> Result<Decision<Self, ()>, Refusal> {
        let payee = self.payee()?;
        let mut effects = Effects::new();
        if payee.is_archived() && payee.payee_contract_id.is_some() {
            // An earlier release let an archived payee keep it.
            let freed = Payee { payee_contract_id: None, ..payee.clone() };
            effects.change(Change::Payee(Box::new(freed)));
            return Ok(effects.answer(()));
        }
        if payee.is_archived() || payee.closed_at.is_some() {
            return Ok(Decision::unchanged(()));
        }
        self.archived(cx)?;
        effects.put(CLOSED_PAYEES, &(self.seller, self.id), &());
        let closed = Payee { closed_at: Some(cx.now()), ..payee.clone() };
        effects.change(Change::Payee(Box::new(closed)));
        Ok(effects.answer(()))
    }

    /// Archives a payee that is closed, or opens it again.
    pub(super) fn judge(&self, cx: &Cx) -> Result<Decision<Self, Judged>, Refusal> {
        let payee = self.payee()?;
        if payee.closed_at.is_none() {
            // Judged for somebody else who came at the same moment, or archived long ago.
            let why = || self.archived(cx).err().unwrap_or(PayeeRefusal::OpenPayment.into());
            let judged = if payee.is_archived() { Ok(()) } else { Err(why()) };
            return Ok(Decision::unchanged(judged));
        }
        let mut effects = Effects::new();
        let judged = match self.archived(cx) {
            Ok(Some((change, wallets))) => {
                self.change_payee(cx, &mut effects, change)?;
                for wallet in wallets {
                    effects.change(Change::Wallet(wallet));
                }
                self.split_rule_changes(cx, &mut effects);
                Ok(())
            }
            Ok(None) => Ok(()),
            Err(refusal) => {
                self.open_again(&mut effects);
                Err(refusal)
            }
        };
        Ok(effects.answer(judged))
    }

    /// Takes a payee that was archived into use again.
    pub(super) fn reopen(&self, cx: &Cx, effects: &mut Effects<Self>) {
        self.open_again(effects);
        self.split_rule_changes(cx, effects);
    }

    fn open_again(&self, effects: &mut Effects<Self>) {
        effects.delete(CLOSED_PAYEES, &(self.seller, self.id));
        effects.change(Change::Opened);
    }

    /// The seller's split rule counts the payee's line, or no longer does.
    fn split_rule_changes(&self, cx: &Cx, effects: &mut Effects<Self>) {
        let (directory, seller) = (cx.services().directory.clone(), self.seller);
        effects.once_durable(move || directory.forget(seller));
    }

    fn archived(&self, cx: &Cx) -> Result<Option<(PayeeChange, Vec<Wallet>)>, Refusal> {
        let (open, mode) = (!self.open.is_empty(), cx.seller()?.seller.mode);
        let archived = archive(self.payee()?, self.wallets.values(), open, mode, cx.now())?;
        if self.is_named(cx)? {
            return Err(PayeeRefusal::OpenPayment.into());
        }
        Ok(archived)
    }

    /// Whether a payment may yet bring the payee money, or has sent it some.
    fn is_named(&self, cx: &Cx) -> Result<bool, Refusal> {
        let mut named = cx.store().scan(OPEN_SHARES, Scan::prefix(&(self.seller, self.id)));
        if cx.read(named.next().transpose())?.is_some() {
            return Ok(true);
        }
        let to_it = Addressee::Payee(self.seller, self.id).key();
        let mut sent = cx.store().scan(OUTBOX, Scan::prefix(&to_it));
        Ok(cx.read(sent.next().transpose())?.is_some())
    }
}
