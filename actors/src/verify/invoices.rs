//! Invoices: their lines and totals, what they bill, and the rows that tell of them.

use std::collections::BTreeMap;

use rust_decimal::{Decimal, RoundingStrategy, prelude::ToPrimitive};
use storage::{ReadError, Scan};

use super::documents::{Carried, part_number};
use super::invoice_money::{credit, notes, outstanding};
use super::invoice_payments::{collected, paid};
use super::prorations::{amounts_carried, proration_of};
use super::reading::Reading;
use super::run::{Found, Run};
use crate::backfill::Backfill;
use crate::domain::billing::invoice::{
    Invoice, InvoiceHead, InvoiceLine, InvoiceLineId, InvoiceStatus, RatingBreakdown, collect_at,
    overdue_at, remind_at,
};
use crate::domain::billing::tax::summarize;
use crate::domain::ids::{ContractId, InvoiceId, SellerId};
use crate::domain::quantity::TaxRate;
use crate::tables::{
    COLLECTIONS, CONTRACT_INVOICES, CONTRACTS, FOLLOWABLE_INVOICES, INVOICE_LINES, INVOICE_NUMBERS,
    INVOICES, ITEM_CLAIMS, REMINDERS, SELLERS, TERM_CLAIMS, USAGE_ADJUSTMENTS, USAGE_LINES,
    WAITING_INVOICES,
};

type Key = (SellerId, InvoiceId);

pub(super) fn check(run: &mut Run<'_>, seller: SellerId) -> Result<(), ReadError> {
    let all = || Scan::prefix(&(seller,));
    // An account that cannot be read is told of where accounts are checked.
    let account = run.reading.get(SELLERS, &seller).ok().flatten();
    let agreement = account.map(|account| account.agreement_number);
    let listed = run.reading.is_complete(Backfill::FollowableInvoices)?;
    run.each(INVOICES, all(), |reading, key, row, found| {
        if listed && let Some(place) = followable(row) {
            let place = (key.0, row.contract, place, row.id);
            found.wants(reading, FOLLOWABLE_INVOICES, &place, &())?;
        }
        invoice(reading, key, row, agreement, found)
    })?;
    if listed {
        run.no_others(FOLLOWABLE_INVOICES, all(), |reading, (seller, contract, place, id), ()| {
            let known = reading.get(INVOICES, &(*seller, *id))?;
            Ok(known.is_some_and(|known| {
                known.contract == *contract && followable(&known) == Some(*place)
            }))
        })?;
    }
    run.no_others(INVOICE_LINES, all(), |reading, (seller, id, _), _| {
        reading.contains(INVOICES, &(*seller, *id))
    })?;
    run.no_others(CONTRACT_INVOICES, all(), |reading, (seller, contract, id), _| {
        let known = reading.get(INVOICES, &(*seller, *id))?;
        Ok(known.is_some_and(|known| known.contract == *contract))
    })?;
    run.no_others(WAITING_INVOICES, all(), |reading, (seller, contract, day, id), ()| {
        let known = reading.get(INVOICES, &(*seller, *id))?;
        Ok(known
            .is_some_and(|known| known.contract == *contract && overdue_at(&known) == Some(*day)))
    })?;
    run.no_others(COLLECTIONS, all(), |reading, (seller, contract, day, id), ()| {
        let known = reading.get(INVOICES, &(*seller, *id))?;
        Ok(known
            .is_some_and(|known| known.contract == *contract && collect_at(&known) == Some(*day)))
    })?;
    run.no_others(REMINDERS, all(), |reading, (seller, contract, day, id), ()| {
        let known = reading.get(INVOICES, &(*seller, *id))?;
        Ok(known
            .is_some_and(|known| known.contract == *contract && remind_at(&known) == Some(*day)))
    })?;
    run.no_others(TERM_CLAIMS, all(), |reading, (seller, subscription, start), claim| {
        let known = reading.get(INVOICES, &(*seller, claim.invoice))?;
        if known.is_none_or(|known| known.status == InvoiceStatus::Voided) {
            return Ok(false);
        }
        let lines = Scan::prefix(&(*seller, claim.invoice));
        let chunks = reading.scan(INVOICE_LINES, lines).values()?;
        let carried = Carried::of(chunks.iter().flat_map(|chunk| &chunk.0));
        Ok(carried.terms.contains(&(*subscription, *start)))
    })
}

