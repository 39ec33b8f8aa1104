//! One cause, one message: alerts of one place, a reservoir, a controller that is offline; answers to all of a message; its end, once.

use std::time::{Duration, Instant};

use harit_api::{DeliveryConfig, Role, Secret, WebhookConfig, WebhookFormat};
use harit_gateways::{Gateways, Press};
use harit_protocol::Mac;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::deliveries::{PHONE, all_ways, came, config, played, raise, start, with_alert};
use crate::pipeline::{Field, device, eventually, field_with, state};
use crate::support::{App, Person};
use crate::told::{link, post};

const LIST: &str = "/api/farms/a/deliveries";

fn joining(gateways: &Gateways, join: Duration) -> DeliveryConfig {
    DeliveryConfig {
        join,
        webhook: Some(WebhookConfig {
            url: format!("http://{}/webhook", gateways.http),
            secret: Secret::new("hook".into()),
            format: WebhookFormat::Harit,
        }),
        ..all_ways(gateways)
    }
}

/// "Acid" below 5.5 and "Sour" below 6.
async fn two(app: &App, owner: &Person, channels: &[&str], severity: &str) {
    two_for(app, owner, channels, severity, &owner.email).await;
}

async fn two_for(app: &App, owner: &Person, channels: &[&str], severity: &str, email: &str) {
    let severity = |name: &str, limit: f64| {
        json!({"name": name, "severity": severity, "subscribers": [{"email": email}],
            "conditions": [{"id": "1", "sensor": "pH", "operator": "<", "value": limit, "unit": ""}]})
    };
    with_alert(app, owner, channels, severity("Acid", 5.5)).await;
    with_alert(app, owner, channels, severity("Sour", 6.0)).await;
}

async fn incidents(app: &App, person: &Person) -> Vec<Value> {
    let alerts = app.get(person, "/api/farms/a/alerts").await;
    let alerts = alerts.expect(StatusCode::OK);
    let mut all = Vec::new();
    for alert in alerts.as_array().expect("alerts") {
        let path = format!(
            "/api/farms/a/incidents/{}",
            alert["id"].as_str().expect("an id")
        );
        all.push(app.get(person, &path).await.expect(StatusCode::OK));
    }
    all
}

#[tokio::test]
async fn alerts_of_one_place_are_one_message_by_each_way_and_an_answer_is_to_all() {
    let gateways = played().await;
    let (app, owner) = start(joining(&gateways, Duration::from_millis(600))).await;
    two(&app, &owner, &["EMAIL", "SMS", "WHATSAPP"], "warning").await;
    raise(&app, 5_000_000).await;
    let mut all = came(&gateways, 4).await;
    all.sort_by_key(|m| m.channel);
    let [mail, sms, webhook, whatsapp] = all.as_slice() else {
        panic!("{all:#?}");
    };
    assert_eq!(mail.subject, "Whole farm: 2 alerts");
    for text in [&mail.text, &sms.text, &whatsapp.text] {
        assert!(text.contains("Acid") && text.contains("Sour"), "{text}");
        assert_eq!(text.matches("https://farm.example/a/").count(), 1, "{text}");
    }
    let event: Value = serde_json::from_str(&webhook.raw).expect("JSON");
    let told = event["incidents"].as_array().expect("incidents");
    let open = incidents(&app, &owner).await;
    assert_eq!(told.len(), 2, "{event}");
    for incident in &open {
        assert!(told.iter().any(|i| i["id"] == incident["id"]), "{event}");
        assert!(incident["told"].as_array().is_some_and(|t| !t.is_empty()));
    }
    assert_eq!(event["cause"]["kind"], "place");

    // one page, one button, both incidents; what somebody answered in between makes it stale
    let path = link(&mail.text);
    let page = app.send(app.request(Method::GET, &path)).await.text;
    assert!(
        page.contains("Alert: Acid") && page.contains("Alert: Sour"),
        "{page}"
    );
    assert_eq!(page.matches("value=\"on_it\"").count(), 1);
    assert_eq!(post(&app, &path, "what=on_it&seen=0").await, StatusCode::OK);
    for incident in incidents(&app, &owner).await {
        assert_eq!(incident["taken"]["id"], owner.id, "{incident}");
    }
    let stale = post(&app, &path, "what=acknowledge&seen=0").await;
    assert_eq!(stale, StatusCode::CONFLICT);

    // the first that is over is not told; the last tells of both, once by each way
    raise(&app, 5_800_000).await;
    eventually(&app, &owner, "/api/farms/a/alerts", |list| {
        list.as_array()
            .is_some_and(|all| all.iter().any(|a| a["status"]["raised"] == false))
    })
    .await;
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    came(&gateways, 4).await;
    // who answers now answers what is not over
    assert_eq!(
        post(&app, &path, "what=acknowledge&seen=2").await,
        StatusCode::OK
    );
    raise(&app, 6_500_000).await;
    let all = came(&gateways, 8).await;
    for over in &all[4..] {
        if over.channel != "webhook" {
            assert!(
                over.text.contains("Acid") && over.text.contains("Sour"),
                "{over:#?}"
            );
        }
    }
    let mail = all[4..].iter().find(|m| m.channel == "email");
    assert_eq!(
        mail.expect("a mail").subject,
        "Whole farm: 2 alerts are over"
    );
    assert_eq!(
        post(&app, &path, "what=on_it&seen=3").await,
        StatusCode::CONFLICT
    );
}

