//! Simulated gateways on loopback: a mail server, SMS as Twilio, MSG91 and a gateway of one's own take it, WhatsApp's Cloud API
//! a webhook and a push service. They keep what they were given, show it as a phone would, and fail as they are told to: for the demo,
//! for who sets up a server, and for tests. What a person would do with a message can be pressed: the receipt or the answer goes to the
//! server.

mod http;
mod inbox;
mod mail;
mod page;
mod phone;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::task::JoinSet;

pub use inbox::{Inbox, Mode, Received};
pub use phone::{NotPressed, Press};

/// With which WhatsApp's receipts are signed here.
pub const APP_SECRET: &str = "simulated-app-secret";
/// What it says when it asks whether an address is the place for receipts.
pub const VERIFY_TOKEN: &str = "simulated-verify-token";

/// Running gateways; they end when this is dropped.
#[derive(Debug)]
pub struct Gateways {
    /// Where HTTP is taken: `http://127.0.0.1:port`.
    pub http: SocketAddr,
    /// Where mail is taken.
    pub smtp: SocketAddr,
    /// What came.
    pub inbox: Arc<Inbox>,
    tasks: JoinSet<()>,
}

impl Gateways {
    /// Starts them.
    ///
    /// # Errors
    /// When an address is taken.
    pub async fn start(http: SocketAddr, smtp: SocketAddr) -> io::Result<Self> {
        let web = TcpListener::bind(http).await?;
        let mail = TcpListener::bind(smtp).await?;
        let (http, smtp) = (web.local_addr()?, mail.local_addr()?);
        let inbox = Arc::new(Inbox::default());
        let mut tasks = JoinSet::new();
        let app = http::router(Arc::clone(&inbox));
        tasks.spawn(async move {
            if let Err(error) = axum::serve(web, app).await {
                tracing::error!(%error, "the simulated gateways stopped");
            }
        });
        tasks.spawn(mail::serve(mail, Arc::clone(&inbox)));
        Ok(Self {
            http,
            smtp,
            inbox,
            tasks,
        })
    }

    /// Runs until they fail.
    pub async fn run(mut self) {
        while self.tasks.join_next().await.is_some() {}
    }
}
