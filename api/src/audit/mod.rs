//! The audit log: who did what, append-only, a chain a farm.
//!
//! A log in a database can be changed by whoever can write the database. So each entry carries an HMAC over the hash before
//! it and itself, under a key that is in a file: an entry cannot be changed, put in or taken out of the middle. Taking off
//! the end leaves a chain that is whole; therefore the end of each chain is also written to an anchor file beside the
//! database, sealed with the same key. Triggers refuse changes, against mistakes; [`verify_log`] finds the rest.

mod action;
mod anchor;
mod verify;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::secret::{Key, hex};

pub(crate) use action::{Action, Verb};
pub(crate) use anchor::{Anchor, Head};
pub use verify::{LogProblem, LogReport, VerifyError, seal_log_anew, verify_log};

/// The file of the chain's key.
pub(crate) const KEY_FILE: &str = "audit.key";
/// The file of the chains' ends.
pub(crate) const ANCHOR_FILE: &str = "audit.heads";

/// The seal of an incident's manifest: an HMAC under the key of a data directory, in hexadecimal digits.
///
/// # Errors
/// When the key cannot be read.
pub fn seal_incident(data_dir: &std::path::Path, manifest: &[u8]) -> std::io::Result<String> {
    let path = data_dir.join(KEY_FILE);
    let key = Key::read(&path)
        .map_err(|e| std::io::Error::new(e.kind(), format!("{}: {e}", path.display())))?;
    Ok(hex(&key.hmac(&[b"an incident|", manifest])))
}

/// What somebody did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Entry {
    /// The user's id and name, where it is somebody known.
    pub actor: Option<(String, String)>,
    pub action: Action,
    /// To what or whom.
    pub subject: String,
    pub details: Value,
    pub address: Option<String>,
}

/// A row, as its hash sees it.
pub(crate) struct Row<'a> {
    pub farm: &'a str,
    pub seq: i64,
    pub at: i64,
    pub actor_id: Option<&'a str>,
    pub actor: Option<&'a str>,
    pub action: &'a str,
    pub subject: &'a str,
    pub details: &'a str,
    pub address: Option<&'a str>,
}

impl Row<'_> {
    /// The hash of the row after that hash. A JSON array keeps the fields apart, whatever is in them.
    pub(crate) fn hash(&self, key: &Key, previous: &str) -> Result<String, serde_json::Error> {
        let row = serde_json::to_vec(&(
            self.farm,
            self.seq,
            self.at,
            self.actor_id,
            self.actor,
            self.action,
            self.subject,
            self.details,
            self.address,
        ))?;
        Ok(hex(&key.hmac(&[previous.as_bytes(), b"|", &row])))
    }
}
