//! What is kept of the API's answers, by name, and how paths and texts refer to it.
//!
//! A path leads through names and places like a JSON pointer (RFC 6901) without its first slash:
//! `invoices/0/id`. Besides, `*` stands for every element of a list, `last` for its last one, and
//! `[status=paid]` for what has this field. Filters may follow, as in `invoices/*/taxMinor|sum`:
//! `count`, `sum` and `list` take all values, `cents` sums amounts in major units; `minor` writes
//! minor units as money, `number` a decimal without zeros at its end, `day` the day of a time. In
//! a text `<path>` stands for the value there.

use actors::domain::time::Timestamp;
use anyhow::bail;
use rust_decimal::Decimal;
use serde_json::{Value, json};

use super::buyer::expiry_year;
use super::collection;
use super::scenario::Claims;
use super::usage::Usage;
use super::year::Calendar;
use crate::cli::cents::Cents;
use crate::cli::terminal::major;

#[derive(Clone, Debug, Default)]
pub(super) struct Answers(Value);

impl Answers {
    /// What the story begins with at `now`; `run` is the name of this telling, and of no other.
    pub(super) fn of_run(now: Timestamp, run: &str) -> Self {
        let mut answers = Self::default();
        answers.put("expiryYear", json!(expiry_year(now)));
        answers.put("calendar", Calendar::of_year_from(now.date()).data());
        answers.put("calendar/collection", collection::data(now.date()));
        answers.put("usage", Usage::at(now).data(run));
        answers.put("tag", json!(run.get(..8)));
        answers.put("run", json!(run));
        answers
    }

    pub(super) fn all(&self, path: &str) -> Vec<&Value> {
        all(&self.0, path)
    }

    pub(super) fn get(&self, path: &str) -> &Value {
        get(&self.0, path)
    }

    pub(super) fn text(&self, path: &str) -> String {
        plain(self.get(path))
    }

    pub(super) fn texts(&self, path: &str) -> Vec<String> {
        self.all(path).into_iter().map(plain).collect()
    }

    pub(super) fn sum(&self, path: &str) -> i64 {
        sum(&self.0, path)
    }

    /// The sum of all amounts in major units at `path`, in cents.
    pub(super) fn cents(&self, path: &str) -> i64 {
        self.all(path).into_iter().map(cents).sum()
    }

    /// Keeps `value` at `path`, whose names are made where they are missing.
    pub(super) fn put(&mut self, path: &str, value: Value) {
        *self.place(path) = value;
    }

    pub(super) fn push(&mut self, path: &str, value: Value) {
        match self.place(path) {
            Value::Array(rows) => rows.push(value),
            other => *other = json!([value]),
        }
    }

    fn place(&mut self, path: &str) -> &mut Value {
        path.split('/').fold(&mut self.0, |value, step| match value {
            Value::Array(rows) => {
                let last = rows.len().saturating_sub(1);
                &mut rows[step.parse().unwrap_or(last)]
            }
            other => &mut other[step],
        })
    }

    /// Whether all claims hold for `about`; what they state may refer to what was kept.
    pub(super) fn hold(&self, claims: &Claims, about: &Value) -> anyhow::Result<bool> {
        for (path, stated) in claims {
            if !same(&evaluate(about, &self.fill(path)?), &self.fill_json(stated)?) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The same for claims over everything that was kept; what is missing does not hold.
    pub(super) fn hold_here(&self, claims: &Claims) -> bool {
        self.hold(claims, &self.0).unwrap_or(false)
    }

    /// A text for people: what is missing in it is empty.
    pub(super) fn show(&self, text: &str) -> String {
        show(&self.0, text)
    }

    /// The text with every `<path>` filled in; it is an error when nothing was kept there.
    pub(super) fn fill(&self, text: &str) -> anyhow::Result<String> {
        fill(text, |path| match evaluate(&self.0, path) {
            Value::Null => bail!("nothing was kept as {path}"),
            value => Ok(plain(&value)),
        })
    }

    /// The body with every text filled in; one that is a `<path>` alone becomes the value itself,
    /// filled in as well.
    pub(super) fn fill_json(&self, body: &Value) -> anyhow::Result<Value> {
        Ok(match body {
            Value::String(text) => match text.strip_prefix('<').and_then(|t| t.strip_suffix('>')) {
                Some(path) if !path.contains('<') => {
                    self.fill(text)?;
                    self.fill_json(&evaluate(&self.0, path))?
                }
                _ => Value::String(self.fill(text)?),
            },
            Value::Array(rows) => {
                Value::Array(rows.iter().map(|row| self.fill_json(row)).collect::<Result<_, _>>()?)
            }
            Value::Object(fields) => {
                let filled =
                    fields.iter().map(|(name, of)| Ok((name.clone(), self.fill_json(of)?)));
                Value::Object(filled.collect::<anyhow::Result<_>>()?)
            }
            other => other.clone(),
        })
    }
}

pub(super) fn all<'a>(value: &'a Value, path: &str) -> Vec<&'a Value> {
    let steps = path.split('/').filter(|step| !step.is_empty());
    steps.fold(vec![value], |found, step| {
        found.into_iter().flat_map(|value| children(value, step)).collect()
    })
}

fn children<'a>(value: &'a Value, step: &str) -> Vec<&'a Value> {
    let rows = || value.as_array().into_iter().flatten();
    if let Some((field, wanted)) =
        step.strip_prefix('[').and_then(|step| step.strip_suffix(']')?.split_once('='))
    {
        let itself = value.is_object().then_some(value);
        return rows().chain(itself).filter(|row| plain(&row[field]) == wanted).collect();
    }
    match step {
        "*" => rows().collect(),
        "last" => rows().last().into_iter().collect(),
        step => value.pointer(&format!("/{step}")).into_iter().collect(),
    }
}

