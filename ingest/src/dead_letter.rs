//! What could not be taken: counted, kept for operators, and bounded.
//!
//! A flood must cost little and tell much: letters are joined by topic and reason in memory, and the sums go to the store
//! once a second. Past [`MAX_JOINED`] different ones of a farm within a second, topics are joined too; past [`MAX_STORED`] of
//! a farm in the store, those of it that came last the longest ago go. So no farm pushes out another's.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use harit_engine::{FarmId, Timestamp};
use harit_protocol::Reject;
use serde::Serialize;

/// How much of a topic is kept.
pub const MAX_TOPIC_BYTES: usize = 512;
/// How much of a payload is kept.
pub const MAX_PAYLOAD_KEPT: usize = 1_024;
/// How much is kept of what no profile reads: its numbers are proposed to people, for which it has to be whole.
pub const MAX_UNREAD_KEPT: usize = 4_096;
/// How many different letters of a farm wait in memory.
pub const MAX_JOINED: usize = 256;
/// How many different letters of a farm are stored.
pub const MAX_STORED: usize = 1_000;
/// Stands for the topics that no longer fit.
pub const OTHER_TOPICS: &str = "(other topics)";

/// Publishes that were refused for one reason on one topic.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeadLetter {
    /// Whose: the sender's farm, or where that is not known the one that its topic names; empty where there is none such.
    pub farm: FarmId,
    /// The topic, at most [`MAX_TOPIC_BYTES`] of it.
    pub topic: String,
    /// Why: a stable word.
    pub reason: String,
    /// The first [`MAX_PAYLOAD_KEPT`] or [`MAX_UNREAD_KEPT`] bytes of one such payload, of the latest second in which there were some.
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
pub(crate) struct DeadLetters(Mutex<HashMap<FarmId, Inner>>);

#[derive(Debug, Default)]
struct Inner {
    joined: Joined,
    len: usize,
}

impl DeadLetters {
    /// Counts and keeps one.
    pub(crate) fn add(
        &self,
        farm: &FarmId,
        topic: &str,
        reason: Reject,
        payload: &[u8],
        at: Timestamp,
    ) {
        metrics::counter!("harit_dead_letters_total", "reason" => reason.as_str()).increment(1);
        let mut farms = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !farms.contains_key(farm) {
            farms.insert(farm.clone(), Inner::default());
        }
        let Some(Inner { joined, len }) = farms.get_mut(farm) else {
            return;
        };
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
                    farm: farm.clone(),
                    topic: topic.to_owned(),
                    reason: reason.as_str().to_owned(),
                    payload: payload[..payload.len().min(most_of(reason))].to_vec(),
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
        let farms = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        farms
            .into_values()
            .flat_map(|inner| inner.joined.into_values())
            .flatten()
            .map(|(_, letter)| letter)
            .collect()
    }
}

const fn most_of(reason: Reject) -> usize {
    match reason {
        Reject::NoProfile | Reject::NothingRead => MAX_UNREAD_KEPT,
        _ => MAX_PAYLOAD_KEPT,
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
            letters.add(&"f".into(), "a", Reject::Malformed, &[b'x'; 5_000], at);
            letters.add(
                &"f".into(),
                &format!("{}{i}", "é".repeat(300)),
                Reject::Topic,
                b"y",
                at,
            );
        }
        letters.add(
            &"f".into(),
            "a",
            Reject::Topic,
            b"",
            Timestamp::from_millis(7),
        );
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
                &"f".into(),
                &format!("t{i}"),
                Reject::Topic,
                b"",
                Timestamp::from_millis(i),
            );
        }
        let quiet = "quiet".into();
        letters.add(&quiet, "t", Reject::Topic, b"", Timestamp::from_millis(9));
        let mut all = letters.take();
        let of_quiet = |l: &DeadLetter| l.farm == quiet;
        let own = all.iter().position(of_quiet).map(|n| all.swap_remove(n));
        assert_eq!(
            own.unwrap().topic,
            "t",
            "another farm's flood is not its own"
        );
        assert_eq!(all.len(), MAX_JOINED + 1);
        let other = all.iter().find(|l| l.topic == OTHER_TOPICS).unwrap();
        assert_eq!(usize::try_from(other.count).unwrap(), 5_000 - MAX_JOINED);
    }
}
