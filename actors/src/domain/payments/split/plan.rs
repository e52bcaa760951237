//! What a payment goes by once its split is decided: who is to get what of the whole, and what a
//! capture or a refund of a part moves.
//!
//! Parts are shared by largest remainder over all that was captured, or refunded, so far; each step
//! moves the difference to what stood before. Largest remainder may take a unit from a party while
//! the whole grows, so a step can go the other way by one unit; then it is told as the opposite
//! move, and what each party has is right after every step.

use super::DecisionRecord;
use crate::domain::ids::PayeeId;
use crate::domain::money::allocate_largest_remainder;
use crate::domain::payments::share::ShareMove;
use crate::domain::payments::wallet::OWN;

#[derive(Clone, Copy, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct PlanShare {
    #[n(0)]
    pub payee: PayeeId,
    /// How much, above 0.
    #[n(1)]
    pub minor: i64,
}

/// What each payee gets of the whole authorized amount, fees taken off. What it does not name is
/// the seller's. The empty plan leaves all of it with the seller.
#[derive(Clone, Debug, Default, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Plan {
    #[n(0)]
    lines: Vec<PlanShare>,
}

/// One party's move of a step: whose, which way, and by how much, above 0. The seller's own part
/// is the [`OWN`] wallet's.
pub type ShareMoves = Vec<(PayeeId, ShareMove, i64)>;

impl Plan {
    /// A plan of these shares. Several of one payee are one; those of nothing are left out.
    pub fn of(shares: impl IntoIterator<Item = PlanShare>) -> Self {
        let mut lines: Vec<PlanShare> = Vec::new();
        for share in shares.into_iter().filter(|share| share.minor > 0) {
            match lines.iter_mut().find(|line| line.payee == share.payee) {
                Some(line) => line.minor = line.minor.saturating_add(share.minor),
                None => lines.push(share),
            }
        }
        Self { lines }
    }

    pub fn lines(&self) -> &[PlanShare] {
        &self.lines
    }

    /// Everybody's shares of `authorized_minor`: the payees', then the seller's, who gets the rest.
    fn whole(&self, authorized_minor: i64) -> Vec<(PayeeId, i64)> {
        let mut whole: Vec<_> = self.lines.iter().map(|line| (line.payee, line.minor)).collect();
        let named = self.lines.iter().fold(0, |sum: i64, line| sum.saturating_add(line.minor));
        whole.push((OWN, authorized_minor.saturating_sub(named).max(0)));
        whole
    }
}

impl From<&DecisionRecord> for Plan {
    fn from(decision: &DecisionRecord) -> Self {
        decision.outcome.plan()
    }
}

/// What each party has after captures of `captured_minor` in all, of `authorized_minor`: payees in
/// the order of the plan, then the seller. It sums to what was captured.
pub fn credited(plan: &Plan, authorized_minor: i64, captured_minor: i64) -> Vec<(PayeeId, i64)> {
    shared(captured_minor, plan.whole(authorized_minor))
}

/// What each party has given back after refunds of `refunded_minor` in all. `credited` is what
/// each was credited; it sums to no less. Nobody gives back more than that.
pub fn given_back(credited: &[(PayeeId, i64)], refunded_minor: i64) -> Vec<(PayeeId, i64)> {
    shared(refunded_minor, credited.to_vec())
}

/// What a capture moves, from the sum captured before it to the sum with it.
pub fn capture_moves(
    plan: &Plan,
    authorized_minor: i64,
    before_minor: i64,
    after_minor: i64,
) -> ShareMoves {
    let before = credited(plan, authorized_minor, before_minor);
    let after = credited(plan, authorized_minor, after_minor);
    steps(&before, &after, ShareMove::Credited, ShareMove::TakenBack)
}

/// What a refund moves, `before_minor` and `after_minor` likewise; `credited` is by party.
pub fn refund_moves(
    credited: &[(PayeeId, i64)],
    before_minor: i64,
    after_minor: i64,
) -> ShareMoves {
    let (before, after) = (given_back(credited, before_minor), given_back(credited, after_minor));
    steps(&before, &after, ShareMove::TakenBack, ShareMove::Credited)
}

/// `total` shared by what each party weighs; ties go to the first.
fn shared(total: i64, weights: Vec<(PayeeId, i64)>) -> Vec<(PayeeId, i64)> {
    let (parties, weights): (Vec<PayeeId>, Vec<i64>) = weights.into_iter().unzip();
    parties.into_iter().zip(allocate_largest_remainder(total, &weights)).collect()
}

fn steps(
    before: &[(PayeeId, i64)],
    after: &[(PayeeId, i64)],
    forth: ShareMove,
    back: ShareMove,
) -> ShareMoves {
    let differences = before.iter().zip(after).map(|((_, was), (who, is))| (*who, is - was));
    let moved = differences.filter(|(_, difference)| *difference != 0);
    let told = moved.map(|(who, difference)| match difference {
        1.. => (who, forth, difference),
        _ => (who, back, -difference),
    });
    told.collect()
}
