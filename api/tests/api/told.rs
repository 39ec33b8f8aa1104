//! Who is told of an alert, and answers from the messages: the chain, the roster, quiet hours, links, SMS and WhatsApp.

use std::time::Duration;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD as BASE64, BASE64_URL_SAFE_NO_PAD as BASE64URL};
use harit_api::{DeliveryConfig, Role};
use harit_gateways::{APP_SECRET, Gateways};
use hmac::{Hmac, KeyInit, Mac};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::deliveries::{PHONE, all_ways, came, config, played, raise, start, with_alert};
use crate::pipeline::eventually;
use crate::support::{App, Person};

const CHAIN: &str = "/api/farms/a/escalation";
const ALERTS: &str = "/api/farms/a/alerts";

/// The incident of the farm's only alert.
async fn incident(app: &App, person: &Person) -> Value {
    let alerts = app.get(person, ALERTS).await.expect(StatusCode::OK);
    let id = alerts[0]["id"].as_str().expect("an alert");
    let path = format!("/api/farms/a/incidents/{id}");
    app.get(person, &path).await.expect(StatusCode::OK)
}

/// The path of the link in a message.
pub(crate) fn link(text: &str) -> String {
    let (_, rest) = text.split_once("https://farm.example/a/").expect(text);
    let token: String = rest.chars().take_while(|c| !c.is_whitespace()).collect();
    format!("/a/{token}")
}

pub(crate) async fn post(app: &App, path: &str, form: &str) -> reqwest::StatusCode {
    let request = app.request(Method::POST, path);
    let kind = ("content-type", "application/x-www-form-urlencoded");
    let request = request.header(kind.0, kind.1).body(form.to_owned());
    app.send(request).await.status
}

/// Nobody but the farm's own people, by mail.
async fn raised(delivery: DeliveryConfig, severity: &str) -> (App, Person, Person) {
    let (app, owner) = start(delivery).await;
    let manager = app.person("a", Role::FarmManager).await;
    let stranger = json!({"subscribers": [{"email": "nobody@else.test"}], "severity": severity});
    with_alert(&app, &owner, &["EMAIL"], stranger).await;
    raise(&app, 5_000_000).await;
    (app, owner, manager)
}

/// So much later, after a restart.
async fn later(app: App, gateways: &Gateways, sql: &'static str) -> App {
    app.meddle(sql).await;
    app.restart(config(all_ways(gateways))).await
}

