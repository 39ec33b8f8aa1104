//! Rules, alerts, devices, commands.

use harit_api::Role;
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::support::{App, Person, alert, rule};

async fn started() -> (App, Person) {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    (app, owner)
}

#[tokio::test]
async fn a_rule_is_made_replaced_and_deleted() {
    let (app, owner) = started().await;
    let made = app
        .call(&owner, Method::POST, "/api/farms/a/rules", &rule())
        .await
        .expect(StatusCode::CREATED);
    let id = made["id"].as_str().expect("an id").to_owned();
    assert!(
        id.strip_prefix("rule-")
            .is_some_and(|at| at.parse::<i64>().is_ok()),
        "{id}"
    );
    assert_eq!(
        (&made["mode"], &made["priority"], &made["deployed"]),
        (&json!("auto"), &json!(5), &json!(false))
    );
    assert_eq!(
        (&made["created_by"], &made["status"]),
        (&json!("Asha Patil"), &json!({"phase": "idle"}))
    );

    let path = format!("/api/farms/a/rules/{id}");
    let mut edited = made.clone();
    edited["name"] = json!("Cool it");
    edited["created_by"] = json!("somebody else");
    let stored = app
        .call(&owner, Method::PUT, &path, &edited)
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        (&stored["name"], &stored["created_by"]),
        (&json!("Cool it"), &json!("Asha Patil"))
    );
    assert_eq!(stored["created_at"], made["created_at"]);
    assert_eq!(app.get(&owner, &path).await.expect(StatusCode::OK), stored);
    assert_eq!(
        app.get(&owner, "/api/farms/a/rules")
            .await
            .expect(StatusCode::OK),
        json!([stored])
    );

    edited["id"] = json!("another");
    let refused = app
        .call(&owner, Method::PUT, &path, &edited)
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(refused["problems"][0]["code"], "id_differs");
    app.call(&owner, Method::POST, "/api/farms/a/rules", &stored)
        .await
        .expect(StatusCode::CONFLICT);

    app.call(&owner, Method::DELETE, &path, &json!(null))
        .await
        .expect(StatusCode::NO_CONTENT);
    app.get(&owner, &path).await.expect(StatusCode::NOT_FOUND);
    app.call(&owner, Method::DELETE, &path, &json!(null))
        .await
        .expect(StatusCode::NOT_FOUND);
    app.call(&owner, Method::PUT, &path, &rule())
        .await
        .expect(StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn all_that_is_wrong_with_a_rule_is_said_at_once() {
    let (app, owner) = started().await;
    let mut wrong = rule();
    wrong["name"] = json!("");
    wrong["trigger"]["value"] = json!(99);
    wrong["actions"][0]["command"] = json!({"action": "dance"});
    let refused = app
        .call(&owner, Method::POST, "/api/farms/a/rules", &wrong)
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(
        (&refused["code"], &refused["error"]),
        (&json!("invalid"), &json!("Some entries are not valid"))
    );
    let paths: Vec<&str> = refused["problems"]
        .as_array()
        .expect("problems")
        .iter()
        .filter_map(|p| p["path"].as_str())
        .collect();
    assert_eq!(
        paths,
        ["name", "trigger.value", "actions[0].command.action"]
    );

    // what only the farm can know: another farm's device is as unknown as any
    let mut foreign = rule();
    foreign["actions"][0]["device_id"] = json!("fan-of-another-farm");
    let refused = app
        .call(&owner, Method::POST, "/api/farms/a/rules", &foreign)
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(refused["problems"][0]["path"], "actions[0].device_id");
    for body in [json!([]), json!(7), json!({})] {
        app.call(&owner, Method::POST, "/api/farms/a/rules", &body)
            .await
            .expect(StatusCode::UNPROCESSABLE_ENTITY);
    }
    assert_eq!(
        app.get(&owner, "/api/farms/a/rules")
            .await
            .expect(StatusCode::OK),
        json!([])
    );
}

#[tokio::test]
async fn a_rule_says_in_which_phase_it_is() {
    let (app, owner) = started().await;
    let mut deployed = rule();
    deployed["deployed"] = json!(true);
    deployed["id"] = json!("cool");
    app.call(&owner, Method::POST, "/api/farms/a/rules", &deployed)
        .await
        .expect(StatusCode::CREATED);
    app.reading("a", "t-1", 40_000_000).await;
    let pending = app
        .get(&owner, "/api/farms/a/rules/cool")
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        (&pending["status"]["phase"], &pending["status"]["length"]),
        (&json!("pending"), &json!(60_000))
    );
    assert_eq!(
        (
            &pending["status"]["samples"],
            &pending["status"]["samples_needed"]
        ),
        (&json!(1), &json!(2))
    );
    assert!(pending["status"]["hold_since"].is_i64());
}

