//! How far uploads are.

use super::{SellerRoom, Sellers};
use crate::domain::billing::usage::dead_letter::{LetterSource, RefusedEvent};
use crate::domain::billing::usage::upload::{Fared, Upload};
use crate::domain::ids::{SellerId, UploadId};
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, Decision, Effects};
use crate::tables::UPLOADS;

/// An upload behind some rows, and how many letters its seller has parked then.
#[derive(Clone, Debug)]
pub(crate) struct Counted {
    pub(crate) upload: Upload,
    pub(crate) parked: u64,
}

impl Sellers {
    pub(crate) async fn accept_upload(&self, id: SellerId, upload: Upload) -> Result<(), AskError> {
        let accept = move |room: &SellerRoom, _: &Context<SellerRoom>| {
            let mut effects = Effects::new();
            effects.put(UPLOADS, &(room.id, upload.id), &upload);
            Ok(effects.answer(()))
        };
        self.rooms.command(id, accept).await
    }

    pub(crate) async fn count_rows(
        &self,
        id: SellerId,
        upload: UploadId,
        fared: Fared,
        refused: Vec<RefusedEvent>,
    ) -> Result<Counted, AskError> {
        self.rooms.command(id, move |room, cx| room.count_rows(cx, upload, fared, &refused)).await
    }

    /// Stops an upload of which nothing more can be parked or kept.
    pub(crate) async fn stop_upload(
        &self,
        id: SellerId,
        upload: UploadId,
        reason: String,
    ) -> Result<Upload, AskError> {
        let stop = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            let known = room.upload(cx, upload)?;
            let Some(next) = known.without_room(&reason, cx.now()) else {
                return Ok(Decision::unchanged(known));
            };
            let mut effects = Effects::new();
            effects.put(UPLOADS, &(room.id, upload), &next);
            Ok(effects.answer(next))
        };
        self.rooms.command(id, stop).await
    }
}

impl SellerRoom {
    /// Counts and parks in one write: rows are counted once, and what was refused of them is
    /// parked once. Rows that were counted before change nothing.
    fn count_rows(
        &self,
        cx: &Context<Self>,
        id: UploadId,
        fared: Fared,
        refused: &[RefusedEvent],
    ) -> Result<Decision<Self, Counted>, Refusal> {
        let upload = self.upload(cx, id)?;
        let parked = self.parked;
        let Some(next) = upload.advanced(fared, cx.now()) else {
            return Ok(Decision::unchanged(Counted { upload, parked }));
        };
        let mut effects = Effects::new();
        self.put_letters(&mut effects, cx, LetterSource::Csv, refused);
        effects.put(UPLOADS, &(self.id, id), &next);
        let parked = parked + refused.len() as u64;
        Ok(effects.answer(Counted { upload: next, parked }))
    }

    fn upload(&self, cx: &Context<Self>, id: UploadId) -> Result<Upload, Refusal> {
        cx.get(UPLOADS, &(self.id, id))?.ok_or_else(Refusal::missing)
    }
}
