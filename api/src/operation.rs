//! Operations of the API as routes: [`routes!`], as of utoipa-axum, but for what the compiler has to do.

use std::pin::Pin;
use std::sync::Arc;

use axum::extract::Request;
use axum::handler::Handler;
use axum::response::Response;

use crate::access::AppState;

type Answer = Pin<Box<dyn Future<Output = Response> + Send>>;

/// A handler of which nobody knows what it takes.
///
/// All that axum and tower wrap around a handler is compiled once, and not for each of more than two hundred: nearly half of the time
/// that this crate took.
#[derive(Clone)]
pub(crate) struct Operation(Arc<dyn Fn(Request, AppState) -> Answer + Send + Sync>);

impl Operation {
    /// Forgets what a handler takes.
    pub(crate) fn new<T, H: Handler<T, AppState, Future = Answer>>(handler: H) -> Self {
        Self(Arc::new(move |request, state| {
            handler.clone().call(request, state)
        }))
    }
}

impl Handler<(), AppState> for Operation {
    type Future = Answer;

    fn call(self, request: Request, state: AppState) -> Answer {
        (self.0)(request, state)
    }
}

/// The routes of operations that have one path, with what the document says of them: for `OpenApiRouter::routes`.
///
/// What an attribute says of a handler is read by a rule of utoipa-axum's own macro that it does not document.
macro_rules! routes {
    ($($handler:path),+ $(,)?) => {{
        use utoipa_axum::PathItemExt as _;
        let mut schemas = Vec::new();
        let mut paths = utoipa::openapi::path::Paths::new();
        let mut router = axum::routing::MethodRouter::new();
        $(
            let (path, item, methods) = utoipa_axum::routes!(@resolve_types $handler : schemas);
            for method in &methods {
                let operation = crate::operation::Operation::new($handler);
                router = router.on(method.to_method_filter(), operation);
            }
            paths.add_path_operation(&path, methods, item);
        )+
        (schemas, paths, router)
    }};
}
pub(crate) use routes;
