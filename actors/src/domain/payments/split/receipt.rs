//! Receipts of previews: a rule is put in force by whoever has looked at what it does.

use storage::CborRecord;

use super::{SplitRefusal, SplitRule};
use crate::domain::ids::PersonId;
use crate::domain::platform::seller::KeyHash;
use crate::domain::time::Timestamp;

/// How long a receipt counts.
pub const RECEIPT_SECONDS: i64 = 600;

/// What somebody was shown; stored under the hash of its token until it is used or over.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct SplitReceipt {
    /// The session in which it was shown.
    #[n(0)]
    pub session: KeyHash,
    #[n(1)]
    pub person: PersonId,
    #[n(2)]
    pub rule: SplitRule,
    #[n(3)]
    pub expires_at: Timestamp,
}

impl CborRecord for SplitReceipt {}

impl SplitReceipt {
    /// Whether `rule` may be put in force on it by this person, signed in as when it was given.
    pub fn check(
        &self,
        rule: &SplitRule,
        (session, person): (KeyHash, PersonId),
        now: Timestamp,
    ) -> Result<(), SplitRefusal> {
        let same = self.session == session && self.person == person && self.rule.id == rule.id;
        if !same || self.expires_at <= now {
            return Err(SplitRefusal::Receipt);
        }
        if self.rule != *rule {
            return Err(SplitRefusal::Changed);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::{SellerId, SplitRuleId};
    use crate::domain::payments::split::RuleDraft;

    #[test]
    fn a_receipt_is_of_one_session_person_and_state_of_a_rule() {
        let rule = SplitRule::saved(SplitRuleId(1), SellerId(1), RuleDraft::default(), None);
        let rule = rule.expect("a rule");
        let at = |seconds| Timestamp::from_micros(0).plus_seconds(seconds);
        let (session, person) = (KeyHash::of("a"), PersonId(1));
        let receipt =
            SplitReceipt { session, person, rule: rule.clone(), expires_at: at(RECEIPT_SECONDS) };
        let check = |rule: &SplitRule, session, person, now| {
            receipt.check(rule, (session, PersonId(person)), at(now))
        };
        let no = Err(SplitRefusal::Receipt);
        assert_eq!(check(&rule, session, 1, 599), Ok(()));
        assert_eq!(check(&rule, session, 1, 600), no);
        assert_eq!(check(&rule, KeyHash::of("b"), 1, 0), no);
        assert_eq!(check(&rule, session, 2, 0), no);
        let other = SplitRule { id: SplitRuleId(2), ..rule.clone() };
        assert_eq!(check(&other, session, 1, 0), no);
        let edited = SplitRule { version: 2, ..rule };
        assert_eq!(check(&edited, session, 1, 0), Err(SplitRefusal::Changed));
    }
}
