//! The request for an invoice, and all that can be wrong with it on its own.

use crate::domain::billing::invoice::lines::gross;
use crate::domain::billing::invoice::{
    BillTo, CollectionMethod, InvoiceRefusal, InvoiceType, Origin, StatedBillTo,
};
use crate::domain::billing::tax::{StatedTax, TaxCategory};
use crate::domain::email::Email;
use crate::domain::ids::ContractId;
use crate::domain::money::{AMOUNT_LIMIT, Currency};
use crate::domain::quantity::Quantity;
use crate::domain::time::Date;

pub const MAX_LINES: usize = 200;
/// The longest description of a line, in characters.
const LONGEST_DESCRIPTION: usize = 512;
const LONGEST_MEMO: usize = 1024;

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct NewInvoice {
    /// The contract to bill; none for ad-hoc invoices, and that of the corrected document where
    /// this one corrects one.
    #[n(0)]
    pub contract: Option<ContractId>,
    #[n(1)]
    pub origin: Origin,
    /// `standard` when not stated.
    #[n(2)]
    pub invoice_type: Option<InvoiceType>,
    #[n(3)]
    pub corrects: Option<String>,
    /// The contract's when not stated.
    #[n(4)]
    pub currency: Option<Currency>,
    #[n(5)]
    pub bill_to: StatedBillTo,
    #[n(6)]
    pub lines: Option<Vec<NewLine>>,
    /// By the seller's payment terms when not stated.
    #[n(7)]
    pub due_date: Option<Date>,
    /// When not stated: as the oldest subscription says whose terms or usage are billed, and
    /// `payment_link` where the caller makes the lines.
    #[n(8)]
    pub collection_method: Option<CollectionMethod>,
    /// When not stated: yes for `payment_link`, no for `bank_transfer`.
    #[n(9)]
    pub send: Option<bool>,
    #[n(10)]
    pub memo: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct NewLine {
    /// 1 to 512 characters.
    #[n(0)]
    pub description: String,
    #[n(1)]
    pub quantity: Quantity,
    /// Price of one, in minor units; negative for a deduction.
    #[n(2)]
    pub unit_price_minor: i64,
    /// Between 0 and the gross of the line; 0 when not stated.
    #[n(3)]
    pub discount_minor: Option<i64>,
    #[n(4)]
    pub tax: StatedTax,
    #[n(5)]
    pub period_start: Option<Date>,
    /// First day after what is billed.
    #[n(6)]
    pub period_end: Option<Date>,
}

impl NewInvoice {
    pub fn invoice_type(&self) -> InvoiceType {
        self.invoice_type.unwrap_or(InvoiceType::Standard)
    }

    /// Whether it corrects another document.
    pub fn is_correction(&self) -> bool {
        matches!(self.invoice_type(), InvoiceType::CreditNote | InvoiceType::Modified)
    }

    /// How it is collected, where the request alone decides that.
    pub fn known_collection_method(&self) -> Option<CollectionMethod> {
        let by_link = || self.origin.source_of_given_lines().map(|_| CollectionMethod::PaymentLink);
        self.collection_method.or_else(by_link)
    }

    /// Whether it is sent, where the request alone decides that.
    pub fn known_send(&self) -> Option<bool> {
        let by_link = |method| method == CollectionMethod::PaymentLink;
        self.send.or_else(|| self.known_collection_method().map(by_link))
    }

    /// The caller's lines, none where the engine makes them.
    pub fn lines(&self) -> &[NewLine] {
        self.lines.as_deref().unwrap_or_default()
    }

    /// The recipient of an ad-hoc invoice as far as the request alone knows: the address.
    pub fn adhoc_recipient(&self) -> Option<BillTo> {
        self.bill_to.email.as_deref().and_then(Email::parse).map(BillTo::from)
    }

    /// Checks all that needs no look at contract, seller or time.
    pub fn check(&self) -> Result<(), InvoiceRefusal> {
        self.check_corrects()?;
        if !self.is_correction() {
            self.check_contract()?;
        }
        self.bill_to.check()?;
        if self.memo.as_ref().is_some_and(|memo| memo.chars().count() > LONGEST_MEMO) {
            return Err(InvoiceRefusal::TooLong { field: "memo", longest: LONGEST_MEMO });
        }
        self.check_lines()
    }

    /// An ad-hoc invoice names recipient and currency, any other its contract.
    fn check_contract(&self) -> Result<(), InvoiceRefusal> {
        if self.origin != Origin::Adhoc {
            let named = self.contract.map(|_| ());
            return named.ok_or(InvoiceRefusal::ContractRequired(self.origin));
        }
        if self.contract.is_some() {
            return Err(InvoiceRefusal::ContractNotAccepted);
        }
        if self.bill_to.email.is_none() {
            return Err(InvoiceRefusal::EmailRequired);
        }
        let currency = self.currency.ok_or(InvoiceRefusal::CurrencyRequired)?;
        let accepted = Currency::parse_accepted(currency.code()).map(|_| ());
        accepted.ok_or(InvoiceRefusal::CurrencyNotSupported(currency))
    }

    fn check_corrects(&self) -> Result<(), InvoiceRefusal> {
        let kind = self.invoice_type();
        match (self.is_correction(), self.corrects.is_some()) {
            (true, false) => Err(InvoiceRefusal::CorrectsRequired(kind)),
            (false, true) => Err(InvoiceRefusal::CorrectsNotAccepted(kind)),
            _ if kind == InvoiceType::CreditNote && self.due_date.is_some() => {
                Err(InvoiceRefusal::DueDateNotAccepted(kind))
            }
            _ => Ok(()),
        }
    }

    fn check_lines(&self) -> Result<(), InvoiceRefusal> {
        if self.origin.source_of_given_lines().is_none() && !self.is_correction() {
            let absent = self.lines.is_none();
            return if absent {
                Ok(())
            } else {
                Err(InvoiceRefusal::LinesNotAccepted(self.origin))
            };
        }
        if self.lines().is_empty() {
            return Err(match self.is_correction() {
                true => InvoiceRefusal::LinesOfCorrection(self.invoice_type()),
                false => InvoiceRefusal::LinesRequired(self.origin),
            });
        }
        if self.lines().len() > MAX_LINES {
            return Err(InvoiceRefusal::TooManyLines(MAX_LINES));
        }
        let note = self.invoice_type() == InvoiceType::CreditNote;
        self.lines().iter().enumerate().try_for_each(|(index, line)| line.check(index, note))
    }
}

impl NewLine {
    /// `note`: amounts of a credit note are stated as they are taken off.
    fn check(&self, index: usize, note: bool) -> Result<(), InvoiceRefusal> {
        let wrong = |field, problem| Err(InvoiceRefusal::Line { index, field, problem });
        let length = self.description.chars().count();
        if self.description.trim().is_empty() || length > LONGEST_DESCRIPTION {
            return wrong("description", "must have 1 to 512 characters");
        }
        if !(-AMOUNT_LIMIT..=AMOUNT_LIMIT).contains(&self.unit_price_minor) {
            return wrong("unitPriceMinor", "is beyond 10^15");
        }
        if note && self.unit_price_minor < 0 {
            return wrong("unitPriceMinor", "must not be negative in a credit note");
        }
        let Ok(gross) = gross(self.quantity, self.unit_price_minor) else {
            return wrong("quantity", "times unitPriceMinor is beyond 10^15");
        };
        let discount = self.discount_minor.unwrap_or(0);
        if !(0..=gross.max(0)).contains(&discount) {
            return wrong("discountMinor", "must be between 0 and quantity times unitPriceMinor");
        }
        if self.period_start.zip(self.period_end).is_some_and(|(start, end)| end <= start) {
            return wrong("periodEnd", "must be after periodStart");
        }
        self.check_delivery(index)?;
        self.tax.contradiction().map_or(Ok(()), |(field, problem)| wrong(field, problem))
    }

    /// What is delivered from one country to another says when.
    pub(super) fn check_delivery(&self, index: usize) -> Result<(), InvoiceRefusal> {
        let delivered = self.tax.category == Some(TaxCategory::IntraCommunity);
        if !delivered || self.period_end.is_some() {
            return Ok(());
        }
        let (field, problem) = ("periodEnd", "is required for taxCategory K: the day of delivery");
        Err(InvoiceRefusal::Line { index, field, problem })
    }
}
