//! The committed OpenAPI document is the one of the routes, and knows every answer that a test gets.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use reqwest::header::{HeaderMap, HeaderValue};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};

/// The document of the routes.
pub(crate) static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let text = harit_api::openapi_json().expect("a document");
    serde_json::from_str(&text).expect("JSON")
});

/// What a place in the document refers to, else the place itself.
pub(crate) fn resolved(place: &'static Value) -> &'static Value {
    match place["$ref"].as_str() {
        Some(at) => DOCUMENT
            .pointer(at.trim_start_matches('#'))
            .unwrap_or_else(|| panic!("{at} refers to nothing")),
        None => place,
    }
}

/// All operations: method, path, operation.
fn operations() -> impl Iterator<Item = (&'static str, &'static str, &'static Value)> {
    let paths = DOCUMENT["paths"].as_object().expect("paths").iter();
    paths.flat_map(|(path, item)| {
        let operations = item.as_object().expect("operations").iter();
        operations.map(|(method, operation)| (method.as_str(), path.as_str(), operation))
    })
}

/// The operation that a request is for: of two paths that match, the one with fewer parameters.
fn operation_of(method: &Method, path: &str) -> Option<(&'static str, &'static Value)> {
    let matches = |template: &str| {
        let (mut said, mut asked) = (template.split('/'), path.split('/'));
        let same = |(s, a): (&str, &str)| s == a || (s.starts_with('{') && !a.is_empty());
        said.by_ref().zip(asked.by_ref()).all(same)
            && template.split('/').count() == path.split('/').count()
    };
    operations()
        .filter(|(m, template, _)| method.as_str().eq_ignore_ascii_case(m) && matches(template))
        .map(|(_, template, operation)| (template, operation))
        .min_by_key(|(template, _)| template.matches('{').count())
}

/// Fails on an answer that the document does not know. What a server should never answer, and what is no operation, is not
/// its matter.
pub(crate) fn documented(method: &Method, path: &str, status: StatusCode, headers: &HeaderMap) {
    let Some((template, operation)) = operation_of(method, path) else {
        return;
    };
    // of the same path who asks for a page is answered the console
    let is = |name, begin| {
        let value = headers
            .get(name)
            .and_then(|value: &HeaderValue| value.to_str().ok());
        value.is_some_and(|value| value.starts_with(begin))
    };
    if status == StatusCode::INTERNAL_SERVER_ERROR || is("content-type", "text/html") {
        return;
    }
    let response = operation["responses"].get(status.as_str());
    let response = response.unwrap_or_else(|| panic!("{method} {template} answers {status}"));
    let tag = resolved(response)["headers"].get("ETag");
    assert_eq!(
        tag.is_some(),
        headers.contains_key("etag"),
        "{method} {template}: ETag"
    );
}

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
    for (method, path, operation) in operations() {
        let responses = operation["responses"].as_object().expect("responses");
        let what = format!("{method} {path}");
        let open = operation["security"]
            .as_array()
            .is_some_and(|s| s.iter().any(|o| o == &json!({})));
        for status in ["401", "429", "503"] {
            assert!(open || responses.contains_key(status), "{what}: {status}");
        }
        assert!(
            !path.contains("{farmId}") || responses.contains_key("404"),
            "{what} does not document 404"
        );
        for status in ["400", "413", "415", "422"] {
            let has_body = operation.get("requestBody").is_some();
            assert!(
                !has_body || responses.contains_key(status),
                "{what}: {status}"
            );
        }
        let failures = responses
            .iter()
            .filter(|(status, _)| status.as_str() >= "400");
        for (status, response) in failures {
            let content = &resolved(response)["content"]["application/json"]["schema"];
            // who asks whether the server is ready is told what is not, and who opens a message's link sees a page
            let other = path == "/readyz" || path == "/a/{token}";
            assert!(
                other || content["$ref"] == "#/components/schemas/Error",
                "{what}: {status} has another body than all failures"
            );
        }
    }
}

#[test]
fn every_parameter_of_a_path_is_documented_once() {
    for (method, path, operation) in operations() {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let names = parameters.map(resolved).filter(|p| p["in"] == "path");
        let names: Vec<&str> = names.filter_map(|p| p["name"].as_str()).collect();
        let parts = path.split('/');
        let said = parts.filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
        assert_eq!(names, said.collect::<Vec<_>>(), "{method} {path}");
    }
}

#[test]
fn every_operation_has_a_name_of_its_own() {
    let (mut ids, mut summaries) = (BTreeSet::new(), BTreeSet::new());
    for (method, path, operation) in operations() {
        let what = format!("{method} {path}");
        let id = operation["operationId"].as_str().expect("an id");
        let summary = operation["summary"].as_str().expect("a summary");
        let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase());
        assert!(
            id.split('_').count() > 1 && id.split('_').all(is_word),
            "{what}: {id} is no verb_noun"
        );
        let first = summary.split(' ').next().unwrap_or("");
        let verb = first.chars().next().is_some_and(char::is_uppercase) && !first.ends_with('s');
        assert!(
            verb && !["A", "An", "The", "What", "Who", "How"].contains(&first),
            "{what}: {summary:?} begins with no verb"
        );
        assert!(
            summary.len() <= 40 && !summary.contains('\n') && !summary.ends_with('.'),
            "{what}: {summary:?} is no short line"
        );
        assert!(ids.insert(id), "{what}: {id} is another's too");
        assert!(
            summaries.insert(summary),
            "{what}: {summary:?} is another's too"
        );
    }
}
