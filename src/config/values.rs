//! Every setting with its default, its form and its meaning, on one page. What `accrue settings`
//! prints is made of it.

use actors::domain::platform::limits::Budget;

use super::declared::Reader;
use super::forms::{
    address, at_least, fingerprint, log_filter, mail_address, minutes, networks, or_off, path,
    pauses, seconds, secret_key, smtp_url, token, truth, url,
};
use super::{
    ActorSettings, EventSettings, LimitSettings, LogSettings, PassSettings, PaymentSettings,
    SandboxSettings, SecretSettings, Settings, SettingsError, SmtpSettings, StoreSettings,
    TlsSettings, UsageSettings, WebhookSettings,
};

/// A quarter of it holds the largest body that is read whole.
const LEAST_BODY_MIB: u32 = 4;

/// A quarter of it holds the largest answer that is made as a whole.
const LEAST_ANSWER_MIB: u32 = 128;

type Read<T> = Result<T, SettingsError>;

pub(super) fn read(from: &mut Reader) -> Read<Settings> {
    let listen = from.take(
        "listen",
        address(),
        "127.0.0.1:8080",
        "Where the server listens; port 0 takes any that is free.",
    )?;
    let metrics_listen = from.maybe(
        "metrics_listen",
        address(),
        "the address of all other routes",
        "An address of its own for /metrics, over plain HTTP; it is then nowhere else.",
    )?;
    let data = from.take("data", path(), "accrue-data", "The folder of the store.")?;
    let public_url = from.maybe(
        "public_url",
        url(),
        "the address listened on",
        "What addresses in answers, mails and pages begin with.",
    )?;
    let trusted_proxies = from.take(
        "trusted_proxies",
        networks(),
        "",
        "Networks of proxies in front: behind one the client is the right-most address of \
         X-Forwarded-For that is not in them.",
    )?;
    let demo = from.take(
        "demo",
        truth(),
        "false",
        "Lets anybody mint a sandbox account, and turns on the operator's switches that nobody \
         turned off.",
    )?;
    let operator_token = from.maybe(
        "operator_token",
        token(demo),
        "none",
        "Bearer token of the back office, which is not there without one.",
    )?;
    Ok(Settings {
        listen,
        metrics_listen,
        data,
        public_url,
        trusted_proxies,
        demo,
        operator_token,
        limits: limits(from)?,
        webhooks: webhooks(from)?,
        events: EventSettings {
            keep_days: from.take(
                "events.keep_days",
                at_least(1),
                "30",
                "Days that events, their deliveries and mails are kept.",
            )?,
        },
        payments: payments(from)?,
        passes: PassSettings {
            interval_seconds: from.take(
                "passes.interval_seconds",
                at_least(1),
                "60",
                "How often the passes run.",
            )?,
        },
        actors: ActorSettings {
            idle_seconds: from.take(
                "actors.idle_seconds",
                at_least(1),
                "300",
                "How long an idle room stays in memory; that of a payment half a second at most.",
            )?,
            rooms: from.take(
                "actors.rooms",
                at_least(1),
                "50000",
                "Rooms of a kind (contracts, payments, payees, sellers, subscriptions by payment \
                 link) that stay in memory; beyond it the least recently used go.",
            )?,
        },
        usage: UsageSettings {
            grace_minutes: from.take(
                "usage.grace_minutes",
                minutes(),
                "0",
                "How long after its end a usage period waits for late arrivals before it closes; a \
                 seller may have its own.",
            )?,
        },
        sandbox: SandboxSettings {
            keep_days: from.take(
                "sandbox.keep_days",
                at_least(1),
                "7",
                "Days after its end that a sandbox account is removed with all it owns.",
            )?,
        },
        store: store(from)?,
        tls: tls(from)?,
        smtp: smtp(from)?,
        mail_retries: from.take(
            "smtp.retry_seconds",
            seconds(),
            "60,600,3600",
            "The pauses before the second, third and fourth attempt of a mail.",
        )?,
        secrets: SecretSettings {
            key: from.maybe(
                "secrets.key",
                secret_key(),
                "the file secrets.key in the data folder, made when it is not there",
                "The key of secrets at rest.",
            )?,
            lost: from.maybe(
                "secrets.lost",
                fingerprint(),
                "none",
                "The fingerprint of a key of secrets that is lost: the start goes on with the key \
                 that is given, or a new one, and what was sealed with the lost one is never read \
                 again.",
            )?,
        },
        log: LogSettings {
            filter: from.take(
                "log.filter",
                log_filter(),
                "info",
                "What is logged, in the form of RUST_LOG, which stands before it.",
            )?,
            json: from.take("log.json", truth(), "false", "A JSON object for each line.")?,
        },
    })
}

