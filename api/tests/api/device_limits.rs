//! Limits of devices as people set them, and the groups of which so many run at a time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use harit_api::Role;
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::support::{Answer, App, Person, rule};

const DEVICES: &str = "/api/farms/a/devices";
const GROUPS: &str = "/api/farms/a/device-groups";

async fn device(app: &App, person: &Person, id: &str) -> Value {
    let all = app.get(person, DEVICES).await.expect(StatusCode::OK);
    let all = all.as_array().expect("a list");
    all.iter().find(|d| d["id"] == id).expect("there").clone()
}

/// Sets limits; the two that stand beside them are none.
async fn limit(app: &App, person: &Person, id: &str, limits: &Value) -> Answer {
    let body = json!({"limits": limits, "max_on_sec": null, "max_pulse_sec_per_hour": null});
    let path = format!("{DEVICES}/{id}/limits");
    app.call(person, Method::PUT, &path, &body).await
}

async fn in_language(
    app: &App,
    person: &Person,
    (method, path): (Method, &str),
    language: &str,
    body: &Value,
) -> Answer {
    let request = app.request(method, path).bearer_auth(&person.token);
    let request = request.header(header::ACCEPT_LANGUAGE, language);
    app.send(request.json(body)).await
}

/// What is said of the fields that are wrong: path, code and message.
fn problems(answer: Answer) -> Vec<(String, String, String)> {
    let body = answer.expect(StatusCode::UNPROCESSABLE_ENTITY);
    let text = |p: &Value, field: &str| p[field].as_str().expect("text").to_owned();
    let all = body["problems"].as_array().expect("problems").iter();
    all.map(|p| (text(p, "path"), text(p, "code"), text(p, "message")))
        .collect()
}

async fn group(app: &App, person: &Person, name: &str, at_most: u8) -> Value {
    let body = json!({"name": name, "at_most": at_most});
    let made = app.call(person, Method::POST, GROUPS, &body).await;
    made.expect(StatusCode::CREATED)
}

async fn command(app: &App, person: &Person, kind: &str, id: &str, action: &str) -> Value {
    let body = json!({"cmd_type": kind, "device_id": id, "action": {"action": action}, "duration_sec": 60});
    let answer = app.call(person, Method::POST, "/api/farms/a/commands", &body);
    answer.await.expect(StatusCode::OK)
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.expect("after 1970").as_millis()).expect("a date")
}

#[tokio::test]
async fn limits_are_set_all_at_once_and_the_log_has_what_changed() {
    let (app, owner) = App::with_owner().await;
    let before = device(&app, &owner, "fan-1").await;
    assert_eq!(
        (&before["limits"], &before["limits_state"]),
        (&Value::Null, &Value::Null)
    );
    let group = group(&app, &owner, "Generator", 2).await;
    let limits = json!({
        "min_on_sec": 60, "min_off_sec": 120, "starts_per_hour": 6, "groups": [group["id"]],
        "needs": {"any": ["valve-1"], "for_sec": 5}, "sec_per_day": 3600, "ml_per_day": 250.5, "ml_per_sec": 0.25,
    });
    let body = json!({"limits": limits, "max_on_sec": 900, "max_pulse_sec_per_hour": 120});
    let path = format!("{DEVICES}/fan-1/limits");
    let put = app.request(Method::PUT, &path).bearer_auth(&owner.token);
    let tag = format!("\"{}\"", before["etag"].as_str().expect("a tag"));
    let put = put.header(header::IF_MATCH, &tag).json(&body);
    let set = app.send(put).await.expect(StatusCode::OK);
    assert_eq!(set["limits"], limits);
    assert_eq!(
        (&set["max_on_sec"], &set["max_pulse_sec_per_hour"]),
        (&json!(900), &json!(120))
    );
    assert_eq!(
        set["limits_state"],
        json!({
            "held": null, "held_until": null, "starts": 0, "used_sec": 0, "left_sec": 3600, "used_ml": 0, "left_ml": 250.5,
            "day_ends": null, "groups": [{"id": group["id"], "name": "Generator", "running": 0, "at_most": 2}],
        })
    );
    assert_eq!(device(&app, &owner, "fan-1").await, set);
    // the version is another one now
    let again = app.request(Method::PUT, &path).bearer_auth(&owner.token);
    let again = app.send(again.header(header::IF_MATCH, &tag).json(&body));
    let refused = again.await.expect(StatusCode::PRECONDITION_FAILED);
    assert_eq!(refused["current"]["limits"], limits);
    // the valve is needed: where it stands is told, it has no limits of its own
    let valve = device(&app, &owner, "valve-1").await;
    assert_eq!(valve["limits"], Value::Null);
    assert_eq!(valve["limits_state"]["starts"], 0);

    // what is so already is not written down again
    app.call(&owner, Method::PUT, &path, &body)
        .await
        .expect(StatusCode::OK);
    limit(&app, &owner, "fan-1", &json!({"min_on_sec": 60}))
        .await
        .expect(StatusCode::OK);
    let audited = app.audited("a", "device_limited").await;
    assert_eq!(audited.len(), 2, "{audited:?}");
    let mut to = limits.clone();
    to["max_on_sec"] = json!(900);
    to["max_pulse_sec_per_hour"] = json!(120);
    assert_eq!(audited[0].1["to"], to);
    assert_eq!(audited[0].1["from"]["min_on_sec"], Value::Null);
    assert_eq!(audited[1].1["from"]["min_off_sec"], 120);
    assert!(audited[1].1["from"].get("min_on_sec").is_none());
    assert_eq!(audited[1].1["to"]["max_on_sec"], Value::Null);
    let logs = app.get(&owner, "/api/farms/a/logs?limit=5").await;
    let logs = logs.expect(StatusCode::OK).to_string();
    assert!(
        logs.contains("Limits of device \\\"Fan\\\" changed"),
        "{logs}"
    );
}

