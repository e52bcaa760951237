//! Prices, passes and documents of a workshop.

use std::collections::BTreeMap;

use storage::Scan;

use super::workshop::{Workshop, event, metric};
use crate::contract::{IssueOrder, NewPrice, Once};
use crate::domain::billing::invoice::{
    BillTo, Intent, Invoice, InvoiceLine, NewInvoice, Origin, StatedBillTo,
};
use crate::domain::billing::pricing::{
    AllotmentRequest, CommitmentRequest, PriceConfigRequest, PriceVersion,
};
use crate::domain::billing::subscription::NewSubscription;
use crate::domain::billing::tax::TaxRules;
use crate::domain::billing::usage::{CorrectLate, UsageLine};
use crate::domain::ids::{ContractId, UsageEventId};
use crate::domain::money::Currency;
use crate::domain::platform::switches::Switch;
use crate::domain::quantity::TaxRate;
use crate::domain::refusal::Refusal;
use crate::domain::time::{Date, Timestamp};
use crate::kernel::AskError;
use crate::passes::{Pass, Scope};
use crate::query::{self, Paging};
use crate::tables::TIMERS;
use crate::timers::TimerKind;

pub(super) const ALL: Paging = Paging { limit: 10_000, cursor: None };

/// A price of each unit in major units.
pub(super) fn per_unit(price: &str) -> PriceConfigRequest {
    PriceConfigRequest {
        scheme: Some("per_unit".to_owned()),
        currency: Some("EUR".to_owned()),
        rounding: Some("half_up".to_owned()),
        unit_price: Some(price.to_owned()),
        ..PriceConfigRequest::default()
    }
}

/// The same with a minimum, in minor units.
pub(super) fn at_least(price: &str, minimum_minor: i64) -> PriceConfigRequest {
    let minimum_minor = Some(minimum_minor);
    let commitment = Some(CommitmentRequest { minimum_minor, ..CommitmentRequest::default() });
    PriceConfigRequest { commitment, ..per_unit(price) }
}

/// The same for what is used beyond so many units.
pub(super) fn beyond(price: &str, included: u32) -> PriceConfigRequest {
    let included_units = Some(included.to_string());
    let allotment = AllotmentRequest { included_units, rollover: None };
    PriceConfigRequest { allotment: Some(allotment), ..per_unit(price) }
}

/// The same, what is left of them going to the next period.
pub(super) fn rolling(price: &str, included: u32) -> PriceConfigRequest {
    let included_units = Some(included.to_string());
    let allotment = AllotmentRequest { included_units, rollover: Some("rollover".to_owned()) };
    PriceConfigRequest { allotment: Some(allotment), ..per_unit(price) }
}

/// A price of a seat and term in major units.
pub(super) fn per_seat(price: &str) -> PriceConfigRequest {
    PriceConfigRequest { scheme: Some("per_seat".to_owned()), ..per_unit(price) }
}

impl Workshop {
    pub(super) async fn price(
        &self,
        contract: ContractId,
        name: &str,
        from: Date,
        config: PriceConfigRequest,
    ) -> PriceVersion {
        let config = config.check().expect("a price");
        let new = NewPrice { metric: metric(name), effective_from: from, config };
        let contracts = &self.house.system.contracts;
        let set = contracts.set_price(self.house.seller.id, contract, new).await;
        set.expect("priced")
    }

    pub(super) async fn subscribe(&self, contract: ContractId, key: &str, new: NewSubscription) {
        let contracts = &self.house.system.contracts;
        let seller = self.house.seller.id;
        let made = contracts.create_subscription(seller, contract, new, key.to_owned()).await;
        made.expect("a subscription");
    }

    /// Records one event and answers its id, and whether it was late.
    pub(super) async fn use_some(
        &self,
        contract: ContractId,
        name: &str,
        quantity: &str,
        at: Timestamp,
        key: &str,
    ) -> (UsageEventId, bool) {
        let one = event(contract, name, quantity, at, key, None);
        let verdicts = self.record(contract, vec![one]).await;
        let ingested = verdicts[0].as_ref().expect("recorded");
        (ingested.event, ingested.late)
    }

