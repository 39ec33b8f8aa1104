//! How many live connections there may be, before anybody has signed in on one: a session is memory, whoever opened it.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;

use crate::address::{ClientAddress, limited};
use crate::config::ApiConfig;
use crate::error::{ApiError, say};
use crate::places::{Place, Places};

/// Sessions that are open at one time.
const MAX_SESSIONS: usize = 2_000;
const PATH: &str = "/socket.io";

/// The sessions that are open.
#[derive(Debug, Clone)]
pub(crate) struct Handshakes {
    all: Places<()>,
    by_address: Places<IpAddr>,
    most_by_address: usize,
}

/// A session's places. The engine keeps the extensions of the request that opened a session as long as the session, and
/// these with them.
#[derive(Debug, Clone)]
struct Seat {
    _places: Arc<(Place<()>, Option<Place<IpAddr>>)>,
}

impl Handshakes {
    pub(crate) fn new(config: &ApiConfig) -> Self {
        Self {
            all: Places::default(),
            by_address: Places::default(),
            most_by_address: config.sockets_per_address,
        }
    }

    fn seat(&self, client: Option<ClientAddress>) -> Option<Seat> {
        let by_address = match client {
            Some(client) => Some(
                self.by_address
                    .take(limited(client.ip), self.most_by_address)?,
            ),
            None => None,
        };
        let places = (self.all.take((), MAX_SESSIONS)?, by_address);
        Some(Seat {
            _places: Arc::new(places),
        })
    }
}

/// Lets a request for a new session through if there is a place for it, and every other request.
pub(crate) async fn admit(
    State(handshakes): State<Handshakes>,
    mut request: Request,
    next: Next,
) -> Response {
    if opens(&request) {
        let client = request.extensions().get::<ClientAddress>().copied();
        let Some(seat) = handshakes.seat(client) else {
            metrics::counter!("harit_sockets_refused_total").increment(1);
            return say(&ApiError::busy(), request.headers());
        };
        request.extensions_mut().insert(seat);
    }
    next.run(request).await
}

/// Whether a request opens a session: it names none.
fn opens(request: &Request) -> bool {
    let query = request.uri().query().unwrap_or("");
    let names_one = query.split('&').any(|pair| pair.starts_with("sid="));
    request.uri().path().starts_with(PATH) && !names_one
}