#[tokio::test]
async fn what_is_wrong_stands_at_its_field_in_the_persons_language() {
    let (app, owner) = App::with_owner().await;
    let wrong = json!({
        "min_on_sec": 0, "min_off_sec": 3601, "starts_per_hour": 1.5, "needs": {"any": []}, "sec_per_day": "long",
        "ml_per_day": 100,
    });
    let said = problems(limit(&app, &owner, "fan-1", &wrong).await);
    let at: Vec<_> = said
        .iter()
        .map(|(path, code, _)| (path.as_str(), code.as_str()))
        .collect();
    assert_eq!(
        at,
        [
            ("limits.min_on_sec", "out_of_range"),
            ("limits.min_off_sec", "out_of_range"),
            ("limits.starts_per_hour", "not_whole"),
            ("limits.needs.any", "required"),
            ("limits.sec_per_day", "wrong_type"),
            ("limits.ml_per_sec", "required"),
        ]
    );
    // what only the whole farm shows, and a circle
    let said = problems(
        limit(
            &app,
            &owner,
            "fan-1",
            &json!({"groups": ["g"], "needs": {"any": ["fan-1", "no-such"]}}),
        )
        .await,
    );
    let at: Vec<_> = said.iter().map(|(path, ..)| path.as_str()).collect();
    assert_eq!(at, ["limits.groups", "limits.needs.any"]);
    limit(
        &app,
        &owner,
        "pump-1",
        &json!({"needs": {"any": ["valve-1"]}}),
    )
    .await
    .expect(StatusCode::OK);
    let body = json!({"limits": {"needs": {"any": ["pump-1"]}}, "max_on_sec": null, "max_pulse_sec_per_hour": null});
    for (language, words) in [
        ("en", "It needs itself, if only over others"),
        ("hi", "घूम-फिरकर यह ख़ुद पर ही टिका है"),
        ("mr", "फिरून फिरून हे स्वतःवरच अवलंबून आहे"),
    ] {
        let path = format!("{DEVICES}/valve-1/limits");
        let refused = in_language(&app, &owner, (Method::PUT, &path), language, &body).await;
        let (path, code, message) = problems(refused).swap_remove(0);
        assert_eq!(
            (path.as_str(), code.as_str()),
            ("limits.needs.any", "circle")
        );
        assert_eq!(message.to_lowercase(), words.to_lowercase());
    }
    assert_eq!(
        device(&app, &owner, "valve-1").await["limits"],
        Value::Null,
        "nothing was kept of it"
    );
    // a field too many, or one that was left out, takes no limit away
    for body in [
        json!({"limits": {"min_of_sec": 60}, "max_on_sec": null, "max_pulse_sec_per_hour": null}),
        json!({"limits": null, "max_pulse_sec_per_hour": null}),
        json!({"max_on_sec": null, "max_pulse_sec_per_hour": null}),
    ] {
        let path = format!("{DEVICES}/pump-1/limits");
        app.call(&owner, Method::PUT, &path, &body)
            .await
            .expect(StatusCode::BAD_REQUEST);
    }
    limit(&app, &owner, "no-such", &Value::Null)
        .await
        .expect(StatusCode::NOT_FOUND);
    let manager = app.person("a", Role::FarmManager).await;
    limit(&app, &manager, "fan-1", &Value::Null)
        .await
        .expect(StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn groups_have_names_of_their_own_and_stay_while_a_device_is_in_them() {
    let (app, owner) = App::with_owner().await;
    let made = group(&app, &owner, " Generator ", 2).await;
    assert_eq!(
        (&made["name"], &made["at_most"], &made["members"]),
        (&json!("Generator"), &json!(2), &json!([]))
    );
    for (body, at) in [
        (json!({"name": "generator", "at_most": 1}), "name"),
        (json!({"name": " ", "at_most": 1}), "name"),
        (json!({"name": "Well", "at_most": 0}), "at_most"),
        (json!({"name": "Well", "at_most": 101}), "at_most"),
        (json!({"name": "Well", "at_most": "two"}), "at_most"),
        (json!({"name": "Well"}), "at_most"),
    ] {
        let refused = app.call(&owner, Method::POST, GROUPS, &body).await;
        assert_eq!(problems(refused)[0].0, at, "{body}");
    }
    let zero = json!({"name": "Well", "at_most": 0});
    let refused = in_language(&app, &owner, (Method::POST, GROUPS), "mr", &zero).await;
    assert_eq!(problems(refused)[0].2, "हे १ ते १०० या दरम्यान असावे");

    let id = made["id"].as_str().expect("an id");
    for device in ["fan-1", "pump-1"] {
        limit(&app, &owner, device, &json!({"groups": [id]}))
            .await
            .expect(StatusCode::OK);
    }
    let path = format!("{GROUPS}/{id}");
    let changed = json!({"name": "Big generator", "at_most": 1});
    let changed = app.call(&owner, Method::PUT, &path, &changed).await;
    let changed = changed.expect(StatusCode::OK);
    assert_eq!(
        changed["members"],
        json!([{"id": "fan-1", "name": "Fan"}, {"id": "pump-1", "name": "Pump"}])
    );
    let viewer = app.person("a", Role::Viewer).await;
    let listed = app.get(&viewer, GROUPS).await.expect(StatusCode::OK);
    assert_eq!(listed, json!([changed]));

    let old = app.request(Method::DELETE, &path).bearer_auth(&owner.token);
    let tag = format!("\"{}\"", made["etag"].as_str().expect("a tag"));
    app.send(old.header(header::IF_MATCH, tag))
        .await
        .expect(StatusCode::PRECONDITION_FAILED);
    let named = app.call(&owner, Method::DELETE, &path, &json!({})).await;
    let named = named.expect(StatusCode::CONFLICT);
    assert_eq!(named["code"], "in_use");
    let names: Vec<_> = { named["problems"].as_array().expect("who").iter() }
        .map(|p| p["message"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(names, ["Device: Fan", "Device: Pump"]);
    for device in ["fan-1", "pump-1"] {
        limit(&app, &owner, device, &Value::Null)
            .await
            .expect(StatusCode::OK);
    }
    app.call(&owner, Method::DELETE, &path, &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    let listed = app.get(&viewer, GROUPS).await.expect(StatusCode::OK);
    assert_eq!(listed, json!([]));
    app.call(&owner, Method::DELETE, &path, &json!({}))
        .await
        .expect(StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_farm_has_so_many_groups_and_keeps_its_other_settings() {
    let (app, owner) = App::with_owner().await;
    for n in 0..64 {
        group(&app, &owner, &format!("Group {n}"), 1).await;
    }
    let one_more = json!({"name": "One more", "at_most": 1});
    let refused = app.call(&owner, Method::POST, GROUPS, &one_more).await;
    refused.expect(StatusCode::CONFLICT);
    let settings = |engine: &harit_engine::Engine| engine.document().farm.settings;
    let farm = harit_engine::FarmId::from("a");
    let settings = app.hub.read(&farm, settings).await.expect("a farm");
    assert_eq!((settings.min_samples, settings.groups.len()), (2, 64));
}

#[tokio::test]
async fn what_is_held_is_shown_and_what_was_used_is_as_of_now() {
    let (app, owner) = App::with_owner().await;
    let generator = group(&app, &owner, "Generator", 1).await;
    let limits = json!({"min_off_sec": 300, "groups": [generator["id"]], "sec_per_day": 600,
        "ml_per_day": 6000, "ml_per_sec": 10});
    limit(&app, &owner, "fan-1", &limits)
        .await
        .expect(StatusCode::OK);
    limit(
        &app,
        &owner,
        "pump-1",
        &json!({"groups": [generator["id"]]}),
    )
    .await
    .expect(StatusCode::OK);
    let started = now_ms();
    let on = command(&app, &owner, "override", "fan-1", "on").await;
    // the engine took it; that it has no controller is another thing
    assert_eq!(on["command_id"], "a-1", "{on}");
    // nothing happens to it from here on
    tokio::time::sleep(Duration::from_millis(2_100)).await;
    let fan = device(&app, &owner, "fan-1").await;
    let ran = (now_ms() - started) / 1_000;
    let state = &fan["limits_state"];
    let used = state["used_sec"].as_i64().expect("seconds");
    assert!((2..=ran).contains(&used), "{state}");
    let left = state["left_sec"].as_i64().expect("seconds");
    assert!((598 - ran..=598).contains(&left), "{state}");
    let ml = state["used_ml"].as_f64().expect("ml");
    assert!(ml >= 20.0, "{state}");
    assert_eq!(state["starts"], 1);
    assert!(state["day_ends"].as_i64().is_some_and(|at| at > started));
    // the other one may not run beside it, and is told so
    let refused = command(&app, &owner, "override", "pump-1", "on").await;
    assert_eq!(refused["command_id"], Value::Null);
    assert_eq!(
        refused["message"],
        "As many devices of its group run as may at a time"
    );
    let pump = device(&app, &owner, "pump-1").await;
    assert_eq!(
        pump["limits_state"]["groups"],
        json!([{"id": generator["id"], "name": "Generator", "running": 1, "at_most": 1}])
    );
    let listed = app.get(&owner, GROUPS).await.expect(StatusCode::OK);
    assert_eq!(listed[0]["running"], 1);
    // a person switches it off, and is then refused to switch it on
    command(&app, &owner, "override", "fan-1", "off").await;
    let stopped = now_ms();
    let refused = command(&app, &owner, "override", "fan-1", "on").await;
    assert_eq!(
        refused["message"],
        "The device stays off for its least time first"
    );
    // given back to a rule that wants it on, it is held
    let mut wanting = rule();
    wanting["deployed"] = json!(true);
    wanting["trigger"]["duration_sec"] = json!(1);
    let saved = app.call(&owner, Method::POST, "/api/farms/a/rules", &wanting);
    saved.await.expect(StatusCode::CREATED);
    let mut looks = 0;
    while device(&app, &owner, "fan-1").await["claims"] == json!([]) {
        assert!(looks < 30, "the rule does not fire");
        looks += 1;
        app.reading("a", "t-1", 40_000_000).await;
        tokio::time::sleep(Duration::from_millis(400)).await;
    }
    command(&app, &owner, "release", "fan-1", "off").await;
    let held = device(&app, &owner, "fan-1").await["limits_state"].clone();
    assert_eq!(held["held"], "min_off");
    let until = held["held_until"].as_i64().expect("an instant") - stopped;
    assert!((295_000..=300_000).contains(&until), "{held}");
}

#[tokio::test]
async fn hours_bind_people_and_groups_keep_theirs() {
    let (app, owner) = App::with_owner().await;
    let hours =
        json!({"while": {"device": "valve-1", "is": "on"}, "if_unknown": "hold", "for_sec": 60});
    let set = limit(&app, &owner, "fan-1", &json!({"hours": hours})).await;
    assert_eq!(
        set.expect(StatusCode::OK)["limits"],
        json!({"hours": hours})
    );
    let refused = command(&app, &owner, "override", "fan-1", "on")
        .await
        .to_string();
    assert!(
        refused.contains("Outside of the hours in which the device may run"),
        "{refused}"
    );
    let windows = json!({"time": {"from": "06:00", "to": "10:00"}});
    for (wrong, path) in [
        (json!({"while": windows}), "limits.hours.if_unknown"),
        (json!({"if_unknown": "hold"}), "limits.hours.while"),
        (
            json!({"while": {"days": ["mon"], "hold_sec": 5}, "if_unknown": "hold"}),
            "limits.hours.while",
        ),
        (
            json!({"while": {"device": "fan-1", "is": "on"}, "if_unknown": "hold"}),
            "limits.hours.while",
        ),
        (
            json!({"while": windows, "if_unknown": "allow", "for_sec": 3601}),
            "limits.hours.for_sec",
        ),
    ] {
        let said = problems(limit(&app, &owner, "fan-1", &json!({"hours": wrong})).await);
        assert_eq!(said[0].0, path, "{said:?}");
    }

    let made = group(&app, &owner, "Three phases", 1).await;
    assert_eq!(made["hours"], Value::Null);
    let path = format!("{GROUPS}/{}", made["id"].as_str().expect("an id"));
    let hours = json!({"while": windows, "if_unknown": "allow", "for_sec": 0});
    let put = async |body: Value| app.call(&owner, Method::PUT, &path, &body).await;
    let changed = put(json!({"name": "Three phases", "at_most": 1, "hours": hours})).await;
    let changed = changed.expect(StatusCode::OK);
    assert_eq!(changed["hours"]["while"], windows);
    assert_ne!(changed["etag"], made["etag"]);
    // who does not know of hours takes none away
    let renamed = put(json!({"name": "Feeder", "at_most": 1})).await;
    assert_eq!(renamed.expect(StatusCode::OK)["hours"], changed["hours"]);
    let none = put(json!({"name": "Feeder", "at_most": 1, "hours": null})).await;
    assert_eq!(none.expect(StatusCode::OK)["hours"], Value::Null);
    let wrong = put(json!({"name": "Feeder", "at_most": 1, "hours": {"while": windows}})).await;
    assert_eq!(problems(wrong)[0].0, "hours.if_unknown");
}
