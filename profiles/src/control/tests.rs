//! What goes out for an order, what does not, and what is wrong with documents.

use harit_engine::{DeviceType, Quantity};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::Order;
use crate::{Profile, ProfileDocument, Profiles};

const ON: Order = Order::On(None);

#[test]
fn documented_orders_go_out_each_on_with_its_lease() {
    let text = include_str!("../../../testdata/profiles/commands.jsonl");
    assert!(text.lines().count() >= 15);
    let profiles = Profiles::new(vec![]);
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let word = |key: &str| line[key].as_str().unwrap();
        let order = match word("order").split_once(' ') {
            Some(("pulse", secs)) => Order::Pulse(secs.parse().unwrap()),
            Some(("on", value)) => {
                let value: i64 = value.parse().unwrap();
                Order::On(Some(Quantity::from_micro(value * 1_000_000)))
            }
            _ if word("order") == "on" => ON,
            _ => Order::Off,
        };
        let device = profiles.controlled(word("device")).expect("a device");
        let all = device.order(order, "green-7", None).expect("an order");
        let all = all
            .into_iter()
            .map(|(topic, payload)| json!({"topic": topic, "payload": payload}));
        assert_eq!(Value::Array(all.collect()), line["sent"], "{line}");
    }
}

#[test]
fn shipped_devices_are_what_their_ids_say() {
    let profiles = Profiles::new(vec![]);
    let fan = profiles.controlled("tasmota:exhaust-fan/POWER").unwrap();
    assert_eq!(fan.device_type(), DeviceType::Fan);
    assert_eq!(fan.test_seconds(), 10);
    let by_hand = profiles.controlled("shelly:shelly1-b9/0").unwrap();
    assert_eq!(by_hand.test_seconds(), 180);
    // Half a relay there is not.
    let half = Order::On(Some(Quantity::from_micro(50_000_000)));
    assert_eq!(fan.order(half, "x", None), None);
    for nobody in ["pump-1", "tasmota:bed-1/Dimmer", "nobody:x/y", "shelly:x"] {
        assert!(profiles.controlled(nobody).is_none(), "{nobody}");
    }
}

#[test]
fn a_tasmota_s_answer_shows_whether_its_lease_is_set() {
    let profiles = Profiles::new(vec![]);
    let device = profiles.controlled("tasmota:bed-1/POWER2").unwrap();
    for (topic, payload, shown) in [
        (
            "stat/bed-1/RESULT",
            r#"{"PulseTime2":{"Set":280,"Remaining":0}}"#,
            Some(true),
        ),
        (
            "stat/bed-1/RESULT",
            r#"{"PulseTime2":{"Set":0,"Remaining":0}}"#,
            Some(false),
        ),
        (
            "stat/bed-1/RESULT",
            r#"{"PulseTime1":{"Set":280,"Remaining":0}}"#,
            None,
        ),
        (
            "stat/bed-2/RESULT",
            r#"{"PulseTime2":{"Set":280,"Remaining":0}}"#,
            None,
        ),
        ("stat/bed-1/RESULT", "{", None),
    ] {
        assert_eq!(
            device.shows_lease(topic, payload.as_bytes(), 180),
            shown,
            "{payload}"
        );
    }
}

#[test]
fn filters_are_those_on_which_commands_go_out() {
    let profiles = Profiles::new(vec![]);
    for (filter, may) in [
        ("cmnd/bed-1/#", true),
        ("cmnd/bed-1/POWER", true),
        ("cmnd/+/#", true),
        ("shellyplus1-a8/rpc", true),
        ("shellies/shelly1-b9/relay/0/command", true),
        ("house/east/lease/pump", true),
        ("zigbee2mqtt/#", true),
        ("opensprinkler/command", true),
        ("stat/bed-1/RESULT/x/y", false),
        ("#", false),
        ("+/rpc", false),
        ("harit/rpc", false),
        ("harit/1/green/#", false),
        ("$SYS/#", false),
        ("/rpc", false),
    ] {
        assert_eq!(profiles.commands_on(filter), may, "{filter}");
    }
}

