//! The form of a chapter, which is a JSON file: steps to carry out, tables to print of what was
//! kept, and checks over it. Texts, paths and bodies may refer to [what was kept](super::answers).

use std::collections::BTreeMap;
use std::fmt;

use hyper::Method;
use serde::Deserialize;
use serde_json::Value;

/// Claims by the path of what they are about: the value there equals this one.
pub(super) type Claims = BTreeMap<String, Value>;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Chapter {
    /// Kept before the first step.
    #[serde(default)]
    pub(super) data: BTreeMap<String, Value>,
    /// Steps that are carried out at more than one place, by their name.
    #[serde(default)]
    pub(super) groups: BTreeMap<String, Vec<Step>>,
    pub(super) steps: Vec<Step>,
    pub(super) tables: Vec<Table>,
    /// The heading of the checks.
    pub(super) checked: String,
    pub(super) checks: Vec<Claimed>,
}

/// One step: a request, or one of the other actions.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
pub(super) struct Step {
    /// A comment.
    #[serde(rename = "why")]
    _why: String,
    /// Shown on the progress line from here on.
    pub(super) say: Option<String>,
    /// The step is left out unless these hold for what was kept.
    pub(super) only_if: Claims,

    /// The path of a request, by its method.
    get: Option<String>,
    post: Option<String>,
    put: Option<String>,
    patch: Option<String>,
    pub(super) body: Option<Value>,
    /// The parts of a multipart form: name, content type and content.
    pub(super) form: Option<Vec<(String, String, Value)>>,
    /// The name of the idempotency key: requests of one name carry the same UUID.
    pub(super) key: Option<String>,
    /// The secret that the body is signed with.
    pub(super) signed: Option<String>,
    /// The operator sends it; left out where there is none.
    pub(super) by_operator: bool,
    /// The answer is written to a file of this name in the system's temporary folder; what is
    /// kept is its `path`, its `contentType` and how many `bytes` it has.
    pub(super) file: Option<String>,
    /// Takes any status; the answer is then an object of `status`, `location` and `body`.
    pub(super) any_status: bool,

    /// The path of a list that is read to its end; its rows stand in the field `rows`.
    pub(super) list: Option<String>,
    pub(super) rows: String,
    /// Turns a list round that comes newest first.
    pub(super) oldest_first: bool,

    /// The buyer pays the invoice at this path on its hosted page.
    pub(super) pay: Option<String>,
    /// With a card of this number, which is to be saved.
    pub(super) save_card: Option<String>,
    /// The buyer approves on the page of a bank or a scheme at this address.
    pub(super) approve: Option<String>,
    /// Requests carry this key of the seller's from now on.
    pub(super) sign_in: Option<String>,
    /// The receiver of webhooks believes this secret from now on.
    pub(super) trust: Option<String>,
    /// Answers what the receiver of webhooks has so far.
    pub(super) inbox: bool,
    /// Answers this text.
    pub(super) text: Option<String>,
    /// Carries out the group of this name.
    pub(super) group: Option<String>,
    /// Carries `steps` out for each row at this path, which is kept under the name `as`.
    pub(super) each: Option<String>,
    #[serde(rename = "as")]
    pub(super) row: String,
    pub(super) steps: Vec<Self>,

    /// The action is repeated until these hold for its answer,
    pub(super) until: Claims,
    /// and until it is answered twice alike,
    pub(super) steady: bool,
    /// for so many seconds at most, 30 when nothing is said.
    pub(super) within: Option<u64>,
    /// After that time the last answer is taken as it is; otherwise it is an error.
    pub(super) or_go_on: bool,
    /// What must hold for the answer, or the demonstration ends.
    pub(super) expect: Claims,
    /// Keeps the answer under this path.
    pub(super) keep: Option<String>,
    /// Adds the answer to the list at this path.
    pub(super) push: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Table {
    #[serde(default)]
    pub(super) heading: Option<String>,
    /// The path of the rows.
    #[serde(default)]
    pub(super) rows: String,
    /// The most rows that are shown.
    pub(super) first: Option<usize>,
    /// Titles, and the texts of the cells by their row. Numbers stand on the right: their titles
    /// begin with `>`.
    #[serde(default)]
    pub(super) columns: Vec<(String, String)>,
    /// The path of lines to print below.
    pub(super) below: Option<String>,
}

/// A check of claims over everything that was kept.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Claimed {
    pub(super) text: String,
    pub(super) equal: Claims,
}

impl Step {
    pub(super) fn request(&self) -> Option<(Method, &str)> {
        let methods = [
            (Method::GET, &self.get),
            (Method::POST, &self.post),
            (Method::PUT, &self.put),
            (Method::PATCH, &self.patch),
        ];
        methods.into_iter().find_map(|(method, path)| Some((method, path.as_deref()?)))
    }

    /// How many actions it names.
    #[cfg(test)]
    pub(super) fn actions(&self) -> usize {
        let named = [
            &self.get,
            &self.post,
            &self.put,
            &self.patch,
            &self.list,
            &self.pay,
            &self.approve,
            &self.sign_in,
            &self.trust,
            &self.text,
            &self.group,
            &self.each,
        ];
        named.into_iter().flatten().count() + usize::from(self.inbox)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let others = [&self.list, &self.pay, &self.approve, &self.each, &self.group, &self.text];
        let other = others.into_iter().flatten().next();
        match (self.request(), other) {
            (Some((method, path)), _) => write!(f, "{method} {path}"),
            (None, Some(what)) => f.write_str(what),
            (None, None) => f.write_str(self.say.as_deref().unwrap_or("a step")),
        }
    }
}
