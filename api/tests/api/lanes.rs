//! The day of a device, a rule and a house as lanes: what each says at an instant is what the explanation of it says, and what the
//! history and the log have of the time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use harit_api::Role;
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::pipeline::{Field, device, eventually, field_with};
use crate::support::{App, Person, rule};

const FARM: &str = "/api/farms/a";

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.expect("after 1970").as_millis()).expect("a date")
}

async fn pass(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}

/// What a lane says at an instant.
fn says(lanes: &Value, key: &str, at: i64) -> Option<String> {
    let all = lanes["lanes"].as_array().expect("lanes");
    let lane = all.iter().find(|l| l["key"] == key)?;
    let spans = lane["spans"].as_array().expect("spans").iter();
    let covers = |s: &&Value| s["from"].as_i64() <= Some(at) && Some(at) < s["to"].as_i64();
    let state = spans.clone().find(covers)?["state"].as_str()?;
    Some(state.to_owned())
}

/// The past of a rule and a fan: it comes near, holds, runs, and a person locks the fan meanwhile.
async fn lived(app: &App, owner: &Person) -> (String, i64) {
    let from = now_ms();
    let mut document = rule();
    document["mode"] = json!("auto");
    document["deployed"] = json!(true);
    document["trigger"]["value"] = json!(35);
    document["trigger"]["duration_sec"] = json!(1);
    let path = format!("{FARM}/rules");
    let made = app.call(owner, Method::POST, &path, &document).await;
    let made = made.expect(StatusCode::CREATED);
    let id = made["id"].as_str().expect("an id").to_owned();
    for micro in [34_000_000, 36_000_000, 36_500_000, 37_000_000] {
        app.reading("a", "t-1", micro).await;
        pass(450).await;
    }
    let path = format!("{FARM}/devices/fan-1");
    let lock = json!({"reason": "belt torn"});
    app.call(owner, Method::POST, &format!("{path}/lock"), &lock)
        .await
        .expect(StatusCode::OK);
    pass(300).await;
    app.reading("a", "t-1", 33_000_000).await;
    pass(400).await;
    (id, from)
}

#[tokio::test]
async fn lanes_say_at_every_instant_what_the_explanation_of_it_says() {
    let (app, owner) = App::with_owner().await;
    let (id, from) = lived(&app, &owner).await;
    let to = now_ms();
    let span = format!("from={from}&to={to}");
    let device = format!("{FARM}/devices/fan-1");
    let of_rule = format!("{FARM}/rules/{id}");
    let lanes = app.get(&owner, &format!("{device}/lanes?{span}")).await;
    let lanes = lanes.expect(StatusCode::OK);
    let rules = app.get(&owner, &format!("{of_rule}/lanes?{span}")).await;
    let rules = rules.expect(StatusCode::OK);
    assert_eq!(lanes["exact_from"], from, "{lanes}");

    let (mut seen, mut phases) = (0, std::collections::BTreeSet::new());
    // Instants beside those of what happened, at odd distances.
    for step in 0..40 {
        let at = from + (to - from) * step / 40 + 7;
        let why = app
            .get(&owner, &format!("{device}/explanation?at={at}"))
            .await;
        let why = why.expect(StatusCode::OK);
        let steps = why["steps"].as_array().expect("steps");
        let decides = steps.iter().find(|s| s["decides"] == true).expect("one");
        let said = says(&lanes, "decides fan-1", at);
        assert_eq!(said.as_deref(), decides["kind"].as_str(), "{at}: {lanes}");
        let on = why["reported"]
            .as_bool()
            .map(|on| if on { "on" } else { "off" });
        assert_eq!(says(&lanes, "reported fan-1", at).as_deref(), on, "{at}");

        let why = app
            .get(&owner, &format!("{of_rule}/explanation?at={at}"))
            .await;
        if why.status == StatusCode::NOT_FOUND {
            assert_eq!(says(&rules, &format!("phase {id}"), at), None, "{at}");
            continue;
        }
        let why = why.expect(StatusCode::OK);
        let phase = match why["active"].as_bool() {
            Some(false) => Some("inactive"),
            _ => why["phase"].as_str(),
        };
        for lanes in [&lanes, &rules] {
            assert_eq!(
                says(lanes, &format!("phase {id}"), at).as_deref(),
                phase,
                "{at}"
            );
            let truth = why["parts"][0]["nodes"][0]["truth"].as_str();
            let said = says(lanes, &format!("truth {id} trigger 0 0"), at);
            assert_eq!(said.as_deref(), truth, "{at}: {lanes}");
        }
        phases.insert(phase.map(str::to_owned));
        seen += 1;
    }
    assert!(seen > 25, "{seen} of 40 instants had the rule");
    let all = ["idle", "pending", "running"].map(|p| Some(p.to_owned()));
    assert!(all.iter().all(|p| phases.contains(p)), "{phases:?}");
}

