//! Settings: defaults, then `accrue.toml`, then the environment, then flags. The page
//! `config/values.rs` declares them all.
//! A name that is unknown or a value that is malformed stops the start with words that name it.

mod declared;
mod forms;
pub(crate) mod log_filter;
mod secret;
mod sources;
mod values;

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use actors::domain::platform::limits::Budget;
use ipnet::IpNet;
use lettre::Address;
use secrecy::SecretString;

pub use self::declared::Declared;
use self::declared::Reader;
pub(crate) use self::forms::{can_be_sent, has_good_port};
pub use self::secret::SecretKey;
use self::sources::Given;
pub(crate) use self::sources::PREFIX;

const DEFAULT_FILE: &str = "accrue.toml";

#[derive(Clone, Debug)]
pub struct Settings {
    /// `listen`: where the server listens; port 0 takes any that is free.
    pub listen: SocketAddr,
    /// `metrics_listen`: where `/metrics` is served instead.
    pub metrics_listen: Option<SocketAddr>,
    /// `data`: the folder of the store.
    pub data: PathBuf,
    /// `public_url`: what addresses in answers and mails begin with, without a slash at its end;
    /// absent, the address listened on.
    pub public_url: Option<String>,
    /// `trusted_proxies`: whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// `demo`: opens the sandbox door and turns on the switches.
    pub demo: bool,
    /// `operator_token`: the bearer token of the back office, which is not there without one.
    pub operator_token: Option<SecretString>,
    pub limits: LimitSettings,
    pub webhooks: WebhookSettings,
    pub events: EventSettings,
    pub payments: PaymentSettings,
    pub passes: PassSettings,
    pub actors: ActorSettings,
    pub usage: UsageSettings,
    pub sandbox: SandboxSettings,
    pub store: StoreSettings,
    pub tls: TlsSettings,
    /// `smtp.*`: absent without `smtp.url`.
    pub smtp: Option<SmtpSettings>,
    /// `smtp.retry_seconds`: the pauses before the second, third and fourth attempt of a mail.
    pub mail_retries: [u32; 3],
    pub secrets: SecretSettings,
    pub log: LogSettings,
}

/// How often may be asked; 0 turns a limit off.
#[derive(Clone, Debug)]
pub struct LimitSettings {
    /// `limits.billing_per_hour` and `limits.billing_burst`, for each seller.
    pub billing: Budget,
    /// `limits.payments_per_hour` and `limits.payments_burst`, for each seller.
    pub payments: Budget,
    /// `limits.dashboard_per_hour` and `limits.dashboard_burst`, for the people of each seller.
    pub dashboard: Budget,
    pub contracts_per_day: u32,
    pub amendments_per_day: u32,
    pub invoices_per_day: u32,
    /// `limits.sandbox_per_hour`: accounts that a client address may mint or register.
    pub sandbox_per_hour: u32,
    /// `limits.pages_per_minute`: pages that a client address may open.
    pub pages_per_minute: u32,
    /// `limits.connections_per_address`: connections that a client address may hold.
    pub connections_per_address: u32,
    /// `limits.body_mib`: MiB of request bodies that are held at once.
    pub body_mib: u32,
    /// `limits.answer_mib`: MiB of large answers that wait to be taken.
    pub answer_mib: u32,
    /// `limits.dead_letters`: dead letters that a seller may have parked.
    pub dead_letters: u32,
    /// `limits.sandbox_mib`: MiB that a sandbox account may keep.
    pub sandbox_mib: u32,
}

#[derive(Clone, Debug)]
pub struct WebhookSettings {
    /// `webhooks.timeout_seconds`: how long an endpoint may take.
    pub timeout_seconds: u32,
    /// `webhooks.retry_seconds`: the pauses before the second and the third attempt; absent,
    /// 60 and 1,800 for live and 10 and 60 for demo accounts.
    pub retry_seconds: Option<[u32; 2]>,
    /// `webhooks.private_cidrs`: private networks that endpoints may be in.
    pub private_cidrs: Vec<IpNet>,
}

#[derive(Clone, Debug)]
pub struct EventSettings {
    /// `events.keep_days`: how long events and their deliveries are kept, at least 1.
    pub keep_days: u32,
}

/// The mail server.
#[derive(Clone, Debug)]
pub struct SmtpSettings {
    /// `smtp.url`, which may hold a password.
    pub url: SecretString,
    /// `smtp.from`: whom mails come from.
    pub from: Address,
    /// `smtp.ca`: certificates beside those that everybody trusts.
    pub ca: Option<PathBuf>,
}

/// The simulated processor.
#[derive(Clone, Debug)]
pub struct PaymentSettings {
    /// `payments.settle_seconds`: from completion to settlement in demo mode.
    pub settle_seconds: u32,
    /// `payments.refund_seconds`: how long a demo refund is under way.
    pub refund_seconds: u32,
    /// `payments.mbway_seconds`: how long a buyer may take to answer the app.
    pub mbway_seconds: u32,
    /// `payments.voucher_seconds`: how long a reference can be paid.
    pub voucher_seconds: u32,
    /// `payments.verification_seconds`: how long the verification of a demo payee takes.
    pub verification_seconds: u32,
    /// `payments.payout_seconds`: how long a demo payout is under way.
    pub payout_seconds: u32,
}

