//! The one way to write: nothing is lost to an older version, nothing is done twice, nothing is done without its entry.

use harit_api::Role;
use reqwest::header::HeaderMap;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::farm_records;
use crate::support::{Answer, App, PASSWORD, Person, alert, rule};

const FARM: &str = "/api/farms/a";

/// A request with a header more.
async fn call_with(
    app: &App,
    by: &Person,
    (method, path): (Method, &str),
    header: (&str, &str),
    body: &Value,
) -> Answer {
    let request = app.request(method, path).bearer_auth(&by.token);
    app.send(request.header(header.0, header.1).json(body))
        .await
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}

/// What the list has of the resource of that id.
async fn listed(app: &App, by: &Person, list: &str, id: &str) -> Value {
    let all = app.get(by, list).await.expect(StatusCode::OK);
    let all = if list.ends_with("/users") {
        all["users"].clone()
    } else {
        all
    };
    let mut all = all.as_array().expect("a list").iter();
    all.find(|one| one["id"] == id).expect("it").clone()
}

/// Somebody changes a resource while somebody else has it open: the second change is refused and says what it is now.
async fn nothing_is_lost(
    app: &App,
    owner: &Person,
    list: &str,
    id: &str,
    change: (Method, [Value; 3]),
) {
    let (method, [first, second, third]) = change;
    let path = format!("{list}/{id}");
    let opened = listed(app, owner, list, id).await;
    let tag = format!("\"{}\"", opened["etag"].as_str().expect("a tag"));
    let if_match = |tag: &str| ("If-Match", tag.to_owned());
    let (name, value) = if_match(&tag);
    let saved = call_with(app, owner, (method.clone(), &path), (name, &value), &first).await;
    let new_tag = header(&saved.headers, "etag").map(str::to_owned);
    let saved = saved.expect(StatusCode::OK);
    assert_eq!(
        new_tag,
        Some(format!("\"{}\"", saved["etag"].as_str().expect("a tag"))),
        "{path}"
    );
    assert_ne!(saved["etag"], opened["etag"], "{path}");
    let refused = call_with(app, owner, (method.clone(), &path), (name, &value), &second).await;
    let refused = refused.expect(StatusCode::PRECONDITION_FAILED);
    assert_eq!(refused["code"], "changed_meanwhile", "{path}");
    assert_eq!(refused["changedBy"], "Asha Patil", "{path}");
    assert!(refused["changedAt"].is_i64(), "{path}");
    assert_eq!(refused["current"]["etag"], saved["etag"], "{path}");
    let now = listed(app, owner, list, id).await;
    assert_eq!(now["etag"], saved["etag"], "{path}: nothing was changed");
    if method == Method::PUT {
        let nothing = json!({});
        let delete = (Method::DELETE, path.as_str());
        let deleted = call_with(app, owner, delete, (name, &value), &nothing);
        deleted.await.expect(StatusCode::PRECONDITION_FAILED);
    }
    // of several versions one has to be right
    let either = format!("{value}, {}", new_tag.expect("a tag"));
    let saved = call_with(app, owner, (method, &path), (name, &either), &third).await;
    saved.expect(StatusCode::OK);
}

