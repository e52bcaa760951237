//! Recording the rows of an upload: as other events, and with how they fared, so that rows which
//! come again after a crash are counted as they were.

use std::sync::Arc;

use crate::contract::Contracts;
use crate::contract::room::{Context, ContractRoom, Decision};
use crate::domain::billing::usage::NewEvent;
use crate::domain::billing::usage::upload::{Window, WindowOutcome};
use crate::domain::ids::{ContractId, SellerId};
use crate::kernel::AskError;
use crate::tables::UPLOAD_WINDOWS;

impl Contracts {
    /// Records the rows of an upload that belong to a contract; those that come again are
    /// answered as they fared the first time.
    pub async fn record_upload(
        &self,
        seller: SellerId,
        contract: ContractId,
        window: Window,
        events: Vec<NewEvent>,
    ) -> Result<WindowOutcome, AskError> {
        let events = Arc::new(events);
        let record = move |room: &ContractRoom, cx: &Context| {
            room.contract()?;
            let row = (seller, window.upload, window.row, contract);
            if let Some(known) = cx.get(UPLOAD_WINDOWS, &row)? {
                return Ok(Decision::unchanged(known));
            }
            let (verdicts, effects) = room.judge(cx, &events)?;
            let mut outcome = WindowOutcome::default();
            for (place, verdict) in (0..).zip(verdicts) {
                match verdict {
                    Ok(ingested) => outcome.recorded(ingested.duplicate),
                    Err(refusal) => outcome.refused(place, &refusal.text),
                }
            }
            // Rows of which none is new fare the same, or are new for the first time.
            let Some(mut effects) = effects else { return Ok(Decision::unchanged(outcome)) };
            effects.claim(UPLOAD_WINDOWS, &row, &outcome);
            Ok(effects.answer(outcome))
        };
        self.rooms.command((seller, contract), record).await
    }
}
