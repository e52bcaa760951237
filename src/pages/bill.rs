//! What is to be paid, in words: the seller, the amount, the lines behind it.

use actors::domain::money::Money;
use actors::domain::time::Date;

use super::language::{Words, fill};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SellerView {
    /// The name; never empty.
    pub name: String,
    pub initial: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BillView {
    /// What the amount is: what is due, or what is left of it.
    pub amount_label: &'static str,
    pub amount: String,
    /// Empty where the amount is not an invoice's.
    pub number: String,
    pub due: Option<String>,
    pub lines: Vec<LineView>,
    /// What stands between the lines and the amount.
    pub sums: Vec<SumView>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineView {
    pub description: String,
    /// Quantity or period.
    pub detail: Option<String>,
    /// Before discounts.
    pub amount: String,
    /// What is taken off it, and why.
    pub discounts: Vec<String>,
}

/// A sum beneath the lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SumView {
    pub label: &'static str,
    pub amount: String,
}

/// The figures of an invoice, all in one currency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BillSums {
    /// All lines before discounts.
    pub subtotal: Money,
    /// All discounts; not negative.
    pub discount: Money,
    pub tax: Money,
    /// Stored credit that was drawn; not negative.
    pub credit: Money,
    /// What was paid or credited since; not negative.
    pub settled: Money,
    pub outstanding: Money,
}

impl SellerView {
    pub fn new(t: &Words, name: &str) -> Self {
        let name = name.trim();
        let name = if name.is_empty() { t.seller } else { name };
        let initial = name.chars().find(|c| c.is_alphanumeric()).unwrap_or('•');
        Self { name: name.to_owned(), initial: initial.to_uppercase().collect() }
    }
}

impl LineView {
    /// A line of `amount` for a `quantity` in plain decimals and a `period` (its end is the day
    /// after its last).
    pub fn new(
        t: &Words,
        description: &str,
        quantity: &str,
        period: Option<(Date, Date)>,
        amount: Money,
    ) -> Self {
        let times = (!quantity.is_empty() && quantity != "1")
            .then(|| fill(t.quantity, &[("quantity", &t.number(quantity))]));
        let days = period.map(|(start, end)| t.period(start, end));
        let detail = match (times, days) {
            (Some(times), Some(days)) => Some(format!("{times} · {days}")),
            (times, days) => times.or(days),
        };
        let (description, amount) = (description.to_owned(), t.money(amount));
        Self { description, detail, amount, discounts: Vec::new() }
    }

    /// The same line with `amount` taken off it.
    pub fn less(mut self, t: &Words, reason: &str, amount: Money) -> Self {
        self.discounts.push(format!("{reason}: {}", minus(t, amount)));
        self
    }
}

impl BillView {
    /// The bill of invoice `number`, or with an empty one of no invoice. Sums that are 0 are left out.
    pub fn new(
        t: &Words,
        number: &str,
        due: Option<Date>,
        lines: Vec<LineView>,
        sums: BillSums,
    ) -> Self {
        let mut shown = Vec::new();
        let between = [sums.discount, sums.tax, sums.credit, sums.settled];
        if between.iter().any(|money| money.minor != 0) {
            shown.push(SumView { label: t.subtotal, amount: t.money(sums.subtotal) });
        }
        if sums.discount.minor != 0 {
            shown.push(SumView { label: t.discount, amount: minus(t, sums.discount) });
        }
        if sums.tax.minor != 0 {
            shown.push(SumView { label: t.tax, amount: t.money(sums.tax) });
        }
        if sums.credit.minor != 0 {
            shown.push(SumView { label: t.credit_used, amount: minus(t, sums.credit) });
        }
        if sums.settled.minor != 0 {
            shown.push(SumView { label: t.already_settled, amount: minus(t, sums.settled) });
        }
        let amount_label = if sums.settled.minor == 0 { t.amount_due } else { t.left_to_pay };
        Self {
            amount_label,
            amount: t.money(sums.outstanding),
            number: number.to_owned(),
            due: due.map(|day| t.date(day)),
            lines,
            sums: shown,
        }
    }
}

fn minus(t: &Words, money: Money) -> String {
    t.money(Money { minor: -money.minor, ..money })
}
