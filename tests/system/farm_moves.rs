//! A farm is given to another cell, cut off at random instants and made again: its past as people see it, its rules and its machines go
//! with it.

use std::fs;
use std::path::PathBuf;

use harit_testkit::{Dice, nats, postgres};
use reqwest::Method;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::backup::{done, text};
use crate::cells::{CELLS, Cell, started};
use crate::controller::{Controller, Link, Received};
use crate::farm::{Api, now_ms};
use crate::random::{between, dice};
use crate::server::{SETTINGS, Server, harit, machine, patience, run, until};

/// When the command is cut off at first, in milliseconds; each time later, until it ends before.
const CUT_MS: u64 = 100;
const SENSOR: &str = "t1";
pub(crate) const FAN: &str = "fan";

/// A farm with something to lose: a rule that started its fan, and an alert that was told.
pub(crate) async fn lives(cell: &Cell, mac: &str) -> (Controller, Link, Api) {
    let api = cell.owner(&cell.server).await;
    let account = api.register(mac).await;
    let controller = Controller::new(&account, &[SENSOR], &[FAN]);
    let link = controller.connect(cell.server.mqtt).await;
    api.device_online(FAN).await;
    let scope = json!({"type": "farm", "farmId": cell.farm});
    api.rule("heat", FAN, &scope, 1, 1).await;
    let alert = json!({
        "name": "Hot", "repeatsIn": 240, "repeatUnit": "minutes", "channels": ["EMAIL"], "severity": "critical",
        "scope": scope, "subscribers": [{"email": "nobody@else.test"}],
        "conditions": [{"id": "1", "sensor": "Temperature", "operator": ">", "value": 30, "unit": "°C"}],
    });
    let (status, answer) = api.post("alerts", &alert).await;
    assert_eq!(status, 201, "{answer}");
    let on = until("the fan starts", patience(), async || {
        link.reading(SENSOR, 34.0).1.await.unwrap();
        controller.received().into_iter().find(Received::on)
    });
    api.command_is(on.await.id(), "confirmed").await;
    until("the alert is told", patience(), async || {
        (told(&api).await == 1).then_some(())
    })
    .await;
    (controller, link, api)
}

/// Such a farm goes on elsewhere: its fan, which was on, goes off when it is cool.
pub(crate) async fn goes_off(cell: &Cell, controller: &Controller, at: &Server) {
    let link = controller.connect(at.mqtt).await;
    let api = cell.owner(at).await;
    api.device_online(FAN).await;
    until("the fan stops", patience(), async || {
        link.reading(SENSOR, 24.0).1.await.unwrap();
        let received = controller.received();
        received.last().filter(|command| !command.on()).map(drop)
    })
    .await;
}

/// How often the owner was told of the alert, or that it is over.
async fn told(api: &Api) -> u64 {
    let all = api.of_farm("notifications").await;
    let text = |n: &Value, of: &str| n[of].as_str().unwrap().to_owned();
    let all = all["items"].as_array().unwrap().iter();
    let of_it = all.filter(|n| text(n, "title").contains("Hot"));
    // What is told again before it is read is the same notification.
    let is_twice = |n: &Value| text(n, "message").contains("(2 times)");
    of_it.map(|n| 1 + u64::from(is_twice(n))).sum()
}

/// What a farm's people see of a span of its past.
async fn past(api: &Api, [from, to]: [i64; 2]) -> Value {
    let span = format!("from={from}&to={to}");
    let mut seen = json!({});
    for (what, path) in [
        (
            "readings",
            format!("sensors/{SENSOR}/history?{span}&step=60"),
        ),
        ("device", format!("devices/{FAN}/history?{span}")),
        ("commands", format!("commands?{span}")),
        ("log", format!("logs?{span}&pageSize=100")),
        ("rules", "rules".to_owned()),
    ] {
        seen[what] = api.of_farm(&path).await;
    }
    // What is of the time of asking, and numbers of the history's own.
    let forget = |of: &mut Value, what| drop(of.as_object_mut().unwrap().remove(what));
    forget(&mut seen["rules"][0], "status");
    forget(&mut seen["log"], "total");
    for entry in seen["log"]["items"].as_array_mut().unwrap() {
        forget(entry, "id");
    }
    seen
}

