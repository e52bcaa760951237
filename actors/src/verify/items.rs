//! Items that are billed once: each is claimed by the document that bills it, and by no other.

use storage::{ReadError, Scan};

use super::documents::Documents;
use super::run::Run;
use crate::domain::billing::invoice::InvoiceStatus;
use crate::domain::ids::SellerId;
use crate::tables::{INVOICES, ITEM_CLAIMS};

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let documents = Documents::default();
    let all = Scan::prefix(&(seller,));
    run.no_others(ITEM_CLAIMS, all, |reading, (seller, contract, item), invoice| {
        let known = reading.get(INVOICES, &(*seller, *invoice))?;
        let stands = known.is_some_and(|known| {
            known.contract == *contract && known.status != InvoiceStatus::Voided
        });
        Ok(stands && documents.carried(reading, *seller, *invoice)?.items.contains(item))
    })
}