#[tokio::test]
async fn two_people_with_one_open_form_lose_nothing() {
    let (app, owner) = App::with_owner().await;
    let make = async |path: &str, body: &Value| {
        let list = format!("{FARM}/{path}");
        let made = app.call(&owner, Method::POST, &list, body).await;
        assert!(
            made.headers.contains_key("etag") || path == "users",
            "{path}"
        );
        let made = made.expect(StatusCode::CREATED);
        made["id"].as_str().expect("an id").to_owned()
    };
    let named = |body: &Value| {
        ["One", "Two", "Three"].map(|name| {
            let mut body = body.clone();
            body["name"] = json!(name);
            body
        })
    };
    let task = json!({"title": "Flush", "dueDate": "2099-12-31"});
    let tasks = ["One", "Two", "Three"].map(|t| json!({"title": t, "dueDate": "2099-12-31"}));
    let cases = [
        ("tasks", task, Method::PUT, tasks),
        ("rules", rule(), Method::PUT, named(&rule())),
        ("alerts", alert(), Method::PUT, named(&alert())),
        (
            "reservoirs",
            json!({"name": "Tank"}),
            Method::PUT,
            named(&json!({})),
        ),
        (
            "polyhouses",
            json!({"name": "House"}),
            Method::PUT,
            named(&json!({})),
        ),
        (
            "users",
            json!({"name": "Ravi", "email": "ravi@x.test", "role": "VIEWER", "languagePref": "hi"}),
            Method::PATCH,
            named(&json!({})),
        ),
    ];
    for (path, new, method, changes) in cases {
        let id = make(path, &new).await;
        let list = format!("{FARM}/{path}");
        nothing_is_lost(&app, &owner, &list, &id, (method, changes)).await;
    }
    let (mut cycle, mut item) = (String::new(), String::new());
    for (path, _, new, _) in farm_records::kinds() {
        let new = farm_records::about(new, path, &cycle, &item);
        let id = make(path, &new).await;
        let field = match path {
            "templates" => "variety",
            "notes" => "text",
            _ => "note",
        };
        let changes = ["One", "Two", "Three"].map(|note| {
            let mut change = new.clone();
            change[field] = json!(note);
            change
        });
        let list = format!("{FARM}/{path}");
        nothing_is_lost(&app, &owner, &list, &id, (Method::PUT, changes)).await;
        match path {
            "crop-cycles" => cycle = id,
            "inventory" => item = id,
            _ => {}
        }
    }
    for (list, id) in [("devices", "fan-1"), ("sensors", "t-1")] {
        let list = format!("{FARM}/{list}");
        nothing_is_lost(&app, &owner, &list, id, (Method::PATCH, named(&json!({})))).await;
    }
}

#[tokio::test]
async fn what_was_read_can_be_sent_back_and_a_bad_condition_is_refused() {
    let (app, owner) = App::with_owner().await;
    let path = format!("{FARM}/rules");
    let made = app.call(&owner, Method::POST, &path, &rule()).await;
    let mut made = made.expect(StatusCode::CREATED);
    let path = format!("{path}/{}", made["id"].as_str().expect("an id"));
    made.as_object_mut().expect("an object").remove("status");
    let same = app.call(&owner, Method::PUT, &path, &made).await;
    assert_eq!(same.expect(StatusCode::OK)["etag"], made["etag"]);
    for bad in ["x", "W/\"x\"", "\"x"] {
        let answer = call_with(&app, &owner, (Method::PUT, &path), ("If-Match", bad), &made);
        let answer = answer.await.expect(StatusCode::BAD_REQUEST);
        assert_eq!(answer["code"], "bad_precondition", "{bad}");
    }
}

/// The commands of the farm.
async fn commands(app: &App, by: &Person) -> usize {
    let all = app.get(by, &format!("{FARM}/commands")).await;
    all.expect(StatusCode::OK).as_array().expect("a list").len()
}

fn pulse(secs: u32) -> Value {
    json!({"cmd_type": "pulse", "device_id": "valve-2", "action": {"duration_sec": secs}})
}

/// A farm with a valve that can be pulsed.
async fn with_valve() -> (App, Person) {
    let (app, owner) = App::with_owner().await;
    let valve = json!({"put_device": {"id": "valve-2", "name": "Drip valve", "type": "valve", "scope": {"type": "farm"}, "online": true}});
    let change = serde_json::from_value(valve).expect("a change");
    let change = harit_engine::InputKind::Registry(vec![change]);
    let farm = harit_engine::FarmId::from("a");
    let admitted = app.hub.admit(&farm, change);
    admitted.await.expect("a valve");
    (app, owner)
}

const COMMANDS: &str = "/api/farms/a/commands";
const KEY: &str = "Idempotency-Key";

