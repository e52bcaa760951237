//! The audit log.

use storage::Scan;

use super::Sellers;
use super::room::SellerRoom;
use crate::domain::ids::{AuditId, SellerId};
use crate::domain::platform::audit::{AUDIT_DAYS, Act};
use crate::kernel::{AskError, Context, Effects};
use crate::tables::{AUDIT, ids};

/// How many entries that are too old are taken away with each new one.
const FORGOTTEN: usize = 16;

impl Sellers {
    /// Writes down what was done.
    pub async fn note_act(&self, id: SellerId, act: Act) -> Result<(), AskError> {
        let note = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            let mut effects = Effects::new();
            write(&mut effects, cx, room, &act);
            Ok(effects.answer(()))
        };
        self.rooms.command(id, note).await
    }
}

pub(super) fn write(
    effects: &mut Effects<SellerRoom>,
    cx: &Context<SellerRoom>,
    room: &SellerRoom,
    act: &Act,
) {
    let seller = room.id;
    let entry = act.entry(AuditId(cx.id(ids::AUDIT_ENTRY)), cx.now(), &room.keys);
    effects.put(AUDIT, &(seller, entry.id), &entry);
    let kept = cx.now().plus_seconds(-AUDIT_DAYS * 24 * 3_600);
    let old = cx.store().scan(AUDIT, Scan::prefix(&(seller,))).take(FORGOTTEN).flatten();
    for (key, _) in old.take_while(|(_, entry)| entry.at < kept) {
        effects.delete(AUDIT, &key);
    }
}
