//! Debian's clients, as controllers.

use std::process::{Output, Stdio};
use std::time::Duration;

use harit_testkit::mosquitto;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

use crate::farm::Account;
use crate::server::PATIENCE;

/// Stands before each message in what the subscriber prints.
const MARK: &str = "message ";

fn client(name: &str, port: u16, who: &Account, arguments: &[&str]) -> Command {
    let mut command = mosquitto::client(name, port, (&who.mac, &who.secret), arguments);
    command.args(["-q", "1"]);
    command
}

/// `mosquitto_pub`, to its end.
pub(crate) async fn publish(
    port: u16,
    who: &Account,
    topic: &str,
    payload: &Value,
    more: &[&str],
) -> Output {
    let payload = payload.to_string();
    let mut arguments = vec!["-t", topic, "-m", &payload];
    arguments.extend(more);
    let output = client("mosquitto_pub", port, who, &arguments).output();
    timeout(PATIENCE, output)
        .await
        .expect("mosquitto_pub ends")
        .unwrap()
}

/// `mosquitto_pub`, to one of the controller's own topics.
pub(crate) async fn publish_own(port: u16, who: &Account, last: &str, payload: &Value) {
    let retain: &[&str] = if last == "state" { &["-r"] } else { &[] };
    let done = publish(port, who, &format!("{}{last}", who.topic), payload, retain).await;
    assert!(done.status.success(), "{done:?}");
}

/// `mosquitto_sub`, for as long as it is held.
pub(crate) struct Subscriber {
    _child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Subscriber {
    /// Starts one and waits for what the server says to the subscription, told as mosquitto_sub tells it.
    pub(crate) async fn start(port: u16, who: &Account, topic: &str) -> (Self, String) {
        let format = format!("{MARK}%p");
        let mut child = client(
            "mosquitto_sub",
            port,
            who,
            &["-d", "-t", topic, "-F", &format],
        )
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let answer = timeout(PATIENCE, async {
            while let Some(line) = lines.next_line().await.unwrap() {
                if line.starts_with("Subscribed") {
                    return line;
                }
            }
            panic!("mosquitto_sub ended")
        });
        let answer = answer.await.expect("an answer to the subscription");
        (
            Self {
                _child: child,
                lines,
            },
            answer,
        )
    }

    /// The next message within that time.
    pub(crate) async fn message(&mut self, within: Duration) -> Option<Value> {
        let next = timeout(within, async {
            while let Some(line) = self.lines.next_line().await.unwrap() {
                if let Some(payload) = line.strip_prefix(MARK) {
                    return Some(serde_json::from_str(payload).unwrap());
                }
            }
            None
        });
        next.await.ok().flatten()
    }
}
