//! Messages that nothing was read of, grouped by what they have in common: their sender, and the pattern of their topics.

use std::collections::{BTreeMap, BTreeSet};

use crate::Profiles;
use crate::candidate::{Candidate, candidates};
use crate::document::PayloadKind;
use crate::guess::says_something;
use crate::pattern::TopicPattern;

/// The most topics of a group that are named.
const MAX_TOPICS: usize = 32;
/// The most levels of a topic that may vary within a group.
const MAX_VARYING: usize = 2;

/// Messages of one topic that nothing was read of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heard<T> {
    /// Who sent them; none where that is not known.
    pub from: Option<String>,
    /// Their topic.
    pub topic: String,
    /// What the latest says.
    pub payload: Vec<u8>,
    /// What else the caller knows of them.
    pub more: T,
}

/// Messages of one sender that look alike.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sender<T> {
    /// Who sent them.
    pub from: Option<String>,
    /// Their topics as one: levels that vary are captures.
    pub pattern: String,
    /// What ids begin with, where nothing varies.
    pub thing: Option<String>,
    /// How the payloads are written; none of what is neither JSON nor a number.
    pub payload: Option<PayloadKind>,
    /// The numbers of the latest.
    pub candidates: Vec<Candidate>,
    /// The messages, in the order in which they were given; never empty.
    pub heard: Vec<Heard<T>>,
}

/// What messages have in common that may be of one group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    from: Option<String>,
    levels: usize,
    payload: Option<PayloadKind>,
    /// The places of the numbers; of a number alone, what its topic says that it is.
    says: BTreeSet<String>,
}

/// Groups messages, the latest of which come first.
#[must_use]
pub fn grouped<T>(all: Vec<Heard<T>>) -> Vec<Sender<T>> {
    let mut shapes: BTreeMap<Shape, (usize, Vec<Heard<T>>)> = BTreeMap::new();
    for (place, heard) in all.into_iter().enumerate() {
        let shape = Shape::of(&heard.from, &heard.topic, &heard.payload);
        let (_, same) = shapes.entry(shape).or_insert((place, Vec::new()));
        same.push(heard);
    }
    let mut shapes: Vec<_> = shapes.into_values().collect();
    shapes.sort_by_key(|(place, _)| *place);
    let mut senders = Vec::new();
    for (_, same) in shapes {
        let topics: Vec<&str> = same.iter().map(|h| h.topic.as_str()).collect();
        if common(&topics).is_some() {
            senders.extend(sender(same));
        } else {
            senders.extend(same.into_iter().filter_map(|one| sender(vec![one])));
        }
    }
    senders
}

fn sender<T>(mut heard: Vec<Heard<T>>) -> Option<Sender<T>> {
    heard.truncate(MAX_TOPICS);
    let topics: Vec<&str> = heard.iter().map(|h| h.topic.as_str()).collect();
    let pattern = common(&topics)?;
    let first = heard.first()?;
    let (payload, candidates) = match candidates(&first.topic, &first.payload) {
        Ok((kind, all)) => (Some(kind), all),
        Err(_) => (None, Vec::new()),
    };
    Some(Sender {
        from: first.from.clone(),
        thing: thing_of(&pattern),
        pattern,
        payload,
        candidates,
        heard,
    })
}

/// What a topic's ids begin with; none where captures name the thing.
#[must_use]
pub(crate) fn thing_of(pattern: &str) -> Option<String> {
    /// Levels that name no thing.
    const GENERAL: &[&str] = &[
        "tele",
        "stat",
        "sensor",
        "sensors",
        "state",
        "status",
        "data",
        "telemetry",
        "up",
        "event",
        "value",
        "json",
        "info",
        "report",
        "reading",
        "readings",
        "attributes",
        "msg",
        "pub",
        "device",
        "devices",
        "v1",
        "me",
        "sensornode",
    ];
    if pattern.contains('{') {
        return None;
    }
    // What is added to a message that a shipped profile has is of the same thing.
    if let Some(known) = Profiles::default_thing(pattern) {
        return Some(known);
    }
    let levels = pattern.split('/');
    let own: Vec<&str> = levels
        .filter(|level| !level.is_empty() && !GENERAL.contains(&level.to_lowercase().as_str()))
        .collect();
    Some(if own.is_empty() {
        pattern.to_owned()
    } else {
        own.join("/")
    })
}

