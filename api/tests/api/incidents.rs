//! Incidents: what an alert that is raised stands on, who answers it, and what is told then.

use std::time::Duration;

use harit_api::Role;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::live::Socket;
use crate::notifications::{at_once, start, titles, told};
use crate::pipeline::eventually;
use crate::support::{Answer, App, Person, alert, rule};

const ALERTS: &str = "/api/farms/a/alerts";
const INCIDENTS: &str = "/api/farms/a/incidents";

/// The alert is made and raised; its id.
async fn raise(app: &App, owner: &Person, document: &Value) -> String {
    let made = app.call(owner, Method::POST, ALERTS, document).await;
    let made = made.expect(StatusCode::CREATED);
    app.reading("a", "ph-a", 5_000_000).await;
    made["id"].as_str().expect("an id").to_owned()
}

async fn answer(app: &App, person: &Person, incident: &str, body: &Value) -> Answer {
    let path = format!("{INCIDENTS}/{incident}/answers");
    app.call(person, Method::POST, &path, body).await
}

async fn look(app: &App, person: &Person, incident: &str) -> Value {
    let path = format!("{INCIDENTS}/{incident}");
    app.get(person, &path).await.expect(StatusCode::OK)
}

#[tokio::test]
async fn an_incident_says_what_it_stands_on_what_helps_and_what_happened() {
    let (app, owner) = App::with_owner().await;
    let hot = json!({
        "name": "Too hot", "repeatsIn": 1, "repeatUnit": "hours", "channels": [], "severity": "critical",
        "subscribers": [{"email": "a@b.test"}], "scope": {"type": "polyhouse", "polyhouseId": "ph-1"},
        "conditions": [{"id": "1", "sensor": "Temperature", "operator": ">", "value": 35, "unit": "°C"}],
    });
    let made = app.call(&owner, Method::POST, ALERTS, &hot).await;
    let id = made.expect(StatusCode::CREATED)["id"].clone();
    let id = id.as_str().expect("an id");
    let nothing = app.get(&owner, &format!("{INCIDENTS}/{id}")).await;
    nothing.expect(StatusCode::NOT_FOUND);
    app.reading("a", "t-1", 36_500_000).await;
    let incident = look(&app, &owner, id).await;
    assert_eq!(
        (
            &incident["state"],
            &incident["name"],
            &incident["severity"],
            &incident["place"]["path"],
            &incident["overAt"]
        ),
        (
            &json!("open"),
            &json!("Too hot"),
            &json!("critical"),
            &json!("Polyhouse 1"),
            &Value::Null
        )
    );
    let named = incident["id"].as_str().expect("an id");
    assert_eq!(named, format!("{}-{id}", incident["raisedAt"]));
    assert_eq!(look(&app, &owner, named).await["id"], named);
    let condition = &incident["conditions"][0];
    assert_eq!(
        (
            &condition["sensorType"],
            &condition["operator"],
            &condition["limit"]
        ),
        (&json!("temperature"), &json!("gt"), &json!(35))
    );
    let now = &condition["now"];
    assert_eq!(
        (&now["evidence"], &now["value"], &now["holds"]),
        (&json!("worst"), &json!(36.5), &json!(true))
    );
    let sensors: Vec<_> = { now["sensors"].as_array().expect("sensors").iter() }
        .map(|s| {
            (
                s["name"].as_str(),
                s["counts"].as_str(),
                s["remembered"].as_bool(),
            )
        })
        .collect();
    assert_eq!(
        sensors,
        [
            (Some("North air"), Some("fresh"), Some(true)),
            (Some("South air"), Some("unknown"), Some(false))
        ]
    );
    // a fan of the house is off, and may be switched on
    assert_eq!(
        (
            &incident["remedy"]["kind"],
            &incident["remedy"]["device"]["id"]
        ),
        (&json!("switch_on"), &json!("fan-1"))
    );
    // the rule that does the same is off: that is the act that helps, as the verdict says it
    let rules = "/api/farms/a/rules";
    let mut new = rule();
    new["deployed"] = json!(true);
    let made = app.call(&owner, Method::POST, rules, &new).await;
    let made = made.expect(StatusCode::CREATED);
    let one = format!("{rules}/{}", made["id"].as_str().expect("an id"));
    let off = json!({"mode": "disabled"});
    let off = app.call(&owner, Method::PATCH, &one, &off).await;
    off.expect(StatusCode::OK);
    let incident = eventually(&app, &owner, &format!("{INCIDENTS}/{named}"), |incident| {
        incident["remedy"]["kind"] == "act"
    })
    .await;
    assert_eq!(incident["remedy"]["reason"]["act"], "start_rule");
    // what people did there since stands in its log, and nothing of elsewhere
    for device in ["fan-1", "pump-1"] {
        let command = json!({"cmd_type": "override", "device_id": device, "action": {"on": true}, "duration_sec": 60});
        app.call(&owner, Method::POST, "/api/farms/a/commands", &command)
            .await;
    }
    let log = eventually(&app, &owner, &format!("{INCIDENTS}/{named}/log"), |log| {
        log.as_array().is_some_and(|log| !log.is_empty())
    })
    .await;
    let devices: Vec<_> = { log.as_array().expect("entries").iter() }
        .map(|entry| entry["deviceId"].as_str())
        .collect();
    assert!(devices.iter().all(|d| *d == Some("fan-1")), "{log}");
}