#[tokio::test]
async fn the_chain_goes_on_over_restarts_until_somebody_answers_from_the_message() {
    let gateways = played().await;
    let (app, owner, manager) = raised(all_ways(&gateways), "critical").await;
    // nobody is on duty: the manager is told at once
    let first = came(&gateways, 1).await.remove(0);
    assert_eq!(
        (first.to.as_str(), first.subject.as_str()),
        (manager.email.as_str(), "Alert: Acid")
    );
    assert!(
        first.text.contains("Whole farm: pH 5 (limit: below 5.5)"),
        "{}",
        first.text
    );
    let seen = eventually(&app, &owner, &incident_path(&app, &owner).await, |i| {
        i["told"]
            .as_array()
            .is_some_and(|all| all.iter().any(|m| m["state"] == "SENT"))
    })
    .await;
    let told: Vec<_> = { seen["told"].as_array().expect("told").iter() }
        .filter(|m| m["step"] == 0)
        .collect();
    assert_eq!(told.len(), 1, "{seen}");
    assert_eq!(told[0]["userId"], manager.id);
    let raised_at = seen["raisedAt"].as_i64().expect("an instant");
    assert_eq!(
        (&seen["next"]["step"], &seen["next"]["at"]),
        (&json!(1), &json!(raised_at + 600_000))
    );

    let ten = "UPDATE notification_states SET at = at - 600000 WHERE subject LIKE 'escalation/%'";
    let app = later(app, &gateways, ten).await;
    let second = came(&gateways, 2).await.remove(1);
    assert_eq!(second.to, manager.email);
    assert!(
        second.text.contains("Nobody has answered for 10 min."),
        "{}",
        second.text
    );

    // looking answers nothing; what is sent once counts once
    let path = link(&second.text);
    let browser = app.request(Method::GET, &path);
    let page = app
        .send(browser.header("accept", "text/html,*/*;q=0.8"))
        .await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(
        page.text.contains("I am on it") && page.text.contains("value=\"acknowledge\""),
        "{}",
        page.text
    );
    assert!(!page.text.contains("<script"));
    assert_eq!(incident(&app, &owner).await["answers"], json!([]));
    assert_eq!(post(&app, &path, "what=on_it&seen=0").await, StatusCode::OK);
    let answered = incident(&app, &owner).await;
    assert_eq!(
        (
            &answered["state"],
            &answered["taken"]["id"],
            &answered["answers"][0]["way"],
            &answered["next"]
        ),
        (
            &json!("taken"),
            &json!(manager.id),
            &json!("EMAIL"),
            &Value::Null
        )
    );
    assert_eq!(
        post(&app, &path, "what=on_it&seen=0").await,
        StatusCode::CONFLICT
    );
    assert_eq!(
        incident(&app, &owner).await["answers"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );
    let entries = app.audited("a", "incident_taken").await;
    assert_eq!(entries[0].1["way"], "EMAIL");

    // the owner is never told
    let app = later(
        app,
        &gateways,
        "UPDATE notification_states SET at = at - 3600000 WHERE subject LIKE 'escalation/%'",
    )
    .await;
    tokio::time::sleep(Duration::from_millis(800)).await;
    came(&gateways, 2).await;
    // its end goes to whom it was told, once
    raise(&app, 6_500_000).await;
    let over = came(&gateways, 3).await.remove(2);
    assert_eq!(
        (over.to.as_str(), over.subject.as_str()),
        (manager.email.as_str(), "Alert resolved: Acid")
    );
    assert_eq!(
        post(&app, &path, "what=acknowledge&seen=1").await,
        StatusCode::CONFLICT
    );
}

async fn incident_path(app: &App, person: &Person) -> String {
    let id = incident(app, person).await["id"].clone();
    format!("/api/farms/a/incidents/{}", id.as_str().expect("an id"))
}

#[tokio::test]
async fn what_is_critical_comes_to_the_owner_and_a_step_that_reaches_nobody_waits_for_nobody() {
    let gateways = played().await;
    let (app, owner) = start(all_ways(&gateways)).await;
    app.person("a", Role::FarmManager).await;
    let unreached =
        "UPDATE users SET claimed_email = email, email = NULL WHERE email = 'farm_manager@a.test'";
    assert_eq!(app.meddle(unreached).await, 1);
    let critical = json!({"subscribers": [{"email": "nobody@else.test"}], "severity": "critical"});
    with_alert(&app, &owner, &["EMAIL"], critical).await;
    raise(&app, 5_000_000).await;
    let told = came(&gateways, 1).await.remove(0);
    assert_eq!(told.to, owner.email);
    let seen = incident(&app, &owner).await;
    let refused = { seen["told"].as_array().expect("told").iter() }
        .filter(|m| m["reason"] == "unverified" && m["step"].is_i64());
    assert_eq!(refused.count(), 2, "{seen}");
}

#[tokio::test]
async fn who_is_on_duty_is_told_in_his_language_and_a_worker_says_that_he_is_on_it() {
    let gateways = played().await;
    let (app, owner) = start(all_ways(&gateways)).await;
    let worker = app.person("a", Role::Worker).await;
    app.meddle("UPDATE users SET language = 'mr' WHERE email = 'worker@a.test'")
        .await;
    let always =
        json!({"userId": worker.id, "days": [1, 2, 3, 4, 5, 6, 7], "from": "00:00", "to": "00:00"});
    let known = app.get(&owner, CHAIN).await.expect(StatusCode::OK);
    assert_eq!(
        (&known["isDefault"], &known["toldNow"]),
        (&json!(true), &json!([owner.id]))
    );
    let wrong = json!({"steps": [{"who": {"kind": "people", "people": ["x"]}, "afterMin": 2000, "severities": []}],
        "duties": [{"userId": "x", "days": [8], "from": "24:00", "to": "1"}]});
    let refused = app
        .call(&owner, Method::PUT, CHAIN, &wrong)
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    let paths: Vec<_> = { refused["problems"].as_array().expect("problems").iter() }
        .map(|p| p["path"].as_str().expect("a path"))
        .collect();
    assert_eq!(
        paths,
        [
            "steps[0].afterMin",
            "steps[0].severities",
            "steps[0].who.people",
            "duties[0].userId",
            "duties[0].hours"
        ]
    );
    let body = json!({"steps": known["steps"], "duties": [always]});
    let put = app
        .call(&owner, Method::PUT, CHAIN, &body)
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        (&put["isDefault"], &put["toldNow"], &put["duties"][0]),
        (&json!(false), &json!([worker.id]), &always)
    );
    let stale = app.request(Method::PUT, CHAIN).bearer_auth(&owner.token);
    let stale = stale.header(
        "if-match",
        format!("\"{}\"", known["etag"].as_str().expect("a tag")),
    );
    app.send(stale.json(&body))
        .await
        .expect(StatusCode::PRECONDITION_FAILED);

    let warning = json!({"subscribers": [{"email": "nobody@else.test"}]});
    with_alert(&app, &owner, &["EMAIL"], warning).await;
    raise(&app, 5_000_000).await;
    let told = came(&gateways, 1).await.remove(0);
    assert_eq!(
        (told.to.as_str(), told.subject.as_str()),
        (worker.email.as_str(), "इशारा: Acid")
    );
    let path = link(&told.text);
    let page = app.send(app.request(Method::GET, &path)).await;
    assert!(
        page.text.contains("जबाबदारी माझी") && !page.text.contains("value=\"snooze\""),
        "{}",
        page.text
    );
    assert_eq!(
        post(&app, &path, "what=acknowledge&seen=0").await,
        StatusCode::FORBIDDEN
    );
    // nothing is switched on, whatever is asked
    assert_eq!(
        post(&app, &path, "what=on&device=fan-1&seen=0").await,
        StatusCode::BAD_REQUEST
    );
    assert_eq!(post(&app, &path, "what=on_it&seen=0").await, StatusCode::OK);
    assert_eq!(incident(&app, &owner).await["taken"]["id"], worker.id);
    // who is let in no more answers nothing
    app.records
        .set_role(&worker.id, "a", Role::Viewer)
        .await
        .expect("a role");
    app.meddle("UPDATE memberships SET is_active = FALSE WHERE role = 'VIEWER'")
        .await;
    assert_eq!(
        post(&app, &path, "what=on_it&seen=1").await,
        StatusCode::NOT_FOUND
    );
}

