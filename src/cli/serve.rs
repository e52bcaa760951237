//! `accrue serve`: the service, until it is asked to stop.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use actors::clock::Clock;

use super::settings;
use super::settings::SettingPair;
use super::signal::Stop;

/// Options of `accrue serve`. A flag overrules the environment, which overrules the file.
#[derive(Clone, Debug, clap::Args)]
pub(super) struct ServeArgs {
    /// Settings file; without it `accrue.toml` is read where there is one.
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Address to listen on; port 0 takes a free one.
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<String>,
    /// Folder of the data.
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Open the sandbox door, and turn the operator's switches on that nobody turned off.
    #[arg(long)]
    demo: bool,
    /// The address that buyers and sellers reach this server at.
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// Bearer token of the operator's surface; without one the surface is closed. A list of
    /// processes shows flags to everybody on the machine: a server that lasts takes it from
    /// `ACCRUE_OPERATOR_TOKEN` or from its settings file.
    #[arg(long, value_name = "TOKEN")]
    operator_token: Option<String>,
    /// Any setting by its name.
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<SettingPair>,
}

impl ServeArgs {
    /// The settings stated by flags, the named ones last.
    fn pairs(&self) -> Vec<SettingPair> {
        let data = self.data.as_ref().map(|path| path.display().to_string());
        let named = [
            ("listen", self.listen.clone()),
            ("data", data),
            ("demo", self.demo.then(|| "true".to_owned())),
            ("public_url", self.public_url.clone()),
            ("operator_token", self.operator_token.clone()),
        ];
        let named = named.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let named = named.map(|(name, value)| SettingPair::new(name, value));
        self.set.iter().cloned().chain(named).collect()
    }
}

/// Serves until SIGTERM, SIGINT or SIGHUP, then finishes the requests under way.
pub(super) async fn run(args: ServeArgs) -> anyhow::Result<ExitCode> {
    let settings = settings::load(args.config.as_deref(), args.pairs())?;
    crate::logs::start(&settings.log)?;
    crate::open_files::take_all();
    let scheme = if settings.tls.cert.is_some() { "https" } else { "http" };
    // Who asks for the stop during the start gets it right behind.
    let stop = Stop::listen()?;
    let server = crate::start(settings, Clock::wall()).await?;
    let mut out = std::io::stdout();
    writeln!(out, "listening on {scheme}://{}", server.addr())?;
    out.flush()?;
    stop.asked().await;
    server.shutdown().await;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Serve {
        #[command(flatten)]
        args: ServeArgs,
    }

    #[test]
    fn flags_become_settings_and_named_ones_win() {
        let line = [
            "serve",
            "--set",
            "data=/a",
            "--set",
            "limits.billing_burst=5",
            "--data",
            "/b",
            "--demo",
            "--listen",
            "127.0.0.1:0",
        ];
        let pairs = Serve::parse_from(line).args.pairs();
        let settings = settings::load(None, pairs).expect("settings");
        assert_eq!(settings.data, PathBuf::from("/b"));
        assert_eq!(settings.listen.port(), 0);
        assert!(settings.demo);
    }

    #[test]
    fn a_setting_that_is_none_is_refused_by_name() {
        let pairs = Serve::parse_from(["serve", "--set", "colour=red"]).args.pairs();
        let refused = settings::load(None, pairs).expect_err("unknown").to_string();
        assert!(refused.contains("colour"), "{refused}");
        assert!(Serve::try_parse_from(["serve", "--set", "colour"]).is_err());
    }
}
