//! What could not be taken: counted, kept for operators, and bounded.
//!
//! A flood must cost little and tell much: letters are joined by topic and reason in memory, and the sums go to the store
//! once a second. Past [`MAX_JOINED`] different ones within a second, topics are joined too; past [`MAX_STORED`] in the
//! store, those that came last the longest ago go.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use harit_engine::Timestamp;
use serde::Serialize;

use crate::wire::Reject;

/// How much of a topic is kept.
pub const MAX_TOPIC_BYTES: usize = 512;
/// How much of a payload is kept.
pub const MAX_PAYLOAD_KEPT: usize = 1_024;
/// How many different letters wait in memory.
pub const MAX_JOINED: usize = 1_024;
/// How many different letters are stored.
pub const MAX_STORED: usize = 10_000;
/// Stands for the topics that no longer fit.
const OTHER_TOPICS: &str = "(other topics)";

/// Publishes that were refused for one reason on one topic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeadLetter {
    /// The topic, at most [`MAX_TOPIC_BYTES`] of it.
    pub topic: String,
    /// Why: a stable word.
    pub reason: String,
    /// The first [`MAX_PAYLOAD_KEPT`] bytes of one such payload, of the latest second in which there were some.
    pub payload: Vec<u8>,
    /// How many.
    pub count: u64,
    /// The first one.
    pub first_at: Timestamp,
    /// The latest one.
    pub last_at: Timestamp,
}

type Joined = HashMap<Arc<str>, Vec<(Reject, DeadLetter)>>;

/// Letters on their way to the store.
#[derive(Debug, Default)]
pub(crate) struct DeadLetters(Mutex<Inner>);

#[derive(Debug, Default)]
struct Inner {
    joined: Joined,
    len: usize,
}

impl DeadLetters {
    /// Counts and keeps one.
    pub(crate) fn add(&self, topic: &str, reason: Reject, payload: &[u8], at: Timestamp) {
        metrics::counter!("harit_dead_letters_total", "reason" => reason.as_str()).increment(1);
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Inner { joined, len } = &mut *inner;
        let mut topic = cut(topic, MAX_TOPIC_BYTES);
        let known = joined
            .get(topic)
            .is_some_and(|l| l.iter().any(|(r, _)| *r == reason));
        if !known && *len >= MAX_JOINED {
            topic = OTHER_TOPICS;
        }
        if !joined.contains_key(topic) {
            joined.insert(topic.into(), Vec::new());
        }
        let Some(letters) = joined.get_mut(topic) else {
            return;
        };
        match letters.iter_mut().find(|(r, _)| *r == reason) {
            Some((_, letter)) => {
                letter.count += 1;
                letter.last_at = at;
            }
            None => {
                *len += 1;
                let letter = DeadLetter {
                    topic: topic.to_owned(),
                    reason: reason.as_str().to_owned(),
                    payload: payload[..payload.len().min(MAX_PAYLOAD_KEPT)].to_vec(),
                    count: 1,
                    first_at: at,
                    last_at: at,
                };
                letters.push((reason, letter));
            }
        }
    }

    /// All that have come since the last time.
    pub(crate) fn take(&self) -> Vec<DeadLetter> {
        let inner = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        inner
            .joined
            .into_values()
            .flatten()
            .map(|(_, letter)| letter)
            .collect()
    }
}

fn cut(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let end = (0..=max)
        .rev()
        .find(|i| text.is_char_boundary(*i))
        .unwrap_or(0);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_joined() {
        let letters = DeadLetters::default();
        for i in 0..50_000 {
            let at = Timestamp::from_millis(i);
            letters.add("a", Reject::Malformed, &[b'x'; 5_000], at);
            letters.add(&format!("{}{i}", "é".repeat(300)), Reject::Topic, b"y", at);
        }
        letters.add("a", Reject::Topic, b"", Timestamp::from_millis(7));
        let mut all = letters.take();
        all.sort_by_key(|l| std::cmp::Reverse(l.count));
        // Topics are cut before they are joined, so the long ones are one.
        assert_eq!(
            all.iter().map(|l| l.count).collect::<Vec<_>>(),
            [50_000, 50_000, 1]
        );
        assert!(
            all.iter()
                .all(|l| l.payload.len() <= MAX_PAYLOAD_KEPT && l.topic.len() <= MAX_TOPIC_BYTES)
        );
        assert_eq!(letters.take(), []);
    }

    #[test]
    fn many_topics_are_bounded() {
        let letters = DeadLetters::default();
        for i in 0..5_000 {
            letters.add(
                &format!("t{i}"),
                Reject::Topic,
                b"",
                Timestamp::from_millis(i),
            );
        }
        let all = letters.take();
        assert_eq!(all.len(), MAX_JOINED + 1);
        let other = all.iter().find(|l| l.topic == OTHER_TOPICS).unwrap();
        assert_eq!(usize::try_from(other.count).unwrap(), 5_000 - MAX_JOINED);
    }
}
