//! What a rule and an alert may say: each limit of the product is held by the server, and refused at its field.

use harit_api::Role;
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::support::{App, alert, rule};

/// The document with the value at the pointer; null takes the field away.
fn with(mut document: Value, pointer: &str, value: Value) -> Value {
    let (parent, field) = pointer.rsplit_once('/').expect("a pointer");
    let parent = document.pointer_mut(parent).expect("a place");
    parent[field] = value;
    document
}

async fn problems(app: &App, token: &str, what: &str, document: &Value) -> Vec<(String, String)> {
    let request = app
        .request(Method::POST, &format!("/api/farms/a/{what}"))
        .bearer_auth(token)
        .json(document);
    let refused = app
        .send(request)
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    let text = |p: &Value, field: &str| p[field].as_str().expect("text").to_owned();
    let all = refused["problems"].as_array().expect("problems");
    all.iter()
        .map(|p| (text(p, "path"), text(p, "code")))
        .collect()
}

/// Where, the JSON that is put there, the path that is refused, and how.
const RULE: &[(&str, &str, &str, &str)] = &[
    ("/name", r#"" ""#, "name", "required"),
    ("/name", r#"null"#, "name", "required"),
    ("/priority", r#"0"#, "priority", "out_of_range"),
    ("/priority", r#"11"#, "priority", "out_of_range"),
    ("/priority", r#"2.5"#, "priority", "not_whole"),
    ("/mode", r#""manual""#, "mode", "unknown_word"),
    ("/scope", r#"null"#, "scope", "required"),
    (
        "/scope/polyhouseId",
        r#""ph-9""#,
        "scope.polyhouseId",
        "unknown",
    ),
    ("/trigger", r#"null"#, "trigger", "required"),
    (
        "/trigger/sensor_type",
        r#"null"#,
        "trigger.sensor_type",
        "required",
    ),
    (
        "/trigger/sensor_type",
        r#""wind""#,
        "trigger.sensor_type",
        "unknown_word",
    ),
    (
        "/trigger/operator",
        r#"null"#,
        "trigger.operator",
        "required",
    ),
    (
        "/trigger/operator",
        r#""like""#,
        "trigger.operator",
        "unknown_word",
    ),
    ("/trigger/value", r#"null"#, "trigger.value", "required"),
    (
        "/trigger/value",
        r#"-10.1"#,
        "trigger.value",
        "out_of_range",
    ),
    ("/trigger/value", r#"50.1"#, "trigger.value", "out_of_range"),
    ("/trigger/value", r#""35""#, "trigger.value", "wrong_type"),
    (
        "/trigger/duration_sec",
        r#"0"#,
        "trigger.duration_sec",
        "out_of_range",
    ),
    (
        "/actions/0/device_id",
        r#"null"#,
        "actions[0].device_id",
        "required",
    ),
    (
        "/actions/0/device_id",
        r#""fan-9""#,
        "actions[0].device_id",
        "unknown",
    ),
    (
        "/actions/0/command",
        r#"null"#,
        "actions[0].command",
        "required",
    ),
    (
        "/actions/0/command/action",
        r#"null"#,
        "actions[0].command.action",
        "required",
    ),
    (
        "/actions/0/command/action",
        r#""dance""#,
        "actions[0].command.action",
        "unknown_word",
    ),
    (
        "/actions/0/command",
        r#"{"action": "set_speed"}"#,
        "actions[0].command.value",
        "required",
    ),
    (
        "/actions/0/command",
        r#"{"action": "set_speed", "value": 100.1}"#,
        "actions[0].command.value",
        "out_of_range",
    ),
    (
        "/actions/0/command",
        r#"{"action": "set_position", "value": -1}"#,
        "actions[0].command.value",
        "out_of_range",
    ),
    (
        "/actions/0/command",
        r#"{"action": "set_flow_rate", "value": 10.1}"#,
        "actions[0].command.value",
        "out_of_range",
    ),
    (
        "/actions/0/command",
        r#"{"action": "pulse", "value": 61}"#,
        "actions[0].command.value",
        "out_of_range",
    ),
    (
        "/actions/0/command",
        r#"{"action": "on", "value": 40}"#,
        "actions[0].command.value",
        "no_value",
    ),
    (
        "/actions/0/command",
        r#"{"action": "off", "value": 1}"#,
        "actions[0].command.value",
        "no_value",
    ),
    (
        "/actions/0/delay_sec",
        r#"-1"#,
        "actions[0].delay_sec",
        "out_of_range",
    ),
    (
        "/stop_condition/operator",
        r#""between""#,
        "stop_condition.operator",
        "unknown_word",
    ),
    (
        "/stop_condition/value",
        r#"51"#,
        "stop_condition.value",
        "out_of_range",
    ),
    (
        "/stop_condition/value",
        r#"null"#,
        "stop_condition.value",
        "required",
    ),
    (
        "/stop_condition/duration_sec",
        r#"0"#,
        "stop_condition.duration_sec",
        "out_of_range",
    ),
];

#[tokio::test]
async fn each_limit_of_a_rule_is_refused_at_its_field() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    for (pointer, value, path, code) in RULE {
        let value: Value = serde_json::from_str(value).expect("JSON");
        let wrong = with(rule(), pointer, value.clone());
        let found = problems(&app, &owner.token, "rules", &wrong).await;
        let expected = ((*path).to_owned(), (*code).to_owned());
        assert_eq!(found, [expected], "{pointer} = {value}");
    }
    let between = |value: i64, max: Value| {
        let document = with(rule(), "/trigger/operator", json!("between"));
        let document = with(document, "/trigger/value", json!(value));
        with(document, "/trigger/value_max", max)
    };
    for (document, code) in [
        (between(20, json!(null)), "required"),
        (between(20, json!(19)), "out_of_range"),
        (between(20, json!(50.5)), "out_of_range"),
    ] {
        let found = problems(&app, &owner.token, "rules", &document).await;
        assert_eq!(found, [("trigger.value_max".to_owned(), code.to_owned())]);
    }
    for (sensor, least, most) in [
        ("temperature", -10, 50),
        ("reservoir_level", 0, 100),
        ("ph", 0, 14),
    ] {
        for (value, ok) in [
            (least, true),
            (most, true),
            (least - 1, false),
            (most + 1, false),
        ] {
            let document = with(rule(), "/trigger/sensor_type", json!(sensor));
            let document = with(document, "/trigger/value", json!(value));
            let answer = app
                .call(&owner, Method::POST, "/api/farms/a/rules", &document)
                .await;
            assert_eq!(
                answer.status.is_success(),
                ok,
                "{sensor} {value}: {}",
                answer.text
            );
        }
    }
}

#[tokio::test]
async fn each_limit_of_an_alert_is_refused_at_its_field() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    for (pointer, value, path, code) in [
        ("/name", json!(""), "name", "required"),
        ("/repeatsIn", json!(0), "repeatsIn", "out_of_range"),
        ("/repeatsIn", json!(null), "repeatsIn", "required"),
        ("/repeatUnit", json!("weeks"), "repeatUnit", "unknown_word"),
        ("/conditions", json!([]), "conditions", "required"),
        (
            "/conditions/0/sensor",
            json!("Wind"),
            "conditions[0].sensor",
            "unknown_word",
        ),
        (
            "/conditions/0/operator",
            json!("between"),
            "conditions[0].operator",
            "unknown_word",
        ),
        (
            "/conditions/0/value",
            json!(null),
            "conditions[0].value",
            "required",
        ),
        ("/hold_sec", json!(-1), "hold_sec", "out_of_range"),
    ] {
        let wrong = with(alert(), pointer, value.clone());
        let found = problems(&app, &owner.token, "alerts", &wrong).await;
        let expected = (path.to_owned(), code.to_owned());
        assert_eq!(found, [expected], "{pointer} = {value}");
    }
}

#[tokio::test]
async fn problems_are_said_in_the_callers_language() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let wrong = with(rule(), "/trigger/value", json!(99));
    let wrong = with(wrong, "/name", json!(""));
    for (language, name, value) in [
        ("en", "name is required", "99 is outside -10 to 50 °C"),
        ("hi", "यह ज़रूरी है", "यह -10 से 50 °C के बीच होना चाहिए"),
        ("mr", "हे आवश्यक आहे", "हे -१० ते ५० °C या दरम्यान असावे"),
    ] {
        let request = app
            .request(Method::POST, "/api/farms/a/rules")
            .bearer_auth(&owner.token)
            .header(header::ACCEPT_LANGUAGE, language)
            .json(&wrong);
        let refused = app
            .send(request)
            .await
            .expect(StatusCode::UNPROCESSABLE_ENTITY);
        let said: Vec<&str> = refused["problems"]
            .as_array()
            .expect("problems")
            .iter()
            .filter_map(|p| p["message"].as_str())
            .collect();
        assert_eq!(said, [name, value], "{language}");
        let limits = &refused["problems"][1];
        assert_eq!((&limits["min"], &limits["max"]), (&json!(-10), &json!(50)));
    }
}