#[tokio::test]
async fn what_is_answered_is_seen_by_everybody_and_stands_in_the_log() {
    let (app, owner) = App::with_owner().await;
    let manager = app.person("a", Role::FarmManager).await;
    let viewer = app.person("a", Role::Viewer).await;
    let id = raise(&app, &owner, &alert()).await;
    let mut socket = Socket::signed_in(&app, &viewer).await;
    socket.subscribe(&json!({"farmId": "a"})).await;
    let taken = answer(
        &app,
        &manager,
        &id,
        &json!({"kind": "on_it", "note": "going there"}),
    )
    .await;
    let taken = taken.expect(StatusCode::OK);
    assert_eq!(
        (&taken["state"], &taken["taken"]["id"], &taken["by"]["id"]),
        (&json!("taken"), &json!(manager.id), &json!(manager.id))
    );
    let told = socket.event("records").await;
    let kinds = told["kinds"].as_array().expect("kinds");
    assert!(kinds.contains(&json!("incidents")), "{told}");
    let seen = look(&app, &viewer, taken["id"].as_str().expect("an id")).await;
    assert_eq!(seen["answers"][0]["note"], "going there");
    let listed = app.get(&viewer, ALERTS).await.expect(StatusCode::OK);
    assert_eq!(listed[0]["status"]["incident"]["taken"]["id"], manager.id);

    // whoever reads it may say that he is on it, and take that back; to quiet it takes more
    for (kind, status) in [
        ("acknowledge", StatusCode::FORBIDDEN),
        ("snooze", StatusCode::FORBIDDEN),
        ("false_alarm", StatusCode::FORBIDDEN),
        ("reopen", StatusCode::FORBIDDEN),
        ("on_it", StatusCode::OK),
        ("reopen", StatusCode::OK),
    ] {
        let mut body = json!({"kind": kind});
        if kind == "snooze" {
            body["minutes"] = json!(60);
        }
        let answered = answer(&app, &viewer, &id, &body).await;
        assert_eq!(answered.status, status, "{kind}");
    }
    let snoozed = answer(&app, &owner, &id, &json!({"kind": "snooze", "minutes": 30})).await;
    let snoozed = snoozed.expect(StatusCode::OK);
    assert_eq!(snoozed["state"], "snoozed");
    for body in [
        json!({"kind": "snooze"}),
        json!({"kind": "snooze", "minutes": 4}),
        json!({"kind": "snooze", "minutes": 1441}),
        json!({"kind": "on_it", "minutes": 30}),
        json!({"kind": "on_it", "note": "x".repeat(501)}),
    ] {
        let refused = answer(&app, &owner, &id, &body).await;
        refused.expect(StatusCode::UNPROCESSABLE_ENTITY);
    }
    let entries = app.audited("a", "incident_%").await;
    let words: Vec<&str> = entries.iter().map(|(word, _)| word.as_str()).collect();
    assert_eq!(
        words,
        [
            "incident_taken",
            "incident_taken",
            "incident_reopened",
            "incident_snoozed"
        ]
    );
    let log = app.get(&owner, "/api/farms/a/logs").await;
    let log = log.expect(StatusCode::OK).to_string();
    for sentence in [
        r#"Took charge of alert \"Acid\""#,
        r#"Alert \"Acid\" snoozed for 30 min"#,
    ] {
        assert!(log.contains(sentence), "{log}");
    }

    // of an incident that is over nothing is answered, and what it is now is said
    app.reading("a", "ph-a", 6_500_000).await;
    let incident = taken["id"].as_str().expect("an id");
    let over = eventually(&app, &owner, &format!("{INCIDENTS}/{incident}"), |now| {
        now["state"] == "over" && now["overAt"].is_i64()
    })
    .await;
    assert_eq!(over["answers"].as_array().map(Vec::len), Some(4));
    let refused = answer(&app, &owner, incident, &json!({"kind": "on_it"})).await;
    let refused = refused.expect(StatusCode::CONFLICT);
    assert_eq!(
        (&refused["code"], &refused["current"]["state"]),
        (&json!("incident_over"), &json!("over"))
    );
    // raised again it is another one, and nobody has answered that
    app.reading("a", "ph-a", 5_000_000).await;
    let again = look(&app, &owner, &id).await;
    assert_ne!(again["id"], incident);
    assert_eq!(
        (&again["state"], &again["answers"]),
        (&json!("open"), &json!([]))
    );
}

