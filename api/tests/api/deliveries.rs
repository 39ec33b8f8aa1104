//! Messages to people, by gateways that are played here: each way, each way to fail, and what is never sent.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use harit_api::{
    ApiConfig, DeliveryConfig, NoProvider, Role, Secret, SmsConfig, SmtpConfig, SmtpSecurity,
    Templates, WebhookConfig, WebhookFormat, WhatsAppConfig,
};
use harit_gateways::{APP_SECRET, Gateways, Mode, Received, VERIFY_TOKEN};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::pipeline::eventually;
use crate::support::{App, Person, alert};

const LIST: &str = "/api/farms/a/deliveries";
pub(crate) const PHONE: &str = "+919812345678";

fn templates() -> Templates {
    let lines = ["code=c", "invite=i", "notice=n", "alert=a", "alert.hi=a_hi"].map(str::to_owned);
    Templates::parse(&lines).expect("templates")
}

pub(crate) async fn played() -> Gateways {
    let free = SocketAddr::from(([127, 0, 0, 1], 0));
    Gateways::start(free, free).await.expect("gateways")
}

fn twilio(gateways: &Gateways) -> SmsConfig {
    SmsConfig::Twilio {
        url: format!("http://{}", gateways.http),
        account: "ACsimulated".into(),
        token: Secret::new("t".into()),
        sender: "+15005550006".into(),
    }
}

/// Everything set, and quick.
pub(crate) fn all_ways(gateways: &Gateways) -> DeliveryConfig {
    DeliveryConfig {
        smtp: Some(SmtpConfig {
            host: gateways.smtp.ip().to_string(),
            port: gateways.smtp.port(),
            security: SmtpSecurity::None,
            username: "harit".into(),
            password: Secret::new("p".into()),
            from: "Harit <harit@farm.example>".into(),
            ca: String::new(),
        }),
        sms: Some(twilio(gateways)),
        whatsapp: Some(WhatsAppConfig {
            url: format!("http://{}/whatsapp", gateways.http),
            phone_number_id: "1".into(),
            token: Secret::new("t".into()),
            app_secret: Secret::new(APP_SECRET.into()),
            verify_token: Secret::new(VERIFY_TOKEN.into()),
            templates: templates(),
        }),
        webhook: None,
        timeout: Duration::from_millis(700),
        first_wait: Duration::from_millis(100),
        longest_wait: Duration::from_millis(400),
        join: Duration::from_millis(150),
        ..DeliveryConfig::default()
    }
}

pub(crate) fn config(delivery: DeliveryConfig) -> ApiConfig {
    ApiConfig {
        delivery,
        quiet_at_start: Duration::ZERO,
        changes_per_user: 100_000,
        codes_per_address: 100_000,
        public_url: Some("https://farm.example".into()),
        ..ApiConfig::default()
    }
}

pub(crate) async fn start(delivery: DeliveryConfig) -> (App, Person) {
    let app = App::with(config(delivery), Arc::new(NoProvider)).await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let phone = app
        .meddle("UPDATE users SET phone = '+919812345678' WHERE email = 'owner@a.test'")
        .await;
    assert_eq!(phone, 1);
    (app, owner)
}

