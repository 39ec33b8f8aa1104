//! The evening letter: made-up days with gaps, midnight, clocks that change, and a bell that rings once.

use harit_api::Role;
use harit_engine::{FarmId, Timestamp};
use harit_ingest::log::{LogBody, LogKind, LogResult, LogType, Named, NewLogEntry};
use jiff::ToSpan;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::notifications::{at_once, in_language, start, titles, told};
use crate::pipeline::eventually;
use crate::support::{App, Person, alert};

const LETTER: &str = "/api/farms/a/letter";
const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;
const AMSTERDAM: &str = "Europe/Amsterdam";

/// Writes into the history, as if it had been so: minutes of which no hours are made.
pub(crate) async fn past(app: &App, sql: String) {
    let sql = format!("{sql} DELETE FROM rolled; DELETE FROM rolled_day;");
    let file = sqlx::sqlite::SqliteConnectOptions::new()
        .filename(app.dir().join("data").join("history.db"))
        .busy_timeout(std::time::Duration::from_secs(5));
    let pool = sqlx::SqlitePool::connect_with(file).await.expect("a file");
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql))
        .execute(&pool)
        .await
        .expect("done");
    pool.close().await;
}

/// A value of a sensor each minute of [from, to), in whole units.
pub(crate) async fn measured(app: &App, sensor: &str, (from, to): (i64, i64), value: i64) {
    let (first, last, value) = (from / MINUTE, to / MINUTE, value * 1_000_000);
    past(
        app,
        format!(
            "INSERT OR IGNORE INTO series (farm, sensor) VALUES ('a', '{sensor}'); \
             WITH RECURSIVE m(n) AS (SELECT {first} UNION ALL SELECT n + 1 FROM m WHERE n + 1 < {last}) \
             INSERT INTO recent (series, minute, count, sum, min, max, last, last_at) \
             SELECT (SELECT id FROM series WHERE farm = 'a' AND sensor = '{sensor}'), n, 1, {value}, {value}, \
             {value}, {value}, n * {MINUTE} FROM m;"
        ),
    )
    .await;
}

/// A report of a device at an instant; nothing is that its controller was away.
pub(crate) async fn reported(app: &App, device: &str, at: i64, on: Option<bool>) {
    let on = on.map_or("NULL".to_owned(), |on| i64::from(on).to_string());
    past(
        app,
        format!("INSERT INTO reported VALUES ('a', '{device}', {at}, {on}, NULL);"),
    )
    .await;
}

pub(crate) fn midnight(zone: &str, day: Date) -> i64 {
    let zone = TimeZone::get(zone).expect("a zone");
    let start = day.to_zoned(zone).expect("a day").start_of_day();
    start.expect("a day").timestamp().as_millisecond()
}

/// The latest day before today of so many hours.
fn day_of(zone: &str, hours: i64) -> Date {
    let mut day = jiff::Timestamp::now().to_zoned(TimeZone::UTC).date();
    for _ in 0..370 {
        day = day.yesterday().expect("a day");
        let next = day.tomorrow().expect("a day");
        if midnight(zone, next) - midnight(zone, day) == hours * HOUR
            && day
                .until(jiff::Timestamp::now().to_zoned(TimeZone::UTC).date())
                .expect("days")
                .get_days()
                > 2
        {
            return day;
        }
    }
    panic!("no day of {hours} hours in {zone}");
}

async fn letter(app: &App, by: &Person, day: Date) -> Value {
    let path = format!("{LETTER}?day={day}");
    app.get(by, &path).await.expect(StatusCode::OK)
}

/// A crop in the north that wants 18 to 30 °C, and what was picked of it on a day.
async fn with_a_harvest(app: &App, owner: &Person, day: Date) {
    let stages = json!([{"name": "Growth", "days": 900, "setpoints": [{"sensorType": "temperature", "min": 18, "max": 30}]}]);
    let sown = day.checked_sub(300.days()).expect("a day").to_string();
    let cycle = json!({"crop": "Capsicum", "zoneId": "z-1", "sownOn": sown, "stages": stages});
    let made = app
        .call(owner, Method::POST, "/api/farms/a/crop-cycles", &cycle)
        .await
        .expect(StatusCode::CREATED);
    let harvest = json!({"cycleId": made["id"], "harvestedOn": day.to_string(), "weightKg": 12.5, "grade": "A"});
    app.call(owner, Method::POST, "/api/farms/a/harvests", &harvest)
        .await
        .expect(StatusCode::CREATED);
}

