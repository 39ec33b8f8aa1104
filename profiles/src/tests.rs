//! What systems document that they say, played to the shipped profiles: `testdata/profiles`.

use std::path::Path;

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::sparkplug::tests::encoded;
use crate::{Aliases, Profile, ProfileDocument, Profiles, Said, Unread};

/// What a payload became, as the lines say it: one text each, in an order of its own.
fn told(said: Said) -> Vec<String> {
    let mut all = Vec::new();
    for r in said.readings {
        let value = serde_json::to_value(r.value).unwrap();
        let value = value.as_f64().map_or(value, |f| json!(f));
        all.push(format!(
            "{} {value} {}",
            r.sensor_type,
            r.sensor_type.unit()
        ));
    }
    for d in said.devices {
        all.push(format!("device.on {} ", d.on));
    }
    if let Some(online) = said.online {
        all.push(format!("controller.online {online} "));
    }
    for a in said.announced {
        match a.sensor_type {
            Some(t) => all.push(format!("{t} null {}", t.unit())),
            None => all.push("device.on null ".to_owned()),
        }
    }
    all.sort();
    all
}

fn expected(line: &Value) -> Vec<String> {
    let list = line.get("now").unwrap_or(&line["expected"]);
    let mut all: Vec<_> = (list.as_array().unwrap().iter())
        .map(|e| {
            let value = e["value"].as_f64().map_or(e["value"].clone(), |f| json!(f));
            let text = |key: &str| e[key].as_str().unwrap().to_owned();
            format!("{} {value} {}", text("sensor"), text("unit"))
        })
        .collect();
    all.sort();
    all
}

