use super::*;

fn hear(all: &[(&str, &str)]) -> Announcements {
    let mut heard = Announcements::default();
    for (topic, payload) in all {
        assert!(Announcements::may_be(topic), "{topic}");
        heard.hear(topic, payload.as_bytes());
    }
    heard
}

fn lines(heard: &Announcements) -> Vec<String> {
    let line = |a: &Announcement| {
        let Candidate {
            at,
            types,
            unit,
            is_sure,
            called,
            ..
        } = &a.candidate;
        let types: Vec<_> = types.iter().map(|t| t.as_str()).collect();
        let mark = if *is_sure { "" } else { " ?" };
        let unit = unit.as_deref().unwrap_or_default();
        let called = called.as_deref().unwrap_or_default();
        format!(
            "{} [{at}] {} {unit} {called}{mark}",
            a.topic,
            types.join("|")
        )
    };
    heard.numbers().map(line).collect()
}

#[test]
fn home_assistant_s_discovery_is_read_short_and_long_with_nodes_and_whole_devices() {
    let heard = hear(&[
        (
            "homeassistant/sensor/greenhouse/tank_level/config",
            r#"{"name":"Tank","unit_of_meas":"%","stat_t":"~/sensor/tank_level/state","~":"greenhouse","avty_t":"~/status",
                "dev":{"ids":"ac67b2","name":"greenhouse","mdl":"esp32dev"}}"#,
        ),
        (
            "homeassistant/sensor/abc/config",
            r#"{"state_topic":"bed/tele/SENSOR","value_template":"{{value_json['AM2301'].Temperature}}",
                "device_class":"temperature","unit_of_measurement":"°F"}"#,
        ),
        (
            "homeassistant/device/box/config",
            r#"{"dev":{"name":"Box"},"stat_t":"box/state","cmps":{
                "a":{"p":"sensor","dev_cla":"moisture","unit_of_meas":"%","val_tpl":"{{ value_json.soil }}"},
                "b":{"p":"switch","cmd_t":"x"}}}"#,
        ),
        ("homeassistant/sensor/gone/config", ""),
        (
            "homeassistant/sensor/odd/config",
            r#"{"stat_t":"x","val_tpl":"{{ 1 + 1 }}"}"#,
        ),
        (
            "homeassistant/switch/x/config",
            r#"{"stat_t":"x","cmd_t":"y"}"#,
        ),
    ]);
    let expected = [
        "bed/tele/SENSOR [AM2301/Temperature] temperature °F ",
        "box/state [soil] soil_moisture % ",
        "greenhouse/sensor/tank_level/state [] reservoir_level % Tank",
    ];
    assert_eq!(lines(&heard), expected);
    let thing = heard
        .thing_of("greenhouse/sensor/tank_level/state")
        .unwrap();
    assert_eq!(thing.model.as_deref(), Some("esp32dev"));
}

#[test]
fn percent_without_a_class_is_asked() {
    let payload = r#"{"name":"Probe 1","stat_t":"eco/probe1","unit_of_meas":"%"}"#;
    let heard = hear(&[("homeassistant/sensor/p/config", payload)]);
    let [line] = &lines(&heard)[..] else { panic!() };
    assert!(
        line.contains("humidity|soil_moisture") && line.ends_with('?'),
        "{line}"
    );
}

#[test]
fn a_tasmota_with_another_order_of_topics_says_where_its_sensors_are() {
    let config = r#"{"dn":"Bed","md":"Generic","t":"bed","ft":"%topic%/%prefix%/","tp":["cmnd","stat","tele"],"mac":"AC67B2"}"#;
    let sensors = r#"{"sn":{"Time":"2026-01-01T00:00:00","AM2301":{"Temperature":71.5,"Humidity":50,"DewPoint":50.1},"TempUnit":"F"},"ver":1}"#;
    let heard = hear(&[
        ("tasmota/discovery/AC67B2/config", config),
        ("tasmota/discovery/AC67B2/sensors", sensors),
        ("tasmota/discovery/000000/sensors", sensors),
    ]);
    let expected = [
        "bed/tele/SENSOR [AM2301/DewPoint] dew_point F ",
        "bed/tele/SENSOR [AM2301/Humidity] humidity % ",
        "bed/tele/SENSOR [AM2301/Temperature] temperature F ",
    ];
    assert_eq!(lines(&heard), expected);
    assert_eq!(
        heard.thing_of("bed/tele/SENSOR").unwrap().name.as_deref(),
        Some("Bed")
    );
}

