//! The demo does something, by itself, within two minutes.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::farm::Api;
use crate::server::{Home, PATIENCE, Server, machine, run, until};

const WITHIN: Duration = Duration::from_secs(120);

#[tokio::test]
async fn the_demo_lives() {
    let _machine = machine().await;
    let home = Home::empty();
    let mut server = home.server(&["--demo"], &[]).await;
    let began = Instant::now();
    let api = sign_in(&server).await;

    until("all four controllers are online", PATIENCE, async || {
        let devices = api.of_farm("devices").await;
        let devices = devices.as_array()?;
        let controllers: BTreeSet<&str> = devices
            .iter()
            .filter_map(|d| d["controller"].as_str())
            .collect();
        let online = devices.iter().all(|d| d["online"] == true);
        (online && controllers.len() == 4).then_some(())
    })
    .await;
    eprintln!("four controllers online after {:?}", began.elapsed());

    let values = async || -> Option<Vec<(String, String)>> {
        let telemetry = api.of_farm("latest-telemetry").await;
        let all = telemetry["sensors"].as_array()?.iter();
        all.map(|s| {
            Some((
                s["id"].as_str()?.to_owned(),
                s["latestValue"].as_f64()?.to_string(),
            ))
        })
        .collect()
    };
    let first = until("every sensor has a value", PATIENCE, values).await;
    until("most values move", PATIENCE, async || {
        let now = values().await?;
        let moved = first.iter().zip(&now).filter(|(a, b)| a != b).count();
        (moved * 2 > first.len()).then_some(())
    })
    .await;

    let confirmed = until("a rule's command is confirmed", WITHIN, async || {
        let commands = api.of_farm("commands?state=confirmed").await;
        let found = commands
            .as_array()?
            .iter()
            .find(|c| c["cause"].as_str().is_some_and(|c| c.starts_with("rule-")))?;
        Some(found.clone())
    })
    .await;
    eprintln!("after {:?}: {confirmed}", began.elapsed());
    let (status, after) = server.terminate().await;
    assert!(
        status.success() && after < Duration::from_secs(5),
        "{status} after {after:?}"
    );
}

#[tokio::test]
async fn the_demo_has_two_farms_and_a_past() {
    let _machine = machine().await;
    let home = Home::empty();
    let past = &[("HARIT_DEMO_HISTORY_DAYS", "1")];
    let mut server = home.server(&["--demo"], past).await;
    let api = sign_in(&server).await;
    let now = i64::try_from(
        std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .unwrap()
            .as_millis(),
    )
    .unwrap();
    let (hour, day) = (3_600_000, 86_400_000);

    let farms = api.get("/api/farms").await;
    let farms: Vec<_> = farms.as_array().unwrap().iter().collect();
    assert_eq!(farms.len(), 2, "{farms:?}");
    assert_eq!(farms[0]["id"], "demo-farm-1", "people see it first");
    for farm in farms {
        let farm = farm["id"].as_str().unwrap();
        let of = |what: String| format!("/api/farms/{farm}/{what}");
        let telemetry = api.get(&of("latest-telemetry".into())).await;
        for sensor in telemetry["sensors"].as_array().unwrap() {
            let id = sensor["id"].as_str().unwrap();
            let (from, to) = (now - day + hour, now - hour);
            let path = of(format!(
                "sensors/{id}/history?from={from}&to={to}&step=3600"
            ));
            let history = api.get(&path).await;
            let points = history["points"].as_array().unwrap();
            assert!(points.len() >= 20, "{farm} {id}: {history}");
        }
        let old = now - 2 * hour;
        let commands = api
            .get(&of(format!("commands?state=confirmed&to={old}&limit=500")))
            .await;
        let by_rules = commands.as_array().unwrap().iter();
        let by_rules = by_rules.filter(|c| c["cause"].as_str().unwrap().starts_with("rule-"));
        assert!(by_rules.count() >= 5, "{farm}: {commands}");
        let open = api
            .get(&of(format!("commands?state=timed_out&to={old}")))
            .await;
        assert_eq!(open.as_array().unwrap().len(), 0, "{open}");
    }

    // A second start finds all of it and makes nothing anew.
    server.kill().await;
    let began = Instant::now();
    server.start().await;
    eprintln!("started again after {:?}", began.elapsed());
    let api = sign_in(&server).await;
    let log = api
        .get(&format!(
            "/api/farms/demo-farm-1/logs?to={}",
            now - 2 * hour
        ))
        .await;
    assert!(log["matching"].as_u64() > Some(20), "{log}");
    let (status, _) = server.terminate().await;
    assert!(status.success());
}