#[tokio::test]
async fn lanes_tell_holds_locks_people_and_commands_and_are_refused_as_the_farm_is() {
    let (app, owner) = App::with_owner().await;
    let (id, from) = lived(&app, &owner).await;
    let path = format!("{FARM}/devices/fan-1/lanes?from={from}");
    let lanes = app.get(&owner, &path).await.expect(StatusCode::OK);
    let lane = |kind: &str| {
        let all = lanes["lanes"].as_array().expect("lanes");
        let found = all.iter().find(|l| l["kind"] == kind);
        found
            .unwrap_or_else(|| panic!("no {kind}: {lanes}"))
            .clone()
    };
    let hold = lane("hold")["spans"][0].clone();
    assert_eq!(
        (&hold["state"], &hold["length_ms"]),
        (&json!("filling"), &json!(1_000))
    );
    let lock = lane("locks")["spans"][0].clone();
    assert_eq!(lock["state"], "lock");
    let text = lock["text"].as_str().expect("text");
    assert!(
        text.starts_with("Locked by") && text.ends_with("belt torn"),
        "{text}"
    );
    let people = lane("people");
    let marks = people["spans"].as_array().expect("spans");
    assert!(marks.iter().all(|m| m["from"] == m["to"]), "{people}");
    assert!(!marks.is_empty());
    assert_eq!(lane("online")["of"], "fan-1");

    let request = app.request(Method::GET, &path).bearer_auth(&owner.token);
    let request = request.header(header::ACCEPT_LANGUAGE, "mr");
    let marathi = app.send(request).await.expect(StatusCode::OK);
    assert_ne!(marathi["lanes"][0]["spans"], lanes["lanes"][0]["spans"]);

    let viewer = app.person("a", Role::Viewer).await;
    app.get(&viewer, &path).await.expect(StatusCode::OK);
    let wrong = |query: &str| format!("{FARM}/rules/{id}/lanes?{query}");
    let long = wrong(&format!("from={}&to={from}", from - 25 * 3_600_000));
    for path in [wrong(&format!("from={from}&to={}", from - 1)), long] {
        let refused = app.get(&owner, &path).await;
        let refused = refused.expect(StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(refused["problems"][0]["code"], "out_of_range");
    }
    for path in ["devices/none/lanes", "rules/none/lanes"] {
        let none = app.get(&owner, &format!("{FARM}/{path}")).await;
        none.expect(StatusCode::NOT_FOUND);
    }
    // From before the journal there is what was stored: nothing here, and that is no error.
    let early = format!("{FARM}/devices/fan-1/lanes?from=1000&to=2000");
    let early = app.get(&owner, &early).await.expect(StatusCode::OK);
    assert_eq!(early["exact_from"], 2_000, "{early}");
    assert_eq!(early["lanes"], json!([]), "{early}");
}

/// What a controller reports of a fan and of a vent, which stands at so many per cent.
fn report(fan: bool, vent: i64) -> Vec<u8> {
    let device = |id: &str, kind: &str, action: &str, on: bool, value: i64| {
        json!({"id": id, "type": kind, "name": id, "on": on, "value": value, "lock": null, "safety": false,
            "supportedActions": [{"action": "on"}, {"action": "off"}, {"action": action}]})
    };
    let fan = device("fan", "fan", "set_speed", fan, if fan { 100 } else { 0 });
    let vent = device("vent", "vent", "set_position", vent > 0, vent);
    let air = json!({"id": "air", "type": "temperature", "unit": "°C"});
    let all = json!({"online": true, "sensors": [air], "devices": [fan, vent]});
    all.to_string().into_bytes()
}

/// The spans of a lane, each as what these fields of it say.
fn spans(day: &Value, key: &str, fields: &[&str]) -> Vec<Value> {
    let lanes = day["lanes"].as_array().expect("lanes");
    let lane = lanes.iter().find(|l| l["key"] == key);
    let lane = lane.unwrap_or_else(|| panic!("no {key}: {day}"));
    let spans = lane["spans"].as_array().expect("spans").iter();
    let of = |s: &Value| fields.iter().map(|f| s[*f].clone()).collect();
    spans.map(of).collect()
}

/// The instants of the entries of a kind in the log, oldest first.
async fn logged(app: &App, owner: &Person, kind: &str) -> Vec<Value> {
    let log = app.get(owner, &format!("{FARM}/logs")).await;
    let log = log.expect(StatusCode::OK);
    let items = log["items"].as_array().expect("items").iter().rev();
    let of = items.filter(|e| e["details"]["kind"] == kind);
    of.map(|e| e["timestamp"].clone()).collect()
}

/// A house with a fan and a vent lives: a rule fires, the vent moves, a person locks it, the controller goes away. Gives the rule's id.
async fn house_lives(field: &mut Field, house: &str) -> String {
    let Field {
        app,
        owner,
        controller,
        ..
    } = field;
    controller.publish("state", report(false, 40)).await;
    let devices = format!("{FARM}/devices");
    eventually(app, owner, &devices, |list| device(list, "vent", |_| true)).await;
    let mut document = rule();
    document["mode"] = json!("auto");
    document["deployed"] = json!(true);
    document["scope"] = json!({"type": "polyhouse", "polyhouseId": house});
    document["trigger"]["duration_sec"] = json!(1);
    document["actions"][0]["device_id"] = json!("fan");
    let rules = format!("{FARM}/rules");
    let made = app.call(owner, Method::POST, &rules, &document).await;
    let made = made.expect(StatusCode::CREATED);
    for value in [36, 37, 38, 39] {
        let air = json!({"id": "air", "type": "temperature", "unit": "°C", "latestValue": value});
        let reading = json!({"sensors": [air]}).to_string();
        controller.publish("telemetry", reading).await;
        pass(450).await;
    }
    controller.publish("state", report(true, 75)).await;
    let locked = json!({"reason": "belt torn"});
    let lock = format!("{FARM}/devices/vent/lock");
    let lock = app.call(owner, Method::POST, &lock, &locked).await;
    lock.expect(StatusCode::OK);
    pass(20).await;
    let away = json!({"online": false}).to_string();
    controller.publish("state", away).await;
    made["id"].as_str().expect("an id").to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_houses_lanes_are_what_the_history_and_the_log_have_of_all_its_devices() {
    let mut field = field_with(harit_api::ApiConfig::default()).await;
    let house = field.asset["polyhouseId"]
        .as_str()
        .expect("a house")
        .to_owned();
    let from = now_ms();
    let id = house_lives(&mut field, &house).await;
    let (app, owner) = (&field.app, &field.owner);
    let history = format!("{FARM}/devices/vent/history");
    let ended = |h: &Value| h["segments"][1]["until"].is_i64();
    let history = eventually(app, owner, &history, ended).await;

    let to = now_ms();
    let path = format!("{FARM}/polyhouses/{house}/lanes?from={from}&to={to}");
    let day = app.get(owner, &path).await.expect(StatusCode::OK);
    let whole = (&day["exact_from"], &day["left_out"]);
    assert_eq!(whole, (&json!(from), &json!(0)));
    // The vent's steps of value are those of its history, to the millisecond.
    let segments = history["segments"].as_array().expect("segments");
    let wanted: Vec<Value> = { segments.iter() }
        .map(|s| json!([s["at"], s["until"], s["value"], "on"]))
        .collect();
    let told = spans(&day, "reported vent", &["from", "to", "value", "state"]);
    assert_eq!(told, wanted);
    assert_eq!((&told[0][2], &told[1][2]), (&json!(40), &json!(75)));
    // The device's own lanes say the same.
    let own = format!("{FARM}/devices/vent/lanes?from={from}&to={to}");
    let own = app.get(owner, &own).await.expect(StatusCode::OK);
    for key in ["reported vent", "decides vent"] {
        let fields = ["from", "to", "state", "text", "value"];
        assert_eq!(spans(&day, key, &fields), spans(&own, key, &fields));
    }
    // The rule ran from when the log says on, and decided about the fan. What time alone did is told at its own instant, and
    // logged when the server came to it.
    let fired = logged(app, owner, "rule_fired").await;
    let fired = fired[0].as_i64().expect("an instant");
    let phases = spans(&day, &format!("phase {id}"), &["state", "from"]);
    assert!(phases.iter().any(|p| p[0] == "pending"), "{phases:?}");
    for (lane, state) in [
        (phases, "running"),
        (spans(&day, "decides fan", &["state", "from"]), "claim"),
    ] {
        let last = lane.last().expect("a span");
        assert_eq!(last[0], state, "{lane:?}");
        let late = fired - last[1].as_i64().expect("an instant");
        assert!((0..500).contains(&late), "{late} ms: {lane:?}");
    }
    let decides = spans(&day, "decides vent", &["state"]);
    assert_eq!(decides.last(), Some(&json!(["lock"])));
    // What the person did, and the controller that went away.
    let acts = logged(app, owner, "locked").await;
    let marks = spans(&day, "people ", &["from"]);
    let is_told = |at: &Value| marks.iter().any(|m| m[0] == *at);
    assert!(
        !acts.is_empty() && acts.iter().all(is_told),
        "{acts:?} {marks:?}"
    );
    let online = spans(&day, "online AABBCCDDEE10", &["state", "from"]);
    assert_eq!(
        online.last(),
        Some(&json!(["offline", wanted[1][1]])),
        "{online:?}"
    );
    // Devices elsewhere are not in it, and a house that is not there has no day.
    let elsewhere = |l: &Value| l["of"] == "fan-1" || l["of"] == "valve-1";
    assert!(
        !day["lanes"]
            .as_array()
            .expect("lanes")
            .iter()
            .any(elsewhere)
    );
    let none = app
        .get(owner, &format!("{FARM}/polyhouses/none/lanes"))
        .await;
    none.expect(StatusCode::NOT_FOUND);
    field.endpoint.shutdown().await;
}