fn limits(from: &mut Reader) -> Read<LimitSettings> {
    Ok(LimitSettings {
        billing: Budget {
            per_hour: from.take(
                "limits.billing_per_hour",
                or_off(),
                "1000",
                "Requests an hour of a seller to billing and metering.",
            )?,
            burst: from.take(
                "limits.billing_burst",
                or_off(),
                "100",
                "Of these at once; 0 turns the hourly limit off too.",
            )?,
        },
        payments: Budget {
            per_hour: from.take(
                "limits.payments_per_hour",
                or_off(),
                "6000",
                "Requests an hour of a seller to payments.",
            )?,
            burst: from.take(
                "limits.payments_burst",
                or_off(),
                "200",
                "Of these at once; 0 turns the hourly limit off too.",
            )?,
        },
        dashboard: Budget {
            per_hour: from.take(
                "limits.dashboard_per_hour",
                or_off(),
                "36000",
                "Requests an hour of a seller's people to the dashboard; of an operation of \
                 GraphQL each field of its root counts.",
            )?,
            burst: from.take(
                "limits.dashboard_burst",
                or_off(),
                "1000",
                "Of these at once; 0 turns the hourly limit off too.",
            )?,
        },
        contracts_per_day: from.take(
            "limits.contracts_per_day",
            or_off(),
            "20",
            "Contracts that a seller may ask for in 24 hours.",
        )?,
        amendments_per_day: from.take(
            "limits.amendments_per_day",
            or_off(),
            "200",
            "Amendments that a seller may ask for in 24 hours.",
        )?,
        invoices_per_day: from.take(
            "limits.invoices_per_day",
            or_off(),
            "500",
            "Invoices that a seller may ask for in 24 hours.",
        )?,
        sandbox_per_hour: from.take(
            "limits.sandbox_per_hour",
            or_off(),
            "30",
            "Accounts that a client address may mint or register in an hour.",
        )?,
        pages_per_minute: from.take(
            "limits.pages_per_minute",
            or_off(),
            "120",
            "Hosted pages and event streams that a client address may open in a minute.",
        )?,
        connections_per_address: from.take(
            "limits.connections_per_address",
            or_off(),
            "256",
            "Connections that a client address (of IPv6 a /64) may hold; those from \
             trusted_proxies do not count.",
        )?,
        body_mib: from.take(
            "limits.body_mib",
            at_least(LEAST_BODY_MIB),
            "256",
            "MiB of request bodies that are held at once; one client address holds at most a \
             quarter of it.",
        )?,
        answer_mib: from.take(
            "limits.answer_mib",
            at_least(LEAST_ANSWER_MIB),
            "512",
            "MiB of answers that wait to be taken, those below 16 KiB not counted; one client \
             address holds at most a quarter of it.",
        )?,
        dead_letters: from.take(
            "limits.dead_letters",
            at_least(1),
            "100000",
            "Dead letters that a seller may have parked; beyond it uploads stop and inbound posts \
             are refused.",
        )?,
        sandbox_mib: from.take(
            "limits.sandbox_mib",
            or_off(),
            "256",
            "MiB that a sandbox account may keep; beyond it its writes are refused.",
        )?,
    })
}

fn store(from: &mut Reader) -> Read<StoreSettings> {
    Ok(StoreSettings {
        cache_mib: from.maybe(
            "store.cache_mib",
            at_least(16),
            "an eighth of the memory, at least 64",
            "Memory for rows that were read or written lately, in MiB.",
        )?,
        filter_mib: from.maybe(
            "store.filter_mib",
            at_least(1),
            "a thirty-second of the memory, at least 64",
            "Memory in MiB to find claimed keys with: each key of usage takes 1.7 bytes, and those \
             that find no room are looked up on the disk.",
        )?,
        journal_mib: from.take(
            "store.journal_mib",
            at_least(1),
            "64",
            "MiB after which a file of the journal is sealed. Rows of half as many stand in one table \
             in memory, and up to four such tables may wait for the engine.",
        )?,
        archive: from.maybe(
            "store.archive",
            path(),
            "none",
            "A folder, best on another disk, that gets each file of the journal before it is used \
             again, at least each 10 seconds: with a backup from before it `accrue restore` brings \
             back any moment.",
        )?,
        free_mib: from.take(
            "store.free_mib",
            or_off(),
            "512",
            "Free space of the disk in MiB below which writes are answered 503, and passes and \
             timers rest.",
        )?,
    })
}

