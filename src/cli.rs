//! What the command line takes.

use clap::{Parser, Subcommand};

use crate::replay::ReplayArgs;

/// Farm and polyhouse management: a telemetry stream processor and rule engine.
#[derive(Debug, Parser)]
#[command(name = "harit", version, about)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run recorded telemetry or inputs through a farm's rules and see what would have happened.
    Replay(ReplayArgs),
}