#[tokio::test]
async fn what_is_critical_waits_two_seconds_at_most_and_takes_along_what_waits() {
    let gateways = played().await;
    let (app, owner) = start(DeliveryConfig {
        join: Duration::from_secs(60),
        ..all_ways(&gateways)
    })
    .await;
    with_alert(&app, &owner, &["SMS"], json!({"name": "Mild"})).await;
    raise(&app, 5_000_000).await;
    eventually(&app, &owner, LIST, |list| {
        list["messages"][0]["state"] == "QUEUED"
    })
    .await;
    let dire = json!({"name": "Dire", "severity": "critical"});
    with_alert(&app, &owner, &["SMS"], dire).await;
    let began = Instant::now();
    raise(&app, 4_900_000).await;
    let sms = came(&gateways, 1).await.remove(0);
    assert!(
        began.elapsed() < Duration::from_secs(5),
        "{:?}",
        began.elapsed()
    );
    assert!(
        sms.text.contains("Mild") && sms.text.contains("Dire"),
        "{}",
        sms.text
    );
}

#[tokio::test]
async fn what_is_over_while_it_waits_is_taken_out_of_the_message() {
    let gateways = played().await;
    let (app, owner) = start(DeliveryConfig {
        join: Duration::from_secs(60),
        ..all_ways(&gateways)
    })
    .await;
    two(&app, &owner, &["SMS"], "warning").await;
    raise(&app, 5_000_000).await;
    let is = |title: &'static str| {
        move |list: &Value| {
            let all = list["messages"].as_array().expect("a list");
            all.len() == 1 && all[0]["title"] == title && all[0]["state"] == "QUEUED"
        }
    };
    eventually(&app, &owner, LIST, is("Whole farm: 2 alerts")).await;
    raise(&app, 5_800_000).await;
    eventually(&app, &owner, LIST, is("Alert: Sour")).await;
    // over a restart too
    let app = app.restart(config(all_ways(&gateways))).await;
    app.meddle("UPDATE outbox SET next_try_at = 1").await;
    let sms = came(&gateways, 1).await.remove(0);
    assert!(
        sms.text.starts_with("Alert: Sour\n") && !sms.text.contains("Acid"),
        "{}",
        sms.text
    );
}

#[tokio::test]
async fn a_step_of_the_chain_is_told_once_of_one_cause() {
    let gateways = played().await;
    let (app, owner) = start(DeliveryConfig {
        join: Duration::from_millis(600),
        ..all_ways(&gateways)
    })
    .await;
    let manager = app.person("a", Role::FarmManager).await;
    two_for(&app, &owner, &["EMAIL"], "critical", "nobody@else.test").await;
    raise(&app, 5_000_000).await;
    let first = came(&gateways, 1).await.remove(0);
    assert_eq!(
        (first.to.as_str(), first.subject.as_str()),
        (manager.email.as_str(), "Whole farm: 2 alerts")
    );
    eventually(&app, &owner, LIST, |list| {
        let all = list["messages"].as_array().expect("a list");
        all.iter().any(|m| m["state"] == "SENT")
    })
    .await;
    app.meddle("UPDATE notification_states SET at = at - 600000 WHERE subject LIKE 'escalation/%'")
        .await;
    let app = app
        .restart(config(DeliveryConfig {
            join: Duration::from_millis(600),
            ..all_ways(&gateways)
        }))
        .await;
    let second = came(&gateways, 2).await.remove(1);
    assert_eq!(second.subject, "Whole farm: 2 alerts still raised");
    assert!(
        second
            .text
            .contains("Nobody has answered for 10 min. Green Valley"),
        "{}",
        second.text
    );
    assert!(second.text.contains("Acid") && second.text.contains("Sour"));
    // a word from the number that was told would be to both; here the link is
    assert_eq!(
        post(&app, &link(&second.text), "what=acknowledge&seen=0").await,
        StatusCode::OK
    );
    for incident in incidents(&app, &owner).await {
        assert_eq!(
            (&incident["state"], &incident["next"]),
            (&json!("acknowledged"), &Value::Null)
        );
    }
}