fn webhooks(from: &mut Reader) -> Read<WebhookSettings> {
    Ok(WebhookSettings {
        timeout_seconds: from.take(
            "webhooks.timeout_seconds",
            at_least(1),
            "10",
            "How long an endpoint may take to answer.",
        )?,
        retry_seconds: from.maybe(
            "webhooks.retry_seconds",
            pauses(),
            "60,1800 for live and 10,60 for demo accounts",
            "The pauses before the second and the third attempt; one number stands for both.",
        )?,
        private_cidrs: from.take(
            "webhooks.private_cidrs",
            networks(),
            "",
            "Private networks that sellers' addresses (webhooks, call-backs, logos) may be in. \
             With demo and without public_url demo accounts reach loopback besides.",
        )?,
    })
}

fn payments(from: &mut Reader) -> Read<PaymentSettings> {
    Ok(PaymentSettings {
        settle_seconds: from.take(
            "payments.settle_seconds",
            at_least(1),
            "5",
            "From the completion of a demo payment to its settlement.",
        )?,
        refund_seconds: from.take(
            "payments.refund_seconds",
            at_least(1),
            "2",
            "How long a demo refund is under way.",
        )?,
        mbway_seconds: from.take(
            "payments.mbway_seconds",
            at_least(1),
            "240",
            "How long a buyer may take to approve in the MB WAY app.",
        )?,
        voucher_seconds: from.take(
            "payments.voucher_seconds",
            at_least(1),
            "259200",
            "How long a Multibanco reference can be paid.",
        )?,
        verification_seconds: from.take(
            "payments.verification_seconds",
            at_least(1),
            "2",
            "How long the verification of a demo payee takes.",
        )?,
        payout_seconds: from.take(
            "payments.payout_seconds",
            at_least(1),
            "5",
            "How long a demo payout is under way.",
        )?,
    })
}

/// A mail server, and whom its mails come from.
fn smtp(from: &mut Reader) -> Read<Option<SmtpSettings>> {
    let url = from.maybe(
        "smtp.url",
        smtp_url(),
        "none: mails are kept and not sent",
        "The mail server that invoices go out by; with smtp STARTTLS is used where it is offered.",
    )?;
    let sender = from.maybe("smtp.from", mail_address(), "none", "The address mails come from.")?;
    let ca = from.maybe(
        "smtp.ca",
        path(),
        "none",
        "A PEM file with a certificate to trust beside those that everybody trusts.",
    )?;
    let alone = |name: &str, other: &str| SettingsError::Malformed {
        name: name.to_owned(),
        source_text: "alone".to_owned(),
        why: format!("needs {other} beside it"),
    };
    match (url, sender, ca) {
        (Some(url), Some(from), ca) => Ok(Some(SmtpSettings { url, from, ca })),
        (Some(_), None, _) => Err(alone("smtp.url", "smtp.from")),
        (None, Some(_), _) => Err(alone("smtp.from", "smtp.url")),
        (None, None, Some(_)) => Err(alone("smtp.ca", "smtp.url")),
        (None, None, None) => Ok(None),
    }
}

/// HTTPS needs both.
fn tls(from: &mut Reader) -> Read<TlsSettings> {
    let cert = from.maybe(
        "tls.cert",
        path(),
        "none: plain HTTP",
        "A PEM file with the certificate chain for HTTPS.",
    )?;
    let key = from.maybe("tls.key", path(), "none", "A PEM file with its private key.")?;
    let alone = |name: &str, other: &str| SettingsError::Malformed {
        name: name.to_owned(),
        source_text: "alone".to_owned(),
        why: format!("needs {other} beside it"),
    };
    match (&cert, &key) {
        (Some(_), None) => Err(alone("tls.cert", "tls.key")),
        (None, Some(_)) => Err(alone("tls.key", "tls.cert")),
        _ => Ok(TlsSettings { cert, key }),
    }
}
