//! What a caller meant by an idempotency key: kept with the key, and compared when the key
//! comes again.

use sha2::{Digest, Sha256};

use crate::domain::billing::invoice::{
    BillTo, CollectionMethod, InvoiceType, NewInvoice, NewLine, Origin, StatedBillTo,
};
use crate::domain::billing::tax::{TaxCategory, TaxKind, TaxRules};
use crate::domain::ids::ContractId;
use crate::domain::money::Currency;
use crate::domain::quantity::{Quantity, TaxRate};
use crate::domain::time::Date;

/// A request with its defaults filled in as they were when it came. What was not stated is
/// remembered as such: it is compared only with a request that does state it.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
pub struct Intent {
    #[n(0)]
    contract: Option<ContractId>,
    #[n(1)]
    origin: Origin,
    #[n(2)]
    invoice_type: InvoiceType,
    #[n(3)]
    corrects: Option<String>,
    #[n(4)]
    currency: Currency,
    #[n(5)]
    bill_to: StatedBillTo,
    #[n(6)]
    printed: BillTo,
    #[n(7)]
    lines: Vec<LineIntent>,
    #[n(8)]
    due_date: Option<Date>,
    /// Absent where the subscriptions on the document decide.
    #[n(9)]
    collection_method: Option<CollectionMethod>,
    /// Absent where the collection method decides, and that is not known beforehand.
    #[n(10)]
    send: Option<bool>,
    #[n(11)]
    memo: Option<String>,
    /// How the subscriptions on the document are collected: what holds where the request does not
    /// say it, once that is known.
    #[n(12)]
    collected_by_default: Option<CollectionMethod>,
}

/// A line in the size that 200 of them fit a row: all but its tax as a digest.
#[derive(Clone, Debug, PartialEq, Eq, minicbor::Encode, minicbor::Decode)]
struct LineIntent {
    #[n(0)]
    #[cbor(with = "minicbor::bytes")]
    digest: [u8; 32],
    #[n(1)]
    stated_rate: Option<TaxRate>,
    /// What it was taxed with.
    #[n(2)]
    rate: TaxRate,
    #[n(15)]
    stated_category: Option<TaxCategory>,
    #[n(16)]
    category: TaxCategory,
}

impl Intent {
    /// What `request` means beside a contract in `currency` whose customer is `known`, taxed by
    /// the present `rules`. For an ad-hoc request these come from the request
    /// itself: its own currency, and a recipient of whom no more than the address is known.
    pub fn of(request: &NewInvoice, currency: Currency, known: &BillTo, rules: &TaxRules) -> Self {
        Self {
            contract: request.contract,
            origin: request.origin,
            invoice_type: request.invoice_type(),
            corrects: request.corrects.clone(),
            currency: request.currency.unwrap_or(currency),
            bill_to: request.bill_to.clone(),
            printed: request.bill_to.over(known),
            lines: request.lines().iter().map(|line| LineIntent::of(line, rules)).collect(),
            due_date: request.due_date,
            collection_method: request.known_collection_method(),
            send: request.known_send(),
            memo: request.memo.clone(),
            collected_by_default: None,
        }
    }

    /// The same beside the document that was made of it, which would be collected so by default.
    #[must_use]
    pub fn of_document(self, collected_by_default: CollectionMethod) -> Self {
        Self { collected_by_default: Some(collected_by_default), ..self }
    }

    /// How it is collected if that is so by default.
    fn collected(&self, by_default: Option<CollectionMethod>) -> Option<CollectionMethod> {
        self.collection_method.or(by_default)
    }

    /// Whether it is sent if it is collected so by default.
    fn sent(&self, by_default: Option<CollectionMethod>) -> Option<bool> {
        let by_link = |method| method == CollectionMethod::PaymentLink;
        self.send.or_else(|| self.collected(by_default).map(by_link))
    }
}

/// The first field, by its name on the wire, in which two requests under one key differ.
pub fn first_difference(first: &Intent, again: &Intent) -> Option<&'static str> {
    let recipient = || {
        StatedBillTo::first_difference(
            (&first.bill_to, &first.printed),
            (&again.bill_to, &again.printed),
        )
    };
    let by_default = first.collected_by_default.or(again.collected_by_default);
    let [collected, sent] = [
        differ(first.collected(by_default), again.collected(by_default)),
        differ(first.sent(by_default), again.sent(by_default)),
    ];
    [
        (first.contract != again.contract, "contractId"),
        (first.origin != again.origin, "origin"),
        (first.invoice_type != again.invoice_type, "invoiceType"),
        (first.corrects != again.corrects, "corrects"),
        (first.currency != again.currency, "currency"),
        (!same_lines(&first.lines, &again.lines), "lines"),
        (differ(first.due_date, again.due_date), "dueDate"),
        (collected, "collectionMethod"),
        (sent, "send"),
        (first.memo != again.memo, "memo"),
    ]
    .into_iter()
    .find_map(|(differs, name)| differs.then_some(name))
    .or_else(recipient)
}

/// Whether both say something, and not the same.
fn differ<T: PartialEq>(first: Option<T>, again: Option<T>) -> bool {
    first.zip(again).is_some_and(|(first, again)| first != again)
}

fn same_lines(first: &[LineIntent], again: &[LineIntent]) -> bool {
    first.len() == again.len()
        && first.iter().zip(again).all(|(first, again)| {
            let rate = first.stated_rate.or(again.stated_rate);
            let category = first.stated_category.or(again.stated_category);
            first.digest == again.digest
                && (rate.is_none() || first.rate == again.rate)
                && (category.is_none() || first.category == again.category)
        })
}

#[derive(minicbor::Encode)]
struct LineContent<'a>(
    #[n(0)] &'a str,
    #[n(1)] Quantity,
    #[n(2)] i64,
    #[n(3)] i64,
    #[n(4)] Option<Date>,
    #[n(5)] Option<Date>,
    #[n(6)] TaxKind,
);

impl LineIntent {
    fn of(line: &NewLine, rules: &TaxRules) -> Self {
        let treatment = rules.treat(line.tax);
        let content = LineContent(
            &line.description,
            line.quantity,
            line.unit_price_minor,
            line.discount_minor.unwrap_or(0),
            line.period_start,
            line.period_end,
            line.tax.kind.unwrap_or(TaxKind::Standard),
        );
        Self {
            digest: Sha256::digest(storage::cbor_encode(&content)).into(),
            stated_rate: line.tax.rate,
            rate: treatment.rate,
            stated_category: line.tax.category,
            category: treatment.category,
        }
    }
}

impl storage::CborRecord for Intent {}
