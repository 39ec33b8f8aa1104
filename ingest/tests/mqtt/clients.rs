//! The endpoint against clients that others wrote: mosquitto, paho, mqtt.js. Each connects, is refused, publishes
//! at QoS 0 and 1, gets a command, dies and leaves its will, resumes its session, and meets the limits.
//!
//! `scripts/install-test-clients.sh` installs the clients. Without them these tests fail, unless `HARIT_SKIP_INTEROP=1`.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use crate::certificates::Secured;
use crate::rig::{MAC, PATIENCE, Rig, SECRET, Seen, controller, topic};
use harit_testkit::mosquitto::{self, Broker};
use harit_testkit::skipped;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};
use tokio::time::timeout;

fn clients() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/interop")
}

/// A client's program, or the reason why it cannot be had.
fn program(installed: &str, name: &str) -> PathBuf {
    let path = if installed.is_empty() {
        PathBuf::from(name)
    } else {
        clients().join(installed)
    };
    let found = if installed.is_empty() {
        std::env::split_paths(&std::env::var_os("PATH").unwrap()).any(|dir| dir.join(name).exists())
    } else {
        path.exists()
    };
    assert!(
        found,
        "{name} is not here: run scripts/install-test-clients.sh (it needs a package registry once), \
         or set HARIT_SKIP_INTEROP=1 to leave the interop tests out"
    );
    path
}

/// A client in a process of its own, which says a line at a time.
struct Process {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Process {
    fn spawn(command: &mut Command) -> Self {
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .expect("the client starts");
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    async fn line(&mut self) -> String {
        timeout(PATIENCE, self.lines.next_line())
            .await
            .expect("the client says something in time")
            .unwrap()
            .expect("the client says something before it ends")
    }

    async fn says(&mut self, expected: &str) {
        assert_eq!(self.line().await.replace(' ', ""), expected);
    }

    async fn ends(&mut self) -> std::process::ExitStatus {
        timeout(PATIENCE, self.child.wait())
            .await
            .expect("the client ends in time")
            .unwrap()
    }
}

/// Clients that run the scenarios of `tests/interop`.
#[derive(Clone, Copy, PartialEq)]
enum Scripted {
    Paho,
    MqttJs,
}

impl Scripted {
    fn run(self, rig: &Rig, v5: bool, scenario: &str) -> Process {
        Process::spawn(&mut self.command(rig, v5, scenario))
    }

    fn command(self, rig: &Rig, v5: bool, scenario: &str) -> Command {
        let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interop");
        let (program, script) = match self {
            Self::Paho => (
                program("venv/bin/python", "paho (Python)"),
                "paho_client.py",
            ),
            Self::MqttJs => {
                program("node_modules/mqtt/package.json", "mqtt.js");
                (program("", "node"), "mqttjs_client.cjs")
            }
        };
        let mut command = Command::new(program);
        command
            .arg(scripts.join(script))
            .arg(scenario)
            .env("PORT", rig.port().to_string())
            .env("VERSION", if v5 { "5" } else { "4" })
            .env("BASE", topic(""))
            .env("MAC", MAC)
            .env("SECRET", SECRET)
            .env("CLIENTS", clients());
        command
    }

    async fn all(self) {
        if skipped() {
            return;
        }
        for v5 in [false, true] {
            self.basic(v5).await;
            self.will_and_resume(v5).await;
            self.refused(v5).await;
            self.limits(v5).await;
        }
    }

