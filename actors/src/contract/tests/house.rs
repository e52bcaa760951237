//! A running system over a store in a temporary folder.

use std::collections::BTreeSet;

use serde_json::json;
use storage::testing::TempStore;
use storage::{Batch, Scan, Store};

use crate::clock::Clock;
use crate::contract::{AdvanceAnswer, IssueOrder, Once};
use crate::domain::billing::contract::{
    AmendedLineItem, Amendment, Contract, LineItemContent, NewContract, StatedDetails,
};
use crate::domain::billing::customer::Customer;
use crate::domain::billing::invoice::{
    BillTo, Intent, Invoice, InvoiceFilter, InvoiceType, NewInvoice, NewLine, Origin, StatedBillTo,
};
use crate::domain::billing::subscription::{Frequency, NewSubscription, Subscription};
use crate::domain::billing::tax::{StatedTax, TaxRules};
use crate::domain::ids::{ContractId, InvoiceId};
use crate::domain::money::Currency;
use crate::domain::platform::seller::Seller;
use crate::domain::quantity::{Quantity, TaxRate};
use crate::domain::refusal::Refusal;
use crate::domain::time::Timestamp;
use crate::kernel::AskError;
use crate::listing::Listed;
use crate::query::{self, Paging};
use crate::system::{System, SystemSettings};
use crate::tables::{INVOICES, PLACES, SANDBOX_ENDS, SELLERS};
use crate::testing::{self, Running};
use crate::verify::{Rows, verify};

pub(super) struct House {
    pub(super) store: TempStore,
    pub(super) clock: Clock,
    pub(super) system: System,
    pub(super) seller: Seller,
    pub(super) customer: Customer,
}

impl House {
    pub(super) async fn open() -> Self {
        let settings = SystemSettings::testing();
        let Running { store, clock, system, minted } = Running::open(settings).await;
        let customer = minted.customers[0].clone();
        // Months go by in these tests, and an account that is over is left alone, then removed.
        let end = minted.seller.expires_at.expect("a sandbox ends");
        let seller = Seller { expires_at: None, ..minted.seller };
        let mut batch = Batch::new();
        batch.delete(SANDBOX_ENDS, &(end, seller.id));
        batch.put(SELLERS, &seller.id, &seller);
        store.write_blocking(batch).expect("durable");
        system.directory.forget(seller.id);
        Self { store, clock, system, seller, customer }
    }

    /// Stops the system, closes the store, and starts again from what is on the disk.
    pub(super) async fn restart(&mut self) {
        self.restart_with(|_| ()).await;
    }

    /// The same; in between the store is changed behind the system's back.
    pub(super) async fn restart_with(&mut self, change: impl FnOnce(&Store)) {
        self.system.stop().await;
        self.store.reopen();
        change(&self.store);
        let settings = SystemSettings::testing();
        self.system = testing::start(&self.store, &self.clock, settings).await;
    }

    /// The rows that this reads: the fewest of some, as others read meanwhile.
    pub(super) fn rows_read(&self, read: impl Fn()) -> u64 {
        let once = || {
            let before = self.store.stats().rows_read;
            read();
            self.store.stats().rows_read - before
        };
        (0..8).map(|_| once()).min().expect("some")
    }

    pub(super) fn start(&self) -> Timestamp {
        self.clock.now()
    }

    pub(super) fn new_contract(&self) -> NewContract {
        NewContract {
            customer: self.customer.id,
            currency: Currency::EUR,
            start_date: self.start().date(),
            end_date: None,
            line_items: Vec::new(),
            details: StatedDetails::default(),
        }
    }

    pub(super) async fn contract(&self, key: &str) -> ContractId {
        let new = self.new_contract();
        let made = self
            .system
            .contracts
            .create(self.seller.id, new, self.customer.clone(), key.to_owned())
            .await;
        match made.expect("made") {
            Once::Made(contract) => contract.id,
            Once::Before => panic!("the key was used"),
        }
    }

    pub(super) async fn subscribe(
        &self,
        contract: ContractId,
        key: &str,
        frequency: Frequency,
        price_minor: i64,
    ) -> Once<Subscription> {
        let new = NewSubscription {
            frequency,
            ..NewSubscription::monthly(&self.start().date().to_string(), price_minor)
        };
        let contracts = &self.system.contracts;
        let made =
            contracts.create_subscription(self.seller.id, contract, new, key.to_owned()).await;
        made.expect("not refused")
    }

    pub(super) async fn issue_recurring(
        &self,
        contract: ContractId,
        key: &str,
    ) -> Result<Invoice, Refusal> {
        self.issue(contract, key, Self::asking(contract, Origin::Recurring), None).await
    }

    /// A request that states no more than it has to.
    pub(super) fn asking(contract: ContractId, origin: Origin) -> NewInvoice {
        NewInvoice {
            contract: Some(contract),
            origin,
            invoice_type: None,
            corrects: None,
            currency: None,
            bill_to: StatedBillTo::default(),
            lines: None,
            due_date: None,
            collection_method: None,
            send: None,
            memo: None,
        }
    }

