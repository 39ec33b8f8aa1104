//! What whoever runs the server does on its machine: people who can sign in without a message, tokens, controllers, integrations.

use harit_api::Role;
use harit_api::{
    ControllerWish, Language, Operator, OperatorError, Password, PersonWish, Served, TokenWish,
};
use harit_ingest::ControllerDirectory;
use harit_protocol::Mac;
use reqwest::StatusCode;
use serde_json::json;

use crate::support::{App, Person};

fn wish<'a>(contact: &'a str, farm: Option<&'a str>, role: Role) -> PersonWish<'a> {
    PersonWish {
        name: "Meera Joshi",
        contact,
        password: Password::Made,
        language: Language::Mr,
        role,
        farm,
    }
}

fn refusal<T>(done: Result<T, OperatorError>) -> String {
    match done {
        Err(e @ OperatorError::Refused(_)) => e.to_string(),
        Err(e) => panic!("{e}"),
        Ok(_) => panic!("it was done"),
    }
}

async fn signs_in(app: &App, contact: &str, password: &str) -> Option<Person> {
    let body = json!({"contact": contact, "password": password});
    let answer = app.post("/auth/login", &body).await;
    (answer.status == StatusCode::OK).then(|| Person {
        id: answer.json()["user"]["id"]
            .as_str()
            .expect("an id")
            .to_owned(),
        email: contact.to_owned(),
        token: answer.json()["token"].as_str().expect("a token").to_owned(),
    })
}

#[tokio::test]
async fn the_first_person_signs_in_without_any_message() {
    let app = App::start().await;
    let operator = Operator::over(app.records.clone());
    assert!(
        refusal(
            operator
                .add_person(wish("m@x.test", None, Role::Owner))
                .await
        )
        .contains("no farm yet")
    );
    let made = operator
        .add_owner(&app.hub, "Hillside", wish("9812345678", None, Role::Owner))
        .await;
    let (farm, password) = made.expect("made");
    let password = password.expect("a password");
    let owner = signs_in(&app, "98123 45678", &password)
        .await
        .expect("signed in");
    let farms = app.get(&owner, "/api/farms").await.expect(StatusCode::OK);
    assert_eq!(
        (&farms[0]["id"], &farms[0]["name"], &farms[0]["role"]),
        (&json!(farm), &json!("Hillside"), &json!("OWNER"))
    );
    app.get(&owner, &format!("/api/farms/{farm}/summary"))
        .await
        .expect(StatusCode::OK);
    let told = app.audited(&farm, "user_added").await;
    assert_eq!(told[0].1["role"], "OWNER");
    // the same contact once
    let again = operator
        .add_person(wish("+919812345678", Some(&farm), Role::Viewer))
        .await;
    assert!(refusal(again).contains("has an account"));
    let second = operator
        .add_person(wish("second@x.test", None, Role::Viewer))
        .await
        .expect("added");
    assert!(
        signs_in(&app, "second@x.test", &second.expect("a password"))
            .await
            .is_some()
    );
    let people = operator.people().await.expect("a list");
    let listed: Vec<_> = people
        .iter()
        .map(|p| (p.contacts.join(","), p.farms[0].1))
        .collect();
    assert_eq!(
        listed,
        [
            ("+919812345678".to_owned(), "OWNER"),
            ("second@x.test".to_owned(), "VIEWER")
        ]
    );
}

#[tokio::test]
async fn a_new_password_ends_what_was_open_and_a_farm_keeps_an_owner() {
    let (app, owner) = App::with_owner().await;
    let operator = Operator::over(app.records.clone());
    let token = TokenWish {
        owner: &owner.email,
        name: "Logger",
        control: false,
        farms: &[],
        days: None,
    };
    let token = operator.add_token(token).await.expect("made");
    let program = Person {
        id: String::new(),
        email: String::new(),
        token: token.secret,
    };
    app.get(&program, "/api/farms/a/summary")
        .await
        .expect(StatusCode::OK);
    for (bad, why) in [
        ("short", "at least 8"),
        ("password", "easily guessed"),
        (owner.email.as_str(), "easily guessed"),
    ] {
        let done = operator
            .set_password(&owner.email, Password::Chosen(bad.to_owned()))
            .await;
        assert!(refusal(done).contains(why), "{bad}");
    }
    let chosen = "a sentence that nobody guesses";
    let told = operator
        .set_password(&owner.id, Password::Chosen(chosen.to_owned()))
        .await
        .expect("set");
    assert_eq!(told, None);
    app.get(&owner, "/auth/me")
        .await
        .expect(StatusCode::UNAUTHORIZED);
    app.get(&program, "/api/farms/a/summary")
        .await
        .expect(StatusCode::UNAUTHORIZED);
    assert!(signs_in(&app, &owner.email, chosen).await.is_some());
    let last = operator.set_role_of(&owner.email, None, Role::Viewer).await;
    assert!(refusal(last).contains("no owner"));
    let other = app.stranger("new@a.test").await;
    operator
        .set_role_of("new@a.test", Some("a"), Role::Owner)
        .await
        .expect("joined");
    operator
        .set_role_of(&owner.email, Some("a"), Role::Viewer)
        .await
        .expect("changed");
    app.get(&other, "/api/farms/a/dead-letters")
        .await
        .expect(StatusCode::OK);
    assert!(
        refusal(
            operator
                .set_role_of("nobody@x.test", None, Role::Viewer)
                .await
        )
        .contains("nobody has")
    );
    assert!(
        refusal(
            operator
                .set_role_of("new@a.test", Some("b"), Role::Viewer)
                .await
        )
        .contains("no farm")
    );
    let by = "UPDATE audit_heads SET seq = seq WHERE farm_id = 'a' AND EXISTS (SELECT 1 FROM audit WHERE action = 'role_changed' \
              AND actor_id = 'operator' AND actor = 'operator on the machine')";
    assert_eq!(app.meddle(by).await, 1);
}

