//! Sparkplug B: a protobuf of metrics, which births name and number, and later messages name by number alone.
//!
//! Read into `{"metrics": {name: {"value", "unit", "time"}}}`, with times in milliseconds.

use std::collections::HashMap;

use prost::Message;

use crate::node::{Member, Node};
use crate::{MAX_NODES, Unread};

/// The most edge nodes and devices whose aliases are remembered; past it all are forgotten, and births have to come again.
const MAX_SENDERS: usize = 1_024;
/// The most metrics of one of them.
const MAX_ALIASES: usize = 1_024;
/// The longest name or unit that is remembered, in bytes.
const MAX_NAME_BYTES: usize = 128;

/// What births told, by group, edge node and device.
#[derive(Debug, Default)]
pub struct Aliases(HashMap<String, Born>);

/// What a birth told of its metrics, for the messages that leave it out.
#[derive(Debug, Default)]
struct Born {
    names: HashMap<u64, String>,
    units: HashMap<String, String>,
}

#[derive(Clone, PartialEq, Message)]
struct Payload {
    #[prost(uint64, optional, tag = "1")]
    timestamp: Option<u64>,
    #[prost(message, repeated, tag = "2")]
    metrics: Vec<Metric>,
}

#[derive(Clone, PartialEq, Message)]
struct Metric {
    #[prost(string, optional, tag = "1")]
    name: Option<String>,
    #[prost(uint64, optional, tag = "2")]
    alias: Option<u64>,
    #[prost(uint64, optional, tag = "3")]
    timestamp: Option<u64>,
    #[prost(uint32, optional, tag = "4")]
    datatype: Option<u32>,
    #[prost(bool, optional, tag = "7")]
    is_null: Option<bool>,
    #[prost(message, optional, tag = "9")]
    properties: Option<Properties>,
    #[prost(oneof = "Value", tags = "10, 11, 12, 13, 14, 15")]
    value: Option<Value>,
}

#[derive(Clone, PartialEq, prost::Oneof)]
enum Value {
    #[prost(uint32, tag = "10")]
    Int(u32),
    #[prost(uint64, tag = "11")]
    Long(u64),
    #[prost(float, tag = "12")]
    Float(f32),
    #[prost(double, tag = "13")]
    Double(f64),
    #[prost(bool, tag = "14")]
    Boolean(bool),
    #[prost(string, tag = "15")]
    Text(String),
}

#[derive(Clone, PartialEq, Message)]
struct Properties {
    #[prost(string, repeated, tag = "1")]
    keys: Vec<String>,
    #[prost(message, repeated, tag = "2")]
    values: Vec<Property>,
}

#[derive(Clone, PartialEq, Message)]
struct Property {
    #[prost(string, optional, tag = "8")]
    text: Option<String>,
}

/// Data types of signed integers, whose numbers stand on the wire as unsigned ones.
const INT8: u32 = 1;
const INT16: u32 = 2;
const INT32: u32 = 3;
const INT64: u32 = 4;

/// Reads a payload; a birth's names are remembered.
pub(crate) fn read(
    topic: &str,
    payload: &[u8],
    aliases: &mut Aliases,
) -> Result<Node<'static>, Unread> {
    let payload = Payload::decode(payload).map_err(|_| Unread::Malformed)?;
    if payload.metrics.len() * 4 > MAX_NODES {
        return Err(Unread::TooMany);
    }
    // spBv1.0/{group}/{kind}/{edge node}[/{device}]
    let mut levels = topic.splitn(4, '/').skip(1);
    let (group, kind) = (levels.next().unwrap_or(""), levels.next().unwrap_or(""));
    let sender = format!("{group}/{}", levels.next().unwrap_or(""));
    if kind.ends_with("BIRTH") {
        aliases.born(sender.clone(), &payload.metrics);
    }
    let known = aliases.0.get(&sender);
    let mut metrics = Vec::new();
    for metric in payload.metrics {
        let name = match (&metric.name, metric.alias) {
            (Some(name), _) if !name.is_empty() => name.clone(),
            (_, Some(alias)) => known
                .and_then(|known| known.names.get(&alias))
                .ok_or(Unread::UnknownAlias)?
                .clone(),
            _ => return Err(Unread::Malformed),
        };
        let mut members = vec![Member::new("value", metric.node())];
        if let Some(time) = metric.timestamp.or(payload.timestamp) {
            members.push(Member::new("time", Node::Number(time.to_string().into())));
        }
        let unit = metric.properties.as_ref().and_then(Properties::unit);
        if let Some(unit) = unit.or_else(|| known?.units.get(&name).cloned()) {
            members.push(Member::new("unit", Node::Text(unit.into())));
        }
        metrics.push(Member::new(name, Node::Map(members.into())));
    }
    let metrics = Member::new("metrics", Node::Map(metrics.into()));
    Ok(Node::Map(vec![metrics].into()))
}

