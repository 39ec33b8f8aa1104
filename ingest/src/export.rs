//! A farm's journal as text: what `harit replay` takes, so that any real incident can be replayed.

use std::io::Write;
use std::ops::ControlFlow;

use harit_engine::{Engine, Timestamp};
use harit_farm::{Farm, FarmFile, Record};
use harit_journal::{JournalError, JournalRead, ReadJournals, until_error};
use thiserror::Error;

use crate::shard::snapshot;
use harit_farm::codec::{self, BadBody, Entry};

/// What an export wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    /// The farm as it was before the first of the inputs: as it was added, or with the oldest state that is still kept.
    pub farm: FarmFile,
    /// How many inputs.
    pub inputs: u64,
}

/// An export failed.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The journal cannot be read.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A batch cannot be understood.
    #[error("a batch of the journal cannot be read: {0}")]
    Body(#[from] BadBody),
    /// No such farm in the journal.
    #[error("the journal has no farm {0}")]
    NoFarm(String),
    /// The output could not be written.
    #[error("the inputs could not be written")]
    Write(#[from] std::io::Error),
    /// Something of the farm cannot be written as text.
    #[error("the farm cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// Writes all inputs of a farm that the journal still has as they were journaled, one a line, oldest first; what followed
/// from them is not written. Works beside a running server.
///
/// # Errors
/// When the journal is damaged or has no such farm, or the output cannot be written.
pub fn export(
    journals: &dyn ReadJournals,
    farm: &str,
    out: &mut dyn Write,
) -> Result<Exported, ExportError> {
    let none = || ExportError::NoFarm(farm.to_owned());
    let mut export = Export {
        id: farm,
        farm: None,
        beginning: None,
        out,
        line: Vec::new(),
        inputs: 0,
    };
    let mut of_it = Vec::new();
    for generation in journals.generations()?.into_iter().rev() {
        let shard = generation.shard_of(farm);
        if let Some(journal) = journals.reader(generation.generation, shard)? {
            let is_first = snapshot::begins_without(&*journal, farm)?;
            of_it.push(journal);
            if is_first {
                break;
            }
        }
    }
    for journal in of_it.iter().rev() {
        export.journal(&**journal)?;
    }
    Ok(Exported {
        farm: export.beginning.ok_or_else(none)?,
        inputs: export.inputs,
    })
}

/// The batch before the first that is there and that this build reads.
fn before_readable(journal: &dyn JournalRead) -> Result<u64, JournalError> {
    let mut before = journal.before_first()?;
    journal.read(before, u64::MAX, &mut |batch| {
        if codec::is_readable(&batch.body) {
            return ControlFlow::Break(());
        }
        before = batch.seq;
        ControlFlow::Continue(())
    })?;
    Ok(before)
}

struct Export<'a> {
    id: &'a str,
    /// The farm as it was after what was read so far.
    farm: Option<Farm>,
    /// As it was before the first.
    beginning: Option<FarmFile>,
    out: &'a mut dyn Write,
    line: Vec<u8>,
    inputs: u64,
}

impl Export<'_> {
    fn journal(&mut self, journal: &dyn JournalRead) -> Result<(), ExportError> {
        let before_first = before_readable(journal)?;
        let mut after = 0;
        if self.beginning.is_none() && before_first > 0 {
            // Trimmed: the oldest state from which everything is still there.
            for (seq, _) in journal
                .snapshots()?
                .into_iter()
                .rev()
                .filter(|(seq, _)| *seq >= before_first)
            {
                let Ok(farms) = snapshot::restore(&journal.snapshot(seq)?) else {
                    continue;
                };
                after = seq;
                if let Some(f) = farms.into_iter().find(|f| f.id().as_str() == self.id) {
                    self.beginning = Some(FarmFile::of(&f.fold)?);
                    self.farm = Some(f.fold);
                }
                break;
            }
        }
        until_error(
            |each| journal.read(after, u64::MAX, each),
            |batch| codec::read(&batch.body, batch.at, |entry| self.entry(batch.at, entry)),
        )
    }

    fn entry(&mut self, at: Timestamp, entry: Entry<'_>) -> Result<(), ExportError> {
        match entry {
            Entry::Farm(document) if document.farm.id.as_str() == self.id => {
                let engine = Engine::new(&document).map_err(BadBody::new)?;
                self.farm = Some(Farm::new(engine));
                self.beginning = Some(FarmFile::new(*document));
            }
            Entry::Of { farm, record } if farm == self.id => self.record(at, record)?,
            _ => {}
        }
        Ok(())
    }

    fn record(&mut self, at: Timestamp, record: Record<'_>) -> Result<(), ExportError> {
        let Some(farm) = &mut self.farm else {
            return Ok(());
        };
        if let Record::Input(input) | Record::Authored { input, .. } = &record
            && farm.engine().check(input).is_err()
        {
            // What came before it in its batch left no sense in it: it was refused, and changed nothing.
            return Ok(());
        }
        self.line.clear();
        record.line(at).write(&mut self.line)?;
        self.out.write_all(&self.line)?;
        self.inputs += 1;
        farm.apply(at, record, &mut ());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::shard::farm;
    use harit_engine::{FarmDocument, Input};
    use harit_farm::codec::{Encoder, Interned};
    use harit_journal::{Generation, Journal, JournalFiles, Journals as _};
    use harit_protocol::jsonl;

    const AT: Timestamp = Timestamp::from_millis(5);

    /// A folder for data with the journal of one shard.
    fn journal() -> (tempfile::TempDir, Box<dyn Journal>) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("journal")).unwrap();
        let files = JournalFiles::of(dir.path());
        let generation = Generation {
            generation: 1,
            shards: 1,
        };
        let journal = files.prepare(generation).unwrap().remove(0);
        files.switch(generation).unwrap();
        (dir, journal)
    }

    fn input(line: &str) -> Input {
        jsonl::parse(line).unwrap()
    }

    fn lines_of(dir: &Path) -> (Exported, Vec<Input>) {
        let mut lines = Vec::new();
        let exported = export(&JournalFiles::of(dir), "f1", &mut lines).unwrap();
        let lines = String::from_utf8(lines).unwrap();
        (exported, lines.lines().map(input).collect())
    }

    #[test]
    fn what_an_earlier_build_wrote_is_left_out() {
        let (dir, mut journal) = journal();
        let document = FarmDocument::empty("f1", "F");
        journal.append(0, AT, 1, &[1, 2, 3]).unwrap();
        let fold = Farm::new(Engine::new(&document).unwrap());
        let stored = fold.snapshot().unwrap();
        let body = snapshot::store(&[farm::Farm::new(fold)]).unwrap();
        journal.put_snapshot(1, AT, &body).unwrap();
        let mut encoder = Encoder::default();
        encoder.begin(AT);
        let tick = input(r#"{"at":5,"input":"tick"}"#);
        let mut interned = Interned::default();
        encoder.input(&mut interned, "f1", &tick).unwrap();
        journal.append(1, AT, 1, encoder.body()).unwrap();
        let (exported, lines) = lines_of(dir.path());
        assert!(exported.farm.has_past());
        assert_eq!((exported.inputs, lines), (1, vec![tick]));
        let farm = FarmFile::read(&serde_json::to_value(&exported.farm).unwrap()).unwrap();
        assert_eq!(farm.snapshot().unwrap(), stored);
    }

    #[test]
    fn what_was_refused_when_its_turn_came_is_left_out() {
        let (dir, mut journal) = journal();
        let mut document = FarmDocument::empty("f1", "F");
        let fan = r#"{"id":"fan-1","type":"fan","scope":{"type":"farm"}}"#;
        document.devices.push(serde_json::from_str(fan).unwrap());
        let mut encoder = Encoder::default();
        encoder.begin(AT);
        encoder.farm(&document).unwrap();
        let mut interned = Interned::default();
        let on = input(
            r#"{"at":5,"input":"manual","device":"fan-1","cmd_type":"override","action":"on","duration_sec":60}"#,
        );
        let gone = input(r#"{"at":5,"input":"registry","changes":[{"delete_device":"fan-1"}]}"#);
        for input in [&on, &gone, &on] {
            encoder.input(&mut interned, "f1", input).unwrap();
        }
        journal.append(0, AT, 4, encoder.body()).unwrap();
        let (exported, lines) = lines_of(dir.path());
        assert_eq!(exported.farm, FarmFile::new(document));
        assert_eq!((exported.inputs, lines), (2, vec![on, gone]));
    }
}
