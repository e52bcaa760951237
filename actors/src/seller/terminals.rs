//! Making and changing terminals (decisions 7).

use storage::Batch;

use super::handle::{Asked, Command, Sellers};
use super::room::SellerRoom;
use crate::domain::ids::{SellerId, TerminalId};
use crate::domain::payments::terminal::{NewTerminal, Terminal, TerminalRefusal};
use crate::domain::refusal::Refusal;
use crate::room::{Desk, Reply};
use crate::tables::{TERMINALS, ids};

/// All terminals of a seller are read for each payment: there are few.
const MOST_TERMINALS: usize = 100;

impl Sellers {
    /// Makes a terminal, or puts `new` in the place of the one with this id (decisions 7).
    /// Payments that went through it are carried on as it is afterwards.
    ///
    /// # Errors
    /// [`AskError`](crate::room::AskError). Refused when the seller or the terminal is not
    /// there, without a secret key where one is needed, and when there are too many.
    pub async fn save_terminal(
        &self,
        id: SellerId,
        terminal: Option<TerminalId>,
        new: NewTerminal,
    ) -> Asked<Terminal> {
        let command = |reply| {
            let new = Box::new(new.clone());
            Command::SaveTerminal { terminal, new, reply }
        };
        self.rooms.ask(id, command).await
    }
}

impl SellerRoom {
    pub(super) fn save_terminal(
        &mut self,
        desk: &Desk<Self>,
        id: Option<TerminalId>,
        new: NewTerminal,
        reply: Reply<Result<Terminal, Refusal>>,
    ) {
        let known = self.terminals.iter().position(|terminal| Some(terminal.id) == id);
        if self.seller.is_none() || (id.is_some() && known.is_none()) {
            return reply.send(Err(Refusal::missing()));
        }
        if known.is_none() && self.terminals.len() >= MOST_TERMINALS {
            return reply.send(Err(TerminalRefusal::TooMany(MOST_TERMINALS).into()));
        }
        let id = id.unwrap_or_else(|| TerminalId(desk.next_id(ids::TERMINAL)));
        let seal = |key: &str| desk.tools().secrets.seal(key.as_bytes(), desk.entropy().bytes());
        let before = known.and_then(|at| self.terminals.get(at));
        let saved = match new.saved(id, self.id, before, seal) {
            Ok(saved) => saved,
            Err(refusal) => return reply.send(Err(refusal.into())),
        };
        self.terminals.retain(|terminal| terminal.id != id);
        self.terminals.push(saved.clone());
        let mut batch = Batch::new();
        batch.put(TERMINALS, &(self.id, id), &saved);
        self.commit_config(desk, batch, reply, saved);
    }
}
