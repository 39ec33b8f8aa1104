//! /onboarding/assets

use harit_api::Role;
use harit_engine::ScopeSpec;
use harit_ingest::ControllerDirectory;
use harit_protocol::Mac;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

use crate::support::App;

const PATH: &str = "/onboarding/assets";
const MAC_WORDS: &str = "Invalid MAC ID format (e.g., AA:BB:CC:DD:EE:FF or AABBCCDDEEFF)";

#[tokio::test]
async fn assets_become_controllers_with_what_they_control() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let body = json!({"assets": [
        {"type": "POLYHOUSE", "name": "", "macid": "aa:bb:cc:dd:ee:10"},
        {"type": "FERTIGATION", "name": "Mixing tank", "macid": "AA-BB-CC-DD-EE-11"},
        {"type": "FERTIGATION", "macid": "AABBCCDDEE12"},
    ]});
    let made = app
        .call(&owner, Method::POST, PATH, &body)
        .await
        .expect(StatusCode::CREATED);
    let names: Vec<_> = made["assets"]
        .as_array()
        .expect("assets")
        .iter()
        .map(|a| (&a["name"], &a["macid"]))
        .collect();
    assert_eq!(
        names,
        [
            (&json!("Polyhouse 2"), &json!("AABBCCDDEE10")),
            (&json!("Mixing tank"), &json!("AABBCCDDEE11")),
            (&json!("Reservoir 2"), &json!("AABBCCDDEE12")),
        ]
    );
    let mqtt = &made["assets"][0]["mqtt"];
    assert_eq!(
        (&mqtt["username"], &mqtt["topic"]),
        (&json!("AABBCCDDEE10"), &json!("harit/1/a/AABBCCDDEE10/"))
    );

    // the controller can sign in with what was shown, and belongs to the new polyhouse
    let mac = Mac::parse("AABBCCDDEE10").expect("a MAC");
    let secret = mqtt["password"].as_str().expect("a secret");
    let record = app
        .records
        .verify(&mac, secret.as_bytes())
        .await
        .expect("the secret");
    let polyhouse = made["assets"][0]["polyhouseId"]
        .as_str()
        .expect("a polyhouse");
    assert_eq!(record.scope, ScopeSpec::polyhouse(polyhouse));
    let polyhouses = app
        .get(&owner, "/api/farms/a/polyhouses")
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        (&polyhouses[1]["id"], &polyhouses[1]["zonesCount"]),
        (&json!(polyhouse), &json!(1))
    );
    let reservoirs = app
        .get(&owner, "/api/farms/a/reservoirs")
        .await
        .expect(StatusCode::OK);
    assert_eq!(reservoirs[0]["name"], "Mixing tank");

    // listed afterwards, without the secret
    let listed = app.get(&owner, PATH).await;
    assert!(!listed.text.contains(secret));
    let listed = listed.expect(StatusCode::OK);
    assert_eq!(listed["assets"].as_array().map(Vec::len), Some(3));
    assert_eq!(listed["assets"][1]["type"], "FERTIGATION");
}

#[tokio::test]
async fn what_is_wrong_is_said_in_the_specifications_words() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    for (assets, error) in [
        (json!([]), "At least one asset is required"),
        (
            json!([{"type": "BARN", "macid": "AABBCCDDEE10"}]),
            "Asset type is required",
        ),
        (
            json!([{"type": "POLYHOUSE", "macid": " "}]),
            "Controller MAC ID is required",
        ),
        (
            json!([{"type": "POLYHOUSE", "macid": "AA:BB:CC:DD:EE"}]),
            MAC_WORDS,
        ),
        (
            json!([{"type": "POLYHOUSE", "macid": "AA:BB:CC:DD:EE:10"}, {"type": "POLYHOUSE", "macid": "AABBCCDDEE10"}]),
            "This controller is in the list twice",
        ),
    ] {
        let refused = app
            .call(&owner, Method::POST, PATH, &json!({"assets": assets}))
            .await
            .expect(StatusCode::UNPROCESSABLE_ENTITY);
        assert_eq!(refused["error"], error);
    }
    let refused = app
        .call(&owner, Method::POST, PATH, &json!({}))
        .await
        .expect(StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(refused["error"], "At least one asset is required");
    assert_eq!(
        app.get(&owner, PATH).await.expect(StatusCode::OK)["assets"],
        json!([])
    );
}

#[tokio::test]
async fn anothers_controller_is_refused_and_makes_nothing() {
    let app = App::start().await;
    app.farm("a").await;
    app.farm("b").await;
    let (a, b) = (
        app.person("a", Role::Owner).await,
        app.person("b", Role::Owner).await,
    );
    let asset =
        |mac: &str| json!({"assets": [{"type": "POLYHOUSE", "name": "House", "macid": mac}]});
    app.call(&a, Method::POST, PATH, &asset("AABBCCDDEE10"))
        .await
        .expect(StatusCode::CREATED);
    let taken = app
        .call(&b, Method::POST, PATH, &asset("AABBCCDDEE10"))
        .await;
    let taken = taken.expect(StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(taken["problems"][0]["code"], "mac_taken");
    let polyhouses = app
        .get(&b, "/api/farms/b/polyhouses")
        .await
        .expect(StatusCode::OK);
    assert_eq!(
        polyhouses.as_array().map(Vec::len),
        Some(1),
        "nothing is left of what was refused"
    );
}

#[tokio::test]
async fn of_two_who_claim_a_controller_at_once_one_gets_it() {
    let app = App::start().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let body = json!({"assets": [{"type": "POLYHOUSE", "macid": "AABBCCDDEE10"}]});
    let claim = || app.call(&owner, Method::POST, PATH, &body);
    let (a, b, c, d) = tokio::join!(claim(), claim(), claim(), claim());
    let made = [a, b, c, d]
        .iter()
        .filter(|answer| answer.status == StatusCode::CREATED)
        .count();
    assert_eq!(made, 1);
    let polyhouses = app
        .get(&owner, "/api/farms/a/polyhouses")
        .await
        .expect(StatusCode::OK);
    assert_eq!(polyhouses.as_array().map(Vec::len), Some(2), "{polyhouses}");
}

#[tokio::test]
async fn assets_are_of_the_named_farm_or_of_the_first() {
    let app = App::start().await;
    app.farm("a").await;
    app.farm("b").await;
    let owner = app.person("a", Role::Owner).await;
    app.records
        .set_role(&owner.id, "b", Role::Owner)
        .await
        .expect("a role");
    let body = json!({"farmId": "b", "assets": [{"type": "POLYHOUSE", "macid": "AABBCCDDEE10"}]});
    app.call(&owner, Method::POST, PATH, &body)
        .await
        .expect(StatusCode::CREATED);
    let of = |answer: Value| answer["assets"].as_array().map(Vec::len);
    assert_eq!(
        of(app.get(&owner, PATH).await.expect(StatusCode::OK)),
        Some(0)
    );
    assert_eq!(
        of(app
            .get(&owner, "/onboarding/assets?farmId=b")
            .await
            .expect(StatusCode::OK)),
        Some(1)
    );
    let nobody = app.stranger("new@x.test").await;
    assert_eq!(
        app.get(&nobody, PATH).await.expect(StatusCode::CONFLICT)["code"],
        "no_farm"
    );
}