fn problems(devices: &str) -> Vec<String> {
    let text = format!(
        "id = \"x\"\nname = \"X\"\n[[messages]]\ntopics = [\"x/{{dev}}\"]\nreadings = []\n{devices}"
    );
    match ProfileDocument::from_toml(&text) {
        Err(problem) => vec![problem.to_string()],
        Ok(document) => match Profile::new(&document) {
            Ok(_) => Vec::new(),
            Err(all) => all.iter().map(ToString::to_string).collect(),
        },
    }
}

#[test]
fn a_document_tells_what_is_wrong_with_its_templates() {
    let text = r#"
[[devices]]
id = "{dev}/{n}"
type = "robot"
on = { topic = "harit/1/{dev}", payload = "ON {what}" }
off = { topic = "c/{seconds}", payload = '{"on": }' }
lease = { kind = "configured", seconds = 20 }
[[devices]]
id = "{dev}"
type = "pump"
on = { topic = "c/{dev}", payload = "on" }
lease = { kind = "per_command" }
[[devices]]
id = "{dev}"
type = "pump"
on = { topic = "c/{dev}", payload = "on" }
off = { topic = "c/{dev}", payload = "off" }
lease = { kind = "none" }
within = 0
[[devices]]
id = "{dev}"
type = "vent"
set_position = { topic = "c/#", payload = "{value+0}" }
off = { topic = "$c/{dev}", payload = "off" }
lease = { kind = "configured", configure = [{ topic = "c/{dev}", payload = "x" }], prove = { topic = "c/{dev}", at = "/a/*/*", least = "x" } }
"#;
    let found = problems(text);
    for path in [
        "devices[0].type: no device type \"robot\"",
        "devices[0].on.topic: \"harit/1/{dev}\" is not a topic of other devices",
        "devices[0].on.payload: the id has no capture \"what\"",
        "devices[0].off.topic",
        "devices[0].off.payload: it begins like JSON and is none",
        "devices[0].lease.seconds: 20: 120 to 3600 are possible",
        "devices[1].on: {seconds} is missing",
        "devices[1].off: what goes on has to go off",
        "devices[2].on: without a lease nothing is switched on",
        "devices[2].within: 0: 1 to 3600 are possible",
        "devices[3].set_position.topic",
        "devices[3].set_position.payload",
        "devices[3].off.topic",
        "devices[3].lease.prove.at",
        "devices[3].lease.prove.least",
        "devices[3].lease.configure: {seconds} is missing",
    ] {
        assert!(
            found.iter().any(|p| p.starts_with(path)),
            "{path}\n{found:#?}"
        );
    }
}

proptest! {
    /// Whatever a device is called: nothing goes out beside the topics of its profile, and JSON stays what it is.
    #[test]
    fn names_do_not_lead_astray(dev in "\\PC{1,20}", n in "\\PC{1,6}", id in "\\PC{0,12}") {
        let profiles = Profiles::new(vec![]);
        for own in [format!("shelly:{dev}/switch:{n}"), format!("zigbee2mqtt:{dev}/state"), format!("tasmota:{dev}/POWER{n}")] {
            let Some(device) = profiles.controlled(&own) else { continue };
            for order in [Order::On(None), Order::Off, Order::Pulse(3)] {
                for (topic, payload) in device.order(order, &id, None).into_iter().flatten() {
                    prop_assert!(!topic.starts_with("harit/") && !topic.starts_with('$') && !topic.contains(['+', '#']));
                    prop_assert!(topic.starts_with("cmnd/") || topic.starts_with("zigbee2mqtt/") || topic.ends_with("/rpc"));
                    if payload.starts_with('{') {
                        let json: serde_json::Value = serde_json::from_str(&payload).unwrap();
                        let on = json.get("params").map(|p| p["on"].as_bool());
                        prop_assert!(on.is_none_or(|on| on == Some(order.is_on())));
                    }
                }
            }
        }
    }
}
