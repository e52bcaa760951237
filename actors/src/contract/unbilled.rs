//! Why passes could not invoice what is due. Each tries again with every run, and a reason may stay
//! for as long as nobody looks into it: it is warned of once. Rooms come and go with the passes, so
//! that it is kept beside them.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use super::room::ContractKey;
use crate::domain::platform::switches::Switch;

/// Of how many contracts reasons are kept. Where there are more, all of them are warned of again.
const MOST: usize = 10_000;

/// The last reason of each contract and pass, until nothing is in the way there any more.
#[derive(Debug, Default)]
pub(super) struct Unbilled(Mutex<BTreeMap<(ContractKey, Switch), String>>);

impl Unbilled {
    /// Takes note of a reason. Whether it is another than the one before.
    pub(super) fn note(&self, contract: ContractKey, pass: Switch, reason: String) -> bool {
        let (mut reasons, of) = (self.0.lock(), (contract, pass));
        if reasons.get(&of) == Some(&reason) {
            return false;
        }
        if reasons.len() >= MOST {
            reasons.clear();
        }
        reasons.insert(of, reason);
        true
    }

    pub(super) fn end(&self, contract: ContractKey, pass: Switch) {
        self.0.lock().remove(&(contract, pass));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::ids::{ContractId, SellerId};

    const RECURRING: Switch = Switch::RecurringInvoicePass;

    #[test]
    fn a_reason_is_told_once_until_another_comes_or_nothing_is_in_the_way() {
        let (unbilled, contract) = (Unbilled::default(), (SellerId(1), ContractId(2)));
        let note = |reason: &str| unbilled.note(contract, RECURRING, reason.to_owned());
        let noted = ["rate", "rate", "buyer", "rate", "rate"].map(note);
        assert_eq!(noted, [true, false, true, true, false]);
        unbilled.end(contract, RECURRING);
        assert!(note("rate"));
    }

    #[test]
    fn each_contract_and_pass_has_a_reason_of_its_own() {
        let unbilled = Unbilled::default();
        let note = |contract, pass| {
            unbilled.note((SellerId(1), ContractId(contract)), pass, "rate".to_owned())
        };
        assert!(note(2, RECURRING) && note(3, RECURRING) && note(2, Switch::UsageInvoicePass));
        unbilled.end((SellerId(1), ContractId(3)), RECURRING);
        assert!(!note(2, RECURRING) && note(3, RECURRING) && !note(2, Switch::UsageInvoicePass));
    }

    #[test]
    fn so_many_reasons_are_kept_and_no_more() {
        let unbilled = Unbilled::default();
        let note = |contract| {
            unbilled.note((SellerId(1), ContractId(contract)), RECURRING, "rate".to_owned())
        };
        let most = u64::try_from(MOST).expect("few");
        assert!((0..=most).all(note));
        assert!(!note(most) && note(0));
        assert_eq!(unbilled.0.lock().len(), 2);
    }
}
