//! What the command line takes.

use clap::{Parser, Subcommand};

use harit_load::LoadArgs;
use harit_simulate::SimulateArgs;

use crate::backup::BackupArgs;
use crate::controllers::ControllersArgs;
use crate::gateway_sim::GatewaySimArgs;
use crate::journal::JournalArgs;
use crate::replay::{ConvertArgs, ReplayArgs};
use crate::serve::{CheckConfigArgs, ServeArgs};
use crate::verify_log::VerifyLogArgs;
use crate::year::YearArgs;

/// Farm and polyhouse management: a telemetry stream processor and rule engine.
#[derive(Debug, Parser)]
#[command(name = "harit", version, about)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the server.
    Serve(ServeArgs),
    /// Run simulated controllers against a server or broker.
    Simulate(SimulateArgs),
    /// Run recorded telemetry or inputs through a farm's rules and see what would have happened.
    Replay(ReplayArgs),
    /// Write recorded telemetry as a Parquet file, which replays faster and which other tools read.
    Convert(ConvertArgs),
    /// Put load on a server or broker and measure latencies and losses.
    Bench(LoadArgs),
    /// Play the gateways for mail, SMS, WhatsApp and webhooks, and show what came.
    GatewaySim(GatewaySimArgs),
    /// Replay a made-up year of a farm and say how long it takes, beside the least that it could.
    BenchReplay(YearArgs),
    /// Look into a server's journal.
    Journal(JournalArgs),
    /// Copy a server's data directory, whole, beside the running server.
    Backup(BackupArgs),
    /// Put right who has a controller.
    Controllers(ControllersArgs),
    /// Check that the audit log is as it was written; names the first entry of each chain that is not.
    VerifyLog(VerifyLogArgs),
    /// Say whether a configuration is sound.
    CheckConfig(CheckConfigArgs),
}