#[tokio::test]
async fn a_snooze_that_ends_is_told_once_and_over_a_restart() {
    let app = start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let id = raise(&app, &owner, &alert()).await;
    let list = told(&app, &owner, "a", 1).await;
    let incident = look(&app, &owner, &id).await;
    let named = incident["id"].as_str().expect("an id");
    assert_eq!(list["items"][0]["link"], format!("/alerts/{named}"));
    assert_eq!(list["items"][0]["incident"]["state"], "open");
    let snooze = json!({"kind": "snooze", "minutes": 30});
    answer(&app, &owner, named, &snooze)
        .await
        .expect(StatusCode::OK);
    let list = told(&app, &owner, "a", 1).await;
    assert_eq!(list["items"][0]["incident"]["state"], "snoozed");
    let moved = app
        .meddle("UPDATE incident_answers SET until = at - 1")
        .await;
    assert_eq!(moved, 1);
    let app = app.restart(at_once()).await;
    app.reading("a", "ph-a", 5_000_000).await;
    let list = told(&app, &owner, "a", 2).await;
    assert_eq!(titles(&list)[0], "Alert still raised: Acid");
    assert_eq!(list["items"][0]["incident"]["state"], "open");
    let app = app.restart(at_once()).await;
    tokio::time::sleep(Duration::from_millis(5_500)).await;
    assert_eq!(told(&app, &owner, "a", 2).await, list, "it was told once");
    app.reading("a", "ph-a", 6_500_000).await;
    let list = told(&app, &owner, "a", 3).await;
    assert_eq!(titles(&list)[0], "Alert resolved: Acid");
    assert_eq!(list["items"][0]["incident"]["state"], "over");
}

#[tokio::test]
async fn an_answered_alert_that_gets_worse_is_told_anew() {
    let app = start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let id = raise(&app, &owner, &alert()).await;
    told(&app, &owner, "a", 1).await;
    let taken = answer(&app, &owner, &id, &json!({"kind": "on_it"})).await;
    let taken = taken.expect(StatusCode::OK);
    // how much it matters is no edit that ends it
    let mut worse = alert();
    worse["severity"] = json!("critical");
    let one = format!("{ALERTS}/{id}");
    let saved = app.call(&owner, Method::PUT, &one, &worse).await;
    let saved = saved.expect(StatusCode::OK);
    assert_eq!(saved["status"]["incident"]["id"], taken["id"]);
    let list = told(&app, &owner, "a", 2).await;
    assert_eq!(titles(&list)[0], "Alert still raised: Acid");
    answer(&app, &owner, &id, &json!({"kind": "acknowledge"}))
        .await
        .expect(StatusCode::OK);
    tokio::time::sleep(Duration::from_millis(5_500)).await;
    assert_eq!(told(&app, &owner, "a", 2).await["unread"], 2);
}

/// Who came after it was raised is not told that it is over.
#[tokio::test]
async fn that_it_is_over_is_told_to_those_who_were_told() {
    let app = start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    raise(&app, &owner, &alert()).await;
    told(&app, &owner, "a", 1).await;
    let late = app.person("a", Role::Viewer).await;
    app.reading("a", "ph-a", 6_500_000).await;
    told(&app, &owner, "a", 2).await;
    assert_eq!(told(&app, &late, "a", 0).await["unread"], 0);
}

#[tokio::test]
async fn an_incident_of_an_alert_that_was_deleted_can_be_read_and_has_a_bound() {
    let app = start().await;
    app.farm("a").await;
    app.farm("b").await;
    let owner = app.person("a", Role::Owner).await;
    let stranger = app.person("b", Role::Owner).await;
    let id = raise(&app, &owner, &alert()).await;
    let incident = look(&app, &owner, &id).await;
    let named = incident["id"].as_str().expect("an id");
    let elsewhere = format!("/api/farms/b/incidents/{named}");
    let foreign = app.get(&stranger, &elsewhere).await;
    foreign.expect(StatusCode::NOT_FOUND);
    for n in 0..100 {
        let kind = if n % 2 == 0 { "on_it" } else { "acknowledge" };
        answer(&app, &owner, named, &json!({"kind": kind}))
            .await
            .expect(StatusCode::OK);
    }
    let refused = answer(&app, &owner, named, &json!({"kind": "on_it"})).await;
    let refused = refused.expect(StatusCode::CONFLICT);
    assert_eq!(refused["code"], "too_many_answers");
    told(&app, &owner, "a", 1).await;
    let one = format!("{ALERTS}/{id}");
    let gone = app.call(&owner, Method::DELETE, &one, &json!({})).await;
    gone.expect(StatusCode::NO_CONTENT);
    let over = eventually(&app, &owner, &format!("{INCIDENTS}/{named}"), |now| {
        now["overAt"].is_i64()
    })
    .await;
    assert_eq!(
        (&over["state"], &over["ended"], &over["name"]),
        (&json!("over"), &json!("deleted"), &json!("Acid"))
    );
    assert_eq!(over["conditions"][0]["now"], Value::Null);
}
