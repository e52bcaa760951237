use actors::entropy::Entropy;

use super::*;

fn load(env: &[(&str, &str)], flags: &[(&str, &str)]) -> Result<Settings, String> {
    let owned = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    };
    Settings::load(None, owned(env).into_iter(), owned(flags)).map_err(|error| error.to_string())
}

#[test]
fn the_defaults_are_the_documented_ones() {
    let settings = load(&[], &[]).expect("defaults");
    assert_eq!(settings.listen.to_string(), "127.0.0.1:8080");
    let limits = &settings.limits;
    assert_eq!((limits.billing.per_hour, limits.billing.burst), (1_000, 100));
    assert_eq!((limits.payments.per_hour, limits.payments.burst), (6_000, 200));
    let daily = (limits.contracts_per_day, limits.amendments_per_day, limits.invoices_per_day);
    assert_eq!(daily, (20, 200, 500));
    assert_eq!(limits.sandbox_per_hour, 30);
    assert_eq!(settings.webhooks.timeout_seconds, 10);
    assert_eq!(settings.webhooks.retry_seconds, None);
    assert!(settings.webhooks.private_cidrs.is_empty() && settings.trusted_proxies.is_empty());
    assert_eq!(settings.payments.settle_seconds, 5);
    let store = &settings.store;
    assert_eq!((store.cache_mib, store.filter_mib, store.free_mib), (None, None, 512));
    assert!(!settings.demo && settings.operator_token.is_none());
}

#[test]
fn later_sources_win() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("accrue.toml");
    let text = "listen = '0.0.0.0:1'\ndemo = true\n[limits]\nbilling_per_hour = 1\n\
                contracts_per_day = 5\n[webhooks]\nretry_seconds = [1, 2]\n";
    std::fs::write(&file, text).expect("written");
    let env = [
        ("ACCRUE_LISTEN", "0.0.0.0:2"),
        ("ACCRUE_LIMITS__BILLING_PER_HOUR", "2"),
        ("PATH", "/bin"),
    ];
    let env = env.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let flags = vec![("listen".to_owned(), "0.0.0.0:3".to_owned())];
    let settings = Settings::load(Some(&file), env.into_iter(), flags).expect("settings");
    assert_eq!(settings.listen.port(), 3);
    assert_eq!(settings.limits.billing.per_hour, 2);
    assert_eq!(settings.limits.contracts_per_day, 5);
    assert_eq!(settings.webhooks.retry_seconds, Some([1, 2]));
    assert!(settings.demo);
    assert_eq!(settings.webhooks.private_cidrs, Vec::<IpNet>::new());
}

#[test]
fn what_cannot_be_used_is_named() {
    let cases: [(&[(&str, &str)], &str); 15] = [
        (&[("ACCRUE_LISTEM", "x")], "unknown setting listem (environment variable ACCRUE_LISTEM)"),
        (
            &[("ACCRUE_LIMITS__BILLING_PER_HOUR", "many")],
            "setting limits.billing_per_hour (environment variable \
             ACCRUE_LIMITS__BILLING_PER_HOUR) must be a whole number from 0 to 4294967295, where 0 \
             turns it off",
        ),
        (
            &[("ACCRUE_DEMO", "yes")],
            "setting demo (environment variable ACCRUE_DEMO) must be true or false",
        ),
        (
            &[("ACCRUE_SECRETS__KEY", "c2hvcnQ=")],
            "setting secrets.key (environment variable ACCRUE_SECRETS__KEY) must be 32 bytes in \
             base64",
        ),
        (
            &[("ACCRUE_PAYMENTS__SETTLE_SECONDS", "0")],
            "setting payments.settle_seconds (environment variable \
             ACCRUE_PAYMENTS__SETTLE_SECONDS) must be a whole number from 1 to 4294967295",
        ),
        (
            &[("ACCRUE_WEBHOOKS__RETRY_SECONDS", "0,5")],
            "setting webhooks.retry_seconds (environment variable ACCRUE_WEBHOOKS__RETRY_SECONDS) \
             must be two numbers of seconds, each at least 1, with a comma between them",
        ),
        (
            &[("ACCRUE_OPERATOR_TOKEN", "fifteen letters")],
            "setting operator_token (environment variable ACCRUE_OPERATOR_TOKEN) must be a text \
             of at least 16 ASCII characters (any length with demo)",
        ),
        (&[("ACCRUE_TLS__CERT", "a.pem")], "setting tls.cert (alone) needs tls.key beside it"),
        (
            &[("ACCRUE_ACTORS__IDLE_SECONDS", "0")],
            "setting actors.idle_seconds (environment variable ACCRUE_ACTORS__IDLE_SECONDS) must \
             be a whole number from 1 to 4294967295",
        ),
        (
            &[("ACCRUE_PUBLIC_URL", "example.com")],
            "setting public_url (environment variable ACCRUE_PUBLIC_URL) must be an absolute http \
             or https address without a query or a fragment",
        ),
        (
            &[("ACCRUE_PUBLIC_URL", "https://shop.example:80a")],
            "setting public_url (environment variable ACCRUE_PUBLIC_URL) must be an absolute http \
             or https address without a query or a fragment",
        ),
        (
            &[("ACCRUE_PUBLIC_URL", "https://shop.example#x")],
            "setting public_url (environment variable ACCRUE_PUBLIC_URL) must be an absolute http \
             or https address without a query or a fragment",
        ),
        (
            &[("ACCRUE_SMTP__URL", "smtp://mail.example.com:25x")],
            "setting smtp.url (environment variable ACCRUE_SMTP__URL) must be smtp:// or smtps:// \
             with a host, and where it asks for one user:password@",
        ),
        (
            &[("ACCRUE_SMTP__URL", "smtps://user:pa#ss@mail.example.com:99999")],
            "setting smtp.url (environment variable ACCRUE_SMTP__URL) must be smtp:// or smtps:// \
             with a host, and where it asks for one user:password@",
        ),
        (
            &[("ACCRUE_WEBHOOKS__RETRY_SECONDS", "1,2,3")],
            "setting webhooks.retry_seconds (environment variable ACCRUE_WEBHOOKS__RETRY_SECONDS) \
             must be two numbers of seconds, each at least 1, with a comma between them",
        ),
    ];
    for (env, expected) in cases {
        assert_eq!(load(env, &[]).expect_err("refused"), expected);
    }
    assert_eq!(load(&[], &[("nope", "1")]).expect_err("refused"), "unknown setting nope (flag)");
    let missing = Settings::load(Some(Path::new("/nowhere.toml")), std::iter::empty(), Vec::new());
    assert!(missing.expect_err("refused").to_string().starts_with("settings file /nowhere.toml"));
}

