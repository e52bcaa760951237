//! What all ways of composing an invoice share.

use crate::domain::billing::contract::Contract;
use crate::domain::billing::credit::CreditDrawn;
use crate::domain::billing::customer::Customer;
use crate::domain::billing::invoice::lines::{tax_summary, total};
use crate::domain::billing::invoice::{
    BillTo, CollectionMethod, ConsumedProration, ConsumedUsage, Invoice, InvoiceLine,
    InvoiceRefusal, InvoiceStatus, InvoiceType, NewInvoice, Origin, SellerParty,
};
use crate::domain::billing::numbering::{InvoiceNumber, NumberSeries};
use crate::domain::billing::tax::{AutomaticTax, TaxRules, eu_country, is_vat_id_of};
use crate::domain::billing::test_clock::Moment;
use crate::domain::country::Country;
use crate::domain::ids::{ContractId, CustomerId, InvoiceId, SubscriptionId};
use crate::domain::money::Currency;
use crate::domain::platform::seller::{Seller, TaxMode};
use crate::domain::quantity::TaxRate;
use crate::domain::time::Date;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractFacts {
    pub id: ContractId,
    pub number: Option<String>,
    pub customer: CustomerId,
    pub currency: Currency,
    pub bill_to: BillTo,
    /// Where its customer is, for documents to nowhere else.
    pub customer_country: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SellerFacts {
    pub agreement: u64,
    /// The rate of lines that have none of their own.
    pub default_tax_rate: TaxRate,
    pub payment_terms_days: u32,
    /// When buyers are reminded, in days from the due date.
    pub reminder_days: Vec<i32>,
    /// As its documents name it.
    pub party: SellerParty,
    /// Where it is, if tax goes by the countries of seller and customer.
    pub taxed_from: Option<Country>,
}

/// How a document is made out and collected: as asked for, or as the last one was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    pub invoice_type: InvoiceType,
    pub bill_to: BillTo,
    /// When not stated: as the oldest subscription on the document says, else by payment link.
    pub collection_method: Option<CollectionMethod>,
    /// Stated by the caller; else by the seller's payment terms.
    pub due_date: Option<Date>,
    /// When not stated: yes, unless it is collected by bank transfer.
    pub send: Option<bool>,
    pub memo: Option<String>,
    pub corrects: Option<InvoiceNumber>,
}

impl ContractFacts {
    /// What is known of a contract and of its customer: address and tax id are the customer's, all
    /// else as agreed on the contract.
    pub fn of(contract: &Contract, customer: &Customer) -> Self {
        let details = &contract.current.details;
        Self {
            id: contract.id,
            number: contract.contract_number(),
            customer: contract.customer,
            currency: contract.currency,
            bill_to: BillTo {
                name: details.name.clone(),
                phone: details.phone.clone(),
                company_name: details.company_name.clone(),
                company_country: details.company_country.clone(),
                tax_id: customer.tax_id.clone(),
                ..BillTo::from(customer.email.clone())
            },
            customer_country: customer.company_country.clone(),
        }
    }

    /// The country whose tax a document to this recipient falls under, as it was written.
    fn country_of<'a>(&'a self, bill_to: &'a BillTo) -> Option<&'a str> {
        bill_to.tax_country().or(self.customer_country.as_deref())
    }
}

impl From<&Seller> for SellerFacts {
    fn from(seller: &Seller) -> Self {
        Self {
            agreement: seller.agreement_number,
            default_tax_rate: seller.default_tax_rate,
            payment_terms_days: seller.payment_terms_days,
            reminder_days: seller.reminder_days().to_vec(),
            party: SellerParty::from(seller),
            taxed_from: seller.country.filter(|_| seller.tax_mode == TaxMode::Automatic),
        }
    }
}

impl SellerFacts {
    /// How the lines of a document of a contract are taxed that goes to this recipient.
    pub fn tax_rules(
        &self,
        contract: &ContractFacts,
        bill_to: &BillTo,
        moment: Moment,
    ) -> TaxRules {
        self.rules_for(contract.customer_country.as_deref(), bill_to, moment.wall.date())
    }

