//! Split rules: saved, and one of them put in force.

use super::Sellers;
use super::room::{Change, SellerRoom};
use crate::domain::ids::{SellerId, SplitRuleId};
use crate::domain::payments::split::{RuleDraft, SplitLine, SplitRefusal, SplitRule};
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, Decision};
use crate::query;
use crate::tables::ids;

/// The rules of a seller are read for each payment that follows one.
const MOST_RULES: usize = 100;

impl Sellers {
    /// Makes a split rule, not yet in force, or the next version of the one with this id, which
    /// stays in force if it was. Saying the same again changes nothing. Refused as
    /// [`SplitRefusal`] says, when there is no such rule, and when there are too many.
    pub async fn save_split_rule(
        &self,
        id: SellerId,
        rule: Option<SplitRuleId>,
        draft: RuleDraft,
    ) -> Result<SplitRule, AskError> {
        self.rooms.command(id, move |room, cx| room.save_split_rule(cx, rule, &draft)).await
    }

    /// Puts a split rule in force: payments without a distribution of their own follow it. At most
    /// one rule is in force. Refused when one of its payees is archived.
    pub async fn activate_split_rule(
        &self,
        id: SellerId,
        rule: SplitRuleId,
    ) -> Result<SplitRule, AskError> {
        self.rooms.command(id, move |room, cx| room.activate_split_rule(cx, rule)).await
    }
}

impl SellerRoom {
    fn save_split_rule(
        &self,
        cx: &Context<Self>,
        id: Option<SplitRuleId>,
        draft: &RuleDraft,
    ) -> Result<Decision<Self, SplitRule>, Refusal> {
        let before = id.map(|id| self.split_rule(id)).transpose()?;
        self.account()?;
        if before.is_none() && self.split_rules.len() >= MOST_RULES {
            let text = format!("a seller has at most {MOST_RULES} split rules");
            return Err(Refusal::unprocessable(text));
        }
        draft.check()?;
        self.payees_are_there(cx, &draft.lines)?;
        let id = id.unwrap_or_else(|| SplitRuleId(cx.id(ids::SPLIT_RULE)));
        match (SplitRule::saved(id, self.id, draft.clone(), before), before) {
            (Some(saved), _) => {
                let mut effects = self.configuring(cx);
                effects.change(Change::SplitRule(Box::new(saved.clone())));
                Ok(effects.answer(saved))
            }
            (None, Some(before)) => Ok(Decision::unchanged(before.clone())),
            (None, None) => Err(Refusal::fault()),
        }
    }

    fn activate_split_rule(
        &self,
        cx: &Context<Self>,
        id: SplitRuleId,
    ) -> Result<Decision<Self, SplitRule>, Refusal> {
        let rule = SplitRule { active: true, ..self.split_rule(id)?.clone() };
        self.payees_are_there(cx, &rule.lines)?;
        let mut effects = self.configuring(cx);
        for other in self.split_rules.iter().filter(|other| other.active && other.id != id) {
            let retired = SplitRule { active: false, ..other.clone() };
            effects.change(Change::SplitRule(Box::new(retired)));
        }
        effects.change(Change::SplitRule(Box::new(rule.clone())));
        Ok(effects.answer(rule))
    }

    fn split_rule(&self, id: SplitRuleId) -> Result<&SplitRule, Refusal> {
        let known = self.split_rules.iter().find(|rule| rule.id == id);
        known.ok_or_else(Refusal::missing)
    }

    fn payees_are_there(&self, cx: &Context<Self>, lines: &[SplitLine]) -> Result<(), Refusal> {
        for line in lines {
            match cx.read(query::payee(cx.store(), self.id, line.payee))? {
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

#[cfg(test)]
mod tests;
