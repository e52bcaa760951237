//! The test clock. An advance goes in strides, through what is due in the order of its days: the
//! clock stands where they have come to, so that the contract is at any moment as an advance to
//! that instant leaves it. What arrives in between is done there.

use super::changes::Changes;
use super::room::{Change, Context, ContractRoom, Decision};
use super::strides::{Decided, Stride};
use super::{CollectionCounts, Contracts, InvoiceCounts, LifecycleCounts};
use crate::domain::billing::test_clock::{Advance, AdvanceRefusal, Moment, TestClock, advance};
use crate::domain::ids::{ContractId, SellerId};
use crate::domain::platform::seller::Mode;
use crate::domain::time::Timestamp;
use crate::kernel::AskError;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdvanceAnswer {
    /// The clock afterwards; absent while the contract has none.
    pub clock: Option<TestClock>,
    pub advanced: bool,
    pub lifecycle: LifecycleCounts,
    pub invoices: InvoiceCounts,
    /// What charging saved cards came to on the days that it went through.
    pub collection: CollectionCounts,
}

/// What a stride of an advance did, and whether saved cards are to be charged where it stands: for
/// invoices, or for credit that tops itself up.
pub(super) struct Strode {
    answer: AdvanceAnswer,
    collects: bool,
    tops_up: bool,
}

impl Contracts {
    /// Advances the test clock of a contract: its subscriptions do what is due by then, its
    /// invoices fall overdue, their buyers are reminded, and the invoice of the oldest due terms
    /// is issued. Saved cards are charged on each day that is one of a collection, and at the end.
    /// An advance that was broken off is gone on with by the same request.
    pub async fn advance_clock(
        &self,
        seller: SellerId,
        contract: ContractId,
        to: Timestamp,
    ) -> Result<AdvanceAnswer, AskError> {
        let (mut lifecycle, mut collection) = (None, CollectionCounts::default());
        loop {
            let begun = lifecycle.is_some();
            let stride = move |room: &ContractRoom, cx: &Context| room.stride_to(cx, to, begun);
            let Stride { done, more } = self.rooms.command((seller, contract), stride).await?;
            let Strode { answer, collects, tops_up } = done;
            let so_far = lifecycle.get_or_insert_default();
            *so_far += answer.lifecycle;
            if collects {
                // What is still skipped is met again.
                collection.skipped = 0;
                collection += self.run_collection(seller, contract).await?;
            }
            if tops_up {
                collection += self.run_auto_topup(seller, contract).await?;
            }
            if !more {
                let advanced = begun || answer.advanced;
                return Ok(AdvanceAnswer { advanced, lifecycle: *so_far, collection, ..answer });
            }
        }
    }
}

impl ContractRoom {
    /// `begun`: this advance has made strides before. Then another one may have come as far.
    pub(super) fn stride_to(&self, cx: &Context, to: Timestamp, begun: bool) -> Decided<Strode> {
        self.contract()?;
        if cx.seller()?.seller.mode == Mode::Live {
            return Err(AdvanceRefusal::Live.into());
        }
        let tops_up = self.auto_topup.is_some_and(|auto| auto.enabled);
        let target = match advance(self.clock.as_ref(), to, cx.now()) {
            Ok(Advance::Moves(clock)) => clock,
            Err(refusal) if !begun => return Err(refusal),
            // Also where one that was broken off had come as far: what is due has yet to be charged.
            // A pack of credit is bought where this one has made strides, else by its pass.
            Ok(Advance::Stays) | Err(_) => {
                let done = AdvanceAnswer {
                    clock: self.clock.clone(),
                    advanced: false,
                    lifecycle: LifecycleCounts::default(),
                    invoices: InvoiceCounts { skipped: u64::from(begun), ..Default::default() },
                    collection: CollectionCounts::default(),
                };
                let collects = self.clock.is_some();
                let done = Strode { answer: done, collects, tops_up: tops_up && begun };
                return Ok(Decision::unchanged(Stride { done, more: false }));
            }
        };
        let mut changes = Changes::begin(self, cx)?;
        let halt = changes.next_collection(begun).filter(|at| *at < to);
        let until = halt.unwrap_or(to);
        let mut lived = changes.live_until(until);
        if !begun && !lived.counts.cron_disabled {
            let idle = self.subscriptions.len() - self.agenda.awake_by(to).count();
            lived.counts.skipped = idle as u64;
        }
        let reached = lived.left_at.map_or(until, |at| at.max(changes.moment.engine));
        changes.moment = Moment { engine: reached, ..changes.moment };
        let overdue = changes.fall_overdue()?;
        let reminders = changes.remind()?;
        let unfinished = lived.left_at.is_some() || overdue.more || reminders.more;
        let more = unfinished || halt.is_some();
        let clock = if more { target.under_way(reached) } else { target };
        changes.effects.change(Change::Clock(clock.clone()));
        let invoices = if more {
            InvoiceCounts::default()
        } else {
            changes.credit_ended()?;
            changes.issue_recurring()
        };
        let answer = AdvanceAnswer {
            clock: Some(clock),
            advanced: true,
            lifecycle: lived.counts,
            invoices,
            collection: CollectionCounts::default(),
        };
        let done = Strode { answer, collects: !unfinished, tops_up };
        Ok(changes.finish().answer(Stride { done, more }))
    }
}

impl Changes<'_> {
    /// Lets the contract go on with the wall clock, from where its test clock stands: nobody may
    /// move that any more. Its timers follow those of the wall.
    pub(super) fn let_clock_go(&mut self) {
        let stands = |clock: &&TestClock| clock.stands_at().is_some();
        let Some(clock) = self.room.clock.as_ref().filter(stands) else { return };
        let clock = clock.clone().let_go(self.cx.now());
        self.moment = Moment::of(Some(&clock), self.cx.now());
        self.effects.change(Change::Clock(clock));
    }
}
