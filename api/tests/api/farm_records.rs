//! What people write down of their farm: a season, what is wrong with it, and who sees what it cost.

use harit_api::Role;
use jiff::ToSpan;
use jiff::tz::TimeZone;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::live::Socket;
use crate::notifications;
use crate::places::{call, made, named};
use crate::support::{App, Person};

const FARM: &str = "/api/farms/a";

/// The kinds of records: list, parameter, one as people write it, and the same with another word. An `ID` stands for the id of the
/// crop cycle, or of the item, that was made before.
pub(crate) fn kinds() -> Vec<(&'static str, &'static str, Value, Value)> {
    let with = |of: &Value, field: &str, value: Value| {
        let mut changed = of.clone();
        changed[field] = value;
        changed
    };
    let stages = json!([{"name": "Growth", "days": 30, "setpoints": [{"sensorType": "temperature", "min": 18, "max": 26.5}]}]);
    let template = json!({"name": "Capsicum", "crop": "Capsicum", "stages": stages});
    let cycle = json!({"crop": "Capsicum", "zoneId": "z-1"});
    let item = json!({"name": "Urea", "category": "FERTILISER", "unit": "KG"});
    let nursery = json!({"crop": "Tomato", "trays": 2, "cellsPerTray": 98, "sownOn": "2026-06-01"});
    let movement = json!({"itemId": "ID", "kind": "IN", "quantity": 10, "movedOn": "2026-06-01"});
    let harvest =
        json!({"cycleId": "ID", "harvestedOn": "2026-08-01", "weightKg": 12.5, "grade": "A"});
    let line = json!({"what": "Capsicum", "quantity": 2.5, "unit": "KG", "pricePaise": 4050});
    let sale = json!({"buyer": "Mandi", "soldOn": "2026-08-02", "lines": [line]});
    let expense = json!({"what": "Power", "category": "ELECTRICITY", "spentOn": "2026-08-03", "amountPaise": 10_000});
    let note = |of: &Value| with(of, "note", json!("seen"));
    vec![
        (
            "templates",
            "templateId",
            template.clone(),
            with(&template, "name", json!("Other")),
        ),
        ("crop-cycles", "cycleId", cycle.clone(), note(&cycle)),
        ("nurseries", "nurseryId", nursery.clone(), note(&nursery)),
        ("inventory", "itemId", item.clone(), note(&item)),
        (
            "stock-movements",
            "movementId",
            movement.clone(),
            note(&movement),
        ),
        ("harvests", "harvestId", harvest.clone(), note(&harvest)),
        ("sales", "saleId", sale.clone(), note(&sale)),
        ("expenses", "expenseId", expense.clone(), note(&expense)),
        (
            "notes",
            "noteId",
            json!({"at": 1_780_000_000_000_i64, "zoneId": "z-1", "text": "Sprayed neem"}),
            json!({"at": 1_780_000_000_000_i64, "text": "Sprayed neem, twice"}),
        ),
    ]
}

/// The same with what was made before in place of `ID`.
pub(crate) fn about(mut input: Value, list: &str, cycle: &str, item: &str) -> Value {
    match list {
        "harvests" => input["cycleId"] = json!(cycle),
        "stock-movements" => input["itemId"] = json!(item),
        _ => {}
    }
    input
}

/// A day in the farm, so many days from today.
fn day(from_today: i64) -> String {
    let zone = TimeZone::get("Asia/Kolkata").expect("a time zone");
    let today = jiff::Timestamp::now().to_zoned(zone).date();
    today.saturating_add(from_today.days()).to_string()
}

async fn add(app: &App, by: &Person, list: &str, body: Value) -> Value {
    made(app, by, &format!("{FARM}/{list}"), body).await
}

