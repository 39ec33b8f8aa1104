//! The committed OpenAPI document is the one of the routes.

#[test]
fn the_committed_document_is_in_step() {
    let committed = include_str!("../../openapi.json");
    let now = harit_api::openapi_json().expect("a document");
    assert!(
        committed == now,
        "api/openapi.json is out of step: run `cargo run -p harit-api --example openapi`"
    );
}

#[test]
fn every_operation_says_how_it_fails() {
    let document: serde_json::Value =
        serde_json::from_str(&harit_api::openapi_json().expect("a document")).expect("JSON");
    for (path, item) in document["paths"].as_object().expect("paths") {
        for (method, operation) in item.as_object().expect("operations") {
            let responses = operation["responses"].as_object().expect("responses");
            let what = format!("{method} {path}");
            assert!(
                operation["summary"].is_string() && operation["operationId"].is_string(),
                "{what}"
            );
            let open = operation["security"]
                .as_array()
                .is_some_and(|s| s.iter().any(|o| o == &serde_json::json!({})));
            assert!(
                open || responses.contains_key("401"),
                "{what} does not document 401"
            );
            assert!(
                !path.contains("{farmId}") || responses.contains_key("404"),
                "{what} does not document 404"
            );
        }
    }
}
