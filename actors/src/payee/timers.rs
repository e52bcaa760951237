//! What time brings to a payee: a verification that passes, and payouts that arrive.

use super::Payees;
use super::room::{Cx, PayeeRoom};
use super::wallets::Wallets;
use crate::domain::ids::{PayeeId, SellerId};
use crate::kernel::{AskError, Decision, Effects};
use crate::timers::{Due, TimerKind};

impl Payees {
    /// Does all that is due; whether anything was. For timers of [`TimerKind::Payee`].
    pub async fn run_timer(&self, seller: SellerId, id: PayeeId) -> Result<bool, AskError> {
        let decide = |room: &PayeeRoom, cx: &Cx| {
            if room.payee.as_ref().is_some_and(|payee| payee.closed_at.is_some()) {
                return room.judge(cx).map(|judged| judged.map(|_| true));
            }
            let (mut effects, mut wallets) = (Effects::new(), Wallets::of(room));
            if let Some(payee) = &room.payee
                && let Some(change) = payee.verification_due(cx.seller()?.seller.mode, cx.now())
            {
                room.change_payee(cx, &mut effects, change)?;
            }
            for payout in room.open.values() {
                if let Some(action) = payout.due(cx.now()) {
                    room.act(cx, &mut effects, &mut wallets, payout, &action)?;
                }
            }
            if effects.changes().is_empty() {
                return Ok(Decision::unchanged(false));
            }
            wallets.change(cx, &mut effects);
            Ok(effects.answer(true))
        };
        self.rooms.command_in_passing((seller, id), decide).await
    }
    /// Deletes the row of a timer that the payee does not want; true if that was so.
    pub async fn mend_timer(&self, timer: Due) -> Result<bool, AskError> {
        let id = (timer.seller, PayeeId(timer.object));
        self.rooms.mend_timer(id, TimerKind::Payee, timer.at).await
    }
}
