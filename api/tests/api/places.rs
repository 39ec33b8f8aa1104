//! Polyhouses and zones: made, changed, and deleted only when nothing needs them.

use harit_api::Role;
use harit_protocol::Mac;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::live::Socket;
use crate::support::{App, Person, alert, rule};

const POLYHOUSES: &str = "/api/farms/a/polyhouses";
pub(super) const RESERVOIRS: &str = "/api/farms/a/reservoirs";

pub(super) fn at(list: &str, thing: &Value) -> String {
    format!("{list}/{}", thing["id"].as_str().expect("an id"))
}

pub(super) async fn call(
    app: &App,
    by: &Person,
    method: Method,
    path: &str,
    body: Value,
) -> (StatusCode, Value) {
    let answer = app.call(by, method, path, &body).await;
    let body = if answer.text.is_empty() {
        Value::Null
    } else {
        answer.json()
    };
    (answer.status, body)
}

pub(super) async fn made(app: &App, by: &Person, path: &str, body: Value) -> Value {
    let (status, body) = call(app, by, Method::POST, path, body).await;
    assert_eq!(status, StatusCode::CREATED, "{body}");
    body
}

/// What a refusal names: path and message.
pub(super) fn named(answer: &Value) -> Vec<(&str, &str)> {
    let problems = answer["problems"].as_array().expect("problems").iter();
    problems
        .filter_map(|p| Some((p["path"].as_str()?, p["message"].as_str()?)))
        .collect()
}

#[tokio::test]
async fn a_polyhouse_is_made_changed_and_deleted() {
    let app = App::start().await;
    app.farm("a").await;
    let admin = app.person("a", Role::Admin).await;
    let mut socket = Socket::signed_in(&app, &admin).await;
    socket.subscribe(&json!({"farmId": "a"})).await;
    let house = made(
        &app,
        &admin,
        POLYHOUSES,
        json!({"name": " Polyhouse 2 ", "capacity": "900 m²"}),
    )
    .await;
    socket.event("registry").await;
    assert_eq!(
        house,
        json!({"id": house["id"], "etag": house["etag"], "name": "Polyhouse 2", "capacity": "900 m²", "isActive": true, "zonesCount": 0, "zones": []})
    );
    let zones = format!("{}/zones", at(POLYHOUSES, &house));
    let north = made(&app, &admin, &zones, json!({"name": "North"})).await;
    let south = made(&app, &admin, &zones, json!({"name": "South"})).await;
    let (status, renamed) = call(
        &app,
        &admin,
        Method::PUT,
        &at(&zones, &north),
        json!({"name": "East"}),
    )
    .await;
    assert_eq!((status, &renamed["name"]), (StatusCode::OK, &json!("East")));
    // what is not said of a polyhouse is not there, but its zones stay and it stays in use
    let (status, changed) = call(
        &app,
        &admin,
        Method::PUT,
        &at(POLYHOUSES, &house),
        json!({"name": "Seedlings"}),
    )
    .await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(
        changed,
        json!({"id": house["id"], "etag": changed["etag"], "name": "Seedlings", "capacity": null, "isActive": true, "zonesCount": 2,
            "zones": [renamed, south]})
    );
    let off = json!({"name": "Seedlings", "capacity": "", "isActive": false});
    let (_, changed) = call(&app, &admin, Method::PUT, &at(POLYHOUSES, &house), off).await;
    assert_eq!(changed["isActive"], false);
    let (status, _) = call(&app, &admin, Method::DELETE, &at(&zones, &south), json!({})).await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    let listed = app.get(&admin, POLYHOUSES).await.expect(StatusCode::OK);
    assert_eq!(listed[1]["zones"], json!([renamed]));
    let (status, _) = call(
        &app,
        &admin,
        Method::DELETE,
        &at(POLYHOUSES, &house),
        json!({}),
    )
    .await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    for (method, path) in [
        (Method::DELETE, at(POLYHOUSES, &house)),
        (Method::PUT, at(POLYHOUSES, &house)),
        (Method::POST, zones.clone()),
        (Method::PUT, at(&zones, &north)),
        (Method::DELETE, at(&zones, &north)),
        // a zone of another polyhouse
        (
            Method::DELETE,
            at(&format!("{POLYHOUSES}/ph-1/zones"), &north),
        ),
    ] {
        let (status, _) = call(&app, &admin, method, &path, json!({"name": "x"})).await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{path}");
    }
    let log = app.audited("a", "%").await;
    let actions: Vec<_> = log
        .iter()
        .map(|(a, _)| a.as_str())
        .filter(|a| a.contains("polyhouse") || a.contains("zone"))
        .collect();
    assert_eq!(
        actions,
        [
            "polyhouse_created",
            "zone_created",
            "zone_created",
            "zone_changed",
            "polyhouse_changed",
            "polyhouse_changed",
            "zone_deleted",
            "polyhouse_deleted"
        ]
    );
}

