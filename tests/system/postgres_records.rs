//! A real PostgreSQL that has the records: brought there from a file and back, killed, frozen, late at a start, backed up and restored.
//! Control does not wait for it. `make test-services` installs it and runs this.

use std::time::{Duration, Instant};

use harit_testkit::postgres;
use reqwest::Method;
use serde_json::{Value, json};

use crate::backup::{done, restored, text};
use crate::controller::Controller;
use crate::farm::{self, Account, Api, GREEN};
use crate::server::{Home, PATIENCE, machine, run, until};

/// The titles of a farm's tasks, in order.
async fn tasks(api: &Api) -> Vec<String> {
    let tasks = api.of_farm("tasks").await;
    let mut titles: Vec<String> = tasks
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["title"].as_str().unwrap().to_owned())
        .collect();
    titles.sort();
    titles
}

async fn add_task(api: &Api, title: &str) -> (u16, Value) {
    let task = json!({"title": title, "dueDate": "2099-12-31"});
    api.post("tasks", &task).await
}

/// What a command says that fails.
async fn refused(args: &[&str]) -> String {
    let output = run(args).await;
    assert!(!output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[tokio::test]
#[ignore = "needs PostgreSQL: make test-services"]
#[allow(clippy::too_many_lines, reason = "one story")]
async fn records_are_in_postgres_and_come_back() {
    let _machine = machine().await;
    let account = Account::numbered("A4CF17", 1);
    let home = farm::seeded_with(std::slice::from_ref(&account)).await;
    let mut database = postgres::Server::start();
    let url = database.database();
    let data = home.data();
    let dir = ["--data-dir", text(&data)];
    let there = ["--records-url", url.as_str()];
    // A command on these records.
    let on = |args: &[&'static str]| [args, &dir[..], &there[..]].concat();

    // In the file at first, with a task.
    let mut server = farm::server(&home).await;
    let api = Api::of(&server, GREEN).await;
    assert_eq!(add_task(&api, "of the file").await.0, 201);
    let (status, _) = server.terminate().await;
    assert!(status.success());

    // Into the database: the file is kept under another name, and no command takes another place for it.
    let copy = on(&["records", "copy"]);
    let said = done(&copy).await;
    assert!(said.contains("rows are in postgres://"), "{said}");
    assert!(!data.join("records.db").exists() && data.join("records.db.copied").exists());
    let again = refused(&copy).await;
    assert!(again.contains("records.db has no records"), "{again}");
    let unsaid = refused(&["user", "list", dir[0], dir[1]]).await;
    assert!(unsaid.contains("--records-url"), "{unsaid}");
    let unsaid = refused(&["backup", dir[0], dir[1], "--out", text(&home.path("no"))]).await;
    assert!(unsaid.contains("--records-url"), "{unsaid}");
    let listed = done(&on(&["user", "list"])).await;
    assert!(listed.contains("OWNER of"), "{listed}");

    // A server over it: who was signed in still is, and controllers are known.
    let environment = [
        ("HARIT_STORAGE_SHARDS", "1"),
        ("HARIT_RECORDS_URL", url.as_str()),
    ];
    let mut server = home.server(&[], &environment).await;
    let mut api = { api };
    api.moved(&server);
    assert_eq!(tasks(&api).await, ["of the file"]);
    assert_eq!(add_task(&api, "of the database").await.0, 201);
    let controller = Controller::new(&account, &["t-1"], &["fan-1"]);
    let link = controller.connect(server.mqtt).await;
    link.reading("t-1", 20.0).1.await.unwrap();
    api.device_online("fan-1").await;
    let scope = json!({"type": "farm", "farmId": GREEN});
    api.rule("cool", "fan-1", &scope, 1, 1).await;

    // Killed: who asks is told so, the fan goes on all the same, and afterwards all is as before.
    database.kill();
    let (status, answer) = add_task(&api, "while it is away").await;
    assert_eq!(status, 503, "{answer}");
    until("/readyz names the records", PATIENCE, async || {
        let (status, answer) = api.send(Method::GET, "/readyz", None).await;
        (status == 503 && answer.to_string().contains("records")).then_some(())
    })
    .await;
    for _ in 0..4 {
        link.reading("t-1", 35.0).1.await.unwrap();
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    controller
        .command("the fan goes on", Duration::from_secs(5), 0, |r| r.on())
        .await;
    database.run();
    until("a task is made again", PATIENCE, async || {
        (add_task(&api, "after it was away").await.0 == 201).then_some(())
    })
    .await;

    // Frozen: nobody waits for ever, and what was asked meanwhile is done or not, and never half.
    database.freeze();
    let asked = Instant::now();
    let (status, answer) = add_task(&api, "while it is frozen").await;
    assert_eq!(status, 503, "{answer}");
    eprintln!("refused after {:?}", asked.elapsed());
    assert!(asked.elapsed() < Duration::from_secs(15));
    database.thaw();
    until("a task is made again", PATIENCE, async || {
        (add_task(&api, "after it was frozen").await.0 == 201).then_some(())
    })
    .await;

    // The server is killed, and the database comes later than it.
    drop(link);
    server.kill().await;
    database.kill();
    let began = Instant::now();
    let late = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(4));
        database.run();
        database
    });
    server.start().await;
    assert!(began.elapsed() > Duration::from_secs(4));
    let database = late.join().unwrap();
    api.moved(&server);
    let mut now = tasks(&api).await;
    let held = [
        "after it was away",
        "after it was frozen",
        "of the database",
        "of the file",
    ];
    now.retain(|t| t != "while it is frozen");
    assert_eq!(now, held);
    let log = std::fs::read_to_string(&server.log).unwrap();
    assert!(log.contains("the start waits for them"), "{log}");

    // A backup beside the running server has them as a file, with which a server starts.
    let repository = home.path("backups");
    done(&[&on(&["backup"])[..], &["--to", text(&repository)]].concat()).await;
    let before = tasks(&api).await;
    let copy_home = Home::empty();
    let said = restored(&repository, 1, &copy_home.data()).await;
    assert!(said.contains("are as they were written"), "{said}");
    let mut of_backup = farm::server(&copy_home).await;
    let api_of_backup = Api::of(&of_backup, GREEN).await;
    assert_eq!(tasks(&api_of_backup).await, before);
    of_backup.terminate().await;

    // A database that was put back to an older state is not taken for what was there.
    let (status, _) = server.terminate().await;
    assert!(status.success());
    let verified = done(&on(&["verify-log"])).await;
    assert!(verified.contains("as they were written"), "{verified}");
    let name = url.rsplit_once('/').unwrap().1;
    let cut = "ALTER TABLE harit_records.audit DISABLE TRIGGER USER; \
               CREATE TABLE harit_records.kept AS SELECT * FROM harit_records.audit_heads; \
               UPDATE harit_records.audit_heads SET seq = seq - 1";
    database.ask(name, cut).unwrap();
    let list = on(&["user", "list"]);
    let put_back = refused(&list).await;
    assert!(put_back.contains("it was put back"), "{put_back}");
    let undo = "UPDATE harit_records.audit_heads h SET seq = k.seq FROM harit_records.kept k WHERE k.farm_id = h.farm_id; \
                DROP TABLE harit_records.kept; ALTER TABLE harit_records.audit ENABLE TRIGGER USER";
    database.ask(name, undo).unwrap();
    let settings = home.path("harit.toml");
    std::fs::write(&settings, format!("[records]\nurl = \"{url}\"\n")).unwrap();
    let doctor = [
        "doctor",
        dir[0],
        dir[1],
        "--json",
        "--config",
        text(&settings),
    ];
    let checked = run(&doctor).await;
    let said = String::from_utf8(checked.stdout).unwrap();
    assert!(checked.status.code() != Some(2), "{said}");
    assert!(
        said.contains("answers: PostgreSQL") && said.contains("chains are as they were"),
        "{said}"
    );
    let reached = done(&["check-config", "--connect", "--config", text(&settings)]).await;
    assert!(reached.contains("records: postgres://"), "{reached}");
    let unsaid = run(&["doctor", dir[0], dir[1], "--json"]).await;
    let said = String::from_utf8(unsaid.stdout).unwrap();
    assert!(
        said.contains("of which these settings know nothing"),
        "{said}"
    );

    // And back into a file.
    done(&on(&["records", "copy", "--back"])).await;
    let mut server = farm::server(&home).await;
    api.moved(&server);
    assert_eq!(tasks(&api).await, before);
    server.terminate().await;
    let both = refused(&list).await;
    assert!(both.contains("harit records copy"), "{both}");
}
