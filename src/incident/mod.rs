//! `harit incident`: what a device or a rule did in a span as a folder that others can check: what the farm was told, what it
//! decided, and why, each reproduced by folding the first again.
//!
//! The folder has `farm.json` (the farm before the span), `inputs.jsonl.zst`, `events.jsonl`, `explanations.jsonl` and
//! `manifest.json`. The manifest has a SHA-256 of each file, a chain over the farm and its inputs line by line, and a seal: an HMAC
//! under the key of the server's audit log, which only who has that key can check.

mod export;
mod manifest;
mod verify;

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use harit_api::{Language, explain};
use harit_engine::{Engine, Event, RuleId, Timestamp};
use harit_ingest::past::{Log as _, PastError, Stop, at_instant, why_not};
use serde::Serialize;
use serde_json::{Value, json};

use crate::explain::WITHIN;
use crate::replay::{self, LinesLog};
use crate::report::report;
use export::ExportArgs;
use manifest::{Manifest, Subject};
use verify::VerifyArgs;

const FARM: &str = "farm.json";
const INPUTS: &str = "inputs.jsonl.zst";
const EVENTS: &str = "events.jsonl";
const EXPLANATIONS: &str = "explanations.jsonl";
const MANIFEST: &str = "manifest.json";
/// As many instants are explained, at most; further ones are counted.
const MAX_EXPLAINED: u64 = 1_000;

type Failure = Box<dyn std::error::Error>;

#[derive(Debug, Args)]
pub(crate) struct IncidentArgs {
    #[command(subcommand)]
    command: IncidentCommand,
}

#[derive(Debug, Subcommand)]
enum IncidentCommand {
    /// Write what a device or a rule did in a span, sealed, into a new folder. Works beside a running server.
    Export(ExportArgs),
    /// Check such a folder: that no byte was changed, and that folding its inputs again gives its events and explanations.
    Verify(VerifyArgs),
}

pub(crate) fn main(args: &IncidentArgs) -> ExitCode {
    let (name, done) = match &args.command {
        IncidentCommand::Export(args) => ("harit incident export", export::export(args)),
        IncidentCommand::Verify(args) => ("harit incident verify", verify::verify(args)),
    };
    done.unwrap_or_else(|e| {
        report(name, &*e);
        ExitCode::from(2)
    })
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Folds the inputs of a folder and writes what was decided: as `harit replay --inputs --until` does.
fn fold(folder: &Path, until: Timestamp, out: PathBuf) -> Result<(), Failure> {
    let (farm, inputs) = (folder.join(FARM), folder.join(INPUTS));
    Ok(replay::fold(farm, inputs, until, out)?)
}

/// Folds the inputs of a folder and writes an explanation of each instant at which something came of its subject in the span, of
/// the span's ends, and of a rule why it did not act in between. Returns how many there are, and how many were left out.
fn explain_again(folder: &Path, of: &Manifest, out: File) -> Result<(u64, u64), Failure> {
    let open = || LinesLog::open(&folder.join(FARM), &folder.join(INPUTS));
    let stop = Stop::within(WITHIN);
    let mut lines = Explained {
        of,
        language: of.language,
        out: Vec::new(),
        last: None,
        count: 0,
        left_out: 0,
    };
    if let Subject::Rule(rule) = &of.subject {
        match why_not(
            &mut open()?,
            &RuleId::new(rule.clone()),
            (of.from, of.to),
            &stop,
        ) {
            Ok(found) => {
                let found = explain::why_not(&found, lines.language);
                lines.write(&json!({"from": of.from, "to": of.to, "why_not": found}))?;
            }
            // It came later, or was deleted before: its explanations say so.
            Err(PastError::Unknown(..)) => {}
            Err(e) => return Err(e.into()),
        }
    }
    let mut log = open()?;
    let begin = at_instant(&mut log, of.from, &stop)?;
    lines.explain(&begin, of.from)?;
    let mut failed = Ok(());
    log.advance(of.to, &stop, &mut |farm, heard| {
        for event in heard.events.iter().filter(|e| of.subject.is_of(e)) {
            if failed.is_ok() && event.at >= of.from {
                failed = lines.explain(farm.engine(), event.at);
            }
        }
    })?;
    failed?;
    lines.explain(&at_instant(&mut log, of.to, &stop)?, of.to)?;
    let mut out = out;
    out.write_all(&lines.out)?;
    out.sync_all()?;
    Ok((lines.count, lines.left_out))
}

/// The lines of explanations.
struct Explained<'a> {
    of: &'a Manifest,
    language: Language,
    out: Vec<u8>,
    last: Option<Timestamp>,
    count: u64,
    left_out: u64,
}

impl Explained<'_> {
    fn explain(&mut self, engine: &Engine, at: Timestamp) -> serde_json::Result<()> {
        if self.last == Some(at) {
            return Ok(());
        }
        self.last = Some(at);
        // The end is always there.
        if self.count >= MAX_EXPLAINED && at != self.of.to {
            self.left_out += 1;
            return Ok(());
        }
        let said = match &self.of.subject {
            Subject::Device(id) => value(explain::device(engine, id, at, self.language))?,
            Subject::Rule(id) => value(explain::rule(engine, id, at, self.language))?,
        };
        self.write(&json!({"at": at, "explanation": said}))
    }

    fn write(&mut self, line: &Value) -> serde_json::Result<()> {
        serde_json::to_writer(&mut self.out, line)?;
        self.out.push(b'\n');
        self.count += 1;
        Ok(())
    }
}

/// What was explained as JSON; null of what was not there.
fn value(explained: Option<impl Serialize>) -> serde_json::Result<Value> {
    explained.map_or(Ok(Value::Null), serde_json::to_value)
}

impl Subject {
    /// Whether an event names it.
    fn is_of(&self, event: &Event) -> bool {
        let (name, id) = match self {
            Self::Device(id) => ("device", id),
            Self::Rule(id) => ("rule", id),
        };
        serde_json::to_value(event).is_ok_and(|e| e[name] == **id)
    }
}
