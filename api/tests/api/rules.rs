//! Rules: saved, replaced, deployed, switched, deleted.

use harit_api::Role;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::{App, alert, rule};

#[tokio::test]
async fn a_rule_is_made_replaced_and_deleted() {
    let (app, owner) = App::with_owner().await;
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

/// The engine is told the farm's days, so a schedule has its next start: within the next day, at that time of the farm's clock.
#[tokio::test]
async fn a_rule_by_the_clock_knows_its_next_start() {
    let (app, owner) = App::with_owner().await;
    let mut by_clock = rule();
    by_clock["deployed"] = json!(true);
    by_clock["trigger"] = json!({"schedule": {"at": ["06:30"], "catch_up_sec": 60}});
    by_clock["stop_condition"] = json!({"any": [{"time": {"from": "07:00", "to": "06:00"}}, {"device": "fan-1", "is": "off", "hold_sec": 5}]});
    let refused = app
        .call(&owner, Method::POST, "/api/farms/a/rules", &by_clock)
        .await;
    let refused = refused.expect(StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(refused["problems"][0]["path"], "run_sec", "{refused}");
    by_clock["run_sec"] = json!(600);
    let made = app
        .call(&owner, Method::POST, "/api/farms/a/rules", &by_clock)
        .await;
    let made = made.expect(StatusCode::CREATED);
    let path = format!("/api/farms/a/rules/{}", made["id"].as_str().expect("an id"));
    let mut next = None;
    for _ in 0..150 {
        let stored = app.get(&owner, &path).await.expect(StatusCode::OK);
        assert_eq!(stored["trigger"], by_clock["trigger"]);
        next = stored["next_start"].as_i64();
        if next.is_some() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    let next = next.expect("the farm's days are known");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let now = i64::try_from(now.expect("after 1970").as_millis()).expect("a date");
    assert!(
        (0..=86_400_000).contains(&(next - now)),
        "{next} after {now}"
    );
    // 06:30 in India is 01:00 UTC.
    assert_eq!(next % 86_400_000, 3_600_000);

    // What looks at it keeps it from being deleted.
    let mut reader = rule();
    reader["trigger"] = json!({"all": [{"rule": made["id"]}, {"sensor_type": "temperature", "operator": "gt", "value": 20}]});
    let reader = app
        .call(&owner, Method::POST, "/api/farms/a/rules", &reader)
        .await;
    let reader = reader.expect(StatusCode::CREATED);
    let refused = app.call(&owner, Method::DELETE, &path, &json!(null)).await;
    let refused = refused.expect(StatusCode::CONFLICT);
    assert_eq!(refused["code"], "in_use");
    assert_eq!(refused["problems"][0]["message"], "Rule: Cool the house");
    let seen = app
        .get(&owner, "/api/farms/a/conditions")
        .await
        .expect(StatusCode::OK);
    let parts = seen.as_array().expect("a list").iter();
    let of_reader = parts
        .clone()
        .find(|c| c["rule"] == reader["id"])
        .expect("its conditions");
    assert_eq!(
        of_reader["parts"].as_array().map(Vec::len),
        Some(1),
        "{of_reader}"
    );
    let reader = format!(
        "/api/farms/a/rules/{}",
        reader["id"].as_str().expect("an id")
    );
    for path in [reader, path] {
        app.call(&owner, Method::DELETE, &path, &json!(null))
            .await
            .expect(StatusCode::NO_CONTENT);
    }
}

#[tokio::test]
async fn all_that_is_wrong_with_a_rule_is_said_at_once() {
    let (app, owner) = App::with_owner().await;
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
    let (app, owner) = App::with_owner().await;
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
    let (app, owner) = App::with_owner().await;
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
    expected["etag"] = deployed["etag"].clone();
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
    let (app, owner) = App::with_owner().await;
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
async fn the_documents_have_the_documented_shape() {
    let (app, owner) = App::with_owner().await;
    let made = app
        .call(&owner, Method::POST, "/api/farms/a/rules", &rule())
        .await
        .expect(StatusCode::CREATED);
    let strip = |mut v: Value| {
        let mut object = v.as_object_mut();
        for of_now in ["next_start", "run_until"] {
            object.as_mut().map(|o| o.remove(of_now));
        }
        let status = object.and_then(|o| o.remove("etag").and(o.remove("status")));
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
async fn what_the_conditions_of_rules_see_is_said() {
    let (app, owner) = App::with_owner().await;
    app.call(&owner, Method::POST, "/api/farms/a/rules", &rule())
        .await
        .expect(StatusCode::CREATED);
    let path = "/api/farms/a/conditions";
    let silent = app.get(&owner, path).await.expect(StatusCode::OK);
    assert_eq!(silent[0]["trigger"]["fresh"], 0);
    assert_eq!(silent[0]["trigger"]["holds"], Value::Null);
    app.reading("a", "t-1", 36_255_000).await;
    let seen = app.get(&owner, path).await.expect(StatusCode::OK);
    let (trigger, stop) = (&seen[0]["trigger"], &seen[0]["stop"]);
    assert_eq!(
        (&trigger["value"], &trigger["holds"], &stop["holds"]),
        (&json!(36.26), &json!(true), &json!(false))
    );
    assert_eq!(
        (&trigger["sensors"], &trigger["fresh"]),
        (&json!(2), &json!(1))
    );
}

#[tokio::test]
async fn what_is_hazardous_about_a_rule_is_said_while_it_is_written() {
    let (app, owner) = App::with_owner().await;
    let check = async |draft: &Value| {
        app.call(&owner, Method::POST, "/api/farms/a/check-rule", draft)
            .await
            .expect(StatusCode::OK)
    };
    let kinds = |said: &Value| -> Vec<String> {
        let hazards = said["hazards"].as_array().expect("hazards").iter();
        { hazards.map(|h| h["kind"].as_str().expect("a kind").to_owned()) }.collect()
    };
    // hardly anything is written
    let begun = json!({"scope": {"type": "farm"}, "trigger": {"sensor_type": "co2_level"}});
    let said = check(&begun).await;
    assert_eq!(
        (&said["trigger"], &said["stop"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(kinds(&said), ["no_sensor"]);

    let mut draft = rule();
    assert_eq!(kinds(&check(&draft).await), ["silent"]);
    app.reading("a", "t-1", 36_000_000).await;
    let said = check(&draft).await;
    assert_eq!(kinds(&said), [] as [&str; 0]);
    assert_eq!(
        (&said["trigger"]["holds"], &said["stop"]["holds"]),
        (&json!(true), &json!(false))
    );

    draft["stop_condition"]["value"] = json!(40);
    assert_eq!(kinds(&check(&draft).await), ["overlap"]);

    draft["stop_condition"] = Value::Null;
    draft["actions"] = json!([
        {"device_id": "pump-1", "command": {"action": "on"}},
        {"device_id": "fan-1", "command": {"action": "on"}},
    ]);
    let said = check(&draft).await;
    assert_eq!(kinds(&said), ["pump", "chatter"]);
    // there is no gap: up and down by what a sensor wavers starts and stops it
    let chatter = &said["hazards"][1];
    let between = ["low", "high"].map(|end| chatter[end].as_f64().expect("a reading"));
    assert!(
        between[0] < between[1] && between[1] - between[0] <= 0.5,
        "{chatter}"
    );
    assert!(chatter["starts_per_hour"].as_u64() > Some(12), "{chatter}");
    assert_eq!(
        (
            &said["hazards"][0]["device"]["id"],
            &said["hazards"][0]["clear_sec"]
        ),
        (&json!("pump-1"), &json!(60))
    );

    let mut strong = rule();
    (strong["priority"], strong["deployed"]) = (json!(6), json!(true));
    let strong = app
        .call(&owner, Method::POST, "/api/farms/a/rules", &strong)
        .await
        .expect(StatusCode::CREATED);
    let said = check(&draft).await;
    assert_eq!(kinds(&said), ["pump", "chatter", "outranked"]);
    let outranked = &said["hazards"][2];
    assert_eq!(
        (&outranked["device"]["id"], &outranked["rule"]["name"]),
        (&json!("fan-1"), &json!("Cool the house"))
    );
    // it is not stronger than itself, and nothing was stored
    draft["id"] = strong["id"].clone();
    assert_eq!(kinds(&check(&draft).await), ["pump", "chatter"]);
    let rules = app
        .get(&owner, "/api/farms/a/rules")
        .await
        .expect(StatusCode::OK);
    assert_eq!(rules.as_array().map(Vec::len), Some(1));
}