#[tokio::test]
async fn a_rule_is_deployed_disabled_and_enabled_without_its_document() {
    let (app, owner) = started().await;
    let manager = app.person("a", Role::FarmManager).await;
    let made = app
        .call(&owner, Method::POST, "/api/farms/a/rules", &rule())
        .await
        .expect(StatusCode::CREATED);
    let path = format!("/api/farms/a/rules/{}", made["id"].as_str().expect("an id"));
    let change = async |body: Value| app.call(&manager, Method::PATCH, &path, &body).await;

    let deployed = change(json!({"deployed": true}))
        .await
        .expect(StatusCode::OK);
    let mut expected = made.clone();
    expected["deployed"] = json!(true);
    assert_eq!(deployed, expected, "nothing else changed");
    app.reading("a", "t-1", 40_000_000).await;
    let pending = app.get(&owner, &path).await.expect(StatusCode::OK);
    assert_eq!(pending["status"]["phase"], "pending");
    let same = change(json!({"deployed": true, "mode": "auto"}))
        .await
        .expect(StatusCode::OK);
    assert_eq!(same, pending, "what is so already disturbs nothing");

    let off = change(json!({"mode": "disabled", "deployed": false}))
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        (&off["mode"], &off["deployed"], &off["status"]["phase"]),
        (&json!("disabled"), &json!(false), &json!("idle"))
    );
    let on = change(json!({"mode": "auto"})).await.expect(StatusCode::OK);
    assert_eq!(
        (&on["mode"], &on["deployed"]),
        (&json!("auto"), &json!(false))
    );

    let nothing = change(json!({}))
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(nothing["problems"][0]["path"], "mode");
    for wrong in [
        json!({"mode": "sometimes"}),
        json!({"deployed": "yes"}),
        json!({"mode": "auto", "priority": 9}),
        json!([]),
    ] {
        change(wrong).await.expect(StatusCode::BAD_REQUEST);
    }
    let viewer = app.person("a", Role::Viewer).await;
    app.call(&viewer, Method::PATCH, &path, &json!({"deployed": true}))
        .await
        .expect(StatusCode::FORBIDDEN);
    let absent = "/api/farms/a/rules/none";
    app.call(&owner, Method::PATCH, absent, &json!({"deployed": true}))
        .await
        .expect(StatusCode::NOT_FOUND);
    app.call(&owner, Method::DELETE, &path, &json!(null))
        .await
        .expect(StatusCode::NO_CONTENT);

    let entries = app.audited("a", "rule_%").await;
    let words: Vec<&str> = entries.iter().map(|(word, _)| word.as_str()).collect();
    assert_eq!(
        words,
        [
            "rule_created",
            "rule_deployed",
            "rule_disabled",
            "rule_withdrawn",
            "rule_enabled",
            "rule_deleted"
        ]
    );
    assert_eq!(
        entries[1].1,
        json!({"name": "Cool the house", "deployed": true})
    );
    assert_eq!(
        entries[5].1["actions"], made["actions"],
        "what is deleted can be written again"
    );
}

#[tokio::test]
async fn two_edits_at_one_time_are_both_kept() {
    let (app, owner) = started().await;
    let mut new = rule();
    new["id"] = json!("cool");
    app.call(&owner, Method::POST, "/api/farms/a/rules", &new)
        .await
        .expect(StatusCode::CREATED);
    let path = "/api/farms/a/rules/cool";
    for round in 0..10 {
        let mode = if round % 2 == 0 { "disabled" } else { "auto" };
        let (mode, deployed) = (json!({"mode": mode}), json!({"deployed": round % 2 == 0}));
        let (one, two) = tokio::join!(
            app.call(&owner, Method::PATCH, path, &mode),
            app.call(&owner, Method::PATCH, path, &deployed)
        );
        one.expect(StatusCode::OK);
        two.expect(StatusCode::OK);
        let stored = app.get(&owner, path).await.expect(StatusCode::OK);
        assert_eq!(
            (&stored["mode"], &stored["deployed"]),
            (&mode["mode"], &deployed["deployed"])
        );
    }
}

