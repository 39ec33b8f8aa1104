//! `harit explain` and `harit backtest`: why a device or a rule did what it did, and what other rules would have done, from a server's
//! journal or from an export of it.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use harit_api::Language;
use harit_api::explain::{self, Lines};
use harit_engine::{FarmId, RuleId, RuleSpec, Timestamp};
use harit_ingest::past::{
    Edit, JournalLog, Log, PastError, Places, Stop, at_instant, backtest, why_not,
};
use serde::Serialize;

use crate::replay::LinesLog;
use crate::report::report;

/// A command on the command line waits as long as its caller does.
pub(crate) const WITHIN: Duration = Duration::from_secs(24 * 3_600);

/// Which log.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("log").required(true).args(["data_dir", "export"]))]
struct LogArgs {
    /// A server's data directory; works beside a running server.
    #[arg(long, value_name = "DIR", requires = "farm")]
    data_dir: Option<PathBuf>,
    /// The farm in it.
    #[arg(long, value_name = "ID")]
    farm: Option<String>,
    /// The inputs that `harit journal export` wrote.
    #[arg(long, value_name = "FILE", requires = "farm_file")]
    export: Option<PathBuf>,
    /// The farm that it wrote beside them.
    #[arg(long, value_name = "FILE")]
    farm_file: Option<PathBuf>,
    /// Write JSON.
    #[arg(long)]
    json: bool,
}

impl LogArgs {
    /// The log, so that everything after an instant is still to come.
    fn open(&self, at: Timestamp) -> Result<Box<dyn Log>, PastError> {
        let export = self.export.as_ref().zip(self.farm_file.as_ref());
        if let Some((inputs, farm)) = export {
            return Ok(Box::new(LinesLog::open(farm, inputs)?));
        }
        let farm = FarmId::new(self.farm.clone().unwrap_or_default());
        let folder = self.data_dir.clone().unwrap_or_default();
        let log = JournalLog::open(&folder, &farm, at, &Places::default())?;
        Ok(Box::new(log))
    }

    fn print(&self, answer: &(impl Serialize + Lines)) -> Result<(), Box<dyn std::error::Error>> {
        let mut out = io::stdout().lock();
        if self.json {
            serde_json::to_writer_pretty(&mut out, answer)?;
            writeln!(out)?;
        } else {
            for line in answer.lines() {
                writeln!(out, "{line}")?;
            }
        }
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum LanguageArg {
    En,
    Hi,
    Mr,
}

impl From<LanguageArg> for Language {
    fn from(language: LanguageArg) -> Self {
        match language {
            LanguageArg::En => Self::En,
            LanguageArg::Hi => Self::Hi,
            LanguageArg::Mr => Self::Mr,
        }
    }
}

#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("what").required(true).args(["device", "rule"]))]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    log: LogArgs,
    /// The device that is explained.
    #[arg(long, value_name = "ID")]
    device: Option<String>,
    /// The rule that is explained.
    #[arg(long, value_name = "ID")]
    rule: Option<String>,
    /// The instant: epoch milliseconds or RFC 3339.
    #[arg(long, value_name = "INSTANT", value_parser = instant, allow_negative_numbers = true)]
    at: Timestamp,
    /// Say why the rule did not act from this instant until `--at`.
    #[arg(long, value_name = "INSTANT", value_parser = instant, conflicts_with = "device")]
    why_not_from: Option<Timestamp>,
    /// The language of the sentences.
    #[arg(long, value_enum, default_value = "en")]
    language: LanguageArg,
}

#[derive(Debug, Args)]
pub(crate) struct BacktestArgs {
    #[command(flatten)]
    log: LogArgs,
    /// From when: epoch milliseconds or RFC 3339.
    #[arg(long, value_name = "INSTANT", value_parser = instant, allow_negative_numbers = true)]
    from: Timestamp,
    /// Until when.
    #[arg(long, value_name = "INSTANT", value_parser = instant, allow_negative_numbers = true)]
    to: Timestamp,
    /// A rule document, or a list of them (JSON).
    #[arg(long, value_name = "FILE")]
    rules: Option<PathBuf>,
    /// A rule to leave out.
    #[arg(long, value_name = "ID")]
    without: Vec<String>,
}

/// An instant as people write it.
pub(crate) fn instant(text: &str) -> Result<Timestamp, String> {
    if let Ok(ms) = text.parse::<i64>() {
        return Ok(Timestamp::from_millis(ms));
    }
    let parsed: jiff::Timestamp = text
        .parse()
        .map_err(|e| format!("neither epoch milliseconds nor RFC 3339: {e}"))?;
    Ok(Timestamp::from_millis(parsed.as_millisecond()))
}

fn ended(name: &str, result: Result<(), Box<dyn std::error::Error>>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            report(name, &*e);
            ExitCode::FAILURE
        }
    }
}

pub(crate) fn main(args: &ExplainArgs) -> ExitCode {
    ended("harit explain", run(args))
}

fn run(args: &ExplainArgs) -> Result<(), Box<dyn std::error::Error>> {
    let language = args.language.into();
    let stop = Stop::within(WITHIN);
    let mut log = args.log.open(args.why_not_from.unwrap_or(args.at))?;
    if let (Some(from), Some(rule)) = (args.why_not_from, &args.rule) {
        let rule = RuleId::new(rule.clone());
        let found = why_not(&mut *log, &rule, (from, args.at), &stop)?;
        return args.log.print(&explain::why_not(&found, language));
    }
    let engine = at_instant(&mut *log, args.at, &stop)?;
    if let Some(id) = &args.device {
        let found = explain::device(&engine, id, args.at, language);
        let found = found.ok_or_else(|| PastError::Unknown("device", id.clone()))?;
        return args.log.print(&found);
    }
    let id = args.rule.clone().unwrap_or_default();
    let found = explain::rule(&engine, &id, args.at, language);
    args.log
        .print(&found.ok_or(PastError::Unknown("rule", id))?)
}

pub(crate) fn backtest_main(args: &BacktestArgs) -> ExitCode {
    ended("harit backtest", run_backtest(args))
}

fn run_backtest(args: &BacktestArgs) -> Result<(), Box<dyn std::error::Error>> {
    let without = args
        .without
        .iter()
        .map(|id| Edit::Delete(RuleId::new(id.clone())));
    let mut edits: Vec<Edit> = without.collect();
    if let Some(path) = &args.rules {
        let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(path)?)?;
        let rules = match json {
            serde_json::Value::Array(rules) => rules,
            one => vec![one],
        };
        for rule in &rules {
            edits.push(Edit::Put(Box::new(RuleSpec::from_json(rule)?)));
        }
    }
    let mut log = args.log.open(args.from)?;
    let stop = Stop::within(WITHIN);
    let found = backtest(&mut *log, &edits, (args.from, args.to), &stop)?;
    args.log.print(&explain::backtest(&found))
}