/// Each text that a person reads as a name, with where it stands.
fn names<'a>(answer: &'a Value, key: &'a str, found: &mut Vec<(&'a str, &'a str)>) {
    let read = [
        "name",
        "title",
        "description",
        "location",
        "path",
        "crop",
        "variety",
        "place",
        "what",
        "buyer",
    ];
    match answer {
        Value::String(text) if read.contains(&key) => found.push((key, text)),
        Value::Array(items) => items.iter().for_each(|item| names(item, key, found)),
        Value::Object(fields) => fields.iter().for_each(|(k, v)| names(v, k, found)),
        _ => {}
    }
}

/// Whether a text has a word in Latin letters that is no sign, unit or part number.
fn is_latin(text: &str) -> bool {
    let signs = ["A", "B", "C", "pH", "EC", "VPD", "kPa"];
    text.split(|c: char| !c.is_alphabetic())
        .any(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()) && !signs.contains(&word))
}

#[tokio::test]
async fn the_demos_farms_are_named_in_the_language_that_is_asked_for() {
    let _machine = machine().await;
    let home = Home::empty();
    let marathi = &[("LANG", "hi_IN.UTF-8"), ("HARIT_DEMO_LANGUAGE", "mr")];
    let server = home.server(&["--demo"], marathi).await;
    let api = sign_in(&server).await;
    let farms = api.get("/api/farms").await;
    assert_eq!(farms[0]["name"], "तळेगाव शेत");
    let mut read = 0;
    for farm in farms.as_array().unwrap() {
        let farm = farm["id"].as_str().unwrap();
        for what in [
            "polyhouses",
            "reservoirs",
            "sensors",
            "devices",
            "rules",
            "alerts",
            "tasks",
            "controllers",
            "users",
            "derived-sensors",
            "crop-cycles",
            "nurseries",
            "inventory",
            "templates",
            "sales",
            "expenses",
        ] {
            let answer = api.get(&format!("/api/farms/{farm}/{what}")).await;
            let mut found = Vec::new();
            names(&answer, "", &mut found);
            let latin: Vec<_> = found.iter().filter(|(_, text)| is_latin(text)).collect();
            assert!(latin.is_empty(), "{farm}: {what}: {latin:?}");
            read += found.len();
        }
    }
    assert!(read > 200, "only {read} names were read");
}

#[tokio::test]
async fn faults_of_the_demo_are_switched_on_from_the_command_line() {
    let _machine = machine().await;
    let home = Home::empty();
    let server = home
        .server(&["--demo", "--fault", "lock:ph1-vent"], &[])
        .await;
    let api = sign_in(&server).await;
    until("the panel's lock is seen", PATIENCE, async || {
        let devices = api.of_farm("devices").await;
        let locked = devices
            .as_array()?
            .iter()
            .filter(|d| !d["state"]["lock"].is_null());
        let locked: Vec<_> = locked.filter_map(|d| d["id"].as_str()).collect();
        (locked == ["ph1-vent"]).then_some(())
    })
    .await;

    let refused = async |args: &[&str], why: &str| {
        let dir = Home::empty().data();
        let place = ["serve", "--data-dir", dir.to_str().unwrap()];
        let addresses = ["--http", "127.0.0.1:0", "--mqtt", "127.0.0.1:0"];
        let output = run(&[&place[..], &addresses, args].concat()).await;
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            !output.status.success() && said.contains(why),
            "{args:?}: {said}"
        );
    };
    refused(&["--fault", "lock:ph1-vent"], "nothing is simulated here").await;
    refused(&["--demo", "--fault", "lock:nothing"], "ph1-vent").await;
    refused(&["--demo", "--fault", "flood:ph1-vent"], "unknown fault").await;
}

async fn sign_in(server: &Server) -> Api {
    let open = reqwest_open(&server.http).await;
    let text = |v: &Value| v.as_str().unwrap().to_owned();
    Api::sign_in(
        server,
        &text(&open["farm"]),
        &text(&open["users"][0]),
        &text(&open["password"]),
    )
    .await
}

/// What the sign-in page asks before anybody is signed in.
async fn reqwest_open(http: &str) -> Value {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let answer = reqwest::get(format!("{http}/api/demo")).await.unwrap();
    answer.json().await.unwrap()
}
