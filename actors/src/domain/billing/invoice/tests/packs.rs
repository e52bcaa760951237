//! Packs of credit whose invoices are paid, credited and refunded in whatever order, against a
//! count of every minor unit of their price.

use proptest::prelude::*;

use super::fixtures::*;
use crate::domain::billing::credit::PackTerms;
use crate::domain::billing::invoice::*;
use crate::domain::billing::tax::{TaxCategory, TaxSubtotal};
use crate::domain::ids::{CreditEntryId, InvoiceId, PaymentId};
use crate::domain::quantity::TaxRate;

const PACK: PackTerms = PackTerms { threshold_minor: 10, amount_minor: 200, price_minor: 173 };

#[derive(Clone, Copy, Debug)]
enum Act {
    Credit(i64),
    Pay(i64),
    /// Of the payment at this place.
    Refund(usize, i64),
    /// The payment at this place fails at settlement.
    Fail(usize),
}

/// What became of a minor unit of the price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Owed,
    /// A credit note took it off before it was paid.
    LetOff,
    Paid,
    /// It was paid, and is credit of its buyer since a credit note took it off.
    Credited,
    Refunded,
    /// Refunded, and taken off by a credit note.
    Both,
}

#[derive(Clone, Copy, Debug)]
struct Money {
    counted: i64,
    /// What is credit still of what was too much.
    surplus: i64,
    refunded: i64,
    failed: bool,
}

/// The invoice of a pack as the rules have it, and the same as it is counted here. Nobody spends
/// what is credit.
struct Pack {
    invoice: Invoice,
    units: Vec<Unit>,
    payments: Vec<Money>,
}

impl Pack {
    fn ordered() -> Self {
        let untaxed = SellerFacts { default_tax_rate: TaxRate::ZERO, ..seller() };
        let (of, moment) = (contract(), on("2026-11-21"));
        let composed = compose_pack(InvoiceId(5), &of, &untaxed, Terms::first(&of), &PACK, moment);
        let invoice = issue(composed.expect("a pack"), 1, None).invoice;
        let price = usize::try_from(PACK.price_minor).expect("small");
        Self { invoice, units: vec![Unit::Owed; price], payments: Vec::new() }
    }

    fn do_it(&mut self, act: Act) {
        match act {
            Act::Credit(minor) => self.credit(minor.min(self.invoice.creditable_minor())),
            Act::Pay(minor) => self.pay(minor),
            Act::Refund(place, minor) => self.refund(place, minor),
            Act::Fail(place) => self.fail(place),
        }
    }

    /// Turns up to so many units; how many there were.
    fn turn(&mut self, from: Unit, to: Unit, most: i64) -> i64 {
        let most = usize::try_from(most).expect("0 or more");
        let mut turned = 0;
        for unit in self.units.iter_mut().filter(|unit| **unit == from).take(most) {
            *unit = to;
            turned += 1;
        }
        turned
    }

    fn many(&self, of: &[Unit]) -> i64 {
        self.units.iter().filter(|unit| of.contains(unit)).count().try_into().expect("few")
    }

    fn credit(&mut self, minor: i64) {
        if minor == 0 {
            return;
        }
        let note = TaxSubtotal {
            category: TaxCategory::ZeroRated,
            rate: TaxRate::ZERO,
            taxable_minor: -minor,
            tax_minor: 0,
        };
        let after = correct(&self.invoice, &[note], on("2026-11-25")).expect("credited");
        self.invoice = after.change.invoice;
        let amount_minor = after.given_back_minor.min(self.invoice.uncredited_minor());
        self.note_credit(amount_minor, None);
        let paid = minor - self.turn(Unit::Owed, Unit::LetOff, minor);
        let rest = paid - self.turn(Unit::Refunded, Unit::Both, paid);
        assert_eq!(self.turn(Unit::Paid, Unit::Credited, rest), rest);
    }

