//! `harit check-config`: whether a server would start with this configuration, and what it would reach.

use std::io::{self, Write};
use std::process::ExitCode;

use super::options::CheckConfigArgs;
use super::{Failed, brokers, mqtt};
use crate::config::Config;
use crate::report::report;

pub(crate) fn check_config(args: &CheckConfigArgs) -> ExitCode {
    match args.load() {
        Ok(config) => {
            let ends = match config
                .mqtt
                .tls_files()
                .map(|files| files.ends())
                .transpose()
            {
                Ok(ends) => ends.unwrap_or_default(),
                Err(e) => {
                    report("harit", &e);
                    return ExitCode::from(2);
                }
            };
            let mut out = io::stdout().lock();
            let warnings = config.warnings();
            for warning in &warnings {
                let _closed = writeln!(out, "warning: {warning}");
            }
            let but = if warnings.is_empty() {
                ""
            } else {
                ", but not safe"
            };
            let _closed = writeln!(out, "the configuration is sound{but}");
            for end in ends {
                let _closed = writeln!(out, "{}", mqtt::say_end(&end));
            }
            for way in config.say_ways() {
                let _closed = writeln!(out, "{way}");
            }
            let backup = config.backup.say();
            let writable = backup.is_ok();
            let backup = backup.unwrap_or_else(|e| Some(e.to_string()));
            if let Some(said) = backup {
                let _closed = writeln!(out, "{said}");
            }
            drop(out);
            if !writable {
                return ExitCode::FAILURE;
            }
            if !args.connect {
                return ExitCode::SUCCESS;
            }
            if !ask_history(&config) || !ask_backups(&config) {
                return ExitCode::FAILURE;
            }
            match brokers::attempt(&config) {
                Ok(true) => ExitCode::SUCCESS,
                Ok(false) => ExitCode::FAILURE,
                Err(e) => {
                    report("harit", &e);
                    ExitCode::FAILURE
                }
            }
        }
        Err(e) => {
            report("harit", &e);
            ExitCode::from(2)
        }
    }
}

/// Asks the bucket that is to have the backups, where there is one; false where it cannot have them.
fn ask_backups(config: &Config) -> bool {
    match config.backup.ask() {
        Ok(None) => true,
        Ok(Some(said)) => {
            let _closed = writeln!(io::stdout().lock(), "{said}");
            true
        }
        Err(e) => {
            report("harit", &e);
            false
        }
    }
}

/// Asks the PostgreSQL that is to have the history, where one is set, and says what it is; false where that cannot be.
fn ask_history(config: &Config) -> bool {
    let Ok(Some(url)) = config.history() else {
        return true;
    };
    let said = match url.check() {
        Ok((version, warning)) => {
            let but = warning.map_or_else(String::new, |w| format!("; warning: {w}"));
            format!("history: {url} is {version}{but}")
        }
        Err(e) => {
            report("harit", &Failed::at("history.url")(format!("{url}: {e}")));
            return false;
        }
    };
    let _closed = writeln!(io::stdout().lock(), "{said}");
    true
}
