//! Split rules in a running system.

use storage::Batch;
use storage::testing::TempStore;

use crate::domain::ids::{PayeeId, SellerId, SplitRuleId};
use crate::domain::payments::split::{AllocationMode, RuleDraft, SplitLine, SplitRule};
use crate::domain::refusal::{Refusal, RefusalKind};
use crate::entropy::Entropy;
use crate::kernel::{AskError, KeyClaim, Once};
use crate::query;
use crate::seller::SellerRoom;
use crate::system::{System, SystemSettings};
use crate::tables::SPLIT_RULES;
use crate::testing::{Running, read_room};

struct House {
    store: TempStore,
    system: System,
    seller: SellerId,
    payees: [PayeeId; 2],
    minted: SplitRuleId,
}

impl House {
    async fn open() -> Self {
        let Running { store, system, minted, .. } = Running::open(SystemSettings::testing()).await;
        for payee in &minted.payees {
            let opened = system.payees.ensure_payee(payee.clone(), Vec::new()).await;
            opened.expect("opened");
        }
        let payees = [minted.payees[0].id, minted.payees[1].id];
        let rule = minted.split_rule.expect("a rule").id;
        Self { store, system, seller: minted.seller.id, payees, minted: rule }
    }

    fn draft(&self, bps: u32) -> RuleDraft {
        let lines = vec![SplitLine::percent(self.payees[0], 1, bps)];
        RuleDraft { name: "Couriers".to_owned(), lines, ..RuleDraft::default() }
    }

    /// Saves a rule under a key of its own.
    async fn save(
        &self,
        rule: Option<SplitRuleId>,
        draft: RuleDraft,
    ) -> Result<SplitRule, Refusal> {
        let claim = KeyClaim::testing("split-rules", &Entropy.token());
        let saved = self.system.sellers.save_split_rule(self.seller, rule, draft, claim).await;
        saved.map_err(AskError::refusal).map(Once::made)
    }

    async fn activate(&self, rule: SplitRuleId) -> Result<SplitRule, Refusal> {
        let active = self.system.sellers.activate_split_rule(self.seller, rule).await;
        active.map_err(AskError::refusal)
    }

    /// The rule in force as payments are told of it.
    fn kept(&self) -> Option<SplitRule> {
        let known = self.system.directory.seller(self.seller).expect("readable");
        known.and_then(|known| known.split_rule.clone())
    }

    fn active(&self) -> Option<SplitRule> {
        let rules = query::split_rules(&self.store, self.seller).expect("readable");
        query::active_split_rule(&self.store, rules).expect("readable")
    }
}

fn counts(rule: Option<SplitRule>) -> Vec<bool> {
    rule.iter().flat_map(|rule| &rule.lines).map(|line| line.is_enabled).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_rule_at_most_is_in_force() {
    let house = House::open().await;
    assert_eq!(house.active(), None, "the minted rule is not in force");
    house.activate(house.minted).await.expect("activated");
    let other = house.save(None, house.draft(5_000)).await.expect("saved");
    assert_eq!((other.version, other.active), (1, false));
    house.activate(other.id).await.expect("activated");
    let rules = query::split_rules(&house.store, house.seller).expect("readable");
    let active: Vec<_> = rules.iter().filter(|rule| rule.active).map(|rule| rule.id).collect();
    assert_eq!((rules.len(), active), (2, vec![other.id]));
    house.activate(other.id).await.expect("twice is once");
    assert_eq!(house.active().expect("a rule").version, 1);
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_rule_is_followed_as_it_was_until_it_is_activated_anew() {
    let house = House::open().await;
    house.activate(house.minted).await.expect("activated");
    let draft = RuleDraft { allocation_mode: AllocationMode::Weight, ..house.draft(1) };
    let second = house.save(Some(house.minted), draft.clone()).await.expect("saved");
    assert_eq!((second.version, second.active), (2, true));
    let again = house.save(Some(house.minted), draft).await.expect("saved");
    assert_eq!(again, second);
    assert_eq!(house.active().expect("a rule").version, 1);
    let third = house.save(Some(house.minted), house.draft(1)).await.expect("saved");
    assert_eq!((third.version, house.active().expect("a rule").version), (3, 1));
    let activated = house.activate(house.minted).await.expect("activated");
    assert_eq!((activated.in_force.clone(), house.active()), (None, Some(activated)));
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_names_payees_that_are_there() {
    let house = House::open().await;
    let mut strange = house.draft(1);
    strange.lines[0].payee = PayeeId(9_999);
    let missing = house.save(None, strange).await.expect_err("no such payee");
    assert_eq!(
        (missing.kind, missing.text.as_str()),
        (RefusalKind::Missing, "payeeId 9999 not found")
    );
    let unknown = house.activate(SplitRuleId(9_999)).await.expect_err("no such rule");
    assert_eq!(unknown.kind, RefusalKind::Missing);
    let empty = RuleDraft { lines: Vec::new(), ..house.draft(1) };
    assert_eq!(house.save(None, empty).await.expect_err("no line").kind, RefusalKind::Invalid);

    house.activate(house.minted).await.expect("activated");
    assert_eq!(counts(house.kept()), [true, true]);
    let archived = house.system.payees.archive(house.seller, house.payees[0]).await;
    archived.expect("archived");
    let refused = house.save(None, house.draft(1)).await.expect_err("archived");
    assert_eq!(refused.kind, RefusalKind::Conflict);
    assert_eq!(counts(house.active()), [false, true], "the archived payee gets nothing");
    assert_eq!(counts(house.kept()), [false, true], "what is kept of the seller says so too");
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seller_has_a_hundred_rules_at_most() {
    let house = House::open().await;
    // The account was minted with one.
    for nth in 1..100 {
        house.save(None, house.draft(nth)).await.expect("saved");
    }
    let refused = house.save(None, house.draft(100)).await.expect_err("one too many");
    assert_eq!(refused, Refusal::unprocessable("a seller has at most 100 split rules"));
    let known = house.save(Some(house.minted), house.draft(100)).await;
    assert!(known.is_ok(), "one that is there can be changed");
    house.system.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_seller_is_read_with_one_request_however_much_it_has_set_up() {
    let mut house = House::open().await;
    house.system.stop().await;
    house.store.reopen();
    let read = || -> (SellerRoom, _) {
        read_room(&house.store, house.seller, house.system.sellers.rooms.tools())
    };
    let (room, fresh) = read();
    assert_eq!((room.split_rules.len(), fresh), (1, [1, 0]));
    let mut batch = Batch::new();
    for number in 1..=1_000 {
        let id = SplitRuleId(house.minted.0 + number);
        let rule = SplitRule { id, active: false, ..room.split_rules[0].clone() };
        batch.put(SPLIT_RULES, &(house.seller, id), &rule);
    }
    house.store.write_blocking(batch).expect("durable");
    let (room, grown) = read();
    assert_eq!((room.split_rules.len(), grown), (1_001, fresh));
}