/// The origin under which an invoice is listed that later documents may go on from.
fn followable(invoice: &Invoice) -> Option<u8> {
    InvoiceHead::of(invoice).followed_as().map(|origin| origin as u8)
}

fn invoice(
    reading: &Reading,
    key: &Key,
    invoice: &Invoice,
    agreement: Option<u64>,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    let (seller, id) = *key;
    found.same("invoice under its own key", id, invoice.id);
    found.names(reading, CONTRACTS, &(seller, invoice.contract))?;
    found.wants(
        reading,
        CONTRACT_INVOICES,
        &(seller, invoice.contract, id),
        &InvoiceHead::of(invoice),
    )?;
    if let Some(day) = overdue_at(invoice) {
        found.wants(reading, WAITING_INVOICES, &(seller, invoice.contract, day, id), &())?;
    }
    if let Some(day) = remind_at(invoice) {
        found.wants(reading, REMINDERS, &(seller, invoice.contract, day, id), &())?;
    }
    if let Some(day) = collect_at(invoice) {
        found.wants(reading, COLLECTIONS, &(seller, invoice.contract, day, id), &())?;
    }
    collected(reading, key, invoice, found)?;
    match invoice.number {
        Some(number) => {
            let series = number.series;
            if let Some(agreement) = agreement {
                found.same("agreement in an invoice number", agreement, series.agreement);
            }
        }
        None => found.same("invoice without a number", InvoiceStatus::Draft, invoice.status),
    }
    let mut lines = Vec::new();
    for (number, row) in (0_u16..).zip(reading.scan(INVOICE_LINES, Scan::prefix(key))) {
        let (at, chunk) = row?;
        found.same("lines of an invoice without a gap", number, at.2);
        found.has(INVOICE_LINES, 1);
        lines.extend(chunk.0);
    }
    if let Some(number) = invoice.number {
        let row = (seller, number.series.year, number.series.month, number.order);
        let issued = (id, invoice.digest(&lines));
        found.says(reading, INVOICE_NUMBERS, &row, &issued, |row| {
            (row.document, row.digest) == issued
        })?;
    }
    totals(invoice, &lines, found);
    amounts_carried(reading, (seller, invoice.contract), &lines, found)?;
    status(invoice, found);
    credit(reading, key, invoice, found)?;
    notes(reading, seller, invoice, found)?;
    for payment in invoice.payments.iter().filter(|payment| payment.reversed_at.is_none()) {
        paid(reading, key, invoice, payment, found)?;
    }
    // What a voided document billed is to be billed again.
    if invoice.status != InvoiceStatus::Voided {
        carried(reading, key, invoice.contract, &Carried::of(&lines), found)?;
    }
    Ok(())
}

fn totals(invoice: &Invoice, lines: &[InvoiceLine], found: &mut Found<'_>) {
    found.same("number of lines", invoice.line_count as usize, lines.len());
    let (mut gross, mut discounts, mut tax) = (0_i128, 0_i128, 0_i128);
    let mut by_rate: BTreeMap<TaxRate, (i128, i128)> = BTreeMap::new();
    for (index, line) in lines.iter().enumerate() {
        let (net, off) = (i128::from(line.amount_minor), i128::from(line.discount_minor));
        found.same("id of a line", InvoiceLineId::new(invoice.id, index), line.id);
        gross += net + off;
        discounts += off;
        tax += i128::from(line.tax_minor);
        let (nets, taxes) = by_rate.entry(line.tax_rate).or_default();
        *nets += net;
        *taxes += i128::from(line.tax_minor);
        amount(line, net + off, found);
    }
    // Credit notes are taxed together: the invoice that they correct tells whether rightly.
    for (rate, (net, tax)) in by_rate.into_iter().filter(|_| !invoice.is_credit_note()) {
        found.same("tax on the lines of one rate", percent_of(net, rate), Some(tax));
    }
    let taxed = lines.iter().map(|line| (line.tax_treatment(), line.amount_minor, line.tax_minor));
    let summary = summarize(taxed).unwrap_or_default();
    found.same("tax summary of an invoice", &summary, &invoice.tax_summary);
    let stated = invoice.totals;
    let sums = [gross, discounts, tax, gross - discounts + tax];
    let [subtotal, discount, taxes, grand] =
        [stated.subtotal_minor, stated.discount_minor, stated.tax_minor, stated.grand_total_minor]
            .map(i128::from);
    found.same("totals of an invoice", sums, [subtotal, discount, taxes, grand]);
    outstanding(invoice, grand, found);
    let first = lines.iter().filter_map(|line| line.period_start).min();
    let last = lines.iter().filter_map(|line| line.period_end).max();
    let period = (invoice.period_start, invoice.period_end);
    found.same("period of an invoice", (first, last), period);
}

