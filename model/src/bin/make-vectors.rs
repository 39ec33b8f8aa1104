//! Writes random farms, what happens to them, and what the model says to it, as files to replay.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Parser;
use harit_model::Model;
use harit_model::generate::{Options, case};

/// Write random farms with their inputs and the model's events as files to replay.
#[derive(Parser)]
struct Arguments {
    /// The seed of the first one; each further one has the next seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// How many.
    #[arg(long, default_value_t = 40)]
    count: u64,
    /// The folder to write them into, one folder each, named after the seed.
    #[arg(long)]
    out: PathBuf,
}

fn main() -> io::Result<()> {
    let arguments = Arguments::parse();
    let mut stdout = io::stdout().lock();
    for seed in arguments.seed..arguments.seed + arguments.count {
        // A replay stops at what is malformed, and has no word for changes of the registry.
        let options = Options {
            inputs: (150, 300),
            malformed: false,
            registry: false,
            kinds: false,
            programs: harit_model::generate::Programs::None,
            limits: false,
            setpoints: false,
            only_if: false,
            hours: false,
        };
        let case = case(seed, options);
        let mut model = Model::new(&case.farm).map_err(io::Error::other)?;
        let mut events = Vec::new();
        for input in case.all_inputs() {
            events.extend(model.apply(&input).map_err(io::Error::other)?);
        }
        let folder = arguments.out.join(format!("{seed:03}"));
        case.save(&folder, &events)?;
        writeln!(
            stdout,
            "{}: {} inputs, {} events",
            folder.display(),
            case.inputs.len(),
            events.len()
        )?;
    }
    Ok(())
}