    /// The same of a document that is issued on a day to a customer who is in this country, as
    /// far as that is known.
    pub fn rules_for(
        &self,
        customer_country: Option<&str>,
        bill_to: &BillTo,
        on: Date,
    ) -> TaxRules {
        let country = bill_to.tax_country().or(customer_country);
        let tax_id = bill_to.tax_id.as_deref();
        let between = |seller| AutomaticTax::between(seller, country, tax_id, on);
        TaxRules { default_rate: self.default_tax_rate, automatic: self.taxed_from.map(between) }
    }

    /// Where tax goes by VAT ids, one that a request states has to be one of the customer's
    /// country, if that has any.
    fn check_tax_id(
        &self,
        request: &NewInvoice,
        contract: &ContractFacts,
        bill_to: &BillTo,
    ) -> Result<(), InvoiceRefusal> {
        let stated = request.bill_to.tax_id.as_deref().filter(|id| !id.trim().is_empty());
        let country = contract.country_of(bill_to).and_then(eu_country);
        match (self.taxed_from, stated, country) {
            (Some(_), Some(id), Some(country)) if !is_vat_id_of(country, id) => {
                Err(InvoiceRefusal::NoVatId(country))
            }
            _ => Ok(()),
        }
    }
}

impl Terms {
    pub fn requested(
        request: &NewInvoice,
        contract: &ContractFacts,
        seller: &SellerFacts,
    ) -> Result<Self, InvoiceRefusal> {
        if request.currency.is_some_and(|currency| currency != contract.currency) {
            return Err(InvoiceRefusal::CurrencyMismatch(contract.currency));
        }
        let terms = Self {
            invoice_type: request.invoice_type(),
            bill_to: request.bill_to.over(&contract.bill_to),
            collection_method: request.collection_method,
            due_date: request.due_date,
            send: request.send,
            memo: request.memo.clone(),
            corrects: None,
        };
        seller.check_tax_id(request, contract, &terms.bill_to)?;
        terms.collection().map(|_| terms)
    }

    /// How the document is collected, and whether it is sent.
    fn collection(&self) -> Result<(CollectionMethod, bool), InvoiceRefusal> {
        let method = self.collection_method.unwrap_or(CollectionMethod::PaymentLink);
        let by_link = method == CollectionMethod::PaymentLink;
        let send = self.send.unwrap_or(by_link);
        if send && !by_link { Err(InvoiceRefusal::SendOfBankTransfer) } else { Ok((method, send)) }
    }

    /// The terms of a document of these lines: collected as its oldest subscription says, unless
    /// it is stated how.
    pub(super) fn collected_as(
        self,
        lines: &[InvoiceLine],
        method_of: impl Fn(SubscriptionId) -> Option<CollectionMethod>,
    ) -> Self {
        let by_default = || oldest_subscription(lines).and_then(method_of);
        let collection_method = self.collection_method.or_else(by_default);
        Self { collection_method, ..self }
    }

    pub(super) fn check_due_date(&self, moment: Moment) -> Result<(), InvoiceRefusal> {
        let issue_date = moment.wall.date();
        let early = self.due_date.is_some_and(|due| due < issue_date);
        if early { Err(InvoiceRefusal::DueBeforeIssue(issue_date)) } else { Ok(()) }
    }

    /// The terms of a document that no other one goes before and nobody asked for: to the
    /// contract's customer.
    pub fn first(contract: &ContractFacts) -> Self {
        Self {
            invoice_type: InvoiceType::Standard,
            bill_to: contract.bill_to.clone(),
            collection_method: None,
            due_date: None,
            send: None,
            memo: None,
            corrects: None,
        }
    }

