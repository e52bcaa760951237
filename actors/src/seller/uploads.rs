//! How far uploads are.

use super::{SellerRoom, Sellers};
use crate::domain::billing::usage::dead_letter::{LetterSource, RefusedEvent};
use crate::domain::billing::usage::upload::{Tally, Upload};
use crate::domain::ids::{SellerId, UploadId};
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, Decision, Effects};
use crate::tables::UPLOADS;

impl Sellers {
    pub(crate) async fn accept_upload(&self, id: SellerId, upload: Upload) -> Result<(), AskError> {
        let accept = move |room: &SellerRoom, _: &Context<SellerRoom>| {
            let mut effects = Effects::new();
            effects.put(UPLOADS, &(room.id, upload.id), &upload);
            Ok(effects.answer(()))
        };
        self.rooms.command(id, accept).await
    }

    pub(crate) async fn count_part(
        &self,
        id: SellerId,
        upload: UploadId,
        part: (u32, Tally),
        refused: Vec<RefusedEvent>,
    ) -> Result<Upload, AskError> {
        self.rooms.command(id, move |room, cx| room.count_part(cx, upload, part, &refused)).await
    }
}

impl SellerRoom {
    /// Counts and parks in one write: a part is counted once, and what was refused of it is
    /// parked once. A part that was counted before changes nothing.
    fn count_part(
        &self,
        cx: &Context<Self>,
        id: UploadId,
        (part, tally): (u32, Tally),
        refused: &[RefusedEvent],
    ) -> Result<Decision<Self, Upload>, Refusal> {
        let upload = cx.get(UPLOADS, &(self.id, id))?.ok_or_else(Refusal::missing)?;
        let Some(next) = upload.advanced(part, tally, cx.now()) else {
            return Ok(Decision::unchanged(upload));
        };
        let mut effects = Effects::new();
        self.put_letters(&mut effects, cx, LetterSource::Csv, refused);
        effects.put(UPLOADS, &(self.id, id), &next);
        Ok(effects.answer(next))
    }
}