/// Topics as one pattern; none where they are of no one kind: too much varies, or too little stays.
fn common(topics: &[&str]) -> Option<String> {
    let first: Vec<&str> = topics.first()?.split('/').collect();
    let mut varies = vec![false; first.len()];
    for topic in topics {
        for ((level, own), varies) in topic.split('/').zip(&first).zip(&mut varies) {
            *varies |= level != *own;
        }
    }
    let varying = varies.iter().filter(|v| **v).count();
    let staying = first.len() - varying;
    // What begins with a capture takes much that is another's.
    let least = 1 + usize::from(varies.first() == Some(&true));
    if varying > MAX_VARYING || varying > 0 && staying < least {
        return None;
    }
    let mut named = 0;
    let levels = first.iter().zip(&varies).map(|(level, varies)| {
        if !varies {
            return (*level).to_owned();
        }
        named += 1;
        match named {
            1 => "{dev}".to_owned(),
            n => format!("{{dev{n}}}"),
        }
    });
    let pattern = levels.collect::<Vec<_>>().join("/");
    TopicPattern::parse(&pattern).is_ok().then_some(pattern)
}

impl Shape {
    fn of(from: &Option<String>, topic: &str, payload: &[u8]) -> Self {
        let (payload, says) = match candidates(topic, payload) {
            Err(_) => (None, without_numbers(topic)),
            Ok((PayloadKind::Text, _)) => {
                let levels = topic.split('/').enumerate();
                let says = levels.filter(|(_, level)| says_something(level)).last();
                let says = says.map(|(at, level)| BTreeSet::from([format!("{at} {level}")]));
                let says = says.unwrap_or_else(|| without_numbers(topic));
                (Some(PayloadKind::Text), says)
            }
            Ok((kind, all)) => (Some(kind), all.into_iter().map(|c| c.at).collect()),
        };
        Self {
            from: from.clone(),
            levels: topic.split('/').count(),
            payload,
            says,
        }
    }
}

/// Only topics that differ in their numbers are alike, where nothing else says that they are.
fn without_numbers(topic: &str) -> BTreeSet<String> {
    let topic = topic.chars().filter(|c| !c.is_ascii_digit()).collect();
    BTreeSet::from([topic])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(all: &[(&str, &str, &str)]) -> Vec<(String, Option<String>, usize)> {
        let heard = all.iter().map(|(from, topic, payload)| Heard {
            from: Some((*from).to_owned()),
            topic: (*topic).to_owned(),
            payload: payload.as_bytes().to_vec(),
            more: (),
        });
        let all = grouped(heard.collect());
        all.into_iter()
            .map(|s| (s.pattern, s.thing, s.heard.len()))
            .collect()
    }

    #[test]
    fn levels_that_vary_become_captures_where_messages_look_alike() {
        let bed = r#"{"AM2301":{"Temperature":21,"Humidity":55}}"#;
        let found = groups(&[
            ("A", "bed/tele/SENSOR", bed),
            ("A", "door/tele/SENSOR", bed),
            ("B", "bed/tele/SENSOR", bed),
            ("A", "bed/tele/INFO", r#"{"Uptime":4}"#),
            ("A", "barn/temp/1", "21"),
            ("A", "barn/temp/2", "22"),
            ("A", "barn/hum/1", "55"),
            ("A", "barn/a", "1"),
            ("A", "barn/b", "1"),
            ("A", "probe1", "7"),
            ("A", "x/y", "garbage"),
        ]);
        let named = |pattern: &str, thing: Option<&str>, count| {
            (pattern.to_owned(), thing.map(str::to_owned), count)
        };
        let expected = [
            named("{dev}/tele/SENSOR", None, 2),
            named("bed/tele/SENSOR", Some("bed"), 1),
            named("bed/tele/INFO", Some("bed"), 1),
            named("barn/temp/{dev}", None, 2),
            named("barn/hum/1", Some("barn/hum/1"), 1),
            named("barn/a", Some("barn/a"), 1),
            named("barn/b", Some("barn/b"), 1),
            named("probe1", Some("probe1"), 1),
            named("x/y", Some("x/y"), 1),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn topics_of_which_too_little_stays_are_groups_of_their_own() {
        let payload = r#"{"t":1}"#;
        let found = groups(&[("A", "a/x", payload), ("A", "b/x", payload)]);
        assert_eq!(found.len(), 2, "{found:?}");
        let found = groups(&[("A", "x/a", payload), ("A", "x/b", payload)]);
        assert_eq!(found, [("x/{dev}".to_owned(), None, 2)]);
        let found = groups(&[("A", "a/b/c/x", payload), ("A", "d/e/f/x", payload)]);
        assert_eq!(found.len(), 2, "{found:?}");
    }
}
