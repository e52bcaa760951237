//! The third chapter: a small marketplace. Sales are shared with payees, refunded in part, settled
//! and paid out, and at the end there is the trail of every cent.

mod checks;

use serde_json::{Value, json};

use super::answers::{Answers, all, cents, plain, show, sum};

pub(super) use checks::checks;

/// The accounts of a wallet; what is posted to others is outside of it.
const HELD: [&str; 3] = ["pending", "available", "reserved"];

pub(super) fn rows(answers: &Answers) -> Value {
    let held: i64 =
        HELD.iter().map(|account| answers.sum(&format!("wallets/*/{account}BalanceMinor"))).sum();
    let zero = |entry: &&&Value| sum(entry, "postings/*/amountMinor") == 0;
    json!({
        "came": answers.cents("payments/[currencyCode=EUR]/capturedAmount")
            - answers.cents("payments/[currencyCode=EUR]/refundedAmount"),
        "held": held,
        "heldAndOut": held + answers.sum("payouts/[status=completed]/amountMinor"),
        "zeroSums": answers.all("entries/*/*").iter().filter(zero).count(),
        "sales": answers.all("sales/*").into_iter().map(|row| sale(answers, row)).collect::<Vec<_>>(),
        "decisions": decisions(answers),
        "trail": trail(answers),
        "wallets": answers.all("wallets/*").into_iter().map(|row| with_holder(answers, row, row)).collect::<Vec<_>>(),
    })
}

/// What the movements of a wallet, by its place or `*`, brought it of a payment.
fn part(answers: &Answers, place: &str, payment: &str) -> i64 {
    let of_payment = format!("entries/{place}/[paymentId={payment}]/postings");
    let account = |account| answers.sum(&format!("{of_payment}/[account={account}]/amountMinor"));
    HELD.into_iter().map(account).sum()
}

fn sale(answers: &Answers, sale: &Value) -> Value {
    let reference = plain(&sale["paymentId"]);
    let mut row = sale.clone();
    row["paid"] = json!(cents(&sale["capturedAmount"]) - cents(&sale["refundedAmount"]));
    row["parts"] =
        ["0", "1", "2"].map(|place| part(answers, place, &reference)).into_iter().collect();
    if sale["failureCode"] != 0 {
        row["error"] = answers.get("declined/body/error").clone();
        row["failure"] = json!(show(&row, "<failureCode> <error>, retry: <retry>"));
    }
    row
}

/// The split decisions, a row for each share.
fn decisions(answers: &Answers) -> Vec<Value> {
    let mut rows = Vec::new();
    for decision in answers.all("splits/*/decisions/*") {
        for share in all(decision, "outcome/shares/*") {
            let mut row = with_holder(answers, decision, share);
            row["share"] = share.clone();
            rows.push(row);
        }
    }
    rows
}

/// Every movement of the basket's money and of the payout, in double entry.
fn trail(answers: &Answers) -> Vec<Value> {
    let (basket, payout) = (answers.get("sales/0/paymentId"), answers.get("paidOut/id"));
    let shown = |entry: &&Value| entry["paymentId"] == *basket || entry["payoutId"] == *payout;
    let mut rows = Vec::new();
    for (wallet, entries) in answers.all("wallets/*").into_iter().zip(answers.all("entries/*")) {
        for entry in all(entries, "*").into_iter().filter(shown) {
            let mut row = with_holder(answers, entry, wallet);
            for (column, accounts) in [
                ("pending", &["pending"][..]),
                ("available", &["available"]),
                ("reserved", &["reserved"]),
                ("outside", &["clearing", "bank"]),
            ] {
                let of = |account| sum(entry, &format!("postings/[account={account}]/amountMinor"));
                let minor: i64 = accounts.iter().map(of).sum();
                row[column] = json!((minor != 0).then_some(minor));
            }
            rows.push(row);
        }
    }
    rows
}

/// The row with the name of the payee that `whose` names, or the seller.
fn with_holder(answers: &Answers, row: &Value, whose: &Value) -> Value {
    let holder = match &whose["payeeId"] {
        Value::Null => "Seller".to_owned(),
        id => answers.text(&format!("payees/*/payee/[id={}]/displayName", plain(id))),
    };
    let mut row = row.clone();
    row["holder"] = json!(holder);
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::demo::scenario::Chapter;
    use crate::cli::shares::shared;

    #[test]
    fn every_sale_is_shared_by_largest_remainders_without_a_rest() {
        let chapter: Chapter =
            serde_json::from_str(include_str!("marketplace.json")).expect("a chapter");
        let mut due = [0; 3];
        for sale in all(&chapter.data["ordered"], "*") {
            let minor = |path: &str| -> Vec<i64> {
                all(sale, path).into_iter().filter_map(Value::as_i64).collect()
            };
            let mut weights = minor("shares/*");
            weights.push(sum(sale, "amount") - weights.iter().sum::<i64>());
            // What is refunded is taken back in proportion, too.
            let credited = shared(sum(sale, "captured"), &weights);
            let back = shared(minor("refunds/*").iter().sum(), &credited);
            for (place, part) in minor("parts/*").into_iter().enumerate() {
                assert_eq!(part, credited[place] - back[place], "{sale}");
                due[place] += part;
            }
        }
        let payout = chapter.data["payout"].as_i64().expect("an amount");
        assert_eq!(chapter.data["due"], json!([due[0] - payout, due[1]]));
    }
}
