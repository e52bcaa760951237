//! The money of a contract as the test counts it itself.

use std::collections::BTreeMap;

use super::{ALL, tax_on};
use crate::contract::tests::house::House;
use crate::domain::billing::credit::{CreditKind, CreditType};
use crate::domain::billing::invoice::{Invoice, InvoiceStatus, Origin};
use crate::domain::billing::timeline::TimelineKind;
use crate::domain::ids::{ContractId, InvoiceId};
use crate::query;
use crate::tables::INVOICES;

/// An invoice's money, minor units.
#[derive(Clone, Debug, Default)]
pub(super) struct Account {
    pub(super) grand: i64,
    drawn: i64,
    /// What counts of the money that came.
    money: i64,
    pub(super) notes: i64,
    /// Of the money, and of the credit that it had drawn.
    back: (i64, i64),
    /// What was refunded of the money that counts.
    refunded: i64,
    /// The credit that was made of money which notes give back.
    credited: i64,
    pub(super) void: bool,
    pub(super) written_off: bool,
    pub(super) paid_by_card: bool,
    origin: Option<Origin>,
    net: i64,
}

/// What corrections of late usage say.
pub(super) const LATE_USAGE: &str = "Late usage";

#[derive(Debug, Default)]
pub(super) struct Books {
    pub(super) accounts: BTreeMap<InvoiceId, Account>,
    pub(super) balance: i64,
    /// Credit that was made of no money of an invoice.
    pub(super) granted: i64,
    /// How many lots were made of plan changes and of corrections, in it.
    lots: usize,
    /// What was given back of plan changes, without its tax.
    pub(super) given_days_net: i64,
    /// The same of corrections of late usage.
    pub(super) late_usage_net: i64,
    /// The tax of subscriptions and of what they meter, thousandths.
    rate: i64,
    pub(super) money_in: i64,
    /// Of that, what went back to cards instead of becoming credit.
    pub(super) refunded: i64,
    /// Credit that was taken back.
    pub(super) reversed: i64,
    lost: i64,
}

impl Account {
    pub(super) fn asks(&self) -> i64 {
        self.grand - self.drawn - self.money - (self.notes - self.back.0 - self.back.1)
    }

    pub(super) fn is_open(&self, status: InvoiceStatus) -> bool {
        !self.void && self.asks() > 0 && status != InvoiceStatus::WrittenOff
    }

    /// Counts money; what is too much of it.
    pub(super) fn take(&mut self, minor: i64) -> i64 {
        let counted = if self.void { 0 } else { minor.min(self.asks()) };
        self.money += counted;
        minor - counted
    }

    /// Takes a note off what nobody has paid, then off money, then off credit; what comes back, and
    /// what was refunded of it before.
    pub(super) fn credit(&mut self, minor: i64) -> (i64, i64) {
        let paid = (minor - self.asks()).max(0);
        let money = paid.min(self.money - self.back.0);
        self.notes += minor;
        self.back = (self.back.0 + money, self.back.1 + paid - money);
        let made = self.make_credit(money);
        (made + paid - money, money - made)
    }

    /// The same of all that came.
    pub(super) fn void(&mut self) -> (i64, i64) {
        self.void = true;
        self.back = (self.money, self.drawn);
        let made = self.make_credit(self.money);
        (made + self.drawn, self.money - made)
    }

    /// Money is given back: what was refunded before is no credit.
    fn make_credit(&mut self, money: i64) -> i64 {
        let minor = (self.back.0 - self.refunded - self.credited).clamp(0, money);
        self.credited += minor;
        minor
    }

    /// Some of the money that counts is refunded: credit of as much goes, unless it is spent. Says
    /// how much.
    pub(super) fn refund(&mut self, counted: i64, now: &Invoice) -> i64 {
        self.refunded += counted;
        let beyond = (self.credited - (self.back.0 - self.refunded).max(0)).max(0);
        let noted = now.given_back.iter().filter(|given| given.payment.is_none());
        let left = noted.map(|given| given.amount_minor).sum::<i64>();
        let taken = self.credited - left;
        assert!((0..=beyond).contains(&taken), "{taken} of {beyond}");
        self.credited = left;
        taken
    }

    /// Counts money out. How much of what had come back is taken with it depends on who has spent
    /// what: it is within bounds.
    pub(super) fn lose(&mut self, counted: i64, now: &Invoice) {
        self.money -= counted;
        let taken = self.back.0 - now.given_back_minor;
        assert!((0..=counted).contains(&taken), "{taken} of {counted}");
        self.back.0 -= taken;
        self.credited -= taken;
    }

