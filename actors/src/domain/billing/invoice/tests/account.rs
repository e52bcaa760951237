//! A contract's subscriptions, prorations and documents, kept and billed as its room does.

use std::collections::BTreeMap;

use super::fixtures::*;
use crate::domain::billing::invoice::*;
use crate::domain::billing::subscription::{
    self, Cancel, Change, NewSubscription, Pause, PlanChange, ProrationKind, Prorations,
    Subscription, SubscriptionRefusal, advance, cancel, create, pause, resume,
};
use crate::domain::billing::tax::TaxTreatment;
use crate::domain::ids::{ContractId, CustomerId, InvoiceId, ProrationId, SubscriptionId};
use crate::domain::testing::{FACTS, noon};
use crate::domain::time::Date;

#[derive(Default)]
pub(super) struct Account {
    pub(super) subscriptions: BTreeMap<SubscriptionId, Subscription>,
    pub(super) prorations: Prorations,
    pub(super) documents: Vec<Composed>,
    /// What the billed terms cost by themselves.
    pub(super) terms_minor: i64,
}

type Done = Result<(), SubscriptionRefusal>;

impl Account {
    pub(super) fn begin(&mut self, id: u64, new: NewSubscription) {
        let (id, moment) = (SubscriptionId(id), noon(new.start_date));
        let change = create(id, ContractId(11), CustomerId(12), new, &FACTS, moment);
        self.keep(change.expect("a subscription"));
    }

    pub(super) fn change_plan(&mut self, id: u64, on: Date, plan: &PlanChange) -> Done {
        self.act(id, on, |sub, _| subscription::change_plan(sub, plan, noon(on)))
    }

    pub(super) fn pause(&mut self, id: u64, on: Date) -> Done {
        self.act(id, on, |sub, _| pause(sub, Pause::default(), noon(on)))
    }

    pub(super) fn resume(&mut self, id: u64, on: Date) -> Done {
        self.act(id, on, |sub, open| resume(sub, open, noon(on)))
    }

    pub(super) fn cancel(&mut self, id: u64, on: Date, request: &Cancel) -> Done {
        self.act(id, on, |sub, open| cancel(sub, request, open, &FACTS, noon(on)))
    }

    /// Acts on a subscription, which is brought to the day first.
    fn act(
        &mut self,
        id: u64,
        on: Date,
        act: impl FnOnce(&Subscription, &Prorations) -> Result<Change, SubscriptionRefusal>,
    ) -> Done {
        self.advance(on);
        let open = self.prorations.iter().filter(|(_, one)| one.subscription.0 == id);
        let open = open.filter(|(_, one)| one.is_open()).map(|(id, one)| (*id, one.clone()));
        let change = act(&self.subscriptions[&SubscriptionId(id)], &open.collect())?;
        self.keep(change);
        Ok(())
    }

    fn keep(&mut self, change: Change) {
        for record in change.prorations {
            self.prorations.insert(ProrationId(self.prorations.len() as u64 + 1), record);
        }
        self.prorations.extend(change.recut);
        self.subscriptions.insert(change.subscription.id, change.subscription);
    }

    fn advance(&mut self, on: Date) {
        for id in self.subscriptions.keys().copied().collect::<Vec<_>>() {
            let change = advance(&self.subscriptions[&id], noon(on), &FACTS).change;
            self.keep(change);
        }
    }

    /// Brings everything up to a day and issues what is due; says whether anything was.
    pub(super) fn bill(&mut self, on: Date) -> bool {
        self.advance(on);
        let due = DueTerms::of(self.subscriptions.values(), on).expect("amounts");
        let open = self.prorations.iter().filter(|(_, record)| record.is_open());
        let open = open.map(|(id, record)| (*id, record));
        let open = open_prorations(open, &due, |id| self.subscriptions.get(&id));
        let invoice = InvoiceId(self.documents.len() as u64 + 1);
        let asked = NewInvoice { origin: Origin::Recurring, lines: None, ..request(vec![]) };
        let terms = Terms::requested(&asked, &contract(), &seller()).expect("terms");
        let moment = noon(on);
        let document = match compose_recurring(
            invoice,
            &contract(),
            &seller(),
            terms,
            &due.lines,
            &open,
            moment,
        ) {
            Err(InvoiceRefusal::NothingDue(_)) => return false,
            composed => composed.expect("an invoice"),
        };
        for term in due.billed {
            let sub = self.subscriptions.get_mut(&term.subscription).expect("there");
            sub.mark_billed(
                term.start,
                invoice,
                term.charged_minor,
                TaxTreatment::of_rate(rate("21")),
            )
            .expect("due");
            self.terms_minor += term.charged_minor;
        }
        for taken in &document.prorations {
            let record = self.prorations.get_mut(&taken.proration).expect("there");
            record.claim(invoice, taken.part, taken.amount_minor);
            assert_eq!(record.open_minor(taken.part), taken.left_minor);
        }
        self.documents.push(document);
        true
    }

    /// The net of all documents, minor units.
    pub(super) fn billed_minor(&self) -> i64 {
        let lines = self.documents.iter().flat_map(|document| &document.lines);
        lines.map(|line| line.amount_minor).sum()
    }

    /// What the customer is still owed.
    pub(super) fn open_credit(&self) -> i64 {
        self.open(ProrationKind::Credit)
    }

    /// What the customer still owes of prorations.
    pub(super) fn open_charge(&self) -> i64 {
        self.open(ProrationKind::Charge)
    }

    fn open(&self, wanted: ProrationKind) -> i64 {
        let parts = self.prorations.values().flat_map(|record| {
            let open = |part| (record.side_of(part).0, record.open_minor(part));
            record.parts().iter().map(move |part| open(*part))
        });
        parts.filter(|(kind, _)| *kind == wanted).map(|(_, open)| open).sum()
    }
}
