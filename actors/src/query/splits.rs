//! Split rules, and how payments were split.

use storage::{ReadError, Scan, Store, View};

use super::payees_of;
use crate::domain::ids::{PaymentId, SellerId, SplitRuleId};
use crate::domain::payments::split::{DecisionRecord, SplitRule};
use crate::tables::{DECISIONS, SPLIT_RULES};

pub fn split_rule(
    store: &Store,
    seller: SellerId,
    id: SplitRuleId,
) -> Result<Option<SplitRule>, ReadError> {
    store.get(SPLIT_RULES, &(seller, id))
}

/// The split rules of a seller, oldest first. There are few.
pub fn split_rules(store: &View, seller: SellerId) -> Result<Vec<SplitRule>, ReadError> {
    store.scan(SPLIT_RULES, Scan::prefix(&(seller,))).map(|row| row.map(|(_, rule)| rule)).collect()
}

/// The rule of a seller that a payment without a distribution of its own follows, if there is one.
/// A payee that was archived since gets nothing: its line does not count.
pub fn active_split_rule(
    store: &Store,
    rules: Vec<SplitRule>,
) -> Result<Option<SplitRule>, ReadError> {
    let active = rules.into_iter().find(|rule| rule.active);
    active.map(SplitRule::followed).map(|rule| counting_split_rule(store, rule)).transpose()
}

/// A rule with the lines that count: not those of payees that are archived.
pub fn counting_split_rule(store: &Store, mut rule: SplitRule) -> Result<SplitRule, ReadError> {
    let payees = payees_of(store, rule.seller, rule.lines.iter().map(|line| line.payee))?;
    for (line, payee) in rule.lines.iter_mut().zip(payees) {
        line.is_enabled &= payee.is_some_and(|payee| !payee.is_archived());
    }
    Ok(rule)
}

/// How a payment was split: one record for each evaluation, oldest first.
pub fn split_decisions(
    store: &Store,
    seller: SellerId,
    payment: PaymentId,
) -> Result<Vec<DecisionRecord>, ReadError> {
    let rows = store.scan(DECISIONS, Scan::prefix(&(seller, payment)));
    rows.map(|row| row.map(|(_, decision)| decision)).collect()
}
