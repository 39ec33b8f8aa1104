//! Hazards of rules: told while a rule is written, and in the way of who deploys one.

use harit_api::Role;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::logs::logs;
use crate::support::{App, rule};

/// Nothing ends what it starts: the pump has no limit.
async fn flooding(app: &App, owner: &crate::support::Person) -> Value {
    let unlimited = json!({"limits": {}, "max_on_sec": null, "max_pulse_sec_per_hour": null});
    let path = "/api/farms/a/devices/pump-1/limits";
    app.call(owner, Method::PUT, path, &unlimited)
        .await
        .expect(StatusCode::OK);
    let mut flooding = rule();
    flooding["stop_condition"] = Value::Null;
    flooding["deployed"] = json!(true);
    flooding["actions"] = json!([{"device_id": "pump-1", "command": {"action": "on"}}]);
    flooding
}

#[tokio::test]
async fn what_is_found_of_a_rule_is_told_with_what_shows_it() {
    let (app, owner) = App::with_owner().await;
    let check = async |draft: &Value| {
        app.call(&owner, Method::POST, "/api/farms/a/check-rule", draft)
            .await
            .expect(StatusCode::OK)["found"]
            .clone()
    };
    let mut other = rule();
    (other["deployed"], other["priority"]) = (json!(true), json!(7));
    let other = app
        .call(&owner, Method::POST, "/api/farms/a/rules", &other)
        .await
        .expect(StatusCode::CREATED);
    let mut draft = rule();
    draft["actions"][0]["command"] = json!({"action": "off"});
    draft["trigger"]["value"] = json!(20);
    let found = check(&draft).await;
    let fight = { found.as_array().expect("a list").iter() }
        .find(|h| h["what"]["kind"] == "fight")
        .expect("a fight");
    let what = &fight["what"];
    assert_eq!(
        (&fight["grade"], &what["rule"]["id"], &what["wins"]),
        (&json!("advising"), &other["id"], &json!(false))
    );
    let reading = &fight["example"]["readings"][0];
    assert_eq!(reading["sensor_type"], "temperature");
    assert!(
        reading["value"].as_f64() > other["trigger"]["value"].as_f64(),
        "{found}"
    );
    // Of what could not be saved nothing is found.
    draft["actions"][0]["device_id"] = json!("nowhere");
    assert_eq!(check(&draft).await, json!([]));
}

#[tokio::test]
async fn a_rule_that_would_do_damage_is_deployed_by_an_owner_alone() {
    let (app, owner) = App::with_owner().await;
    let admin = app.person("a", Role::Admin).await;
    let flooding = flooding(&app, &owner).await;
    let refused = app
        .call(&owner, Method::POST, "/api/farms/a/rules", &flooding)
        .await
        .expect(StatusCode::CONFLICT);
    assert_eq!(
        (
            &refused["code"],
            &refused["problems"][0]["code"],
            &refused["problems"][0]["path"]
        ),
        (&json!("hazardous"), &json!("flood"), &json!("overHazards"))
    );

    // As a draft it is kept; and who deploys it is asked again.
    let mut draft = flooding.clone();
    draft["deployed"] = json!(false);
    let draft = app
        .call(&admin, Method::POST, "/api/farms/a/rules", &draft)
        .await
        .expect(StatusCode::CREATED);
    let path = format!(
        "/api/farms/a/rules/{}",
        draft["id"].as_str().expect("an id")
    );
    let over = format!("{path}?overHazards=flood");
    let deploy = json!({"deployed": true});
    app.call(&admin, Method::PATCH, &path, &deploy)
        .await
        .expect(StatusCode::CONFLICT);
    app.call(&admin, Method::PATCH, &over, &deploy)
        .await
        .expect(StatusCode::FORBIDDEN);
    let other = format!("{path}?overHazards=dosing");
    app.call(&owner, Method::PATCH, &other, &deploy)
        .await
        .expect(StatusCode::CONFLICT);
    let wrong = format!("{path}?overHazards=rain");
    app.call(&owner, Method::PATCH, &wrong, &deploy)
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    let kept = app.get(&owner, &path).await.expect(StatusCode::OK);
    assert_eq!(kept["deployed"], false);
    let deployed = app
        .call(&owner, Method::PATCH, &over, &deploy)
        .await
        .expect(StatusCode::OK);
    assert_eq!(deployed["deployed"], true);

    // Both logs keep whose word it was, and over what.
    let audited = app.audited("a", "rule_deployed_over_hazards").await;
    assert_eq!(audited.len(), 1);
    assert_eq!(audited[0].1["hazards"], json!(["flood"]));
    let all = logs(&app, &owner, "type=rule_deploy").await;
    let told = all.to_string();
    assert!(
        told.contains("over its hazards: Nothing switches it off again"),
        "{told}"
    );

    // What was so before is no reason to refuse an edit.
    let mut edited = deployed.clone();
    edited["name"] = json!("Water");
    app.call(&admin, Method::PUT, &path, &edited)
        .await
        .expect(StatusCode::OK);
    // With a run of ten minutes there is nothing to ask for.
    let mut bounded = flooding;
    bounded["run_sec"] = json!(600);
    app.call(&admin, Method::POST, "/api/farms/a/rules", &bounded)
        .await
        .expect(StatusCode::CREATED);
}