    fn note_credit(&mut self, amount_minor: i64, payment: Option<PaymentId>) {
        if amount_minor > 0 {
            let lot = Some(CreditEntryId(1));
            self.invoice.note_given_back(GivenBack { lot, amount_minor, payment });
        }
    }

    fn pay(&mut self, minor: i64) {
        if self.invoice.status == InvoiceStatus::Paid {
            return;
        }
        let id = self.payments.len() as u64;
        let paid = pay(&self.invoice, payment(id, minor), on("2026-11-25")).expect("taken");
        let paid = paid.expect("counted");
        self.invoice = paid.change.invoice;
        self.note_credit(paid.surplus_minor, Some(PaymentId(id)));
        let counted = self.turn(Unit::Owed, Unit::Paid, minor);
        let surplus = minor - counted;
        self.payments.push(Money { counted, surplus, refunded: 0, failed: false });
    }

    fn refund(&mut self, place: usize, minor: i64) {
        let Some(of) = self.payments.get_mut(place).filter(|of| !of.failed) else { return };
        let of_surplus = minor.min(of.surplus);
        let of_counted = (minor - of_surplus).min(of.counted);
        of.surplus -= of_surplus;
        of.counted -= of_counted;
        of.refunded += of_surplus + of_counted;
        let all = [(PaymentId(place as u64), of.refunded)];
        self.invoice = refund(&self.invoice, &all, |_| i64::MAX).invoice;
        let rest = of_counted - self.turn(Unit::Credited, Unit::Both, of_counted);
        assert_eq!(self.turn(Unit::Paid, Unit::Refunded, rest), rest);
    }

    fn fail(&mut self, place: usize) {
        let fails = |of: &&mut Money| !of.failed && of.refunded == 0;
        let Some(of) = self.payments.get_mut(place).filter(fails) else { return };
        of.failed = true;
        let (id, counted) = (PaymentId(place as u64), of.counted);
        let taken = take_back(&self.invoice, id, |_| i64::MAX);
        let moment = on("2026-11-26");
        let change = reopen(&taken.invoice, id, moment.wall, moment);
        self.invoice = change.expect("it counts").invoice;
        // Credit of a note goes first; nobody asks for what the note took off.
        let rest = counted - self.turn(Unit::Credited, Unit::LetOff, counted);
        assert_eq!(self.turn(Unit::Paid, Unit::Owed, rest), rest);
    }

    fn judge(&self) {
        assert_eq!(self.invoice.outstanding_minor, self.many(&[Unit::Owed]));
        let of_notes = self.invoice.given_back.iter().filter(|given| given.payment.is_none());
        let of_notes: i64 = of_notes.map(|given| given.amount_minor).sum();
        assert_eq!(of_notes, self.many(&[Unit::Credited]));
        // Bought is what is paid, or still to be paid.
        let gone = PACK.price_minor - self.many(&[Unit::Owed, Unit::Paid]);
        let half_up = (2 * PACK.amount_minor * gone + PACK.price_minor) / (2 * PACK.price_minor);
        let bought = PACK.amount_minor - half_up;
        assert_eq!(self.invoice.part_of_pack(PACK.amount_minor), bought, "{:?}", self.invoice);
    }
}

fn act() -> impl Strategy<Value = Act> {
    let (minor, place) = (|| 1_i64..=200, || 0_usize..4);
    prop_oneof![
        3 => minor().prop_map(Act::Credit),
        3 => minor().prop_map(Act::Pay),
        3 => (place(), minor()).prop_map(|(place, minor)| Act::Refund(place, minor)),
        1 => place().prop_map(Act::Fail),
    ]
}

proptest! {
    #[test]
    fn a_pack_is_as_much_of_it_as_is_paid_and_not_given_back(
        acts in proptest::collection::vec(act(), 1..12),
    ) {
        let mut pack = Pack::ordered();
        for act in acts {
            pack.do_it(act);
            pack.judge();
        }
    }
}