#[derive(Clone, Debug)]
pub struct PassSettings {
    /// `passes.interval_seconds`: how often they run, at least 1.
    pub interval_seconds: u32,
}

#[derive(Clone, Debug)]
pub struct ActorSettings {
    /// `actors.idle_seconds`: how long an idle room stays in memory, at least 1;
    /// that of a payment stays half a second at most.
    pub idle_seconds: u32,
    /// `actors.rooms`: beyond so many rooms of a kind the least recently used rest, at least 1.
    pub rooms: u32,
}

/// What of the machine the store may take.
#[derive(Clone, Debug)]
pub struct StoreSettings {
    /// `store.cache_mib`: memory for rows; absent, an eighth of the machine's.
    pub cache_mib: Option<u32>,
    /// `store.filter_mib`: memory to find claimed keys with; absent, a thirty-second.
    pub filter_mib: Option<u32>,
    /// `store.journal_mib`: after how much a file of the journal is sealed.
    pub journal_mib: u32,
    /// `store.archive`: where files of the journal are copied to before they are used again.
    pub archive: Option<PathBuf>,
    /// `store.free_mib`: free space of the disk below which writes are refused.
    pub free_mib: u32,
}

#[derive(Clone, Debug)]
pub struct UsageSettings {
    /// `usage.grace_minutes`: how long a period that is over waits for late arrivals.
    pub grace_minutes: u32,
}

#[derive(Clone, Debug)]
pub struct SandboxSettings {
    /// `sandbox.keep_days`: how long a sandbox account is kept after its end.
    pub keep_days: u32,
}

/// HTTPS: both, or neither.
#[derive(Clone, Debug, Default)]
pub struct TlsSettings {
    /// `tls.cert`: a PEM file with the certificate chain.
    pub cert: Option<PathBuf>,
    /// `tls.key`: a PEM file with its private key.
    pub key: Option<PathBuf>,
}

#[derive(Clone, Debug, Default)]
pub struct SecretSettings {
    /// `secrets.key`: 32 bytes in base64; absent, a file in the data folder
    /// ([`Settings::secret_key`]).
    pub key: Option<SecretKey>,
    /// `secrets.lost`: the fingerprint of a key that nobody has any more.
    pub lost: Option<String>,
}

#[derive(Clone, Debug)]
pub struct LogSettings {
    /// `log.filter`: what is logged, in the form of `RUST_LOG`, which stands before it.
    pub filter: String,
    /// `log.json`: a JSON object for each line.
    pub json: bool,
}

/// Why the settings cannot be used. The text names the setting.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    #[error("settings file {}: {why}", file.display())]
    File { file: PathBuf, why: String },
    #[error("unknown setting {name} ({source_text})")]
    Unknown { name: String, source_text: String },
    #[error("setting {name} ({source_text}) {why}")]
    Malformed { name: String, source_text: String, why: String },
    #[error("environment variable {0} is no text in UTF-8")]
    NotText(String),
    /// The key of secrets cannot be kept in the data folder.
    #[error("secrets.key: {}: {why}", file.display())]
    SecretFile { file: PathBuf, why: String },
}

impl Settings {
    /// Reads the settings. Without `config_file` the file `accrue.toml` of the working folder is
    /// read if it is there; `env` is the whole environment, of which names beginning with
    /// `ACCRUE_` count; `overrides` are names with dots and their values, as flags give them.
    pub fn load(
        config_file: Option<&Path>,
        env: impl Iterator<Item = (String, String)>,
        overrides: Vec<(String, String)>,
    ) -> Result<Self, SettingsError> {
        let mut given = Given::default();
        match config_file {
            Some(file) => given.add_file(file)?,
            None if Path::new(DEFAULT_FILE).exists() => given.add_file(DEFAULT_FILE.as_ref())?,
            None => {}
        }
        given.add_environment(env);
        given.add_flags(overrides);
        Self::read(given)
    }

    /// What `pairs`, names with dots and their values, say: no file and no environment is read.
    pub fn stated(pairs: Vec<(String, String)>) -> Result<Self, SettingsError> {
        let mut given = Given::default();
        given.add_flags(pairs);
        Self::read(given)
    }

    fn read(given: Given) -> Result<Self, SettingsError> {
        let mut reader = Reader::of(given);
        let settings = values::read(&mut reader)?;
        reader.close()?;
        Ok(settings)
    }

    /// Every setting there is, in the order of the page that declares them.
    pub fn declared() -> Vec<Declared> {
        let mut reader = Reader::default();
        let read = values::read(&mut reader).and_then(|_| reader.close());
        read.expect("every default is a value of its setting")
    }

    /// What addresses begin with when the server listens on `addr`.
    pub fn public_url(&self, addr: SocketAddr) -> String {
        let scheme = if self.tls.cert.is_some() { "https" } else { "http" };
        self.public_url.clone().unwrap_or_else(|| {
            let host =
                if addr.ip().is_unspecified() { loopback_like(addr.ip()) } else { addr.ip() };
            format!("{scheme}://{}", SocketAddr::new(host, addr.port()))
        })
    }
}

impl Default for Settings {
    fn default() -> Self {
        values::read(&mut Reader::default()).expect("every default is a value of its setting")
    }
}

/// An address that is every address is reached at home.
fn loopback_like(ip: IpAddr) -> IpAddr {
    match ip {
        IpAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
    }
}

#[cfg(test)]
mod tests;
