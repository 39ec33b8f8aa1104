//! What could not be taken: counted, kept for operators, and bounded.

use harit_engine::Timestamp;
use serde::Serialize;

/// Publishes that were refused for one reason on one topic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeadLetter {
    /// The topic, at most [`MAX_TOPIC_BYTES`] of it.
    pub topic: String,
    /// Why: a stable word.
    pub reason: String,
    /// The first bytes of the latest such payload.
    pub payload: Vec<u8>,
    /// How many.
    pub count: u64,
    /// The first one.
    pub first_at: Timestamp,
    /// The latest one.
    pub last_at: Timestamp,
}

/// How much of a topic is kept.
pub const MAX_TOPIC_BYTES: usize = 512;
