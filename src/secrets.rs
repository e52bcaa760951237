//! Which key the secrets of a store are sealed with. The store knows it by its fingerprint: with
//! another one a start would go well, and then no webhook would be signed and no card charged.

use std::path::PathBuf;

use actors::entropy::Entropy;
use actors::secrets::KeyFingerprint;
use actors::tables::SECRETS_KEY;
use storage::{Batch, CommitError, ReadError, Store};

use crate::config::{SecretKey, Settings, SettingsError};

#[derive(Debug, thiserror::Error)]
pub(crate) enum KeyError {
    #[error(
        "the key that the secrets of this folder are sealed with (fingerprint {expected}) is neither \
         the setting secrets.key nor in {}: give it. If it is lost, {}",
        file.display(), lost(.expected)
    )]
    Missing { expected: String, file: PathBuf },
    #[error(
        "the secrets of this folder are sealed with another key (fingerprint {expected}) than that \
         of secrets.key (fingerprint {given}): give that one. If it is lost, {}",
        lost(.expected)
    )]
    Other { given: String, expected: String },
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(transparent)]
    Commit(#[from] CommitError),
}

fn lost(fingerprint: &str) -> String {
    format!(
        "start with the setting secrets.lost={fingerprint}: what was sealed with it can then never be \
         read again"
    )
}

/// The key of a store's secrets, made where the store is a new one.
pub(crate) fn key_of(
    store: &Store,
    settings: &Settings,
    entropy: Entropy,
) -> Result<SecretKey, KeyError> {
    let known = store.get(SECRETS_KEY, &0)?.map(|known| known.0);
    let expected = known.clone().filter(|known| settings.secrets.lost.as_ref() != Some(known));
    let key = match (settings.secret_key()?, &expected) {
        (Some(key), _) => key,
        (None, None) => settings.make_secret_key(entropy)?,
        (None, Some(expected)) => {
            let (expected, file) = (expected.clone(), settings.secret_file());
            return Err(KeyError::Missing { expected, file });
        }
    };
    let given = key.fingerprint();
    if let Some(expected) = expected.filter(|expected| *expected != given) {
        return Err(KeyError::Other { given, expected });
    }
    if known.as_ref() != Some(&given) {
        if let Some(lost) = known {
            tracing::warn!(lost, key = given, "what was sealed with the lost key stays shut");
        }
        note(store, &given)?;
    }
    Ok(key)
}

/// Refuses another key than a store's. One that does not know its own takes any.
pub(crate) fn check(store: &Store, given: &str) -> Result<(), KeyError> {
    let known = store.get(SECRETS_KEY, &0)?.map(|known| known.0);
    match known.filter(|expected| expected != given) {
        None => Ok(()),
        Some(expected) => Err(KeyError::Other { given: given.to_owned(), expected }),
    }
}

/// Lets a store that does not know its key learn it.
pub(crate) fn teach(store: &Store, fingerprint: &str) -> Result<(), KeyError> {
    if !store.contains(SECRETS_KEY, &0)? {
        note(store, fingerprint)?;
    }
    Ok(())
}

fn note(store: &Store, fingerprint: &str) -> Result<(), CommitError> {
    let mut batch = Batch::new();
    batch.put(SECRETS_KEY, &0, &KeyFingerprint(fingerprint.to_owned()));
    store.write_blocking(batch).map(|_| ())
}

#[cfg(test)]
mod tests {
    use storage::testing::TempStore;

    use super::*;

    fn settings(store: &TempStore) -> Settings {
        Settings { data: store.folder().to_owned(), ..Settings::default() }
    }

    #[test]
    fn a_store_learns_its_key_and_takes_no_other() {
        let store = TempStore::new();
        let mut settings = settings(&store);
        settings.secrets.key = Some(SecretKey::new([7; 32]));
        let key = key_of(&store, &settings, Entropy).expect("learned");
        assert_eq!(key_of(&store, &settings, Entropy).expect("known").reveal(), key.reveal());

        settings.secrets.key = Some(SecretKey::new([8; 32]));
        let refused = key_of(&store, &settings, Entropy).expect_err("another").to_string();
        let other = SecretKey::new([8; 32]).fingerprint();
        assert!(refused.contains(&key.fingerprint()) && refused.contains(&other), "{refused}");

        settings.secrets.key = None;
        let refused = key_of(&store, &settings, Entropy).expect_err("none");
        assert!(matches!(refused, KeyError::Missing { .. }), "{refused}");
        assert!(!settings.secret_file().exists(), "a fresh one would open nothing");
    }

    #[test]
    fn a_key_that_is_lost_gives_way_once() {
        let store = TempStore::new();
        let mut settings = settings(&store);
        let first = key_of(&store, &settings, Entropy).expect("made").fingerprint();
        std::fs::remove_file(settings.secret_file()).expect("lost");
        settings.secrets.lost = Some(SecretKey::new([9; 32]).fingerprint());
        assert!(key_of(&store, &settings, Entropy).is_err(), "another one is lost");
        settings.secrets.lost = Some(first.clone());
        let second = key_of(&store, &settings, Entropy).expect("made").fingerprint();
        assert_ne!(second, first);
        // The setting may stay: it says nothing of the new key.
        assert_eq!(key_of(&store, &settings, Entropy).expect("known").fingerprint(), second);
        std::fs::remove_file(settings.secret_file()).expect("lost");
        assert!(key_of(&store, &settings, Entropy).is_err());
    }

    #[test]
    fn what_a_store_knows_of_its_key_it_is_not_taught_anew() {
        let store = TempStore::new();
        teach(&store, "first").expect("taught");
        teach(&store, "second").expect("left");
        assert_eq!(store.get(SECRETS_KEY, &0), Ok(Some(KeyFingerprint("first".to_owned()))));
    }
}
