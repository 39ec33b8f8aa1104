//! What the command line takes.

use clap::{Parser, Subcommand};

use harit_simulate::SimulateArgs;

use crate::backup::{BackupArgs, RestoreArgs};
use crate::bench::BenchArgs;
use crate::completions::CompletionsArgs;
use crate::doctor::DoctorArgs;
use crate::explain::{BacktestArgs, ExplainArgs};
use crate::gateway_sim::GatewaySimArgs;
use crate::history::HistoryArgs;
use crate::incident::IncidentArgs;
use crate::journal::JournalArgs;
use crate::manual::ManArgs;
use crate::operator::controllers::ControllerArgs;
use crate::operator::farms::FarmArgs;
use crate::operator::integrations::IntegrationArgs;
use crate::operator::records::RecordsArgs;
use crate::operator::tokens::TokenArgs;
use crate::operator::users::UserArgs;
use crate::replay::{ConvertArgs, ReplayArgs};
use crate::serve::{CheckConfigArgs, ServeArgs};
use crate::trace::TraceArgs;
use crate::verify_log::VerifyLogArgs;
use crate::year::{BacktestBenchArgs, HistoryBenchArgs, YearArgs};

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
    /// Say why a device or a rule did what it did at an instant, from a server's journal or an export of it.
    Explain(ExplainArgs),
    /// Say which message, person or timer made a command and what moved it on, or which commands came of a controller's messages.
    Trace(TraceArgs),
    /// Say what other rules would have done on a farm's own journal, beside what was.
    Backtest(BacktestArgs),
    /// Write what a device or a rule did in a span so that others can fold it again and check it, or check such a folder.
    Incident(IncidentArgs),
    /// Write recorded telemetry as a Parquet file, which replays faster and which other tools read.
    Convert(ConvertArgs),
    /// Put load on a server or broker and measure latencies and losses.
    Bench(BenchArgs),
    /// Play the gateways for mail, SMS, WhatsApp, webhooks and Web Push, and show what came.
    GatewaySim(GatewaySimArgs),
    /// Replay a made-up year of a farm and say how long it takes, beside the least that it could.
    BenchReplay(YearArgs),
    /// Try a rule on a made-up month of a farm and say how long it takes, beside reading and folding the same journal.
    BenchBacktest(BacktestBenchArgs),
    /// Put a made-up year of a farm into each store and say how large it is, how fast it goes in and how long charts take.
    BenchHistory(HistoryBenchArgs),
    /// Look into a server's journal.
    Journal(JournalArgs),
    /// Make the values of charts anew.
    History(HistoryArgs),
    /// Copy a server's data directory, whole, beside the running server; list, check and forget such copies.
    Backup(BackupArgs),
    /// Make a data directory of a backup, and check that it is what it was.
    Restore(RestoreArgs),
    /// Register controllers, renew their passwords, block and remove them, while the server is stopped.
    #[command(alias = "controllers")]
    Controller(ControllerArgs),
    /// Make, renew, block and remove accounts that read by MQTT, while the server is stopped.
    Integration(IntegrationArgs),
    /// Make and end tokens of programs, while the server is stopped.
    Token(TokenArgs),
    /// Add people, the first one too, and set passwords and roles, while the server is stopped.
    User(UserArgs),
    /// List farms, and give one to another cell, while the servers of both are stopped.
    Farm(FarmArgs),
    /// Bring the records (people, controllers, tasks, what was harvested and sold) from the data directory into a PostgreSQL, or back.
    Records(RecordsArgs),
    /// Check that the audit log is as it was written; names the first entry of each chain that is not.
    VerifyLog(VerifyLogArgs),
    /// Write a shell's completions of these commands: `harit completions bash > /etc/bash_completion.d/harit`.
    Completions(CompletionsArgs),
    /// Write the manual's pages, one a command, into a directory: `harit man DIR`, then `man -l DIR/harit.1`.
    Man(ManArgs),
    /// Look at a configuration, a data directory and its running server: what is well, what is not, what to do.
    Doctor(DoctorArgs),
    /// Say whether a configuration is sound.
    CheckConfig(CheckConfigArgs),
}
