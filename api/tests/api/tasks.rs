//! /api/farms/{farmId}/tasks: what people write, and an order that everybody shares.

use harit_api::Role;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::live::Socket;
use crate::support::{App, Person};

const TASKS: &str = "/api/farms/a/tasks";

fn at(task: &Value) -> String {
    format!("{TASKS}/{}", task["id"].as_str().expect("an id"))
}

/// A task that is right.
fn task(title: &str) -> Value {
    json!({"title": title, "dueDate": "2099-12-31"})
}

async fn make(app: &App, by: &Person, task: &Value) -> Value {
    app.call(by, Method::POST, TASKS, task)
        .await
        .expect(StatusCode::CREATED)
}

/// Titles by column, as the board shows them.
pub(crate) async fn board(app: &App, by: &Person) -> Vec<(String, String)> {
    let tasks = app.get(by, TASKS).await.expect(StatusCode::OK);
    let word = |t: &Value, f: &str| t[f].as_str().expect("a text").to_owned();
    let tasks = tasks.as_array().expect("a list").iter();
    tasks
        .map(|t| (word(t, "status"), word(t, "title")))
        .collect()
}

async fn move_to(
    app: &App,
    by: &Person,
    task: &Value,
    status: &str,
    after: Option<&Value>,
) -> Value {
    let body = json!({"status": status, "afterId": after.map(|t| t["id"].clone())});
    app.call(by, Method::POST, &format!("{}/move", at(task)), &body)
        .await
        .expect(StatusCode::OK)
}