/// A line's gross is its quantity times its price, where it states one; a credit that lowers it is
/// its discount.
fn amount(line: &InvoiceLine, gross: i128, found: &mut Found<'_>) {
    if let Some(price) = line.unit_price_minor {
        let exact = line.quantity.value().checked_mul(Decimal::from(price));
        found.same("amount of a line", exact.and_then(rounded), Some(gross));
    }
    if let Some(RatingBreakdown::Usage(of)) = &line.breakdown {
        found.same("amount of a line of usage", of.rating.amount_minor, line.amount_minor);
    }
    if !line.credits.is_empty() {
        let credits: i128 = line.credits.iter().map(|one| i128::from(one.amount_minor)).sum();
        found.same("discount of a line", credits, i128::from(line.discount_minor));
    }
}

pub(super) fn percent_of(net: i128, rate: TaxRate) -> Option<i128> {
    let net = Decimal::try_from_i128_with_scale(net, 0).ok()?;
    net.checked_mul(rate.percent())?.checked_div(Decimal::ONE_HUNDRED).and_then(rounded)
}

fn rounded(exact: Decimal) -> Option<i128> {
    exact.round_dp_with_strategy(0, RoundingStrategy::MidpointAwayFromZero).to_i128()
}

fn status(invoice: &Invoice, found: &mut Found<'_>) {
    let Invoice { status, outstanding_minor, .. } = *invoice;
    let open =
        matches!(status, InvoiceStatus::Issued | InvoiceStatus::Sent | InvoiceStatus::Overdue);
    let fits = match status {
        InvoiceStatus::Paid => outstanding_minor == 0,
        _ => !open || outstanding_minor > 0 || invoice.is_credit_note(),
    };
    found.holds("status by what is outstanding", fits, &(status, outstanding_minor));
    let paid = status == InvoiceStatus::Paid;
    found.same("instant of the payment", paid, invoice.paid_at.is_some());
    let sent = invoice.sent_at.is_some();
    let by_link = sent && !invoice.is_credit_note();
    found.same("payment link of an invoice that was sent", by_link, invoice.link.is_some());
    let voided = status == InvoiceStatus::Voided;
    found.same("instant of the void", voided, invoice.voided_at.is_some());
    let fits = status != InvoiceStatus::Sent || sent;
    found.holds("status of an invoice that was sent", fits, &(status, invoice.sent_at));
}

/// All that the lines bill is marked as billed by this invoice.
fn carried(
    reading: &Reading,
    (seller, id): &Key,
    contract: ContractId,
    carried: &Carried,
    found: &mut Found<'_>,
) -> Result<(), ReadError> {
    for (subscription, start) in &carried.terms {
        let claim = (*seller, *subscription, *start);
        if found.says(reading, TERM_CLAIMS, &claim, id, |claim| claim.invoice == *id)? {
            found.has(TERM_CLAIMS, 1);
        }
    }
    for ((proration, part), minor) in &carried.prorations {
        let record = proration_of(reading, &(*seller, contract, *proration))?;
        let claims = record.iter().flat_map(|record| &record.claims);
        let mine = claims.filter(|claim| claim.invoice == *id && part_number(claim.part) == *part);
        let claimed: i128 = mine.map(|claim| i128::from(claim.amount_minor)).sum();
        found.same("claim of a proration on a document", i128::from(*minor), claimed);
    }
    for item in &carried.items {
        found.wants(reading, ITEM_CLAIMS, &(*seller, contract, *item), id)?;
    }
    for (line, minor) in &carried.usage {
        let known = reading.get(USAGE_LINES, &(*seller, contract, *line))?;
        let of = known.map(|known| (known.billed_by, known.amount_minor()));
        found.same("usage line of a document", Some((Some(*id), *minor)), of);
    }
    for (adjustment, minor) in &carried.adjustments {
        let known = reading.get(USAGE_ADJUSTMENTS, &(*seller, contract, *adjustment))?;
        let parts = known.iter().flat_map(|known| &known.carried);
        let mine: i128 =
            parts.filter(|(of, _)| of == id).map(|(_, minor)| i128::from(*minor)).sum();
        found.same("correction of usage of a document", i128::from(*minor), mine);
    }
    Ok(())
}
