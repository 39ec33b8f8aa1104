//! `harit explain` and `harit backtest`: why a device or a rule did what it did, and what other rules would have done, from a server's
//! journal or from an export of it.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, ValueEnum};
use harit_api::Language;
use harit_api::explain::{self, Lines};
use harit_engine::{FarmId, RuleId, RuleSpec, Timestamp};
use harit_ingest::past::{
    Edit, JournalLog, LEARN, Log, PastError, Places, Stop, at_instant, backtest,
    backtest_with_twin, why_not,
};
use harit_journal::ReadJournals;
use serde::Serialize;

use crate::journals::{JournalsError, SettingsArg};
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
    #[command(flatten)]
    settings: SettingsArg,
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
    fn open(&self, at: Timestamp) -> Result<Box<dyn Log>, Box<dyn std::error::Error>> {
        Ok(self.log(self.journals()?.as_deref(), at)?)
    }

    /// The same, or as early as there is one, at most at another instant.
    fn open_since(
        &self,
        since: Timestamp,
        at: Timestamp,
    ) -> Result<Box<dyn Log>, Box<dyn std::error::Error>> {
        let journals = self.journals()?;
        Ok(open_since(since, at, |at| {
            self.log(journals.as_deref(), at)
        })?)
    }

    /// The journals; none where an export is read.
    fn journals(&self) -> Result<Option<Arc<dyn ReadJournals>>, JournalsError> {
        let data_dir = self.data_dir.as_deref();
        data_dir.map(|dir| self.settings.open(dir)).transpose()
    }

    fn log(
        &self,
        journals: Option<&dyn ReadJournals>,
        at: Timestamp,
    ) -> Result<Box<dyn Log>, PastError> {
        let Some(journals) = journals else {
            let given = |path: &Option<PathBuf>| path.clone().unwrap_or_default();
            let log = LinesLog::open(&given(&self.farm_file), &given(&self.export))?;
            return Ok(Box::new(log));
        };
        let farm = FarmId::new(self.farm.clone().unwrap_or_default());
        let log = JournalLog::open(journals, &farm, at, &Places::default())?;
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

/// A log that begins at an instant, or as early as there is one, at most at another instant.
pub(crate) fn open_since<L>(
    since: Timestamp,
    at: Timestamp,
    open: impl Fn(Timestamp) -> Result<L, PastError>,
) -> Result<L, PastError> {
    match open(since) {
        Err(PastError::TooEarly {
            begins: Some(begins),
        }) => open(begins.min(at)),
        log => log,
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
    /// Let readings follow what devices would have done, by a model that is fitted to the 14 days before.
    #[arg(long)]
    twin: bool,
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
    let (stop, span) = (Stop::within(WITHIN), (args.from, args.to));
    let found = if args.twin {
        let mut log = args.log.open_since(args.from - LEARN, args.from)?;
        backtest_with_twin(&mut *log, &edits, span, &stop)?
    } else {
        backtest(&mut *args.log.open(args.from)?, &edits, span, &stop)?
    };
    args.log.print(&explain::backtest(&found))
}

#[cfg(test)]
mod tests {
    //! The demo's farms live for a day (or `HARIT_LANES_DAYS`), and at random instants lanes are compared with explanations.

    use std::time::Instant;

    use harit_engine::explain::{Lane, LaneKey, LaneState, Phase, StepKind, Subject};
    use harit_engine::{DeviceId, Engine, RulePhase};
    use harit_ingest::HubConfig;
    use harit_ingest::past::{Lanes, lanes};
    use harit_journal::JournalFiles;

    use super::*;

    const HOUR_MS: i64 = 3_600_000;

    fn state(lane: &Lane, at: Timestamp) -> Option<&LaneState> {
        let covers = |s: &&harit_engine::explain::LaneSpan| s.from <= at && at < s.to;
        lane.spans.iter().find(covers).map(|s| &s.state)
    }

    /// Whether every lane says of an instant what its explanation says.
    fn compare(day: &Lanes, engine: &Engine, at: Timestamp) -> usize {
        let mut compared = 0;
        for (key, lane) in day.tracer.lanes().filter(|(_, l)| l.cut.is_none()) {
            let said = state(lane, at);
            let told = match key {
                LaneKey::Decides(id) => {
                    let found = engine.explain_device(id.as_str()).expect("there");
                    let step = &found.steps[found.decides];
                    let Some(LaneState::Decides(was)) = said else {
                        panic!("{at}: {key:?} {said:?}");
                    };
                    assert_eq!(was.setting, step.setting, "{at}: {key:?}");
                    let rule = |s: &StepKind| match s {
                        StepKind::Claim { claim, .. } => Some(claim.rule.clone()),
                        _ => None,
                    };
                    assert_eq!(rule(&was.what), rule(&step.what), "{at}: {key:?}");
                    compared += 1;
                    continue;
                }
                LaneKey::Reported(id) => {
                    let found = engine.explain_device(id.as_str()).expect("there");
                    let on = match said {
                        Some(LaneState::Reported(on, _)) => Some(*on),
                        _ => None,
                    };
                    // The lane has more: what the controller said of what no rule looks at.
                    assert!(
                        found.reported.is_none_or(|is| on == Some(is)),
                        "{at}: {key:?}"
                    );
                    assert!(found.status.online || on.is_none(), "{at}: {key:?}");
                    compared += 1;
                    continue;
                }
                LaneKey::Online(id) => engine.device_online(id.as_str()).map(LaneState::Online),
                LaneKey::Phase(id) => {
                    let found = engine.explain_rule(id.as_str()).expect("there");
                    Some(LaneState::Phase(match found.status.phase {
                        _ if !found.active() => Phase::Inactive,
                        RulePhase::Idle => Phase::Idle,
                        RulePhase::Pending { .. } => Phase::Pending,
                        RulePhase::Running { .. } => Phase::Running,
                    }))
                }
                LaneKey::Hold(id, role) => {
                    let found = engine.explain_rule(id.as_str()).expect("there");
                    let part = found.parts.iter().find(|p| p.role == *role);
                    let since = part.and_then(|p| p.hold).map(|h| h.hold_since);
                    let was = match said {
                        Some(LaneState::Hold(hold)) => Some(hold.hold_since),
                        _ => None,
                    };
                    assert_eq!(was, since, "{at}: {key:?}");
                    compared += 1;
                    continue;
                }
                LaneKey::Leaf(id, _, role, node) => {
                    let found = engine.explain_rule(id.as_str()).expect("there");
                    let part = found.parts.iter().find(|p| p.role == *role);
                    part.map(|p| LaneState::Truth(p.nodes[*node].truth))
                }
                LaneKey::Alert(id) => {
                    let raised = engine.alerts().any(|a| a.spec.id == *id && a.active);
                    raised.then_some(LaneState::Raised)
                }
                LaneKey::Locks(_) | LaneKey::Outcome(_) | LaneKey::Server => continue,
            };
            assert_eq!(said, told.as_ref(), "{at}: {key:?}");
            compared += 1;
        }
        compared
    }

    #[tokio::test]
    async fn lanes_of_the_demos_past_say_what_explanations_of_random_instants_say() {
        let days = std::env::var("HARIT_LANES_DAYS").map_or(1, |d| d.parse().expect("days"));
        let dir = tempfile::tempdir().expect("a directory");
        let mut config = HubConfig::new(dir.path());
        config.shards = 1;
        let farms = harit_simulate::demo::farms(Default::default());
        let began = Instant::now();
        crate::serve::make_demos_past(&config, &farms, days)
            .await
            .expect("a past");
        println!("{days} days were made in {:?}", began.elapsed());
        let id = FarmId::from(farms[0].id);
        let now = jiff::Timestamp::now().as_millisecond();
        let (stop, places) = (Stop::within(WITHIN), Places::default());
        let open = |at, places: &Places| {
            JournalLog::open(&JournalFiles::of(dir.path()), &id, at, places).expect("a log")
        };
        let to = Timestamp::from_millis(now - HOUR_MS / 2);
        let from = Timestamp::from_millis(now - 22 * HOUR_MS);

        let engine = {
            let mut log = open(to, &places);
            at_instant(&mut log, to, &stop).expect("it is there")
        };
        let devices: Vec<DeviceId> = engine.devices().map(|d| d.spec.id).collect();
        let rules: Vec<RuleId> = engine.rules().map(|r| r.spec.id).collect();
        let fan = devices.iter().find(|d| {
            let names = |r: &RuleId| {
                let spec = engine.rule(r.as_str()).map(|r| r.spec);
                spec.is_some_and(|s| s.actions.iter().any(|a| a.device_id == **d))
            };
            rules.iter().any(names)
        });
        let fan = fan.expect("a device with a rule").clone();
        let place = engine
            .device_ref(fan.as_str())
            .map(|d| d.spec.scope.clone());
        let house = place.and_then(|place| engine.house_of(&place).cloned());
        let subjects = [
            Subject::Device(fan),
            Subject::Rule(rules[0].clone()),
            Subject::House(house.expect("a device in a house")),
        ];
        let mut compared = 0;
        // No dice: a step that meets no minute twice.
        let instants: Vec<Timestamp> = (0..30)
            .map(|n: i64| {
                let part = (n * 7_919_977 + 123_457) % (to - from).as_millis();
                Timestamp::from_millis(from.as_millis() + part)
            })
            .collect();
        for subject in &subjects {
            let began = Instant::now();
            let day = lanes(&mut open(from, &places), subject, (from, to), &stop).expect("lanes");
            println!(
                "lanes of {subject:?} over {} h in {:?}",
                (to - from).as_millis() / HOUR_MS,
                began.elapsed()
            );
            for at in &instants {
                let engine = at_instant(&mut open(*at, &places), *at, &stop).expect("it is there");
                compared += compare(&day, &engine, *at);
            }
        }
        assert!(compared > 200, "{compared} states were compared");

        // How long the explanation of an instant takes that nobody asked for before.
        let days_ms = i64::from(days).min(7) * 24 * HOUR_MS - HOUR_MS;
        let mut took: Vec<_> = (0..40)
            .map(|n: i64| {
                let at = Timestamp::from_millis(now - (n * 104_729_111 + 1) % days_ms);
                let began = Instant::now();
                at_instant(&mut open(at, &Places::default()), at, &stop).expect("it is there");
                began.elapsed()
            })
            .collect();
        took.sort();
        println!(
            "an instant: half within {:?}, all within {:?}",
            took[20], took[39]
        );
        assert!(took[20] < Duration::from_secs(5), "{took:?}");
    }
}
