//! Recording the rows of an upload: as other events, and with how they fared, so that rows which
//! come again after a crash are counted as they were (billing 4.6, decisions 6).

use storage::Batch;

use crate::contract::command::Answer;
use crate::contract::room::ContractRoom;
use crate::contract::write::unexpected;
use crate::domain::billing::usage::NewEvent;
use crate::domain::billing::usage::upload::{Window, WindowOutcome};
use crate::domain::refusal::Refusal;
use crate::room::{Desk, Refused};
use crate::tables::UPLOAD_WINDOWS;

impl ContractRoom {
    /// The answer is none when another contract was first with one of the keys; then nothing was
    /// written.
    pub(super) fn record_upload(
        &mut self,
        desk: &Desk<Self>,
        window: Window,
        events: &[NewEvent],
        reply: Answer<Option<WindowOutcome>>,
    ) {
        if self.contract.is_none() {
            return reply.send(Err(Refusal::missing()));
        }
        let row = (self.seller, window.upload, window.part, self.id);
        let known = match desk.store().get(UPLOAD_WINDOWS, &row) {
            Ok(known) => known,
            Err(error) => return reply.send(Err(self.unreadable(desk, &error))),
        };
        // What was found may be on its way to the disk still: it is told behind it.
        if let Some(known) = known {
            return desk.commit(Batch::new(), reply, |result| {
                result.map(|_| Some(known)).map_err(unexpected)
            });
        }
        let (verdicts, batch) = match self.judge(desk, events) {
            Ok(judged) => judged,
            Err(error) => return reply.send(Err(self.unreadable(desk, &error))),
        };
        let mut outcome = WindowOutcome::default();
        for (place, verdict) in (0..).zip(verdicts) {
            match verdict {
                Ok(ingested) => outcome.recorded(ingested.duplicate),
                Err(refusal) => outcome.refused(place, &refusal.text),
            }
        }
        let mut batch = batch.unwrap_or_default();
        // Rows of which none is new fare the same, or are new for the first time.
        if outcome.tally.ingested > 0 {
            batch.claim(UPLOAD_WINDOWS, &row, &outcome);
        }
        desk.commit(batch, reply, move |result| match result {
            Ok(_) => Ok(Some(outcome)),
            Err(Refused::Claimed(_)) => Ok(None),
            Err(refused) => Err(unexpected(refused)),
        });
        self.metering.tidy(desk.answered());
    }
}
