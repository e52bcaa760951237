//! Terminals: made and changed.

use super::Sellers;
use super::room::{Change, SellerRoom};
use crate::domain::ids::{SellerId, TerminalId};
use crate::domain::payments::terminal::{NewTerminal, Terminal, TerminalRefusal};
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, Effects, KeyClaim, Once};
use crate::query;
use crate::secrets::Place;
use crate::tables::ids;

/// All terminals of a seller are read for each payment: there are few.
const MOST_TERMINALS: usize = 100;

impl Sellers {
    /// Makes a terminal, or puts `new` in the place of the one with this id. Payments that went
    /// through it are carried on as it is afterwards, so its processor stays where it is while some
    /// of them are open. Refused without a secret key where one is needed, and when there are too many.
    pub async fn save_terminal(
        &self,
        id: SellerId,
        terminal: Option<TerminalId>,
        new: NewTerminal,
    ) -> Result<Terminal, AskError> {
        let save = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            let (effects, saved) = room.save_terminal(cx, terminal, |_| Ok(new.clone()))?;
            Ok(effects.answer(saved))
        };
        self.rooms.command(id, save).await
    }

    /// The same in the hands of the seller, who does not say how a processor is reached; once for
    /// each key.
    pub async fn save_own_terminal(
        &self,
        id: SellerId,
        terminal: Option<TerminalId>,
        new: NewTerminal,
        claim: KeyClaim,
    ) -> Result<Once<Terminal>, AskError> {
        let save = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            claim.check(cx, room.id)?;
            let own = |before: Option<&Terminal>| new.clone().of_seller(before);
            let (mut effects, saved) = room.save_terminal(cx, terminal, own)?;
            claim.hold(&mut effects, room.id, saved.id.0);
            Ok(effects.answer(saved))
        };
        self.rooms.once(id, save).await
    }
}

impl SellerRoom {
    fn save_terminal(
        &self,
        cx: &Context<Self>,
        id: Option<TerminalId>,
        new: impl FnOnce(Option<&Terminal>) -> Result<NewTerminal, TerminalRefusal>,
    ) -> Result<(Effects<Self>, Terminal), Refusal> {
        let before = self.terminals.iter().find(|terminal| Some(terminal.id) == id);
        if self.seller.is_none() || (id.is_some() && before.is_none()) {
            return Err(Refusal::missing());
        }
        if before.is_none() && self.terminals.len() >= MOST_TERMINALS {
            return Err(TerminalRefusal::TooMany(MOST_TERMINALS).into());
        }
        let id = id.unwrap_or_else(|| TerminalId(cx.id(ids::TERMINAL)));
        let place = Place::TerminalKey(self.id, id);
        let seal = |key: &str| cx.tools().secrets.seal(place, key.as_bytes(), cx.entropy().bytes());
        let saved = new(before)?.saved(id, self.id, before, seal)?;
        if before.is_some_and(|before| before.moves_away_as(&saved))
            // One that begins at this moment may be missed: what the processor does not know stays
            // open until a person resolves it.
            && cx.read(query::has_open_payments(cx.store(), self.id, id))?
        {
            return Err(TerminalRefusal::HasOpenPayments.into());
        }
        let mut effects = self.configuring(cx);
        effects.change(Change::Terminal(Box::new(saved.clone())));
        Ok((effects, saved))
    }
}
