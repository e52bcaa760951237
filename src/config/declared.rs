//! Settings are declared where they are read: reading them all lists them all.

use serde::Serialize;

use super::SettingsError;
use super::forms::Form;
use super::sources::{Given, variable};

/// A setting as its user sees it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Declared {
    pub name: &'static str,
    pub environment_variable: String,
    /// The value without one given, or what stands for it in words.
    pub default: &'static str,
    /// What it takes.
    pub bounds: String,
    pub meaning: &'static str,
}

/// Reads what was given, and remembers what it was asked for.
#[derive(Default)]
pub(super) struct Reader {
    given: Given,
    declared: Vec<Declared>,
}

impl Reader {
    pub(super) fn of(given: Given) -> Self {
        Self { given, declared: Vec::new() }
    }

    /// The setting `name`; `default` where it was not given.
    pub(super) fn take<T>(
        &mut self,
        name: &'static str,
        form: Form<T>,
        default: &'static str,
        meaning: &'static str,
    ) -> Result<T, SettingsError> {
        let given = self.read(name, &form, default, meaning)?;
        Ok(given.unwrap_or_else(|| {
            form.read(default).expect("every default is a value of its setting")
        }))
    }

    /// The setting `name`; `None` where it was not given, which is `otherwise` in words.
    pub(super) fn maybe<T>(
        &mut self,
        name: &'static str,
        form: Form<T>,
        otherwise: &'static str,
        meaning: &'static str,
    ) -> Result<Option<T>, SettingsError> {
        self.read(name, &form, otherwise, meaning)
    }

    fn read<T>(
        &mut self,
        name: &'static str,
        form: &Form<T>,
        default: &'static str,
        meaning: &'static str,
    ) -> Result<Option<T>, SettingsError> {
        let bounds = form.takes.clone().into_owned();
        let environment_variable = variable(name);
        self.declared.push(Declared { name, environment_variable, default, bounds, meaning });
        self.given.take(name, |text| form.read(text))
    }

    /// All that was asked for, in that order.
    ///
    /// # Errors
    /// When something was given that nobody asked for.
    pub(super) fn close(self) -> Result<Vec<Declared>, SettingsError> {
        self.given.refuse_rest()?;
        Ok(self.declared)
    }
}
