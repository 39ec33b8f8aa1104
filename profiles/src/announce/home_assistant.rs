//! Home Assistant's discovery: `homeassistant/{component}/[{node}/]{object}/config`, one component or a whole device.

use serde_json::{Map, Value};

use super::{Announcement, Introduced, Said, announced, short, text};
use crate::document::PayloadKind;

/// Short spellings, each with the word that it stands for.
const SHORT: &[(&str, &str)] = &[
    ("stat_t", "state_topic"),
    ("dev_cla", "device_class"),
    ("unit_of_meas", "unit_of_measurement"),
    ("val_tpl", "value_template"),
    ("dev", "device"),
    ("cmps", "components"),
    ("p", "platform"),
    ("mdl", "model"),
    ("ids", "identifiers"),
];

/// Reads what is announced at a topic of these levels.
pub(super) fn read(levels: &[&str], body: &Value, said: &mut Said) {
    let Some(body) = body.as_object() else {
        return;
    };
    let body = spelled(body);
    let device = body.get("device").and_then(Value::as_object).map(spelled);
    let device = Value::Object(device.unwrap_or_default());
    let component = levels.get(1).copied().unwrap_or_default();
    if component == "device" {
        let all = body.get("components").and_then(Value::as_object);
        for part in all.into_iter().flat_map(|all| all.values()) {
            let Some(part) = part.as_object().map(spelled) else {
                continue;
            };
            // What holds for the whole device stands above its parts.
            let mut whole = body.clone();
            whole.extend(part);
            let platform = whole.get("platform").and_then(Value::as_str);
            if platform == Some("sensor") {
                sensor(&whole, &device, said);
            }
        }
    } else if component == "sensor" {
        sensor(&body, &device, said);
    }
}

/// An object with its short words written out.
fn spelled(body: &Map<String, Value>) -> Map<String, Value> {
    let word = |key: &String| {
        let long = SHORT.iter().find(|(short, _)| short == key);
        long.map_or_else(|| key.clone(), |(_, long)| (*long).to_owned())
    };
    body.iter().map(|(k, v)| (word(k), v.clone())).collect()
}

fn sensor(body: &Map<String, Value>, device: &Value, said: &mut Said) {
    let of = |key: &str| body.get(key).and_then(Value::as_str);
    let Some(topic) = of("state_topic") else {
        return;
    };
    let topic = whole_topic(topic, of("~").unwrap_or_default());
    let Some(at) = place(of("value_template").unwrap_or_default()) else {
        return;
    };
    let payload = if at.is_empty() {
        PayloadKind::Text
    } else {
        PayloadKind::Json
    };
    let key = match at.last() {
        Some(key) => key.clone(),
        // The topic's own word for it: `{prefix}/sensor/{word}/state`.
        None => {
            let mut levels = topic.rsplit('/').filter(|level| *level != "state");
            levels.next().unwrap_or_default().to_owned()
        }
    };
    let written = at
        .iter()
        .map(|key| key.replace('~', "~0").replace('/', "~1"));
    let at = written.collect::<Vec<_>>().join("/");
    let name = of("name").or_else(|| of("object_id"));
    let candidate = announced(
        at,
        &key,
        name,
        of("device_class"),
        of("unit_of_measurement"),
    );
    if let Some(name) = text(device, "name") {
        let levels = topic.split('/');
        let thing = levels.clone().find(|level| *level == name);
        let thing = thing.or_else(|| levels.clone().find(|l| !GENERAL.contains(l)));
        said.things.extend(thing.map(|thing| Introduced {
            system: "home-assistant",
            thing: thing.to_owned(),
            name: Some(short(name)),
            model: text(device, "model").map(short),
        }));
    }
    said.numbers.push(Announcement {
        system: "home-assistant",
        topic,
        payload,
        candidate,
    });
}

/// Levels that begin topics of other systems and name no thing.
const GENERAL: &[&str] = &[
    "tele",
    "stat",
    "zigbee2mqtt",
    "homeassistant",
    "home",
    "sensor",
    "shellies",
];

/// A topic in which `~` at its beginning or end stands for a base.
fn whole_topic(topic: &str, base: &str) -> String {
    if let Some(rest) = topic.strip_prefix('~') {
        return format!("{base}{rest}");
    }
    match topic.strip_suffix('~') {
        Some(rest) => format!("{rest}{base}"),
        None => topic.to_owned(),
    }
}

/// The keys of the place that a template takes: `{{ value_json.a['b'].c | round(1) }}`; none of the whole value. Nothing where
/// it takes something else.
fn place(template: &str) -> Option<Vec<String>> {
    let template = template.trim();
    if template.is_empty() {
        return Some(Vec::new());
    }
    let inner = template.strip_prefix("{{")?.strip_suffix("}}")?.trim();
    let path = inner.split('|').next()?.trim();
    if path == "value" {
        return Some(Vec::new());
    }
    let mut rest = path.strip_prefix("value_json")?;
    let mut keys = Vec::new();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            let key = after.get(..end).filter(|key| is_word(key))?;
            keys.push(key.to_owned());
            rest = after.get(end..)?;
        } else {
            let (key, after) = rest.strip_prefix('[')?.split_once(']')?;
            let key = key.trim();
            let quoted = ['\'', '"'].iter().find_map(|q| {
                let inner = key.strip_prefix(*q)?.strip_suffix(*q)?;
                Some(inner).filter(|inner| !inner.is_empty() && !inner.contains('*'))
            });
            let number = key.bytes().all(|b| b.is_ascii_digit()).then_some(key);
            keys.push(quoted.or(number).filter(|key| !key.is_empty())?.to_owned());
            rest = after;
        }
    }
    (!keys.is_empty()).then_some(keys)
}

fn is_word(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_that_takes_a_place_is_read_and_others_are_not() {
        for (template, expected) in [
            ("", Some("")),
            ("{{ value }}", Some("")),
            ("{{ value_json.temperature }}", Some("temperature")),
            (
                "{{value_json['AM2301'].Temperature | round(1)}}",
                Some("AM2301 Temperature"),
            ),
            ("{{ value_json[\"a b\"][0] }}", Some("a b 0")),
            ("{{ value_json }}", None),
            ("{{ value_json.a + 1 }}", None),
            ("{% if value %}1{% endif %}", None),
            ("{{ states('x') }}", None),
        ] {
            let keys = place(template).map(|keys| keys.join(" "));
            assert_eq!(keys.as_deref(), expected, "{template}");
        }
        assert_eq!(whole_topic("~/state", "a/b"), "a/b/state");
        assert_eq!(whole_topic("x/~", "a"), "x/a");
    }
}