    fn judge(&self, now: &Invoice) {
        let told = (now.credit_applied_minor, now.received_minor(), now.credited_minor);
        assert_eq!(told, (self.drawn, self.money, self.notes), "{now:?}");
        assert_eq!((now.given_back_minor, now.credit_returned_minor), self.back, "{now:?}");
        let asks = self.asks();
        let fits = match now.status {
            InvoiceStatus::Voided => self.void && now.outstanding_minor == 0,
            InvoiceStatus::WrittenOff => self.written_off && now.outstanding_minor == 0,
            InvoiceStatus::Paid => !self.void && asks == 0 && now.outstanding_minor == 0,
            _ => !self.void && asks > 0 && now.outstanding_minor == asks,
        };
        assert!(fits, "{:?} asks for {asks}: {now:?}", now.status);
    }

    /// What of it is settled.
    fn settled(&self) -> i64 {
        if self.void { 0 } else { self.grand - self.notes - self.asks() }
    }
}

impl Books {
    pub(super) fn account(&mut self, of: &Invoice) -> &mut Account {
        self.accounts.get_mut(&of.id).expect("an invoice that is known")
    }

    /// Those of a contract whose subscriptions are taxed by so many thousandths.
    pub(super) fn of(rate: i64) -> Self {
        Self { rate, ..Self::default() }
    }

    /// What was billed before tax by documents of this origin that stand.
    pub(super) fn billed_net(&self, origin: Origin) -> i64 {
        let of = |one: &&Account| one.origin == Some(origin) && !one.void;
        self.accounts.values().filter(of).map(|one| one.net).sum()
    }

    /// What comes to this with its tax.
    fn net_of(&self, gross: i64) -> i64 {
        let mut net = gross * 1_000 / (1_000 + self.rate) - 2;
        while net + tax_on(net, self.rate) < gross {
            net += 1;
        }
        assert_eq!(net + tax_on(net, self.rate), gross, "credit with its tax");
        net
    }

    /// Takes note of what was done beside: documents, which draw what there is, credit of plan
    /// changes and of corrections, and credit that was taken back.
    pub(super) fn look(&mut self, house: &House, contract: ContractId) {
        let entries = query::credit_entries(&house.store, house.seller.id, contract, ALL);
        let (mut lots, mut reversed) = (Vec::new(), 0);
        for entry in entries.expect("read").items.iter().rev() {
            let back = entry.reason.starts_with("returned from");
            match (entry.kind, entry.credit_type) {
                (CreditKind::Reversal, _) => reversed -= entry.signed_delta_minor,
                (CreditKind::Topup, CreditType::Proration) if !back => {
                    lots.push((entry.signed_delta_minor, entry.reason == LATE_USAGE));
                }
                _ => {}
            }
        }
        let mut new_lots = lots[self.lots..].iter();
        let mut invoices = house.invoices(contract);
        invoices.reverse();
        for new in invoices {
            if self.accounts.contains_key(&new.id) || new.is_credit_note() {
                continue;
            }
            let grand = new.totals.grand_total_minor;
            // Of a lot that an earlier document of this step has made it draws too.
            while new.credit_applied_minor > grand.min(self.balance) {
                self.balance += new_lots.next().expect("no more credit than there is").0;
            }
            let drawn = grand.min(self.balance);
            self.balance -= drawn;
            let (origin, net) = (Some(new.origin), grand - new.totals.tax_minor);
            if [Origin::Recurring, Origin::Usage].contains(&new.origin) {
                assert_eq!(new.totals.tax_minor, tax_on(net, self.rate), "{new:?}");
            }
            let account = Account { grand, drawn, origin, net, ..Account::default() };
            self.accounts.insert(new.id, account);
        }
        let sum = |lots: &[(i64, bool)]| lots.iter().map(|(gross, _)| gross).sum::<i64>();
        self.balance += sum(new_lots.as_slice()) - (reversed - self.reversed);
        self.granted += sum(&lots[self.lots..]);
        let net = |late: bool| {
            lots.iter().filter(|lot| lot.1 == late).map(|(gross, _)| self.net_of(*gross)).sum()
        };
        (self.given_days_net, self.late_usage_net) = (net(false), net(true));
        (self.lots, self.reversed) = (lots.len(), reversed);
        self.lost = house.entered_in(contract, TimelineKind::CreditNotRecovered);
    }

    pub(super) fn judge(&self, house: &House, contract: ContractId) {
        for (id, account) in &self.accounts {
            account.judge(&house.invoice(*id));
        }
        assert_eq!(house.balance(contract), self.balance, "the balance");
        let settled: i64 = self.accounts.values().map(Account::settled).sum();
        let had = self.money_in - self.refunded + self.granted + self.lost;
        assert_eq!(settled + self.balance, had, "what the buyer has for what came");
    }
}

impl House {
    pub(super) fn invoice(&self, id: InvoiceId) -> Invoice {
        let row = self.store.get(INVOICES, &(self.seller.id, id));
        row.expect("read").expect("there")
    }

    fn entered_in(&self, contract: ContractId, kind: TimelineKind) -> i64 {
        let page = query::timeline(&self.store, self.seller.id, contract, ALL).expect("read");
        let entries = page.items.iter().filter(|(_, entry)| entry.kind == kind);
        entries.filter_map(|(_, entry)| entry.amount_minor).sum()
    }
}
