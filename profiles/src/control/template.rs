//! Templates: texts with placeholders, which are filled so that nothing but what is meant can go out.

use crate::document::{Fault, fault};
use crate::pattern::{Captures, TopicPattern};
use crate::{MAX_LIST, MAX_TEXT_BYTES};

/// What placeholders stand for.
pub(super) struct Filling<'a> {
    pub(super) captures: &'a Captures<'a>,
    /// Of the lease.
    pub(super) seconds: i64,
    /// A setting's value in micro-units.
    pub(super) value: Option<i64>,
    /// The command's id.
    pub(super) id: &'a str,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Text(String),
    Capture { name: String, place: Place },
    Seconds(Line),
    Value(Line),
    Id(Place),
}

/// Where a placeholder stands in a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Plain,
    JsonText,
    /// Outside of a string: whole numbers alone.
    JsonNumber,
}

/// `x * times + plus`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Line {
    times: i64,
    plus: i64,
}

impl Line {
    fn parse(text: &str) -> Option<Self> {
        let number = |digits: &str| digits.parse().ok().filter(|n| (1..=100_000).contains(n));
        Some(match text.split_at_checked(1)? {
            ("+", digits) => Self {
                times: 1,
                plus: number(digits)?,
            },
            ("*", digits) => Self {
                times: number(digits)?,
                plus: 0,
            },
            _ => return None,
        })
    }

    const fn of(self, x: i64) -> i64 {
        x.saturating_mul(self.times).saturating_add(self.plus)
    }
}

const ITSELF: Line = Line { times: 1, plus: 0 };

/// A text with placeholders.
#[derive(Debug, Clone)]
pub(super) struct Text(Vec<Part>);

/// Whether a text is a payload in JSON.
fn is_json(text: &str) -> bool {
    let text = text.trim_start();
    text.starts_with(['{', '[']) && placeholder(text).is_none()
}

/// What stands between the braces that a text begins with, if that is a placeholder.
fn placeholder(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('{')?;
    let inner = &inner[..inner.find('}')?];
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_+*".contains(c);
    let begins = inner.starts_with(|c: char| c.is_ascii_lowercase() || c == '_');
    (begins && inner.chars().all(is_name)).then_some(inner)
}

impl Text {
    /// Reads a text; `names` are the captures that it may have.
    pub(super) fn parse(text: &str, names: &[&str]) -> Result<Self, Fault> {
        if text.len() > MAX_TEXT_BYTES {
            return fault(format!("a text has at most {MAX_TEXT_BYTES} bytes"));
        }
        let json = is_json(text);
        let (mut in_string, mut escaped) = (false, false);
        let (mut parts, mut plain) = (Vec::new(), String::new());
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let place = match (json, in_string) {
                (false, _) => Place::Plain,
                (true, true) => Place::JsonText,
                (true, false) => Place::JsonNumber,
            };
            if let Some(inner) = placeholder(rest) {
                if !plain.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut plain)));
                }
                parts.push(part(inner, place, names)?);
                rest = &rest[inner.len() + 2..];
                continue;
            }
            if json && !escaped && c == '"' {
                in_string = !in_string;
            }
            escaped = json && in_string && c == '\\' && !escaped;
            plain.push(c);
            rest = &rest[c.len_utf8()..];
        }
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        if parts.len() > MAX_LIST {
            return fault(format!("more than {MAX_LIST} parts in one text"));
        }
        let text = Self(parts);
        if json && serde_json::from_str::<serde_json::Value>(&text.sample()).is_err() {
            return fault("it begins like JSON and is none".to_owned());
        }
        Ok(text)
    }

    /// The text with something in place of all placeholders.
    fn sample(&self) -> String {
        let parts = self.0.iter().map(|part| match part {
            Part::Text(text) => text,
            _ => "1",
        });
        parts.collect()
    }

    pub(super) fn has_seconds(&self) -> bool {
        self.0.iter().any(|part| matches!(part, Part::Seconds(_)))
    }

    pub(super) fn has_value(&self) -> bool {
        self.0.iter().any(|part| matches!(part, Part::Value(_)))
    }

    /// The text; none where something has no place in it.
    pub(super) fn filled(&self, with: &Filling<'_>) -> Option<String> {
        let mut text = String::new();
        for part in &self.0 {
            match part {
                Part::Text(plain) => text.push_str(plain),
                Part::Seconds(line) => text.push_str(&line.of(with.seconds).to_string()),
                Part::Value(line) => text.push_str(&decimal(line.times, line.plus, with.value?)),
                Part::Id(place) => text.push_str(&placed(with.id, *place)?),
                Part::Capture { name, place } => {
                    let (_, word) = with.captures.iter().find(|(n, _)| *n == name)?;
                    text.push_str(&placed(word, *place)?);
                }
            }
        }
        Some(text)
    }
}

