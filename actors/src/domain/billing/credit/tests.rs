use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::domain::ids::{CreditEntryId, CustomerId, InvoiceId};
use crate::domain::money::Currency;
use crate::domain::testing::second;
use crate::domain::time::Timestamp;

fn lot(id: u64, credit_type: CreditType, left_minor: i64, expires: Option<i64>) -> Lot {
    let expires_at = expires.map(second);
    Lot { id: CreditEntryId(id), customer: CustomerId(1), credit_type, left_minor, expires_at }
}

fn moment(at: i64) -> CreditMoment {
    CreditMoment { now: second(at), currency: Currency::EUR }
}

fn in_order(mut lots: Vec<Lot>) -> Vec<Lot> {
    lots.sort_by_key(Lot::order);
    lots
}

#[test]
fn what_expires_first_is_drawn_first_then_what_was_granted_then_the_oldest() {
    let lots = in_order(vec![
        lot(1, CreditType::Purchased, 10, None),
        lot(2, CreditType::Manual, 10, None),
        lot(3, CreditType::Gift, 10, Some(90)),
        lot(4, CreditType::Gift, 10, Some(50)),
        lot(5, CreditType::Manual, 10, None),
        lot(6, CreditType::Promotional, 10, Some(90)),
    ]);
    let order: Vec<_> = lots.iter().map(|lot| lot.id.0).collect();
    assert_eq!(order, [4, 3, 6, 2, 5, 1]);
    let drawn = draw(lots.iter(), 35, second(10));
    let parts: Vec<_> = drawn.iter().map(|one| (one.lot.id.0, one.amount_minor)).collect();
    assert_eq!(parts, [(4, 10), (3, 10), (6, 10), (2, 5)]);
    // What has expired is passed over.
    let later: Vec<_> = draw(lots.iter(), 15, second(50)).iter().map(|one| one.lot.id.0).collect();
    assert_eq!(later, [3, 6]);
}

#[test]
fn what_runs_out_is_told_by_type() {
    let mut before = CreditBalances::none(Currency::EUR);
    before.add(CreditType::Gift, 10);
    before.add(CreditType::Manual, 20);
    before.add(CreditType::Purchased, 0);
    let lots = [lot(1, CreditType::Gift, 10, Some(90)), lot(2, CreditType::Manual, 20, None)];
    let drawn = CreditDrawn::of(draw(lots.iter(), 15, second(1)), &before).expect("something");
    assert_eq!((drawn.amount_minor(), drawn.balance_minor), (15, 15));
    assert_eq!(drawn.depleted, [CreditType::Gift]);
    assert_eq!(CreditDrawn::of(Vec::new(), &before), None);
}

#[test]
fn what_was_drawn_last_comes_back_first_with_its_type_and_expiry() {
    let drawn = |kind, expires: Option<i64>, amount_minor| DrawnCredit {
        customer: CustomerId(1),
        credit_type: kind,
        expires_at: expires.map(second),
        amount_minor,
        returned_minor: 0,
    };
    let mut parts = [
        (CreditEntryId(4), drawn(CreditType::Gift, Some(50), 10)),
        (CreditEntryId(2), drawn(CreditType::Manual, None, 20)),
    ];
    let mut next = 100;
    let mut id = || {
        next += 1;
        CreditEntryId(next)
    };
    let mut back = |minor: i64| -> Vec<_> {
        let entries = give_back(&mut parts, minor, "1000001-2611AAA", moment(60), &mut id);
        assert!(entries.iter().all(|entry| entry.reason == "returned from 1000001-2611AAA"));
        entries
            .iter()
            .map(|one| (one.credit_type, one.signed_delta_minor, one.expires_at))
            .collect()
    };
    assert_eq!(back(5), [(CreditType::Manual, 5, None)]);
    let rest = [(CreditType::Manual, 15, None), (CreditType::Gift, 10, Some(second(50)))];
    assert_eq!(back(100), rest);
    assert_eq!(back(1), []);
}