fn settings(cell: &Cell) -> PathBuf {
    cell.home.path(SETTINGS)
}

/// The arguments that give a farm of the one cell to the other one.
fn give(farm: &str, from: &Cell, to: &Cell) -> Vec<String> {
    let [own, other] = [from, to].map(settings);
    let data = from.home.data();
    let args = [
        "farm",
        "move",
        farm,
        "--data-dir",
        text(&data),
        "--config",
        text(&own),
    ];
    let args = args.into_iter().chain(["--to", text(&other)]);
    args.map(str::to_owned).collect()
}

async fn refused(args: &[String]) -> String {
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let output = run(&args).await;
    assert!(!output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// The cell that has a farm, by the records.
async fn whose(farm: &str, asked: &Cell) -> String {
    let (own, data) = (settings(asked), asked.home.data());
    let list = [
        "farm",
        "list",
        "--data-dir",
        text(&data),
        "--config",
        text(&own),
    ];
    let said = done(&list).await;
    let line = said.lines().find(|line| line.starts_with(farm)).unwrap();
    line.split_whitespace().nth(1).unwrap().to_owned()
}

/// Gives the farm to the other cell, which is cut off again and again.
async fn moved(dice: &mut Dice, farm: &str, from: &mut Cell, to: &mut Cell, names: [&str; 2]) {
    let args = give(farm, from, to);
    let mut after = CUT_MS;
    loop {
        let mut giving = harit().args(&args).spawn().unwrap();
        let cut = between(dice, after, 2 * after);
        if let Ok(ended) = timeout(cut, giving.wait()).await {
            let status = ended.unwrap();
            assert!(status.success(), "{status}");
            break;
        }
        giving.kill().await.unwrap();
        after = after * 3 / 2;
        let owner = whose(farm, from).await;
        eprintln!("cut off after {cut:.1?}: the farm is one of {owner}");
        // The cell that has it goes on, and no other one begins with it.
        let [has, other] = match owner == names[0] {
            true => [&mut *from, &mut *to],
            false => [&mut *to, &mut *from],
        };
        has.server.start().await;
        let (status, _) = has.server.terminate().await;
        assert!(status.success(), "{status}");
        other.server.spawn();
        until(
            "the other one is ready, or says why not",
            patience(),
            async || {
                let said = other.server.said();
                let is_over = said.contains(" ready ") || said.contains("run it again");
                is_over.then_some(())
            },
        )
        .await;
        other.server.kill().await;
    }
    assert_eq!(whose(farm, from).await, names[1]);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let again = done(&args).await;
    assert!(again.contains("already"), "{again}");
}

/// A farm's journal begins with its coming, also where it was once before.
async fn begins_with_its_coming(api: &Api, cell: &Cell, farm: &str, before: i64) {
    for (at, status) in [(before, 422), (now_ms(), 200)] {
        let path = format!("/api/farms/{farm}/devices/{FAN}/explanation?at={at}");
        let (answered, answer) = api.send(Method::GET, &path, None).await;
        assert_eq!(answered, status, "{answer}");
    }
    let [_, inputs] = cell.home.exported(farm).await;
    let inputs = fs::read_to_string(&inputs).unwrap();
    let first: Value = serde_json::from_str(inputs.lines().next().unwrap()).unwrap();
    assert!(first["at"].as_i64().unwrap() > before, "{first}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs nats-server and PostgreSQL: make test-cluster"]
async fn a_farm_moves_to_another_cell_with_its_past() {
    let _machine = machine().await;
    let mut dice = dice("a farm moves");
    let (nats, database) = (nats::Server::three(), postgres::Server::start());
    let cells = [
        (CELLS[0], "owner@north.example"),
        (CELLS[1], "owner@south.example"),
    ];
    let [mut north, mut south] = started(cells, &nats, &database, &[]).await;
    let began = now_ms();
    let (_, own_link, own_api) = lives(&north, "A4CF120B9E01").await;
    let (controller, link, mut api) = lives(&south, "A4CF120B9E02").await;
    let farm = south.farm.clone();

    let busy = refused(&give(&farm, &south, &north)).await;
    assert!(busy.contains("stop it first"), "{busy}");
    let mut span = [began, now_ms()];
    let [own, mut before] = [past(&own_api, span).await, past(&api, span).await];
    let own_span = span;
    drop((own_link, link));
    let (status, _) = south.server.terminate().await;
    assert!(status.success(), "{status}");
    let busy = refused(&give(&farm, &south, &north)).await;
    assert!(
        busy.contains("cell north") && busy.contains("are its servers stopped?"),
        "{busy}"
    );
    let (status, _) = north.server.terminate().await;
    assert!(status.success(), "{status}");
    for (args, why) in [
        (
            give(&farm, &south, &south),
            "both settings are of cell south",
        ),
        (give("nobody", &south, &north), "no farm nobody"),
        (give(&north.farm, &south, &north), "already"),
    ] {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let output = run(&args).await;
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        assert!(said.contains(why), "{said}");
    }

    // There, and back again: what it was at the first time is left behind.
    for n in 0..2 {
        let names = [CELLS[1 - n], CELLS[n]];
        match n {
            0 => moved(&mut dice, &farm, &mut south, &mut north, names).await,
            _ => moved(&mut dice, &farm, &mut north, &mut south, names).await,
        }
        north.server.start().await;
        south.server.start().await;
        let has = if n == 0 { &north } else { &south };
        // Whichever server is asked.
        for server in [&north.server, &south.server] {
            api.moved(server);
            let path = format!("/api/farms/{farm}/rules");
            until("its server is there", patience(), async || {
                let (status, _) = api.send(Method::GET, &path, None).await;
                (status == 200).then_some(())
            })
            .await;
            assert_eq!(past(&api, span).await, before);
        }
        let link = controller.connect(south.server.mqtt).await;
        api.device_online(FAN).await;
        let from = controller.received().len();
        let cooler = [24.0, 35.0][n];
        let wanted = n == 1;
        until("the rule goes on", patience(), async || {
            link.reading(SENSOR, cooler).1.await.unwrap();
            let received = controller.received();
            let new = received.into_iter().skip(from);
            new.last().filter(|command| command.on() == wanted)
        })
        .await;
        let readings = format!("sensors/{SENSOR}/history?from={}&step=60", span[1]);
        until("what was read is in the chart", patience(), async || {
            let chart = api.of_farm(&readings).await;
            (!chart["points"].as_array()?.is_empty()).then_some(())
        })
        .await;
        // It is over, and later it is raised again; nothing of before is told again.
        until("the alert is told", patience(), async || {
            (told(&api).await == 2 + n as u64).then_some(())
        })
        .await;
        let log = api.of_farm("logs?pageSize=100").await.to_string();
        assert!(log.contains("Farm moved to another server"), "{log}");
        begins_with_its_coming(&api, has, &farm, span[1]).await;
        // Those of the others go on.
        let own_api = north.owner(&has.server).await;
        let of_before = format!("devices/{FAN}/explanation?at={}", own_span[1]);
        let why = own_api.of_farm(&of_before).await.to_string();
        assert!(why.contains("heat"), "{why}");
        assert_eq!(past(&own_api, own_span).await, own);
        assert_eq!(told(&api).await, 2 + n as u64);
        span = [began, now_ms()];
        before = past(&api, span).await;
        drop(link);
        for cell in [&mut north, &mut south] {
            let (status, _) = cell.server.terminate().await;
            assert!(status.success(), "{status}");
        }
    }
}