async fn tiles(app: &App, by: &Person) -> Value {
    let summary = app.get(by, &format!("{FARM}/summary")).await;
    let summary = summary.expect(StatusCode::OK);
    let names = [
        "nurseries",
        "inventoryAvailablePercent",
        "utilizationPercent",
        "expectedHarvestRevenue",
        "inventoryCost",
        "salesRevenue",
    ];
    names.iter().map(|name| summary[*name].clone()).collect()
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a story")]
async fn a_season_moves_the_tiles_at_each_step() {
    let (app, owner) = App::with_owner().await;
    let mut socket = Socket::signed_in(&app, &owner).await;
    socket.subscribe(&json!({"farmId": "a"})).await;
    assert_eq!(
        tiles(&app, &owner).await,
        json!([0, null, 0, null, null, null])
    );

    let sown = json!({"crop": "Capsicum", "variety": "Indra", "trays": 10, "cellsPerTray": 98, "sownOn": day(-40), "readyOn": day(-5)});
    let batch = add(&app, &owner, "nurseries", sown.clone()).await;
    assert_eq!(
        socket.event("records").await,
        json!({"kinds": ["nurseries"]})
    );
    assert_eq!(
        (
            &batch["seeds"],
            &batch["state"],
            &batch["germinatedPercent"]
        ),
        (&json!(980), &json!("READY"), &Value::Null)
    );
    assert_eq!(tiles(&app, &owner).await[0], 1);

    let stage = |name: &str, days| json!({"name": name, "days": days, "setpoints": []});
    let stages = json!([stage("Rooting", 10), stage("Growth", 30)]);
    let cycle = json!({
        "crop": "Capsicum", "variety": "Indra", "zoneId": "z-1", "plants": 900, "transplantedOn": day(-12), "stages": stages,
        "expectedHarvestOn": day(30), "expectedYieldKg": 100, "expectedPricePaise": 5_000,
    });
    let cycle = add(&app, &owner, "crop-cycles", cycle).await;
    assert_eq!(
        (
            &cycle["state"],
            &cycle["zone"],
            &cycle["stage"]["name"],
            &cycle["stage"]["day"]
        ),
        (
            &json!("GROWING"),
            &json!("Polyhouse 1, North"),
            &json!("Growth"),
            &json!(3)
        )
    );
    // one of two zones is used, and 100 kg at 50 rupees are expected
    assert_eq!(
        tiles(&app, &owner).await,
        json!([1, null, 50, 500_000, null, null])
    );

    let mut gone = sown;
    gone["germinated"] = json!(950);
    gone["transplanted"] = json!(900);
    gone["transplantedOn"] = json!(day(-12));
    gone["cycleId"] = cycle["id"].clone();
    let path = format!("{FARM}/nurseries/{}", batch["id"].as_str().expect("an id"));
    let (_, moved) = call(&app, &owner, Method::PUT, &path, gone).await;
    assert_eq!(
        (
            &moved["state"],
            &moved["germinatedPercent"],
            &moved["cycle"]
        ),
        (&json!("TRANSPLANTED"), &json!(96), &json!("Capsicum Indra"))
    );
    assert_eq!(tiles(&app, &owner).await[0], 0);

    for (grade, kg) in [("A", json!(20.5)), ("B", json!(9.5)), ("WASTE", json!(1))] {
        let picked =
            json!({"cycleId": cycle["id"], "harvestedOn": day(-1), "weightKg": kg, "grade": grade});
        let picked = add(&app, &owner, "harvests", picked).await;
        assert_eq!(picked["zone"], "Polyhouse 1, North");
    }
    // 69 kg are still to come
    assert_eq!(tiles(&app, &owner).await[3], 345_000);

    let item = json!({"name": "Urea", "category": "FERTILISER", "unit": "KG", "lowestStock": 5});
    let item = add(&app, &owner, "inventory", item).await;
    assert_eq!(item["isLow"], true, "there is none yet");
    let bought = json!({"itemId": item["id"], "kind": "IN", "quantity": 10, "movedOn": day(-3), "costPaise": 30_000});
    add(&app, &owner, "stock-movements", bought).await;
    assert_eq!(
        tiles(&app, &owner).await,
        json!([0, 100, 50, 345_000, 30_000, null])
    );
    let used = json!({"itemId": item["id"], "kind": "OUT", "quantity": 6, "movedOn": day(-2), "cycleId": cycle["id"]});
    add(&app, &owner, "stock-movements", used).await;
    assert_eq!(
        tiles(&app, &owner).await,
        json!([0, 0, 50, 345_000, 12_000, null])
    );

    let line = |what: &str, kg: Value, price: i64| json!({"what": what, "grade": "A", "cycleId": cycle["id"], "quantity": kg, "unit": "KG", "pricePaise": price});
    let lines = [
        line("Capsicum", json!(20.5), 5_555),
        line("Capsicum", json!(9.5), 3_000),
    ];
    let sale = json!({"buyer": "Ramesh", "soldOn": day(0), "lines": lines, "paidPaise": 100_000});
    let sale = add(&app, &owner, "sales", sale).await;
    // 113877.5 paise are 113878, and 28500
    assert_eq!(
        (&sale["totalPaise"], &sale["state"]),
        (&json!(142_378), &json!("PARTLY_PAID"))
    );
    assert_eq!(
        tiles(&app, &owner).await,
        json!([0, 0, 50, 345_000, 12_000, 142_378])
    );
    let power = json!({"what": "Power", "category": "ELECTRICITY", "spentOn": day(0), "amountPaise": 42_378, "cycleId": cycle["id"]});
    add(&app, &owner, "expenses", power).await;

    let report = app
        .get(&owner, &format!("{FARM}/report?from={}", day(-60)))
        .await;
    let report = report.expect(StatusCode::OK);
    let sum = |name: &str| -> i64 {
        let months = report["months"].as_array().expect("months").iter();
        months.map(|m| m[name].as_i64().expect("paise")).sum()
    };
    assert_eq!(
        [
            "soldPaise",
            "paidPaise",
            "spentPaise",
            "boughtPaise",
            "profitPaise"
        ]
        .map(sum),
        [142_378, 100_000, 42_378, 30_000, 70_000]
    );
    assert_eq!(
        report["cycles"],
        json!([{
            "cycleId": cycle["id"], "cycle": "Capsicum Indra", "zone": "Polyhouse 1, North", "soldPaise": 142_378, "spentPaise": 42_378,
            "harvestedKg": {"a": 20.5, "b": 9.5, "c": 0, "waste": 1},
        }])
    );
    let earlier = app
        .get(&owner, &format!("{FARM}/report?to={}", day(-60)))
        .await;
    assert_eq!(
        earlier.expect(StatusCode::OK),
        json!({"months": [], "cycles": []})
    );
    let wrong = app.get(&owner, &format!("{FARM}/report?to=soon")).await;
    wrong.expect(StatusCode::BAD_REQUEST);
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a table")]
async fn everything_that_is_wrong_is_said_with_its_limits() {
    let (app, owner) = App::with_owner().await;
    app.farm("b").await;
    let cycle = add(
        &app,
        &owner,
        "crop-cycles",
        json!({"crop": "Rose", "zoneId": "z-1"}),
    )
    .await;
    let item = json!({"name": "Urea", "category": "FERTILISER", "unit": "KG"});
    let item = add(&app, &owner, "inventory", item).await;
    let bad = [
        (
            "harvests",
            json!({}),
            vec!["cycleId", "harvestedOn", "weightKg", "grade"],
        ),
        (
            "harvests",
            json!({"cycleId": "nobody", "harvestedOn": "2026-02-30", "weightKg": 0.0001, "grade": "Z"}),
            vec!["cycleId", "harvestedOn", "weightKg", "grade"],
        ),
        (
            "crop-cycles",
            json!({"crop": " ", "zoneId": "z-9", "plants": 0, "sownOn": "2026-02-01", "transplantedOn": "2026-01-01", "endedOn": "2025-01-01",
                "stages": [{"name": "", "days": 0, "setpoints": [
                    {"sensorType": "ph", "min": 6, "max": 5}, {"sensorType": "ph", "min": 5, "max": 6}]}]}),
            vec![
                "crop",
                "zoneId",
                "plants",
                "stages[0].name",
                "stages[0].days",
                "stages[0].setpoints[0].max",
                "stages[0].setpoints[1].sensorType",
                "transplantedOn",
                "endedOn",
            ],
        ),
        (
            "nurseries",
            json!({"crop": "Tomato", "trays": 1, "cellsPerTray": 10, "sownOn": "2026-02-02", "germinated": 11, "transplanted": 12,
                "readyOn": "2026-02-01"}),
            vec!["germinated", "transplanted", "readyOn", "transplantedOn"],
        ),
        (
            "templates",
            json!({"name": "x", "crop": "y", "stages": []}),
            vec!["stages"],
        ),
        (
            "inventory",
            json!({"name": "x".repeat(121), "category": "SEED", "unit": "KG", "lowestStock": -1}),
            vec!["name", "lowestStock"],
        ),
        (
            "inventory",
            json!({"name": "Urea", "category": "SEED", "unit": "KG"}),
            vec!["name"],
        ),
        (
            "stock-movements",
            json!({"itemId": item["id"], "kind": "OUT", "quantity": 1, "movedOn": "2026-02-02"}),
            vec!["quantity"],
        ),
        (
            "stock-movements",
            json!({"itemId": item["id"], "kind": "COUNT", "movedOn": "2026-02-02", "costPaise": 5}),
            vec!["quantity", "costPaise"],
        ),
        (
            "sales",
            json!({"buyer": "x", "soldOn": "2026-02-02", "paidPaise": 101, "lines": [
                {"what": "a", "grade": null, "cycleId": "b", "quantity": 1, "unit": "KG", "pricePaise": 100}]}),
            vec!["lines[0].cycleId", "paidPaise"],
        ),
        (
            "sales",
            json!({"buyer": "x", "soldOn": "2026-02-02", "lines": []}),
            vec!["lines"],
        ),
        (
            "expenses",
            json!({"what": "x", "category": "", "spentOn": "tomorrow", "amountPaise": -1}),
            vec!["category", "spentOn", "amountPaise"],
        ),
    ];
    for (list, input, paths) in bad {
        let (status, said) = call(
            &app,
            &owner,
            Method::POST,
            &format!("{FARM}/{list}"),
            input.clone(),
        )
        .await;
        assert_eq!(
            status,
            StatusCode::UNPROCESSABLE_ENTITY,
            "{list} {input}: {said}"
        );
        let mut found: Vec<_> = named(&said).into_iter().map(|(path, _)| path).collect();
        let mut paths = paths;
        found.sort_unstable();
        paths.sort_unstable();
        assert_eq!(found, paths, "{list} {input}: {said}");
    }
    let heavy = json!({"cycleId": cycle["id"], "harvestedOn": "2026-02-02", "weightKg": 10_000_001, "grade": "A"});
    let (_, said) = call(
        &app,
        &owner,
        Method::POST,
        &format!("{FARM}/harvests"),
        heavy,
    )
    .await;
    assert_eq!(
        said["problems"][0],
        json!({"path": "weightKg", "code": "out_of_range", "message": "This is out of range: 0.001 to 10000000", "min": 0.001, "max": 10_000_000})
    );
    // a neighbour's is nothing that one can refer to
    let neighbour = app.person("b", Role::Owner).await;
    let theirs =
        json!({"cycleId": cycle["id"], "harvestedOn": "2026-02-02", "weightKg": 1, "grade": "A"});
    let (status, said) = call(
        &app,
        &neighbour,
        Method::POST,
        "/api/farms/b/harvests",
        theirs,
    )
    .await;
    assert_eq!(
        (status, &said["problems"][0]["code"]),
        (StatusCode::UNPROCESSABLE_ENTITY, &json!("unknown"))
    );
}

#[tokio::test]
async fn what_is_referred_to_stays_and_stock_follows_every_change() {
    let (app, owner) = App::with_owner().await;
    let cycle = add(
        &app,
        &owner,
        "crop-cycles",
        json!({"crop": "Rose", "zoneId": "z-1"}),
    )
    .await;
    let new = |name: &str| json!({"name": name, "category": "FERTILISER", "unit": "KG"});
    let urea = add(&app, &owner, "inventory", new("Urea")).await;
    let potash = add(&app, &owner, "inventory", new("Potash")).await;
    let at =
        |list: &str, of: &Value| format!("{FARM}/{list}/{}", of["id"].as_str().expect("an id"));
    let moved = |item: &Value, kind: &str, day: &str, quantity: i64| json!({"itemId": item["id"], "kind": kind, "quantity": quantity, "movedOn": day, "cycleId": cycle["id"]});
    let bought = add(
        &app,
        &owner,
        "stock-movements",
        moved(&urea, "IN", "2026-01-01", 10),
    )
    .await;
    let used = add(
        &app,
        &owner,
        "stock-movements",
        moved(&urea, "OUT", "2026-01-05", 4),
    )
    .await;
    let stock = async || {
        let list = app
            .get(&owner, &format!("{FARM}/inventory"))
            .await
            .expect(StatusCode::OK);
        let of = |item: &Value| {
            list.as_array()
                .expect("a list")
                .iter()
                .find(|i| i["id"] == item["id"])
                .expect("it")["stock"]
                .clone()
        };
        json!([of(&urea), of(&potash)])
    };
    assert_eq!(stock().await, json!([6, 0]));
    for (list, of) in [("crop-cycles", &cycle), ("inventory", &urea)] {
        let (status, said) = call(&app, &owner, Method::DELETE, &at(list, of), json!({})).await;
        assert_eq!(
            (status, &said["code"]),
            (StatusCode::CONFLICT, &json!("in_use"))
        );
    }
    let mut litres = new("Urea");
    litres["unit"] = json!("L");
    let (status, _) = call(&app, &owner, Method::PUT, &at("inventory", &urea), litres).await;
    assert_eq!(
        status,
        StatusCode::UNPROCESSABLE_ENTITY,
        "what was moved was moved in kilograms"
    );
    // it cannot have been used before it was bought, nor bought never
    let path = at("stock-movements", &bought);
    let (status, said) = call(
        &app,
        &owner,
        Method::PUT,
        &path,
        moved(&urea, "IN", "2026-01-06", 10),
    )
    .await;
    assert_eq!(
        (status, &said["problems"][0]["max"]),
        (StatusCode::UNPROCESSABLE_ENTITY, &json!(0))
    );
    let (status, _) = call(&app, &owner, Method::DELETE, &path, json!({})).await;
    assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(stock().await, json!([6, 0]), "nothing was changed");
    // what was written for another item moves over with its stock
    let path = at("stock-movements", &used);
    let (status, _) = call(
        &app,
        &owner,
        Method::PUT,
        &path,
        moved(&potash, "IN", "2026-01-05", 4),
    )
    .await;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(stock().await, json!([10, 4]));
    let (status, _) = call(&app, &owner, Method::DELETE, &path, json!({})).await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    assert_eq!(stock().await, json!([10, 0]));
}

#[tokio::test]
async fn a_viewer_sees_what_grows_and_no_money() {
    let (app, owner) = App::with_owner().await;
    let viewer = app.person("a", Role::Viewer).await;
    let cycle = json!({"crop": "Rose", "zoneId": "z-1", "sownOn": "2026-01-01", "expectedYieldKg": 10, "expectedPricePaise": 100});
    add(&app, &owner, "crop-cycles", cycle).await;
    let item = add(
        &app,
        &owner,
        "inventory",
        json!({"name": "Urea", "category": "FERTILISER", "unit": "KG"}),
    )
    .await;
    let bought = json!({"itemId": item["id"], "kind": "IN", "quantity": 1, "movedOn": "2026-01-01", "costPaise": 700});
    add(&app, &owner, "stock-movements", bought).await;
    for (list, field, paise) in [
        ("crop-cycles", "expectedPricePaise", 100),
        ("inventory", "valuePaise", 700),
        ("stock-movements", "costPaise", 700),
    ] {
        let path = format!("{FARM}/{list}");
        let seen = app.get(&owner, &path).await.expect(StatusCode::OK);
        assert_eq!(seen[0][field], paise, "{list}");
        let seen = app.get(&viewer, &path).await.expect(StatusCode::OK);
        assert_eq!(seen[0][field], Value::Null, "{list}");
    }
    assert_eq!(
        tiles(&app, &owner).await,
        json!([0, 100, 50, 1_000, 700, null])
    );
    assert_eq!(
        tiles(&app, &viewer).await,
        json!([0, 100, 50, null, null, null])
    );
}

#[tokio::test]
async fn who_belongs_to_the_farm_is_told_when_something_runs_low() {
    let app = notifications::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let item = json!({"name": "Urea", "category": "FERTILISER", "unit": "KG", "lowestStock": 5});
    let item = add(&app, &owner, "inventory", item).await;
    for (kind, quantity) in [("IN", 6), ("OUT", 1)] {
        let moved = json!({"itemId": item["id"], "kind": kind, "quantity": quantity, "movedOn": "2026-11-20"});
        add(&app, &owner, "stock-movements", moved).await;
    }
    let told = notifications::told(&app, &owner, "a", 1).await;
    assert_eq!(notifications::titles(&told), ["Stock is low: Urea"]);
    assert_eq!(told["items"][0]["link"], "/inventory");
}

#[tokio::test]
async fn a_task_is_about_a_cycle_a_zone_or_a_device() {
    let (app, owner) = App::with_owner().await;
    let cycle = add(
        &app,
        &owner,
        "crop-cycles",
        json!({"crop": "Rose", "zoneId": "z-1"}),
    )
    .await;
    let task = |about: Value| json!({"title": "Look", "dueDate": "2099-12-31", "about": about});
    for (kind, id, name) in [
        ("CROP_CYCLE", &cycle["id"], "Rose"),
        ("ZONE", &json!("z-2"), "Polyhouse 1, South"),
        ("DEVICE", &json!("fan-1"), "Fan"),
    ] {
        let made = add(&app, &owner, "tasks", task(json!({"kind": kind, "id": id}))).await;
        assert_eq!(made["about"], json!({"kind": kind, "id": id, "name": name}));
    }
    let (status, said) = call(
        &app,
        &owner,
        Method::POST,
        &format!("{FARM}/tasks"),
        task(json!({"kind": "ZONE", "id": "fan-1"})),
    )
    .await;
    assert_eq!(
        (status, named(&said)[0].0),
        (StatusCode::UNPROCESSABLE_ENTITY, "about.id")
    );
    let (status, said) = call(
        &app,
        &owner,
        Method::POST,
        &format!("{FARM}/tasks"),
        task(json!({"kind": "FARM"})),
    )
    .await;
    assert_eq!(
        (status, named(&said).len()),
        (StatusCode::UNPROCESSABLE_ENTITY, 2)
    );
    let path = format!(
        "{FARM}/crop-cycles/{}",
        cycle["id"].as_str().expect("an id")
    );
    let (status, _) = call(&app, &owner, Method::DELETE, &path, json!({})).await;
    assert_eq!(status, StatusCode::NO_CONTENT);
    let tasks = app
        .get(&owner, &format!("{FARM}/tasks"))
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        tasks[0]["about"]["name"],
        Value::Null,
        "it is gone, and the task stays"
    );
}

#[tokio::test]
async fn notes_are_listed_by_the_day_of_their_moment_in_utc() {
    let (app, owner) = App::with_owner().await;
    let list = format!("{FARM}/notes");
    // 2026-05-28T20:26:40Z, which is the 29th in India
    let at = 1_780_000_000_000_i64;
    let note = json!({"at": at, "zoneId": "z-1", "text": "Sprayed neem\nagain"});
    let made = app.call(&owner, Method::POST, &list, &note).await;
    let made = made.expect(StatusCode::CREATED);
    assert_eq!(
        (&made["at"], &made["zoneId"], &made["text"]),
        (&note["at"], &note["zoneId"], &note["text"])
    );
    for (day, is_there) in [("2026-05-27", 0), ("2026-05-28", 1), ("2026-05-29", 0)] {
        let of_day = format!("{list}?from={day}&to={day}");
        let found = app.get(&owner, &of_day).await.expect(StatusCode::OK);
        assert_eq!(found.as_array().map(Vec::len), Some(is_there), "{day}");
    }
    for (wrong, field) in [
        (json!({"at": at, "text": " "}), "text"),
        (json!({"at": -1, "text": "x"}), "at"),
        (json!({"text": "x"}), "at"),
        (json!({"at": at, "text": "x", "zoneId": "z-none"}), "zoneId"),
        (json!({"at": at, "text": "x".repeat(2_001)}), "text"),
    ] {
        let refused = app.call(&owner, Method::POST, &list, &wrong).await;
        let refused = refused.expect(StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(refused["problems"][0]["path"], field, "{refused}");
    }
}