    /// A one-time invoice of one line over so much.
    pub(super) async fn issue_one_time(
        &self,
        contract: ContractId,
        key: &str,
        minor: i64,
    ) -> Invoice {
        let request = Self::asking(contract, Origin::OneTime);
        let request = NewInvoice { lines: Some(vec![Self::line(minor)]), ..request };
        self.issue(contract, key, request, None).await.expect("issued")
    }

    pub(super) fn line(minor: i64) -> NewLine {
        NewLine {
            description: "Work".to_owned(),
            quantity: Quantity::ONE,
            unit_price_minor: minor,
            discount_minor: None,
            tax: StatedTax::default(),
            period_start: None,
            period_end: None,
        }
    }

    /// Issues a credit note of one line over so much.
    pub(super) async fn credit(
        &self,
        of: &Invoice,
        key: &str,
        minor: i64,
    ) -> Result<Invoice, Refusal> {
        let request = NewInvoice {
            invoice_type: Some(InvoiceType::CreditNote),
            corrects: of.number.map(|number| number.to_string()),
            lines: Some(vec![Self::line(minor)]),
            ..Self::asking(of.contract, of.origin)
        };
        let lines = query::invoice_lines(&self.store, self.seller.id, of.id).expect("read");
        let request = request.filled(of, &lines)?;
        self.issue(of.contract, key, request, Some(of.id)).await
    }

    pub(super) async fn issue(
        &self,
        contract: ContractId,
        key: &str,
        request: NewInvoice,
        corrects: Option<InvoiceId>,
    ) -> Result<Invoice, Refusal> {
        let known = BillTo::from(self.customer.email.clone());
        let intent = Intent::of(&request, Currency::EUR, &known, &TaxRules::manual(TaxRate::ZERO));
        let (key, customer) = (key.to_owned(), self.customer.clone());
        let order = IssueOrder { request, intent, key, customer, corrects };
        let issued = self.system.contracts.issue_invoice(self.seller.id, contract, order).await;
        match issued.map_err(AskError::refusal)? {
            Once::Made(issued) => Ok(issued.invoice),
            Once::Before => panic!("the key was used"),
        }
    }

    pub(super) async fn advance(
        &self,
        contract: ContractId,
        to: Timestamp,
    ) -> Result<AdvanceAnswer, Refusal> {
        self.system
            .contracts
            .advance_clock(self.seller.id, contract, to)
            .await
            .map_err(AskError::refusal)
    }

    /// All invoices of a contract, newest first.
    pub(super) fn invoices(&self, contract: ContractId) -> Vec<Invoice> {
        let paging = Paging { limit: 1_000, cursor: None };
        let filter = InvoiceFilter { contract: Some(contract), ..InvoiceFilter::default() };
        let page = query::invoices(&self.store, self.seller.id, &filter, paging);
        page.expect("read").items
    }

    /// All that is stored fits together.
    pub(super) fn assert_right(&self) {
        Self::assert_stored(self.store.store());
    }

    /// The same where timers may still bring something about: looked at while the system is
    /// stopped.
    pub(super) async fn assert_right_at_rest(&mut self) {
        self.restart_with(Self::assert_stored).await;
    }

    fn assert_stored(store: &Store) {
        let report = verify(store, Rows::Still).expect("it could look");
        assert!(report.faults.is_empty(), "{:#?}", report.faults);
    }

    /// Invoices are listed where they stand, and nowhere else.
    pub(super) fn assert_listed(&self) {
        let (store, seller) = (&self.store, Scan::prefix(&(self.seller.id,)));
        let invoices = store.scan(INVOICES, seller.clone()).values().expect("read");
        let places = |one: &Invoice| {
            let row = |(facet, value)| (facet as u8, value, one.id.0);
            one.places().into_iter().map(row).collect::<Vec<_>>()
        };
        let expected: BTreeSet<_> = invoices.iter().flat_map(places).collect();
        let listed = store.scan(PLACES, seller).map(|row| row.expect("read").0);
        let listed: BTreeSet<_> = listed.map(|(_, facet, value, id)| (facet, value, id)).collect();
        assert_eq!(listed, expected);
    }

    /// Gives a contract `count` line items with `bytes` of configuration each.
    pub(super) async fn amend_with_large_items(
        &self,
        contract: ContractId,
        count: usize,
        bytes: usize,
    ) -> Contract {
        let config = json!({"note": "x".repeat(bytes)});
        let config = serde_json::value::to_raw_value(&config).expect("JSON");
        let content = LineItemContent::parse(Some("hybrid"), Some("1"), Some(&config));
        let item = AmendedLineItem { id: None, content: content.expect("valid") };
        let amendment = Amendment {
            expected_base_version: 1,
            line_items: Some(vec![item; count]),
            ..Amendment::default()
        };
        let amended = self.system.contracts.amend(self.seller.id, contract, amendment).await;
        amended.expect("amended")
    }
}
