//! /api/farms/{farmId}: summary, weather, telemetry, places, tasks.

use std::sync::Arc;
use std::time::Duration;

use harit_api::{ApiConfig, NewFarm, NewTask, OpenMeteo, Role};
use harit_engine::FarmDocument;
use harit_protocol::Mac;
use reqwest::{Method, StatusCode, header};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::support::{App, alert};

#[tokio::test]
async fn farms_are_listed_with_the_callers_role() {
    let app = App::start().await;
    app.farm("a").await;
    app.farm("b").await;
    let person = app.person("b", Role::Viewer).await;
    // memberships of one millisecond are ordered by the farm's id
    tokio::time::sleep(Duration::from_millis(5)).await;
    app.records
        .set_role(&person.id, "a", Role::Owner)
        .await
        .expect("a role");
    let farms = app.get(&person, "/api/farms").await.expect(StatusCode::OK);
    let roles: Vec<_> = farms
        .as_array()
        .expect("a list")
        .iter()
        .map(|f| (f["id"].clone(), f["role"].clone()))
        .collect();
    assert_eq!(
        roles,
        [(json!("b"), json!("VIEWER")), (json!("a"), json!("OWNER"))]
    );
    assert_eq!(farms[0]["timezone"], "Asia/Kolkata");
    assert_eq!(farms[0]["location"], "Nashik");
}

#[tokio::test]
async fn the_summary_counts_what_exists_and_invents_nothing() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let mac = Mac::parse("AABBCCDDEE01").expect("a MAC");
    app.records
        .create_reservoir_controller("a", mac, "Tank", "s", "tank-1", Some(200.0), None)
        .await
        .expect("a reservoir");
    let task = NewTask {
        title: "Flush",
        description: None,
        assignee: None,
        category: None,
        priority: "LOW",
        status: "OPEN",
        due_date: "2020-01-31",
    };
    app.records.create_task("a", task).await.expect("a task");
    app.records
        .create_task(
            "a",
            NewTask {
                status: "CLOSED",
                ..task
            },
        )
        .await
        .expect("a task");
    app.records
        .create_task(
            "a",
            NewTask {
                due_date: "2199-01-31",
                ..task
            },
        )
        .await
        .expect("a task");
    app.call(&owner, Method::POST, "/api/farms/a/alerts", &alert())
        .await
        .expect(StatusCode::CREATED);
    app.reading("a", "ph-a", 4_000_000).await;

    // what the neighbours have is no part of it
    app.farm("b").await;
    let mac = Mac::parse("AABBCCDDEE02").expect("a MAC");
    app.records
        .create_reservoir_controller("b", mac, "Tank", "s", "tank-b", Some(200.0), None)
        .await
        .expect("a reservoir");
    app.records.create_task("b", task).await.expect("a task");

    let summary = app
        .get(&owner, "/api/farms/a/summary")
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        summary,
        json!({
            "polyhouses": 1, "reservoirs": 1, "zones": 2, "nurseries": 0, "inventoryAvailablePercent": null,
            "activeAlerts": 1, "overdueTasks": 1, "utilizationPercent": 0, "expectedHarvestRevenue": null,
            "inventoryCost": null, "salesRevenue": null,
        })
    );
    let tasks = app
        .get(&owner, "/api/farms/a/tasks/summary")
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        tasks,
        json!({"open": 2, "inProgress": 0, "inReview": 0, "closed": 1, "total": 3, "overdue": 1})
    );
}