    async fn basic(self, v5: bool) {
        let rig = Rig::start().await;
        let mut client = self.run(&rig, v5, "basic");
        client.says(r#"{"connected":0}"#).await;
        client.says(r#"{"suback":[1]}"#).await;
        client.says(r#"{"acked":true}"#).await;
        rig.command(b"do").await;
        client.says(r#"{"message":"do","qos":1}"#).await;
        client.says(r#"{"done":true}"#).await;
        assert!(client.ends().await.success());
        let expected = [
            Seen::Connected(controller(MAC)),
            Seen::publish(&topic("telemetry"), b"q0"),
            Seen::publish(&topic("telemetry"), b"q1"),
            Seen::publish(&topic("ack"), b"do"),
            Seen::Disconnected(controller(MAC)),
        ];
        rig.pipeline.until_seen(&expected[4]).await;
        assert_eq!(rig.pipeline.seen(), expected);
    }

    async fn will_and_resume(self, v5: bool) {
        let rig = Rig::start().await;
        let mut client = self.run(&rig, v5, "stay");
        client.says(r#"{"connected":0,"present":false}"#).await;
        rig.command(b"one").await;
        client.says(r#"{"message":"one"}"#).await;
        client.child.kill().await.unwrap();
        let will = Seen::Publish {
            topic: topic("state"),
            payload: br#"{"online": false}"#.to_vec(),
            retain: true,
            oversized: None,
        };
        rig.pipeline.until_seen(&will).await;
        rig.command(b"two").await;
        let mut client = self.run(&rig, v5, "stay");
        // Libraries tell of the session and of what comes with it in either order; and the first command comes again if
        // the client died before it acknowledged it.
        let mut said = Vec::new();
        while said.len() < 2 {
            let line = client.line().await.replace(' ', "");
            if line != r#"{"message":"one"}"# {
                said.push(line);
            }
        }
        said.sort();
        assert_eq!(
            said,
            [r#"{"connected":0,"present":true}"#, r#"{"message":"two"}"#]
        );
        client.child.kill().await.unwrap();
    }

    async fn refused(self, v5: bool) {
        let rig = Rig::start().await;
        let mut client = self.run(&rig, v5, "refused");
        // paho gives 3.1.1's codes as MQTT 5's.
        let code = if v5 || self == Self::Paho { 0x86 } else { 4 };
        client.says(&format!(r#"{{"refused":{code}}}"#)).await;
        let seen = rig.pipeline.seen();
        let told = |seen: &Seen| {
            matches!(
                seen,
                Seen::Refused {
                    reason: "bad_credentials",
                    ..
                }
            )
        };
        assert!(seen.len() == 1 && seen.iter().all(told), "{seen:?}");
    }

    async fn limits(self, v5: bool) {
        let rig = Rig::start().await;
        let mut client = self.run(&rig, v5, "limits");
        client
            .says(&format!(
                r#"{{"suback":[{}]}}"#,
                if v5 { 0x87 } else { 0x80 }
            ))
            .await;
        client
            .says(&format!(r#"{{"puback":{}}}"#, if v5 { 0x87 } else { 0 }))
            .await;
        let expected = if v5 {
            r#"{"oversized":149}"#
        } else {
            r#"{"oversized":"acked"}"#
        };
        client.says(expected).await;
        assert_eq!(rig.endpoint.stats().forbidden_publishes, 1);
        if !v5 {
            let dead = |seen: &Seen| {
                matches!(
                    seen,
                    Seen::Publish {
                        oversized: Some(1_048_576),
                        ..
                    }
                )
            };
            assert!(rig.pipeline.seen().iter().any(dead));
        }
    }
}

#[tokio::test]
async fn paho() {
    Scripted::Paho.all().await;
}

#[tokio::test]
async fn paho_by_certificate() {
    if skipped() {
        return;
    }
    for v5 in [false, true] {
        let secured = Secured::start().await;
        for (name, connected) in [(MAC, 0), ("A4CF120B9EFF", 0x87)] {
            let signed = secured.ca.client(name);
            let (pem, key) = signed.write(secured.dir.path(), name);
            let mut command = Scripted::Paho.command(&secured.rig, v5, "certificate");
            command
                .env("CA", secured.path("ca.pem"))
                .env("CERTIFICATE", pem)
                .env("KEY", key);
            let mut client = Process::spawn(&mut command);
            client
                .says(&format!(r#"{{"connected":{connected}}}"#))
                .await;
            if connected == 0 {
                client.says(r#"{"acked":true}"#).await;
            }
            assert!(client.ends().await.success());
        }
        let expected = (topic("telemetry"), b"by certificate".to_vec());
        assert_eq!(secured.rig.pipeline.publishes(), [expected]);
    }
}

#[tokio::test]
async fn mqtt_js() {
    Scripted::MqttJs.all().await;
}

fn mosquitto(name: &str, rig: &Rig, v5: bool, password: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program("", name));
    let port = rig.port().to_string();
    command.args([
        "-h",
        "127.0.0.1",
        "-p",
        &port,
        "-V",
        if v5 { "5" } else { "311" },
    ]);
    command
        .args(["-u", MAC, "-P", password])
        .args(arguments)
        .stderr(Stdio::piped());
    command
}

/// Runs mosquitto_pub to its end. Whether it succeeded, and what it complained of.
async fn mosquitto_pub(rig: &Rig, v5: bool, password: &str, arguments: &[&str]) -> (bool, String) {
    let run = mosquitto("mosquitto_pub", rig, v5, password, arguments)
        .kill_on_drop(true)
        .output();
    let output = timeout(PATIENCE, run)
        .await
        .expect("mosquitto_pub ends in time")
        .unwrap();
    (
        output.status.success(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

#[tokio::test]
async fn mosquitto_publishes() {
    if skipped() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let large = dir.path().join("large");
    std::fs::write(&large, vec![b'x'; 1 << 20]).unwrap();
    let (telemetry, large) = (topic("telemetry"), large.to_str().unwrap().to_owned());
    for v5 in [false, true] {
        let rig = Rig::start().await;
        for (sent, qos) in ["0", "1", "2"].into_iter().enumerate() {
            let (good, told) =
                mosquitto_pub(&rig, v5, SECRET, &["-q", qos, "-t", &telemetry, "-m", qos]).await;
            assert!(good, "{told}");
            rig.pipeline.until_publishes(sent + 1).await;
        }
        let payloads: Vec<_> = rig
            .pipeline
            .publishes()
            .into_iter()
            .map(|(_, payload)| payload)
            .collect();
        assert_eq!(payloads, [b"0", b"1", b"2"]);
        let (good, told) =
            mosquitto_pub(&rig, v5, "wrong", &["-q", "1", "-t", &telemetry, "-m", "x"]).await;
        assert!(
            !good && told.to_lowercase().contains("bad user name or password"),
            "{told}"
        );
        let (good, told) = mosquitto_pub(
            &rig,
            v5,
            SECRET,
            &["-q", "1", "-t", &telemetry, "-f", &large],
        )
        .await;
        // In 3.1.1 it is acknowledged and a dead letter; in 5 mosquitto_pub knows the limit, and exits with 0 all the same.
        assert!(good || v5, "{told}");
        assert_eq!(rig.pipeline.publishes().len(), 4 - usize::from(v5));
        let (_, told) = mosquitto_pub(
            &rig,
            v5,
            SECRET,
            &["-q", "1", "-t", "harit/1/x/y/state", "-m", "x"],
        )
        .await;
        assert_eq!(told.to_lowercase().contains("not authorized"), v5, "{told}");
    }
}

#[tokio::test]
async fn mosquitto_subscribes_dies_and_resumes() {
    if skipped() {
        return;
    }
    let (command, state) = (topic("command"), topic("state"));
    for v5 in [false, true] {
        let rig = Rig::start().await;
        let mut arguments = vec!["-i", "keeper", "-c", "-q", "1", "-t", command.as_str()];
        arguments.extend([
            "--will-topic",
            state.as_str(),
            "--will-payload",
            "gone",
            "--will-qos",
            "1",
        ]);
        if v5 {
            arguments.extend(["-x", "300"]);
        }
        let mut client = Process::spawn(&mut mosquitto(
            "mosquitto_sub",
            &rig,
            v5,
            SECRET,
            &arguments,
        ));
        rig.command(b"one").await;
        client.says("one").await;
        client.child.kill().await.unwrap();
        rig.pipeline
            .until_seen(&Seen::publish(&state, b"gone"))
            .await;
        rig.command(b"two").await;
        let mut client = Process::spawn(&mut mosquitto(
            "mosquitto_sub",
            &rig,
            v5,
            SECRET,
            &arguments,
        ));
        // The first comes again if the client died before it acknowledged it.
        if client.line().await == "one" {
            client.says("two").await;
        }
        client.child.kill().await.unwrap();
        assert_eq!(rig.endpoint.stats().resumes, 1);
        let foreign = ["-t", "harit/1/green/+/command", "-W", "1"];
        let refused = mosquitto("mosquitto_sub", &rig, v5, SECRET, &foreign)
            .kill_on_drop(true)
            .output();
        let refused = timeout(PATIENCE, refused).await.unwrap().unwrap();
        let told = String::from_utf8_lossy(&refused.stderr).to_lowercase();
        assert!(
            told.contains("denied") || told.contains("rejected") || told.contains("not authorized"),
            "{told}"
        );
    }
}

/// A Mosquitto with nothing but the address and the account set: it says that it is a bridge, in the protocol's level and
/// with a will of its own.
#[tokio::test]
async fn a_mosquitto_bridges() {
    if skipped() {
        return;
    }
    let rig = Rig::start().await;
    let (telemetry, command) = (topic("telemetry"), topic("command"));
    let bridge = format!(
        "\nconnection harit\naddress 127.0.0.1:{}\nremote_username {MAC}\nremote_password {SECRET}\n\
         topic {telemetry} out 2\ntopic {command} in 1\n",
        rig.port()
    );
    let broker = Broker::start(&[(MAC, SECRET)], |config| config + bridge.as_str()).await;
    rig.pipeline
        .until_seen(&Seen::Connected(controller(MAC)))
        .await;
    let account = (MAC, SECRET);
    for qos in ["0", "1", "2"] {
        let arguments = ["-q", qos, "-t", telemetry.as_str(), "-m", qos];
        let run = mosquitto::client("mosquitto_pub", broker.port, account, &arguments).status();
        assert!(timeout(PATIENCE, run).await.unwrap().unwrap().success());
        let expected = Seen::publish(&telemetry, qos.as_bytes());
        rig.pipeline.until_seen(&expected).await;
    }
    let arguments = ["-q", "1", "-C", "1", "-t", command.as_str()];
    let mut subscriber = mosquitto::client("mosquitto_sub", broker.port, account, &arguments);
    let told = subscriber.stdout(Stdio::piped()).spawn().unwrap();
    // As often as it takes: the bridge's side does not say when the subscription is there.
    let heard = timeout(PATIENCE, told.wait_with_output());
    let again = async {
        loop {
            rig.command(b"on").await;
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    let heard = tokio::select! {
        heard = heard => heard.unwrap().unwrap(),
        () = again => unreachable!("it goes on for ever"),
    };
    assert_eq!(heard.stdout, b"on\n");
    // It came once and stayed, and what it says of itself is passed over.
    assert_eq!(rig.endpoint.stats().connects, 1);
    let will = |seen: &Seen| {
        matches!(
            seen,
            Seen::Refused {
                reason: "foreign_will",
                ..
            }
        )
    };
    assert_eq!(
        rig.pipeline.seen().iter().filter(|seen| will(seen)).count(),
        1
    );
}
