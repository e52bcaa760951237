//! Recording events: which are new, which are refused, and the one batch that they all become
//! (billing 4.6).

mod pass;
mod place;

use storage::{Batch, ReadError};

use self::pass::Pass;
use crate::contract::command::Answer;
use crate::contract::room::ContractRoom;
use crate::contract::write::unexpected;
use crate::domain::billing::usage::{Ingested, NewEvent};
use crate::domain::refusal::Refusal;
use crate::room::{Desk, Refused};
use crate::tables::{USAGE_KEYS, ids};

/// What became of each event of a command, in order.
pub(super) type Verdicts = Vec<Result<Ingested, Refusal>>;

/// How a command to record events ended.
#[derive(Debug)]
pub enum Recorded {
    /// All events were judged, and what is to be kept is durable.
    Done(Verdicts),
    /// Another contract was first with one of the keys; nothing was written.
    Raced,
}

impl ContractRoom {
    pub(super) fn record(
        &mut self,
        desk: &Desk<Self>,
        events: &[NewEvent],
        reply: Answer<Recorded>,
    ) {
        if self.contract.is_none() {
            return reply.send(Err(Refusal::missing()));
        }
        let (verdicts, batch) = match self.judge(desk, events) {
            Ok(judged) => judged,
            Err(error) => return reply.send(Err(self.unreadable(desk, &error))),
        };
        match batch {
            None => reply.send(Ok(Recorded::Done(verdicts))),
            Some(batch) => desk.commit(batch, reply, move |result| match result {
                Ok(_) => Ok(Recorded::Done(verdicts)),
                Err(Refused::Claimed(_)) => Ok(Recorded::Raced),
                Err(refused) => Err(unexpected(refused)),
            }),
        }
        self.metering.tidy(desk.answered());
    }

    /// Judges the events in order. The batch is what has to be durable before the verdicts are
    /// told: an empty one where they rest on what is in flight alone, none where they rest on
    /// nothing.
    pub(super) fn judge(
        &mut self,
        desk: &Desk<Self>,
        events: &[NewEvent],
    ) -> Result<(Verdicts, Option<Batch>), ReadError> {
        let Some(seller) = desk.tools().directory.seller(self.seller)? else {
            return Ok((events.iter().map(|_| Err(Refusal::missing())).collect(), None));
        };
        // One reading for the whole command: a batch that is answered from here on may be refused,
        // and then what rests on its keys has to be judged again.
        let landed = desk.answered();
        self.metering.keys.landed(landed);
        let wanted: Vec<_> = events.iter().map(|event| event.fingerprint).collect();
        let lookup = desk.store().find_fingerprints(USAGE_KEYS, self.seller.0, &wanted)?;
        let free = lookup.found.iter().filter(|found| found.is_none()).count();
        let ids = desk.store().next_ids(ids::USAGE_EVENT, free);
        let mut pass = Pass::new(self, desk, &seller, ids, landed);
        let mut verdicts = Vec::with_capacity(events.len());
        for ((number, event), durable) in events.iter().enumerate().zip(lookup.found) {
            let verdict = pass.event(number, event, durable)?;
            verdicts.push(verdict.map_err(Refusal::from));
        }
        let batch = pass.batch(events, lookup.seen)?;
        Ok((verdicts, batch))
    }

    /// Usage that cannot be read leaves a command half done: the room's memory is given up.
    pub(super) fn unreadable(&self, desk: &Desk<Self>, error: &ReadError) -> Refusal {
        tracing::error!(%error, contract = %self.id, "a contract room cannot read its usage");
        desk.retire();
        Refusal::fault()
    }
}