#[tokio::test]
async fn a_day_is_told_with_its_gaps_and_what_is_not_known_is_no_zero() {
    let (app, owner) = App::with_owner().await;
    let day = day_of("Asia/Kolkata", 24);
    let at = midnight("Asia/Kolkata", day);
    with_a_harvest(&app, &owner, day).await;
    // from 1 to 2 nothing is heard; the hottest hour is from 14 on
    measured(&app, "t-1", (at, at + HOUR), 15).await;
    measured(&app, "t-1", (at + 2 * HOUR, at + 14 * HOUR), 25).await;
    measured(&app, "t-1", (at + 14 * HOUR, at + 15 * HOUR), 35).await;
    measured(&app, "t-1", (at + 15 * HOUR, at + 24 * HOUR), 25).await;
    // on since yesterday evening, off at 3, on from 10 to 11, away from 20 to 22
    for (hour, on) in [
        (-2, Some(true)),
        (3, Some(false)),
        (10, Some(true)),
        (11, Some(false)),
        (20, None),
        (22, Some(false)),
    ] {
        reported(&app, "fan-1", at + hour * HOUR, on).await;
    }
    let told = letter(&app, &owner, day).await;
    assert_eq!(
        (&told["from"], &told["until"], &told["knownUntil"]),
        (&json!(at), &json!(at + 24 * HOUR), &json!(at + 24 * HOUR))
    );
    let house = &told["houses"][0];
    assert_eq!(
        house["hottest"],
        json!({"from": at + 14 * HOUR, "until": at + 15 * HOUR, "mean": 35})
    );
    assert_eq!(house["coldest"]["from"], at);
    assert_eq!(house["highest"], json!({"at": at + 14 * HOUR, "value": 35}));
    // the value of 0:59 stands for a quarter of an hour
    assert_eq!(house["unknownSec"], 46 * 60);
    assert_eq!(house["deficit"], Value::Null, "nothing measures humidity");
    let target = &house["targets"][0];
    assert_eq!(
        (&target["crop"], &target["zone"]),
        (&json!("Capsicum"), &json!("North"))
    );
    assert_eq!(
        (
            &target["belowSec"],
            &target["aboveSec"],
            &target["unknownSec"]
        ),
        (&json!(74 * 60), &json!(3_600), &json!(46 * 60))
    );
    assert_eq!(target["firstAt"], at);
    assert_eq!(house["outsideSec"], 134 * 60);
    assert_eq!(
        told["unheard"],
        json!([{"from": at + HOUR, "until": at + 2 * HOUR}])
    );
    let fan = told["devices"].as_array().expect("devices").iter();
    let fan = fan.clone().find(|d| d["id"] == "fan-1").expect("the fan");
    // from midnight to 3 without the hour in which nobody was heard, and from 10 to 11
    assert_eq!(
        (&fan["onSec"], &fan["unknownSec"]),
        (&json!(3 * 3_600), &json!(3 * 3_600))
    );
    assert_eq!((&fan["starts"], &fan["litres"]), (&json!(1), &Value::Null));
    let pump = told["devices"].as_array().expect("devices").iter();
    let pump = pump
        .clone()
        .find(|d| d["id"] == "pump-1")
        .expect("the pump");
    assert_eq!(
        (&pump["onSec"], &pump["starts"]),
        (&Value::Null, &Value::Null)
    );
    assert_eq!(
        told["written"]["harvests"],
        json!([{"crop": "Capsicum", "kg": 12.5, "wasteKg": 0}])
    );
    assert_eq!(told["ahead"], Value::Null, "what to look at is of now");
    // the week has the same
    let path = format!("{LETTER}/week?day={day}");
    let week = app.get(&owner, &path).await.expect(StatusCode::OK);
    let rows = week["houses"][0]["days"].as_array().expect("days").clone();
    let row = rows
        .iter()
        .find(|r| r["day"] == day.to_string())
        .expect("the day");
    assert_eq!(row["hottest"], house["hottest"]);
    assert_eq!(
        (&row["outsideSec"], &row["harvestKg"]),
        (&house["outsideSec"], &json!(12.5))
    );
    assert_eq!(
        row["devices"][0],
        json!({"onSec": 3 * 3_600, "unknownSec": 3 * 3_600})
    );
    assert_eq!(week["houses"][0]["total"]["harvestKg"], 12.5);
    // a viewer sees no money
    let viewer = app.person("a", Role::Viewer).await;
    let seen = letter(&app, &viewer, day).await;
    assert_eq!(
        (&seen["written"]["sales"], &seen["isTold"]),
        (&Value::Null, &json!(false))
    );
    assert_eq!(told["written"]["sales"], json!({"count": 0, "paise": 0}));
}

