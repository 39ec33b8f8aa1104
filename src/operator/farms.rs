//! `harit farm`: which farms there are, and one given to another cell.
//!
//! A farm moves in steps, each of which may be cut off and made again: its history is copied, the other cell's journals begin anew with the farm
//! as it is at the end of its own, the records say that it is that cell's, and its own journals begin anew without it. Until the records say
//! so its own cell's server goes on with it; from then on the other one's. A server whose journals have a farm that the records give to
//! another cell does not start.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Subcommand};
use harit_api::{Cell, Operator};
use harit_engine::FarmId;
use harit_ingest::history::{HistoryPlace, PostgresUrl};
use harit_ingest::{Anew, Hub, HubConfig};
use harit_journal::{Generation, Journals as _};
use tokio::runtime::Runtime;

use super::{Error, Place, runtime, table, told};
use crate::config::Config;
use crate::journals::{self, NatsPlace};
use crate::serve::configured;

#[derive(Debug, Args)]
pub(crate) struct FarmArgs {
    #[command(flatten)]
    place: Place,
    #[command(subcommand)]
    command: FarmCommand,
}

#[derive(Debug, Subcommand)]
enum FarmCommand {
    /// List farms, and the cell of each.
    List,
    /// Give a farm to another cell, with its past as charts and the log have it, while the servers of both cells are stopped. Cut off, it is
    /// made again.
    Move(MoveArgs),
}

#[derive(Debug, Args)]
struct MoveArgs {
    /// The farm.
    #[arg(value_name = "ID")]
    farm: String,
    /// The settings of a server of the cell that it goes to; --config has those of its own cell.
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
}

pub(crate) fn main(args: &FarmArgs) -> ExitCode {
    let place = &args.place;
    match &args.command {
        FarmCommand::List => place.run("harit farm list", async |operator| {
            let all = operator.farms_of_cells().await?;
            let rows: Vec<_> = all.into_iter().map(|f| [f.id, f.cell, f.name]).collect();
            Ok(table(["farm", "cell", "name"], &rows))
        }),
        FarmCommand::Move(args) => told("harit farm move", given(place, args)),
    }
}

/// A cell whose servers are stopped.
struct Side {
    cell: Cell,
    journals: NatsPlace,
    history: PostgresUrl,
    /// How many shards its journals have, if that is said.
    shards: usize,
    /// Who has the right to write its records.
    operator: Operator,
}

impl Side {
    async fn open(config: &Config) -> Result<Self, Error> {
        let own = config.cell()?;
        let (Some(own), Some(journals), Some(history)) =
            (own, journals::of(config)?, config.history()?)
        else {
            return Err("a farm moves from one cell to another: both settings have [cell], as docs/cluster.md says".into());
        };
        let cell = own.name;
        let operator = Operator::open(&config.records()?).await;
        let operator =
            operator.map_err(|e| format!("cell {cell}: {e}: are its servers stopped?"))?;
        operator
            .records()
            .has_journals(&config.journal.cluster)
            .await?;
        Ok(Self {
            cell,
            journals,
            history,
            shards: config.storage.shards,
            operator,
        })
    }

    /// Has its journals begin anew, or go on; whether they have the farm.
    fn begun(
        &self,
        runtime: &Runtime,
        own: HubConfig,
        anew: Option<Anew>,
        farm: &FarmId,
    ) -> Result<bool, Error> {
        let records = self.operator.records();
        let mut farms = runtime.block_on(records.farm_ids())?;
        if let Some(Anew::Without(other)) = &anew {
            farms.retain(|farm| farm != other);
        }
        let hub = HubConfig {
            farms,
            history: Some(HistoryPlace::Postgres(self.history.clone())),
            anew,
            ..own
        };
        runtime.block_on(async {
            let hub = Hub::open(hub, Arc::new(records.clone())).await?;
            let (has, ended) = (hub.has(farm), hub.clone());
            hub.shutdown().await?;
            match ended.health().history_writable {
                true => Ok(has),
                false => Err("the history did not take everything: run it again".into()),
            }
        })
    }

