//! The profile of messages of which people confirmed what their numbers are.

use std::hash::Hasher as _;

use crate::document::{MessageDocument, PayloadKind, ProfileDocument, ReadingDocument};
use crate::senders::thing_of;

/// The longest part of a topic in a profile's id, in bytes.
const MAX_SLUG_BYTES: usize = 40;

/// A number that a person confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// Where it stands; empty of a payload that is the number.
    pub at: String,
    /// What it measures, by name.
    pub sensor_type: String,
    /// Its unit; none is the type's.
    pub unit: Option<String>,
}

/// Makes the profile of a group of messages, or adds to the one that was made before: what is confirmed anew stands in place of
/// what was. It adds to what other profiles read of the topics.
#[must_use]
pub fn propose(
    before: Option<ProfileDocument>,
    pattern: &str,
    payload: PayloadKind,
    chosen: &[Chosen],
) -> ProfileDocument {
    let mut document = before.unwrap_or_else(|| ProfileDocument {
        devices: Vec::new(),
        id: found_id(pattern),
        name: pattern.to_owned(),
        source: String::new(),
        readings: Vec::new(),
        messages: vec![MessageDocument {
            topics: vec![pattern.to_owned()],
            payload,
            thing: thing_of(pattern),
            adds: true,
            readings: Some(Vec::new()),
            ..MessageDocument::default()
        }],
    });
    if let Some(message) = document.messages.first_mut() {
        let readings = message.readings.get_or_insert_default();
        for Chosen {
            at,
            sensor_type,
            unit,
        } in chosen
        {
            let at = Vec::from_iter((!at.is_empty()).then(|| at.clone()));
            readings.retain(|known| known.at != at);
            readings.push(ReadingDocument {
                at,
                sensor_type: sensor_type.clone(),
                unit: unit.clone(),
                ..ReadingDocument::default()
            });
        }
    }
    document
}

/// The id of the profile of such topics. It stays the same as long as they do.
#[must_use]
pub fn found_id(pattern: &str) -> String {
    let plain = |c: char| match c.to_ascii_lowercase() {
        c if c.is_ascii_alphanumeric() => c,
        _ => '-',
    };
    let slug: String = pattern.chars().map(plain).take(MAX_SLUG_BYTES).collect();
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    hash.write(pattern.as_bytes());
    format!("found-{slug}-{:08x}", hash.finish() >> 32)
}

/// FNV-1a: the same in every version of the program, as an id has to be.
struct Fnv(u64);

impl std::hash::Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Aliases, Profile, Profiles};

    fn chosen(at: &str, sensor_type: &str, unit: Option<&str>) -> Chosen {
        Chosen {
            at: at.to_owned(),
            sensor_type: sensor_type.to_owned(),
            unit: unit.map(str::to_owned),
        }
    }

    fn read(profiles: &Profiles, topic: &str, payload: &str) -> Vec<String> {
        let mut aliases = Aliases::default();
        let (_, said) = profiles
            .read(topic, payload.as_bytes(), &mut aliases)
            .unwrap();
        let line = |r: crate::Reading| format!("{} {} {:?}", r.id, r.sensor_type, r.value);
        said.readings.into_iter().map(line).collect()
    }

    #[test]
    fn what_is_confirmed_one_by_one_is_read_by_one_profile() {
        let pattern = "{dev}/tele/SENSOR";
        let first = [chosen("AM2301/Temperature", "temperature", Some("°F"))];
        let one = propose(None, pattern, PayloadKind::Json, &first);
        let again = [
            chosen("AM2301/Humidity", "humidity", None),
            chosen("AM2301/Temperature", "temperature", None),
        ];
        let two = propose(Some(one.clone()), pattern, PayloadKind::Json, &again);
        assert_eq!(two.id, one.id);
        let text = two.to_toml();
        assert_eq!(ProfileDocument::from_toml(&text).as_ref(), Ok(&two));
        let profiles = Profiles::new(vec![Profile::new(&two).unwrap()]);
        let payload = r#"{"AM2301":{"Temperature":21,"Humidity":55}}"#;
        let ids = read(&profiles, "bed/tele/SENSOR", payload);
        assert!(
            ids[0].starts_with("bed/AM2301/Humidity humidity"),
            "{ids:?}"
        );
        assert!(
            ids[1].starts_with("bed/AM2301/Temperature temperature"),
            "{ids:?}"
        );
        assert_eq!(ids.len(), 2);
        let other = propose(None, "{dev}-tele/SENSOR", PayloadKind::Json, &first);
        assert_ne!(other.id, one.id);
    }

    #[test]
    fn what_others_read_of_the_topic_is_read_too_and_what_is_confirmed_counts_first() {
        let topic = "zigbee2mqtt/bed";
        let more = [chosen("soil_ph", "ph", None)];
        let adds = propose(None, topic, PayloadKind::Json, &more);
        assert_eq!(adds.messages[0].thing.as_deref(), Some("bed"));
        let profiles = |d| Profiles::new(vec![Profile::new(d).unwrap()]);
        let payload = r#"{"temperature":70,"humidity":50,"soil_ph":6.5}"#;
        let all = read(&profiles(&adds), topic, payload);
        assert_eq!(all.len(), 3, "{all:?}");
        let unit = [chosen("temperature", "temperature", Some("°F"))];
        let corrected = propose(Some(adds.clone()), topic, PayloadKind::Json, &unit);
        let all = read(&profiles(&corrected), topic, payload);
        let corrected = "bed/temperature temperature Value(Decimal { micro: 21111111";
        assert!(
            all.iter().any(|line| line.starts_with(corrected)),
            "{all:?}"
        );
        assert_eq!(all.len(), 3, "{all:?}");
    }
}
