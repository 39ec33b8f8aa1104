//! A farm's journal as text: what `harit replay` takes, so that any real incident can be replayed.

use std::io::Write;
use std::path::Path;

use harit_engine::{FarmDocument, Input, InputKind, SensorId};
use harit_protocol::jsonl;
use thiserror::Error;

use super::JournalError;
use super::codec::{self, BadBody, Record};
use super::directory::{Generation, current, file, old_generations, shard_of};
use super::file::JournalReader;
use crate::shard::snapshot;

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
        farm,
        out,
        document: None,
        from_beginning: true,
        inputs: 0,
        line: Vec::new(),
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
        let path = file(data_dir, generation, shard_of(farm, shards.max(1)));
        if path.exists() {
            export.journal(&JournalReader::open(&path)?)?;
        }
    }
    let Export {
        document,
        inputs,
        from_beginning,
        ..
    } = export;
    Ok(Exported {
        document: document.ok_or_else(none)?,
        inputs,
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
        .take_while(|shard| file(data_dir, g.generation, *shard).exists())
        .count()
}

struct Export<'a> {
    farm: &'a str,
    out: &'a mut dyn Write,
    document: Option<FarmDocument>,
    from_beginning: bool,
    inputs: u64,
    line: Vec<u8>,
}

impl Export<'_> {
    fn journal(&mut self, journal: &JournalReader) -> Result<(), ExportError> {
        let before_first = journal.before_first()?;
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
                if let Some(f) = farms.into_iter().find(|f| f.id.as_str() == self.farm) {
                    self.document = Some(f.engine.document());
                    self.from_beginning = false;
                }
                break;
            }
        }
        journal.read_after::<ExportError>(after, |batch| {
            codec::read(&batch.body, batch.at, |record| self.record(record))
        })
    }

    fn record(&mut self, record: Record<'_>) -> Result<(), ExportError> {
        match record {
            Record::Farm(document) if document.farm.id.as_str() == self.farm => {
                self.document = Some(*document);
                Ok(())
            }
            Record::Readings {
                farm,
                at,
                backlog: false,
                values,
            } if farm == self.farm => {
                for (sensor, value) in values {
                    let kind = InputKind::Reading {
                        sensor: SensorId::from(*sensor),
                        value: *value,
                    };
                    self.input(&Input { at, kind })?;
                }
                Ok(())
            }
            Record::Input { farm, input } if farm == self.farm => self.input(&input),
            // What drives no rule is no input: backlog, and what controllers say of themselves.
            _ => Ok(()),
        }
    }

    fn input(&mut self, input: &Input) -> Result<(), ExportError> {
        self.line.clear();
        jsonl::write(input, &mut self.line).map_err(std::io::Error::from)?;
        self.out.write_all(&self.line)?;
        self.inputs += 1;
        Ok(())
    }
}
