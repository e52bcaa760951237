//! Saving split rules and putting one in force (payments 2.6, decisions 7).

use storage::{Batch, ReadError};

use super::handle::{self, Asked, Sellers};
use super::room::SellerRoom;
use crate::domain::ids::{SellerId, SplitRuleId};
use crate::domain::payments::split::{RuleDraft, SplitLine, SplitRefusal, SplitRule};
use crate::domain::refusal::Refusal;
use crate::query;
use crate::room::{Desk, Reply};
use crate::tables::{SPLIT_RULES, ids};

/// The rules of a seller are read for each payment that follows one.
const MOST_RULES: usize = 100;

/// What can be asked of a seller room about split rules.
#[derive(Debug)]
pub enum Command {
    /// Makes a rule, or changes the one with this id.
    Save { rule: Option<SplitRuleId>, draft: Box<RuleDraft>, reply: Answer },
    /// Puts a rule in force, and the one that was out of it.
    Activate { rule: SplitRuleId, reply: Answer },
}

type Answer = Reply<Result<SplitRule, Refusal>>;

impl Sellers {
    /// Makes a split rule, not yet in force, or the next version of the one with this id, which
    /// stays in force if it was. Saying the same again changes nothing.
    ///
    /// # Errors
    /// [`AskError`](crate::room::AskError); refused as [`SplitRefusal`] says, when there is no
    /// such rule, and when there are too many.
    pub async fn save_split_rule(
        &self,
        id: SellerId,
        rule: Option<SplitRuleId>,
        draft: RuleDraft,
    ) -> Asked<SplitRule> {
        let command = |reply| {
            let draft = Box::new(draft.clone());
            handle::Command::Splits(Command::Save { rule, draft, reply })
        };
        self.rooms.ask(id, command).await
    }

    /// Puts a split rule in force: payments without a distribution of their own follow it. At most
    /// one rule is in force.
    ///
    /// # Errors
    /// [`AskError`](crate::room::AskError); refused when there is no such rule, and when one of
    /// its payees is archived.
    pub async fn activate_split_rule(&self, id: SellerId, rule: SplitRuleId) -> Asked<SplitRule> {
        let command = |reply| handle::Command::Splits(Command::Activate { rule, reply });
        self.rooms.ask(id, command).await
    }
}

impl SellerRoom {
    /// Decides one command on split rules.
    pub(super) fn splits(&mut self, desk: &Desk<Self>, command: Command) {
        let (done, reply) = match command {
            Command::Save { rule, draft, reply } => (self.saved(desk, rule, *draft), reply),
            Command::Activate { rule, reply } => (self.activated(desk, rule), reply),
        };
        match done {
            Ok((batch, rule)) => self.commit_config(desk, batch, reply, rule),
            Err(refusal) => reply.send(Err(refusal)),
        }
    }

    fn saved(
        &mut self,
        desk: &Desk<Self>,
        id: Option<SplitRuleId>,
        draft: RuleDraft,
    ) -> Result<(Batch, SplitRule), Refusal> {
        let before = id.map(|id| self.split_rule(id)).transpose()?.cloned();
        if self.seller.is_none() {
            return Err(Refusal::missing());
        }
        if before.is_none() && self.split_rules.len() >= MOST_RULES {
            let text = format!("a seller has at most {MOST_RULES} split rules");
            return Err(Refusal::conflict(text));
        }
        draft.check()?;
        self.payees_are_there(desk, &draft.lines)?;
        let id = id.unwrap_or_else(|| SplitRuleId(desk.next_id(ids::SPLIT_RULE)));
        let mut batch = Batch::new();
        let saved = SplitRule::saved(id, self.id, draft, before.as_ref());
        if let Some(saved) = &saved {
            self.put_rule(&mut batch, saved.clone());
        }
        let rule = saved.or(before).ok_or_else(Refusal::fault)?;
        Ok((batch, rule))
    }

    fn activated(
        &mut self,
        desk: &Desk<Self>,
        id: SplitRuleId,
    ) -> Result<(Batch, SplitRule), Refusal> {
        let rule = SplitRule { active: true, ..self.split_rule(id)?.clone() };
        self.payees_are_there(desk, &rule.lines)?;
        let mut batch = Batch::new();
        for other in self.split_rules.clone() {
            if other.active && other.id != id {
                self.put_rule(&mut batch, SplitRule { active: false, ..other });
            }
        }
        self.put_rule(&mut batch, rule.clone());
        Ok((batch, rule))
    }

    fn split_rule(&self, id: SplitRuleId) -> Result<&SplitRule, Refusal> {
        let known = self.split_rules.iter().find(|rule| rule.id == id);
        known.ok_or_else(Refusal::missing)
    }

    fn put_rule(&mut self, batch: &mut Batch, rule: SplitRule) {
        batch.put(SPLIT_RULES, &(self.id, rule.id), &rule);
        match self.split_rules.iter_mut().find(|known| known.id == rule.id) {
            Some(known) => *known = rule,
            None => self.split_rules.push(rule),
        }
    }

    fn payees_are_there(&self, desk: &Desk<Self>, lines: &[SplitLine]) -> Result<(), Refusal> {
        for line in lines {
            let known = query::payee(desk.store(), self.id, line.payee);
            let known = known.map_err(|error| unreadable(&error))?;
            match known {
                None => return Err(SplitRefusal::PayeeMissing(line.payee).into()),
                Some(payee) if payee.is_archived() => {
                    return Err(SplitRefusal::PayeeArchived(line.payee).into());
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}

fn unreadable(error: &ReadError) -> Refusal {
    tracing::error!(%error, "a seller room cannot read a payee");
    Refusal::fault()
}

#[cfg(test)]
mod tests;
