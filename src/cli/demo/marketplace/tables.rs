//! The tables of the marketplace chapter.

use comfy_table::Cell;

use super::Market;
use super::records::{Entry, Payment};
use super::sale::{PEOPLE, Sale};
use crate::cli::terminal::{Terminal, major, status};

/// Prints everything that happened.
pub(in crate::cli::demo) fn print(terminal: Terminal, market: &Market) {
    sales(terminal, market);
    decisions(terminal, market);
    parts(terminal, market);
    trail(terminal, market);
    wallets(terminal, market);
    payout(terminal, market);
}

fn sales(terminal: Terminal, market: &Market) {
    terminal.heading("Sales of the marketplace, as read back");
    let header = ["Payment", "Method", "Amount", "Captured", "Refunded", "Status", "Failure"];
    let mut table = terminal.table(&header, &[2, 3, 4]);
    for payment in &market.facts.payments {
        table.add_row(vec![
            Cell::new(&payment.payment_id),
            Cell::new(&payment.payment_method),
            Cell::new(major(payment.amount.0)),
            Cell::new(major(payment.captured_amount.0)),
            Cell::new(major(payment.refunded_amount.0)),
            status(&payment.status),
            Cell::new(failure(market, payment)),
        ]);
    }
    terminal.show(&table);
}

fn failure(market: &Market, payment: &Payment) -> String {
    if payment.failure_code == 0 {
        return String::new();
    }
    let retry = payment.retry.as_deref().unwrap_or_default();
    format!("{} {}, retry: {retry}", payment.failure_code, market.declined.error)
}

fn decisions(terminal: Terminal, market: &Market) {
    terminal.heading("Split decisions");
    let header = ["Payment", "Mode", "Gross", "Payee", "Share", "Fee", "Net", "Stays"];
    let mut table = terminal.table(&header, &[2, 4, 5, 6, 7]);
    for decision in &market.facts.decisions {
        let outcome = &decision.outcome;
        for share in &outcome.shares {
            table.add_row(vec![
                decision.payment_id.clone(),
                decision.inputs.allocation_mode.clone(),
                major(outcome.gross_amount_minor),
                market.holder(Some(share.payee_id)).to_owned(),
                major(share.share_amount_minor),
                major(share.fee_amount_minor),
                major(share.net_amount_minor),
                major(outcome.remainder_minor),
            ]);
        }
    }
    terminal.show(&table);
}

/// Who has what of each sale, captures and refunds in proportion.
fn parts(terminal: Terminal, market: &Market) {
    terminal.heading("Who has what of each sale, after captures and refunds in part");
    let people = PEOPLE.iter().map(|person| person.name);
    let header: Vec<&str> =
        ["Payment", "Buyer paid"].into_iter().chain(people).chain(["Seller"]).collect();
    let right: Vec<usize> = (1..header.len()).collect();
    let mut table = terminal.table(&header, &right);
    for (sale, payment) in Sale::ALL.iter().zip(&market.facts.payments) {
        let paid = payment.captured_amount.0 - payment.refunded_amount.0;
        let mut row = vec![payment.payment_id.clone(), major(paid)];
        let reference = sale.reference(&market.run);
        let parts = (0..=PEOPLE.len()).map(|place| major(market.part(&reference, place)));
        row.extend(parts);
        table.add_row(row);
    }
    terminal.show(&table);
}

/// Every movement of the basket's money and of the payout, in double entry.
fn trail(terminal: Terminal, market: &Market) {
    let basket = market.basket();
    terminal.heading(&format!("The trail of {basket} and of the payout"));
    let header = ["Wallet", "Movement", "Pending", "Available", "Reserved", "Outside"];
    let mut table = terminal.table(&header, &[2, 3, 4, 5]);
    let payout = market.given.payout.id;
    let shown = |entry: &&Entry| {
        entry.payment_id.as_ref() == Some(&basket) || entry.payout_id == Some(payout)
    };
    for (wallet, entries) in market.facts.wallets.iter().zip(&market.facts.entries) {
        for entry in entries.iter().filter(shown) {
            let outside = entry.of("clearing") + entry.of("bank");
            let amounts =
                [entry.of("pending"), entry.of("available"), entry.of("reserved"), outside];
            let mut row = vec![market.holder(wallet.payee_id).to_owned(), entry.cause.clone()];
            row.extend(amounts.map(|minor| if minor == 0 { String::new() } else { major(minor) }));
            table.add_row(row);
        }
    }
    terminal.show(&table);
}

fn wallets(terminal: Terminal, market: &Market) {
    terminal.heading("Wallets (the seller's holds the paid invoices too)");
    let header = ["Holder", "Type", "Pending", "Available", "Reserved", "Withdrawable"];
    let mut table = terminal.table(&header, &[2, 3, 4, 5]);
    for wallet in &market.facts.wallets {
        table.add_row(vec![
            market.holder(wallet.payee_id).to_owned(),
            wallet.wallet_type.clone(),
            major(wallet.pending_balance_minor),
            major(wallet.available_balance_minor),
            major(wallet.reserved_balance_minor),
            major(wallet.withdrawable_balance_minor),
        ]);
    }
    terminal.show(&table);
}

fn payout(terminal: Terminal, market: &Market) {
    let payout = &market.given.payout;
    terminal.heading("The payout");
    let header = ["Payout", "To", "Amount", "Status", "Approval", "Provider reference"];
    let mut table = terminal.table(&header, &[2]);
    table.add_row(vec![
        Cell::new(payout.id),
        Cell::new(&payout.destination.iban),
        Cell::new(major(payout.amount_minor)),
        status(&payout.status),
        Cell::new(&payout.approval_status),
        Cell::new(payout.provider_reference.as_deref().unwrap_or_default()),
    ]);
    terminal.show(&table);
}
