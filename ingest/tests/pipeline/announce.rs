//! What controllers have: known by their birth, by their first reading, and kept when it is gone.

use harit_engine::{InputKind, Quantity, RegistryChange, ScopeSpec, SensorType};

use crate::world::{FARM, MAC, OTHER_MAC, START, World};

#[tokio::test]
async fn a_birth_makes_sensors_and_devices_known() {
    let w = World::new().await;
    w.birth().await;
    w.temperature("27.4").await;
    let (sensor, device) = w
        .read(|e| (e.sensors().next().unwrap(), e.device("fan-1").unwrap()))
        .await;
    assert_eq!(sensor.spec.id.as_str(), "t1");
    assert_eq!(sensor.spec.scope, ScopeSpec::zone("z1"));
    assert_eq!(sensor.spec.controller.as_deref(), Some(MAC));
    assert_eq!(sensor.value, Some(Quantity::from_micro(27_400_000)));
    assert!(device.online && device.spec.scope == ScopeSpec::zone("z1"));
    assert_eq!(
        w.take_sent(),
        Vec::<serde_json::Value>::new(),
        "announcing sends nothing"
    );
}

#[tokio::test]
async fn a_senml_pack_is_telemetry_like_any_other() {
    let w = World::new().await;
    let pack = r#"[{"bn":"bed-2/","n":"air","u":"Cel","v":31.5},{"n":"rh","u":"%RH","v":58},{"n":"soil","u":"%","v":40},
                   {"n":"door","vb":true}]"#;
    // The soil's unit tells no type, and nobody announced it; a door is no sensor. Each is refused alone.
    assert_eq!(w.publish(MAC, "senml", pack).await.rejected, 0);
    let known = w
        .read(|e| {
            let all = e.sensors();
            all.map(|s| (s.spec.id.to_string(), s.spec.sensor_type, s.value))
                .collect::<Vec<_>>()
        })
        .await;
    let q = |units: i64| Some(Quantity::from_micro(units * 1_000_000 / 10));
    assert_eq!(
        known,
        [
            ("bed-2/air".to_owned(), SensorType::Temperature, q(315)),
            ("bed-2/rh".to_owned(), SensorType::Humidity, q(580)),
        ]
    );
    let birth =
        r#"{"online":true,"sensors":[{"id":"bed-2/soil","type":"soil_moisture","unit":"%"}]}"#;
    w.publish(MAC, "state", birth).await;
    // A minute old, and 301 s old: the second is backlog, and drives nothing.
    let pack = r#"[{"bn":"bed-2/","n":"soil","u":"%","t":-60,"v":41},{"n":"soil","u":"%","t":-301,"v":99}]"#;
    assert_eq!(w.publish(MAC, "senml", pack).await.rejected, 0);
    let soil = w
        .read(|e| e.sensor("bed-2/soil").and_then(|s| s.value))
        .await;
    assert_eq!(soil, q(410));
    assert_eq!(w.publish(MAC, "senml", "{}").await.rejected, 1);
}

#[tokio::test]
async fn units_are_converted_before_the_journal_and_words_for_numbers_are_told() {
    let w = World::new().await;
    let payload = r#"{"sensors":[{"id":"air","type":"temperature","unit":"°F","latestValue":"68"},
        {"id":"soil","type":"ec","unit":"µS/cm","latestValue":1500},{"id":"probe","type":"distance","latestValue":"No Sensor"}]}"#;
    assert_eq!(w.publish(MAC, "telemetry", payload).await.rejected, 0);
    let all: Vec<_> = w
        .read(|e| {
            e.sensors()
                .map(|s| (s.spec.id.to_string(), s.value))
                .collect()
        })
        .await;
    let q = |m| Some(Quantity::from_micro(m));
    let expected = [
        ("air", q(20_000_000)),
        ("probe", None),
        ("soil", q(1_500_000)),
    ];
    assert_eq!(all, expected.map(|(id, value)| (id.to_owned(), value)));
    let letters = w.hub.dead_letters(&FARM.into(), 10).await.unwrap();
    assert_eq!(
        (letters.len(), letters[0].reason.as_str()),
        (1, "not_a_number")
    );
}

