//! An alert document that a person sends. The engine takes whatever it can compute with; here is what makes sense to people:
//! ways of telling that there are, people to tell, thresholds that a sensor can reach.

use harit_engine::{AlertSpec, Decimal, NumberRange, Problems};
use serde_json::{Value, json};

use crate::contact::Contact;

/// The ways in which people are told.
const CHANNELS: [&str; 4] = ["EMAIL", "WHATSAPP", "SMS", "PUSH"];
/// The most people that an alert tells.
const MAX_SUBSCRIBERS: usize = 100;

/// Reads it; the units are those of the sensors.
pub(super) fn read(document: &Value) -> Result<AlertSpec, Problems> {
    let mut problems = Problems::default();
    let read = AlertSpec::from_json(document);
    check_channels(&document["channels"], &mut problems);
    check_subscribers(&document["subscribers"], &mut problems);
    match read {
        Ok(mut spec) => {
            check_thresholds(&spec, &mut problems);
            if spec.channels.is_null() {
                spec.channels = json!([]);
            }
            for condition in &mut spec.conditions {
                condition.unit = json!(condition.sensor.sensor_type().unit());
            }
            if problems.0.is_empty() {
                Ok(spec)
            } else {
                Err(problems)
            }
        }
        Err(mut all) => {
            all.0.append(&mut problems.0);
            Err(all)
        }
    }
}

fn check_channels(channels: &Value, problems: &mut Problems) {
    let list = match channels {
        Value::Null => return,
        Value::Array(list) => list.as_slice(),
        _ => {
            return problems.add("channels", "wrong_type", "expected a list");
        }
    };
    for (i, channel) in list.iter().enumerate() {
        if !channel.as_str().is_some_and(|c| CHANNELS.contains(&c)) {
            let message = format!("{channel} is none of {}", CHANNELS.join(", "));
            problems.add(format!("channels[{i}]"), "unknown_word", message);
        }
    }
}

fn check_subscribers(subscribers: &Value, problems: &mut Problems) {
    let list = subscribers.as_array().map_or(&[][..], Vec::as_slice);
    if list.is_empty() || list.len() > MAX_SUBSCRIBERS {
        let message = format!("1 to {MAX_SUBSCRIBERS} people are told, each as {{\"email\"}}");
        return problems.add("subscribers", "required", message);
    }
    for (i, subscriber) in list.iter().enumerate() {
        let email = subscriber["email"].as_str().and_then(Contact::parse);
        if !matches!(email, Some(Contact::Email(_))) {
            let path = format!("subscribers[{i}].email");
            problems.add(path, "invalid_email", "expected an e-mail address");
        }
    }
}

/// A threshold that no reading can pass would never be told of.
fn check_thresholds(spec: &AlertSpec, problems: &mut Problems) {
    for (i, condition) in spec.conditions.iter().enumerate() {
        let sensor = condition.sensor.sensor_type();
        let (min, max) = sensor.plausible_range();
        if !Decimal::exact(condition.value).within(min, max) {
            let range = NumberRange::of_units(min, max).in_unit(sensor.unit());
            problems.outside(format!("conditions[{i}].value"), condition.value, range);
        }
    }
}