#[tokio::test]
async fn what_something_needs_is_not_deleted_and_what_needs_it_is_named() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let mut cool = rule();
    cool["id"] = json!("r-1");
    made(&app, &owner, "/api/farms/a/rules", cool).await;
    let mut acid = alert();
    acid["id"] = json!("a-1");
    acid["scope"] = json!({"type": "zone", "zoneId": "z-2"});
    made(&app, &owner, "/api/farms/a/alerts", acid).await;
    let mac = Mac::parse("AABBCCDDEE01").expect("a MAC");
    app.records
        .create_polyhouse_controller("a", mac, "North house", "s", "ph-1")
        .await
        .expect("a controller");
    let house = format!("{POLYHOUSES}/ph-1");
    let (status, answer) = call(&app, &owner, Method::DELETE, &house, json!({})).await;
    assert_eq!(
        (status, &answer["code"]),
        (StatusCode::CONFLICT, &json!("in_use"))
    );
    assert_eq!(
        named(&answer),
        [
            ("sensors.t-1", "Sensor: North air"),
            ("sensors.t-2", "Sensor: South air"),
            ("devices.fan-1", "Device: Fan"),
            ("devices.valve-1", "Device: Drip valve"),
            ("rules.r-1", "Rule: Cool the house"),
            ("alerts.a-1", "Alert: Acid"),
            ("controllers.AABBCCDDEE01", "Controller: North house"),
        ]
    );
    let zone = format!("{house}/zones/z-2");
    let request = app.request(Method::DELETE, &zone).bearer_auth(&owner.token);
    let answer = app
        .send(request.header("accept-language", "mr"))
        .await
        .expect(StatusCode::CONFLICT);
    assert_eq!(
        named(&answer),
        [
            ("sensors.t-2", "सेन्सर: South air"),
            ("alerts.a-1", "इशारा: Acid")
        ]
    );
    let listed = app.get(&owner, POLYHOUSES).await.expect(StatusCode::OK);
    assert_eq!(listed[0]["zonesCount"], 2);
}

