//! Whoever runs the server, on its machine: the first person without any message, tokens, controllers, accounts that read by MQTT.

use std::fs;
use std::time::Duration;

use reqwest::{Client, StatusCode};
use rumqttc::{AsyncClient, Event, MqttOptions, Packet, QoS};
use rusqlite::Connection;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::server::{Home, PATIENCE, Server, machine, run};

/// Makes the first person, with a farm.
const FIRST: [&str; 7] = [
    "user",
    "add",
    "asha@kheti.test",
    "--name",
    "Asha Patil",
    "--new-farm",
    "Hillside",
];

/// Runs a command of the operator's on that directory, and gives what it printed.
async fn operate(home: &Home, args: &[&str]) -> Result<String, String> {
    let data = home.data();
    let place = ["--data-dir", data.to_str().unwrap()];
    let done = run(&[args, &place].concat()).await;
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    if done.status.success() {
        Ok(text(done.stdout))
    } else {
        assert_eq!(done.status.code(), Some(1), "{args:?}");
        Err(text(done.stderr))
    }
}

/// What stands behind a word on a line of its own.
fn after<'a>(told: &'a str, word: &str) -> &'a str {
    let line = told.lines().find_map(|l| l.strip_prefix(word));
    line.unwrap_or_else(|| panic!("no {word} in {told}")).trim()
}

async fn get(server: &Server, token: &str, path: &str) -> (StatusCode, Value) {
    let asked = Client::new()
        .get(format!("{}{path}", server.http))
        .bearer_auth(token);
    let answer = asked.send().await.unwrap();
    let status = answer.status();
    (status, answer.json().await.unwrap_or_default())
}

async fn sign_in(server: &Server, contact: &str, password: &str) -> String {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let body = json!({"contact": contact, "password": password});
    let asked = Client::new()
        .post(format!("{}/auth/login", server.http))
        .json(&body);
    let answer: Value = asked.send().await.unwrap().json().await.unwrap();
    answer["token"]
        .as_str()
        .unwrap_or_else(|| panic!("{answer}"))
        .to_owned()
}

