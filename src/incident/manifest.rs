//! The manifest of an incident: what it is of, and by what a change of any byte shows.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use harit_api::Language;
use harit_engine::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{EVENTS, EXPLANATIONS, FARM, INPUTS, MANIFEST};

/// The only format so far.
const FORMAT: u32 = 1;
const BUFFER: usize = 1 << 16;

/// Whose doing is explained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Subject {
    Device(String),
    Rule(String),
}

/// A file as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sum {
    name: String,
    bytes: u64,
    sha256: String,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) format: u32,
    /// The version that wrote it: another one may word explanations otherwise.
    pub(super) harit: String,
    pub(super) farm: String,
    pub(super) subject: Subject,
    pub(super) from: Timestamp,
    pub(super) to: Timestamp,
    pub(super) language: Language,
    pub(super) inputs: u64,
    pub(super) explanations: u64,
    /// Instants that were not explained, because there are too many.
    pub(super) left_out: u64,
    pub(super) files: Vec<Sum>,
    /// The end of a chain: SHA-256 of the farm, then of the link before and each line of the inputs.
    pub(super) chain: String,
    /// An HMAC of all the above under the key of the audit log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) seal: Option<String>,
}

impl Manifest {
    pub(super) fn new(
        farm: &str,
        subject: Subject,
        span: (Timestamp, Timestamp),
        language: Language,
    ) -> Self {
        Self {
            format: FORMAT,
            harit: env!("CARGO_PKG_VERSION").to_owned(),
            farm: farm.to_owned(),
            subject,
            from: span.0,
            to: span.1,
            language,
            inputs: 0,
            explanations: 0,
            left_out: 0,
            files: Vec::new(),
            chain: String::new(),
            seal: None,
        }
    }

    pub(super) fn read(folder: &Path) -> io::Result<Self> {
        let read: Self =
            serde_json::from_reader(BufReader::new(File::open(folder.join(MANIFEST))?))?;
        if read.format != FORMAT {
            let what = format!("{MANIFEST}: format {} is not known here", read.format);
            return Err(io::Error::new(io::ErrorKind::InvalidData, what));
        }
        Ok(read)
    }

    /// What is sealed.
    pub(super) fn unsealed(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(&Self {
            seal: None,
            ..self.clone()
        })
    }

    /// The sums of the files of a folder, as they are now.
    pub(super) fn sums(folder: &Path) -> io::Result<Vec<Sum>> {
        let sum = |name: &&str| {
            let mut file = File::open(folder.join(name))
                .map_err(|e| io::Error::new(e.kind(), format!("{name}: {e}")))?;
            let (mut hash, mut bytes) = (Sha256::new(), 0);
            let mut buffer = vec![0; BUFFER];
            loop {
                let n = file.read(&mut buffer)?;
                if n == 0 {
                    break;
                }
                hash.update(&buffer[..n]);
                bytes += n as u64;
            }
            Ok(Sum {
                name: (*name).to_owned(),
                bytes,
                sha256: hex(&hash.finalize()),
            })
        };
        [FARM, INPUTS, EVENTS, EXPLANATIONS]
            .iter()
            .map(sum)
            .collect()
    }

    /// The first file that is not as it was written.
    pub(super) fn changed(&self, now: &[Sum]) -> Option<String> {
        let other = |sum: &&Sum| !self.files.contains(sum);
        let found = now.iter().find(other).map(|sum| sum.name.clone());
        found.or_else(|| (self.files.len() != now.len()).then(|| MANIFEST.to_owned()))
    }
}

/// The end of the chain over a folder's farm and inputs.
pub(super) fn chain(folder: &Path) -> io::Result<String> {
    let mut link = Sha256::digest(std::fs::read(folder.join(FARM))?);
    let file = BufReader::new(File::open(folder.join(INPUTS))?);
    let mut lines = BufReader::new(zstd::Decoder::with_buffer(file)?);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        let mut next = Sha256::new();
        next.update(link);
        next.update(&line);
        link = next.finalize();
        line.clear();
    }
    Ok(hex(&link))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
