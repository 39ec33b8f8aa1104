//! From documents to what reads: every text is parsed once, and all problems are found with their places.

use harit_engine::{Conversion, Decimal, Quantity, SensorType};
use harit_protocol::conversion;

use crate::control::Control;
use crate::document::{
    AnnounceDocument, Fault, MessageDocument, Number, PayloadKind, Problem, ProfileDocument,
    ReadingDocument, StateDocument, TimeKind, fault, problem,
};
use crate::pattern::{Pointer, TopicPattern};
use crate::{MAX_LIST, MAX_MESSAGES, MAX_READINGS, MAX_TEXT_BYTES};

/// The longest id of a profile, in bytes.
const MAX_ID_BYTES: usize = 64;

/// A profile that can read.
#[derive(Debug, Clone)]
pub struct Profile {
    id: String,
    name: String,
    pub(crate) messages: Vec<MessageRule>,
    pub(crate) controls: Vec<Control>,
}

/// How a kind of message is read.
#[derive(Debug, Clone)]
pub(crate) struct MessageRule {
    pub(crate) topics: Vec<TopicPattern>,
    pub(crate) payload: PayloadKind,
    pub(crate) within: Vec<Pointer>,
    /// How often its things say it, in seconds.
    pub(crate) expected_every: Option<u32>,
    pub(crate) id: Vec<Pointer>,
    pub(crate) thing: Option<String>,
    pub(crate) adds: bool,
    pub(crate) readings: Vec<ReadingRule>,
    pub(crate) time: Option<(Pointer, TimeKind)>,
    pub(crate) online: Option<StateRule>,
    pub(crate) devices: Vec<StateRule>,
    pub(crate) announces: Option<AnnounceRule>,
}

/// How a reading is found and what becomes of its number.
#[derive(Debug, Clone)]
pub(crate) struct ReadingRule {
    pub(crate) at: Vec<Pointer>,
    /// The bits of the keys that it looks for; none where that is anything.
    pub(crate) bits: Option<u64>,
    pub(crate) sensor_type: SensorType,
    pub(crate) conversion: Conversion,
    pub(crate) unit_at: Option<Pointer>,
    pub(crate) between: Option<(Quantity, Quantity)>,
    pub(crate) values: Vec<(String, Decimal)>,
    pub(crate) absent: Vec<(String, Option<Decimal>)>,
    pub(crate) when: Vec<(String, Vec<String>)>,
    pub(crate) only: Vec<String>,
    pub(crate) except: Vec<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct StateRule {
    pub(crate) at: Pointer,
    pub(crate) on: Vec<String>,
    pub(crate) off: Vec<String>,
}

#[derive(Debug, Clone)]
pub(crate) struct AnnounceRule {
    pub(crate) at: Pointer,
    pub(crate) types: Vec<(String, SensorType)>,
    pub(crate) device: bool,
}

/// Problems with their places.
pub(crate) struct Problems(Vec<Problem>);

impl Problems {
    pub(crate) fn add(&mut self, path: &str, message: impl AsRef<str>) {
        self.0.push(problem(path, message.as_ref()));
    }

    pub(crate) fn keep<T>(&mut self, path: &str, result: Result<T, Fault>) -> Option<T> {
        result
            .map_err(|Fault(message)| self.add(path, message))
            .ok()
    }

    pub(crate) fn count(&mut self, path: &str, count: usize, least: usize, most: usize) {
        if count < least || count > most {
            self.add(
                path,
                format!("{count} entries; {least} to {most} are possible"),
            );
        }
    }
}

impl Profile {
    /// Compiles a document.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn new(document: &ProfileDocument) -> Result<Self, Vec<Problem>> {
        let mut problems = Problems(Vec::new());
        let id = &document.id;
        let is_id = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        if id.is_empty() || id.len() > MAX_ID_BYTES || !id.bytes().all(is_id) {
            problems.add(
                "id",
                format!("{id:?}: 1 to {MAX_ID_BYTES} lower-case letters, digits and hyphens"),
            );
        }
        let name = document.name.trim();
        if name.is_empty() || name.len() > MAX_TEXT_BYTES {
            problems.add("name", format!("a name has 1 to {MAX_TEXT_BYTES} bytes"));
        }
        problems.count("messages", document.messages.len(), 1, MAX_MESSAGES);
        let shared = compile_readings("readings", &document.readings, None, &mut problems);
        let messages = (document.messages.iter().take(MAX_MESSAGES).enumerate())
            .map(|(n, message)| {
                compile_message(&format!("messages[{n}]"), message, &shared, &mut problems)
            })
            .collect();
        problems.count("devices", document.devices.len(), 0, MAX_LIST);
        let controls = (document.devices.iter().take(MAX_LIST).enumerate())
            .filter_map(|(n, control)| {
                Control::compile(&format!("devices[{n}]"), control, &mut problems)
            })
            .collect();
        if problems.0.is_empty() {
            Ok(Self {
                id: id.clone(),
                name: name.to_owned(),
                messages,
                controls,
            })
        } else {
            Err(problems.0)
        }
    }