/// A link that this server would have made of a message, of which the time is over.
fn expired(app: &App, message: &[u8]) -> String {
    let key = std::fs::read(app.dir().join("codes.key")).expect("a key");
    let minute = jiff::Timestamp::now().as_second() / 60;
    let minute = u32::try_from(minute).expect("a minute").to_be_bytes();
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &key);
    let signed = [&b"answer an incident\0"[..], message, &minute].concat();
    let code = ring::hmac::sign(&key, &signed);
    let token = [message, &minute, &code.as_ref()[..16]].concat();
    format!("/a/{}", BASE64URL.encode(token))
}

#[tokio::test]
async fn a_link_that_is_forged_or_too_old_or_of_another_contact_leads_nowhere() {
    let gateways = played().await;
    let (app, owner, _) = raised(all_ways(&gateways), "warning").await;
    let path = link(&came(&gateways, 1).await[0].text);
    let (front, end) = path.split_at(path.len() - 1);
    let forged = format!("{front}{}", if end == "A" { "Q" } else { "A" });
    let bytes = path
        .strip_prefix("/a/")
        .map(|t| BASE64URL.decode(t).expect("base64"));
    let old = expired(&app, &bytes.expect("a token")[..16]);
    let page = app.send(app.request(Method::GET, &old)).await;
    assert_eq!(page.status, StatusCode::GONE);
    assert!(!page.text.contains("Acid"), "{}", page.text);
    assert_eq!(
        post(&app, &old, "what=on_it&seen=0").await,
        StatusCode::GONE
    );
    for bad in [forged.as_str(), "/a/x"] {
        let page = app.send(app.request(Method::GET, bad)).await;
        assert_eq!(page.status, StatusCode::NOT_FOUND, "{bad}");
        assert!(page.text.contains("not valid") && !page.text.contains("Acid"));
        assert_eq!(
            post(&app, bad, "what=on_it&seen=0").await,
            StatusCode::NOT_FOUND
        );
    }
    app.meddle("UPDATE users SET email = 'other@a.test' WHERE email = 'farm_manager@a.test'")
        .await;
    assert_eq!(
        post(&app, &path, "what=on_it&seen=0").await,
        StatusCode::NOT_FOUND
    );
    assert_eq!(incident(&app, &owner).await["answers"], json!([]));
}

/// The clock of the farm, so many minutes from now.
fn clock(minutes: i64) -> String {
    let at = jiff::Timestamp::now() + jiff::SignedDuration::from_mins(minutes);
    let there = at.in_tz("Asia/Kolkata").expect("a zone");
    there.strftime("%H:%M").to_string()
}