pub(super) fn get<'a>(value: &'a Value, path: &str) -> &'a Value {
    all(value, path).into_iter().next().unwrap_or(&Value::Null)
}

pub(super) fn sum(value: &Value, path: &str) -> i64 {
    all(value, path).into_iter().filter_map(Value::as_i64).sum()
}

/// A value as text: `null` is empty.
pub(super) fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(rows) => rows.iter().map(plain).collect::<Vec<_>>().join("\n"),
        other => other.to_string(),
    }
}

/// A quantity, which the API writes as text; 0 when it is none.
pub(super) fn decimal(value: &Value) -> Decimal {
    plain(value).parse().unwrap_or_default()
}

/// An amount in major units, in cents; 0 when it is none.
pub(super) fn cents(value: &Value) -> i64 {
    Cents::of(value).unwrap_or_default().0
}

/// The text with every `<path>` filled in from a table's row. What is missing is empty, and so is
/// the whole text when nothing in it is there.
pub(super) fn show(row: &Value, text: &str) -> String {
    let mut found = !text.contains('<');
    let filled = fill(text, |path| {
        let value = plain(&evaluate(row, path));
        found |= !value.is_empty();
        Ok(value)
    });
    filled.ok().filter(|_| found).unwrap_or_default()
}

fn fill(
    text: &str,
    mut value: impl FnMut(&str) -> anyhow::Result<String>,
) -> anyhow::Result<String> {
    let mut parts = text.split('<');
    let mut filled = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let Some((path, rest)) = part.split_once('>') else { bail!("an open < in {text:?}") };
        filled.push_str(&value(path)?);
        filled.push_str(rest);
    }
    Ok(filled)
}

/// The value of a path with its filters, or `null`.
pub(super) fn evaluate(value: &Value, expression: &str) -> Value {
    let (path, filters) = expression.split_once('|').unwrap_or((expression, ""));
    let found = all(value, path);
    let mut filters = filters.split('|').filter(|filter| !filter.is_empty());
    let first = || found.first().map_or(Value::Null, |value| (*value).clone());
    let begun = match filters.next() {
        None => first(),
        Some("count") => json!(found.len()),
        Some("sum") => number(found.iter().copied().map(decimal).sum()),
        Some("cents") => json!(found.iter().copied().map(cents).sum::<i64>()),
        Some("list") => json!(found.into_iter().map(plain).collect::<Vec<_>>().join(", ")),
        Some(format) => formatted(&first(), format),
    };
    filters.fold(begun, |value, format| formatted(&value, format))
}

fn formatted(value: &Value, format: &str) -> Value {
    match format {
        _ if value.is_null() => Value::Null,
        "minor" => json!(major(value.as_i64().unwrap_or_default())),
        "number" => json!(decimal(value).normalize().to_string()),
        "day" => json!(plain(value).chars().take(10).collect::<String>()),
        _ => json!(plain(value)),
    }
}

fn number(sum: Decimal) -> Value {
    let whole = sum.is_integer().then(|| i64::try_from(sum.trunc()).ok()).flatten();
    whole.map_or_else(|| json!(sum.normalize().to_string()), |whole| json!(whole))
}

/// Whether two values are the same, numbers by what they are worth.
fn same(one: &Value, other: &Value) -> bool {
    let worth = |value: &Value| plain(value).parse::<Decimal>().ok();
    one == other || worth(one).is_some_and(|worth_of_one| worth(other) == Some(worth_of_one))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers() -> Answers {
        let mut answers = Answers::default();
        answers.put("contract", json!({"id": 7, "now": "2026-11-22T12:00:00Z"}));
        answers.push("clock", json!({"paid": 1_250}));
        answers.push("clock", json!({"paid": 50, "of": "api.calls"}));
        answers.push("clock/last/notes", json!("one"));
        answers.push("clock/last/notes", json!("two"));
        answers
    }

    #[test]
    fn paths_lead_to_values() {
        let answers = answers();
        assert_eq!(answers.sum("clock/*/paid"), 1_300);
        assert_eq!(answers.get("clock/0/paid"), 1_250);
        assert_eq!(answers.get("clock/[of=api.calls]/paid"), 50);
        assert_eq!(answers.text("clock/last/notes"), "one\ntwo");
        assert!(answers.get("clock/9/paid").is_null() && answers.all("nobody/*").is_empty());
    }

    #[test]
    fn texts_are_filled_and_what_was_not_kept_is_refused() {
        let answers = answers();
        let body = json!({"contractId": "<contract/id>", "text": ["<contract/id|text>", "<x"]});
        assert!(answers.fill_json(&body).is_err());
        let body = json!({"contractId": "<contract/id>", "text": ["<contract/id|text>", "x"]});
        let filled = answers.fill_json(&body).expect("filled");
        assert_eq!(filled, json!({"contractId": 7, "text": ["7", "x"]}));
        let path = answers.fill("/contracts/<contract/id>/<clock/0/paid|minor>").expect("filled");
        assert_eq!(path, "/contracts/7/12.50");
        assert!(answers.fill("/contracts/<contract/number>").is_err());
    }

    #[test]
    fn a_cell_without_values_is_empty() {
        let row = json!({"start": "2026-11-22T12:00:00Z", "used": "5.500", "paid": 120.01});
        assert_eq!(show(&row, "<start|day> → <end>"), "2026-11-22 → ");
        assert_eq!(show(&row, "<from> → <to>"), "");
        assert_eq!(show(&row, "<used|number> for <paid|cents|minor>"), "5.5 for 120.01");
        assert_eq!(show(&row, "plain"), "plain");
    }
}
