//! `harit journal`: a farm's inputs as they were, for `harit replay`; and journals of files that are moved to NATS.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Subcommand};
use harit_api::Records;
use harit_engine::Timestamp;
use harit_ingest::export::Exported;
use harit_ingest::history::HistoryPlace;
use harit_ingest::past::Stop;
use harit_ingest::{Anew, Hub, HubConfig};
use harit_journal::{DataDir, Generation, JournalError, JournalFiles, Journals, sync_dir};

use crate::journals::{self, JournalsArg};
use crate::report::report;
use crate::worker::NO_LIMIT;
use crate::{archive, questdb};

/// What the folder of the files is called once their journals are elsewhere.
const MOVED: &str = "journal.moved";

type Error = Box<dyn std::error::Error + Send + Sync>;

#[derive(Debug, Args)]
pub(crate) struct JournalArgs {
    #[command(subcommand)]
    command: JournalCommand,
}

#[derive(Debug, Subcommand)]
enum JournalCommand {
    /// Write a farm's inputs, one JSON object a line, and the farm as it was before them. Works beside a running server.
    Export(ExportArgs),
    /// Bring the journals of a data directory to the NATS of the settings, while the server is stopped. What their past has is archived before,
    /// and told to QuestDB where one is set; in NATS they begin with the farms as they are.
    Move(JournalsArg),
    /// Take journals that have lost their end for what is there of them, while the server is stopped: it does not start with them. Farms begin
    /// in new journals, as they were after the last batch that is left.
    AcceptLoss(AcceptLossArgs),
}

#[derive(Debug, Args)]
struct AcceptLossArgs {
    #[command(flatten)]
    journals: JournalsArg,
    /// Do it; without this it is said what is lost.
    #[arg(long)]
    yes: bool,
}

#[derive(Debug, Args)]
struct ExportArgs {
    #[command(flatten)]
    journals: JournalsArg,
    /// The farm.
    #[arg(long, value_name = "ID")]
    farm: String,
    /// Where the inputs go; a name that ends in .zst is compressed.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Where the farm goes as it was before them: its document, and its state where the journal has lost its beginning.
    #[arg(long, value_name = "FILE")]
    farm_out: PathBuf,
}

pub(crate) fn main(args: &JournalArgs) -> ExitCode {
    let (command, done) = match &args.command {
        JournalCommand::Export(args) => ("harit journal export", export_said(args)),
        JournalCommand::Move(args) => ("harit journal move", move_to_nats(args)),
        JournalCommand::AcceptLoss(args) => ("harit journal accept-loss", accept_loss(args)),
    };
    match done {
        Ok(said) => {
            let _closed = writeln!(io::stdout().lock(), "{said}");
            ExitCode::SUCCESS
        }
        Err(e) => {
            report(command, &*e);
            ExitCode::FAILURE
        }
    }
}

fn export_said(args: &ExportArgs) -> Result<String, Error> {
    let exported = export(args)?;
    let from = if exported.farm.has_past() {
        "from the oldest state that is kept"
    } else {
        "from the farm's beginning"
    };
    Ok(format!("{} inputs, {from}", exported.inputs))
}