impl Aliases {
    fn born(&mut self, sender: String, metrics: &[Metric]) {
        if self.0.len() >= MAX_SENDERS && !self.0.contains_key(&sender) {
            self.0.clear();
        }
        let mut born = Born::default();
        for metric in metrics.iter().take(MAX_ALIASES) {
            let Some(name) = metric.name.as_ref().filter(|n| n.len() <= MAX_NAME_BYTES) else {
                continue;
            };
            if let Some(alias) = metric.alias {
                born.names.insert(alias, name.clone());
            }
            let unit = metric.properties.as_ref().and_then(Properties::unit);
            if let Some(unit) = unit.filter(|unit| unit.len() <= MAX_NAME_BYTES) {
                born.units.insert(name.clone(), unit);
            }
        }
        self.0.insert(sender, born);
    }
}

impl Metric {
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "signed integers stand on the wire as the unsigned ones of the same bits"
    )]
    fn node(&self) -> Node<'static> {
        if self.is_null == Some(true) {
            return Node::Null;
        }
        let number = |text: String| Node::Number(text.into());
        match (&self.value, self.datatype) {
            (None, _) => Node::Null,
            (Some(Value::Int(n)), Some(INT8)) => number((*n as i8).to_string()),
            (Some(Value::Int(n)), Some(INT16)) => number((*n as i16).to_string()),
            (Some(Value::Int(n)), Some(INT32)) => number((*n as i32).to_string()),
            (Some(Value::Int(n)), _) => number(n.to_string()),
            (Some(Value::Long(n)), Some(INT64)) => number((*n as i64).to_string()),
            (Some(Value::Long(n)), _) => number(n.to_string()),
            // The shortest decimal of a single-precision float.
            (Some(Value::Float(f)), _) if f.is_finite() => number(f.to_string()),
            (Some(Value::Float(f)), _) => Node::Text(f.to_string().into()),
            (Some(Value::Double(f)), _) => Node::float(*f),
            (Some(Value::Boolean(b)), _) => Node::Bool(*b),
            (Some(Value::Text(text)), _) => Node::Text(text.clone().into()),
        }
    }
}

impl Properties {
    fn unit(&self) -> Option<String> {
        let at = self.keys.iter().position(|key| key == "engUnit")?;
        self.values.get(at)?.text.clone()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The bytes of a payload that the specification writes as JSON.
    pub(crate) fn encoded(json: &serde_json::Value) -> Vec<u8> {
        let metrics = json["metrics"].as_array().unwrap().iter().map(|metric| {
            let value = &metric["value"];
            let text = value.to_string();
            Metric {
                name: metric["name"].as_str().map(ToOwned::to_owned),
                alias: metric["alias"].as_u64(),
                timestamp: metric["timestamp"].as_u64(),
                datatype: match metric["dataType"].as_str() {
                    Some("Int32") => Some(INT32),
                    _ => None,
                },
                is_null: value.is_null().then_some(true),
                properties: metric["unit"].as_str().map(|unit| Properties {
                    keys: vec!["x".into(), "engUnit".into()],
                    values: vec![
                        Property { text: None },
                        Property {
                            text: Some(unit.into()),
                        },
                    ],
                }),
                value: match metric["dataType"].as_str() {
                    Some("Float") => text.parse().ok().map(Value::Float),
                    Some("Double") => text.parse().ok().map(Value::Double),
                    Some("Boolean") => value.as_bool().map(Value::Boolean),
                    Some("String") => value.as_str().map(|s| Value::Text(s.into())),
                    #[allow(clippy::cast_sign_loss, reason = "as on the wire")]
                    Some("Int32") => text.parse::<i32>().ok().map(|n| Value::Int(n as u32)),
                    _ => text.parse().ok().map(Value::Long),
                },
            }
        });
        let payload = Payload {
            timestamp: json["timestamp"].as_u64(),
            metrics: metrics.collect(),
        };
        payload.encode_to_vec()
    }

    #[test]
    fn a_birth_names_what_data_numbers() {
        let mut aliases = Aliases::default();
        let born = serde_json::json!({"timestamp": 5, "metrics": [
            {"name": "air/temp", "alias": 1, "dataType": "Float", "value": 27.2, "unit": "°C"},
            {"name": "level", "alias": 2, "dataType": "Int32", "value": -4}]});
        let data = serde_json::json!({"metrics": [{"alias": 2, "dataType": "Int32", "value": -5, "timestamp": 9}]});
        let unknown = read("spBv1.0/g/NDATA/e", &encoded(&data), &mut aliases);
        assert_eq!(unknown, Err(Unread::UnknownAlias));
        let node = read("spBv1.0/g/NBIRTH/e", &encoded(&born), &mut aliases).unwrap();
        let expected = br#"{"metrics":{"air/temp":{"value":27.2,"unit":"\u00b0C","time":5},"level":{"value":-4,"time":5}}}"#;
        assert_eq!(Ok(node), Node::json(expected));
        let node = read("spBv1.0/g/NDATA/e", &encoded(&data), &mut aliases).unwrap();
        let expected = br#"{"metrics":{"level":{"value":-5,"time":9}}}"#;
        assert_eq!(Ok(node), Node::json(expected));
        // Another node's numbers are others.
        let other = read("spBv1.0/g/NDATA/f", &encoded(&data), &mut aliases);
        assert_eq!(other, Err(Unread::UnknownAlias));
        assert_eq!(
            read("spBv1.0/g/NDATA/e", b"\xff\xff", &mut aliases),
            Err(Unread::Malformed)
        );
    }
}