#[tokio::test]
async fn a_day_has_the_hours_that_its_clocks_give_it() {
    let (app, owner) = App::with_owner().await;
    app.meddle("UPDATE farms SET timezone = 'Europe/Amsterdam'")
        .await;
    for hours in [23, 25] {
        let day = day_of(AMSTERDAM, hours);
        let at = midnight(AMSTERDAM, day);
        measured(&app, "t-1", (at, at + hours * HOUR), 20).await;
        reported(&app, "fan-1", at - HOUR, Some(true)).await;
        reported(&app, "fan-1", at + hours * HOUR, Some(false)).await;
        let told = letter(&app, &owner, day).await;
        let length = |of: &Value| {
            of["until"]
                .as_i64()
                .zip(of["from"].as_i64())
                .map(|(u, f)| u - f)
        };
        assert_eq!(length(&told), Some(hours * HOUR));
        assert_eq!(told["houses"][0]["unknownSec"], 0);
        let fan = told["devices"].as_array().expect("devices").iter();
        let fan = fan.clone().find(|d| d["id"] == "fan-1").expect("the fan");
        assert_eq!(
            (&fan["onSec"], &fan["starts"]),
            (&json!(hours * 3_600), &json!(0))
        );
        assert_eq!(
            fan["longest"],
            json!({"from": at, "until": at + hours * HOUR})
        );
    }
}

#[tokio::test]
async fn what_the_log_has_of_a_day_is_counted() {
    let (app, owner) = App::with_owner().await;
    let day = day_of("Asia/Kolkata", 24);
    let at = midnight("Asia/Kolkata", day);
    let entry = |kind, minute: i64, body: &dyn Fn(&mut LogBody)| {
        let mut told = LogBody::new(kind);
        body(&mut told);
        NewLogEntry {
            at: Timestamp::from_millis(at + minute * MINUTE),
            log_type: LogType::Other,
            result: LogResult::Success,
            body: told,
            also: Vec::new(),
        }
    };
    let rule = |body: &mut LogBody| body.rule = Some(Named::new("r-1", "Cool"));
    let person = |body: &mut LogBody| body.user = Some(Named::new("u-1", "Asha"));
    let away = |body: &mut LogBody| body.device = Some(Named::new("M", "North"));
    let alert = |body: &mut LogBody| {
        body.facts
            .insert("alert".into(), json!({"id": "a-1", "name": "Hot"}));
    };
    let entries = [
        // on both sides of the day: neither is of it
        entry(LogKind::RuleFired, -1, &rule),
        entry(LogKind::RuleStopped, 30, &rule),
        entry(LogKind::RuleFired, 60, &rule),
        entry(LogKind::RuleStopped, 70, &rule),
        entry(LogKind::Override, 80, &person),
        entry(LogKind::ControllerOffline, 100, &away),
        entry(LogKind::ControllerOnline, 130, &away),
        entry(LogKind::AlertRaised, 200, &alert),
        entry(LogKind::AlertResolved, 260, &alert),
        entry(LogKind::RuleFired, 24 * 60, &rule),
    ];
    let entries = (1..).zip(entries.into_iter().map(Some)).collect();
    let taken = app
        .hub
        .import_log(&FarmId::from("a"), "made-up", entries)
        .await;
    assert!(taken);
    let path = format!("{LETTER}?day={day}");
    let told = eventually(&app, &owner, &path, |l| l["rules"][0]["fired"] == 1).await;
    assert_eq!(
        told["rules"][0]["longest"],
        json!({"from": at, "until": at + 30 * MINUTE}),
        "it ran over midnight"
    );
    assert_eq!(told["people"][0]["commands"], 1);
    assert_eq!(
        (&told["away"][0]["times"], &told["away"][0]["awaySec"]),
        (&json!(1), &json!(1_800))
    );
    assert_eq!(
        (
            &told["alerts"][0]["raised"],
            &told["alerts"][0]["raisedSec"]
        ),
        (&json!(1), &json!(3_600))
    );
    assert_eq!(told["logCut"], false);
}

#[tokio::test]
async fn todays_letter_says_what_to_look_at_and_none_is_of_tomorrow() {
    let (app, owner) = App::with_owner().await;
    let zone = TimeZone::get("Asia/Kolkata").expect("a zone");
    let today = jiff::Timestamp::now().to_zoned(zone).date();
    let task = json!({"title": "Flush", "dueDate": today.to_string()});
    app.call(&owner, Method::POST, "/api/farms/a/tasks", &task)
        .await
        .expect(StatusCode::CREATED);
    let told = letter(&app, &owner, today).await;
    let ahead = &told["ahead"];
    assert_eq!(ahead["tasks"][0]["title"], "Flush");
    assert_eq!(ahead["tasks"][0]["overdue"], false);
    assert_eq!(ahead["locked"][0]["id"], "pump-1", "it is in safety mode");
    assert_eq!(
        ahead["silent"],
        json!([]),
        "what never said anything is not silent"
    );
    assert!(told["knownUntil"].as_i64() < told["until"].as_i64());
    let tomorrow = today.tomorrow().expect("a day");
    app.get(&owner, &format!("{LETTER}?day={tomorrow}"))
        .await
        .expect(StatusCode::NOT_FOUND);
    for wrong in ["2026-13-01", "x", "2026-1-1"] {
        app.get(&owner, &format!("{LETTER}?day={wrong}"))
            .await
            .expect(StatusCode::BAD_REQUEST);
    }
    app.get(&owner, LETTER).await.expect(StatusCode::OK);
}

