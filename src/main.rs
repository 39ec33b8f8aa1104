//! `harit`: the command line, and the only place where the parts are put together.

mod cli;
mod replay;

use std::process::ExitCode;

use clap::Parser;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match cli::Cli::parse().command {
        cli::Command::Replay(args) => replay::main(&args),
    }
}
