//! Changes that go on when their client is gone. A handler's future ends where it waits when the connection breaks, and
//! between what it changes and the entry of the audit log that says who did it there is such a place.

use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;
use tokio_util::task::TaskTracker;
use tracing::Instrument;

/// Runs requests that may change something in a task of their own: once its body is read, such a request runs to its end
/// whether or not somebody waits for the answer. A shutdown waits for these tasks as for open connections.
pub(super) async fn clients(
    State(tasks): State<TaskTracker>,
    request: Request,
    next: Next,
) -> Response {
    if matches!(
        *request.method(),
        Method::GET | Method::HEAD | Method::OPTIONS
    ) {
        return next.run(request).await;
    }
    // in the same span, so that what it logs carries the request's id
    let change = next.run(request).in_current_span();
    match tasks.spawn(change).await {
        Ok(response) => response,
        // nobody aborts these tasks: it panicked, and the panic is answered further out
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}