#[tokio::test]
async fn telemetry_alone_makes_sensors_known() {
    let w = World::new().await;
    let payload = r#"{"sensors":[{"type":"ph","unit":"pH","latestValue":6.5},{"id":"x","type":"ec","latestValue":1.2}]}"#;
    assert_eq!(w.publish(MAC, "telemetry", payload).await.rejected, 0);
    let all: Vec<_> = w
        .read(|e| {
            e.sensors()
                .map(|s| (s.spec.id.to_string(), s.spec.sensor_type, s.value))
                .collect()
        })
        .await;
    let q = |m| Some(Quantity::from_micro(m));
    assert_eq!(
        all,
        [
            ("ph".to_owned(), SensorType::Ph, q(6_500_000)),
            ("x".to_owned(), SensorType::Ec, q(1_200_000))
        ]
    );
    // By its type, while there is one of it.
    w.publish(
        MAC,
        "telemetry",
        r#"{"sensors":[{"type":"ec","latestValue":1.3}]}"#,
    )
    .await;
    assert_eq!(
        w.read(|e| e.sensors().nth(1).unwrap().value).await,
        q(1_300_000)
    );
    w.publish(
        MAC,
        "telemetry",
        r#"{"sensors":[{"id":"y","type":"ec","latestValue":2}]}"#,
    )
    .await;
    w.publish(
        MAC,
        "telemetry",
        r#"{"sensors":[{"type":"ec","latestValue":3},{"type":"ph","latestValue":7}]}"#,
    )
    .await;
    let values: Vec<_> = w.read(|e| e.sensors().map(|s| s.value).collect()).await;
    assert_eq!(
        values,
        [q(7_000_000), q(1_300_000), q(2_000_000)],
        "the good one of the message was kept"
    );
    let letters = w.hub.dead_letters(&FARM.into(), 10).await.unwrap();
    assert_eq!(letters.len(), 1);
    assert_eq!(
        (letters[0].reason.as_str(), letters[0].count),
        ("ambiguous", 1)
    );
}

#[tokio::test]
async fn two_controllers_may_use_the_same_ids() {
    let w = World::new().await;
    w.birth().await;
    let state = r#"{"sensors":[{"id":"t1","type":"temperature"}],"devices":[{"id":"fan-1","type":"fan","on":true}]}"#;
    w.publish(OTHER_MAC, "state", state).await;
    w.publish(
        OTHER_MAC,
        "telemetry",
        r#"{"sensors":[{"id":"t1","latestValue":11}]}"#,
    )
    .await;
    w.temperature("22").await;
    let (sensors, devices): (Vec<_>, Vec<_>) = w
        .read(|e| {
            (
                e.sensors()
                    .map(|s| (s.spec.id.to_string(), s.value.unwrap().to_string()))
                    .collect(),
                e.devices().map(|d| d.spec.id.to_string()).collect(),
            )
        })
        .await;
    let other = format!("{OTHER_MAC}/t1");
    assert_eq!(
        sensors,
        [(other, "11".to_owned()), ("t1".to_owned(), "22".to_owned())]
    );
    assert_eq!(devices, [format!("{OTHER_MAC}/fan-1"), "fan-1".to_owned()]);
    // And an order goes to the right one, under the controller's own id.
    let manual = r#"{"at":1,"input":"manual","device":"A4CF120B9E02/fan-1","cmd_type":"release"}"#;
    w.admit(harit_protocol::jsonl::parse(manual).unwrap().kind)
        .await;
    let sent = w.sent.lock().unwrap().clone();
    assert_eq!(sent[0].0, format!("harit/1/{FARM}/{OTHER_MAC}/command"));
    assert_eq!(sent[0].1["device_id"], "fan-1");
}

