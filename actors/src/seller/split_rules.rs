//! Split rules: saved, and one of them put in force.

use storage::Scan;

use super::Sellers;
use super::room::{Change, SellerRoom};
use crate::domain::ids::{PersonId, SellerId, SplitRuleId};
use crate::domain::payments::split::{
    RECEIPT_SECONDS, RuleDraft, SplitLine, SplitReceipt, SplitRefusal, SplitRule,
};
use crate::domain::platform::seller::KeyHash;
use crate::domain::refusal::Refusal;
use crate::kernel::{AskError, Context, Decision, Effects, KeyClaim, Once};
use crate::query;
use crate::tables::{SPLIT_RECEIPTS, ids};

/// The rules of a seller are read for each payment that follows one.
const MOST_RULES: usize = 100;

impl Sellers {
    /// Makes a split rule, not yet in force, or the next version of the one with this id, once for
    /// each key: if that is in force, it is followed as it was activated until it is activated
    /// anew. Saying the same again changes nothing. Refused as [`SplitRefusal`] says, when there is
    /// no such rule, and when there are too many.
    pub async fn save_split_rule(
        &self,
        id: SellerId,
        rule: Option<SplitRuleId>,
        draft: RuleDraft,
        claim: KeyClaim,
    ) -> Result<Once<SplitRule>, AskError> {
        let save = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            claim.check(cx, room.id)?;
            let (mut effects, saved) = room.save_split_rule(cx, rule, &draft)?;
            claim.hold(&mut effects, room.id, saved.id.0);
            Ok(effects.answer(saved))
        };
        self.rooms.once(id, save).await
    }

    /// The receipt with which a split rule can be put in force by whoever looks at it now.
    pub async fn preview_split_rule(
        &self,
        id: SellerId,
        rule: SplitRuleId,
        by: (KeyHash, PersonId),
    ) -> Result<(SplitRule, String), AskError> {
        self.rooms.command(id, move |room, cx| room.preview_split_rule(cx, rule, by)).await
    }

    /// Puts a split rule in force on a receipt, which is used up by it.
    pub async fn activate_previewed(
        &self,
        id: SellerId,
        rule: SplitRuleId,
        receipt: &str,
        by: (KeyHash, PersonId),
    ) -> Result<SplitRule, AskError> {
        let receipt = KeyHash::of(receipt);
        let activate = move |room: &SellerRoom, cx: &Context<SellerRoom>| {
            let known = room.split_rule(rule)?;
            let place = (room.id, receipt);
            let shown = cx.get(SPLIT_RECEIPTS, &place)?.ok_or(SplitRefusal::Receipt)?;
            shown.check(known, by, cx.now())?;
            let (mut effects, rule) = room.activating(cx, rule)?;
            effects.delete(SPLIT_RECEIPTS, &place);
            Ok(effects.answer(rule))
        };
        self.rooms.command(id, activate).await
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
    ) -> Result<(Effects<Self>, SplitRule), Refusal> {
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
                Ok((effects, saved))
            }
            (None, Some(before)) => Ok((Effects::new(), before.clone())),
            (None, None) => Err(Refusal::fault()),
        }
    }

    fn preview_split_rule(
        &self,
        cx: &Context<Self>,
        id: SplitRuleId,
        (session, person): (KeyHash, PersonId),
    ) -> Result<Decision<Self, (SplitRule, String)>, Refusal> {
        let (rule, now) = (self.split_rule(id)?.clone(), cx.now());
        let mut effects = Effects::new();
        for row in cx.store().scan(SPLIT_RECEIPTS, Scan::prefix(&(self.id,))) {
            let (key, receipt) = cx.read(row)?;
            if receipt.expires_at <= now {
                effects.delete(SPLIT_RECEIPTS, &key);
            }
        }
        let token = cx.entropy().token();
        let expires_at = now.plus_seconds(RECEIPT_SECONDS);
        let receipt = SplitReceipt { session, person, rule: rule.clone(), expires_at };
        effects.put(SPLIT_RECEIPTS, &(self.id, KeyHash::of(&token)), &receipt);
        Ok(effects.answer((rule, token)))
    }

    fn activate_split_rule(
        &self,
        cx: &Context<Self>,
        id: SplitRuleId,
    ) -> Result<Decision<Self, SplitRule>, Refusal> {
        let (effects, rule) = self.activating(cx, id)?;
        Ok(effects.answer(rule))
    }

    fn activating(
        &self,
        cx: &Context<Self>,
        id: SplitRuleId,
    ) -> Result<(Effects<Self>, SplitRule), Refusal> {
        let rule = self.split_rule(id)?.activated();
        self.payees_are_there(cx, &rule.lines)?;
        let mut effects = self.configuring(cx);
        for other in self.split_rules.iter().filter(|other| other.active && other.id != id) {
            effects.change(Change::SplitRule(Box::new(other.retired())));
        }
        effects.change(Change::SplitRule(Box::new(rule.clone())));
        Ok((effects, rule))
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
