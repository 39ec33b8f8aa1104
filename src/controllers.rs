//! `harit controllers release`: gives a controller's MAC free that another farm registered first, for who runs the server and
//! has seen whose it is.

use std::fs::{File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use harit_api::Records;
use harit_protocol::Mac;

use crate::report::report;

type Error = Box<dyn std::error::Error + Send + Sync>;

#[derive(Debug, Args)]
pub(crate) struct ControllersArgs {
    #[command(subcommand)]
    command: ControllersCommand,
}

#[derive(Debug, Subcommand)]
enum ControllersCommand {
    /// Take a controller out of the farm that registered it, so that its owner can register it. The server must be stopped.
    Release(ReleaseArgs),
}

#[derive(Debug, Args)]
struct ReleaseArgs {
    /// The server's data directory.
    #[arg(
        long,
        value_name = "DIR",
        env = "HARIT_DATA_DIR",
        default_value = "data"
    )]
    data_dir: PathBuf,
    /// The controller's MAC.
    #[arg(value_name = "MAC")]
    mac: String,
}

pub(crate) fn main(args: &ControllersArgs) -> ExitCode {
    let ControllersCommand::Release(args) = &args.command;
    match release(args) {
        Ok(said) => {
            let _closed = writeln!(io::stdout().lock(), "{said}");
            ExitCode::SUCCESS
        }
        Err(e) => {
            report("harit controllers release", &*e);
            ExitCode::FAILURE
        }
    }
}

fn release(args: &ReleaseArgs) -> Result<String, Error> {
    let mac = Mac::parse(&args.mac)?;
    let file = args.data_dir.join("records.db");
    if !file.exists() {
        return Err(format!("{} is not there", file.display()).into());
    }
    let _lock = lock(&args.data_dir)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let records = Records::open(&file).await?;
        let released = records.release_controller(mac).await;
        records.close().await;
        let mac = mac.as_str();
        Ok(match released? {
            Some(farm) => format!("{mac} was farm {farm}'s and is free now"),
            None => format!("{mac} is registered nowhere"),
        })
    })
}

/// The lock of the data directory: a running server has the controllers in memory.
fn lock(data_dir: &Path) -> Result<File, Error> {
    let path = data_dir.join("LOCK");
    let lock = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(TryLockError::WouldBlock) => {
            Err(format!("a server uses {}: stop it first", data_dir.display()).into())
        }
        Err(TryLockError::Error(e)) => Err(e.into()),
    }
}
