//! What whoever runs the server does on its machine: people, tokens, controllers and integrations of a data directory whose
//! server is stopped. Nobody signs in for it: who can write the directory can do all of this anyway.

pub(crate) mod controllers;
pub(crate) mod farms;
pub(crate) mod integrations;
pub(crate) mod records;
pub(crate) mod tokens;
pub(crate) mod users;

use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use harit_api::{Operator, RecordsPlace};
use harit_ingest::{Hub, HubConfig};

use crate::data_dir::RecordsArg;
use crate::journals::{SettingsArg, hub_config};
use crate::report::report;
use crate::serve;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Whose records they are.
#[derive(Debug, Args)]
pub(crate) struct Place {
    /// The server's data directory. The server must be stopped.
    #[arg(
        long,
        value_name = "DIR",
        env = "HARIT_DATA_DIR",
        default_value = "data",
        global = true
    )]
    data_dir: PathBuf,
    #[command(flatten)]
    records: RecordsArg,
    #[command(flatten)]
    settings: SettingsArg,
}

impl Place {
    /// Takes the lock of the directory: a running server has controllers and integrations in memory.
    fn lock(&self) -> Result<File, Error> {
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(self.data_dir.join("LOCK"))?;
        match lock.try_lock() {
            Ok(()) => Ok(lock),
            Err(TryLockError::WouldBlock) => {
                let dir = self.data_dir.display();
                Err(format!("a server uses {dir}: stop it first").into())
            }
            Err(TryLockError::Error(e)) => Err(e.into()),
        }
    }

    fn records(&self) -> Result<RecordsPlace, Error> {
        Ok(self.records.or(&self.settings.of(&self.data_dir)?)?)
    }

    fn that_are_there(&self) -> Result<RecordsPlace, Error> {
        let records = self.records()?;
        let is_elsewhere =
            records.postgres().is_some() || RecordsPlace::elsewhere(&self.data_dir).is_some();
        if is_elsewhere || records.file().exists() {
            return Ok(records);
        }
        Err(format!("{records} is not there").into())
    }

    /// Works on the records, and prints what is said of it.
    fn run(
        &self,
        command: &str,
        work: impl AsyncFnOnce(&Operator) -> Result<String, Error>,
    ) -> ExitCode {
        let done = self.that_are_there().and_then(|records| {
            let _lock = self.lock()?;
            runtime()?.block_on(async {
                let operator = Operator::open(&records).await?;
                let said = work(&operator).await;
                operator.close().await;
                said
            })
        });
        told(command, done)
    }

    /// The same where the farms' engines are needed too. Where there is no directory yet, it is made.
    fn run_with_hub(
        &self,
        command: &str,
        work: impl AsyncFnOnce(&Operator, &Hub) -> Result<String, Error>,
    ) -> ExitCode {
        let done = (|| {
            serve::make_place(&self.data_dir)?;
            // the hub takes it itself; this says sooner, and in words for people, who has it
            drop(self.lock()?);
            let place = self.records()?;
            let settings = self.settings.of(&self.data_dir)?;
            let runtime = runtime()?;
            let operator = runtime.block_on(Operator::open(&place))?;
            // what waits for NATS does so on this thread
            let config = hub_config(&settings)?;
            runtime.block_on(async {
                let records = Arc::new(operator.records().clone());
                let farms = records.farm_ids().await?;
                let hub = Hub::open(HubConfig { farms, ..config }, records).await?;
                let said = async {
                    operator.load_into(&hub).await?;
                    work(&operator, &hub).await
                };
                let said = said.await;
                let stopped = hub.shutdown().await;
                operator.close().await;
                let said = said?;
                stopped?;
                Ok(said)
            })
        })();
        told(command, done)
    }
}

fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
}

fn told(command: &str, done: Result<String, Error>) -> ExitCode {
    match done {
        Ok(said) => {
            let _closed = writeln!(io::stdout().lock(), "{}", said.trim_end());
            ExitCode::SUCCESS
        }
        Err(e) => {
            report(command, &*e);
            ExitCode::FAILURE
        }
    }
}

/// Columns below their heads, or that there is nothing.
fn table<const N: usize>(heads: [&str; N], rows: &[[String; N]]) -> String {
    if rows.is_empty() {
        return "none".to_owned();
    }
    let width = |n: usize| {
        let cells = rows.iter().map(|row| row[n].chars().count());
        cells.chain([heads[n].len()]).max().unwrap_or(0)
    };
    let line = |cells: [&str; N]| {
        let padded = cells.iter().enumerate().map(|(n, cell)| {
            let width = if n + 1 == N { 0 } else { width(n) };
            format!("{cell:width$}")
        });
        padded.collect::<Vec<_>>().join("  ")
    };
    let lines = rows
        .iter()
        .map(|row| line(row.each_ref().map(String::as_str)));
    [line(heads)]
        .into_iter()
        .chain(lines)
        .collect::<Vec<_>>()
        .join("\n")
}

/// An instant for people on the terminal, to a second; a hyphen where there is none.
fn instant(millis: Option<i64>) -> String {
    let at = millis.and_then(|m| jiff::Timestamp::from_second(m.div_euclid(1_000)).ok());
    at.map_or_else(|| "-".to_owned(), |at| at.to_string())
}

const fn state(enabled: bool) -> &'static str {
    if enabled { "may connect" } else { "blocked" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_below_each_other() {
        assert_eq!(table(["a", "b"], &[]), "none");
        let rows = [["शेत", "1"], ["long", "2"]].map(|r| r.map(str::to_owned));
        assert_eq!(table(["name", "n"], &rows), "name  n\nशेत   1\nlong  2");
        assert_eq!(instant(Some(1_700_000_000_999)), "2023-11-14T22:13:20Z");
        assert_eq!(instant(None), "-");
    }
}