#[tokio::test]
async fn telemetry_is_the_latest_values_and_their_means() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Viewer).await;
    let mac = Mac::parse("AABBCCDDEE01").expect("a MAC");
    app.records
        .create_reservoir_controller("a", mac, "North tank", "s", "tank-1", Some(200.0), None)
        .await
        .expect("a reservoir");
    let empty = app
        .get(&owner, "/api/farms/a/latest-telemetry")
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        (&empty["latest"], &empty["houses"]),
        (&json!({}), &json!({}))
    );
    assert_eq!(empty["sensors"].as_array().map(Vec::len), Some(5));

    app.reading("a", "t-1", 20_000_000).await;
    app.reading("a", "t-2", 20_015_000).await;
    app.reading("a", "ph-a", 6_500_000).await;
    app.reading("a", "ph-b", 5_200_000).await;
    let now = app
        .get(&owner, "/api/farms/a/latest-telemetry")
        .await
        .expect(StatusCode::OK);
    // 20.0075 and 5.85, to two decimals
    assert_eq!(now["latest"]["temperature"]["value"], 20.01);
    assert_eq!(now["latest"]["temperature"]["unit"], "°C");
    let temperature = &now["latest"]["temperature"];
    assert_eq!(
        (&temperature["worst"], &temperature["optimal"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(now["latest"]["ph"]["value"], 5.85);
    assert_eq!(
        now["latest"]["ph"]["worst"],
        json!({"name": "North tank", "value": 5.2, "optimal": {"low": 6, "high": 7}})
    );
    assert!(now["latest"].get("humidity").is_none());
    // both zones are the house's; what stands in the farm itself is no house's
    let house = &now["houses"]["ph-1"];
    assert_eq!(house["temperature"]["value"], 20.01);
    assert!(house["temperature"]["at"].is_i64());
    assert_eq!(house.as_object().map(serde_json::Map::len), Some(1));
    assert_eq!(now["houses"].as_object().map(serde_json::Map::len), Some(1));
    let sensors = now["sensors"].as_array().expect("a list");
    let t1 = sensors
        .iter()
        .find(|s| s["id"] == "t-1")
        .expect("the sensor");
    assert_eq!(
        (&t1["latestValue"], &t1["unit"], &t1["type"]),
        (&json!(20), &json!("°C"), &json!("temperature"))
    );
    assert_eq!(t1["scope"]["zoneId"], "z-1");
    assert!(t1["at"].is_i64());
    let level = sensors
        .iter()
        .find(|s| s["id"] == "level-1")
        .expect("the sensor");
    assert_eq!(
        (&level["latestValue"], &level["at"]),
        (&Value::Null, &Value::Null)
    );
}

#[tokio::test]
async fn places_are_listed_with_what_is_in_them() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Viewer).await;
    let mac = Mac::parse("AABBCCDDEE01").expect("a MAC");
    app.records
        .create_reservoir_controller("a", mac, "Tank", "s", "tank-1", Some(200.0), Some(7))
        .await
        .expect("a reservoir");
    let polyhouses = app
        .get(&owner, "/api/farms/a/polyhouses")
        .await
        .expect(StatusCode::OK);
    let tag = |of: &Value| of["etag"].clone();
    let (house, zones) = (&polyhouses[0], &polyhouses[0]["zones"]);
    assert_eq!(
        polyhouses,
        json!([{
            "id": "ph-1", "name": "Polyhouse 1", "zonesCount": 2, "capacity": "500 m²", "isActive": true, "etag": tag(house),
            "zones": [
                {"id": "z-1", "name": "North", "etag": tag(&zones[0])}, {"id": "z-2", "name": "South", "etag": tag(&zones[1])},
            ],
        }])
    );
    let tank = |level: Value, litres: Value, etag: &Value| json!([{"etag": etag, "id": "tank-1", "name": "Tank", "levelPercent": level, "currentLevel": litres, "capacity": 200.0, "lastRefill": 7}]);
    let reservoirs = app
        .get(&owner, "/api/farms/a/reservoirs")
        .await
        .expect(StatusCode::OK);
    let etag = &reservoirs[0]["etag"];
    assert_eq!(reservoirs, tank(Value::Null, Value::Null, etag));
    let etag = etag.clone();
    app.reading("a", "level-1", 42_500_000).await;
    let reservoirs = app
        .get(&owner, "/api/farms/a/reservoirs")
        .await
        .expect(StatusCode::OK);
    // the level is no edit
    assert_eq!(reservoirs, tank(json!(42.5), json!(85.0), &etag));
}

#[tokio::test]
async fn without_a_source_the_weather_says_why() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Viewer).await;
    let weather = app
        .get(&owner, "/api/farms/a/weather")
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        (&weather["source"], &weather["current"]),
        (&json!("none"), &Value::Null)
    );
    assert_eq!(
        weather["reason"],
        "No weather service is configured and there are no outside sensors"
    );
    let request = app
        .request(Method::GET, "/api/farms/a/weather")
        .bearer_auth(&owner.token)
        .header(header::ACCEPT_LANGUAGE, "mr");
    assert!(
        app.send(request).await.json()["reason"]
            .as_str()
            .expect("a reason")
            .contains("हवामान")
    );
}