    /// Its id.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// How many topics it has.
    #[must_use]
    pub fn topics(&self) -> usize {
        self.messages.iter().map(|m| m.topics.len()).sum()
    }

    /// Its name for people.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

fn compile_message(
    path: &str,
    document: &MessageDocument,
    shared: &[ReadingRule],
    problems: &mut Problems,
) -> MessageRule {
    problems.count(
        &format!("{path}.topics"),
        document.topics.len(),
        1,
        MAX_LIST,
    );
    problems.count(
        &format!("{path}.within"),
        document.within.len(),
        0,
        MAX_LIST,
    );
    problems.count(&format!("{path}.id"), document.id.len(), 0, MAX_LIST);
    problems.count(
        &format!("{path}.devices"),
        document.devices.len(),
        0,
        MAX_LIST,
    );
    let thing = document.thing.as_deref();
    if thing.is_some_and(|thing| thing.is_empty() || thing.len() > MAX_TEXT_BYTES) {
        problems.add(
            &format!("{path}.thing"),
            format!("what ids begin with has 1 to {MAX_TEXT_BYTES} bytes"),
        );
    }
    let mut topics = Vec::new();
    for (n, topic) in document.topics.iter().take(MAX_LIST).enumerate() {
        topics.extend(problems.keep(&format!("{path}.topics[{n}]"), TopicPattern::parse(topic)));
    }
    let mut within = Vec::new();
    for (n, place) in document.within.iter().take(MAX_LIST).enumerate() {
        within.extend(problems.keep(&format!("{path}.within[{n}]"), Pointer::parse(place)));
    }
    let mut id = Vec::new();
    for (n, place) in document.id.iter().take(MAX_LIST).enumerate() {
        id.extend(problems.keep(&format!("{path}.id[{n}]"), without_star(place)));
    }
    if within.is_empty() {
        within.push(Pointer::ROOT);
    }
    let readings = match &document.readings {
        None => shared.to_vec(),
        Some(own) => compile_readings(&format!("{path}.readings"), own, Some(&topics), problems),
    };
    let time = document.time.as_ref().and_then(|time| {
        let at = problems.keep(&format!("{path}.time.at"), without_star(&time.at))?;
        Some((at, time.kind))
    });
    let online = (document.online.as_ref())
        .and_then(|state| compile_state(&format!("{path}.online"), state, problems));
    let devices = (document.devices.iter().take(MAX_LIST).enumerate())
        .filter_map(|(n, state)| compile_state(&format!("{path}.devices[{n}]"), state, problems))
        .collect();
    let announces = (document.announces.as_ref())
        .and_then(|a| compile_announce(&format!("{path}.announces"), a, problems));
    let every = document.expected_every_sec;
    if let Some(every) = every.filter(|every| !(60..=86_400).contains(every)) {
        problems.add(
            &format!("{path}.expected_every_sec"),
            format!("{every}: 60 to 86400 are possible"),
        );
    }
    MessageRule {
        expected_every: every,
        topics,
        payload: document.payload,
        within,
        id,
        thing: document.thing.clone(),
        adds: document.adds,
        readings,
        time,
        online,
        devices,
        announces,
    }
}

fn compile_readings(
    path: &str,
    documents: &[ReadingDocument],
    topics: Option<&[TopicPattern]>,
    problems: &mut Problems,
) -> Vec<ReadingRule> {
    problems.count(path, documents.len(), 0, MAX_READINGS);
    (documents.iter().take(MAX_READINGS).enumerate())
        .filter_map(|(n, document)| {
            compile_reading(&format!("{path}[{n}]"), document, topics, problems)
        })
        .collect()
}

fn compile_reading(
    path: &str,
    document: &ReadingDocument,
    topics: Option<&[TopicPattern]>,
    problems: &mut Problems,
) -> Option<ReadingRule> {
    for (name, count) in [
        ("at", document.at.len()),
        ("values", document.values.len()),
        ("absent", document.absent.len()),
        ("only", document.only.len()),
        ("except", document.except.len()),
        ("when", document.when.len()),
    ] {
        problems.count(&format!("{path}.{name}"), count, 0, MAX_LIST);
    }
    let word = &document.sensor_type;
    let Some(sensor_type) = SensorType::parse(word) else {
        problems.add(&format!("{path}.type"), format!("no sensor type {word:?}"));
        return None;
    };
    let mut at = Vec::new();
    for (n, place) in document.at.iter().take(MAX_LIST).enumerate() {
        at.extend(problems.keep(&format!("{path}.at[{n}]"), Pointer::parse(place)));
    }
    if document.at.is_empty() {
        at.push(Pointer::HERE);
    }
    for name in document.when.keys() {
        let known = topics.is_none_or(|all| all.iter().all(|t| t.names().any(|n| n == name)));
        if !known {
            problems.add(
                &format!("{path}.when"),
                format!("not every topic has a capture {name:?}"),
            );
        }
    }
    let conversion = compile_conversion(path, document, sensor_type, problems);
    let unit_at = document.unit_at.as_ref();
    let unit_at =
        unit_at.and_then(|at| problems.keep(&format!("{path}.unit_at"), without_star(at)));
    let mut number =
        |name: &str, number: &Number| problems.keep(&format!("{path}.{name}"), quantity(number));
    let between = document.between.as_ref();
    let between =
        between.and_then(|[least, most]| number("between", least).zip(number("between", most)));
    let values = (document.values.iter())
        .filter_map(|(word, value)| Some((word.clone(), number("values", value)?)))
        .map(|(word, value)| (word, Decimal::exact(value)))
        .collect();
    let absent = (document.absent.iter())
        .map(|Number(word)| (word.clone(), Decimal::parse(word)))
        .collect();
    Some(ReadingRule {
        bits: at.iter().try_fold(0, |bits, at| Some(bits | at.bit()?)),
        at,
        sensor_type,
        conversion: conversion?,
        unit_at,
        between,
        values,
        absent,
        when: document.when.clone().into_iter().collect(),
        only: document.only.clone(),
        except: document.except.clone(),
    })
}

fn compile_conversion(
    path: &str,
    document: &ReadingDocument,
    sensor_type: SensorType,
    problems: &mut Problems,
) -> Option<Conversion> {
    if let Some([a, b]) = &document.points {
        if document.unit.is_some() || document.unit_at.is_some() {
            problems.add(
                &format!("{path}.points"),
                "points give values in the type's unit, so there is no other unit",
            );
        }
        let mut point = |n: usize, [x, y]: &[Number; 2]| {
            let path = format!("{path}.points[{n}]");
            let x = problems.keep(&path, quantity(x));
            x.zip(problems.keep(&path, quantity(y)))
        };
        let (a, b) = (point(0, a)?, point(1, b)?);
        let line = Conversion::through(a, b);
        if line.is_none() {
            problems.add(
                &format!("{path}.points"),
                "both points have the same number, so there is no line",
            );
        }
        return line;
    }
    let Some(unit) = &document.unit else {
        return Some(Conversion::NONE);
    };
    let found = conversion(sensor_type, unit);
    if found.is_none() {
        problems.add(
            &format!("{path}.unit"),
            format!(
                "{unit:?} is no unit of {sensor_type}, which is kept in {:?}",
                sensor_type.unit()
            ),
        );
    }
    found
}

fn compile_state(
    path: &str,
    document: &StateDocument,
    problems: &mut Problems,
) -> Option<StateRule> {
    problems.count(&format!("{path}.on"), document.on.len(), 1, MAX_LIST);
    problems.count(&format!("{path}.off"), document.off.len(), 1, MAX_LIST);
    if let Some(word) = document.on.iter().find(|word| document.off.contains(word)) {
        problems.add(
            &format!("{path}.off"),
            format!("{word:?} is a word for yes too"),
        );
    }
    Some(StateRule {
        at: problems.keep(&format!("{path}.at"), Pointer::parse(&document.at))?,
        on: document.on.clone(),
        off: document.off.clone(),
    })
}

fn compile_announce(
    path: &str,
    document: &AnnounceDocument,
    problems: &mut Problems,
) -> Option<AnnounceRule> {
    problems.count(&format!("{path}.types"), document.types.len(), 0, MAX_LIST);
    let mut types = Vec::new();
    for (word, name) in &document.types {
        match SensorType::parse(name) {
            Some(sensor_type) => types.push((word.clone(), sensor_type)),
            None => problems.add(&format!("{path}.types"), format!("no sensor type {name:?}")),
        }
    }
    Some(AnnounceRule {
        at: problems.keep(&format!("{path}.at"), without_star(&document.at))?,
        types,
        device: document.device,
    })
}

/// A place of one value.
pub(crate) fn without_star(text: &str) -> Result<Pointer, Fault> {
    if text.contains('*') {
        return fault(format!("{text:?} is a place of one value, without *"));
    }
    Pointer::parse(text)
}

fn quantity(Number(text): &Number) -> Result<Quantity, Fault> {
    match Decimal::parse(text) {
        Some(number) => Ok(number.rounded()),
        None => fault(format!("{text:?} is no number")),
    }
}
