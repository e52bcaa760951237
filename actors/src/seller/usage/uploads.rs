//! How far uploads are.

use storage::Batch;

use super::command::Answer;
use super::dead_letters::unreadable;
use crate::domain::billing::usage::dead_letter::{LetterSource, RefusedEvent};
use crate::domain::billing::usage::upload::{Tally, Upload};
use crate::domain::ids::UploadId;
use crate::domain::refusal::Refusal;
use crate::room::Desk;
use crate::seller::account::unexpected;
use crate::seller::room::SellerRoom;
use crate::tables::UPLOADS;

impl SellerRoom {
    pub(super) fn accept_upload(&mut self, desk: &Desk<Self>, upload: &Upload, reply: Answer<()>) {
        let mut batch = Batch::new();
        batch.put(UPLOADS, &(self.id, upload.id), upload);
        self.usage.uploads.note(desk, upload.id, upload.clone());
        desk.commit(batch, reply, |result| result.map(drop).map_err(unexpected));
    }

    /// Counts and parks in one write: a part is counted once, and what was refused of it is
    /// parked once. A part that was counted before changes nothing.
    pub(super) fn count_part(
        &mut self,
        desk: &Desk<Self>,
        id: UploadId,
        (part, tally): (u32, Tally),
        refused: Vec<RefusedEvent>,
        reply: Answer<Upload>,
    ) {
        let read = || desk.store().get(UPLOADS, &(self.id, id));
        let upload = match self.usage.uploads.get(&id, read) {
            Ok(Some(upload)) => upload,
            Ok(None) => return reply.send(Err(Refusal::missing())),
            Err(error) => return reply.send(Err(unreadable(&error))),
        };
        let mut batch = Batch::new();
        let upload = match upload.advanced(part, tally, desk.now()) {
            None => upload,
            Some(next) => {
                self.put_letters(desk, &mut batch, LetterSource::Csv, refused);
                batch.put(UPLOADS, &(self.id, id), &next);
                self.usage.uploads.note(desk, id, next.clone());
                next
            }
        };
        desk.commit(batch, reply, |result| result.map(|_| upload).map_err(unexpected));
    }
}