    /// Pushes the clock to noon of a day.
    pub(super) fn noon(&self, day: Date) {
        self.house.clock.push(day.start().plus_seconds(12 * 3600));
    }

    /// Runs a pass by its schedule; answers its counts that are not 0.
    pub(super) async fn pass(&self, pass: Pass) -> BTreeMap<&'static str, u64> {
        let report = self.house.system.passes.run(pass, Scope::Schedule).await.expect("run");
        report.counts.into_iter().filter(|(_, count)| *count > 0).collect()
    }

    /// Closes and bills all that is due.
    pub(super) async fn settle(&self) {
        self.pass(Pass::UsageClose).await;
        self.pass(Pass::UsageInvoice).await;
    }

    pub(super) async fn switch(&self, switch: Switch, enabled: bool) {
        let seller = self.house.seller.id;
        let turned = self.house.system.sellers.switch(seller, switch, enabled).await;
        turned.expect("turned");
    }

    /// The closed lines of a contract, oldest first.
    pub(super) fn lines(&self, contract: ContractId) -> Vec<UsageLine> {
        let page = query::usage_lines(&self.house.store, self.house.seller.id, contract, ALL);
        let mut lines = page.expect("read").items;
        lines.reverse();
        lines
    }

    /// The usage documents of a contract, oldest first, each with its lines.
    pub(super) fn documents(&self, contract: ContractId) -> Vec<(Invoice, Vec<InvoiceLine>)> {
        let mut invoices = self.house.invoices(contract);
        invoices.retain(|invoice| invoice.origin == Origin::Usage);
        invoices.reverse();
        let lines = |invoice: &Invoice| {
            query::invoice_lines(&self.house.store, self.house.seller.id, invoice.id)
        };
        invoices
            .into_iter()
            .map(|invoice| {
                let lines = lines(&invoice).expect("read");
                (invoice, lines)
            })
            .collect()
    }

    /// The usage timers of a contract.
    pub(super) fn timers(&self, contract: ContractId) -> Vec<(TimerKind, Timestamp)> {
        let mut found = Vec::new();
        for kind in [TimerKind::UsageClose, TimerKind::UsageInvoice] {
            for row in self.house.store.scan(TIMERS, Scan::prefix(&(kind as u8,))) {
                let ((_, _, at, object), ()) = row.expect("read");
                if object == contract.0 {
                    found.push((kind, at));
                }
            }
        }
        found
    }

    pub(super) async fn correct(
        &self,
        contract: ContractId,
        events: &[UsageEventId],
        amount_minor: impl Into<Option<i64>>,
        key: &str,
    ) -> Result<crate::domain::billing::usage::Adjustment, Refusal> {
        let request = CorrectLate {
            events: events.to_vec(),
            amount_minor: amount_minor.into(),
            description: "Late usage".to_owned(),
            key: key.to_owned(),
        };
        let contracts = &self.house.system.contracts;
        contracts
            .correct_late_usage(self.house.seller.id, contract, request)
            .await
            .map_err(AskError::refusal)
    }

    /// Issues the usage invoice as a caller does.
    pub(super) async fn issue_usage(
        &self,
        contract: ContractId,
        key: &str,
    ) -> Result<Invoice, Refusal> {
        let request = NewInvoice {
            contract: Some(contract),
            origin: Origin::Usage,
            invoice_type: None,
            corrects: None,
            currency: None,
            bill_to: StatedBillTo::default(),
            lines: None,
            due_date: None,
            collection_method: None,
            send: None,
            memo: None,
        };
        let customer = self.house.customer.clone();
        let known = BillTo::from(customer.email.clone());
        let intent = Intent::of(&request, Currency::EUR, &known, &TaxRules::manual(TaxRate::ZERO));
        let order = IssueOrder { request, intent, key: key.to_owned(), customer, corrects: None };
        let issued =
            self.house.system.contracts.issue_invoice(self.house.seller.id, contract, order).await;
        match issued.map_err(AskError::refusal)? {
            Once::Made(issued) => Ok(issued.invoice),
            Once::Before => panic!("the key was used"),
        }
    }
}
