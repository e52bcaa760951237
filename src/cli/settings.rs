//! Settings as the command line states them: `--set name=value` and the common ones by name; and
//! `accrue settings`, which lists them all.

mod list;

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::str::FromStr;

pub(super) use self::list::{SettingsArgs, run};
use crate::config::{PREFIX, Settings, SettingsError};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SettingPair {
    /// The dotted name, for example `limits.billing_burst`.
    pub(super) name: String,
    pub(super) value: String,
}

impl SettingPair {
    pub(super) fn new(name: &str, value: impl Into<String>) -> Self {
        Self { name: name.to_owned(), value: value.into() }
    }
}

impl FromStr for SettingPair {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.split_once('=') {
            Some((name, value)) if !name.trim().is_empty() => Ok(Self::new(name.trim(), value)),
            _ => Err("expected name=value"),
        }
    }
}

/// Reads all settings: defaults, `config` or `accrue.toml`, the environment, then `pairs`.
pub(super) fn load(
    config: Option<&Path>,
    pairs: Vec<SettingPair>,
) -> Result<Settings, SettingsError> {
    let environment: Result<Vec<_>, _> = variables().map(as_text).collect();
    Settings::load(config, environment?.into_iter(), plain(pairs))
}

/// The settings of a server that is there for one run: what `pairs` say. A file or an environment
/// that is there is that of another server.
pub(super) fn stated(pairs: Vec<SettingPair>) -> Result<Settings, SettingsError> {
    Settings::stated(plain(pairs))
}

/// The variables of the environment that are settings.
pub(super) fn variables() -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with(PREFIX))
}

fn plain(pairs: Vec<SettingPair>) -> Vec<(String, String)> {
    pairs.into_iter().map(|pair| (pair.name, pair.value)).collect()
}

fn as_text((name, value): (OsString, OsString)) -> Result<(String, String), SettingsError> {
    let refused = |name: &OsStr| SettingsError::NotText(name.to_string_lossy().into_owned());
    let name = name.into_string().map_err(|name| refused(&name))?;
    let value = value.into_string().map_err(|_| refused(name.as_ref()))?;
    Ok((name, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_is_cut_at_the_first_equals_sign() {
        assert_eq!("a.b=c=d".parse(), Ok(SettingPair::new("a.b", "c=d")));
        assert_eq!("a=".parse(), Ok(SettingPair::new("a", "")));
        assert!("a".parse::<SettingPair>().is_err());
        assert!("=a".parse::<SettingPair>().is_err());
    }
}