/// A farm with a position, and a sensor outside its polyhouses.
async fn farm_outside(app: &App) {
    let farm = NewFarm {
        id: "a",
        name: "A",
        location: None,
        position: Some((20.0, 73.79)),
        timezone: "Asia/Kolkata",
    };
    app.records.create_farm(farm).await.expect("a farm");
    let document = json!({
        "farm": {"id": "a", "name": "A"},
        "sensors": [{"id": "out", "type": "temperature", "scope": {"type": "farm"}}],
    });
    app.hub
        .add_farm(FarmDocument::from_json(&document).expect("a document"))
        .await
        .expect("an engine");
}

#[tokio::test]
async fn the_farms_own_sensors_stand_in_for_a_service_that_is_down() {
    // a port where nobody listens
    let gone = TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port")
        .local_addr()
        .expect("an address");
    let service = OpenMeteo::new(&format!("http://{gone}")).expect("an address");
    let app = App::with(ApiConfig::default(), Arc::new(service)).await;
    farm_outside(&app).await;
    let owner = app.person("a", Role::Viewer).await;
    let weather = app
        .get(&owner, "/api/farms/a/weather")
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        weather["reason"],
        "The weather service cannot be reached and there are no outside sensors"
    );
    app.reading("a", "out", 31_234_000).await;
    let weather = app
        .get(&owner, "/api/farms/a/weather")
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        (&weather["source"], &weather["current"], &weather["wind"]),
        (&json!("farm"), &json!(31.23), &Value::Null)
    );
}

#[tokio::test]
async fn the_weather_service_is_asked_once_in_a_while() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let asked = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let mut request = vec![0; 4_096];
        let n = stream.read(&mut request).await.expect("a request");
        let body = r#"{"current": {"time": "2026-01-01T00:00", "temperature_2m": 28.4, "apparent_temperature": 30.1, "relative_humidity_2m": 61, "wind_speed_10m": 9.5, "pressure_msl": 1009.2}}"#;
        let answer = format!(
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}",
            body.len()
        );
        stream.write_all(answer.as_bytes()).await.expect("sent");
        // a second question would be answered by nobody
        String::from_utf8_lossy(&request[..n]).into_owned()
    });
    let service = OpenMeteo::new(&format!("http://{address}/")).expect("an address");
    let app = App::with(ApiConfig::default(), Arc::new(service)).await;
    farm_outside(&app).await;
    let owner = app.person("a", Role::Viewer).await;
    for _ in 0..3 {
        let w = app
            .get(&owner, "/api/farms/a/weather")
            .await
            .expect(StatusCode::OK);
        assert_eq!(
            (&w["source"], &w["current"], &w["feelsLike"]),
            (&json!("provider"), &json!(28.4), &json!(30.1))
        );
        assert_eq!(
            (&w["humidity"], &w["wind"], &w["pressure"]),
            (&json!(61.0), &json!(9.5), &json!(1009.2))
        );
    }
    let request = tokio::time::timeout(Duration::from_secs(5), asked)
        .await
        .expect("in time")
        .expect("asked");
    assert!(
        request
            .starts_with("GET /v1/forecast?latitude=20.00&longitude=73.79&current=temperature_2m"),
        "{request}"
    );
}

