//! Filling a demo account with a story.

use storage::ReadError;

use super::room::SellerRoom;
use super::{Sellers, audit};
use crate::domain::ids::SellerId;
use crate::domain::platform::audit::Act;
use crate::domain::platform::demo_fill::{DemoFill, begin};
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, Decision, Effects};
use crate::tables::DEMO_FILLS;

impl Sellers {
    /// Takes note that an account is being filled: that happens once.
    pub async fn begin_fill(&self, id: SellerId, act: Act) -> Result<(), AskError> {
        let begin = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            let before = cx.get(DEMO_FILLS, &room.id)?;
            let begun = begin(room.account()?, before.as_ref(), cx.now())?;
            let mut effects = Effects::new();
            effects.put(DEMO_FILLS, &room.id, &begun);
            audit::write(&mut effects, cx, room, &act);
            Ok(effects.answer(()))
        };
        self.rooms.command(id, begin).await
    }

    /// Takes note that the filling has ended.
    pub async fn end_fill(&self, id: SellerId, failed: bool) -> Result<(), AskError> {
        let end = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            let Some(begun) = cx.get(DEMO_FILLS, &room.id)? else {
                return Ok(Decision::<SellerRoom, ()>::unchanged(()));
            };
            let mut effects = Effects::new();
            let ended = DemoFill { ended_at: Some(cx.now()), failed, ..begun };
            effects.put(DEMO_FILLS, &room.id, &ended);
            Ok::<_, Refusal>(effects.answer(()))
        };
        self.rooms.command(id, end).await
    }

    pub fn demo_fill(&self, id: SellerId) -> Result<Option<DemoFill>, ReadError> {
        self.store.get(DEMO_FILLS, &id)
    }
}
