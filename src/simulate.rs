//! `harit simulate`: simulated controllers against any server or broker.

use std::process::ExitCode;

use harit_simulate::SimulateArgs;

use crate::config::Log;
use crate::report::report;

pub(crate) fn main(args: SimulateArgs) -> ExitCode {
    crate::log::start(&Log::default());
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            report("harit simulate", &*e);
            ExitCode::from(2)
        }
    }
}

fn run(args: SimulateArgs) -> Result<(), Box<dyn std::error::Error>> {
    let config = args.config()?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let stopped = async {
            let _unavailable = tokio::signal::ctrl_c().await;
        };
        harit_simulate::run(config, stopped)
            .await
            .map_err(Into::into)
    })
}
