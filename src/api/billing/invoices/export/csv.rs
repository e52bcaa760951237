//! The rows of a file for spreadsheets.

use std::fmt::Display;

use actors::domain::billing::invoice::Invoice;
use actors::domain::time::Timestamp;
use actors::query::ExportRow;
use csv::Error;

use super::topup::TopupRow;
use crate::api::spreadsheet::{defused, write};

/// New columns are only appended.
const COLUMNS: [&str; 25] = [
    "id",
    "invoiceNumber",
    "contractId",
    "sellerCustomerId",
    "origin",
    "status",
    "invoiceType",
    "corrects",
    "currency",
    "issueDate",
    "issuedAt",
    "dueDate",
    "sentAt",
    "paidAt",
    "periodStart",
    "periodEnd",
    "customerName",
    "customerEmail",
    "subtotalMinor",
    "discountMinor",
    "taxMinor",
    "grandTotalMinor",
    "creditAppliedMinor",
    "collectibleMinor",
    "outstandingMinor",
];

type Cells = [String; COLUMNS.len()];

pub(super) fn head(to: &mut Vec<u8>) -> Result<(), Error> {
    write(to, |writer| writer.write_record(COLUMNS))
}

pub(super) fn rows(rows: &[ExportRow], now: Timestamp, to: &mut Vec<u8>) -> Result<(), Error> {
    write(to, |writer| {
        rows.iter().try_for_each(|row| match row {
            ExportRow::Invoice(invoice) => writer.write_record(cells(invoice)),
            ExportRow::Topup(topup) => writer.write_record(TopupRow::of(topup, now).cells()),
        })
    })
}

fn cells(of: &Invoice) -> Cells {
    let (bill_to, totals) = (&of.bill_to, &of.totals);
    let customer = bill_to.name.as_ref().or(bill_to.company_name.as_ref());
    [
        of.id.to_string(),
        cell(of.number),
        of.contract.to_string(),
        of.customer.to_string(),
        of.origin.name().to_owned(),
        of.status.name().to_owned(),
        of.invoice_type.name().to_owned(),
        cell(of.corrects.filter(|_| of.is_credit_note())),
        of.currency.to_string(),
        of.issue_date.to_string(),
        of.issued_at.to_string(),
        cell(of.due_date),
        cell(of.sent_at),
        cell(of.paid_at),
        cell(of.period_start),
        cell(of.period_end),
        defused(customer.map_or("", String::as_str)).into_owned(),
        defused(bill_to.email.as_str()).into_owned(),
        totals.subtotal_minor.to_string(),
        totals.discount_minor.to_string(),
        totals.tax_minor.to_string(),
        totals.grand_total_minor.to_string(),
        of.credit_applied_minor.to_string(),
        of.collectible_minor.to_string(),
        of.outstanding_minor.to_string(),
    ]
}

impl TopupRow {
    fn cells(self) -> Cells {
        let amount = self.grand_total_minor.to_string();
        let none = String::new;
        [
            self.id.to_string(),
            self.invoice_number,
            none(),
            none(),
            self.origin.to_owned(),
            self.status.to_owned(),
            self.invoice_type.name().to_owned(),
            none(),
            self.currency.to_string(),
            self.issue_date.to_string(),
            self.issued_at.to_string(),
            self.due_date.to_string(),
            none(),
            cell(self.paid_at),
            none(),
            none(),
            none(),
            none(),
            amount.clone(),
            self.discount_minor.to_string(),
            self.tax_minor.to_string(),
            amount.clone(),
            self.credit_applied_minor.to_string(),
            amount,
            self.outstanding_minor.to_string(),
        ]
    }
}

fn cell(of: Option<impl Display>) -> String {
    of.map(|value| value.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_head_names_the_columns() {
        let mut head = Vec::new();
        super::head(&mut head).expect("written");
        let expected = "id,invoiceNumber,contractId,sellerCustomerId,origin,status,invoiceType,\
                        corrects,currency,issueDate,issuedAt,dueDate,sentAt,paidAt,periodStart,\
                        periodEnd,customerName,customerEmail,subtotalMinor,discountMinor,taxMinor,\
                        grandTotalMinor,creditAppliedMinor,collectibleMinor,outstandingMinor\n";
        assert_eq!(String::from_utf8(head).expect("text"), expected);
    }
}
