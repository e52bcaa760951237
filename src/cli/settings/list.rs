//! `accrue settings`: every setting, as the page that declares them says it.

use std::process::ExitCode;

use crate::cli::terminal::Terminal;
use crate::config::{Declared, Settings};

/// Options of `accrue settings`.
#[derive(Clone, Debug, clap::Args)]
pub(in crate::cli) struct SettingsArgs {
    /// One JSON document: a list of objects.
    #[arg(long)]
    json: bool,
}

pub(in crate::cli) fn run(args: &SettingsArgs) -> anyhow::Result<ExitCode> {
    let declared = Settings::declared();
    let terminal = Terminal::standard();
    if args.json {
        terminal.line(&serde_json::to_string_pretty(&declared)?);
    } else {
        declared.iter().for_each(|setting| print(terminal, setting));
    }
    Ok(ExitCode::SUCCESS)
}

fn print(terminal: Terminal, setting: &Declared) {
    terminal.heading(setting.name);
    terminal.line(&format!("  {}", setting.meaning));
    terminal.line(&format!("  takes        {}", setting.bounds));
    let default = if setting.default.is_empty() { "none" } else { setting.default };
    terminal.line(&format!("  default      {default}"));
    terminal.line(&format!("  environment  {}", setting.environment_variable));
}