/// A value in micro-units as a decimal number.
fn decimal(times: i64, plus: i64, micro: i64) -> String {
    let micro = micro
        .saturating_mul(times)
        .saturating_add(plus.saturating_mul(1_000_000));
    harit_engine::Quantity::from_micro(micro).to_string()
}

fn part(inner: &str, place: Place, names: &[&str]) -> Result<Part, Fault> {
    let end = inner.find(['+', '*']).unwrap_or(inner.len());
    let (name, line) = inner.split_at(end);
    let line = match line {
        "" => ITSELF,
        line => match Line::parse(line) {
            Some(line) => line,
            None => {
                return fault(format!(
                    "{{{inner}}}: + or * and a whole number from 1 to 100000"
                ));
            }
        },
    };
    match name {
        "seconds" => Ok(Part::Seconds(line)),
        "value" => Ok(Part::Value(line)),
        _ if line != ITSELF => fault(format!("{{{inner}}}: only seconds and value are counted")),
        "id" => Ok(Part::Id(place)),
        name if names.contains(&name) => Ok(Part::Capture {
            name: name.to_owned(),
            place,
        }),
        name => fault(format!("the id has no capture {name:?}")),
    }
}

/// A word where it stands; none where it may not stand there.
fn placed(word: &str, place: Place) -> Option<String> {
    match place {
        Place::Plain => Some(word.to_owned()),
        Place::JsonText => {
            let quoted = serde_json::to_string(word).ok()?;
            Some(quoted[1..quoted.len() - 1].to_owned())
        }
        Place::JsonNumber => {
            let is_number = word.len() <= 10 && word.bytes().all(|b| b.is_ascii_digit());
            let number: u64 = word.parse().ok().filter(|_| is_number)?;
            Some(number.to_string())
        }
    }
}

/// A topic and a payload.
#[derive(Debug, Clone)]
pub(super) struct Template {
    topic: Text,
    /// The topics that it can become.
    pattern: TopicPattern,
    pub(super) payload: Text,
}

impl Template {
    pub(super) fn parse_topic(topic: &str, names: &[&str]) -> Result<(Text, TopicPattern), Fault> {
        let text = Text::parse(topic, names)?;
        let counts = |part: &Part| !matches!(part, Part::Text(_) | Part::Capture { .. });
        if text.0.iter().any(counts) {
            return fault(format!("{topic:?}: a topic has captures alone"));
        }
        Ok((text, TopicPattern::topics_of(topic)?))
    }

    pub(super) fn new(topic: (Text, TopicPattern), payload: Text) -> Self {
        let (topic, pattern) = topic;
        Self {
            topic,
            pattern,
            payload,
        }
    }

    /// Whether a filter takes in any of its topics.
    pub(super) fn meets(&self, filter: &str) -> bool {
        self.pattern.meets(filter)
    }

    /// What is published: topic and payload. None where that would be another topic than the profile names.
    pub(super) fn filled(&self, with: &Filling<'_>) -> Option<(String, String)> {
        let topic = topic_of(&self.topic, with)?;
        Some((topic, self.payload.filled(with)?))
    }
}

/// A topic that may be published to.
pub(super) fn topic_of(text: &Text, with: &Filling<'_>) -> Option<String> {
    let topic = text.filled(with)?;
    let first = topic.split('/').find(|level| !level.is_empty())?;
    let is_allowed = first != "harit"
        && !topic.starts_with('$')
        && topic.len() <= MAX_TEXT_BYTES
        && !topic.contains(['+', '#', '\0']);
    is_allowed.then_some(topic)
}
