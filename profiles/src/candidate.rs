//! The numbers that stand in a payload of which nothing is known, each with what it probably is.

use harit_engine::{Decimal, Measured, SensorType};

use crate::document::PayloadKind;
use crate::guess::{self, Basis, guess};
use crate::node::{Members, Node};
use crate::{MAX_READINGS, Unread};

/// A number of a payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// Where it stands, as a profile says it; empty of a payload that is the number.
    pub at: String,
    /// The last key there, or the level of the topic, that names it.
    pub name: String,
    /// As it is written; none where it was announced and not heard.
    pub value: Option<String>,
    /// What it can be, the likeliest first; none where nothing says it.
    pub types: Vec<SensorType>,
    /// Its unit, if that is known.
    pub unit: Option<String>,
    /// Whether type and unit need no second look.
    pub is_sure: bool,
    /// On what that stands.
    pub basis: Option<Basis>,
    /// How the device calls it.
    pub called: Option<String>,
}

impl Candidate {
    /// Whether it tells of the radio, the clock or the message itself.
    #[must_use]
    pub fn is_of_the_message(&self) -> bool {
        guess::is_of_the_message(&self.name)
    }
}

/// The numbers of a payload, those first of which it can be said what they are, with how it is written; at most
/// [`MAX_READINGS`]. What is neither JSON nor a number alone has none.
///
/// # Errors
/// When it is neither, or has more than the limits of payloads.
pub fn candidates(topic: &str, payload: &[u8]) -> Result<(PayloadKind, Vec<Candidate>), Unread> {
    let root = Node::json(payload)?;
    let mut found = Vec::new();
    let kind = match &root {
        Node::Map(_) | Node::List(_) => {
            walk(topic, &root, &mut Vec::new(), &mut found);
            PayloadKind::Json
        }
        _ => {
            let number = decimal(&root).ok_or(Unread::Malformed)?;
            let name = naming_level(topic).unwrap_or_default();
            found.push(candidate(String::new(), name, topic, None, number, &root));
            PayloadKind::Text
        }
    };
    found.sort_by_key(|c| (c.types.is_empty(), c.is_of_the_message()));
    found.truncate(MAX_READINGS);
    Ok((kind, found))
}

fn decimal(node: &Node<'_>) -> Option<Decimal> {
    match node.number() {
        Some(Measured::Value(number)) => Some(number),
        _ => None,
    }
}

/// The level of a topic that says what is measured, from the end on; else the last one.
fn naming_level(topic: &str) -> Option<&str> {
    let says = topic.rsplit('/').find(|word| guess::says_something(word));
    says.or_else(|| topic.rsplit('/').next())
}

fn candidate(
    at: String,
    name: &str,
    around: &str,
    unit: Option<&str>,
    value: Decimal,
    node: &Node<'_>,
) -> Candidate {
    let known = guess(name, around, unit, Some(value));
    Candidate {
        at,
        name: name.to_owned(),
        value: Some(node.word().to_owned()),
        types: known.types,
        unit: known.unit,
        is_sure: known.is_sure,
        basis: known.basis,
        called: None,
    }
}

fn walk(topic: &str, node: &Node<'_>, path: &mut Vec<String>, found: &mut Vec<Candidate>) {
    let mut go = |key: &str, member: &Node<'_>, all: Option<&Members<'_>>| {
        // No place of a profile can name it.
        if key.contains('*') || key.is_empty() {
            return;
        }
        if let Some(number) = decimal(member) {
            let written = |key: &String| key.replace('~', "~0").replace('/', "~1");
            let keys = path.iter().map(written).chain([written(&key.to_owned())]);
            let at = keys.collect::<Vec<_>>().join("/");
            let around = format!("{topic}/{}", path.join("/"));
            let unit = all.and_then(|all| unit_beside(all, key));
            found.push(candidate(at, key, &around, unit, number, member));
        } else {
            path.push(key.to_owned());
            walk(topic, member, path, found);
            path.pop();
        }
    };
    match node {
        Node::Map(all) => (all.iter()).for_each(|(key, n)| go(key, n, Some(all))),
        Node::List(all) => {
            for (number, node) in all.iter().enumerate() {
                go(&number.to_string(), node, None);
            }
        }
        _ => {}
    }
}

/// The unit that stands beside a value: `unit`, or `{name}_unit`.
fn unit_beside<'n>(all: &'n Members<'_>, key: &str) -> Option<&'n str> {
    let is_unit = |name: &str| {
        let name = name.to_lowercase();
        let of_it = name.strip_prefix(&key.to_lowercase());
        ["unit", "units", "uom"].contains(&name.as_str())
            || of_it.is_some_and(|rest| rest.trim_start_matches('_') == "unit")
    };
    all.iter().find_map(|(name, node)| match node {
        Node::Text(unit) if is_unit(name) => Some(&**unit),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(topic: &str, payload: &str) -> Vec<String> {
        let (_, all) = candidates(topic, payload.as_bytes()).unwrap();
        let line = |c: Candidate| {
            let types: Vec<_> = c.types.iter().map(|t| t.as_str()).collect();
            let unit = c.unit.unwrap_or_default();
            format!("{} {} {} {unit}", c.at, c.value.unwrap(), types.join("|"))
        };
        all.into_iter().map(line).collect()
    }

    #[test]
    fn each_number_is_there_and_what_is_known_comes_first() {
        let payload = r#"{"Time":"2026-01-02T09:09:44","rssi":-61,"SI7021":{"Temperature":21.4,"Humidity":"55","Raw":812},
            "probe":{"value":70,"unit":"°F"},"a/b":[1],"on":true,"none":null,"x*":4}"#;
        let expected = [
            "SI7021/Humidity 55 humidity %",
            "SI7021/Temperature 21.4 temperature °C",
            "probe/value 70 temperature|soil_temperature|water_temperature °F",
            "SI7021/Raw 812  ",
            "a~1b/0 1  ",
            "rssi -61  ",
        ];
        assert_eq!(said("bed/tele/SENSOR", payload), expected);
        assert_eq!(
            said("barn/soil_moisture/1", "41.5"),
            [" 41.5 soil_moisture %"]
        );
        assert_eq!(said("barn/probe/7", " 21.5\n"), [" 21.5  "]);
        for no_number in ["", "on", "\"\"", "true", "null", "{", "\u{1}\u{2}"] {
            let found = candidates("a", no_number.as_bytes());
            assert!(found.is_err(), "{no_number:?} {found:?}");
        }
    }

    #[test]
    fn a_large_payload_has_as_many_as_a_profile_can_read() {
        let many: Vec<_> = (0..500).map(|n| format!("\"t{n}\":{n}")).collect();
        let payload = format!("{{{}}}", many.join(","));
        let (_, all) = candidates("a", payload.as_bytes()).unwrap();
        assert_eq!(all.len(), MAX_READINGS);
    }
}