#[test]
fn zigbee2mqtt_s_exposes_carry_unit_and_type() {
    let devices = r#"[{"friendly_name":"Coordinator","type":"Coordinator"},
        {"frinedly":1},
        {"friendly_name":"bed/probe","type":"EndDevice","definition":{"model":"ZG-303Z","description":"Soil sensor","exposes":[
            {"type":"numeric","property":"soil_moisture","unit":"%","access":1,"label":"Soil moisture"},
            {"type":"numeric","property":"temperature","unit":"°C","access":5},
            {"type":"numeric","property":"temperature_calibration","unit":"°C","access":2},
            {"type":"numeric","property":"linkquality","unit":"lqi","access":1},
            {"type":"switch","features":[{"type":"binary","property":"state"}]}]}}]"#;
    let heard = hear(&[("zigbee2mqtt/bridge/devices", devices)]);
    let expected = [
        "zigbee2mqtt/bed/probe [soil_moisture] soil_moisture % Soil moisture",
        "zigbee2mqtt/bed/probe [temperature] temperature °C ",
    ];
    assert_eq!(lines(&heard), expected);
    let profiles = Profiles::new(Vec::new());
    assert!(
        heard.numbers().all(|a| profiles.reads(a)),
        "the shipped profile does"
    );
}

#[test]
fn what_is_read_in_another_unit_than_is_announced_is_not_read() {
    let of = |unit: &str| {
        let payload = format!(
            r#"{{"stat_t":"house/sensor/air_temperature/state","dev_cla":"temperature","unit_of_meas":"{unit}"}}"#
        );
        let heard = hear(&[("homeassistant/sensor/t/config", &payload)]);
        let first = heard.numbers().next().unwrap().clone();
        Profiles::new(Vec::new()).reads(&first)
    };
    assert!(of("°C"));
    assert!(!of("°F"), "the profile of ESPHome takes degrees Celsius");
}

#[test]
fn homie_shelly_and_chirpstack_introduce_their_things() {
    let heard = hear(&[
        (
            "homie/5/probe/$description",
            r#"{"homie":"5.0","name":"Probe","nodes":{"soil":{"properties":{
                "vwc":{"name":"Water","datatype":"float","unit":"%"},"mode":{"datatype":"enum"}}}}}"#,
        ),
        (
            "shellies/announce",
            r#"{"id":"shellyht-1","model":"SHHT-1","mac":"B929CC"}"#,
        ),
        (
            "application/1/device/0102030405060708/event/up",
            r#"{"deviceInfo":{"devEui":"0102030405060708","deviceName":"Bed 3","deviceProfileName":"LSE01"}}"#,
        ),
    ]);
    assert_eq!(
        lines(&heard),
        ["homie/5/probe/soil/vwc [] soil_moisture % Water"]
    );
    let model = |topic: &str| heard.thing_of(topic).and_then(|t| t.model.clone());
    assert_eq!(
        model("shellies/shellyht-1/sensor/x").as_deref(),
        Some("SHHT-1")
    );
    assert_eq!(
        model("application/1/device/0102030405060708/event/up").as_deref(),
        Some("LSE01")
    );
}

#[test]
fn what_is_remembered_is_bounded_and_what_is_beyond_it_counted() {
    let mut heard = Announcements::default();
    for n in 0..2_000 {
        let payload =
            format!(r#"{{"stat_t":"x/{n}","dev_cla":"temperature","unit_of_meas":"°C"}}"#);
        heard.hear(
            &format!("homeassistant/sensor/{n}/config"),
            payload.as_bytes(),
        );
    }
    assert_eq!(heard.numbers().count(), MAX_REMEMBERED);
    assert_eq!(heard.overflow(), 2_000 - 1_024);
}
