//! All machines of an installation of several cells are gone, and each cell's backup is put back: to new servers of NATS and a new
//! PostgreSQL, which begin with the records of the oldest.

use std::fs;

use harit_testkit::{nats, postgres};
use reqwest::Method;
use serde_json::{Value, json};

use crate::backup::{done, text};
use crate::cells::{CELLS, Cell, keys, made, own_settings, started};
use crate::farm::Api;
use crate::farm_moves::{FAN, goes_off, lives};
use crate::server::{SETTINGS, Server, machine, patience, until};
use crate::standby::reached;
use crate::standby_beside::restored;

const BACKUPS: &str = "backups";
/// Of a farm that only one of the backups has.
const LATER: &str = "owner@later.example";

/// Runs a command over a cell's data directory with its settings.
async fn over(cell: &Cell, command: &[&str]) -> String {
    let (data, settings) = (cell.home.data(), cell.home.path(SETTINGS));
    let place = ["--data-dir", text(&data), "--config", text(&settings)];
    done(&[command, &place].concat()).await
}

async fn backed_up(cell: &Cell) {
    let to = cell.home.path(BACKUPS);
    over(cell, &["backup", "--to", text(&to)]).await;
}

/// The rules of a cell's farm, asked of a server, which may not have found yet who has them.
async fn rules(cell: &Cell, at: &Server) -> Vec<String> {
    let api = cell.owner(at).await;
    let path = format!("/api/farms/{}/rules", cell.farm);
    let rules = until("its server is there", patience(), async || {
        let (status, rules) = api.send(Method::GET, &path, None).await;
        (status == 200).then_some(rules)
    })
    .await;
    let id = |rule: &Value| rule["id"].as_str().unwrap().to_owned();
    rules.as_array().unwrap().iter().map(id).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs nats-server and PostgreSQL: make test-cluster"]
async fn the_backups_of_several_cells_are_put_back() {
    let _machine = machine().await;
    let (nats, database) = (nats::Server::three(), postgres::Server::start());
    let cells = [
        (CELLS[0], "owner@north.example"),
        (CELLS[1], "owner@south.example"),
    ];
    let [mut north, mut south] = started(cells, &nats, &database, &[]).await;
    let (own, link, _) = lives(&north, "A4CF120B9E01").await;
    let (other, other_link, _) = lives(&south, "A4CF120B9E02").await;
    drop((link, other_link));
    backed_up(&north).await;
    // What the older one lacks: a rule, which the journals have, and a farm, of which its records know nothing.
    let scope = json!({"type": "farm", "farmId": south.farm});
    let api = south.owner(&south.server).await;
    api.rule("later", FAN, &scope, 1, 1).await;
    assert!(south.server.terminate().await.0.success());
    let (later, _) = made("Later", LATER, &south.home).await;
    south.server.start().await;
    backed_up(&south).await;
    for cell in [&mut north, &mut south] {
        cell.server.kill().await;
    }
    drop((nats, database));

    let (nats, database) = (nats::Server::three(), postgres::Server::start());
    let records = database.database();
    for (cell, name, farms) in [(&mut north, CELLS[0], 1), (&mut south, CELLS[1], 2)] {
        let home = restored(&cell.home.path(BACKUPS), farms).await;
        let path = home.path(SETTINGS);
        fs::write(&path, own_settings(name, &nats, &database, &records)).unwrap();
        reached(&home).await;
        cell.server = home.stopped(&["--config", text(&path)], &[]);
        cell.home = home;
    }
    let data = north.home.data();
    let copy = ["records", "copy", "--records-url", &records];
    done(&[&copy[..], &["--data-dir", text(&data)]].concat()).await;
    // The other one's are newer than what is put back.
    keys(&north.home, &south.home);
    let file = south.home.data().join("records.db");
    fs::rename(&file, south.home.path("records.db")).unwrap();
    for cell in [&mut north, &mut south] {
        over(cell, &["journal", "move"]).await;
        cell.server.start().await;
    }
    let lost = format!("--farm {later}");
    let said = south.server.said();
    assert!(said.contains(&lost), "{said}");

    for server in [&north.server, &south.server] {
        assert_eq!(rules(&north, server).await, ["heat"]);
        assert_eq!(rules(&south, server).await, ["heat", "later"]);
    }
    goes_off(&north, &own, &south.server).await;
    goes_off(&south, &other, &north.server).await;
    // Somebody owns again what the records have lost.
    assert!(south.server.terminate().await.0.success());
    let add = ["user", "add", LATER, "--name", "Owner"];
    let lost = ["--new-farm", "Later", "--farm", &later];
    let said = over(&south, &[&add[..], &lost].concat()).await;
    let password = said.lines().find_map(|l| l.strip_prefix("password "));
    south.server.start().await;
    let api = Api::sign_in(&south.server, &later, LATER, password.unwrap()).await;
    assert_eq!(api.of_farm("rules").await, json!([]));
    let said = south.server.said();
    assert!(!said.contains("nobody can sign in"), "{said}");
}
