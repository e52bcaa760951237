//! The calls of the load, byte by byte, and the two numbers that are read from an answer.

use actors::domain::time::Date;
use bytes::Bytes;

use super::ledger::Mark;

#[derive(Clone, Debug)]
pub(super) struct Requests {
    pub(super) run: String,
    pub(super) today: Date,
}

impl Requests {
    pub(super) fn key(&self, mark: Mark) -> String {
        format!("load:{}:{mark}", self.run)
    }

    pub(super) fn subscription(&self) -> Bytes {
        let today = self.today;
        Bytes::from(format!(
            r#"{{"frequency":"monthly","priceMinor":1000,"currency":"EUR","startDate":"{today}"}}"#
        ))
    }

    /// An amendment that leaves `mark` in the version it makes.
    pub(super) fn amendment(base: u32, mark: Mark) -> Bytes {
        let name = mark_name(mark);
        Bytes::from(format!(r#"{{"expectedBaseVersion":{base},"customerName":"{name}"}}"#))
    }

    /// An invoice of one line that stays with the seller.
    pub(super) fn invoice(contract: u64) -> Bytes {
        Bytes::from(format!(
            r#"{{"contractId":{contract},"origin":"one_time","send":false,"lines":[{{"description":"load","quantity":"1","unitPriceMinor":1000}}]}}"#
        ))
    }
}

pub(super) fn mark_name(mark: Mark) -> String {
    format!("load {mark}")
}

/// The number of the first top-level-looking field `"name":`. Answers are not parsed on the
/// way: the proof reads everything again with a real parser.
pub(super) fn number(body: &[u8], name: &str) -> Option<u64> {
    let field = format!("\"{name}\":");
    let at = body.windows(field.len()).position(|window| window == field.as_bytes())?;
    let digits = body[at + field.len()..].iter().skip_while(|byte| **byte == b' ');
    let digits: Vec<u8> = digits.take_while(|byte| byte.is_ascii_digit()).copied().collect();
    std::str::from_utf8(&digits).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_in_an_answer() {
        let body = br#"{"contractId":12,"id": 12,"version":34,"contractNumber":"C-1"}"#;
        assert_eq!(number(body, "id"), Some(12));
        assert_eq!(number(body, "version"), Some(34));
        assert_eq!(number(body, "contractNumber"), None);
        assert_eq!(number(b"", "id"), None);
    }

    #[test]
    fn bodies_are_json() {
        let requests =
            Requests { run: "r".to_owned(), today: Date::new(2026, 11, 21).expect("a day") };
        for body in [requests.subscription(), Requests::amendment(1, 2), Requests::invoice(3)] {
            let parsed: Result<serde_json::Value, _> = serde_json::from_slice(&body);
            assert!(parsed.is_ok(), "{body:?}");
        }
    }
}
