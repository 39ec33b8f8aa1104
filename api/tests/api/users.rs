//! The people of a farm.

use harit_api::Role;
use reqwest::{Method, StatusCode};
use serde_json::json;

use crate::support::{App, Person};

const USERS: &str = "/api/farms/a/users";

fn path(of: &Person) -> String {
    format!("{USERS}/{}", of.id)
}

#[tokio::test]
async fn people_are_added_changed_and_removed() {
    let app = App::demo().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let new = json!({"name": "Ravi More", "email": "ravi@x.test", "phone": "9876543210", "role": "VIEWER", "languagePref": "hi"});
    let ravi = app
        .call(&owner, Method::POST, USERS, &new)
        .await
        .expect(StatusCode::CREATED);
    assert_eq!(
        (&ravi["isActive"], &ravi["phone"]),
        (&json!(true), &json!("+919876543210"))
    );
    let path = format!("{USERS}/{}", ravi["id"].as_str().expect("an id"));
    let change =
        json!({"name": "Ravi K More", "phone": "", "role": "FARM_MANAGER", "languagePref": "mr"});
    let changed = app
        .call(&owner, Method::PATCH, &path, &change)
        .await
        .expect(StatusCode::OK);
    assert_eq!(changed["name"], "Ravi K More");
    assert_eq!(changed["role"], "FARM_MANAGER");
    assert_eq!(changed["phone"], json!(null));
    let list = app.get(&owner, USERS).await.expect(StatusCode::OK);
    assert_eq!(list["users"].as_array().map(Vec::len), Some(2));
    app.call(&owner, Method::DELETE, &path, &json!({}))
        .await
        .expect(StatusCode::NO_CONTENT);
    app.call(&owner, Method::DELETE, &path, &json!({}))
        .await
        .expect(StatusCode::NOT_FOUND);
    // forgotten, so the contact is free again
    app.call(&owner, Method::POST, USERS, &new)
        .await
        .expect(StatusCode::CREATED);
}

#[tokio::test]
async fn the_last_owner_stays() {
    let app = App::demo().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let second = app.stranger("second@a.test").await;
    app.records
        .set_role(&second.id, "a", Role::Owner)
        .await
        .expect("stored");
    app.call(&owner, Method::DELETE, &path(&second), &json!({}))
        .await
        .expect(StatusCode::FORBIDDEN);
    // at the same time: one of the two stays
    let demote = json!({"role": "VIEWER"});
    let (one, two) = (path(&second), path(&owner));
    let both = tokio::join!(
        app.call(&owner, Method::PATCH, &one, &demote),
        app.call(&second, Method::PATCH, &two, &demote)
    );
    let ok = [&both.0, &both.1]
        .iter()
        .filter(|a| a.status == StatusCode::OK)
        .count();
    assert_eq!(ok, 1, "{} {}", both.0.text, both.1.text);
    let last = if both.0.status == StatusCode::OK {
        &owner
    } else {
        &second
    };
    for (method, what) in [
        (Method::PATCH, String::new()),
        (Method::POST, "/deactivate".to_owned()),
    ] {
        let refused = app
            .call(last, method, &format!("{}{what}", path(last)), &demote)
            .await;
        assert_eq!(refused.expect(StatusCode::CONFLICT)["code"], "last_owner");
    }
    app.get(last, USERS).await.expect(StatusCode::OK);
}

#[tokio::test]
async fn an_admin_manages_neither_owners_nor_admins() {
    let app = App::demo().await;
    app.farm("a").await;
    let owner = app.person("a", Role::Owner).await;
    let admin = app.person("a", Role::Admin).await;
    let manager = app.person("a", Role::FarmManager).await;
    for target in [&owner, &admin] {
        for change in [json!({"name": "Another"}), json!({"role": "VIEWER"})] {
            app.call(&admin, Method::PATCH, &path(target), &change)
                .await
                .expect(StatusCode::FORBIDDEN);
        }
        app.call(&admin, Method::DELETE, &path(target), &json!({}))
            .await
            .expect(StatusCode::FORBIDDEN);
        let off = format!("{}/deactivate", path(target));
        app.call(&admin, Method::POST, &off, &json!({}))
            .await
            .expect(StatusCode::FORBIDDEN);
    }
    for role in ["OWNER", "ADMIN"] {
        app.call(
            &admin,
            Method::PATCH,
            &path(&manager),
            &json!({"role": role}),
        )
        .await
        .expect(StatusCode::FORBIDDEN);
        let new = json!({"name": "Eve", "email": "eve@x.test", "role": role, "languagePref": "en"});
        app.call(&admin, Method::POST, USERS, &new)
            .await
            .expect(StatusCode::FORBIDDEN);
    }
    app.call(
        &admin,
        Method::PATCH,
        &path(&manager),
        &json!({"role": "VIEWER"}),
    )
    .await
    .expect(StatusCode::OK);
    app.call(
        &manager,
        Method::PATCH,
        &path(&manager),
        &json!({"role": "OWNER"}),
    )
    .await
    .expect(StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn who_belongs_elsewhere_too_is_neither_edited_nor_shut_out_there() {
    let app = App::demo().await;
    app.farm("a").await;
    app.farm("b").await;
    let owner = app.person("a", Role::Owner).await;
    let both = app.person("b", Role::Owner).await;
    app.records
        .set_role(&both.id, "a", Role::Viewer)
        .await
        .expect("stored");
    let theft = json!({"email": "thief@x.test"});
    let refused = app.call(&owner, Method::PATCH, &path(&both), &theft).await;
    assert_eq!(
        refused.expect(StatusCode::FORBIDDEN)["code"],
        "belongs_elsewhere"
    );
    let stranger =
        json!({"name": "Any Name", "email": both.email, "role": "VIEWER", "languagePref": "en"});
    app.call(&owner, Method::POST, USERS, &stranger)
        .await
        .expect(StatusCode::CONFLICT);
    let off = format!("{}/deactivate", path(&both));
    app.call(&owner, Method::POST, &off, &json!({}))
        .await
        .expect(StatusCode::OK);
    app.get(&both, "/api/farms/a/summary")
        .await
        .expect(StatusCode::NOT_FOUND);
    app.get(&both, "/api/farms/b/summary")
        .await
        .expect(StatusCode::OK);
    let on = format!("{}/activate", path(&both));
    app.call(&owner, Method::POST, &on, &json!({}))
        .await
        .expect(StatusCode::OK);
    app.get(&both, "/api/farms/a/summary")
        .await
        .expect(StatusCode::OK);
    // who is let in nowhere is nobody
    let manager = app.person("a", Role::FarmManager).await;
    let list = app.get(&manager, USERS).await.expect(StatusCode::OK);
    assert_eq!(list["users"][0]["email"], "o***@a.test");
    let off = format!("{}/deactivate", path(&manager));
    app.call(&owner, Method::POST, &off, &json!({}))
        .await
        .expect(StatusCode::OK);
    app.get(&manager, "/auth/me")
        .await
        .expect(StatusCode::UNAUTHORIZED);
    let login = json!({"contact": manager.email, "password": crate::support::PASSWORD});
    app.post("/auth/login", &login)
        .await
        .expect(StatusCode::UNAUTHORIZED);
}