#[tokio::test]
async fn the_same_pulse_twice_with_one_key_is_one_command() {
    let (app, owner) = with_valve().await;
    let send = async |by: &Person, key: &str, body: &Value| {
        call_with(&app, by, (Method::POST, COMMANDS), (KEY, key), body).await
    };
    let first = send(&owner, "k-1", &pulse(5)).await;
    assert_eq!(header(&first.headers, "idempotency-replayed"), None);
    let again = send(&owner, "k-1", &pulse(5)).await;
    assert_eq!(header(&again.headers, "idempotency-replayed"), Some("true"));
    let first = first.expect(StatusCode::OK);
    assert!(first["command_id"].is_string(), "{first}");
    assert_eq!(again.expect(StatusCode::OK), first);
    assert_eq!(commands(&app, &owner).await, 1);

    let other = send(&owner, "k-1", &pulse(6)).await;
    let other = other.expect(StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(other["code"], "key_reused");
    let blank = send(&owner, " ", &pulse(5)).await;
    blank.expect(StatusCode::BAD_REQUEST);

    // the keys of others are others
    let manager = app.person("a", Role::FarmManager).await;
    let theirs = send(&manager, "k-1", &pulse(5)).await;
    assert_eq!(header(&theirs.headers, "idempotency-replayed"), None);
    assert_eq!(commands(&app, &owner).await, 2);

    // what is known survives a restart
    let app = app.restart(harit_api::ApiConfig::default()).await;
    let body = pulse(5);
    let again = call_with(&app, &owner, (Method::POST, COMMANDS), (KEY, "k-1"), &body);
    assert_eq!(again.await.expect(StatusCode::OK), first);
    assert_eq!(commands(&app, &owner).await, 2);
}

#[tokio::test]
async fn two_at_once_with_one_key_are_one_command() {
    let (app, owner) = with_valve().await;
    let body = pulse(5);
    let send = || call_with(&app, &owner, (Method::POST, COMMANDS), (KEY, "k"), &body);
    let (a, b, c) = tokio::join!(send(), send(), send());
    let mut done = 0;
    for answer in [a, b, c] {
        if answer.status == StatusCode::OK {
            done += 1;
        } else {
            assert_eq!(answer.expect(StatusCode::CONFLICT)["code"], "under_way");
        }
    }
    assert!(done >= 1);
    assert_eq!(commands(&app, &owner).await, 1);
}

#[tokio::test]
async fn who_signs_in_again_with_the_same_key_is_signed_in_again() {
    let (app, owner) = App::with_owner().await;
    let body = json!({"contact": owner.email, "password": PASSWORD});
    let mut tokens = std::collections::BTreeSet::new();
    for _ in 0..2 {
        let login = (Method::POST, "/auth/login");
        let answer = call_with(&app, &owner, login, (KEY, "k"), &body).await;
        assert_eq!(header(&answer.headers, "idempotency-replayed"), None);
        let token = answer.expect(StatusCode::OK)["token"].clone();
        tokens.insert(token.as_str().expect("a token").to_owned());
    }
    assert_eq!(tokens.len(), 2);
}

#[tokio::test]
async fn a_request_that_was_cut_off_is_not_repeated_blindly() {
    let (app, owner) = with_valve().await;
    let send = || async {
        let body = pulse(5);
        call_with(&app, &owner, (Method::POST, COMMANDS), (KEY, "k"), &body).await
    };
    send().await.expect(StatusCode::OK);
    // as if the server had stopped before it could answer, a while ago
    app.meddle("UPDATE idempotency SET sealed = NULL, begun_at = begun_at - 120000")
        .await;
    let unknown = send().await.expect(StatusCode::CONFLICT);
    assert_eq!(unknown["code"], "outcome_unknown");
    assert_eq!(commands(&app, &owner).await, 1);
    // keys are kept for a day
    app.meddle("UPDATE idempotency SET begun_at = begun_at - 86400000")
        .await;
    send().await.expect(StatusCode::OK);
    assert_eq!(commands(&app, &owner).await, 2);
}

#[tokio::test]
async fn a_refused_request_leaves_its_key_free_and_a_stop_needs_none() {
    let (app, owner) = with_valve().await;
    let tasks = format!("{FARM}/tasks");
    let send = async |body: &Value| {
        call_with(&app, &owner, (Method::POST, &tasks), (KEY, "t"), body).await
    };
    send(&json!({"title": ""}))
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    let task = json!({"title": "Flush", "dueDate": "2099-12-31"});
    let made = send(&task).await;
    let tag = made.headers.get("etag").cloned();
    let made = made.expect(StatusCode::CREATED);
    let again = send(&task).await;
    assert_eq!(again.headers.get("etag").cloned(), tag);
    assert_eq!(again.expect(StatusCode::CREATED), made);
    let all = app.get(&owner, &tasks).await.expect(StatusCode::OK);
    assert_eq!(all.as_array().map(Vec::len), Some(1));

    // records that cannot be written hold nothing up that switches off
    app.database().await.fill("idempotency").await;
    let off = json!({"cmd_type": "override", "device_id": "valve-2", "action": {"action": "off"}, "duration_sec": 60});
    let on = json!({"cmd_type": "override", "device_id": "valve-2", "action": {"action": "on"}, "duration_sec": 60});
    let command = async |body: &Value| {
        call_with(&app, &owner, (Method::POST, COMMANDS), (KEY, "c"), body).await
    };
    command(&off).await.expect(StatusCode::OK);
    command(&on).await.expect(StatusCode::OK);
    let lock = format!("{FARM}/devices/valve-2/lock");
    let why = json!({"reason": "belt"});
    let locked = call_with(&app, &owner, (Method::POST, &lock), (KEY, "l"), &why);
    locked.await.expect(StatusCode::OK);
    // but for a pulse, which would dose again
    let refused = command(&pulse(5)).await.status;
    assert!(refused.is_server_error(), "{refused}");
}

#[tokio::test]
async fn nothing_is_done_without_its_entry() {
    let (app, owner) = App::with_owner().await;
    let tank = json!({"name": "Tank"});
    let tanks = format!("{FARM}/reservoirs");
    let made = app.call(&owner, Method::POST, &tanks, &tank).await;
    let made = made.expect(StatusCode::CREATED);
    let one = format!("{tanks}/{}", made["id"].as_str().expect("an id"));
    app.database().await.fill("audit").await;
    let task = json!({"title": "Flush", "dueDate": "2099-12-31"});
    let calls = [
        (Method::POST, format!("{FARM}/tasks"), task),
        (Method::POST, tanks.clone(), json!({"name": "Other"})),
        (Method::PUT, one.clone(), json!({"name": "Other"})),
        (Method::DELETE, one, json!({})),
        (Method::PATCH, "/auth/me".into(), json!({"name": "Other"})),
        (Method::DELETE, "/auth/sessions".into(), json!({})),
        (Method::POST, "/auth/logout".into(), json!({})),
    ];
    for (method, path, body) in calls {
        let refused = app.call(&owner, method, &path, &body).await.status;
        assert!(refused.is_server_error(), "{path}: {refused}");
    }
    let me = app.get(&owner, "/auth/me").await.expect(StatusCode::OK);
    assert_ne!(me["user"]["name"], "Other");
    let tasks = app.get(&owner, &format!("{FARM}/tasks")).await;
    assert_eq!(tasks.expect(StatusCode::OK), json!([]));
    let tanks = app.get(&owner, &tanks).await;
    assert_eq!(tanks.expect(StatusCode::OK), json!([made]));
}

#[tokio::test]
async fn what_the_engine_stores_has_its_author_whatever_stops_in_between() {
    let (app, owner) = App::with_owner().await;
    let houses = format!("{FARM}/polyhouses");
    let make = async |app: &App, name: &str| {
        let body = json!({"name": name});
        app.call(&owner, Method::POST, &houses, &body).await.status
    };
    app.database().await.fill("audit").await;
    // the farm's own log has it, with who did it
    assert_eq!(make(&app, "North").await, StatusCode::CREATED);
    // but no more, as long as the audit log lacks that
    assert_eq!(make(&app, "South").await, StatusCode::SERVICE_UNAVAILABLE);
    app.database().await.empty("audit").await;
    let app = app.restart(harit_api::ApiConfig::default()).await;
    assert_eq!(make(&app, "East").await, StatusCode::CREATED);
    let log = app
        .get(&owner, &format!("{FARM}/logs?pageSize=100&type=other"))
        .await;
    let log = log.expect(StatusCode::OK).to_string();
    let times = |name: &str| log.matches(name).count();
    assert_eq!(times("North"), times("East"), "{log}");
    assert_eq!((times("South"), times("East") > 0), (0, true), "{log}");
}