#[tokio::test]
async fn a_task_is_made_changed_and_deleted() {
    let app = App::start().await;
    app.farm("a").await;
    let manager = app.person("a", Role::FarmManager).await;
    let viewer = app.person("a", Role::Viewer).await;
    let wish = json!({
        "title": "  Flush the drip lines ", "description": "Row by row,\nuntil it runs clear.", "assigneeId": viewer.id,
        "dueDate": "2020-02-29", "category": "Irrigation", "priority": "URGENT", "status": "IN_PROGRESS",
    });
    let made = make(&app, &manager, &wish).await;
    for (field, value) in [
        ("title", json!("Flush the drip lines")),
        ("description", json!("Row by row,\nuntil it runs clear.")),
        ("assignee", json!({"id": viewer.id, "name": "Asha Patil"})),
        ("dueDate", json!("2020-02-29")),
        ("category", json!("Irrigation")),
        ("priority", json!("URGENT")),
        ("status", json!("IN_PROGRESS")),
        ("isOverdue", json!(true)),
    ] {
        assert_eq!(made[field], value, "{field}");
    }
    let listed = app.get(&viewer, TASKS).await.expect(StatusCode::OK);
    assert_eq!(listed, json!([made]));

    // the whole of it is replaced: what is not said is not there; the column stays
    let changed = app
        .call(&manager, Method::PUT, &at(&made), &task("Flush"))
        .await
        .expect(StatusCode::OK);
    for (field, value) in [
        ("id", made["id"].clone()),
        ("title", json!("Flush")),
        ("description", Value::Null),
        ("assignee", Value::Null),
        ("category", Value::Null),
        ("priority", json!("MEDIUM")),
        ("status", json!("IN_PROGRESS")),
        ("isOverdue", json!(false)),
        ("createdAt", made["createdAt"].clone()),
    ] {
        assert_eq!(changed[field], value, "{field}");
    }
    let closed = json!({"title": "Flush", "dueDate": "2020-01-01", "status": "CLOSED"});
    let closed = app
        .call(&manager, Method::PUT, &at(&made), &closed)
        .await
        .expect(StatusCode::OK);
    assert_eq!(closed["isOverdue"], false, "what is closed is not overdue");
    let summary = app
        .get(&viewer, &format!("{TASKS}/summary"))
        .await
        .expect(StatusCode::OK);
    assert_eq!(summary["closed"], 1);

    app.call(&manager, Method::DELETE, &at(&made), &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    for (method, path, body) in [
        (Method::DELETE, at(&made), json!({})),
        (Method::PUT, at(&made), task("x")),
        (
            Method::POST,
            format!("{}/move", at(&made)),
            json!({"status": "OPEN", "afterId": null}),
        ),
    ] {
        let gone = app.call(&manager, method, &path, &body).await;
        gone.expect(StatusCode::NOT_FOUND);
    }
    assert!(board(&app, &viewer).await.is_empty());
}

#[tokio::test]
async fn what_is_wrong_is_said_at_its_field() {
    let app = App::start().await;
    app.farm("a").await;
    app.farm("b").await;
    let owner = app.person("a", Role::Owner).await;
    let foreign = app.person("b", Role::Owner).await;
    let inactive = app.person("a", Role::Viewer).await;
    let off = format!("/api/farms/a/users/{}/deactivate", inactive.id);
    app.call(&owner, Method::POST, &off, &json!({}))
        .await
        .expect(StatusCode::OK);
    let exists = make(&app, &owner, &task("There")).await;
    let with = |field: &str, value: Value| {
        let mut task = task("Flush");
        task[field] = value;
        task
    };
    for (field, code, wrong) in [
        ("title", "required", with("title", Value::Null)),
        ("title", "required", with("title", json!("  "))),
        ("title", "too_long", with("title", json!("अ".repeat(201)))),
        ("title", "invalid", with("title", json!("a\u{0}b"))),
        (
            "description",
            "too_long",
            with("description", json!("x".repeat(4_001))),
        ),
        (
            "category",
            "too_long",
            with("category", json!("x".repeat(61))),
        ),
        ("dueDate", "required", with("dueDate", json!(""))),
        ("dueDate", "invalid", with("dueDate", json!("2026-02-29"))),
        ("dueDate", "invalid", with("dueDate", json!("tomorrow"))),
        ("priority", "invalid", with("priority", json!("urgent"))),
        ("status", "invalid", with("status", json!("LATER"))),
        // one answer for who is elsewhere, switched off, and nobody at all
        (
            "assigneeId",
            "unknown",
            with("assigneeId", json!(foreign.id)),
        ),
        (
            "assigneeId",
            "unknown",
            with("assigneeId", json!(inactive.id)),
        ),
        ("assigneeId", "unknown", with("assigneeId", json!("nobody"))),
    ] {
        for (method, path) in [(Method::POST, TASKS.to_owned()), (Method::PUT, at(&exists))] {
            let answer = app.call(&owner, method, &path, &wrong).await;
            let answer = answer.expect(StatusCode::UNPROCESSABLE_ENTITY);
            let problems = answer["problems"].as_array().expect("problems");
            assert_eq!(problems.len(), 1, "{answer}");
            assert_eq!(problems[0]["path"], field, "{answer}");
            assert_eq!(problems[0]["code"], code, "{answer}");
        }
    }
    let all =
        json!({"title": "", "dueDate": "x", "priority": "x", "status": "x", "assigneeId": "x"});
    let request = app.request(Method::POST, TASKS).bearer_auth(&owner.token);
    let answer = app
        .send(request.header("accept-language", "hi").json(&all))
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(
        answer["problems"].as_array().map(Vec::len),
        Some(5),
        "{answer}"
    );
    assert_eq!(answer["error"], "काम का नाम लिखना ज़रूरी है");
    let unknown = with("farmId", json!("b"));
    let unknown = app.call(&owner, Method::POST, TASKS, &unknown).await;
    unknown.expect(StatusCode::BAD_REQUEST);
    let nowhere = json!({"status": "open", "afterId": null});
    let nowhere = app
        .call(
            &owner,
            Method::POST,
            &format!("{}/move", at(&exists)),
            &nowhere,
        )
        .await;
    assert_eq!(
        nowhere.expect(StatusCode::UNPROCESSABLE_ENTITY)["problems"][0]["path"],
        "status"
    );
    assert_eq!(
        board(&app, &owner).await.len(),
        1,
        "nothing of it was stored"
    );
}

#[tokio::test]
async fn tasks_of_other_farms_are_not_there() {
    let app = App::start().await;
    app.farm("a").await;
    app.farm("b").await;
    let (owner, stranger) = (
        app.person("a", Role::Owner).await,
        app.person("b", Role::Owner).await,
    );
    let made = make(&app, &owner, &task("Ours")).await;
    let path = at(&made).replace("/a/", "/b/");
    for (method, path, body) in [
        (Method::PUT, path.clone(), task("Theirs")),
        (Method::DELETE, path.clone(), json!({})),
        (
            Method::POST,
            format!("{path}/move"),
            json!({"status": "CLOSED", "afterId": null}),
        ),
    ] {
        let answer = app.call(&stranger, method, &path, &body).await;
        answer.expect(StatusCode::NOT_FOUND);
    }
    // a place after a task of another farm is no place: the end
    let theirs = app
        .call(
            &stranger,
            Method::POST,
            "/api/farms/b/tasks",
            &task("Theirs"),
        )
        .await
        .expect(StatusCode::CREATED);
    let second = make(&app, &owner, &task("Second")).await;
    move_to(&app, &owner, &made, "OPEN", Some(&theirs)).await;
    let titles: Vec<_> = board(&app, &owner).await.into_iter().map(|t| t.1).collect();
    assert_eq!(titles, ["Second", "Ours"]);
    assert_eq!(second["title"], "Second");
}

#[tokio::test]
async fn who_is_given_a_task_belongs_to_the_farm() {
    let app = App::start().await;
    app.farm("a").await;
    app.farm("b").await;
    let owner = app.person("a", Role::Owner).await;
    let manager = app.person("a", Role::FarmManager).await;
    app.person("b", Role::Viewer).await;
    app.records
        .set_role(&manager.id, "b", Role::Viewer)
        .await
        .expect("a role elsewhere");
    let listed = app.get(&manager, "/api/farms/a/assignees").await;
    let listed = listed.expect(StatusCode::OK);
    let mut ids: Vec<_> = [&owner, &manager]
        .map(|p| json!({"id": p.id, "name": "Asha Patil"}))
        .into();
    ids.sort_by_key(|p| p["id"].to_string());
    assert_eq!(listed, json!(ids), "names alone");

    let mut wish = task("Scout");
    wish["assigneeId"] = json!(manager.id);
    let made = make(&app, &owner, &wish).await;
    let person = format!("/api/farms/a/users/{}", manager.id);
    let off = format!("{person}/deactivate");
    app.call(&owner, Method::POST, &off, &json!({}))
        .await
        .expect(StatusCode::OK);
    // who has it keeps it, so that other fields can be edited
    let kept = app.call(&owner, Method::PUT, &at(&made), &wish).await;
    assert_eq!(
        kept.expect(StatusCode::OK)["assignee"]["id"],
        json!(manager.id)
    );
    // who has left has it no longer, even though the account lives on elsewhere
    app.call(&owner, Method::DELETE, &person, &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    let left = app.get(&owner, TASKS).await.expect(StatusCode::OK);
    assert_eq!(left[0]["assignee"], Value::Null);
    let refused = app.call(&owner, Method::PUT, &at(&made), &wish).await;
    refused.expect(StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn tasks_go_where_they_are_put() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let mut t = Vec::new();
    for title in ["0", "1", "2", "3"] {
        t.push(make(&app, &owner, &task(title)).await);
    }
    let shown = async || {
        let board = board(&app, &owner).await;
        let column = |name: &str| {
            board
                .iter()
                .filter(|(s, _)| s == name)
                .map(|(_, t)| t.as_str())
                .collect::<String>()
        };
        format!("{}|{}", column("OPEN"), column("CLOSED"))
    };
    assert_eq!(shown().await, "0123|");
    for (which, status, after, then) in [
        (3, "OPEN", None, "3012|"),
        (3, "OPEN", Some(1), "0132|"),
        (0, "OPEN", Some(2), "1320|"),
        // where it is
        (0, "OPEN", Some(2), "1320|"),
        (1, "OPEN", None, "1320|"),
        (3, "CLOSED", None, "120|3"),
        (2, "CLOSED", Some(3), "10|32"),
        (1, "CLOSED", Some(3), "0|312"),
        // the task above has left meanwhile, or is the task itself: the end
        (1, "CLOSED", Some(0), "0|321"),
        (3, "OPEN", Some(2), "03|21"),
        (0, "OPEN", Some(0), "30|21"),
    ] {
        let moved = move_to(&app, &owner, &t[which], status, after.map(|i: usize| &t[i])).await;
        assert_eq!(moved["id"], t[which]["id"]);
        assert_eq!(moved["status"], status);
        assert_eq!(shown().await, then, "{which} to {status} after {after:?}");
    }
    // an edit that changes the column goes to its end; one that does not stays
    let mut edit = task("3");
    edit["status"] = json!("CLOSED");
    app.call(&owner, Method::PUT, &at(&t[3]), &edit)
        .await
        .expect(StatusCode::OK);
    assert_eq!(shown().await, "0|213");
    app.call(&owner, Method::PUT, &at(&t[1]), &task("1"))
        .await
        .expect(StatusCode::OK);
    assert_eq!(shown().await, "0|213");
    app.call(&owner, Method::DELETE, &at(&t[1]), &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    move_to(&app, &owner, &t[0], "CLOSED", Some(&t[2])).await;
    assert_eq!(shown().await, "|203");
}

/// Moves tasks about from several places at once, and looks whether the order is still one.
pub(crate) async fn at_once(app: &App, people: [&Person; 2], tasks: &str) {
    const STATUSES: [&str; 4] = ["OPEN", "IN_PROGRESS", "IN_REVIEW", "CLOSED"];
    let mut ids = Vec::new();
    for n in 0..8 {
        let made = app
            .call(people[0], Method::POST, tasks, &task(&n.to_string()))
            .await;
        ids.push(made.expect(StatusCode::CREATED)["id"].clone());
    }
    let moves = (0..64_usize).map(|n| {
        let (id, after) = (&ids[n * 5 % 8], (n % 3 > 0).then(|| &ids[n * 7 % 8]));
        let body = json!({"status": STATUSES[n * 11 % 4], "afterId": after});
        let path = format!("{tasks}/{}/move", id.as_str().expect("an id"));
        async move { app.call(people[n % 2], Method::POST, &path, &body).await }
    });
    for answer in futures_util::future::join_all(moves).await {
        answer.expect(StatusCode::OK);
    }
    let first = app.get(people[0], tasks).await.expect(StatusCode::OK);
    let second = app.get(people[1], tasks).await.expect(StatusCode::OK);
    assert_eq!(first, second, "two browsers agree");
    let mut seen: Vec<_> = first
        .as_array()
        .expect("tasks")
        .iter()
        .map(|t| &t["id"])
        .collect();
    seen.sort_by_key(|id| id.to_string());
    let mut all: Vec<_> = ids.iter().collect();
    all.sort_by_key(|id| id.to_string());
    assert_eq!(seen, all, "each task is there once");
}

#[tokio::test]
async fn moves_at_the_same_time_end_in_one_order() {
    let app = App::start().await;
    app.farm("a").await;
    let (one, two) = (
        app.person("a", Role::Owner).await,
        app.person("a", Role::FarmManager).await,
    );
    at_once(&app, [&one, &two], TASKS).await;
    // ranks are 0, 1, 2... in each column: no gap, no collision, so that there is no second order to be seen
    let gaps = "UPDATE tasks SET title = title WHERE rank + 1 <> (SELECT COUNT(*) FROM tasks o WHERE o.farm_id = tasks.farm_id \
                AND o.status = tasks.status AND o.rank <= tasks.rank)";
    assert_eq!(app.meddle(gaps).await, 0);
}

#[tokio::test]
async fn a_farm_has_so_many_tasks_and_no_more() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    make(&app, &owner, &task("First")).await;
    let fill = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1999) \
                INSERT INTO tasks (id, farm_id, title, priority, status, due_date, created_at, updated_at, rank) \
                SELECT 'task-' || i, 'a', 'Task ' || i, 'LOW', 'OPEN', '2099-01-01', 0, 0, i FROM n";
    assert_eq!(app.meddle(fill).await, 1_999);
    let refused = app
        .call(&owner, Method::POST, TASKS, &task("One more"))
        .await;
    assert_eq!(
        refused.expect(StatusCode::CONFLICT)["code"],
        "too_many_tasks"
    );
    app.call(
        &owner,
        Method::DELETE,
        &format!("{TASKS}/task-7"),
        &json!({}),
    )
    .await
    .expect(StatusCode::NO_CONTENT);
    make(&app, &owner, &task("Again")).await;
    let board = board(&app, &owner).await;
    assert_eq!(board.len(), 2_000);
    assert_eq!(board[0].1, "First");
    assert_eq!(board[1_999].1, "Again");
}

#[tokio::test]
async fn changes_of_tasks_are_told_to_the_farm_and_nobody_else() {
    let app = App::start().await;
    app.farm("a").await;
    app.farm("b").await;
    let (owner, other) = (
        app.person("a", Role::Owner).await,
        app.person("b", Role::Owner).await,
    );
    let mut socket = Socket::signed_in(&app, &owner).await;
    socket.subscribe(&json!({"farmId": "a"})).await;
    let mut elsewhere = Socket::signed_in(&app, &other).await;
    elsewhere.subscribe(&json!({"farmId": "b"})).await;
    let made = make(&app, &owner, &task("Told")).await;
    assert_eq!(socket.event("records").await, json!({"kinds": ["tasks"]}));
    move_to(&app, &owner, &made, "CLOSED", None).await;
    assert_eq!(socket.event("records").await, json!({"kinds": ["tasks"]}));
    // the first thing that the other farm hears is its own
    app.call(
        &other,
        Method::POST,
        "/api/farms/b/alerts",
        &crate::support::alert(),
    )
    .await
    .expect(StatusCode::CREATED);
    elsewhere.event("registry").await;
    assert!(elsewhere.heard().iter().all(|p| !p.contains("records")));
}

#[tokio::test]
async fn what_people_did_with_tasks_is_in_the_audit_log() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let made = make(&app, &owner, &task("Scout")).await;
    move_to(&app, &owner, &made, "IN_REVIEW", None).await;
    app.call(&owner, Method::PUT, &at(&made), &task("Scout again"))
        .await
        .expect(StatusCode::OK);
    app.call(&owner, Method::DELETE, &at(&made), &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    let log = app.audited("a", "task_%").await;
    let actions: Vec<_> = log.iter().map(|(action, _)| action.as_str()).collect();
    assert_eq!(
        actions,
        ["task_created", "task_moved", "task_changed", "task_deleted"]
    );
    assert_eq!(
        log[1].1,
        json!({"title": "Scout", "from": "OPEN", "to": "IN_REVIEW"})
    );
    assert_eq!(log[2].1["title"], "Scout again");
}
