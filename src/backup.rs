//! What a backup says beside the rows: which key of secrets it needs, and the key itself where it
//! was made in the data folder.

use serde::{Deserialize, Serialize};

use crate::config::{SecretKey, Settings, SettingsError};

/// The label of a backup, as JSON.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Label {
    program: String,
    /// Of the key of secrets.
    fingerprint: String,
    /// In base64; one that the settings state is never in a backup.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

impl Label {
    fn read(label: &[u8]) -> Result<Self, LabelError> {
        serde_json::from_slice(label).map_err(|_| LabelError::Unreadable)
    }
}

/// Why the secrets of a backup could not be read after a restore.
#[derive(Debug, thiserror::Error)]
pub enum LabelError {
    #[error("the backup does not say which key its secrets have")]
    Unreadable,
    #[error(
        "the backup needs the setting secrets.key: its server was given the key by setting, and it \
         is not in the backup"
    )]
    KeyMissing,
    #[error(
        "the setting secrets.key is not the key of the backup (fingerprint {given}, and the \
         backup's is {expected})"
    )]
    WrongKey { given: String, expected: String },
}

/// The label of a backup of the store of these settings.
pub fn label(settings: &Settings) -> Result<Vec<u8>, SettingsError> {
    let made = settings.made_secret_key()?;
    let key = made.as_ref().or(settings.secrets.key.as_ref());
    let label = Label {
        program: format!("accrue {}", env!("CARGO_PKG_VERSION")),
        fingerprint: key.map(SecretKey::fingerprint).unwrap_or_default(),
        key: made.map(|key| key.to_base64().to_string()),
    };
    Ok(serde_json::to_vec(&label).expect("a label is JSON"))
}

/// The fingerprint of the key that the secrets of a backup are sealed with.
pub fn fingerprint(label: &[u8]) -> Result<String, LabelError> {
    Label::read(label).map(|label| label.fingerprint)
}

/// The key that a restored folder is to keep, if the settings do not state it.
pub fn key_to_keep(label: &[u8], settings: &Settings) -> Result<Option<SecretKey>, LabelError> {
    let label = Label::read(label)?;
    let kept = label.key.as_deref().map(SecretKey::from_base64);
    let kept = kept.map(|key| key.ok_or(LabelError::Unreadable)).transpose()?;
    let key = settings.secrets.key.as_ref().or(kept.as_ref()).ok_or(LabelError::KeyMissing)?;
    let given = key.fingerprint();
    if given != label.fingerprint {
        return Err(LabelError::WrongKey { given, expected: label.fingerprint });
    }
    Ok(kept.filter(|_| settings.secrets.key.is_none()))
}

#[cfg(test)]
mod tests {
    use actors::entropy::Entropy;

    use super::*;

    fn settings(folder: &std::path::Path) -> Settings {
        Settings { data: folder.to_owned(), ..Settings::default() }
    }

    #[test]
    fn a_key_that_was_made_goes_with_the_backup() {
        let folder = tempfile::tempdir().expect("a folder");
        let settings = settings(folder.path());
        assert!(label(&settings).is_err(), "there is no key yet");
        let made = settings.make_secret_key(Entropy).expect("a key");
        let label = label(&settings).expect("a label");
        let kept = key_to_keep(&label, &Settings::default()).expect("its own").expect("a key");
        assert_eq!(kept.reveal(), made.reveal());
    }

    #[test]
    fn a_key_by_setting_stays_out_and_a_wrong_one_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut settings = settings(folder.path());
        settings.secrets.key = Some(SecretKey::new([7; 32]));
        let label = label(&settings).expect("a label");
        let text = String::from_utf8(label.clone()).expect("text");
        assert!(!text.contains("key\""), "{text}");
        assert!(key_to_keep(&label, &settings).expect("the right one").is_none());
        let refused = key_to_keep(&label, &Settings::default());
        assert!(matches!(refused, Err(LabelError::KeyMissing)));
        settings.secrets.key = Some(SecretKey::new([8; 32]));
        assert!(matches!(key_to_keep(&label, &settings), Err(LabelError::WrongKey { .. })));
    }
}