#[tokio::test]
async fn history_is_asked_for_by_time_and_step() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Viewer).await;
    let path = "/api/farms/a/sensors/t-1/history";
    let history = app
        .get(&owner, &format!("{path}?from=0&to=3600000&step=90"))
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        history,
        json!({"sensor": "t-1", "type": "temperature", "unit": "°C", "from": 0, "to": 3_600_000, "stepSec": 120, "points": [], "incomplete": false})
    );
    for (query, field) in [
        ("from=5&to=5", "from"),
        ("step=59", "step"),
        ("step=999999", "step"),
    ] {
        let refused = app
            .get(&owner, &format!("{path}?{query}"))
            .await
            .expect(StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(refused["problems"][0]["path"], field, "{query}");
    }
    app.get(&owner, &format!("{path}?from=yesterday"))
        .await
        .expect(StatusCode::BAD_REQUEST);
    app.get(&owner, "/api/farms/a/sensors/t-9/history")
        .await
        .expect(StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_place_has_its_history_in_one_answer() {
    let app = App::start().await;
    app.farm("a").await;
    let viewer = app.person("a", Role::Viewer).await;
    let path = "/api/farms/a/history";
    let ask = async |query: &str| {
        app.get(&viewer, &format!("{path}?from=0&to=86400000{query}"))
            .await
    };
    let farm = ask("").await.expect(StatusCode::OK);
    assert_eq!(
        (&farm["from"], &farm["to"], &farm["stepSec"]),
        (&json!(0), &json!(86_400_000), &json!(300))
    );
    let types = |answer: &Value| -> Vec<(String, String, usize)> {
        let all = answer["quantities"].as_array().expect("quantities");
        all.iter()
            .map(|q| {
                let text = |v: &Value| v.as_str().unwrap_or("").to_owned();
                let sensors = q["sensors"].as_array().map_or(0, Vec::len);
                (text(&q["type"]), text(&q["scope"]["type"]), sensors)
            })
            .collect()
    };
    let of = |t: &str, place: &str, n: usize| (t.to_owned(), place.to_owned(), n);
    assert_eq!(
        types(&farm),
        [
            of("temperature", "farm", 2),
            of("ph", "farm", 2),
            of("reservoir_level", "farm", 1)
        ]
    );
    let north = &farm["quantities"][0]["sensors"][0];
    assert_eq!(
        north,
        &json!({"id": "t-1", "name": "North air", "count": 0, "mean": null, "min": null, "max": null})
    );
    // A zone's own sensors; what it does not measure is that of the place around it.
    let zone = ask("&zone=z-1&types=temperature")
        .await
        .expect(StatusCode::OK);
    assert_eq!(types(&zone), [of("temperature", "zone", 1)]);
    assert_eq!(zone["quantities"][0]["scope"]["polyhouseId"], "ph-1");
    let all = ask("&zone=z-1").await.expect(StatusCode::OK);
    assert_eq!(types(&all)[1], of("ph", "farm", 2));
    let each = ask("&each=true&types=temperature")
        .await
        .expect(StatusCode::OK);
    assert_eq!(each["quantities"][0]["sensors"][0]["points"], json!([]));
    for (query, field) in [
        ("&zone=z-9", "zone"),
        ("&polyhouse=p-9", "polyhouse"),
        ("&types=wind", "types"),
    ] {
        let refused = ask(query).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(refused["problems"][0]["path"], field, "{query}");
    }
    for query in ["from=5&to=5", "from=0&to=99999999999999"] {
        let refused = app.get(&viewer, &format!("{path}?{query}")).await;
        refused.expect(StatusCode::UNPROCESSABLE_ENTITY);
    }
}

/// Another process holds the file, as a full disk would.
#[tokio::test]
async fn a_history_that_cannot_be_written_is_said_to_lack_the_latest() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Viewer).await;
    let file =
        sqlx::sqlite::SqliteConnectOptions::new().filename(app.dir().join("data/history.db"));
    let pool = sqlx::SqlitePool::connect_with(file).await.expect("a file");
    let busy = pool
        .begin_with("BEGIN IMMEDIATE")
        .await
        .expect("the writer");
    app.reading("a", "t-1", 21_000_000).await;
    let paths = [
        "history",
        "sensors/t-1/history",
        "devices/pump-1/history",
        "logs",
    ];
    let say = async |incomplete: bool| {
        for path in paths {
            let path = format!("/api/farms/a/{path}");
            let mut last = Value::Null;
            for _ in 0..300 {
                last = app.get(&owner, &path).await.expect(StatusCode::OK);
                if last["incomplete"] == incomplete {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            assert_eq!(last["incomplete"], incomplete, "{path}");
        }
    };
    say(true).await;
    busy.rollback().await.expect("released");
    pool.close().await;
    say(false).await;
}