fn lines(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../testdata/profiles")
        .join(name);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn play(line: &Value, aliases: &mut Aliases) -> Vec<String> {
    let topic = line["topic"].as_str().unwrap();
    let payload = line["payload"].as_str().unwrap();
    let bytes = match line["system"].as_str() {
        // The specification writes a protobuf as JSON.
        Some("Sparkplug B") => encoded(&serde_json::from_str(payload).unwrap()),
        _ => payload.as_bytes().to_vec(),
    };
    match Profiles::new(vec![]).read(topic, &bytes, aliases) {
        Ok((_, said)) => told(said),
        // A topic that is none of a system's own messages: nothing becomes a reading.
        Err(Unread::NoProfile) => Vec::new(),
        Err(error) => vec![format!("{error}")],
    }
}

#[test]
fn documented_payloads_become_exactly_the_readings_that_they_mean() {
    let mut aliases = Aliases::default();
    let mut wrong = Vec::new();
    let mut all = lines("payloads.jsonl");
    assert!(all.len() >= 65);
    all.extend(lines("devices.jsonl"));
    for line in all {
        let (found, expected) = (play(&line, &mut aliases), expected(&line));
        if found != expected {
            wrong.push(format!(
                "{}\n  {}\n  became {found:?}\n  not    {expected:?}",
                line["system"], line["payload"]
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

fn problems(text: &str) -> Vec<String> {
    let document = match ProfileDocument::from_toml(text) {
        Ok(document) => document,
        Err(problem) => return vec![problem.to_string()],
    };
    let all = Profile::new(&document).expect_err("a problem");
    all.iter().map(ToString::to_string).collect()
}

#[test]
fn a_document_tells_all_its_problems_with_their_places() {
    let text = r#"id = "My Probe"
name = "Probe"
[[messages]]
topics = ["a/+/b", "tank/{dev}"]
readings = [
  { at = ["/*/*"], type = "temperature", unit = "lux" },
  { at = ["x"], type = "salt" },
  { at = ["x"], type = "distance", points = [[5, 0], [5, 100]], when = { what = ["x"] } },
]
online = { on = ["yes"], off = ["yes"] }
"#;
    assert_eq!(
        problems(text),
        [
            "id: \"My Probe\": 1 to 64 lower-case letters, digits and hyphens",
            "messages[0].topics[0]: \"+\": write {name} for + and {name...} for #",
            "messages[0].readings[0].at[0]: \"/*/*\" has 2 keys with *; one is possible",
            "messages[0].readings[0].unit: \"lux\" is no unit of temperature, which is kept in \"°C\"",
            "messages[0].readings[1].type: no sensor type \"salt\"",
            "messages[0].readings[2].when: not every topic has a capture \"what\"",
            "messages[0].readings[2].points: both points have the same number, so there is no line",
            "messages[0].online.off: \"yes\" is a word for yes too",
        ]
    );
    let misspelt = "id = \"a\"\nname = \"A\"\n[[messages]]\ntopics = [\"a\"]\nreading = []\n";
    let [problem] = &problems(misspelt)[..] else {
        panic!()
    };
    assert!(
        problem.starts_with("messages[0]") && problem.contains("reading"),
        "{problem}"
    );
}

#[test]
fn a_raw_number_is_calibrated_by_two_points_and_words_have_values() {
    let text = r#"id = "own"
name = "Own"
[[messages]]
topics = ["tele/{dev}/SENSOR"]
within = ["/*"]
readings = [
  { at = ["A0"], type = "soil_moisture", points = [[1024, 0], [424, 100]] },
  { at = ["Phase"], type = "phase_present", values = { there = 1, gone = 0 } },
]
[[messages]]
topics = ["tank/{dev}"]
payload = "cbor"
readings = [{ at = ["cm"], type = "reservoir_level", points = [["150", "0"], ["20", "100"]], absent = [-1] }]
"#;
    let own = Profile::new(&ProfileDocument::from_toml(text).unwrap()).unwrap();
    // Its own profile comes before the shipped one.
    let profiles = Profiles::new(vec![own]);
    let mut aliases = Aliases::default();
    let mut read = |topic, payload: &[u8]| {
        let (id, said) = profiles.read(topic, payload, &mut aliases).unwrap();
        assert_eq!(id, "own");
        told(said)
    };
    let payload = br#"{"ANALOG":{"A0":874,"Phase":"There"}}"#;
    let expected = ["phase_present 1.0 ", "soil_moisture 25.0 %"];
    assert_eq!(read("tele/bed/SENSOR", payload), expected);
    assert_eq!(
        read("tank/north", b"\xa1\x62cm\x18\x21"),
        ["reservoir_level 90.0 %"]
    );
    assert!(read("tank/north", b"\xa1\x62cm\x20").is_empty());
}

#[test]
fn things_keep_their_names_over_the_ways_in_which_they_are_said() {
    let profiles = Profiles::new(vec![]);
    let mut aliases = Aliases::default();
    let mut ids = |topic, payload: &str| {
        let (_, said) = profiles
            .read(topic, payload.as_bytes(), &mut aliases)
            .unwrap();
        let of = said.readings.into_iter().map(|r| r.id);
        of.chain(said.devices.into_iter().map(|d| d.id))
            .collect::<Vec<_>>()
    };
    let status = ids("s/status/temperature:0", r#"{"id":0,"tC":20.1}"#);
    assert_eq!(status, ["s/temperature:0/tC"]);
    let event = r#"{"params":{"ts":1.5,"temperature:0":{"tC":20},"switch:0":{"output":true}}}"#;
    assert_eq!(
        ids("s/events/rpc", event),
        ["s/temperature:0/tC", "s/switch:0"]
    );
    assert_eq!(
        ids("s/status/switch:0", r#"{"output":false}"#),
        ["s/switch:0"]
    );
    assert_eq!(ids("tele/t/STATE", r#"{"POWER1":"ON"}"#), ["t/POWER1"]);
    assert_eq!(ids("stat/t/POWER1", "OFF"), ["t/POWER1"]);
    let lines = "m,name=mixer temperature=1 1\nm,name=tank temperature=2 1";
    let expected = [
        "pi/modbus/m/mixer/fields/temperature",
        "pi/modbus/m/tank/fields/temperature",
    ];
    assert_eq!(ids("telegraf/pi/modbus", lines), expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn hostile_payloads_are_read_or_refused(
        which in 0_usize..200,
        cuts in proptest::collection::vec((0_usize..2_000, any::<u8>()), 0..6),
        bytes in proptest::collection::vec(any::<u8>(), 0..300),
        own in any::<bool>(),
    ) {
        let mut all = lines("payloads.jsonl");
        all.extend(lines("devices.jsonl"));
        let line = &all[which % all.len()];
        let mut payload = match own {
            true => bytes,
            false => line["payload"].as_str().unwrap().as_bytes().to_vec(),
        };
        for (at, byte) in cuts {
            if let Some(b) = payload.get_mut(at) {
                *b = byte;
            }
        }
        let topic = line["topic"].as_str().unwrap();
        if let Ok((_, said)) = Profiles::new(vec![]).read(topic, &payload, &mut Aliases::default()) {
            prop_assert!(said.readings.len() <= crate::MAX_SAID);
            for reading in &said.readings {
                prop_assert!(harit_protocol::usable_id(&reading.id));
            }
        }
    }
}

/// Documents and payloads that take as much as they may, by what they make expensive.
fn hostile() -> Vec<(&'static str, String, String)> {
    let document = |within: &str, readings: String| {
        format!(
            "id = \"h\"\nname = \"H\"\n[[messages]]\ntopics = [\"h\"]\nwithin = [\"{within}\"]\nreadings = [{readings}]\n"
        )
    };
    let reading =
        |at: &str, more: &str| format!("{{ at = [{at}], type = \"temperature\"{more} }},");
    let stars = format!("\"{}z\"", "*a".repeat(120));
    let long = format!("{{\"{}\": 1}}", "a".repeat(250_000));
    let wide = |value: &str| {
        let all = (0..2_000).map(|n| format!("\"k{n}\":{value}"));
        format!("{{{}}}", all.collect::<Vec<_>>().join(","))
    };
    let keys: Vec<_> = (0..400)
        .map(|n| format!("\"{}{n}\":1", "a".repeat(240)))
        .collect();
    vec![
        (
            "a long key",
            document("/", reading(&stars, "").repeat(64)),
            long,
        ),
        (
            "keys that match late",
            document("/", reading(&stars, "").repeat(64)),
            format!("{{{}}}", keys.join(",")),
        ),
        (
            "everything at each place",
            document("/*", reading("\"/*\"", ", absent = [1]").repeat(64)),
            wide("1"),
        ),
        (
            "what is not there at each place",
            document("/*", reading("\"/none\"", "").repeat(64)),
            wide("{}"),
        ),
        (
            "the same again and again",
            document("/", reading("\"k*\"", "").repeat(64)),
            wide("1"),
        ),
    ]
}

#[test]
fn no_message_takes_long_to_read_whatever_its_profile_says() {
    for (what, document, payload) in hostile() {
        let document = ProfileDocument::from_toml(&document).unwrap();
        let profiles = Profiles::of_one(Profile::new(&document).unwrap());
        let began = std::time::Instant::now();
        let read = profiles.read("h", payload.as_bytes(), &mut Aliases::default());
        let took = began.elapsed();
        println!(
            "{what}: {took:?}, {:?}",
            read.map(|(_, said)| said.readings.len())
        );
        assert!(took.as_millis() < 250, "{what}: {took:?}");
    }
    // and all profiles that add to one topic have no more than one of them alone
    let adds = |n: usize| {
        let text = format!(
            "id = \"h{n}\"\nname = \"H\"\n[[messages]]\ntopics = [\"h\"]\nadds = true\nreadings = [{{ at = [\"k*\"], type = \"temperature\" }}]\n"
        );
        Profile::new(&ProfileDocument::from_toml(&text).unwrap()).unwrap()
    };
    let profiles = Profiles::new((0..200).map(adds).collect());
    let payload = format!("{{\"k\": 21.5, \"text\": \"{}\"}}", "x".repeat(200_000));
    let began = std::time::Instant::now();
    let read = profiles.read("h", payload.as_bytes(), &mut Aliases::default());
    let took = began.elapsed();
    assert_eq!(read.unwrap().1.readings.len(), 1);
    assert!(took.as_millis() < 250, "{took:?}");
}