#[tokio::test]
async fn in_quiet_hours_a_warning_waits_and_what_is_critical_does_not() {
    let gateways = played().await;
    let (app, owner) = start(all_ways(&gateways)).await;
    let choice = json!({"ways": ["SMS"], "quiet": {"from": clock(-60), "to": clock(60)}});
    let kept = app
        .call(&owner, Method::PUT, "/auth/me/told", &choice)
        .await;
    assert_eq!(kept.expect(StatusCode::OK), choice);
    for wrong in [
        json!({"ways": ["PIGEON"]}),
        json!({"ways": []}),
        json!({"quiet": {"from": "22:00", "to": "22:00"}}),
    ] {
        let refused = app.call(&owner, Method::PUT, "/auth/me/told", &wrong).await;
        refused.expect(StatusCode::UNPROCESSABLE_ENTITY);
    }
    with_alert(&app, &owner, &["EMAIL"], json!({})).await;
    raise(&app, 5_000_000).await;
    let held = eventually(&app, &owner, "/api/farms/a/deliveries", |list| {
        list["messages"][0]["state"] == "QUEUED"
    })
    .await;
    let message = &held["messages"][0];
    let wait = message["nextTryAt"].as_i64().expect("an instant")
        - message["createdAt"].as_i64().expect("an instant");
    assert_eq!(message["channel"], "SMS", "by what he chose");
    assert!((58 * 60_000..=61 * 60_000).contains(&wait), "{wait}");
    // what was answered by morning is not told
    let id = incident(&app, &owner).await["id"]
        .as_str()
        .expect("an id")
        .to_owned();
    let path = format!("/api/farms/a/incidents/{id}/answers");
    app.call(&owner, Method::POST, &path, &json!({"kind": "acknowledge"}))
        .await
        .expect(StatusCode::OK);
    let list = app
        .get(&owner, "/api/farms/a/deliveries")
        .await
        .expect(StatusCode::OK);
    assert_eq!(list["messages"][0]["reason"], "answered", "{list}");
    came(&gateways, 0).await;
    let dire = json!({"name": "Dire", "severity": "critical"});
    with_alert(&app, &owner, &["EMAIL"], dire).await;
    raise(&app, 4_900_000).await;
    let told = came(&gateways, 1).await.remove(0);
    assert_eq!((told.channel, told.to.as_str()), ("sms", PHONE));
}

async fn by_twilio(app: &App, fields: &[(&str, &str)], token: &str) -> crate::support::Answer {
    let mut sorted = fields.to_vec();
    sorted.sort_unstable();
    let url = "https://farm.example/hooks/twilio";
    let text = sorted
        .iter()
        .fold(url.to_owned(), |t, (k, v)| format!("{t}{k}{v}"));
    let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY, token.as_bytes());
    let signature = BASE64.encode(ring::hmac::sign(&key, text.as_bytes()));
    let mut form = reqwest::Url::parse("http://form/").expect("a URL");
    form.query_pairs_mut().extend_pairs(fields);
    let request = app
        .request(Method::POST, "/hooks/twilio")
        .header("x-twilio-signature", signature)
        .header("content-type", "application/x-www-form-urlencoded")
        .body(form.query().unwrap_or_default().to_owned());
    app.send(request).await
}

#[tokio::test]
async fn an_sms_answers_once_and_only_from_the_number_that_was_told() {
    let gateways = played().await;
    let (app, owner) = start(all_ways(&gateways)).await;
    with_alert(&app, &owner, &["SMS"], json!({"severity": "critical"})).await;
    raise(&app, 5_000_000).await;
    came(&gateways, 1).await;
    let list = "/api/farms/a/deliveries";
    eventually(&app, &owner, list, |list| {
        list["messages"][0]["state"] == "SENT"
    })
    .await;
    let reply = |id, from, body| [("MessageSid", id), ("From", from), ("Body", body)];
    by_twilio(&app, &reply("SM1", PHONE, "1"), "wrong")
        .await
        .expect(StatusCode::NOT_FOUND);
    let other = by_twilio(&app, &reply("SM2", "+919800000000", "1"), "t").await;
    assert!(
        other.status == StatusCode::OK && other.text.ends_with("<Response></Response>"),
        "{}",
        other.text
    );
    assert_eq!(incident(&app, &owner).await["answers"], json!([]));
    let unread = by_twilio(&app, &reply("SM3", PHONE, "who is it?"), "t").await;
    assert!(
        unread.text.contains("Acid: Reply 1: I am on it"),
        "{}",
        unread.text
    );
    let off = by_twilio(&app, &reply("SM4", PHONE, "off nothing"), "t").await;
    assert!(off.text.contains("No device of that name"), "{}", off.text);
    let taken = by_twilio(&app, &reply("SM5", PHONE, " ok "), "t").await;
    assert!(
        taken.text.contains("<Message>Acid: Seen</Message>"),
        "{}",
        taken.text
    );
    let again = by_twilio(&app, &reply("SM5", PHONE, " ok "), "t").await;
    assert!(
        again.text.ends_with("<Response></Response>"),
        "{}",
        again.text
    );
    let answers = incident(&app, &owner).await["answers"].clone();
    assert_eq!(
        (answers.as_array().map(Vec::len), &answers[0]["way"]),
        (Some(1), &json!("SMS")),
        "{answers}"
    );
    // what became of the message
    let sid = gateways.inbox.all()[0].number;
    let sid = format!("SM{sid:032x}");
    let receipt = [("MessageSid", sid.as_str()), ("MessageStatus", "delivered")];
    by_twilio(&app, &receipt, "t").await;
    eventually(&app, &owner, list, |list| {
        list["messages"][0]["state"] == "DELIVERED"
    })
    .await;
}

