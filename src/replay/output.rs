//! Where a replay's events go: a file that takes its name only at the end.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use harit_engine::Event;

use super::ReplayError;
use super::summary::Summary;

const BUFFER: usize = 1 << 18;

/// Writes events, one JSON object a line; nowhere if no file was asked for.
pub(super) struct Output(Option<Pending>);

struct Pending {
    file: Unfinished,
    writer: BufWriter<File>,
}

/// A file under a temporary name, removed if it is not finished.
pub(super) struct Unfinished {
    /// The name asked for.
    name: PathBuf,
    /// The name until then.
    temporary: PathBuf,
    finished: bool,
}

impl Unfinished {
    pub(super) fn create(name: &Path) -> Result<(Self, File), ReplayError> {
        let mut temporary = name.as_os_str().to_owned();
        temporary.push(format!(".{}.part", std::process::id()));
        let temporary = PathBuf::from(temporary);
        // What an earlier run left under the name is no result of this one.
        match fs::remove_file(name) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
                return Err(ReplayError::io(name)(e));
            }
            _ => {}
        }
        let file = File::create(&temporary).map_err(ReplayError::io(&temporary))?;
        let unfinished = Self {
            name: name.to_owned(),
            temporary,
            finished: false,
        };
        Ok((unfinished, file))
    }

    pub(super) fn path(&self) -> &Path {
        &self.temporary
    }

    /// Gives it its name, when everything is written.
    pub(super) fn finish(mut self) -> Result<(), ReplayError> {
        fs::rename(&self.temporary, &self.name).map_err(ReplayError::io(&self.name))?;
        self.finished = true;
        Ok(())
    }
}

impl Output {
    pub(super) fn create(name: Option<&Path>) -> Result<Self, ReplayError> {
        let Some(name) = name else {
            return Ok(Self(None));
        };
        let (file, out) = Unfinished::create(name)?;
        Ok(Self(Some(Pending {
            file,
            writer: BufWriter::with_capacity(BUFFER, out),
        })))
    }

    pub(super) fn write(
        &mut self,
        events: &[Event],
        summary: &mut Summary,
    ) -> Result<(), ReplayError> {
        for event in events {
            summary.count(event);
            if let Some(p) = &mut self.0 {
                serde_json::to_writer(&mut p.writer, event)
                    .map_err(std::io::Error::from)
                    .and_then(|()| p.writer.write_all(b"\n"))
                    .map_err(ReplayError::io(p.file.path()))?;
            }
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Result<(), ReplayError> {
        if let Some(mut p) = self.0 {
            p.writer.flush().map_err(ReplayError::io(p.file.path()))?;
            p.file.finish()?;
        }
        Ok(())
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if !self.finished {
            // Nothing more can be done about a file that does not go.
            let _gone = fs::remove_file(&self.temporary);
        }
    }
}