/// What came, once it is so many.
pub(crate) async fn came(gateways: &Gateways, count: usize) -> Vec<Received> {
    for _ in 0..1_000 {
        let all = gateways.inbox.all();
        if all.len() >= count {
            assert_eq!(all.len(), count, "{all:#?}");
            return all;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{count} did not come: {:#?}", gateways.inbox.all());
}

async fn ask_code(app: &App, contact: &str) {
    app.post("/auth/send-otp", &json!({"contact": contact}))
        .await
        .expect(StatusCode::OK);
}

/// The list once its latest message is in a state.
pub(crate) async fn latest(app: &App, owner: &Person, state: &str) -> Value {
    let list = eventually(app, owner, LIST, |list| {
        list["messages"][0]["state"] == state
    })
    .await;
    list["messages"][0].clone()
}

pub(crate) async fn raise(app: &App, value: i64) {
    app.reading("a", "ph-a", value).await;
}

/// An alert of the owner's by these ways.
pub(crate) async fn with_alert(app: &App, owner: &Person, channels: &[&str], more: Value) {
    let mut document = alert();
    document["channels"] = json!(channels);
    document["subscribers"] = json!([{"email": owner.email}]);
    for (key, value) in more.as_object().expect("fields") {
        document[key] = value.clone();
    }
    app.call(owner, Method::POST, "/api/farms/a/alerts", &document)
        .await
        .expect(StatusCode::CREATED);
}

#[tokio::test]
async fn a_code_comes_by_the_contact_that_was_asked_for_and_is_gone_when_sent() {
    let gateways = played().await;
    let (app, owner) = start(all_ways(&gateways)).await;
    ask_code(&app, &owner.email).await;
    let mail = came(&gateways, 1).await.remove(0);
    assert_eq!(
        (mail.channel, mail.to.as_str()),
        ("email", owner.email.as_str())
    );
    assert_eq!(mail.subject, "Your Harit code");
    assert!(mail.raw.contains("multipart/alternative"), "{}", mail.raw);
    let code = mail.text.split(' ').next().expect("a code").to_owned();
    let sent = latest(&app, &owner, "SENT").await;
    assert_eq!(mail.key.as_deref(), sent["id"].as_str());
    assert_eq!(
        (&sent["kind"], &sent["to"], &sent["title"]),
        (&json!("CODE"), &json!("o***@a.test"), &json!(""))
    );
    assert_eq!(
        app.meddle("DELETE FROM outbox WHERE sealed IS NOT NULL")
            .await,
        0,
        "the code is erased"
    );
    let body = json!({"contact": owner.email, "otp": code});
    app.post("/auth/verify-otp", &body)
        .await
        .expect(StatusCode::OK);
    let way = app.send(app.request(Method::GET, "/auth/delivery")).await;
    assert_eq!(way.expect(StatusCode::OK), json!({"delivery": "sent"}));

    ask_code(&app, PHONE).await;
    let sms = came(&gateways, 2).await.remove(1);
    assert_eq!((sms.channel, sms.to.as_str()), ("sms", PHONE));
    assert!(sms.text.contains("is your Harit code"), "{}", sms.text);
    // who has no account is sent nothing
    ask_code(&app, "stranger@b.test").await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    came(&gateways, 2).await;
}

#[tokio::test]
async fn sms_goes_by_each_gateway() {
    let gateways = played().await;
    let msg91 = SmsConfig::Msg91 {
        url: format!("http://{}", gateways.http),
        token: Secret::new("k".into()),
        sender: "HARITK".into(),
        templates: templates(),
    };
    let own = SmsConfig::Http {
        url: format!("http://{}/sms", gateways.http),
        token: Secret::new("k".into()),
        sender: "HARIT".into(),
        body: json!({"to": "{to}", "text": "{text}", "from": "{sender}"}).to_string(),
    };
    for (n, sms) in [twilio(&gateways), msg91, own].into_iter().enumerate() {
        let delivery = DeliveryConfig {
            sms: Some(sms),
            ..all_ways(&gateways)
        };
        let (app, owner) = start(delivery).await;
        ask_code(&app, PHONE).await;
        let sms = came(&gateways, n + 1).await.remove(n);
        assert_eq!(sms.to, PHONE, "{}", sms.raw);
        assert!(sms.text.bytes().any(|b| b.is_ascii_digit()));
        let sent = latest(&app, &owner, "SENT").await;
        if n > 0 {
            assert_eq!(sms.key.as_deref(), sent["id"].as_str(), "{}", sms.raw);
        }
    }
}

#[tokio::test]
async fn a_number_gets_its_code_by_whatsapp_where_there_is_no_sms() {
    let gateways = played().await;
    let delivery = DeliveryConfig {
        sms: None,
        ..all_ways(&gateways)
    };
    let (app, _) = start(delivery).await;
    ask_code(&app, PHONE).await;
    let code = came(&gateways, 1).await.remove(0);
    assert_eq!(code.channel, "whatsapp");
    assert!(code.text.starts_with("[c en] "), "{}", code.text);
}

#[tokio::test]
async fn a_gateway_that_fails_is_tried_again_and_one_that_refuses_is_not() {
    let gateways = played().await;
    let (app, owner) = start(all_ways(&gateways)).await;
    for mode in [Mode::Busy, Mode::Broken] {
        for contact in [owner.email.as_str(), PHONE] {
            app.meddle("DELETE FROM outbox").await;
            app.meddle("DELETE FROM codes").await;
            gateways.inbox.set_mode(mode);
            let (before, tried) = (gateways.inbox.all().len(), gateways.inbox.refused());
            ask_code(&app, contact).await;
            let waits = eventually(&app, &owner, LIST, |list| {
                list["messages"][0]["reason"] == "away"
            })
            .await;
            let waits = &waits["messages"][0];
            assert_eq!(waits["state"], "QUEUED", "{mode:?}");
            assert!(waits["nextTryAt"].is_i64() && waits["answer"].is_string());
            assert!(gateways.inbox.refused() > tried);
            gateways.inbox.set_mode(Mode::Ok);
            came(&gateways, before + 1).await;
            let sent = latest(&app, &owner, "SENT").await;
            assert!(sent["attempts"].as_i64() >= Some(2), "{sent}");
        }
    }
    gateways.inbox.set_mode(Mode::Refuse);
    for contact in [owner.email.as_str(), PHONE] {
        app.meddle("DELETE FROM outbox").await;
        app.meddle("DELETE FROM codes").await;
        ask_code(&app, contact).await;
        let failed = latest(&app, &owner, "FAILED").await;
        assert_eq!(
            (&failed["reason"], &failed["attempts"]),
            (&json!("refused"), &json!(1))
        );
        let answer = failed["answer"].as_str().expect("an answer");
        assert!(
            ["SMTP 550", "HTTP 400 (21211)"].contains(&answer),
            "{answer}"
        );
    }
    assert_eq!(
        app.meddle("DELETE FROM outbox WHERE sealed IS NOT NULL")
            .await,
        0
    );
}

#[tokio::test]
async fn what_was_not_answered_is_sent_again_under_the_same_key() {
    let gateways = played().await;
    let (app, owner) = start(all_ways(&gateways)).await;
    gateways.inbox.set_mode(Mode::Never);
    ask_code(&app, &owner.email).await;
    let first = came(&gateways, 1).await.remove(0);
    gateways.inbox.set_mode(Mode::Ok);
    let sent = latest(&app, &owner, "SENT").await;
    let all = gateways.inbox.all();
    assert!(
        all.len() >= 2
            && all
                .iter()
                .all(|m| m.key == first.key && m.text == first.text)
    );
    assert_eq!(first.key.as_deref(), sent["id"].as_str());
}

#[tokio::test]
async fn nothing_waits_for_a_gateway_and_a_code_is_not_sent_too_late() {
    let gateways = played().await;
    let (app, owner) = start(all_ways(&gateways)).await;
    gateways.inbox.set_mode(Mode::Broken);
    let began = std::time::Instant::now();
    ask_code(&app, &owner.email).await;
    app.get(&owner, "/api/farms/a/alerts")
        .await
        .expect(StatusCode::OK);
    assert!(began.elapsed() < Duration::from_secs(2));
    eventually(&app, &owner, LIST, |list| {
        list["messages"][0]["reason"] == "away"
    })
    .await;
    app.meddle("UPDATE outbox SET deadline = 1").await;
    let late = latest(&app, &owner, "FAILED").await;
    assert_eq!(late["reason"], "too_late");
    gateways.inbox.set_mode(Mode::Ok);
    tokio::time::sleep(Duration::from_millis(500)).await;
    came(&gateways, 0).await;
}

#[tokio::test]
async fn what_waits_is_sent_after_a_restart() {
    let gateways = played().await;
    let (app, owner) = start(all_ways(&gateways)).await;
    gateways.inbox.set_mode(Mode::Broken);
    ask_code(&app, &owner.email).await;
    eventually(&app, &owner, LIST, |list| {
        list["messages"][0]["reason"] == "away"
    })
    .await;
    let app = app.restart(config(all_ways(&gateways))).await;
    gateways.inbox.set_mode(Mode::Ok);
    came(&gateways, 1).await;
    latest(&app, &owner, "SENT").await;
}

#[tokio::test]
async fn an_alert_reaches_verified_people_by_their_ways_and_its_end_whom_it_was_told() {
    let gateways = played().await;
    let delivery = DeliveryConfig {
        webhook: Some(WebhookConfig {
            url: format!("http://{}/webhook", gateways.http),
            secret: Secret::new("hook".into()),
            format: WebhookFormat::Harit,
        }),
        ..all_ways(&gateways)
    };
    let (app, owner) = start(delivery).await;
    app.meddle("UPDATE users SET language = 'hi'").await;
    let two = json!({"subscribers": [{"email": "owner@a.test"}, {"email": "nobody@else.test"}], "severity": "critical"});
    with_alert(&app, &owner, &["EMAIL", "SMS", "WHATSAPP"], two).await;
    raise(&app, 5_000_000).await;
    let mut all = came(&gateways, 4).await;
    all.sort_by_key(|m| m.channel);
    let channels: Vec<_> = all.iter().map(|m| (m.channel, m.to.as_str())).collect();
    assert_eq!(
        channels,
        [
            ("email", "owner@a.test"),
            ("sms", PHONE),
            ("webhook", "webhook"),
            ("whatsapp", PHONE)
        ]
    );
    assert_eq!(all[0].subject, "चेतावनी: Acid");
    assert_eq!(
        all[0].headers["listUnsubscribe"],
        "<https://farm.example/alerts>"
    );
    assert!(
        all[1].text.contains("Green Valley: पूरा फ़ार्म"),
        "{}",
        all[1].text
    );
    assert!(
        all[1].text.contains("https://farm.example/a/"),
        "{}",
        all[1].text
    );
    let event: Value = serde_json::from_str(&all[2].raw).expect("JSON");
    assert_eq!(
        (&event["kind"], &event["farmId"], &event["severity"]),
        (&json!("alert_raised"), &json!("a"), &json!("critical"))
    );
    assert!(
        all[2].headers["signature"]
            .as_str()
            .is_some_and(|s| s.starts_with("sha256="))
    );
    assert!(
        all[3].text.starts_with("[a_hi hi] चेतावनी"),
        "{}",
        all[3].text
    );
    let list = app.get(&owner, LIST).await.expect(StatusCode::OK);
    let messages = list["messages"].as_array().expect("a list");
    let refused: Vec<_> = messages
        .iter()
        .filter(|m| m["reason"] == "unverified")
        .collect();
    assert_eq!(refused.len(), 3, "{list}");
    assert!(
        refused
            .iter()
            .all(|m| m["to"] == "n***@else.test" && m["state"] == "FAILED")
    );

    raise(&app, 6_500_000).await;
    let all = came(&gateways, 8).await;
    let over = all[4..]
        .iter()
        .filter(|m| m.text.contains("ख़त्म") || m.text.contains("resolved"));
    assert_eq!(over.count(), 4, "{all:#?}");
}

#[tokio::test]
async fn what_is_over_before_it_was_told_is_not_told() {
    let gateways = played().await;
    let (app, owner) = start(all_ways(&gateways)).await;
    with_alert(&app, &owner, &["SMS"], json!({})).await;
    gateways.inbox.set_mode(Mode::Broken);
    raise(&app, 5_000_000).await;
    eventually(&app, &owner, LIST, |list| {
        list["messages"][0]["reason"] == "away"
    })
    .await;
    app.meddle("UPDATE outbox SET attempts = 0, next_try_at = next_try_at + 60000")
        .await;
    raise(&app, 6_500_000).await;
    let over = latest(&app, &owner, "FAILED").await;
    assert_eq!(over["reason"], "over");
    gateways.inbox.set_mode(Mode::Ok);
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    came(&gateways, 0).await;
}

#[tokio::test]
async fn what_is_beyond_a_share_of_an_hour_is_told_as_a_number() {
    let gateways = played().await;
    let delivery = DeliveryConfig {
        per_person_hour: 5,
        join: Duration::ZERO,
        ..all_ways(&gateways)
    };
    let (app, owner) = start(delivery).await;
    for n in 0..4 {
        with_alert(
            &app,
            &owner,
            &["SMS"],
            json!({"name": format!("First {n}")}),
        )
        .await;
        raise(&app, 5_000_000).await;
        came(&gateways, n + 1).await;
    }
    // the share of an hour is five: a fifth goes, a sixth and a seventh become a number
    for (n, name) in ["Second", "Third", "Fourth"].into_iter().enumerate() {
        with_alert(&app, &owner, &["SMS"], json!({"name": name})).await;
        raise(&app, 4_900_000 - i64::try_from(n).expect("few")).await;
        eventually(&app, &owner, LIST, |list| {
            let all = list["messages"].as_array().expect("a list");
            all.iter().any(|m| m["title"] == format!("Alert: {name}"))
        })
        .await;
    }
    came(&gateways, 5).await;
    let list = app.get(&owner, LIST).await.expect(StatusCode::OK);
    let messages = list["messages"].as_array().expect("a list");
    let left_out = messages.iter().filter(|m| m["reason"] == "over_share");
    assert_eq!(left_out.count(), 2, "{list}");
    // what is critical has a share of its own
    with_alert(
        &app,
        &owner,
        &["SMS"],
        json!({"name": "Dire", "severity": "critical"}),
    )
    .await;
    raise(&app, 4_000_000).await;
    came(&gateways, 6).await;
    app.meddle("UPDATE outbox SET next_try_at = 1 WHERE state = 'QUEUED'")
        .await;
    let rest = came(&gateways, 7).await.remove(6);
    assert!(
        rest.text.starts_with("and 2 more messages"),
        "{}",
        rest.text
    );
}

#[tokio::test]
async fn what_is_critical_beyond_a_share_is_told_together_and_by_name() {
    let gateways = played().await;
    let delivery = DeliveryConfig {
        per_person_hour: 1,
        critical_per_person_hour: 2,
        join: Duration::ZERO,
        ..all_ways(&gateways)
    };
    let (app, owner) = start(delivery).await;
    let with = async |name: &str| {
        let critical = json!({"name": name, "severity": "critical"});
        with_alert(&app, &owner, &["SMS"], critical).await;
    };
    for n in 0..2 {
        with(&format!("Dire {n}")).await;
        raise(&app, 5_000_000).await;
        came(&gateways, n + 1).await;
    }
    for name in ["Third", "Fourth", "Fifth"] {
        with(name).await;
    }
    raise(&app, 4_000_000).await;
    let third = came(&gateways, 3).await.remove(2);
    for text in ["Whole farm: 3 alerts", "Third", "Fourth", "Fifth"] {
        assert!(third.text.contains(text), "{text}: {}", third.text);
    }
    // a gateway has a message before its answer is kept
    eventually(&app, &owner, LIST, |list| {
        let messages = list["messages"].as_array().expect("a list");
        messages.len() == 3 && messages.iter().all(|m| m["state"] == "SENT")
    })
    .await;
}

#[tokio::test]
async fn what_a_month_cost_is_counted_once_a_message_and_outlives_it() {
    let gateways = played().await;
    let delivery = DeliveryConfig {
        sms_price: Some(180_000),
        join: Duration::ZERO,
        ..all_ways(&gateways)
    };
    let (app, owner) = start(delivery).await;
    gateways
        .inbox
        .send_receipts_to(Some(format!("{}/hooks/whatsapp", app.base)));
    // the second's receipt comes before the gateway's answer
    for (n, mode) in [Mode::Ok, Mode::OutOfOrder].into_iter().enumerate() {
        gateways.inbox.set_mode(mode);
        let test = json!({"channel": "WHATSAPP"});
        app.call(&owner, Method::POST, "/api/farms/a/deliveries/test", &test)
            .await
            .expect(StatusCode::ACCEPTED);
        came(&gateways, n + 1).await;
        latest(&app, &owner, "READ").await;
    }
    gateways.inbox.set_mode(Mode::Ok);
    // of 71 letters and more beyond GSM's alphabet an SMS has two parts
    let name = "गरम ".repeat(18);
    with_alert(&app, &owner, &["SMS"], json!({"name": name})).await;
    raise(&app, 5_000_000).await;
    let sms = came(&gateways, 3).await.remove(2);
    let parts = i64::try_from(sms.text.encode_utf16().count().div_ceil(67)).expect("few");
    assert!(parts >= 2, "{}", sms.text);
    latest(&app, &owner, "SENT").await;
    app.meddle("DELETE FROM outbox").await;
    let list = app.get(&owner, LIST).await.expect(StatusCode::OK);
    let month = list["months"][0]["month"].clone();
    assert_eq!(
        list["months"],
        json!([
            {"month": month, "channel": "SMS", "messages": 1, "units": parts, "paise": parts * 18},
            {"month": month, "channel": "WHATSAPP", "messages": 2, "units": 2, "paise": null},
        ])
    );
    assert!(month.as_str().is_some_and(|m| m.len() == 7), "{month}");
}

#[tokio::test]
async fn after_an_hour_without_a_gateway_everything_waits_in_its_order_and_comes_once() {
    const HALF_AN_HOUR: &str = "UPDATE outbox SET created_at = created_at - 1800000, changed_at = changed_at - 1800000, \
        next_try_at = CASE WHEN next_try_at > 1800001 THEN next_try_at - 1800000 ELSE 1 END, deadline = deadline - 1800000";
    let gateways = played().await;
    let delivery = DeliveryConfig {
        join: Duration::ZERO,
        longest_wait: Duration::from_secs(300),
        ..all_ways(&gateways)
    };
    let (app, owner) = start(delivery).await;
    gateways.inbox.set_mode(Mode::Broken);
    ask_code(&app, PHONE).await;
    for (n, name) in ["First", "Second"].into_iter().enumerate() {
        let severity = ["warning", "critical"][n];
        with_alert(
            &app,
            &owner,
            &["SMS"],
            json!({"name": name, "severity": severity}),
        )
        .await;
        raise(&app, 5_000_000 - i64::try_from(n).expect("few")).await;
        eventually(&app, &owner, LIST, |list| {
            let all = list["messages"].as_array().expect("a list");
            all.iter().any(|m| m["title"] == format!("Alert: {name}"))
        })
        .await;
        app.meddle(HALF_AN_HOUR).await;
    }
    let refused = gateways.inbox.refused();
    assert!(refused > 0 && gateways.inbox.all().is_empty());
    gateways.inbox.set_mode(Mode::Ok);
    let all = came(&gateways, 2).await;
    let names = all
        .iter()
        .map(|m| m.text.lines().next().unwrap_or_default());
    assert_eq!(names.collect::<Vec<_>>(), ["Alert: First", "Alert: Second"]);
    tokio::time::sleep(Duration::from_millis(500)).await;
    came(&gateways, 2).await;
    eventually(&app, &owner, LIST, |list| {
        let all = list["messages"].as_array().expect("a list");
        let of = |kind: &'static str| all.iter().filter(move |m| m["kind"] == kind);
        of("ALERT").all(|m| m["state"] == "SENT") && of("CODE").all(|m| m["reason"] == "too_late")
    })
    .await;
}

#[tokio::test]
async fn receipts_tell_what_was_delivered_and_read_and_forged_ones_nothing() {
    let gateways = played().await;
    let (app, owner) = start(all_ways(&gateways)).await;
    let hook = format!("{}/hooks/whatsapp", app.base);
    gateways.inbox.send_receipts_to(Some(hook));
    for (mode, n) in [(Mode::Ok, 1), (Mode::OutOfOrder, 2), (Mode::Twice, 3)] {
        gateways.inbox.set_mode(mode);
        let test = json!({"channel": "WHATSAPP"});
        app.call(&owner, Method::POST, "/api/farms/a/deliveries/test", &test)
            .await
            .expect(StatusCode::ACCEPTED);
        came(&gateways, n).await;
        latest(&app, &owner, "READ").await;
    }
    let id = gateways.inbox.all()[2].key.clone().expect("a key");
    let failed = json!({"entry": [{"changes": [{"value": {"statuses": [{"id": "wamid.3", "status": "failed",
        "timestamp": "1", "biz_opaque_callback_data": id}]}}]}]});
    for signature in ["", "sha256=00", "sha256=zz"] {
        let forged = app
            .request(Method::POST, "/hooks/whatsapp")
            .header("x-hub-signature-256", signature)
            .json(&failed);
        app.send(forged).await.expect(StatusCode::NOT_FOUND);
    }
    latest(&app, &owner, "READ").await;
    let path = "/hooks/whatsapp?hub.mode=subscribe&hub.challenge=42&hub.verify_token=";
    let right = app
        .send(app.request(Method::GET, &format!("{path}{VERIFY_TOKEN}")))
        .await;
    assert_eq!((right.status, right.text.as_str()), (StatusCode::OK, "42"));
    app.send(app.request(Method::GET, &format!("{path}wrong")))
        .await
        .expect(StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn owners_send_themselves_a_message_five_times_an_hour() {
    let gateways = played().await;
    let delivery = DeliveryConfig {
        whatsapp: None,
        ..all_ways(&gateways)
    };
    let (app, owner) = start(delivery).await;
    let path = "/api/farms/a/deliveries/test";
    let by = |channel: &str| json!({"channel": channel});
    let none = app.call(&owner, Method::POST, path, &by("WHATSAPP")).await;
    assert_eq!(none.expect(StatusCode::CONFLICT)["code"], "no_gateway");
    app.meddle("UPDATE users SET claimed_phone = phone, phone = NULL")
        .await;
    let claimed = app.call(&owner, Method::POST, path, &by("SMS")).await;
    assert_eq!(
        claimed.expect(StatusCode::CONFLICT)["code"],
        "contact_unverified"
    );
    for _ in 0..5 {
        app.call(&owner, Method::POST, path, &by("EMAIL"))
            .await
            .expect(StatusCode::ACCEPTED);
    }
    app.call(&owner, Method::POST, path, &by("EMAIL"))
        .await
        .expect(StatusCode::TOO_MANY_REQUESTS);
    let all = came(&gateways, 5).await;
    assert_eq!(all[0].subject, "Test message from Harit");
    assert_eq!(app.audited("a", "delivery_tested").await.len(), 5);
    let list = app.get(&owner, LIST).await.expect(StatusCode::OK);
    let connected: Vec<_> = list["channels"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|c| c["connected"].as_bool())
        .collect();
    assert_eq!(connected, [true, true, false, false, false].map(Some));
}
