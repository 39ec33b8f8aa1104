//! A controller made of bytes: it costs little, and waits for each acknowledgement.

use std::time::{Duration, Instant};

use harit_testkit::mqtt::{Hello, Raw, publish, subscribe};
use tokio::net::TcpStream;

use crate::farm::Account;

/// A CONNECT with a clean session.
pub(crate) fn hello(account: &Account) -> Vec<u8> {
    let hello = Hello {
        id: &account.mac,
        user: Some(&account.mac),
        password: &account.secret,
        keep_alive: 60,
        ..Hello::v4()
    };
    hello.bytes()
}

/// A controller that is let in.
pub(crate) struct Unit {
    raw: Raw,
    topic: String,
    id: u16,
}

impl Unit {
    pub(crate) async fn connect(account: &Account, stream: TcpStream) -> Self {
        stream.set_nodelay(true).unwrap();
        let mut raw = Raw { stream };
        raw.send(&hello(account)).await;
        assert_eq!(raw.packet().await, [0x20, 2, 0, 0], "{}", account.mac);
        Self {
            raw,
            topic: account.topic.clone(),
            id: 0,
        }
    }

    /// Subscribes to its commands.
    pub(crate) async fn subscribe(&mut self) {
        let topic = format!("{}command", self.topic);
        self.raw.send(&subscribe(false, 1, &topic, 1)).await;
        assert_eq!(self.raw.packet().await, [0x90, 3, 0, 1, 1], "{topic}");
    }

    /// Publishes at QoS 1; how long the acknowledgement takes.
    pub(crate) async fn say(&mut self, last: &str, payload: &[u8]) -> Duration {
        self.id = self.id % 1_000 + 1;
        let topic = format!("{}{last}", self.topic);
        let bytes = publish(false, &topic, Some(self.id), payload);
        let at = Instant::now();
        self.raw.send(&bytes).await;
        let ack = self.raw.packet().await;
        let taken = at.elapsed();
        let [high, low] = self.id.to_be_bytes();
        assert_eq!(ack, [0x40, 2, high, low], "{topic}");
        taken
    }

    /// Reads until the server closes.
    pub(crate) async fn listen(mut self) {
        while self.raw.try_packet().await.is_some() {}
    }
}
