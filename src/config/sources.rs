//! Where settings come from: each later source replaces what an earlier one gave.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use super::SettingsError;

/// What the names of our environment variables begin with.
pub(crate) const PREFIX: &str = "ACCRUE_";

#[derive(Clone, Debug)]
enum Source {
    File(PathBuf),
    Environment(String),
    Flag,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => write!(f, "in {}", file.display()),
            Self::Environment(name) => write!(f, "environment variable {name}"),
            Self::Flag => f.write_str("flag"),
        }
    }
}

/// The environment variable of the setting `name`.
pub(super) fn variable(name: &str) -> String {
    format!("{PREFIX}{}", name.replace('.', "__").to_ascii_uppercase())
}

/// What was given and not read yet, by the setting's name with dots.
#[derive(Default)]
pub(super) struct Given {
    values: BTreeMap<String, (String, Source)>,
}

impl Given {
    pub(super) fn add_file(&mut self, file: &Path) -> Result<(), SettingsError> {
        let failed = |why: String| SettingsError::File { file: file.to_owned(), why };
        let text = std::fs::read_to_string(file).map_err(|error| failed(error.to_string()))?;
        let table: toml::Table =
            text.parse().map_err(|error: toml::de::Error| failed(unreadable(&text, &error)))?;
        self.add_table(file, "", &table);
        Ok(())
    }

    fn add_table(&mut self, file: &Path, above: &str, table: &toml::Table) {
        for (name, value) in table {
            let name = format!("{above}{name}");
            match value {
                toml::Value::Table(inner) => self.add_table(file, &format!("{name}."), inner),
                value => {
                    let source = Source::File(file.to_owned());
                    self.values.insert(name, (plain(value), source));
                }
            }
        }
    }

    pub(super) fn add_environment(&mut self, env: impl Iterator<Item = (String, String)>) {
        for (variable, value) in env {
            let Some(name) = variable.strip_prefix(PREFIX) else { continue };
            let name = name.replace("__", ".").to_ascii_lowercase();
            self.values.insert(name, (value, Source::Environment(variable)));
        }
    }

    pub(super) fn add_flags(&mut self, flags: Vec<(String, String)>) {
        let given = flags.into_iter().map(|(name, value)| (name, (value, Source::Flag)));
        self.values.extend(given);
    }

    /// The value of `name` as `read` understands it; `None` when it was not given. An error does
    /// not repeat the value: it may be a secret.
    pub(super) fn take<T>(
        &mut self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, SettingsError> {
        let Some((text, source)) = self.values.remove(name) else { return Ok(None) };
        match read(text.trim()) {
            Ok(value) => Ok(Some(value)),
            Err(why) => Err(SettingsError::Malformed {
                name: name.to_owned(),
                source_text: source.to_string(),
                why,
            }),
        }
    }

    /// Refuses what nobody read.
    pub(super) fn refuse_rest(self) -> Result<(), SettingsError> {
        match self.values.into_iter().next() {
            None => Ok(()),
            Some((name, (_, source))) => {
                Err(SettingsError::Unknown { name, source_text: source.to_string() })
            }
        }
    }
}

/// What is wrong with a file, without the line itself that may hold a secret.
fn unreadable(text: &str, error: &toml::de::Error) -> String {
    let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
    format!("line {}: {}", before.matches('\n').count() + 1, error.message())
}

/// A TOML value as the environment would give it; a list has commas.
fn plain(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(","),
        other => other.to_string(),
    }
}
