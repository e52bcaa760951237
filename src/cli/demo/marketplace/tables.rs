//! The tables of the marketplace.

use serde_json::{Value, json};

use super::checks::part;
use super::sales::PEOPLE;
use crate::cli::demo::answers::{Answers, all, cents, plain, show, sum};
use crate::cli::demo::table;
use crate::cli::terminal::Terminal;

pub(crate) fn print(terminal: Terminal, answers: &Answers) {
    terminal.heading("Sales of the marketplace, as read back");
    let error = answers.get("declined/body/error");
    let sales = answers.all("sales/*").into_iter().map(|sale| {
        let mut row = sale.clone();
        if sale["failureCode"] != 0 {
            row["error"] = error.clone();
            row["failure"] = json!(show(&row, "<failureCode> <error>, retry: <retry>"));
        }
        row
    });
    table::print(
        terminal,
        &sales.collect::<Vec<_>>(),
        &[
            ("Payment", "<paymentId>"),
            ("Method", "<paymentMethod>"),
            (">Amount", "<amount|major>"),
            (">Captured", "<capturedAmount|major>"),
            (">Refunded", "<refundedAmount|major>"),
            ("Status", "<status>"),
            ("Failure", "<failure>"),
        ],
    );

    terminal.heading("Split decisions");
    table::print(
        terminal,
        &decisions(answers),
        &[
            ("Payment", "<paymentId>"),
            ("Mode", "<inputs/allocationMode>"),
            (">Gross", "<outcome/grossAmountMinor|minor>"),
            ("Payee", "<holder>"),
            (">Share", "<share/shareAmountMinor|minor>"),
            (">Fee", "<share/feeAmountMinor|minor>"),
            (">Net", "<share/netAmountMinor|minor>"),
            (">Stays", "<outcome/remainderMinor|minor>"),
        ],
    );

    terminal.heading("Who has what of each sale, after captures and refunds in part");
    let parts = answers.all("sales/*").into_iter().map(|sale| {
        let paid = cents(&sale["capturedAmount"]) - cents(&sale["refundedAmount"]);
        let reference = plain(&sale["paymentId"]);
        let parts = (0..=PEOPLE.len()).map(|place| part(answers, &place.to_string(), &reference));
        json!({"payment": reference, "paid": paid, "parts": parts.collect::<Vec<_>>()})
    });
    let [first, second] = PEOPLE.map(|person| format!(">{}", person.name));
    table::print(
        terminal,
        &parts.collect::<Vec<_>>(),
        &[
            ("Payment", "<payment>"),
            (">Buyer paid", "<paid|minor>"),
            (&first, "<parts/0|minor>"),
            (&second, "<parts/1|minor>"),
            (">Seller", "<parts/2|minor>"),
        ],
    );

    let basket = answers.text("sales/0/paymentId");
    terminal.heading(&format!("The trail of {basket} and of the payout"));
    table::print(
        terminal,
        &trail(answers, &basket),
        &[
            ("Wallet", "<holder>"),
            ("Movement", "<cause>"),
            (">Pending", "<pending|minor>"),
            (">Available", "<available|minor>"),
            (">Reserved", "<reserved|minor>"),
            (">Outside", "<outside|minor>"),
        ],
    );

    terminal.heading("Wallets (the seller's holds the paid invoices too)");
    let wallets = answers.all("wallets/*").into_iter().map(|wallet| {
        let mut row = wallet.clone();
        row["holder"] = json!(holder(answers, &wallet["payeeId"]));
        row
    });
    table::print(
        terminal,
        &wallets.collect::<Vec<_>>(),
        &[
            ("Holder", "<holder>"),
            ("Type", "<type>"),
            (">Pending", "<pendingBalanceMinor|minor>"),
            (">Available", "<availableBalanceMinor|minor>"),
            (">Reserved", "<reservedBalanceMinor|minor>"),
            (">Withdrawable", "<withdrawableBalanceMinor|minor>"),
        ],
    );

    terminal.heading("The payout");
    table::print(
        terminal,
        [answers.get("payout")],
        &[
            ("Payout", "<id>"),
            ("To", "<destination/iban>"),
            (">Amount", "<amountMinor|minor>"),
            ("Status", "<status>"),
            ("Approval", "<approvalStatus>"),
            ("Provider reference", "<providerReference>"),
        ],
    );
}

/// The split decisions, a row for each share.
fn decisions(answers: &Answers) -> Vec<Value> {
    let mut rows = Vec::new();
    for decision in answers.all("splits/*/decisions/*") {
        for share in all(decision, "outcome/shares/*") {
            let mut row = decision.clone();
            row["holder"] = json!(holder(answers, &share["payeeId"]));
            row["share"] = share.clone();
            rows.push(row);
        }
    }
    rows
}

/// Every movement of the basket's money and of the payout, in double entry.
fn trail(answers: &Answers, basket: &str) -> Vec<Value> {
    let payout = answers.get("payout/id");
    let mut rows = Vec::new();
    let wallets = answers.all("wallets/*").into_iter().zip(answers.all("entries/*"));
    for (wallet, entries) in wallets {
        let shown = |entry: &&Value| entry["paymentId"] == basket || entry["payoutId"] == *payout;
        for entry in all(entries, "*").into_iter().filter(shown) {
            let of =
                |account: &str| sum(entry, &format!("postings/[account={account}]/amountMinor"));
            let amount = |minor: i64| (minor != 0).then_some(minor);
            rows.push(json!({
                "holder": holder(answers, &wallet["payeeId"]), "cause": entry["cause"],
                "pending": amount(of("pending")), "available": amount(of("available")),
                "reserved": amount(of("reserved")), "outside": amount(of("clearing") + of("bank")),
            }));
        }
    }
    rows
}

/// Whose wallet it is: a payee's name, or the seller.
fn holder(answers: &Answers, payee: &Value) -> String {
    match payee {
        Value::Null => "Seller".to_owned(),
        id => answers.text(&format!("payees/*/payee/[id={}]/displayName", plain(id))),
    }
}
