//! What there is beside [two servers](crate::standby) on one NATS: commands that read the journals there, another installation, and what
//! the servers of NATS say of themselves.

use std::fs;
use std::path::Path;

use harit_testkit::nats;
use serde_json::Value;

use crate::backup::{done, text};
use crate::farm::{Api, now_ms};
use crate::redelivery::judged;
use crate::server::{Home, SETTINGS, Server, run};
use crate::standby::{OWNER, Pair, farms, moved, settings};

/// What is asked of the journals beside the server at work, of what was after an instant.
pub(crate) async fn the_past_is_told(home: &Home, since: i64) {
    let (data, settings) = (home.data(), home.path(SETTINGS));
    let (farm, from, to) = (
        farms().account(0).farm,
        since.to_string(),
        now_ms().to_string(),
    );
    let of = [
        "--farm",
        &farm,
        "--data-dir",
        text(&data),
        "--config",
        text(&settings),
    ];
    let span = ["--from", &from, "--to", &to];
    let traced = done(&[&["trace", "--json"], &of[..], &span].concat()).await;
    let mut traced = traced
        .lines()
        .map(|l| serde_json::from_str::<Value>(l).unwrap());
    // A rule may also start when its device's report comes, long after its condition began to hold.
    let began_here = |t: &Value| t["began"]["input"]["input"] == "telemetry";
    let first = traced.find(began_here);
    let first = first.expect("a reading began what a rule waited for");
    let command = &first["command"];
    let [rule, device] = ["cause", "device"].map(|of| command[of].as_str().unwrap());
    let explain = ["explain", "--json", "--rule", rule, "--at", &to];
    let explained = done(&[&explain[..], &of].concat()).await;
    let explained: Value = serde_json::from_str(&explained).unwrap();
    assert!(explained["phase"].is_string(), "{explained}");
    let folder = home.path("incident");
    let export = [
        "incident",
        "export",
        "--device",
        device,
        "--out",
        text(&folder),
    ];
    done(&[&export[..], &of[..], &span].concat()).await;
    done(&["incident", "verify", text(&folder)]).await;
}

/// Another installation on the same NATS and the same PostgreSQL, which begins there: a first person with a farm, a start, a sign-in.
pub(crate) async fn another_begins(pair: &Pair) {
    let home = Home::empty();
    let (data, settings, url) = (home.data(), home.path(SETTINGS), pair.database.database());
    let [storage, journal] = [
        "journal_max_mib = 64\n",
        "max_mib = 128\ncluster = \"another\"\n",
    ];
    let own = crate::standby::settings(&pair.nats, &url, [storage, journal]);
    fs::write(&settings, own).unwrap();
    let place = ["--data-dir", text(&data), "--config", text(&settings)];
    let add = [
        "user",
        "add",
        OWNER,
        "--name",
        "Owner",
        "--new-farm",
        "Farm",
    ];
    let said = done(&[&add[..], &place].concat()).await;
    let after = |word: &str| said.lines().find_map(|l| l.split_once(word)).unwrap().1;
    let (farm, password) = (after("owns farm "), after("password "));
    let mut server = home.server(&["--config", text(&settings)], &[]).await;
    let api = Api::sign_in(&server, farm, OWNER, password).await;
    assert_eq!(api.of_farm("rules").await, serde_json::json!([]));
    assert!(server.terminate().await.0.success());
}

/// Makes a data directory of the newest backup, in which `farms` are what they were; a home that has it.
pub(crate) async fn restored(repository: &Path, farms: usize) -> Home {
    let home = Home::empty();
    let (from, data) = (["--from", text(repository)], home.data());
    let said = done(&[&["restore"][..], &from, &["--data-dir", text(&data)]].concat()).await;
    let are = |line: &str| -> Option<usize> {
        let (_, journal) = line.split_once("journal of shard ")?.1.split_once(": ")?;
        journal.split_once(" farms fold to")?.0.parse().ok()
    };
    assert_eq!(said.lines().filter_map(are).sum::<usize>(), farms, "{said}");
    home
}

/// A backup of the two, made beside the one at work, is a server that goes on by itself: without NATS, and without PostgreSQL.
pub(crate) async fn a_backup_goes_on_alone(pair: &Pair, sent: &[u64]) {
    let (home, repository) = (&pair.homes[pair.active], pair.homes[0].path("backups"));
    let (data, settings) = (home.data(), home.path(SETTINGS));
    let place = ["--data-dir", text(&data), "--config", text(&settings)];
    done(&[&["backup", "--to", text(&repository)][..], &place].concat()).await;
    let home = restored(&repository, farms().farms).await;
    judged(&home, &home.data(), &pair.senders, sent).await;
    let mut server = home.server(&[], &[]).await;
    let farm = farms().account(0).farm;
    let rules = async |of: &Server| {
        let api = Api::sign_in(of, &farm, OWNER, &pair.password).await;
        let rules = api.of_farm("rules").await;
        let rules = rules.as_array().unwrap().iter();
        rules.map(|r| r["etag"].clone()).collect::<Vec<_>>()
    };
    let were = rules(&pair.servers[pair.active]).await;
    assert!(!were.is_empty());
    assert_eq!(rules(&server).await, were);
    assert!(server.terminate().await.0.success());
    // And back to NATS, as another installation.
    let (url, path) = (pair.database.database(), home.path(SETTINGS));
    let [storage, journal] = [
        "journal_max_mib = 64\n",
        "max_mib = 128\ncluster = \"restored\"\n",
    ];
    let own = crate::standby::settings(&pair.nats, &url, [storage, journal]);
    fs::write(&path, own).unwrap();
    moved(&home, &url).await;
    let mut server = home.server(&["--config", text(&path)], &[]).await;
    assert_eq!(rules(&server).await, were);
    assert!(server.terminate().await.0.success());
}

#[tokio::test]
#[ignore = "needs nats-server: make test-cluster"]
async fn a_server_of_nats_that_syncs_later_than_it_acknowledges_is_found() {
    let later = [("sync_interval: always", "sync_interval: 2m")];
    let nats = nats::Server::three_on([None; 3], &later);
    let home = Home::empty();
    let (data, path) = (home.data(), home.path(SETTINGS));
    fs::create_dir(&data).unwrap();
    fs::write(data.join("codes.key"), [7; 32]).unwrap();
    // No database answers there, which is found too.
    let nowhere = "postgres://a@127.0.0.1:9/a";
    fs::write(&path, settings(&nats, nowhere, ["", ""])).unwrap();
    let looked = run(&[
        "doctor",
        "--quick",
        "--data-dir",
        text(&data),
        "--config",
        text(&path),
    ])
    .await;
    let said = String::from_utf8(looked.stdout).unwrap();
    assert!(
        said.contains("does not sync what it acknowledges"),
        "{said}"
    );
}