#[tokio::test]
#[allow(clippy::too_many_lines, reason = "one story")]
async fn the_first_person_of_a_server_gets_in_and_no_token_is_in_its_log() {
    let _machine = machine().await;
    let home = Home::empty();
    let nothing = operate(&home, &["user", "list"]).await.unwrap_err();
    assert!(nothing.contains("records.db is not there"), "{nothing}");
    let told = operate(&home, &FIRST).await.unwrap();
    let password = after(&told, "password ").to_owned();
    let again = operate(&home, &FIRST).await.unwrap_err();
    assert!(again.contains("asha@kheti.test has an account"), "{again}");
    let listed = operate(&home, &["user", "list"]).await.unwrap();
    assert!(
        listed.contains("signs in by password") && listed.contains("OWNER of"),
        "{listed}"
    );
    let there = listed.split("OWNER of ").nth(1).unwrap();
    let there = there.split_whitespace().next().unwrap();
    for (farm, why) in [(there, "is there"), ("elsewhere", "have no farm elsewhere")] {
        let add = ["user", "add", "ravi@kheti.test", "--name", "Ravi"];
        let owner = [&add[..], &["--new-farm", "Hillside", "--farm", farm]].concat();
        let refused = operate(&home, &owner).await.unwrap_err();
        assert!(refused.contains(why), "{refused}");
    }
    let controller = [
        "controller",
        "add",
        "AA:BB:CC:00:00:01",
        "--name",
        "North house",
    ];
    let controller = operate(&home, &controller).await.unwrap();
    assert_eq!(after(&controller, "username "), "AABBCC000001");
    let reader = operate(&home, &["integration", "add", "Grafana"])
        .await
        .unwrap();
    let (username, secret) = (after(&reader, "username "), after(&reader, "password "));
    let made = operate(
        &home,
        &[
            "token",
            "add",
            "Sheet",
            "--user",
            "asha@kheti.test",
            "--days",
            "30",
        ],
    )
    .await
    .unwrap();
    let token = made.lines().next().unwrap();

    let mut server = home.server(&[], &[("HARIT_LOG_FILTER", "debug")]).await;
    let locked = operate(&home, &["user", "list"]).await.unwrap_err();
    assert!(locked.contains("stop it first"), "{locked}");
    let locked = operate(&home, &FIRST).await.unwrap_err();
    assert!(locked.contains("stop it first"), "{locked}");
    let person = sign_in(&server, "asha@kheti.test", &password).await;
    let (status, farms) = get(&server, token, "/api/farms").await;
    assert_eq!(status, StatusCode::OK);
    let farm = farms[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(farms[0]["name"], "Hillside");
    let (_, houses) = get(&server, &person, &format!("/api/farms/{farm}/polyhouses")).await;
    assert!(houses.to_string().contains("North house"), "{houses}");

    // an account that reads is cut off when it is blocked
    let mut options = MqttOptions::new("reader", "127.0.0.1", server.mqtt);
    options.set_credentials(username, secret);
    let (client, mut events) = AsyncClient::new(options, 10);
    client
        .subscribe(format!("harit/1/{farm}/#"), QoS::AtLeastOnce)
        .await
        .unwrap();
    let subscribed = async {
        loop {
            if let Event::Incoming(Packet::SubAck(_)) = events.poll().await.unwrap() {
                return;
            }
        }
    };
    timeout(PATIENCE, subscribed).await.unwrap();
    let path = format!("{}/api/farms/{farm}/integrations/{username}", server.http);
    let block = Client::new()
        .patch(path)
        .bearer_auth(&person)
        .json(&json!({"enabled": false}));
    assert_eq!(block.send().await.unwrap().status(), StatusCode::NO_CONTENT);
    let ended = async { while events.poll().await.is_ok() {} };
    timeout(Duration::from_secs(5), ended)
        .await
        .expect("it is cut off");
    // and not let in again
    assert!(timeout(PATIENCE, events.poll()).await.unwrap().is_err());

    server.terminate().await;
    let log = fs::read_to_string(home.path("log")).unwrap();
    for secret in [token, person.as_str(), password.as_str(), secret] {
        assert!(!log.contains(secret), "a secret is in the log");
    }
    let start = &token[..12];
    let listed = operate(&home, &["token", "list"]).await.unwrap();
    assert!(
        listed.contains(start) && !listed.contains(token),
        "{listed}"
    );
    operate(&home, &["token", "revoke", start]).await.unwrap();
    assert_eq!(
        operate(&home, &["token", "list"]).await.unwrap().trim(),
        "none"
    );
    operate(&home, &["user", "password", "asha@kheti.test"])
        .await
        .unwrap();
    server.start().await;
    assert_eq!(
        get(&server, &person, "/api/farms").await.0,
        StatusCode::UNAUTHORIZED
    );
    assert_eq!(
        get(&server, token, "/api/farms").await.0,
        StatusCode::UNAUTHORIZED
    );
    server.terminate().await;
    let verified = operate(&home, &["verify-log"]).await.unwrap();
    assert!(!verified.is_empty(), "{verified}");
}

#[tokio::test]
async fn a_command_removes_nothing_of_the_past() {
    let _machine = machine().await;
    let home = Home::empty();
    operate(&home, &FIRST).await.unwrap();
    let history = Connection::open(home.data().join("history.db")).unwrap();
    // An hour of 1970: its server keeps it, by settings that the command is not told of.
    let old = "INSERT INTO series (id, farm, sensor) VALUES (1, 'f', 's');
        INSERT INTO hour (series, hour, count, sum, min, max, last, last_at) VALUES (1, 100, 1, 1, 1, 1, 1, 360000000);";
    history.execute_batch(old).unwrap();
    let controller = [
        "controller",
        "add",
        "AA:BB:CC:00:00:01",
        "--name",
        "North house",
    ];
    operate(&home, &controller).await.unwrap();
    let left = history.query_row("SELECT count(*) FROM hour", (), |row| row.get::<_, i64>(0));
    assert_eq!(left.unwrap(), 1);
}
