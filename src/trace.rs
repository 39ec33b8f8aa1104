//! `harit trace`: from a message to the commands that came of it, and back.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;
use harit_engine::{FarmId, Timestamp};
use harit_farm::CommandLife;
use harit_ingest::past::{JournalLog, MAX_TRACED, Origin, PastError, Places, Stop, Traced, trace};
use harit_journal::ReadJournals;

use crate::explain::{WITHIN, instant, open_since};
use crate::journals::JournalsArg;
use crate::report::report;

/// So long before the span is read too, in milliseconds: what began to hold then may decide in it.
const LEAD_MS: i64 = 3_600_000;
/// So much of a message is shown.
const SHOWN: usize = 160;

#[derive(Debug, Args)]
pub(crate) struct TraceArgs {
    #[command(flatten)]
    journals: JournalsArg,
    /// The farm.
    #[arg(long, value_name = "ID")]
    farm: String,
    /// From when: epoch milliseconds or RFC 3339.
    #[arg(long, value_name = "INSTANT", value_parser = instant, allow_negative_numbers = true)]
    from: Timestamp,
    /// Until when.
    #[arg(long, value_name = "INSTANT", value_parser = instant, allow_negative_numbers = true)]
    to: Timestamp,
    /// This command alone.
    #[arg(long, value_name = "ID")]
    command: Option<String>,
    /// Commands of this device alone.
    #[arg(long, value_name = "ID")]
    device: Option<String>,
    /// Commands that messages of this controller had a part in, by its MAC id.
    #[arg(long, value_name = "MAC")]
    controller: Option<String>,
    /// Write JSON, a command a line.
    #[arg(long)]
    json: bool,
}

pub(crate) fn main(args: &TraceArgs) -> ExitCode {
    match run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            report("harit trace", &*e);
            ExitCode::FAILURE
        }
    }
}

fn run(args: &TraceArgs) -> Result<(), Box<dyn std::error::Error>> {
    if args.from > args.to {
        return Err("--from is after --to".into());
    }
    let mut log = open(args, &*args.journals.open()?)?;
    let wanted = |life: &CommandLife| {
        let is = |asked: &Option<String>, id: &str| asked.as_deref().is_none_or(|a| a == id);
        is(&args.command, &life.command_id) && is(&args.device, life.device.as_str())
    };
    let span = (args.from, args.to);
    let found = trace(&mut log, span, &wanted, &Stop::within(WITHIN))?;
    let is_cut = found.len() == MAX_TRACED;
    let mut out = io::stdout().lock();
    for traced in found {
        let asked = args.controller.as_deref();
        if asked.is_some_and(|mac| !traced.is_of(mac)) {
            continue;
        }
        if args.json {
            serde_json::to_writer(&mut out, &traced)?;
            writeln!(out)?;
        } else {
            out.write_all(text(&traced).as_bytes())?;
        }
    }
    if is_cut {
        return Err(
            format!("the span has more than {MAX_TRACED} commands: ask for a shorter one").into(),
        );
    }
    Ok(())
}

/// The journal from an hour before, or as early as there is one.
fn open(args: &TraceArgs, journals: &dyn ReadJournals) -> Result<JournalLog, PastError> {
    let farm = FarmId::new(args.farm.clone());
    let early = Timestamp::from_millis(args.from.as_millis().saturating_sub(LEAD_MS));
    open_since(early, args.to, |at| {
        JournalLog::open(journals, &farm, at, &Places::default())
    })
}

fn text(traced: &Traced) -> String {
    let command = &traced.command;
    let value = command.value.map_or_else(String::new, |v| format!(" {v}"));
    let mut text = format!(
        "{}: {} {}{value} by {}, {}\n",
        command.command_id,
        command.device,
        command.action,
        command.cause,
        command.state.as_str(),
    );
    let mut line = |what: &str, origin: &Origin| {
        let input = origin.input.to_string();
        let end = input
            .char_indices()
            .nth(SHOWN)
            .map_or(input.len(), |(at, _)| at);
        // Writing to a string does not fail.
        let _ = writeln!(text, "  {what:<12}{}  {}", origin.id, &input[..end]);
    };
    if let Some(began) = &traced.began {
        line("began", began);
    }
    let decided = if traced.by_time {
        "came due"
    } else {
        "decided"
    };
    line(decided, &traced.decided);
    for step in &traced.steps {
        line(step.state.as_str(), &step.origin);
    }
    text
}
