//! The API's document: that of the routes, with what the live connection says and what each role may do.

use serde_json::{Value, json};

use crate::access::Permission;
use crate::role::Role;
use crate::{live, routes};

/// The OpenAPI document as it is committed and served: JSON, indented, names in order, with a final newline.
///
/// # Errors
/// When a schema cannot be written as JSON.
pub fn openapi_json() -> Result<String, serde_json::Error> {
    let mut document = routes::document();
    live::describe(&mut document);
    let by_role = Role::ALL.map(|role| {
        let may = json!({"permissions": Permission::of(role), "manages": role.manages(), "gives": role.gives()});
        (role.as_str().to_owned(), may)
    });
    let extensions = document.extensions.get_or_insert_default();
    let by_role = Value::Object(by_role.into_iter().collect());
    extensions.insert("x-roles".to_owned(), by_role);
    // extensions have no order of their own
    let document = serde_json::to_value(document)?;
    serde_json::to_string_pretty(&document).map(|text| text + "\n")
}