#[tokio::test]
async fn what_a_person_said_is_kept_and_what_is_gone_is_shown() {
    let w = World::new().await;
    w.birth().await;
    let mut spec = w.read(|e| e.sensors().next().unwrap().spec).await;
    spec.name = Some("By the door".into());
    spec.scope = ScopeSpec::farm();
    w.admit(InputKind::Registry(vec![RegistryChange::PutSensor(
        spec.clone(),
    )]))
    .await;
    w.birth().await;
    assert_eq!(w.read(|e| e.sensors().next().unwrap().spec).await, spec);
    // A birth without them.
    w.publish(MAC, "state", r#"{"sensors":[],"devices":[]}"#)
        .await;
    let c = w.hub.controllers(&FARM.into()).await.unwrap().remove(0);
    assert!(c.online && c.sensors[0].gone && c.devices[0].gone);
    assert_eq!(c.firmware.as_deref(), Some("1.0"));
    assert!(
        !w.read(|e| e.device("fan-1").unwrap().online).await,
        "what is gone cannot be reached"
    );
    // A person removes the sensor; its next reading makes it known anew.
    w.admit(InputKind::Registry(vec![RegistryChange::DeleteSensor(
        "t1".into(),
    )]))
    .await;
    assert_eq!(w.read(|e| e.sensors().count()).await, 0);
    w.temperature("20").await;
    assert_eq!(
        w.read(|e| e.sensors().next().unwrap().spec.scope).await,
        ScopeSpec::zone("z1")
    );
}

/// What a person says of the fan: its name, and that it is in the polyhouse rather than in the zone.
async fn rename(w: &World, name: &str) {
    let mut spec = w.read(|e| e.device("fan-1").unwrap().spec).await;
    spec.name = name.into();
    spec.scope = ScopeSpec::polyhouse("p1");
    let put = RegistryChange::PutDevice(Box::new(spec));
    w.admit(InputKind::Registry(vec![put])).await;
}

fn birth_that_can(action: &str) -> String {
    format!(
        r#"{{"sensors":[{{"id":"t1","type":"temperature"}}],"devices":[{{"id":"fan-1","type":"fan","name":"FAN_01","on":false,"supportedActions":[{{"action":"{action}"}}]}}]}}"#
    )
}

#[tokio::test]
async fn what_a_person_decided_survives_the_next_announcement() {
    let w = World::new().await;
    w.birth().await;
    rename(&w, "Exhaust fan, north").await;
    let sensor = w.read(|e| e.sensors().next().unwrap().spec).await;
    let sensor = harit_engine::SensorSpec {
        name: Some("Air at the door".into()),
        scope: ScopeSpec::polyhouse("p1"),
        ..sensor
    };
    w.admit(InputKind::Registry(vec![RegistryChange::PutSensor(
        sensor.clone(),
    )]))
    .await;
    w.publish(MAC, "state", &birth_that_can("on")).await;
    w.temperature("21").await;
    let (device, now) = w
        .read(|e| (e.device("fan-1").unwrap(), e.sensors().next().unwrap()))
        .await;
    assert_eq!(device.spec.name, "Exhaust fan, north");
    assert_eq!(device.spec.scope, ScopeSpec::polyhouse("p1"));
    assert_eq!(device.spec.supported_actions[0]["action"], "on");
    assert_eq!(now.spec, sensor);
    assert!(now.value.is_some(), "its readings still find it");
    // and a restart
    let after = w.after_crash(|_| {}).await.unwrap();
    after.publish(MAC, "state", &birth_that_can("off")).await;
    let device = after.read(|e| e.device("fan-1").unwrap().spec).await;
    assert_eq!(
        (device.name.as_str(), &device.scope),
        ("Exhaust fan, north", &ScopeSpec::polyhouse("p1"))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_a_person_decides_at_the_moment_of_an_announcement_is_kept() {
    let w = World::new().await;
    w.birth().await;
    let mut spec = w.read(|e| e.device("fan-1").unwrap().spec).await;
    spec.name = "Exhaust fan, north".into();
    spec.scope = ScopeSpec::polyhouse("p1");
    let put = RegistryChange::PutDevice(Box::new(spec));
    // both wait while the shard is busy, and are taken in one batch
    let busy = w.read(|_| std::thread::sleep(std::time::Duration::from_millis(300)));
    let person = async {
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        w.admit(InputKind::Registry(vec![put])).await
    };
    let controller = async {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        w.publish(MAC, "state", &birth_that_can("on")).await
    };
    tokio::join!(busy, person, controller);
    let device = w.read(|e| e.device("fan-1").unwrap().spec).await;
    assert_eq!(device.supported_actions[0]["action"], "on");
    assert_eq!(
        (device.name.as_str(), &device.scope),
        ("Exhaust fan, north", &ScopeSpec::polyhouse("p1"))
    );
}

#[tokio::test]
async fn a_scope_that_the_farm_does_not_have_is_refused() {
    let w = World::new().await;
    w.records
        .0
        .lock()
        .unwrap()
        .get_mut(&crate::world::mac(MAC))
        .unwrap()
        .scope = ScopeSpec::zone("nowhere");
    let reading = r#"{"sensors":[{"id":"t1","type":"temperature","latestValue":20}]}"#;
    assert_eq!(w.publish(MAC, "telemetry", reading).await.rejected, 1);
    assert_eq!(w.publish(MAC, "telemetry", reading).await.rejected, 1);
    assert_eq!(w.read(|e| e.sensors().count()).await, 0);
    assert_eq!(
        w.hub.dead_letters(&FARM.into(), 9).await.unwrap()[0].reason,
        "refused"
    );
    // Put right, it is taken when it is tried again.
    w.records
        .0
        .lock()
        .unwrap()
        .get_mut(&crate::world::mac(MAC))
        .unwrap()
        .scope = ScopeSpec::farm();
    w.pass(11_000).await;
    assert_eq!(w.publish(MAC, "telemetry", reading).await.rejected, 0);
    assert_eq!(w.read(|e| e.sensors().count()).await, 1);
}

#[tokio::test]
async fn a_repeated_delivery_is_no_new_sample() {
    let w = World::new().await;
    w.birth().await;
    let message = r#"{"seq":7,"sensors":[{"id":"t1","latestValue":20}]}"#;
    for _ in 0..3 {
        w.publish(MAC, "telemetry", message).await;
    }
    assert_eq!(w.read(|e| e.counters().readings).await, 1);
    w.publish(MAC, "telemetry", &message.replace(":7", ":8"))
        .await;
    assert_eq!(w.read(|e| e.counters().readings).await, 2);
    assert_eq!(w.now(), START);
    // A client that comes back redelivers, in order, all that was not acknowledged.
    w.publish(MAC, "telemetry", &message.replace(":7", ":9"))
        .await;
    for seq in [":7", ":8", ":9"] {
        w.publish(MAC, "telemetry", &message.replace(":7", seq))
            .await;
    }
    assert_eq!(w.read(|e| e.counters().readings).await, 3);
    // The server may have been started anew in between, with a snapshot and without.
    let again = w.after_crash(|_| {}).await.unwrap();
    again.publish(MAC, "telemetry", message).await;
    assert_eq!(again.read(|e| e.counters().readings).await, 3);
    w.hub.snapshot().await;
    let again = w.after_crash(|_| {}).await.unwrap();
    again.publish(MAC, "telemetry", message).await;
    assert_eq!(again.read(|e| e.counters().readings).await, 3);
    // A controller that starts anew counts from the beginning.
    for seq in [":1", ":2"] {
        again
            .publish(MAC, "telemetry", &message.replace(":7", seq))
            .await;
    }
    assert_eq!(again.read(|e| e.counters().readings).await, 5);
}
