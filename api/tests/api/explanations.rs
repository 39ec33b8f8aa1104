//! Why a device does what it does and where a rule stands, now and at an instant past; why a rule did not act; rules tried on the
//! past.

use std::time::{SystemTime, UNIX_EPOCH};

use harit_api::Role;
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};

use crate::support::{App, Person, rule};

const FARM: &str = "/api/farms/a";

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.expect("after 1970").as_millis()).expect("a date")
}

async fn in_language(app: &App, person: &Person, path: &str, language: &str) -> Value {
    let request = app.request(Method::GET, path).bearer_auth(&person.token);
    let request = request.header(header::ACCEPT_LANGUAGE, language);
    app.send(request).await.expect(StatusCode::OK)
}

/// A deployed rule above a temperature.
async fn cooling(app: &App, owner: &Person, above: i64) -> Value {
    let mut document = rule();
    document["mode"] = json!("auto");
    document["deployed"] = json!(true);
    document["trigger"]["value"] = json!(above);
    let path = format!("{FARM}/rules");
    let made = app.call(owner, Method::POST, &path, &document).await;
    made.expect(StatusCode::CREATED)
}

async fn problem(app: &App, person: &Person, path: &str) -> Value {
    let body = app
        .get(person, path)
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    body["problems"][0]["code"].clone()
}

#[tokio::test]
async fn a_device_and_a_rule_are_explained_now_and_at_an_instant_past() {
    let (app, owner) = App::with_owner().await;
    let made = cooling(&app, &owner, 35).await;
    let id = made["id"].as_str().expect("an id");
    app.reading("a", "t-1", 33_800_000).await;
    let before = now_ms();
    tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    let lock = json!({"reason": "belt torn"});
    let path = format!("{FARM}/devices/fan-1/lock");
    app.call(&owner, Method::POST, &path, &lock)
        .await
        .expect(StatusCode::OK);

    let path = format!("{FARM}/devices/fan-1/explanation");
    let now = app.get(&owner, &path).await.expect(StatusCode::OK);
    let kinds: Vec<&Value> = now["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .map(|s| &s["kind"])
        .collect();
    assert_eq!(kinds, ["lock", "rest"], "{now}");
    assert_eq!(now["steps"][0]["decides"], true);
    let said = now["steps"][0]["text"].as_str().expect("text");
    assert!(
        said.starts_with("Locked by") && said.ends_with("belt torn"),
        "{said}"
    );
    let past = app
        .get(&owner, &format!("{path}?at={before}"))
        .await
        .expect(StatusCode::OK);
    assert_eq!(past["steps"].as_array().expect("steps").len(), 1, "{past}");
    assert_eq!(past["at"], before);

    let path = format!("{FARM}/rules/{id}/explanation");
    let said = app.get(&owner, &path).await.expect(StatusCode::OK);
    assert_eq!(
        (&said["phase"], &said["active"]),
        (&json!("idle"), &json!(true))
    );
    let node = &said["parts"][0]["nodes"][0];
    assert_eq!(
        (&node["truth"], &node["value"]),
        (&json!("false"), &json!(33.8))
    );
    let standings = node["evidence"].as_array().expect("evidence").iter();
    let standings: Vec<_> = standings.map(|s| s["standing"].clone()).collect();
    assert!(standings.contains(&json!("counts")), "{standings:?}");
    let change = &said["change"];
    assert_eq!(
        (&change["to"], &change["leaves"][0]["by"]),
        (&json!("start"), &json!(1.2))
    );
    assert_eq!(change["text"][0], "temperature: 1.2 °C more (above 35 °C)");
    assert_eq!(said["devices"][0]["outcome"], "locked");
    let hindi = in_language(&app, &owner, &path, "hi").await;
    assert_eq!(
        hindi["change"]["text"][0],
        "तापमान: 1.2 °C और बढ़े (35 °C से ऊपर)"
    );
    let marathi = in_language(&app, &owner, &path, "mr").await;
    assert_eq!(marathi["parts"][0]["nodes"][0]["truth_text"], "पूर्ण नाही");

    assert_eq!(
        problem(&app, &owner, &format!("{path}?at={}", now_ms() + 60_000)).await,
        "out_of_range"
    );
    assert_eq!(
        problem(&app, &owner, &format!("{path}?at=1000")).await,
        "before_journal"
    );
    app.get(&owner, &format!("{FARM}/rules/none/explanation"))
        .await
        .expect(StatusCode::NOT_FOUND);
    let viewer = app.person("a", Role::Viewer).await;
    app.get(&viewer, &path).await.expect(StatusCode::OK);
}

#[tokio::test]
async fn a_span_and_other_rules_are_asked_of_the_journal() {
    let (app, owner) = App::with_owner().await;
    let from = now_ms();
    let made = cooling(&app, &owner, 35).await;
    let id = made["id"].as_str().expect("an id").to_owned();
    for micro in [33_800_000, 34_100_000] {
        app.reading("a", "t-1", micro).await;
        tokio::time::sleep(std::time::Duration::from_millis(1_100)).await;
    }
    let path = format!("{FARM}/rules/{id}/why-not?from={from}");
    let said = app.get(&owner, &path).await.expect(StatusCode::OK);
    assert_eq!(
        (&said["fired"], &said["leaves"][0]["highest"]),
        (&json!(0), &json!(34.1)),
        "{said}"
    );
    assert_eq!(said["leaves"][0]["nearest"], 34.1);
    assert!(
        said["leaves"][0]["false_ms"].as_i64().expect("ms") > 2_000,
        "{said}"
    );
    assert_eq!(said["text"][0], "It did not act in this time");
    assert_eq!(
        problem(&app, &owner, &format!("{path}&to={}", from - 1)).await,
        "out_of_range"
    );

    let path = format!("{FARM}/backtests");
    let tried = |value: f64| {
        let mut document = made.clone();
        document["trigger"]["value"] = json!(value);
        document["trigger"]["duration_sec"] = json!(1);
        json!({"from": from, "rules": [document]})
    };
    // From before the rule was there: what is tried is there from the beginning.
    let found = app
        .call(&owner, Method::POST, &path, &tried(33.0))
        .await
        .expect(StatusCode::OK);
    let of = |run: &str| {
        let rules = found[run]["rules"].as_array().expect("rules").clone();
        rules
            .into_iter()
            .find(|r| r["id"] == id.as_str())
            .expect("there")
    };
    assert_eq!(
        (&of("was")["fired"], &of("would")["fired"]),
        (&json!(0), &json!(1)),
        "{found}"
    );
    // Of what it would never have done, or would not have ended, one is told.
    let never = app
        .call(&owner, Method::POST, &path, &tried(50.0))
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        never["hazards"],
        json!([{"rule": id, "kind": "never_fires"}])
    );
    let kinds = found["hazards"].to_string();
    assert!(!kinds.contains("never_fires"), "{kinds}");
    let other = json!({"from": from, "rules": [{"id": "x"}]});
    app.call(&owner, Method::POST, &path, &other)
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    let early = json!({"from": 1_000, "to": 2_000});
    let early = app.call(&owner, Method::POST, &path, &early).await;
    assert_eq!(
        early.expect(StatusCode::UNPROCESSABLE_ENTITY)["problems"][0]["code"],
        "before_journal"
    );
    // Nothing was stored.
    let rules = app
        .get(&owner, &format!("{FARM}/rules"))
        .await
        .expect(StatusCode::OK);
    assert_eq!(rules.as_array().expect("rules").len(), 1);
}
