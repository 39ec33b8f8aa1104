//! The audit log: what is written, and that changes to it are found.

use harit_api::{LogReport, Role, verify_log};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::support::{App, alert, rule};

/// The actions of a farm's log, in order.
async fn actions(app: &App, farm: &str) -> Vec<String> {
    let rows = app.audited(farm, "%").await;
    rows.into_iter().map(|(action, _)| action).collect()
}

async fn verify(app: &App) -> LogReport {
    verify_log(app.place()).await.expect("read")
}

async fn problems(app: &App) -> Vec<String> {
    let found = verify(app).await.problems;
    found.iter().map(ToString::to_string).collect()
}

/// A farm with a log of ten sign-ins.
async fn farm_with_log() -> App {
    let app = App::demo().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    for _ in 0..9 {
        app.sign_in(&owner.email).await;
    }
    app.call(&owner, Method::POST, "/auth/logout", &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    assert_eq!(actions(&app, "a").await.len(), 10);
    assert_eq!(problems(&app).await, [""; 0]);
    app
}

#[tokio::test]
async fn what_people_do_is_written_down() {
    let app = App::demo().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let wrong = json!({"contact": owner.email, "password": "a secret typed wrong"});
    app.post("/auth/login", &wrong)
        .await
        .expect(StatusCode::UNAUTHORIZED);
    // a failed sign-in is written down after its answer
    for _ in 0..200 {
        if !actions(&app, "a").await.is_empty() {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    app.sign_in(&owner.email).await;
    let call = async |method: Method, path: &str, body: Value| -> Value {
        let answer = app.call(&owner, method, path, &body).await;
        assert!(answer.status.is_success(), "{path}: {}", answer.text);
        serde_json::from_str(&answer.text).unwrap_or(Value::Null)
    };
    let new = json!({"name": "Ravi More", "email": "ravi@x.test", "role": "VIEWER", "languagePref": "hi"});
    let ravi = call(Method::POST, "/api/farms/a/users", new).await;
    let ravi = format!("/api/farms/a/users/{}", ravi["id"].as_str().expect("an id"));
    call(
        Method::PATCH,
        &ravi,
        json!({"name": "R More", "role": "FARM_MANAGER"}),
    )
    .await;
    call(Method::POST, &format!("{ravi}/deactivate"), json!({})).await;
    call(Method::POST, &format!("{ravi}/activate"), json!({})).await;
    call(Method::DELETE, &ravi, json!({})).await;
    let invite = json!({"email": "x@x.test", "role": "VIEWER", "languagePref": "en"});
    let made = call(Method::POST, "/onboarding/invite-user", invite).await;
    let id = made["invite"]["id"].as_str().expect("an id");
    call(
        Method::DELETE,
        &format!("/onboarding/invites/{id}"),
        json!({}),
    )
    .await;
    let asset = json!({"assets": [{"type": "POLYHOUSE", "macid": "AABBCCDDEE10"}]});
    call(Method::POST, "/onboarding/assets", asset).await;
    for (what, document) in [("rules", rule()), ("alerts", alert())] {
        let path = format!("/api/farms/a/{what}");
        let made = call(Method::POST, &path, document.clone()).await;
        let path = format!("{path}/{}", made["id"].as_str().expect("an id"));
        call(Method::PUT, &path, document).await;
        call(Method::DELETE, &path, json!({})).await;
    }
    let release = json!({"cmd_type": "release", "device_id": "fan-1"});
    call(Method::POST, "/api/farms/a/commands", release).await;
    call(Method::POST, "/auth/logout", json!({})).await;
    let written = actions(&app, "a").await;
    assert_eq!(
        written.iter().map(String::as_str).collect::<Vec<_>>(),
        [
            "sign_in_failed",
            "sign_in",
            "user_added",
            "user_changed",
            "role_changed",
            "user_deactivated",
            "user_activated",
            "user_removed",
            "invite_made",
            "invite_revoked",
            "asset_registered",
            "rule_created",
            "rule_changed",
            "rule_deleted",
            "alert_created",
            "alert_changed",
            "alert_deleted",
            "command",
            "sign_out",
        ]
    );
    let report = verify(&app).await;
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    // the first sign-in was before the person had a farm: it is in the server's own chain
    assert_eq!((report.chains, report.entries), (2, 20));
    let text = "SELECT 1 FROM audit WHERE details LIKE '%a secret%' OR subject LIKE '%a secret%'";
    assert_eq!(app.meddle(text).await, 0);
}

#[tokio::test]
async fn the_log_refuses_changes() {
    let app = farm_with_log().await;
    let mut database = app.database().await;
    for sql in [
        "UPDATE audit SET actor = 'Eve'",
        "DELETE FROM audit WHERE seq = 3",
    ] {
        let refused = database.execute(sql).await.expect_err("refused");
        assert!(refused.to_string().contains("append-only"), "{refused}");
    }
    database.close().await;
}

#[tokio::test]
async fn an_entry_that_was_changed_or_taken_out_is_named() {
    for (sql, said) in [
        (
            "UPDATE audit SET actor = 'Eve' WHERE farm_id = 'a' AND seq = 4",
            "farm a, entry 4: changed, or not written by this server",
        ),
        (
            "UPDATE audit SET at = at + 1 WHERE farm_id = 'a' AND seq IN (7, 8)",
            "farm a, entry 7: changed, or not written by this server",
        ),
        (
            "DELETE FROM audit WHERE farm_id = 'a' AND seq = 3",
            "farm a, entry 3: missing",
        ),
    ] {
        let app = farm_with_log().await;
        app.database().await.unguard_audit().await;
        app.meddle(sql).await;
        assert_eq!(problems(&app).await, [said]);
    }
}

#[tokio::test]
async fn entries_taken_off_the_end_are_missed_also_when_the_log_goes_on() {
    let app = farm_with_log().await;
    app.database().await.unguard_audit().await;
    app.meddle("DELETE FROM audit WHERE farm_id = 'a' AND seq > 8")
        .await;
    // a careful thief
    app.meddle(
        "UPDATE audit_heads SET seq = 8, hash = (SELECT hash FROM audit WHERE farm_id = 'a' AND seq = 8) WHERE farm_id = 'a'",
    )
    .await;
    let cut = ["farm a, entry 9: missing: the log was longer, entries were taken off its end"];
    assert_eq!(problems(&app).await, cut);
    for _ in 0..4 {
        app.sign_in("owner@a.test").await;
    }
    let went_on =
        ["farm a, entry 10: replaced: entries were taken off the end, and the log went on"];
    assert_eq!(problems(&app).await, went_on);
}

/// The records' writer is kept busy, so that the entry has to wait; the client does not.
#[tokio::test]
async fn hanging_up_does_not_prevent_the_entry() {
    let app = App::demo().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let rules = "/api/farms/a/rules";
    let made = app.call(&owner, Method::POST, rules, &rule()).await;
    let made = made.expect(StatusCode::CREATED);
    let path = format!("{rules}/{}", made["id"].as_str().expect("an id"));

    let mut busy = app.database().await;
    busy.take_writer().await;
    let mut client = TcpStream::connect(app.base.trim_start_matches("http://"))
        .await
        .expect("a connection");
    let request = format!(
        "DELETE {path} HTTP/1.1\r\nHost: harit\r\nAuthorization: Bearer {}\r\n\r\n",
        owner.token
    );
    client.write_all(request.as_bytes()).await.expect("sent");
    for _ in 0..200 {
        if app.get(&owner, &path).await.status == StatusCode::NOT_FOUND {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    drop(client);
    // long enough for the server to notice
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    busy.give_back().await;
    for _ in 0..200 {
        if !app.audited("a", "rule_deleted").await.is_empty() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("the rule is gone, and nobody deleted it");
}

#[tokio::test]
async fn ends_that_were_set_back_or_taken_away_are_noticed() {
    let mut app = farm_with_log().await;
    app.database().await.unguard_audit().await;
    let heads = app.dir().join("audit.heads");
    let older = app
        .meddle("DELETE FROM audit WHERE farm_id = 'a' AND seq > 8")
        .await;
    assert_eq!(older, 2);
    app.meddle(
        "UPDATE audit_heads SET seq = 8, hash = (SELECT hash FROM audit WHERE farm_id = 'a' AND seq = 8) WHERE farm_id = 'a'",
    )
    .await;
    // a thief who sets the anchor back as well, without the key
    let text = std::fs::read_to_string(&heads).expect("an anchor");
    let set_back: String = text
        .lines()
        .map(|line| {
            if line.ends_with(" a") {
                "8 0123 a\n".to_owned()
            } else {
                format!("{line}\n")
            }
        })
        .collect();
    assert_ne!(set_back, text);
    std::fs::write(&heads, &set_back).expect("written");
    let said =
        "the server's log: the ends of the chains were changed, or not written by this server";
    assert_eq!(problems(&app).await.first().map(String::as_str), Some(said));
    app.shut_down().await;
    app.records.close().await;
    let open = async || {
        let refused = harit_api::Records::open(app.place()).await;
        let refused = refused.expect_err("refused");
        std::error::Error::source(&refused)
            .map(ToString::to_string)
            .unwrap_or_default()
    };
    let why = open().await;
    assert!(why.contains("not as this server wrote it"), "{why}");
    std::fs::remove_file(&heads).expect("removed");
    let why = open().await;
    assert!(why.contains("is missing beside an audit log"), "{why}");
    // who runs the server takes the log as it is
    let sealed = harit_api::seal_log_anew(app.place()).await.expect("sealed");
    assert!(sealed.problems.is_empty(), "{:?}", sealed.problems);
    assert_eq!(problems(&app).await, [""; 0]);
    let records = harit_api::Records::open(app.place()).await.expect("opened");
    records.close().await;
}
