//! `harit check-config`: whether a server would start with this configuration, and what it would reach.

use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;

use harit_api::RecordsPlace;
use harit_bucket::Place;
use harit_ingest::history::PostgresUrl;
use harit_journal::Journals as _;

use super::options::CheckConfigArgs;
use super::{Failed, brokers, mqtt};
use crate::archive::Source;
use crate::config::{Config, ConfigError};
use crate::nats_monitor;
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
            if !ask_history(&config)
                || !ask_records(&config)
                || !say_answer(ask_journals(&config))
                || !say_answer(config.backup.ask())
                || !say_answer(ask_archive(&config))
            {
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

/// Says what a bucket answered, where there is one; false where it cannot be had.
fn say_answer(answer: Result<Option<String>, ConfigError>) -> bool {
    match answer {
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

/// Asks the NATS that has the journals, where one is set.
fn ask_journals(config: &Config) -> Result<Option<String>, ConfigError> {
    let Some(place) = config.journals()? else {
        return Ok(None);
    };
    let asked = place.open().map_err(|e| e.to_string());
    let found = asked.and_then(|journals| journals.current().map_err(|e| e.to_string()));
    let found = found.map_err(|e| ConfigError::Value(format!("journal.nats: {e}")))?;
    let has = match found {
        Some(there) => format!("has journals of {} shards", there.shards),
        None => "has no journals yet: the first start makes them".to_owned(),
    };
    let mut said = format!("{} {has}", place.say());
    let runtime = runtime().map_err(|e| ConfigError::Value(e.to_string()))?;
    for asked in runtime.block_on(nats_monitor::ask(&place.monitors)) {
        let is = asked.map_err(|e| ConfigError::Value(format!("journal.monitors: {e}")))?;
        said.push('\n');
        said.push_str(&is);
    }
    Ok(Some(said))
}

fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
}

/// Asks the bucket that gets a copy of the archive for what it has, where one is set.
fn ask_archive(config: &Config) -> Result<Option<String>, ConfigError> {
    let Some(bucket) = config.archive_bucket()? else {
        return Ok(None);
    };
    let source = Source::open(&Place::Bucket(bucket.clone()));
    let days = source.map(|source| source.days().count());
    let days = days.map_err(|e| ConfigError::Value(format!("archive.copy_to: {e}")))?;
    Ok(Some(format!("{bucket} has {days} days of the archive")))
}

/// Asks the PostgreSQL that is to have the history, where one is set, and says what it is; false where that cannot be.
fn ask_history(config: &Config) -> bool {
    match config.history() {
        Ok(Some(url)) => say_database("history", &url, url.check()),
        _ => true,
    }
}

/// The same of the records'.
fn ask_records(config: &Config) -> bool {
    let records = config.records();
    let Some(url) = records.as_ref().ok().and_then(RecordsPlace::postgres) else {
        return true;
    };
    let asked = match runtime() {
        Ok(runtime) => runtime.block_on(RecordsPlace::ask(url)),
        Err(e) => Err(e.into()),
    };
    say_database("records", url, asked)
}

fn say_database<E: fmt::Display>(
    section: &str,
    url: &PostgresUrl,
    asked: Result<(String, Option<&'static str>), E>,
) -> bool {
    let said = match asked {
        Ok((version, warning)) => {
            let but = warning.map_or_else(String::new, |w| format!("; warning: {w}"));
            format!("{section}: {url} is {version}{but}")
        }
        Err(e) => {
            report(
                "harit",
                &Failed::at(format!("{section}.url"))(format!("{url}: {e}")),
            );
            return false;
        }
    };
    let _closed = writeln!(io::stdout().lock(), "{said}");
    true
}