#[test]
fn names_lead_back_and_what_is_paid_for_never_expires() {
    for kind in CreditType::ALL {
        assert_eq!(CreditType::parse(kind.name()), Some(*kind));
    }
    let paid_for: Vec<_> = CreditType::ALL.iter().filter(|kind| kind.is_liability()).collect();
    assert_eq!(paid_for, [&CreditType::Purchased, &CreditType::Enterprise, &CreditType::Proration]);
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Grant { paid_for: bool, minor: i64, expires: Option<i64> },
    Draw(i64),
    Sweep,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (any::<bool>(), 1_i64..50, proptest::option::of(1_i64..40))
            .prop_map(|(paid_for, minor, expires)| Step::Grant { paid_for, minor, expires }),
        (1_i64..80).prop_map(Step::Draw),
        Just(Step::Sweep),
    ]
}

/// The same by hand: a list of lots, searched anew for each unit.
#[derive(Default)]
struct Referee {
    lots: Vec<(u64, bool, i64, Option<Timestamp>)>,
}

impl Referee {
    fn draw(&mut self, minor: i64, now: Timestamp) -> BTreeMap<u64, i64> {
        let mut taken = BTreeMap::new();
        for _ in 0..minor {
            let open = self
                .lots
                .iter_mut()
                .filter(|(_, _, left, expires)| *left > 0 && expires.is_none_or(|at| at > now));
            let first = open.min_by_key(|(id, paid_for, _, expires)| {
                (expires.is_none(), *expires, *paid_for, *id)
            });
            let Some((id, _, left, _)) = first else { break };
            *left -= 1;
            *taken.entry(*id).or_default() += 1;
        }
        taken
    }
}

proptest! {
    #[test]
    fn the_ledger_replays_to_what_a_second_count_has(steps in proptest::collection::vec(step(), 0..40)) {
        let mut referee = Referee::default();
        let mut lots: BTreeMap<u64, Lot> = BTreeMap::new();
        let mut ledger: Vec<CreditEntry> = Vec::new();
        for (id, step) in (1_u64..).zip(steps) {
            let now = i64::try_from(id).expect("small");
            match step {
                Step::Grant { paid_for, minor, expires } => {
                    let kind = if paid_for { CreditType::Purchased } else { CreditType::Gift };
                    let expires_at = expires.filter(|_| !paid_for).map(|in_s| second(now + in_s));
                    let entry = mint(CreditEntryId(id), CustomerId(1), kind, minor, String::new(), moment(now));
                    let entry = CreditEntry { expires_at, ..entry };
                    lots.insert(id, Lot::of(&entry));
                    referee.lots.push((id, paid_for, minor, expires_at));
                    ledger.push(entry);
                }
                Step::Draw(minor) => {
                    let ordered = in_order(lots.values().copied().collect());
                    let drawn = draw(ordered.iter(), minor, second(now));
                    let parts: BTreeMap<_, _> = drawn.iter().map(|one| (one.lot.id.0, one.amount_minor)).collect();
                    prop_assert_eq!(parts, referee.draw(minor, second(now)));
                    for one in &drawn {
                        let lot = lots.get_mut(&one.lot.id.0).expect("known");
                        lot.left_minor -= one.amount_minor;
                        ledger.push(one.entry(CreditEntryId(1_000 + id), InvoiceId(id), moment(now)));
                    }
                    lots.retain(|_, lot| lot.left_minor > 0);
                }
                Step::Sweep => {
                    let over: Vec<_> = lots.values().filter(|lot| lot.is_expired(second(now))).copied().collect();
                    for lot in over {
                        ledger.push(expired(&lot, CreditEntryId(2_000 + id), moment(now)));
                        lots.remove(&lot.id.0);
                    }
                    referee.lots.retain(|(.., expires)| expires.is_none_or(|at| at > second(now)));
                }
            }
        }
        let mut balances = CreditBalances::none(Currency::EUR);
        ledger.iter().for_each(|entry| balances.take(entry));
        let left: i64 = lots.values().map(|lot| lot.left_minor).sum();
        prop_assert_eq!(balances.total(), left);
        prop_assert!(balances.by_type.values().all(|minor| *minor >= 0));
    }
}
