//! The key of secrets at rest, from the settings or from a file that only its owner can read.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use actors::entropy::Entropy;
use data_encoding::{BASE64, BASE64_NOPAD, HEXLOWER};
use secrecy::{ExposeSecret, SecretBox};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use super::{Settings, SettingsError};

const FILE: &str = "secrets.key";
const OWNER_ONLY: u32 = 0o600;

/// 32 bytes that hide themselves and are wiped when dropped.
#[derive(Clone)]
pub struct SecretKey(std::sync::Arc<SecretBox<[u8; 32]>>);

impl SecretKey {
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(std::sync::Arc::new(SecretBox::new(Box::new(bytes))))
    }

    pub fn reveal(&self) -> &[u8; 32] {
        self.0.expose_secret()
    }

    /// What tells keys apart and does not give them away.
    pub fn fingerprint(&self) -> String {
        let hash = Sha256::new().chain_update(b"accrue secrets key").chain_update(self.reveal());
        HEXLOWER.encode(&hash.finalize()[..16])
    }

    pub fn to_base64(&self) -> Zeroizing<String> {
        Zeroizing::new(BASE64.encode(self.reveal()))
    }

    pub fn from_base64(text: &str) -> Option<Self> {
        let decoded = BASE64
            .decode(text.as_bytes())
            .or_else(|_| BASE64_NOPAD.decode(text.as_bytes()))
            .map(Zeroizing::new);
        decoded.ok().and_then(|bytes| <[u8; 32]>::try_from(bytes.as_slice()).ok()).map(Self::new)
    }
}

impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretKey(hidden)")
    }
}

impl Settings {
    /// The key of secrets at rest: the setting, or the file of the data folder, which is refused
    /// when open to others. `None` where there is neither.
    pub fn secret_key(&self) -> Result<Option<SecretKey>, SettingsError> {
        if let Some(key) = &self.secrets.key {
            return Ok(Some(key.clone()));
        }
        let file = self.secret_file();
        let found = fs::exists(&file).map_err(|error| error.to_string());
        let key = found.and_then(|found| found.then(|| read(&file)).transpose());
        key.map_err(|why| SettingsError::SecretFile { file, why })
    }

    /// A fresh key, and its file in the data folder, which must not be there; on the disk before
    /// anything is sealed with it.
    pub fn make_secret_key(&self, entropy: Entropy) -> Result<SecretKey, SettingsError> {
        let bytes = Zeroizing::new(entropy.bytes::<32>());
        let key = SecretKey::new(*bytes);
        self.keep_secret_key(&key)?;
        Ok(key)
    }

    pub(crate) fn secret_file(&self) -> PathBuf {
        self.data.join(FILE)
    }

    /// The key that was made in the data folder; `None` where the settings state one, which stands
    /// before it.
    pub fn made_secret_key(&self) -> Result<Option<SecretKey>, SettingsError> {
        if self.secrets.key.is_some() {
            return Ok(None);
        }
        let file = self.secret_file();
        read(&file).map(Some).map_err(|why| SettingsError::SecretFile { file, why })
    }

    /// Keeps a key in the data folder as one that was made there.
    pub fn keep_secret_key(&self, key: &SecretKey) -> Result<(), SettingsError> {
        let file = self.secret_file();
        let kept = write(&file, key);
        kept.map_err(|error| SettingsError::SecretFile { file, why: error.to_string() })
    }
}

/// Makes the file of a key, which must not be there. It gets its name once it is whole: a crash
/// leaves none or this one. Nobody else makes it, the caller holds the folder.
fn write(file: &Path, key: &SecretKey) -> io::Result<()> {
    if file.exists() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let partial = file.with_extension("partial");
    if partial.exists() {
        fs::remove_file(&partial)?;
    }
    let mut options = OpenOptions::new();
    let mut made = options.write(true).create_new(true).mode(OWNER_ONLY).open(&partial)?;
    made.write_all(key.to_base64().as_bytes())?;
    made.write_all(b"\n")?;
    made.sync_all()?;
    fs::rename(&partial, file)?;
    if let Some(folder) = file.parent() {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

fn read(file: &Path) -> Result<SecretKey, String> {
    let mode = fs::metadata(file).map_err(|error| error.to_string())?.permissions().mode();
    if mode & 0o077 != 0 {
        return Err("is open to others; give it mode 0600".to_owned());
    }
    let malformed = || "must be 32 bytes in base64".to_owned();
    let text =
        fs::read_to_string(file).map(Zeroizing::new).map_err(|error| match error.kind() {
            // The bytes themselves.
            io::ErrorKind::InvalidData => malformed(),
            _ => error.to_string(),
        })?;
    SecretKey::from_base64(text.trim()).ok_or_else(malformed)
}