    /// Makes room for new journals, which may be refused: before the farm is another cell's.
    fn reserve(&self) -> Result<(), Error> {
        let journals = self.journals.open()?;
        if let Some(current) = journals.current()? {
            let generation = current.generation + 1;
            journals.prepare(Generation {
                generation,
                ..current
            })?;
        }
        Ok(())
    }

    /// What a hub over its journals is opened with. Its data directory is another machine's, so it gets an empty one.
    fn hub(&self, keys: &Place, empty: &tempfile::TempDir) -> Result<HubConfig, Error> {
        let mut hub = HubConfig::new(&keys.data_dir).keeping_all();
        if self.shards > 0 {
            hub.shards = self.shards;
        }
        let hub = journals::over(self.journals.open()?, self.shards, hub)?;
        Ok(HubConfig {
            data_dir: empty.path().to_owned(),
            ..hub
        })
    }
}

fn given(place: &Place, args: &MoveArgs) -> Result<String, Error> {
    let lock = place.lock()?;
    let config = place.settings.of(&place.data_dir)?;
    let mut other = configured(Some(&args.to))?;
    place.data_dir.clone_into(&mut other.server.data_dir);
    let runtime = runtime()?;
    let from = runtime.block_on(Side::open(&config))?;
    if other.cell.name == config.cell.name {
        return Err(format!("both settings are of cell {}", from.cell).into());
    }
    let to = runtime.block_on(Side::open(&other))?;
    let moved = moved(
        place,
        &runtime,
        (&from, &to),
        &FarmId::from(args.farm.as_str()),
    );
    for side in [from, to] {
        runtime.block_on(side.operator.close());
    }
    drop(lock);
    moved
}

fn moved(
    place: &Place,
    runtime: &Runtime,
    (from, to): (&Side, &Side),
    farm: &FarmId,
) -> Result<String, Error> {
    let whose = |side: &Side| -> Result<Option<String>, Error> {
        let all = runtime.block_on(side.operator.farms_of_cells())?;
        let found = all.into_iter().find(|f| f.id == farm.as_str());
        Ok(found.map(|f| f.cell))
    };
    let Some(cell) = whose(from)? else {
        return Err(format!("no farm {farm}; harit farm list shows all").into());
    };
    if whose(to)?.as_ref() != Some(&cell) {
        return Err(format!("cells {} and {} have other records", from.cell, to.cell).into());
    }
    if ![from, to].iter().any(|side| side.cell.as_str() == cell) {
        let other = "--config has the settings of that";
        return Err(format!("farm {farm} is one of cell {cell:?}: {other}").into());
    }
    let [empty, other_empty] = [(); 2].map(|()| tempfile::tempdir());
    let (empty, other_empty) = (empty?, other_empty?);
    let own = || from.hub(place, &empty);
    // What the history and the stored states lack of the end of the journals, they get.
    let has = from.begun(runtime, own()?, None, farm)?;
    let is_to_go = cell == from.cell.as_str();
    if is_to_go {
        let others = || to.hub(place, &other_empty);
        // Of an attempt that was cut off: the farm lived on since, and no past leads through what it was then.
        if to.begun(runtime, others()?, None, farm)? {
            let without = Anew::Without(farm.clone());
            to.begun(runtime, others()?, Some(without), farm)?;
        }
        from.history.copy_farm(farm, &to.history)?;
        let with = Anew::With(farm.clone(), Arc::new(from.journals.open()?));
        to.begun(runtime, others()?, Some(with), farm)?;
        from.reserve()?;
        runtime.block_on(from.operator.give_farm(farm, &to.cell))?;
    }
    if has {
        from.begun(runtime, own()?, Some(Anew::Without(farm.clone())), farm)?;
    }
    from.history.forget_farm(farm, &to.history)?;
    Ok(match is_to_go || has {
        true => format!(
            "farm {farm} is one of cell {} now: start the servers of both. Its readings of before are in the archive of cell {}",
            to.cell, from.cell
        ),
        false => format!("farm {farm} is one of cell {cell} already"),
    })
}