#[tokio::test]
async fn an_alert_is_switched_off_and_on_without_its_document() {
    let (app, owner) = started().await;
    let made = app
        .call(&owner, Method::POST, "/api/farms/a/alerts", &alert())
        .await
        .expect(StatusCode::CREATED);
    let path = format!(
        "/api/farms/a/alerts/{}",
        made["id"].as_str().expect("an id")
    );
    app.reading("a", "ph-a", 4_000_000).await;
    let raised = app.get(&owner, &path).await.expect(StatusCode::OK);
    assert_eq!(raised["status"]["raised"], true);
    let off = app
        .call(&owner, Method::PATCH, &path, &json!({"isActive": false}))
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        (&off["isActive"], &off["status"]["raised"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(
        (&off["lastTriggered"], &off["createdAt"]),
        (&raised["lastTriggered"], &made["createdAt"])
    );
    let on = app
        .call(&owner, Method::PATCH, &path, &json!({"isActive": true}))
        .await
        .expect(StatusCode::OK);
    assert_eq!(on["isActive"], true);
    for (wrong, status) in [
        (json!({}), StatusCode::UNPROCESSABLE_ENTITY),
        (json!({"isActive": 1}), StatusCode::BAD_REQUEST),
        (json!({"is_active": true}), StatusCode::BAD_REQUEST),
    ] {
        app.call(&owner, Method::PATCH, &path, &wrong)
            .await
            .expect(status);
    }
    app.call(
        &owner,
        Method::PATCH,
        "/api/farms/a/alerts/none",
        &json!({"isActive": true}),
    )
    .await
    .expect(StatusCode::NOT_FOUND);
    let entries = app.audited("a", "alert_%").await;
    let words: Vec<&str> = entries.iter().map(|(word, _)| word.as_str()).collect();
    assert_eq!(words, ["alert_created", "alert_disabled", "alert_enabled"]);
}

#[tokio::test]
async fn the_documents_have_the_documented_shape() {
    let (app, owner) = started().await;
    let made = app
        .call(&owner, Method::POST, "/api/farms/a/rules", &rule())
        .await
        .expect(StatusCode::CREATED);
    let strip = |mut v: Value| {
        let status = v.as_object_mut().and_then(|o| o.remove("status"));
        (v, status.expect("a status"))
    };
    let (document, status) = strip(made);
    serde_json::from_value::<harit_api::document::RuleDocument>(document)
        .expect("a rule as documented");
    serde_json::from_value::<harit_api::document::RulePhaseDocument>(status)
        .expect("a phase as documented");
    let made = app
        .call(&owner, Method::POST, "/api/farms/a/alerts", &alert())
        .await
        .expect(StatusCode::CREATED);
    serde_json::from_value::<harit_api::document::AlertDocument>(strip(made).0)
        .expect("an alert as documented");
}

#[tokio::test]
async fn a_viewer_learns_how_many_an_alert_tells_but_not_whom() {
    let (app, owner) = started().await;
    let mut new = alert();
    new["subscribers"] = json!([{"email": "asha@farm.test"}, {"email": "ravi@farm.test"}]);
    let made = app
        .call(&owner, Method::POST, "/api/farms/a/alerts", &new)
        .await
        .expect(StatusCode::CREATED);
    let one = format!(
        "/api/farms/a/alerts/{}",
        made["id"].as_str().expect("an id")
    );
    let manager = app.person("a", Role::FarmManager).await;
    let viewer = app.person("a", Role::Viewer).await;
    for (person, whom) in [(&manager, "asha@farm.test"), (&viewer, "•••")] {
        let listed = app
            .get(person, "/api/farms/a/alerts")
            .await
            .expect(StatusCode::OK);
        let got = app.get(person, &one).await.expect(StatusCode::OK);
        assert_eq!(listed[0], got);
        assert_eq!(got["subscribers"][0], json!({"email": whom}));
        assert_eq!(got["subscribers"].as_array().map(Vec::len), Some(2));
    }
}

#[tokio::test]
async fn an_alert_that_makes_no_sense_is_refused_as_the_form_does() {
    let (app, owner) = started().await;
    let path = "/api/farms/a/alerts";
    for (field, value, problem, code) in [
        (
            "channels",
            json!(["EMAIL", "FAX"]),
            "channels[1]",
            "unknown_word",
        ),
        ("channels", json!("EMAIL"), "channels", "wrong_type"),
        ("subscribers", json!([]), "subscribers", "required"),
        ("subscribers", Value::Null, "subscribers", "required"),
        (
            "subscribers",
            json!([{"email": "a@b.test"}, {"email": "nobody"}]),
            "subscribers[1].email",
            "invalid_email",
        ),
        (
            "conditions",
            json!([{"sensor": "pH", "operator": ">", "value": 99}]),
            "conditions[0].value",
            "out_of_range",
        ),
        ("evidence", json!("median"), "evidence", "unknown_word"),
        ("severity", json!("urgent"), "severity", "unknown_word"),
    ] {
        let mut wrong = alert();
        wrong[field] = value;
        let refused = app.call(&owner, Method::POST, path, &wrong).await;
        let refused = refused.expect(StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(
            (
                &refused["problems"][0]["path"],
                &refused["problems"][0]["code"]
            ),
            (&json!(problem), &json!(code)),
            "{refused}"
        );
    }
}

#[tokio::test]
async fn a_new_alert_watches_the_worst_sensor_and_one_that_is_replaced_what_it_watched() {
    let (app, owner) = started().await;
    let path = "/api/farms/a/alerts";
    let mut new = alert();
    new["conditions"][0]["unit"] = Value::Null;
    new.as_object_mut().expect("an object").remove("channels");
    let made = app.call(&owner, Method::POST, path, &new).await;
    let made = made.expect(StatusCode::CREATED);
    assert_eq!(
        (&made["evidence"], &made["severity"]),
        (&json!("worst"), &json!("warning"))
    );
    assert_eq!(
        (&made["channels"], &made["conditions"][0]["unit"]),
        (&json!([]), &json!(""))
    );
    let one = format!("{path}/{}", made["id"].as_str().expect("an id"));
    for (put, evidence, severity) in [
        (json!({"evidence": "mean"}), "mean", "warning"),
        (json!({"severity": "critical"}), "mean", "critical"),
        (json!({"evidence": "worst"}), "worst", "critical"),
    ] {
        let mut document = alert();
        for (field, value) in put.as_object().expect("an object") {
            document[field] = value.clone();
        }
        let kept = app.call(&owner, Method::PUT, &one, &document).await;
        let kept = kept.expect(StatusCode::OK);
        assert_eq!(
            (&kept["evidence"], &kept["severity"]),
            (&json!(evidence), &json!(severity))
        );
    }
}

#[tokio::test]
async fn an_alert_keeps_when_it_was_made_and_last_told() {
    let (app, owner) = started().await;
    let mut new = alert();
    new["lastTriggered"] = json!(5);
    let made = app
        .call(&owner, Method::POST, "/api/farms/a/alerts", &new)
        .await
        .expect(StatusCode::CREATED);
    assert_eq!(
        (&made["isActive"], &made["lastTriggered"]),
        (&json!(true), &Value::Null)
    );
    let path = format!(
        "/api/farms/a/alerts/{}",
        made["id"].as_str().expect("an id")
    );
    app.reading("a", "ph-a", 4_000_000).await;
    let raised = app.get(&owner, &path).await.expect(StatusCode::OK);
    assert_eq!(
        (&raised["status"]["raised"], &raised["status"]["condition"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(
        raised["status"]["raisedSince"], raised["lastTriggered"],
        "told as it was raised: {raised}"
    );
    assert!(
        raised["lastTriggered"].is_i64() && raised["status"]["nextNotification"].is_i64(),
        "{raised}"
    );

    let mut edited = raised.clone();
    edited["isActive"] = json!(false);
    edited["lastTriggered"] = json!(null);
    edited["createdAt"] = json!(1);
    let stored = app
        .call(&owner, Method::PUT, &path, &edited)
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        (&stored["isActive"], &stored["status"]["raised"]),
        (&json!(false), &json!(false))
    );
    assert_eq!(
        (&stored["lastTriggered"], &stored["createdAt"]),
        (&raised["lastTriggered"], &made["createdAt"])
    );
    app.call(&owner, Method::DELETE, &path, &json!(null))
        .await
        .expect(StatusCode::NO_CONTENT);
    assert_eq!(
        app.get(&owner, "/api/farms/a/alerts")
            .await
            .expect(StatusCode::OK),
        json!([])
    );
    let refused = app
        .call(
            &owner,
            Method::POST,
            "/api/farms/a/alerts",
            &json!({"name": "x"}),
        )
        .await;
    assert_eq!(
        refused.expect(StatusCode::UNPROCESSABLE_ENTITY)["code"],
        "invalid"
    );
}

#[tokio::test]
async fn a_command_is_the_callers_and_its_life_can_be_followed() {
    let (app, owner) = started().await;
    let command = json!({
        "cmd_type": "override", "device_id": "fan-1", "action": {"mode": "manual", "action": "set_speed", "value": 40},
        "owner": {"user_id": "u-9", "name": "Somebody Else"}, "reason": " too hot ", "duration_sec": 600, "timestamp": 1,
    });
    let result = app
        .call(&owner, Method::POST, "/api/farms/a/commands", &command)
        .await
        .expect(StatusCode::OK);
    let id = result["command_id"].as_str().expect("an id").to_owned();
    assert_eq!(id, "a-1");
    let life = app
        .get(&owner, &format!("/api/farms/a/commands/{id}"))
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        (&life["device_id"], &life["action"], &life["value"]),
        (&json!("fan-1"), &json!("set_speed"), &json!(40))
    );
    assert_eq!(
        (&life["cause"], &life["owner"]["name"]),
        (&json!("manual"), &json!("Asha Patil"))
    );
    assert_eq!(
        (&life["owner"]["user_id"], &life["owner"]["reason"]),
        (&json!(owner.id), &json!("too hot"))
    );
    assert_eq!(
        life["until"]
            .as_i64()
            .zip(life["at"].as_i64())
            .map(|(u, a)| u - a),
        Some(600_000)
    );
    let listed = app
        .get(&owner, "/api/farms/a/commands?device=fan-1&limit=5")
        .await
        .expect(StatusCode::OK);
    assert_eq!(listed[0]["command_id"], "a-1");

    let devices = app
        .get(&owner, "/api/farms/a/devices")
        .await
        .expect(StatusCode::OK);
    let fan = &devices
        .as_array()
        .expect("a list")
        .iter()
        .find(|d| d["id"] == "fan-1")
        .expect("the fan");
    assert_eq!(
        (&fan["state"]["mode"], &fan["state"]["source"]),
        (&json!("manual"), &json!("Asha Patil"))
    );
    assert_eq!(fan["state"]["manualOverrideUntil"], life["until"]);
    // never "on" before the controller said so
    assert_eq!(
        (&fan["state"]["on"], &fan["state"]["value"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(
        fan["last_sent"],
        json!({"action": "set_speed", "value": 40})
    );
    app.get(&owner, "/api/farms/a/commands/a-2")
        .await
        .expect(StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn what_the_engine_refuses_is_a_failure_with_the_reason() {
    let (app, owner) = started().await;
    let manager = app.person("a", Role::FarmManager).await;
    let on = |device: &str| json!({"cmd_type": "override", "device_id": device, "action": {"on": true}, "duration_sec": 60});
    for (person, device, message) in [
        (&owner, "valve-1", "Device is offline"),
        (&manager, "pump-1", "Safety mode - admin access required"),
    ] {
        let result = app
            .call(person, Method::POST, "/api/farms/a/commands", &on(device))
            .await
            .expect(StatusCode::OK);
        assert_eq!(
            result,
            json!({"status": "failure", "message": message, "command_id": null})
        );
    }
    let request = app
        .request(Method::POST, "/api/farms/a/commands")
        .bearer_auth(&owner.token);
    let answer = app
        .send(
            request
                .header(header::ACCEPT_LANGUAGE, "hi")
                .json(&on("valve-1")),
        )
        .await;
    assert_eq!(answer.json()["message"], "उपकरण से संपर्क नहीं है");
    let result = app
        .call(&owner, Method::POST, "/api/farms/a/commands", &on("pump-1"))
        .await
        .expect(StatusCode::OK);
    assert!(
        result["command_id"].is_string(),
        "an admin commands in safety mode: {result}"
    );
    app.call(&owner, Method::POST, "/api/farms/a/commands", &on("pump-9"))
        .await
        .expect(StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn overrides_are_as_long_as_the_role_permits() {
    let (app, owner) = started().await;
    let manager = app.person("a", Role::FarmManager).await;
    let long = json!({"cmd_type": "override", "device_id": "fan-1", "action": {"on": true}, "duration_sec": 3_601});
    let refused = app
        .call(&manager, Method::POST, "/api/farms/a/commands", &long)
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(refused["problems"][0]["path"], "duration_sec");
    assert_eq!(refused["error"], "Your role permits at most 60 minutes");
    app.call(&owner, Method::POST, "/api/farms/a/commands", &long)
        .await
        .expect(StatusCode::OK);
    let release = json!({"cmd_type": "release", "device_id": "fan-1", "action": {"mode": "auto"}, "duration_sec": 0});
    let result = app
        .call(&manager, Method::POST, "/api/farms/a/commands", &release)
        .await
        .expect(StatusCode::OK);
    assert!(result["command_id"].is_string(), "{result}");
    let devices = app
        .get(&manager, "/api/farms/a/devices")
        .await
        .expect(StatusCode::OK);
    assert_eq!(devices[0]["state"]["mode"], "auto");
    for nonsense in [
        json!({}),
        json!({"cmd_type": "explode", "device_id": "fan-1"}),
    ] {
        app.call(&manager, Method::POST, "/api/farms/a/commands", &nonsense)
            .await
            .expect(StatusCode::BAD_REQUEST);
    }
}
