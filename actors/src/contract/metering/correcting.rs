//! Corrections of late events (billing 3.3, decisions 6).

use storage::ReadError;

use crate::contract::command::Answer;
use crate::contract::room::ContractRoom;
use crate::contract::write::{Write, unexpected};
use crate::domain::billing::usage::{Adjustment, AdjustmentKey, CorrectLate, LateEvent};
use crate::domain::ids::AdjustmentId;
use crate::domain::refusal::Refusal;
use crate::kernel::Once;
use crate::room::{Desk, Refused};
use crate::tables::{ADJUSTMENT_KEYS, LATE_EVENTS, USAGE_ADJUSTMENTS, ids};

impl ContractRoom {
    pub(super) fn correct_late(
        &mut self,
        desk: &Desk<Self>,
        request: &CorrectLate,
        reply: Answer<Once<Adjustment>>,
    ) {
        if self.contract.is_none() {
            return reply.send(Err(Refusal::missing()));
        }
        if let Err(refusal) = request.check() {
            return reply.send(Err(refusal.into()));
        }
        let row = (self.seller, request.key.clone());
        let read = || desk.store().contains(ADJUSTMENT_KEYS, &row);
        let known = &self.metering.ledger.keys;
        let Some(reply) = known.unless_there(desk, &request.key, read, Once::Before, reply) else {
            return;
        };
        let mut write = match Write::new(self, desk) {
            Ok(write) => write,
            Err(refusal) => return reply.send(Err(refusal)),
        };
        let late = match self.late_events(desk, request) {
            Ok(late) => late,
            Err(error) => return reply.send(Err(self.unreadable(desk, &error))),
        };
        let coverage = self.metering.coverage(&self.subscriptions);
        let metering = |day| coverage.period_of(day).map(|period| period.subscription);
        let id = AdjustmentId(desk.next_id(ids::ADJUSTMENT));
        let made = match request.decide((self.id, id), &late, metering, write.now) {
            Ok(made) => made,
            Err(refusal) => return reply.send(Err(refusal.into())),
        };
        let claim = AdjustmentKey { contract: self.id, adjustment: id };
        write.batch.claim(ADJUSTMENT_KEYS, &row, &claim);
        write.batch.put(USAGE_ADJUSTMENTS, &(self.seller, self.id, id), &made);
        let ledger = &mut self.metering.ledger;
        ledger.keys.note(desk, made.key.clone(), ());
        for (event, late) in made.events.iter().zip(late.into_iter().flatten()) {
            let corrected = LateEvent { corrected_by: Some(id), ..late };
            write.batch.put(LATE_EVENTS, &(self.seller, self.id, *event), &corrected);
            ledger.corrected.note(desk, *event, corrected);
        }
        ledger.adjustments.insert(id, made.clone());
        write.finish(self, desk, reply, move |result| match result {
            Ok(_) => Ok(Once::Made(made)),
            // Another contract's room was first with this key.
            Err(Refused::Claimed(_)) => Ok(Once::Before),
            Err(refused) => Err(unexpected(refused)),
        });
    }

    /// The late events that a request names, in its order, as far as they are there.
    fn late_events(
        &self,
        desk: &Desk<Self>,
        request: &CorrectLate,
    ) -> Result<Vec<Option<LateEvent>>, ReadError> {
        let read = |event| desk.store().get(LATE_EVENTS, &(self.seller, self.id, event));
        let known = &self.metering.ledger.corrected;
        request.events.iter().map(|event| known.get(event, || read(*event))).collect()
    }
}