#[tokio::test]
async fn a_button_of_whatsapp_answers_the_message_below_which_it_stands() {
    let gateways = played().await;
    let (app, owner) = start(all_ways(&gateways)).await;
    with_alert(&app, &owner, &["WHATSAPP"], json!({})).await;
    raise(&app, 5_000_000).await;
    let told = came(&gateways, 1).await.remove(0);
    eventually(&app, &owner, "/api/farms/a/deliveries", |list| {
        list["messages"][0]["state"] == "SENT"
    })
    .await;
    let now = jiff::Timestamp::now().as_second().to_string();
    let press = |id: &str, to: &str| {
        json!({"entry": [{"changes": [{"value": {"messages": [{"id": id, "from": PHONE.trim_start_matches('+'), "timestamp": now,
            "type": "button", "button": {"text": "I am on it"}, "context": {"id": to}}]}}]}]})
    };
    let send = async |body: Value, secret: &str| {
        let body = body.to_string();
        let mut mac = Hmac::<sha2::Sha256>::new_from_slice(secret.as_bytes()).expect("a key");
        mac.update(body.as_bytes());
        let hex: String = mac
            .finalize()
            .into_bytes()
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect();
        let request = app
            .request(Method::POST, "/hooks/whatsapp")
            .header("content-type", "application/json");
        let request = request.header("x-hub-signature-256", format!("sha256={hex}"));
        app.send(request.body(body)).await.status
    };
    let right = format!("wamid.{}", told.number);
    assert_eq!(
        send(press("a", &right), "forged").await,
        StatusCode::NOT_FOUND
    );
    assert_eq!(
        send(press("b", "wamid.999"), APP_SECRET).await,
        StatusCode::NO_CONTENT
    );
    assert_eq!(incident(&app, &owner).await["answers"], json!([]));
    for _ in 0..2 {
        assert_eq!(
            send(press("c", &right), APP_SECRET).await,
            StatusCode::NO_CONTENT
        );
    }
    let answers = incident(&app, &owner).await["answers"].clone();
    assert_eq!(
        (
            answers.as_array().map(Vec::len),
            &answers[0]["kind"],
            &answers[0]["way"]
        ),
        (Some(1), &json!("on_it"), &json!("WHATSAPP"))
    );
}

#[tokio::test]
async fn a_device_is_switched_off_from_a_message() {
    let gateways = played().await;
    let (app, owner) = start(all_ways(&gateways)).await;
    let on = json!({"cmd_type": "override", "device_id": "fan-1", "action": {"on": true}, "duration_sec": 600});
    app.call(&owner, Method::POST, "/api/farms/a/commands", &on)
        .await
        .expect(StatusCode::OK);
    with_alert(&app, &owner, &["EMAIL"], json!({})).await;
    raise(&app, 5_000_000).await;
    let path = link(&came(&gateways, 1).await[0].text);
    let page = app.send(app.request(Method::GET, &path)).await;
    assert!(
        page.text.contains("Fan: Switch off for 1 h"),
        "{}",
        page.text
    );
    assert_eq!(
        post(&app, &path, "what=off&device=fan-1&seen=0").await,
        StatusCode::OK
    );
    let commands = app
        .get(&owner, "/api/farms/a/commands?device=fan-1")
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        (&commands[0]["action"], &commands[0]["owner"]["user_id"]),
        (&json!("off"), &json!(owner.id))
    );
    // what is off is not offered, and what is not there is not found
    assert_eq!(
        post(&app, &path, "what=off&device=pump-1&seen=0").await,
        StatusCode::OK
    );
    let pump = app
        .get(&owner, "/api/farms/a/commands?device=pump-1")
        .await
        .expect(StatusCode::OK);
    assert_eq!(pump, json!([]));
}
