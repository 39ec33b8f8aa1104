//! What happened, asked of the journal beside the running server: explained, tried with other rules, and given away to be checked.

use std::fs;

use serde_json::{Value, json};

use crate::farm::{GREEN, now_ms};
use crate::server::{Home, run};

/// Runs `harit`, and gives its exit code with what it wrote.
async fn said(args: &[&str]) -> (Option<i32>, String) {
    let done = run(args).await;
    let written = [done.stdout, done.stderr].concat();
    (done.status.code(), String::from_utf8(written).unwrap())
}

/// Of the farm in which the rule `cool` started `fan-1` at 35.5 °C, after this instant, and stopped it again.
pub(crate) async fn what_happened_is_explained_tried_and_given_away(home: &Home, since: i64) {
    let path = |name: &str| home.path(name).to_str().unwrap().to_owned();
    let (data, from, to) = (path("data"), since.to_string(), now_ms().to_string());
    let of = ["--data-dir", &data, "--farm", GREEN];
    let span = ["--from", &from, "--to", &to];

    let explain = [&["explain", "--rule", "cool", "--at", &to], &of[..]].concat();
    let (code, told) = said(&explain).await;
    assert_eq!(code, Some(0), "{told}");
    let (_, document) = said(&[&explain[..], &["--json"]].concat()).await;
    let document: Value = serde_json::from_str(&document).unwrap();
    assert_eq!(document["phase"], "idle", "{document}");

    let (code, same) = said(&[&["backtest", "--json"], &of[..], &span].concat()).await;
    assert_eq!(code, Some(0), "{same}");
    let fired = |told: &str| {
        let told: Value = serde_json::from_str(told).unwrap();
        ["was", "would"].map(|run| {
            let rules = told[run]["rules"].as_array().unwrap().iter();
            let cool = rules.clone().find(|r| r["id"] == "cool");
            cool.map_or(0, |r| r["fired"].as_u64().unwrap())
        })
    };
    assert_eq!(fired(&same), [1, 1], "as it was: {same}");
    let without = ["backtest", "--json", "--without", "cool"];
    let (_, other) = said(&[&without, &of[..], &span].concat()).await;
    assert_eq!(fired(&other), [1, 0], "{other}");

    commands_are_traced(&[&of[..], &span].concat()).await;

    let folder = path("incident");
    let export = [
        "incident",
        "export",
        "--device",
        "fan-1",
        "--language",
        "mr",
    ];
    let (code, told) = said(&[&export, &of[..], &span, &["--out", &folder]].concat()).await;
    assert_eq!(code, Some(0), "{told}");
    let events = fs::read_to_string(home.path("incident/events.jsonl")).unwrap();
    assert!(events.contains(r#""event":"rule_fired""#), "{events}");
    let explained = fs::read_to_string(home.path("incident/explanations.jsonl")).unwrap();
    assert!(
        explained.lines().count() >= 4,
        "its ends, on and off: {explained}"
    );

    let verify = ["incident", "verify", &folder];
    let sealed = ["incident", "verify", &folder, "--data-dir", &data];
    assert_eq!(said(&verify).await.0, Some(0));
    let (code, told) = said(&sealed).await;
    assert_eq!(code, Some(0), "{told}");
    // Again where it is already is refused, and leaves it.
    assert_eq!(
        said(&[&export, &of[..], &span, &["--out", &folder]].concat())
            .await
            .0,
        Some(2)
    );
    assert_eq!(said(&verify).await.0, Some(0));

    // A changed explanation shows; with its sum put right it shows by the fold, and by the seal.
    let file = home.path("incident/explanations.jsonl");
    fs::write(&file, explained.replacen("\"at\":", "\"at\": ", 1)).unwrap();
    let (code, told) = said(&verify).await;
    assert_eq!(code, Some(1), "{told}");
    assert!(
        told.starts_with("explanations.jsonl is not as it was written"),
        "{told}"
    );
    let manifest = home.path("incident/manifest.json");
    let mut forged: Value = serde_json::from_slice(&fs::read(&manifest).unwrap()).unwrap();
    let bytes = fs::read(&file).unwrap();
    let sum = ring::digest::digest(&ring::digest::SHA256, &bytes);
    let sum: String = sum.as_ref().iter().map(|b| format!("{b:02x}")).collect();
    forged["files"][3]["sha256"] = json!(sum);
    forged["files"][3]["bytes"] = json!(bytes.len());
    fs::write(&manifest, forged.to_string()).unwrap();
    let (code, told) = said(&sealed).await;
    assert_eq!(code, Some(1), "{told}");
    assert!(
        told.contains("explanations.jsonl: the inputs give something else"),
        "{told}"
    );
    assert!(told.contains("it was not sealed by that server"), "{told}");
}

/// Of the two commands of that span: which message began each, and what moved it on.
async fn commands_are_traced(span: &[&str]) {
    let trace = [&["trace", "--json"], span].concat();
    let traced = async |more: &[&str]| {
        let (code, told) = said(&[&trace[..], more].concat()).await;
        assert_eq!(code, Some(0), "{told}");
        let lines = told.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.collect::<Vec<Value>>()
    };
    let all = traced(&[]).await;
    let [on, _off] = &all[..] else {
        panic!("two commands: {all:?}");
    };
    let (began, mac) = (&on["began"]["input"], &on["began"]["input"]["mac"]);
    assert_eq!(began["input"], "telemetry", "{on}");
    assert_eq!(began["sensors"][0]["value"], 35.5, "{on}");
    assert_eq!(on["by_time"], true, "its hold was over: {on}");
    let acked = on["steps"].as_array().unwrap().iter();
    let acked = acked.clone().find(|step| step["state"] == "acked").unwrap();
    assert_eq!(
        (&acked["input"]["input"], &acked["input"]["mac"]),
        (&json!("ack"), mac)
    );
    assert_ne!(acked["id"], on["decided"]["id"], "{on}");
    let id = on["command"]["command_id"].as_str().unwrap();
    assert_eq!(traced(&["--command", id]).await, all[..1]);
    assert_eq!(
        traced(&["--controller", mac.as_str().unwrap()]).await,
        all,
        "its messages began both"
    );
    let none: [Value; 0] = [];
    assert_eq!(traced(&["--controller", "000000000000"]).await, none);
}