#[test]
fn a_port_is_a_number_or_is_left_out() {
    let good = |text: &str| has_good_port(&text.parse().expect("an authority"));
    for text in ["a.example", "a.example:25", "[::1]", "[::1]:65535", "user:25x@a.example", "u@a:1"]
    {
        assert!(good(text), "{text}");
    }
    for text in ["a.example:", "a.example:25x", "a:65536", "[::1]:0", "user:25@a.example:smtp"] {
        assert!(!good(text), "{text}");
    }
}

#[test]
fn a_short_token_will_do_for_a_demo() {
    let short = ("operator_token", "secret");
    assert!(load(&[], &[short]).is_err());
    assert!(load(&[], &[short, ("demo", "true")]).is_ok());
    assert!(load(&[], &[("operator_token", "sixteen letters!")]).is_ok());
}

#[test]
fn a_token_is_one_that_a_request_can_carry() {
    for (token, good) in [
        ("a token, as a file ends with it\n", true),
        ("two lines\nof one token", false),
        ("zw\u{f6}lf Buchstaben und mehr", false),
        ("a token that is rubbed\u{7f} out", false),
    ] {
        assert_eq!(load(&[], &[("operator_token", token)]).is_ok(), good, "{token:?}");
    }
}

#[test]
fn every_setting_is_declared_once_and_takes_its_own_default() {
    let declared = Settings::declared();
    let mut names: Vec<&str> = declared.iter().map(|setting| setting.name).collect();
    assert!(names.contains(&"listen") && names.contains(&"limits.billing_burst"), "{names:?}");
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), declared.len());
    for setting in declared {
        assert!(setting.meaning.ends_with('.') && !setting.bounds.is_empty(), "{setting:?}");
        let dots = setting.environment_variable.strip_prefix("ACCRUE_").expect("a variable");
        assert_eq!(dots.replace("__", ".").to_ascii_lowercase(), setting.name);
    }
}

#[test]
fn the_public_address_follows_the_socket_unless_it_is_set() {
    let addr = "0.0.0.0:81".parse().expect("an address");
    assert_eq!(load(&[], &[]).expect("settings").public_url(addr), "http://127.0.0.1:81");
    let set = load(&[], &[("public_url", "https://pay.example.com/")]).expect("settings");
    assert_eq!(set.public_url(addr), "https://pay.example.com");
}

#[test]
fn a_secret_file_with_anything_else_is_told_what_it_is_to_have() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("secrets.key");
    let settings = load(&[], &[("data", folder.path().to_str().expect("text"))]).expect("settings");
    for content in [&[0xff_u8; 32][..], b"", b"a word"] {
        std::fs::write(&file, content).expect("written");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).expect("changed");
        let refusal = settings.secret_key().expect_err("refused").to_string();
        assert!(refusal.ends_with("secrets.key: must be 32 bytes in base64"), "{refusal}");
    }
}

#[test]
fn the_secret_file_is_made_once_and_kept_to_its_owner() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    let data = folder.path().to_str().expect("text");
    let settings = load(&[], &[("data", data)]).expect("settings");
    // What a crash has left of one that was being made.
    std::fs::write(folder.path().join("secrets.partial"), "half").expect("written");
    assert!(settings.secret_key().expect("looked").is_none());
    let key = settings.make_secret_key(Entropy).expect("made");
    assert!(!folder.path().join("secrets.partial").exists());
    let read = settings.secret_key().expect("read").expect("there");
    assert_eq!(read.reveal(), key.reveal());
    assert!(settings.make_secret_key(Entropy).is_err(), "one is there already");
    let file = folder.path().join("secrets.key");
    let mode = |file: &Path| std::fs::metadata(file).expect("there").permissions().mode() & 0o777;
    assert_eq!(mode(&file), 0o600);
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).expect("changed");
    let refusal = settings.secret_key().expect_err("refused").to_string();
    assert!(refusal.ends_with("is open to others; give it mode 0600"), "{refusal}");
    assert_eq!(format!("{key:?}"), "SecretKey(hidden)");
}