    /// The terms of the document that goes on from `prior`: its recipient and collection
    /// method, sent unless it is collected by bank transfer.
    pub fn continued(prior: &Invoice) -> Self {
        Self {
            invoice_type: InvoiceType::Standard,
            bill_to: prior.bill_to.clone(),
            collection_method: Some(prior.collection_method),
            due_date: None,
            send: None,
            memo: None,
            corrects: None,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composed {
    pub invoice: Invoice,
    pub lines: Vec<InvoiceLine>,
    pub prorations: Vec<ConsumedProration>,
    pub usage: ConsumedUsage,
    /// The stored credit that pays of it.
    pub credit: Option<CreditDrawn>,
    pub series: NumberSeries,
    /// Whether it goes to the customer when issued, and so needs a payment link.
    pub send: bool,
    /// When its buyer is reminded, in days from the due date.
    pub reminder_days: Vec<i32>,
    pub moment: Moment,
}

/// The oldest subscription on a document, which says how it is collected by default.
pub fn oldest_subscription(lines: &[InvoiceLine]) -> Option<SubscriptionId> {
    lines.iter().filter_map(|line| line.subscription).min()
}

/// Refuses a document that would have nothing to bill, for the origins that make their lines
/// themselves: `due` counts the begun unclaimed terms, or the closed unbilled usage lines.
pub fn require_due(origin: Origin, due: usize) -> Result<(), InvoiceRefusal> {
    if due == 0 { Err(InvoiceRefusal::NothingDue(origin)) } else { Ok(()) }
}

/// Puts a document together from its lines, which have amounts and rates but no tax yet.
pub(super) fn put_together(
    (id, origin): (InvoiceId, Origin),
    contract: &ContractFacts,
    seller: &SellerFacts,
    terms: Terms,
    mut lines: Vec<InvoiceLine>,
    moment: Moment,
) -> Result<Composed, InvoiceRefusal> {
    let issue_date = moment.wall.date();
    terms.check_due_date(moment)?;
    let (collection_method, send) = terms.collection()?;
    let totals = total(id, &mut lines)?;
    let tax_summary = tax_summary(&lines)?;
    if totals.grand_total_minor < 0 {
        return Err(InvoiceRefusal::NegativeTotal);
    }
    let due_date = terms.due_date.unwrap_or_else(|| {
        let from = issue_date.max(moment.today());
        from.plus_days(i64::from(seller.payment_terms_days))
    });
    let invoice = Invoice {
        id,
        number: None,
        contract: contract.id,
        contract_number: contract.number.clone(),
        customer: contract.customer,
        origin,
        status: InvoiceStatus::Draft,
        invoice_type: terms.invoice_type,
        corrects: terms.corrects,
        currency: contract.currency,
        issue_date,
        issued_at: moment.wall,
        due_date: Some(due_date),
        sent_at: None,
        paid_at: None,
        voided_at: None,
        period_start: lines.iter().filter_map(|line| line.period_start).min(),
        period_end: lines.iter().filter_map(|line| line.period_end).max(),
        bill_to: terms.bill_to,
        totals,
        credit_applied_minor: 0,
        collectible_minor: totals.grand_total_minor,
        outstanding_minor: totals.grand_total_minor,
        collection_method,
        link: None,
        memo: terms.memo,
        paid_via: None,
        payments: Vec::new(),
        overdue_told_at: None,
        line_count: u32::try_from(lines.len()).unwrap_or(u32::MAX),
        credited_minor: 0,
        given_back_minor: 0,
        credit_returned_minor: 0,
        deposits: Vec::new(),
        given_back: Vec::new(),
        credited_taxes: Vec::new(),
        pack_minor: None,
        tax_summary,
        seller: seller.party.clone(),
        remind_on: None,
        collection: None,
    };
    Ok(Composed {
        send: send && invoice.collectible_minor > 0,
        invoice,
        lines,
        prorations: Vec::new(),
        usage: ConsumedUsage::default(),
        credit: None,
        series: NumberSeries::of(seller.agreement, issue_date),
        reminder_days: seller.reminder_days.clone(),
        moment,
    })
}