#[tokio::test]
#[allow(clippy::too_many_lines, reason = "one story")]
async fn machines_and_tokens_are_made_renewed_and_taken_away() {
    let (app, owner) = App::with_owner().await;
    let operator = Operator::over(app.records.clone());
    let mac = Mac::parse("AA:BB:CC:00:00:01").expect("a MAC");
    let house = |mac, serves| ControllerWish {
        farm: None,
        mac,
        name: "North house",
        serves,
    };
    let unknown = operator
        .add_controller(&app.hub, house(mac, Served::Polyhouse("ph-9")))
        .await;
    assert!(refusal(unknown).contains("no polyhouse"));
    let made = operator
        .add_controller(&app.hub, house(mac, Served::Polyhouse("ph-1")))
        .await
        .expect("made");
    assert!(
        app.records
            .verify(&mac, made.password.as_bytes())
            .await
            .is_ok()
    );
    let taken = operator
        .add_controller(&app.hub, house(mac, Served::NewReservoir))
        .await;
    assert!(refusal(taken).contains("is registered in farm a"));
    let other = Mac::parse("AABBCC000002").expect("a MAC");
    operator
        .add_controller(&app.hub, house(other, Served::NewPolyhouse))
        .await
        .expect("made");
    let houses = app
        .get(&owner, "/api/farms/a/polyhouses")
        .await
        .expect(StatusCode::OK);
    assert!(houses.to_string().contains("North house"), "{houses}");
    let renewed = operator.renew_controller(mac).await.expect("renewed");
    assert!(
        app.records
            .verify(&mac, made.password.as_bytes())
            .await
            .is_err()
    );
    assert!(
        app.records
            .verify(&mac, renewed.password.as_bytes())
            .await
            .is_ok()
    );
    operator
        .enable_controller(mac, false)
        .await
        .expect("blocked");
    let listed = operator.controllers(Some("a")).await.expect("a list");
    assert_eq!(
        listed
            .iter()
            .map(|c| (c.mac.as_str(), c.enabled))
            .collect::<Vec<_>>(),
        [("AABBCC000001", false), ("AABBCC000002", true)]
    );
    operator.remove_controller(mac).await.expect("removed");

    let reader = operator
        .add_integration(None, "Grafana")
        .await
        .expect("made");
    assert_eq!(reader.topic, "harit/1/a/#");
    assert!(
        app.records
            .verify_integration(&reader.username, reader.password.as_bytes())
            .await
            .is_ok()
    );
    operator
        .enable_integration(&reader.username, false)
        .await
        .expect("blocked");
    let renewed = operator
        .renew_integration(&reader.username)
        .await
        .expect("renewed");
    assert!(
        app.records
            .verify_integration(&reader.username, renewed.password.as_bytes())
            .await
            .is_err()
    );
    operator
        .remove_integration(&reader.username)
        .await
        .expect("removed");
    let left = operator.integrations(None).await.expect("a list");
    assert!(left.is_empty(), "{left:?}");

    let farms = ["b".to_owned()];
    let foreign = TokenWish {
        owner: &owner.email,
        name: "n",
        control: true,
        farms: &farms,
        days: Some(1),
    };
    assert!(refusal(operator.add_token(foreign).await).contains("does not belong"));
    let made = operator
        .add_token(TokenWish {
            farms: &[],
            ..foreign
        })
        .await
        .expect("made")
        .token;
    assert_eq!(
        (made.scope, made.farms.as_slice()),
        ("CONTROL", ["a".to_owned()].as_slice())
    );
    assert_eq!(
        operator.tokens(Some(&owner.email)).await.expect("a list"),
        std::slice::from_ref(&made)
    );
    operator.revoke_token(&made.start).await.expect("ended");
    assert!(refusal(operator.revoke_token(&made.id).await).contains("no token"));
}