#[tokio::test]
async fn who_wants_it_is_told_of_a_letter_once_over_restarts() {
    let app = start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let manager = app.person("a", Role::FarmManager).await;
    let viewer = app.person("a", Role::Viewer).await;
    let admin = app.person("a", Role::Admin).await;
    let choose = async |app: &App, by: &Person, is_told: bool| {
        let path = format!("{LETTER}/choice");
        let body = json!({"isTold": is_told});
        let answer = app.call(by, Method::PUT, &path, &body).await;
        answer.expect(StatusCode::NO_CONTENT);
        let letter = app.get(by, LETTER).await.expect(StatusCode::OK);
        assert_eq!(letter["isTold"], is_told);
    };
    choose(&app, &manager, false).await;
    choose(&app, &viewer, true).await;
    // the mark is written with the first look, which tells nothing of before
    let mut looks = 0;
    while app
        .meddle("UPDATE notification_states SET state = '2000-01-01' WHERE subject = 'letter'")
        .await
        == 0
    {
        looks += 1;
        assert!(looks < 500, "the letters have no mark");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    // the server is started again as if the last letter had been long ago
    let app = app.restart(at_once()).await;
    let list = told(&app, &owner, "a", 1).await;
    assert!(
        titles(&list)[0].starts_with("The evening letter of "),
        "{list}"
    );
    assert_eq!(
        (&list["items"][0]["type"], &list["items"][0]["link"]),
        (&json!("info"), &json!("/letter"))
    );
    told(&app, &viewer, "a", 1).await;
    for nobody in [&manager, &admin] {
        told(&app, nobody, "a", 0).await;
    }
    let hindi = in_language(&app, &owner, "hi").await;
    assert!(
        titles(&hindi)[0].ends_with("की शाम की चिट्ठी तैयार है"),
        "{hindi}"
    );
    // another start tells nothing again: what is told after it comes alone
    let app = app.restart(at_once()).await;
    let alerts = "/api/farms/a/alerts";
    let made = app.call(&owner, Method::POST, alerts, &alert()).await;
    made.expect(StatusCode::CREATED);
    app.reading("a", "ph-a", 5_000_000).await;
    let list = told(&app, &owner, "a", 2).await;
    assert_eq!(titles(&list)[0], "Alert: Acid");
}

#[tokio::test]
async fn where_the_farm_is_says_when_the_sun_rises() {
    let (app, owner) = App::with_owner().await;
    let sun = "/api/farms/a/sun";
    let at = 1_774_000_000_000_i64; // 2026-03-20 in India
    let asked = format!("{sun}?from={at}&to={}", at + 2 * 24 * HOUR);
    let unknown = app.get(&owner, &asked).await.expect(StatusCode::OK);
    assert_eq!(unknown, json!({"known": false, "days": []}));
    let put = async |body: Value| {
        app.call(&owner, Method::PUT, "/api/farms/a/position", &body)
            .await
    };
    for wrong in [
        json!({"position": {"lat": 91, "lng": 0}}),
        json!({"position": {"lat": 0, "lng": 181}}),
    ] {
        let refused = put(wrong).await.expect(StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(refused["problems"][0]["path"], "position", "{refused}");
    }
    let nashik = json!({"position": {"lat": 20.0, "lng": 73.79}});
    assert_eq!(put(nashik.clone()).await.expect(StatusCode::OK), nashik);
    let farms = app.get(&owner, "/api/farms").await.expect(StatusCode::OK);
    assert_eq!(farms[0]["position"], nashik["position"]);
    let known = app.get(&owner, &asked).await.expect(StatusCode::OK);
    let days = known["days"].as_array().expect("days");
    assert_eq!(days.len(), 3);
    for day in days {
        let (rise, set) = (day["sunrise"].as_i64(), day["sunset"].as_i64());
        let lasted = set.zip(rise).map(|(set, rise)| (set - rise) / MINUTE);
        // at an equinox the upper edge is up for twelve hours and some minutes
        assert!(lasted.is_some_and(|m| (720..735).contains(&m)), "{day}");
        assert_eq!(day["allDay"], Value::Null);
    }
    assert_eq!(app.audited("a", "farm_moved").await.len(), 1);
    let long = format!("{sun}?from={at}&to={}", at + 63 * 24 * HOUR);
    app.get(&owner, &long)
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(
        put(json!({"position": null})).await.expect(StatusCode::OK),
        json!({"position": null})
    );
    let gone = app.get(&owner, &asked).await.expect(StatusCode::OK);
    assert_eq!(gone["known"], false);
}