#[tokio::test]
async fn a_reservoirs_alert_says_how_many_of_its_devices_are_locked() {
    let gateways = played().await;
    let (app, owner) = start(all_ways(&gateways)).await;
    let mac = Mac::parse("AABBCCDDEE01").expect("a MAC");
    app.records
        .create_reservoir_controller("a", mac, "Tank box", "s", "tank-1", Some(200.0), None)
        .await
        .expect("a reservoir");
    let low = json!({"name": "Tank low", "channels": ["SMS"],
        "conditions": [{"id": "1", "sensor": "Water Level", "operator": "<", "value": 10, "unit": "%"}]});
    with_alert(&app, &owner, &["SMS"], low).await;
    app.reading("a", "level-1", 5_000_000).await;
    let sms = came(&gateways, 1).await.remove(0);
    assert!(sms.text.starts_with("Alert: Tank low\n"), "{}", sms.text);
    let row = app.meddle("UPDATE outbox SET times = times WHERE joined_by LIKE '%\"reservoir\"%' AND join_key = 'raised/reservoir/tank-1'");
    assert_eq!(row.await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_controller_that_is_offline_is_one_message_with_its_silent_sensors_and_so_is_its_return()
{
    let gateways = played().await;
    let Field {
        app,
        endpoint,
        owner,
        mut controller,
        ..
    } = field_with(config(all_ways(&gateways))).await;
    eventually(&app, &owner, "/api/farms/a/devices", |list| {
        device(list, "fan", |_| true)
    })
    .await;
    let reading = json!({"sensors": [{"id": "air", "type": "temperature", "unit": "°C", "latestValue": 27.4}]});
    controller.publish("telemetry", reading.to_string()).await;
    tokio::time::sleep(Duration::from_millis(5_500)).await;
    controller
        .publish("state", json!({"online": false}).to_string())
        .await;
    let mail = came(&gateways, 1).await.remove(0);
    assert_eq!(mail.to, owner.email);
    assert_eq!(
        mail.subject,
        "Controller North house is offline: 1 sensor is silent"
    );
    assert!(
        !mail.text.contains("/a/"),
        "nobody answers it: {}",
        mail.text
    );
    eventually(&app, &owner, LIST, |list| {
        list["messages"][0]["state"] == "SENT"
    })
    .await;
    controller.publish("state", state(false)).await;
    let back = came(&gateways, 2).await.remove(1);
    assert_eq!(back.subject, "Controller North house is online again");
    endpoint.shutdown().await;
}

#[tokio::test]
async fn receipts_and_answers_are_pressed_on_the_simulated_phone() {
    let gateways = played().await;
    let (app, owner) = start(all_ways(&gateways)).await;
    gateways.inbox.set_server(&app.base);
    two(&app, &owner, &["WHATSAPP"], "warning").await;
    raise(&app, 5_000_000).await;
    let told = came(&gateways, 1).await.remove(0);
    assert_eq!(told.to, PHONE);
    eventually(&app, &owner, LIST, |list| {
        list["messages"][0]["state"] == "SENT"
    })
    .await;
    for (press, state) in [(Press::Delivered, "DELIVERED"), (Press::Read, "READ")] {
        let status = gateways.inbox.press(told.number, press).await;
        assert_eq!(status.expect("a receipt"), 204);
        eventually(&app, &owner, LIST, |list| {
            list["messages"][0]["state"] == state
        })
        .await;
    }
    let label = Press::Answer("I am on it");
    let status = gateways.inbox.press(told.number, label).await;
    assert_eq!(status.expect("an answer"), 204);
    for incident in incidents(&app, &owner).await {
        assert_eq!(
            (&incident["taken"]["id"], &incident["answers"][0]["way"]),
            (&json!(owner.id), &json!("WHATSAPP"))
        );
    }
    let page = reqwest::get(format!("http://{}/", gateways.http)).await;
    let page = page.expect("a page").text().await.expect("text");
    assert!(
        page.contains("I am on it") && page.contains("delivered: 204"),
        "{page}"
    );
    // a page of somebody else's presses nothing
    let there = format!(
        "http://{}/messages/{}/delivered",
        gateways.http, told.number
    );
    let foreign = crate::support::client()
        .post(there)
        .header("origin", "https://evil.example");
    let foreign = foreign
        .header("content-type", "application/x-www-form-urlencoded")
        .send()
        .await;
    assert_eq!(foreign.expect("an answer").status(), StatusCode::FORBIDDEN);
}
