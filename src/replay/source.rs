//! A recorded log as lines: plain, gzip or zstd, told by their first bytes; with a progress bar over the file's bytes.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::ReplayError;
use super::progress::Progress;

const BUFFER: usize = 1 << 20;
/// No line of a log is longer: a rule document has at most a few kilobytes.
const MAX_LINE: usize = 4 << 20;

/// A file of lines, decompressed.
pub(super) struct Source {
    path: PathBuf,
    reader: Box<dyn BufRead>,
    progress: Progress,
}

impl Source {
    pub(super) fn new(path: &Path, file: File) -> Result<Self, ReplayError> {
        let size = file.metadata().map_err(ReplayError::io(path))?.len();
        let progress = Progress::bytes(size);
        let counted = Counted {
            file,
            progress: progress.clone(),
        };
        let mut compressed = BufReader::with_capacity(BUFFER, counted);
        let start = compressed.fill_buf().map_err(ReplayError::io(path))?;
        let reader: Box<dyn BufRead> = if start.starts_with(&[0x1f, 0x8b]) {
            Box::new(BufReader::with_capacity(
                BUFFER,
                flate2::bufread::MultiGzDecoder::new(compressed),
            ))
        } else if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            let decoder = zstd::Decoder::with_buffer(compressed).map_err(ReplayError::io(path))?;
            Box::new(BufReader::with_capacity(BUFFER, decoder))
        } else {
            Box::new(compressed)
        };
        Ok(Self {
            path: path.to_owned(),
            reader,
            progress,
        })
    }
}

/// The lines of a source, one at a time.
pub(super) struct Lines {
    source: Source,
    line: Vec<u8>,
    number: u64,
}

impl Lines {
    pub(super) const fn new(source: Source) -> Self {
        Self {
            source,
            line: Vec::new(),
            number: 0,
        }
    }

    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, ReplayError> {
        self.line.clear();
        self.number += 1;
        let mut limited = (&mut self.source.reader).take(MAX_LINE as u64);
        let read = limited
            .read_until(b'\n', &mut self.line)
            .map_err(|e| match e.kind() {
                // A damaged archive is a malformed log, and says where.
                io::ErrorKind::InvalidInput
                | io::ErrorKind::InvalidData
                | io::ErrorKind::UnexpectedEof
                | io::ErrorKind::Other => ReplayError::Line {
                    path: self.source.path.clone(),
                    line: self.number,
                    reason: e.to_string(),
                },
                _ => ReplayError::Io {
                    path: self.source.path.clone(),
                    source: e,
                },
            })?;
        if read == MAX_LINE && self.line.last() != Some(&b'\n') {
            return Err(self.malformed(&format!("the line is longer than {MAX_LINE} bytes")));
        }
        Ok((read > 0).then_some(&self.line))
    }

    /// The present line is malformed.
    pub(super) fn malformed(&self, reason: &str) -> ReplayError {
        self.source.progress.done();
        ReplayError::Line {
            path: self.source.path.clone(),
            line: self.number,
            reason: reason.to_owned(),
        }
    }

    /// The farm fails at the present line.
    pub(super) fn failed(&self, reason: &str) -> ReplayError {
        self.source.progress.done();
        ReplayError::Failed {
            path: self.source.path.clone(),
            line: self.number,
            reason: reason.to_owned(),
        }
    }

    pub(super) fn done(&self) {
        self.source.progress.done();
    }
}

/// Tells how far the file is read.
struct Counted {
    file: File,
    progress: Progress,
}

impl Read for Counted {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.file.read(buffer)?;
        self.progress.add(n);
        Ok(n)
    }
}
