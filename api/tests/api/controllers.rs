//! Controllers after they were registered: a new secret, shutting one out, taking one away, and removing what is gone.

use harit_api::{ApiConfig, Role};
use harit_protocol::Mac;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::pipeline::{Field, connects, device, eventually, field_with, state};
use crate::support::{App, rule};

const MAC: &str = "AABBCCDDEE10";
const CONTROLLERS: &str = "/api/farms/a/controllers";
const SENSORS: &str = "/api/farms/a/sensors";
const DEVICES: &str = "/api/farms/a/devices";

async fn field() -> Field {
    let field = field_with(ApiConfig {
        reads_per_user: 10_000,
        ..ApiConfig::default()
    })
    .await;
    let _same = field.app.state.clone().kicking(field.endpoint.revoker());
    field
}

fn of_controller() -> String {
    format!("{CONTROLLERS}/{MAC}")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_secret_voids_the_old_one_at_once() {
    let Field {
        app,
        endpoint,
        owner,
        asset,
        mut controller,
    } = field().await;
    let listed = app.get(&owner, CONTROLLERS).await.expect(StatusCode::OK);
    let one = &listed[0];
    assert_eq!(
        (&one["macid"], &one["enabled"]),
        (&json!(MAC), &json!(true))
    );
    let path = format!("{}/secret", of_controller());
    let made = app
        .call(&owner, Method::POST, &path, &json!({}))
        .await
        .expect(StatusCode::CREATED);
    assert_ne!(made["mqtt"]["password"], asset["mqtt"]["password"]);
    assert_eq!(made["mqtt"]["topic"], asset["mqtt"]["topic"]);
    controller.ended().await;
    assert!(!connects(&endpoint, &asset["mqtt"]).await);
    assert!(connects(&endpoint, &made["mqtt"]).await);
    let audited = app.audited("a", "controller_%").await;
    assert_eq!(audited[0].0, "controller_secret_renewed");
    assert!(
        !audited[0].1.to_string().contains("password"),
        "{audited:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_shut_out_is_cut_off_and_may_come_back() {
    let Field {
        app,
        endpoint,
        owner,
        asset,
        mut controller,
    } = field().await;
    let say = async |enabled: bool| {
        app.call(
            &owner,
            Method::PATCH,
            &of_controller(),
            &json!({"enabled": enabled}),
        )
        .await
        .expect(StatusCode::NO_CONTENT);
    };
    say(false).await;
    controller.ended().await;
    assert!(!connects(&endpoint, &asset["mqtt"]).await);
    let listed = app.get(&owner, CONTROLLERS).await.expect(StatusCode::OK);
    assert_eq!(listed[0]["enabled"], false);
    say(true).await;
    assert!(connects(&endpoint, &asset["mqtt"]).await);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[allow(clippy::too_many_lines, reason = "one story, told in its order")]
async fn what_a_controller_had_that_is_taken_away_can_be_removed() {
    let Field {
        app,
        endpoint,
        owner,
        asset,
        mut controller,
    } = field().await;
    let devices = eventually(&app, &owner, DEVICES, |list| {
        list.as_array()
            .is_some_and(|all| all.iter().any(|d| d["controller"] == MAC))
    })
    .await;
    let of_mac = |list: &Value| {
        let all = list.as_array().expect("a list");
        all.iter()
            .find(|d| d["controller"] == MAC)
            .map(|d| d["id"].as_str().expect("an id").to_owned())
            .expect("announced")
    };
    let fan = of_mac(&devices);
    let sensors = eventually(&app, &owner, SENSORS, |list| {
        list.as_array().is_some_and(|all| {
            all.iter()
                .any(|s| s["id"].as_str().is_some_and(|id| id.contains("air")))
        })
    })
    .await;
    let air = sensors
        .as_array()
        .expect("a list")
        .iter()
        .find_map(|s| s["id"].as_str().filter(|id| id.contains("air")))
        .expect("announced")
        .to_owned();
    let remove = async |path: &str, id: &str| {
        let path = format!("{path}/{}", id.replace('/', "%2F"));
        app.call(&owner, Method::DELETE, &path, &json!({})).await
    };
    // what is there stays there
    for (path, id) in [(SENSORS, &air), (DEVICES, &fan)] {
        let refused = remove(path, id).await.expect(StatusCode::CONFLICT);
        assert_eq!(refused["code"], "not_gone", "{path}");
    }
    let mut watched = rule();
    watched["actions"][0]["device_id"] = json!(fan);
    let saved = app
        .call(&owner, Method::POST, "/api/farms/a/rules", &watched)
        .await
        .expect(StatusCode::CREATED);

    // what goes by it is named before it goes, and whoever means it says so
    let refused = app
        .call(&owner, Method::DELETE, &of_controller(), &json!({}))
        .await
        .expect(StatusCode::CONFLICT);
    assert_eq!(refused["code"], "in_use");
    assert_eq!(refused["problems"][0]["message"], "Rule: Cool the house");
    let anyway = format!("{}?anyway=true", of_controller());
    app.call(&owner, Method::DELETE, &anyway, &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    controller.ended().await;
    assert!(!connects(&endpoint, &asset["mqtt"]).await);
    assert_eq!(
        app.get(&owner, CONTROLLERS).await.expect(StatusCode::OK),
        json!([])
    );
    let devices = app.get(&owner, DEVICES).await.expect(StatusCode::OK);
    assert!(device(&devices, &fan, |d| d["gone"] == true), "{devices}");

    let limits = format!("{DEVICES}/pump-1/limits");
    let needs = async |limits_of: Value| {
        let body = json!({"limits": limits_of, "max_on_sec": null, "max_pulse_sec_per_hour": null});
        app.call(&owner, Method::PUT, &limits, &body)
            .await
            .expect(StatusCode::OK);
    };
    needs(json!({"needs": {"any": [fan]}})).await;
    let named = remove(DEVICES, &fan).await.expect(StatusCode::CONFLICT);
    assert_eq!(named["code"], "in_use");
    assert_eq!(named["problems"][0]["message"], "Rule: Cool the house");
    assert_eq!(
        named["problems"][1]["message"], "Needed by device: Pump",
        "{named}"
    );
    needs(Value::Null).await;
    let of_rule = format!(
        "/api/farms/a/rules/{}",
        saved["id"].as_str().expect("an id")
    );
    app.call(&owner, Method::DELETE, &of_rule, &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    for (path, id) in [(SENSORS, &air), (DEVICES, &fan)] {
        remove(path, id).await.expect(StatusCode::NO_CONTENT);
        let left = app.get(&owner, path).await.expect(StatusCode::OK);
        assert!(!device(&left, id, |_| true), "{path}: {left}");
        remove(path, id).await.expect(StatusCode::NOT_FOUND);
    }
    // its MAC is free, and what it announces then is new
    let again = json!({"assets": [{"type": "POLYHOUSE", "macid": MAC}]});
    let made = app
        .call(&owner, Method::POST, "/onboarding/assets", &again)
        .await
        .expect(StatusCode::CREATED);
    let mut back = crate::pipeline::Controller::start(&endpoint, &made["assets"][0]["mqtt"]).await;
    back.publish("state", state(false)).await;
    eventually(&app, &owner, DEVICES, |list| {
        device(list, &fan, |d| d["gone"] == false)
    })
    .await;
}

#[tokio::test]
async fn anothers_controllers_are_not_there_and_managers_may_not_change_them() {
    let app = App::start().await;
    app.farm("a").await;
    app.farm("b").await;
    let a = app.person("a", Role::Owner).await;
    let b = app.person("b", Role::Owner).await;
    let manager = app.person("a", Role::FarmManager).await;
    let asset = json!({"assets": [{"type": "POLYHOUSE", "macid": MAC}]});
    let register = async |person| {
        app.call(person, Method::POST, "/onboarding/assets", &asset)
            .await
    };
    register(&a).await.expect(StatusCode::CREATED);
    let own = register(&a).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(own["problems"][0]["code"], "already_registered");
    assert_eq!(
        own["error"],
        "This controller is already registered in this farm"
    );
    let anothers = register(&b).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(anothers["problems"][0]["code"], "mac_taken");
    for (method, path, body) in [
        (Method::PATCH, MAC.to_owned(), json!({"enabled": false})),
        (Method::POST, format!("{MAC}/secret"), json!({})),
        (Method::DELETE, MAC.to_owned(), json!({})),
    ] {
        let of_b = format!("/api/farms/b/controllers/{path}");
        app.call(&b, method.clone(), &of_b, &body)
            .await
            .expect(StatusCode::NOT_FOUND);
        app.call(&manager, method, &format!("{CONTROLLERS}/{path}"), &body)
            .await
            .expect(StatusCode::FORBIDDEN);
    }
    let listed = app.get(&manager, CONTROLLERS).await.expect(StatusCode::OK);
    assert_eq!(listed[0]["enabled"], true);
    // who runs the server gives it free
    let mac = Mac::parse(MAC).expect("a MAC");
    let operator = harit_api::Operator::over(app.records.clone());
    let from = operator.remove_controller(mac).await.expect("done");
    assert_eq!(from, "a");
    let again = operator.remove_controller(mac).await.expect_err("gone");
    assert!(again.to_string().contains("registered nowhere"), "{again}");
    register(&b).await.expect(StatusCode::CREATED);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_list_says_how_each_is_and_what_was_refused_of_it() {
    let Field {
        app,
        endpoint,
        owner,
        asset,
        mut controller,
    } = field().await;
    let manager = app.person("a", Role::FarmManager).await;
    let one = |list: &Value| list[0].clone();
    let found = |list: &Value| list[0]["sensors"] == 1 && list[0]["devices"] == 1;
    let known = eventually(&app, &owner, CONTROLLERS, found).await;
    let known = one(&known);
    assert_eq!(
        (&known["online"], &known["offlineSince"]),
        (&json!(true), &Value::Null)
    );
    assert_eq!(known["passwordAt"], asset["createdAt"]);
    let none = json!({"count": 0, "lastAt": null, "lastReason": null});
    assert_eq!(known["deadLetters"], none);

    for _ in 0..2 {
        controller.publish("telemetry", "garbage").await;
    }
    let second = json!({"type": "POLYHOUSE", "polyhouseId": "ph-1", "macid": "AABBCCDDEE20"});
    app.call(&owner, Method::POST, CONTROLLERS, &second)
        .await
        .expect(StatusCode::CREATED);
    let refused = |list: &Value| list[0]["deadLetters"]["count"] == 2;
    let listed = eventually(&app, &owner, CONTROLLERS, refused).await;
    assert_eq!(listed[0]["deadLetters"]["lastReason"], "malformed");
    assert!(listed[0]["deadLetters"]["lastAt"].is_i64(), "{listed}");
    assert_eq!(
        listed[1]["deadLetters"], none,
        "its neighbour's are not its own"
    );
    assert_eq!(listed[1]["lastSeen"], Value::Null);
    // who may not see what was refused does not see it here
    let listed = app.get(&manager, CONTROLLERS).await.expect(StatusCode::OK);
    assert_eq!(listed[0]["deadLetters"], Value::Null);
    assert_eq!(listed[0]["sensors"], 1);

    controller.publish("state", r#"{"online": false}"#).await;
    let offline = |list: &Value| list[0]["offlineSince"].is_i64();
    let listed = eventually(&app, &owner, CONTROLLERS, offline).await;
    assert_eq!(listed[0]["online"], false);
    endpoint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_goes_on_at_the_end_of_a_lease_is_told_and_a_pump_that_would_is_refused() {
    let Field {
        app,
        endpoint,
        owner,
        mut controller,
        ..
    } = field().await;
    let entry = |id: &str, kind: &str| json!({"id": id, "type": kind, "on": true, "lease_end": 60});
    let devices = [entry("roof-fan", "fan"), entry("flood", "pump")];
    let announced = json!({"online": true, "devices": devices}).to_string();
    controller.publish("state", announced).await;
    let refused = |list: &Value| list[0]["deadLetters"]["count"] == 1;
    let listed = eventually(&app, &owner, CONTROLLERS, refused).await;
    assert_eq!(listed[0]["deadLetters"]["lastReason"], "unsafe_lease_end");
    let all = app.get(&owner, "/api/farms/a/devices").await;
    let all = all.expect(StatusCode::OK);
    let ends: Vec<(&Value, &Value)> = { all.as_array().expect("devices").iter() }
        .filter(|d| d["id"] == "roof-fan" || d["id"] == "flood" || d["id"] == "pump-1")
        .map(|d| (&d["id"], &d["leaseEnd"]))
        .collect();
    assert_eq!(
        ends,
        [
            (&json!("pump-1"), &Value::Null),
            (&json!("roof-fan"), &json!(60))
        ]
    );

    controller.publish("state", r#"{"online": false}"#).await;
    let offline = |list: &Value| list[0]["online"] == false;
    eventually(&app, &owner, CONTROLLERS, offline).await;
    let scope = json!({"type": "device", "deviceId": "roof-fan"});
    let stop = json!({"scope": scope});
    let told = app.call(&owner, Method::POST, "/api/farms/a/stop", &stop);
    let told = told.await.expect(StatusCode::OK);
    let fan = &told["devices"][0];
    assert_eq!(
        (&fan["state"], &fan["leaseEnd"]),
        (&json!("unreachable"), &json!(60))
    );
    endpoint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_sensor_that_somebody_breathes_on_comes_first() {
    let Field {
        app,
        endpoint,
        owner,
        mut controller,
        ..
    } = field().await;
    let manager = app.person("a", Role::FarmManager).await;
    let of_mac = format!("{}/sensors", of_controller());
    let kinds = [
        ("air-1", "temperature"),
        ("air-2", "temperature"),
        ("damp", "humidity"),
    ];
    let unit = |kind| if kind == "humidity" { "%" } else { "°C" };
    let sensors: Vec<Value> = kinds
        .map(|(id, kind)| json!({"id": id, "type": kind, "unit": unit(kind)}))
        .to_vec();
    let announced = json!({"online": true, "sensors": sensors, "devices": []});
    controller.publish("state", announced.to_string()).await;
    let mut read = async |values: [f64; 3]| {
        let all: Vec<Value> = sensors
            .iter()
            .zip(values)
            .map(|(sensor, value)| {
                let mut sensor = sensor.clone();
                sensor["latestValue"] = json!(value);
                sensor
            })
            .collect();
        let message = json!({"sensors": all}).to_string();
        controller.publish("telemetry", message).await;
    };
    let told = |list: &Value| -> Vec<(String, Value)> {
        let all = list.as_array().expect("a list").iter();
        let text = |s: &Value| s["id"].as_str().expect("an id").to_owned();
        all.map(|s| (text(s), s["risen"].clone())).collect()
    };
    let nobody = ["air-1", "air-2", "damp"].map(|id| (id.to_owned(), Value::Null));

    read([24.0, 24.2, 60.0]).await;
    let damp = |list: &Value| list[2]["latestValue"] == 60;
    let listed = eventually(&app, &owner, &of_mac, damp).await;
    assert_eq!(
        told(&listed),
        nobody,
        "the first reading is no rise; what is gone is not told"
    );
    // what it wavers by is none either
    read([24.3, 24.2, 62.0]).await;
    let wavered = |list: &Value| list[2]["latestValue"] == 62;
    let listed = eventually(&app, &owner, &of_mac, wavered).await;
    assert_eq!(told(&listed), nobody);
    // a breath: humidity rises by more of its own measure than temperature
    read([24.3, 26.3, 92.5]).await;
    let breathed = |list: &Value| list[0]["latestValue"] == 92.5;
    let listed = eventually(&app, &manager, &of_mac, breathed).await;
    assert_eq!(
        told(&listed),
        [
            ("damp".to_owned(), json!(32.5)),
            ("air-2".to_owned(), json!(2.1)),
            ("air-1".to_owned(), Value::Null)
        ]
    );

    app.get(&owner, &format!("{CONTROLLERS}/AABBCCDDEEFF/sensors"))
        .await
        .expect(StatusCode::NOT_FOUND);
    endpoint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_more_is_registered_at_any_time_where_it_stands() {
    let Field {
        app,
        endpoint,
        owner,
        ..
    } = field().await;
    let add = async |body: Value| app.call(&owner, Method::POST, CONTROLLERS, &body).await;
    let in_house = json!({"type": "POLYHOUSE", "polyhouseId": "ph-1", "macid": "aa-bb-cc-dd-ee-20", "name": "North box"});
    let made = add(in_house.clone()).await.expect(StatusCode::CREATED);
    assert_eq!(
        (&made["macid"], &made["polyhouseId"], &made["name"]),
        (&json!("AABBCCDDEE20"), &json!("ph-1"), &json!("North box"))
    );
    assert!(connects(&endpoint, &made["mqtt"]).await);
    // a place that is not named is new
    let tank = add(json!({"type": "FERTIGATION", "macid": "AA:BB:CC:DD:EE:21"}))
        .await
        .expect(StatusCode::CREATED);
    let of_tank =
        json!({"type": "FERTIGATION", "macid": "aabbccddee22", "reservoirId": tank["reservoirId"]});
    let second = add(of_tank).await.expect(StatusCode::CREATED);
    assert_eq!(second["reservoirId"], tank["reservoirId"]);
    assert_eq!(second["name"], tank["name"]);
    let reservoirs = app.get(&owner, "/api/farms/a/reservoirs").await;
    let reservoirs = reservoirs.expect(StatusCode::OK);
    let named = |r: &&Value| r["name"] == tank["name"];
    assert_eq!(
        reservoirs
            .as_array()
            .expect("a list")
            .iter()
            .filter(named)
            .count(),
        1
    );

    let wrong = [
        (
            json!({"type": "POLYHOUSE", "macid": "AABBCC"}),
            "macid",
            "invalid_mac",
        ),
        (in_house, "macid", "already_registered"),
        (
            json!({"type": "POLYHOUSE", "macid": "AABBCCDDEE23", "polyhouseId": "nowhere"}),
            "polyhouseId",
            "unknown",
        ),
        (
            json!({"type": "FERTIGATION", "macid": "AABBCCDDEE23", "polyhouseId": "ph-1"}),
            "polyhouseId",
            "unknown",
        ),
        (json!({"macid": "AABBCCDDEE23"}), "type", "required"),
    ];
    for (body, path, code) in wrong {
        let refused = add(body).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        let problem = &refused["problems"][0];
        assert_eq!(
            (&problem["path"], &problem["code"]),
            (&json!(path), &json!(code))
        );
    }
    let listed = app.get(&owner, CONTROLLERS).await.expect(StatusCode::OK);
    assert_eq!(listed.as_array().map(Vec::len), Some(4), "{listed}");
    endpoint.shutdown().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_name_leaves_its_connection_and_is_written_down() {
    let Field {
        app,
        endpoint,
        owner,
        mut controller,
        ..
    } = field().await;
    let change = async |body: Value| {
        app.call(&owner, Method::PATCH, &of_controller(), &body)
            .await
    };
    let to = json!({"name": " North box "});
    change(to.clone()).await.expect(StatusCode::NO_CONTENT);
    change(to).await.expect(StatusCode::NO_CONTENT);
    let listed = app.get(&owner, CONTROLLERS).await.expect(StatusCode::OK);
    assert_eq!(listed[0]["name"], "North box");
    controller.publish("state", state(true)).await;
    let audited = app.audited("a", "controller_%").await;
    assert_eq!(
        audited.len(),
        1,
        "what changes nothing has no entry: {audited:?}"
    );
    assert_eq!(
        (audited[0].0.as_str(), &audited[0].1["name"]),
        ("controller_renamed", &json!("North box"))
    );
    for bad in [json!({"name": " "}), json!({"name": "x".repeat(121)})] {
        let refused = change(bad).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(refused["problems"][0]["path"], "name");
    }
    endpoint.shutdown().await;
}
