//! Every setting with its default and its form, on one page.

use std::net::SocketAddr;
use std::path::PathBuf;

use actors::domain::platform::limits::Budget;
use hyper::Uri;
use ipnet::IpNet;
use secrecy::SecretString;

use super::sources::Given;
use super::{
    ActorSettings, LimitSettings, LogSettings, PassSettings, PaymentSettings, SecretKey,
    SecretSettings, Settings, SettingsError, TlsSettings, WebhookSettings,
};

type Read<T> = Result<T, SettingsError>;

pub(super) fn read(given: &mut Given) -> Read<Settings> {
    let listen =
        given.take("listen", address)?.unwrap_or_else(|| SocketAddr::from(([127, 0, 0, 1], 8080)));
    Ok(Settings {
        listen,
        data: given.take("data", path)?.unwrap_or_else(|| PathBuf::from("accrue-data")),
        public_url: given.take("public_url", url)?,
        demo: given.take("demo", truth)?.unwrap_or(false),
        operator_token: given.take("operator_token", secret)?,
        limits: limits(given)?,
        webhooks: webhooks(given, listen)?,
        payments: PaymentSettings {
            settle_seconds: count(given, "payments.settle_seconds", 5)?,
            refund_seconds: count(given, "payments.refund_seconds", 2)?,
            mbway_seconds: positive(given, "payments.mbway_seconds", 240)?,
            voucher_seconds: positive(given, "payments.voucher_seconds", 3 * 24 * 3600)?,
            verification_seconds: count(given, "payments.verification_seconds", 2)?,
            payout_seconds: count(given, "payments.payout_seconds", 5)?,
        },
        passes: PassSettings { interval_seconds: positive(given, "passes.interval_seconds", 60)? },
        actors: ActorSettings { idle_seconds: positive(given, "actors.idle_seconds", 300)? },
        tls: tls(given)?,
        secrets: SecretSettings { key: given.take("secrets.key", SecretKey::from_base64)? },
        log: LogSettings {
            filter: given.take("log.filter", text)?.unwrap_or_else(|| "info".to_owned()),
            json: given.take("log.json", truth)?.unwrap_or(false),
        },
    })
}

fn limits(given: &mut Given) -> Read<LimitSettings> {
    Ok(LimitSettings {
        billing: Budget {
            per_hour: count(given, "limits.billing_per_hour", 1_000)?,
            burst: count(given, "limits.billing_burst", 100)?,
        },
        payments: Budget {
            per_hour: count(given, "limits.payments_per_hour", 6_000)?,
            burst: count(given, "limits.payments_burst", 200)?,
        },
        contracts_per_day: count(given, "limits.contracts_per_day", 20)?,
        amendments_per_day: count(given, "limits.amendments_per_day", 200)?,
        invoices_per_day: count(given, "limits.invoices_per_day", 500)?,
        sandbox_per_hour: count(given, "limits.sandbox_per_hour", 30)?,
        pages_per_minute: count(given, "limits.pages_per_minute", 120)?,
        dead_letters: positive(given, "limits.dead_letters", 100_000)?,
    })
}

fn webhooks(given: &mut Given, listen: SocketAddr) -> Read<WebhookSettings> {
    let home = || match listen.ip().is_loopback() {
        true => ["127.0.0.0/8", "::1/128"].into_iter().filter_map(|net| net.parse().ok()).collect(),
        false => Vec::new(),
    };
    Ok(WebhookSettings {
        timeout_seconds: positive(given, "webhooks.timeout_seconds", 10)?,
        retry_seconds: given.take("webhooks.retry_seconds", pauses)?,
        private_cidrs: given.take("webhooks.private_cidrs", networks)?.unwrap_or_else(home),
    })
}

fn tls(given: &mut Given) -> Read<TlsSettings> {
    let (cert, key) = (given.take("tls.cert", path)?, given.take("tls.key", path)?);
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

fn count(given: &mut Given, name: &str, default: u32) -> Read<u32> {
    Ok(given.take(name, number)?.unwrap_or(default))
}

fn positive(given: &mut Given, name: &str, default: u32) -> Read<u32> {
    let read = |text: &str| match number(text)? {
        0 => Err("must be at least 1".to_owned()),
        value => Ok(value),
    };
    Ok(given.take(name, read)?.unwrap_or(default))
}

fn number(text: &str) -> Result<u32, String> {
    text.parse().map_err(|_| "must be a whole number from 0 to 4294967295".to_owned())
}

fn truth(text: &str) -> Result<bool, String> {
    match text {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err("must be true or false".to_owned()),
    }
}

fn text(text: &str) -> Result<String, String> {
    match text {
        "" => Err("must not be empty".to_owned()),
        text => Ok(text.to_owned()),
    }
}

fn path(given: &str) -> Result<PathBuf, String> {
    text(given).map(PathBuf::from)
}

fn secret(given: &str) -> Result<SecretString, String> {
    text(given).map(SecretString::from)
}

fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| "must be an IP address and a port, such as 127.0.0.1:8080".to_owned())
}

fn url(text: &str) -> Result<String, String> {
    let plain = text.trim_end_matches('/');
    let absolute = plain.parse::<Uri>().ok().filter(|uri| {
        matches!(uri.scheme_str(), Some("http" | "https"))
            && uri.authority().is_some_and(|host| !host.as_str().contains('@'))
            && uri.query().is_none()
    });
    match absolute {
        Some(_) => Ok(plain.to_owned()),
        None => Err("must be an absolute http or https address without a query".to_owned()),
    }
}

/// Two pauses; one stands for both.
fn pauses(text: &str) -> Result<[u32; 2], String> {
    let wrong = || "must be two numbers of seconds with a comma between them".to_owned();
    let numbers: Result<Vec<u32>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    match *numbers.map_err(|_| wrong())? {
        [both] => Ok([both; 2]),
        [first, second] => Ok([first, second]),
        _ => Err(wrong()),
    }
}

fn networks(text: &str) -> Result<Vec<IpNet>, String> {
    text.split(',')
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| part.parse().map_err(|_| "must be networks such as 10.0.0.0/8".to_owned()))
        .collect()
}