#[tokio::test]
#[allow(clippy::too_many_lines, reason = "a table")]
async fn what_is_wrong_with_a_place_is_said_at_its_field() {
    let app = App::start().await;
    app.farm("a").await;
    app.farm("b").await;
    let owner = app.person("a", Role::Owner).await;
    let other = made(&app, &owner, POLYHOUSES, json!({"name": "Other"})).await;
    let tank = made(&app, &owner, RESERVOIRS, json!({"name": "Tank"})).await;
    let future = 10_000_000_000_000_i64;
    for (method, path, wrong, field, code) in [
        (
            Method::POST,
            POLYHOUSES.to_owned(),
            json!({}),
            "name",
            "required",
        ),
        (
            Method::POST,
            POLYHOUSES.to_owned(),
            json!({"name": "x".repeat(121)}),
            "name",
            "too_long",
        ),
        (
            Method::POST,
            POLYHOUSES.to_owned(),
            json!({"name": "polyhouse 1"}),
            "name",
            "taken",
        ),
        (
            Method::POST,
            POLYHOUSES.to_owned(),
            json!({"name": "x", "capacity": "x".repeat(61)}),
            "capacity",
            "too_long",
        ),
        (
            Method::PUT,
            at(POLYHOUSES, &other),
            json!({"name": "Polyhouse 1"}),
            "name",
            "taken",
        ),
        (
            Method::POST,
            format!("{POLYHOUSES}/ph-1/zones"),
            json!({"name": "NORTH"}),
            "name",
            "taken",
        ),
        (
            Method::PUT,
            format!("{POLYHOUSES}/ph-1/zones/z-1"),
            json!({"name": "south"}),
            "name",
            "taken",
        ),
        (
            Method::PUT,
            format!("{POLYHOUSES}/ph-1/zones/z-1"),
            json!({"name": " "}),
            "name",
            "required",
        ),
        (
            Method::POST,
            RESERVOIRS.to_owned(),
            json!({"name": ""}),
            "name",
            "required",
        ),
        (
            Method::POST,
            RESERVOIRS.to_owned(),
            json!({"name": "tank"}),
            "name",
            "taken",
        ),
        (
            Method::POST,
            RESERVOIRS.to_owned(),
            json!({"name": "x", "capacity": 0}),
            "capacity",
            "out_of_range",
        ),
        (
            Method::PUT,
            at(RESERVOIRS, &tank),
            json!({"name": "x", "capacity": -1}),
            "capacity",
            "out_of_range",
        ),
        (
            Method::PUT,
            at(RESERVOIRS, &tank),
            json!({"name": "x", "lastRefill": future}),
            "lastRefill",
            "out_of_range",
        ),
    ] {
        let (status, answer) = call(&app, &owner, method, &path, wrong).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{path} {answer}");
        let problem = &answer["problems"][0];
        assert_eq!(
            (&problem["path"], &problem["code"]),
            (&json!(field), &json!(code)),
            "{path} {answer}"
        );
    }
    for (method, path) in [
        (Method::POST, POLYHOUSES.to_owned()),
        (Method::PUT, at(RESERVOIRS, &tank)),
    ] {
        let (status, _) = call(
            &app,
            &owner,
            method,
            &path,
            json!({"name": "x", "zones": []}),
        )
        .await;
        assert_eq!(
            status,
            StatusCode::BAD_REQUEST,
            "what nobody knows is refused"
        );
    }
    // its own name is no name of another
    for (path, same) in [
        (format!("{POLYHOUSES}/ph-1"), "POLYHOUSE 1"),
        (at(RESERVOIRS, &tank), "tank"),
    ] {
        let (status, _) = call(&app, &owner, Method::PUT, &path, json!({"name": same})).await;
        assert_eq!(status, StatusCode::OK);
    }
    // names of other farms are nobody's business
    let elsewhere = app.person("b", Role::Owner).await;
    made(
        &app,
        &elsewhere,
        "/api/farms/b/polyhouses",
        json!({"name": "Other"}),
    )
    .await;
    for path in [at(POLYHOUSES, &other), at(RESERVOIRS, &tank)] {
        let path = path.replace("/a/", "/b/");
        let (status, _) = call(&app, &elsewhere, Method::DELETE, &path, json!({})).await;
        assert_eq!(status, StatusCode::NOT_FOUND);
    }
}

#[tokio::test]
async fn zones_that_are_made_at_the_same_time_are_all_there() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let zones = format!("{POLYHOUSES}/ph-1/zones");
    let many = (0..20).map(|n| made(&app, &owner, &zones, json!({"name": format!("Bed {n}")})));
    futures_util::future::join_all(many).await;
    let listed = app.get(&owner, POLYHOUSES).await.expect(StatusCode::OK);
    assert_eq!(listed[0]["zonesCount"], 22);
}

#[tokio::test]
async fn places_are_bounded() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let zones = format!("{POLYHOUSES}/ph-1/zones");
    for n in 0..198 {
        made(&app, &owner, &zones, json!({"name": format!("Bed {n}")})).await;
    }
    let (status, answer) = call(
        &app,
        &owner,
        Method::POST,
        &zones,
        json!({"name": "One more"}),
    )
    .await;
    assert_eq!(
        (status, &answer["code"]),
        (StatusCode::CONFLICT, &json!("too_many_places"))
    );
    let fill = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) \
                INSERT INTO reservoirs (id, farm_id, name, created_at) SELECT 'tank-' || i, 'a', 'Tank ' || i, i FROM n";
    assert_eq!(app.meddle(fill).await, 500);
    let (status, answer) = call(
        &app,
        &owner,
        Method::POST,
        RESERVOIRS,
        json!({"name": "One more"}),
    )
    .await;
    assert_eq!(
        (status, &answer["code"]),
        (StatusCode::CONFLICT, &json!("too_many_places"))
    );
}
