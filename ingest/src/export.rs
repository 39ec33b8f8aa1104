//! A farm's journal as text: what `harit replay` takes, so that any real incident can be replayed.

use std::io::Write;
use std::path::Path;

use harit_engine::{Engine, FarmDocument, Input, InputKind, Timestamp};
use harit_farm::{Farm, Observer, Reading, Sensor};
use harit_protocol::jsonl;
use thiserror::Error;

use crate::journal::JournalError;
use crate::journal::file::JournalReader;
use crate::journal::{Generation, current, old_generations, shard_file, shard_of};
use crate::shard::snapshot;
use harit_farm::codec::{self, BadBody, Entry};

/// What an export wrote.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    /// The farm as it was before the first of the inputs.
    pub document: FarmDocument,
    /// How many inputs.
    pub inputs: u64,
    /// Whether they begin when the farm was added; otherwise with the oldest state that is still kept, and what the
    /// engine had in hand then (holds, claims, values) is not in the document.
    pub from_beginning: bool,
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
    #[error("the journal in {0} has no farm {1}")]
    NoFarm(String, String),
    /// The output could not be written.
    #[error("the inputs could not be written")]
    Write(#[from] std::io::Error),
}

/// Writes all inputs of a farm that the journal still has, one a line, oldest first. Works beside a running server.
///
/// # Errors
/// When the journal is damaged or has no such farm, or the output cannot be written.
pub fn export(data_dir: &Path, farm: &str, out: &mut dyn Write) -> Result<Exported, ExportError> {
    let none = || ExportError::NoFarm(data_dir.display().to_string(), farm.to_owned());
    let now = current(data_dir)?.ok_or_else(none)?;
    let mut export = Export {
        id: farm,
        farm: None,
        document: None,
        from_beginning: true,
        lines: Lines {
            out,
            line: Vec::new(),
            count: 0,
            failed: None,
        },
    };
    for generation in old_generations(data_dir, now.generation)
        .into_iter()
        .chain([now.generation])
    {
        let shards = if generation == now.generation {
            now.shards
        } else {
            shards_of(data_dir, generation)
        };
        let path = shard_file(data_dir, generation, shard_of(farm, shards.max(1)));
        if path.exists() {
            export.journal(&JournalReader::open(&path)?)?;
        }
    }
    let Export {
        document,
        lines,
        from_beginning,
        ..
    } = export;
    Ok(Exported {
        document: document.ok_or_else(none)?,
        inputs: lines.count,
        from_beginning,
    })
}

/// How many shards an old generation had: as many as it has files.
fn shards_of(data_dir: &Path, generation: u64) -> usize {
    let g = Generation {
        generation,
        shards: 0,
    };
    (0..)
        .take_while(|shard| shard_file(data_dir, g.generation, *shard).exists())
        .count()
}

/// The batch before the first that is there and that this build reads.
fn before_readable(journal: &JournalReader) -> Result<u64, JournalError> {
    /// Why reading ended.
    struct Ended(Option<JournalError>);
    impl From<JournalError> for Ended {
        fn from(e: JournalError) -> Self {
            Self(Some(e))
        }
    }
    let mut before = journal.before_first()?;
    let ended = journal.read_after(before, |batch| {
        if codec::is_readable(&batch.body) {
            return Err(Ended(None));
        }
        before = batch.seq;
        Ok(())
    });
    match ended {
        Err(Ended(Some(e))) => Err(e),
        Ok(()) | Err(Ended(None)) => Ok(before),
    }
}

struct Export<'a> {
    id: &'a str,
    /// The farm as it was after what was read so far: what controllers said becomes inputs of the engine.
    farm: Option<Farm>,
    document: Option<FarmDocument>,
    from_beginning: bool,
    lines: Lines<'a>,
}

impl Export<'_> {
    fn journal(&mut self, journal: &JournalReader) -> Result<(), ExportError> {
        let before_first = before_readable(journal)?;
        let mut after = 0;
        if self.document.is_none() && before_first > 0 {
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
                    self.document = Some(f.fold.engine().document());
                    self.farm = Some(f.fold);
                    self.from_beginning = false;
                }
                break;
            }
        }
        journal.read_after::<ExportError>(after, |batch| {
            codec::read(&batch.body, batch.at, |entry| self.entry(batch.at, entry))
        })
    }

    fn entry(&mut self, at: Timestamp, entry: Entry<'_>) -> Result<(), ExportError> {
        match entry {
            Entry::Farm(document) if document.farm.id.as_str() == self.id => {
                let engine = Engine::new(&document).map_err(BadBody::new)?;
                self.farm = Some(Farm::new(engine));
                self.document = Some(*document);
            }
            Entry::Of { farm, record } if farm == self.id => {
                if let Some(farm) = &mut self.farm {
                    farm.apply(at, record, &mut self.lines);
                }
                if let Some(e) = self.lines.failed.take() {
                    return Err(e.into());
                }
            }
            _ => {}
        }
        Ok(())
    }
}

/// Writes what the engine is told.
struct Lines<'a> {
    out: &'a mut dyn Write,
    line: Vec<u8>,
    count: u64,
    failed: Option<std::io::Error>,
}

impl Lines<'_> {
    fn write(&mut self, input: &Input) -> std::io::Result<()> {
        self.line.clear();
        jsonl::write(input, &mut self.line)?;
        self.out.write_all(&self.line)?;
        self.count += 1;
        Ok(())
    }

    fn input(&mut self, input: &Input) {
        if self.failed.is_none() {
            self.failed = self.write(input).err();
        }
    }
}

impl Observer for Lines<'_> {
    fn before(&mut self, _: &Engine, input: &Input) {
        self.input(input);
    }

    fn reading(&mut self, _: u32, sensor: &Sensor, reading: Reading) {
        // Backlog drives nothing.
        if !reading.backlog {
            self.input(&Input {
                at: reading.at,
                kind: InputKind::Reading {
                    sensor: sensor.id.clone(),
                    value: reading.value,
                },
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::DataDir;
    use crate::shard::farm;
    use harit_farm::codec::{Encoder, Interned};

    #[test]
    fn what_an_earlier_build_wrote_is_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let data = DataDir::lock(dir.path()).unwrap();
        let generation = Generation {
            generation: 1,
            shards: 1,
        };
        let mut journal = data.prepare(generation).unwrap().remove(0);
        data.switch(generation).unwrap();
        let at = Timestamp::from_millis(5);
        let document = FarmDocument::empty("f1", "F");
        journal.append(at, 1, &[1, 2, 3]).unwrap();
        let fold = Farm::new(Engine::new(&document).unwrap());
        let body = snapshot::store(&[farm::Farm::new(fold)]).unwrap();
        journal.put_snapshot(1, at, &body).unwrap();
        let mut encoder = Encoder::default();
        encoder.begin(at);
        let tick = Input {
            at,
            kind: InputKind::Tick,
        };
        let mut interned = Interned::default();
        encoder.input(&mut interned, "f1", &tick).unwrap();
        journal.append(at, 1, encoder.body()).unwrap();
        let mut lines = Vec::new();
        let exported = export(dir.path(), "f1", &mut lines).unwrap();
        assert_eq!((exported.inputs, exported.from_beginning), (1, false));
        let line = std::str::from_utf8(&lines).unwrap();
        assert_eq!(jsonl::parse(line.trim_end()).unwrap(), tick);
    }
}
