//! `harit`: the command line, and the only place where the parts are put together.

mod archive;
mod backup;
mod bench;
mod cli;
mod columnar;
mod completions;
mod config;
mod data_dir;
mod doctor;
mod explain;
mod files;
mod gateway_sim;
mod history;
mod incident;
mod journal;
mod journals;
mod log;
mod manual;
mod nats_monitor;
mod operator;
mod positions;
mod questdb;
mod readiness;
mod replay;
mod report;
mod serve;
mod simulate;
mod trace;
mod verify_log;
mod worker;
mod year;

use std::process::ExitCode;

use clap::Parser;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    match cli::Cli::parse().command {
        cli::Command::Serve(args) => serve::main(&args),
        cli::Command::Simulate(args) => simulate::main(args),
        cli::Command::GatewaySim(args) => gateway_sim::main(args),
        cli::Command::Bench(args) => bench::main(&args),
        cli::Command::Journal(args) => journal::main(&args),
        cli::Command::History(args) => history::main(&args),
        cli::Command::Backup(args) => backup::main(&args),
        cli::Command::Restore(args) => backup::restore_main(&args),
        cli::Command::Farm(args) => operator::farms::main(&args),
        cli::Command::Records(args) => operator::records::main(&args),
        cli::Command::VerifyLog(args) => verify_log::main(&args),
        cli::Command::Controller(args) => operator::controllers::main(args),
        cli::Command::Integration(args) => operator::integrations::main(args),
        cli::Command::Token(args) => operator::tokens::main(args),
        cli::Command::User(args) => operator::users::main(args),
        cli::Command::Completions(args) => completions::main(&args),
        cli::Command::Man(args) => manual::main(&args),
        cli::Command::Doctor(args) => doctor::main(&args),
        cli::Command::CheckConfig(args) => serve::check_config(&args),
        cli::Command::Replay(args) => replay::main(&args),
        cli::Command::Incident(args) => incident::main(&args),
        cli::Command::Explain(args) => explain::main(&args),
        cli::Command::Trace(args) => trace::main(&args),
        cli::Command::Backtest(args) => explain::backtest_main(&args),
        cli::Command::BenchReplay(args) => year::main(&args),
        cli::Command::BenchBacktest(args) => year::backtest_main(&args),
        cli::Command::BenchHistory(args) => year::history_main(&args),
        cli::Command::Convert(args) => replay::convert(&args),
    }
}