fn move_to_nats(args: &JournalsArg) -> Result<String, Error> {
    let data_dir = &args.place.data_dir;
    let config = args.settings.of(data_dir)?;
    let place = config.journals()?;
    let place = place.ok_or("journal.nats of the settings (--config) says where they go")?;
    let files = JournalFiles::of(data_dir);
    let Some(old) = harit_journal::current(data_dir)? else {
        return Err(format!("{} has no journals", data_dir.display()).into());
    };
    let journals = place.open()?;
    // Where an earlier attempt was cut off after its last step but one, they are there.
    let is_other = |there: &Generation| there.generation != old.generation + 1;
    if journals.current()?.as_ref().is_some_and(is_other) {
        return Err(format!("{} has journals of another server", place.say()).into());
    }
    let runtime = tokio::runtime::Runtime::new()?;
    let records = runtime.block_on(Records::open(&config.records()?))?;
    let farms = runtime.block_on(records.farm_ids())?;
    let (number, past) = (farms.len(), JournalFiles::to_read(data_dir));
    // A server that runs would go on writing.
    let locked = DataDir::lock(data_dir)?;
    if config.archive.enabled {
        let now = Timestamp::from_millis(jiff::Timestamp::now().as_millisecond());
        let (to, stop) = (config.archive_dir(), Stop::within(NO_LIMIT));
        archive::archive(&past, &to, now, number, &stop, &mut |_, _, _| {})?;
    }
    if let Some(settings) = config.questdb() {
        questdb::catch_up(data_dir.clone(), past, settings)?;
    }
    drop(locked);
    let hub = HubConfig {
        farms,
        history: config.history()?.map(HistoryPlace::Postgres),
        shards: match config.storage.shards {
            0 => old.shards,
            chosen => chosen,
        },
        moved_from: Some(Arc::new(files)),
        ..HubConfig::new(data_dir).keeping_all()
    };
    let hub = journals::over(journals, config.storage.shards, hub)?;
    runtime.block_on(begun(hub, records))?;
    journals::note(data_dir, &place)?;
    fs::rename(data_dir.join("journal"), data_dir.join(MOVED))?;
    sync_dir(data_dir)?;
    Ok(format!(
        "{number} farms are in {}; the files are now {MOVED}: remove them once the server runs",
        place.say()
    ))
}

/// Has the farms begin where a hub is opened.
async fn begun(hub: HubConfig, records: Records) -> Result<(), Error> {
    let hub = Hub::open(hub, Arc::new(records.clone())).await?;
    hub.shutdown().await?;
    records.close().await;
    Ok(())
}

fn accept_loss(args: &AcceptLossArgs) -> Result<String, Error> {
    let data_dir = &args.journals.place.data_dir;
    let config = args.journals.settings.of(data_dir)?;
    let runtime = tokio::runtime::Runtime::new()?;
    // Of two servers none is at work where this has the records.
    let records = runtime.block_on(Records::open(&config.records()?))?;
    let farms = runtime.block_on(records.farm_ids())?;
    let hub = journals::hub_config(&config)?;
    let files = || -> Arc<dyn Journals> { Arc::new(JournalFiles::of(data_dir)) };
    let journals = hub.journals.clone().unwrap_or_else(files);
    let Some(there) = journals.current()? else {
        return Err(format!("{} has no journals", data_dir.display()).into());
    };
    // A server that runs has them.
    let locked = DataDir::lock(data_dir)?;
    let mut lost = Vec::new();
    for shard in 0..there.shards {
        match journals.open(there, shard) {
            Ok(_) => {}
            Err(e @ JournalError::Lost { .. }) => lost.push((shard, e)),
            Err(e) => return Err(e.into()),
        }
    }
    let said: Vec<String> = lost.iter().map(|(_, e)| e.to_string()).collect();
    let said = said.join("\n");
    if lost.is_empty() {
        return Ok("no journal has lost its end".to_owned());
    }
    if !args.yes {
        return Err(format!(
            "{said}\nWhat these batches brought is gone: readings, commands and changes of rules that were acknowledged. Look whether a backup \
             is newer than what is left; to go on with what is left, add --yes"
        )
        .into());
    }
    for (shard, _) in &lost {
        journals.accept_loss(there, *shard)?;
    }
    drop(locked);
    let hub = HubConfig {
        farms,
        shards: there.shards,
        anew: Some(Anew::All),
        ..hub
    };
    runtime.block_on(begun(hub, records))?;
    Ok(format!(
        "{said}\nThis is accepted: the server starts with what is left"
    ))
}

fn export(args: &ExportArgs) -> Result<Exported, Error> {
    let journals = args.journals.open()?;
    let file = BufWriter::new(File::create(&args.out)?);
    let exported = if args.out.extension().is_some_and(|e| e == "zst") {
        let mut packed = zstd::Encoder::new(file, 3)?;
        let exported = harit_ingest::export::export(&*journals, &args.farm, &mut packed)?;
        packed.finish()?.flush()?;
        exported
    } else {
        let mut file = file;
        let exported = harit_ingest::export::export(&*journals, &args.farm, &mut file)?;
        file.flush()?;
        exported
    };
    fs::write(&args.farm_out, serde_json::to_vec_pretty(&exported.farm)?)?;
    Ok(exported)
}
