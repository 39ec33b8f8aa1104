//! A full house that is told to stop: thousands of controllers, and clients that read nothing of what is sent to them.

use std::collections::BTreeSet;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::farm::{self, Account, Api, GREEN};
use crate::server::{PATIENCE, machine_alone, until};
use crate::unit::Unit;

const CONTROLLERS: usize = 2_048;
/// The most of one address that connect; the endpoint lets 1,000 in.
const OF_AN_ADDRESS: usize = 700;
/// Of them, those that say nothing and close nothing when the server says goodbye, as where the radio is dead.
const DEAD: usize = 100;
/// Live connections that are told of everything and read nothing.
const LIVE: usize = 50;
/// Clients that ask and ask, and read nothing of the answers.
const ASKING: usize = 45;
/// Clients that are in the middle of a request.
const SLOW: usize = 5;
/// How long a server that is told to stop may take.
const STOP_WITHIN: Duration = Duration::from_secs(5);
/// More than is ever on its way to who reads.
const STUCK_BYTES: u32 = 16 << 10;
/// Controllers that have something to tell.
const TELLING: usize = 64;
/// What makes a live message large.
const SENSORS: usize = 40;

fn account(n: usize) -> Account {
    Account::numbered("A4CF13", n)
}

/// Connections of this process beyond the few that most systems allow at first.
fn many_files() {
    let maximum = getrlimit(Resource::Nofile).maximum;
    let raised = Rlimit {
        current: maximum,
        maximum,
    };
    setrlimit(Resource::Nofile, raised).unwrap();
    assert!(
        maximum.is_none_or(|m| m > 4_096),
        "ulimit -H -n {maximum:?}"
    );
}

/// A connection to a port of this machine, from one of its many addresses.
async fn dial(from: u8, port: u16, receive_buffer: Option<u32>) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    if let Some(bytes) = receive_buffer {
        socket.set_recv_buffer_size(bytes).unwrap();
    }
    let from = IpAddr::V4(Ipv4Addr::new(127, 0, 0, from));
    socket.bind(SocketAddr::new(from, 0)).unwrap();
    let to = SocketAddr::from(([127, 0, 0, 1], port));
    socket.connect(to).await.unwrap()
}

/// A controller with a fan, let in and announced.
async fn unit(n: usize, port: u16) -> Unit {
    let from = u8::try_from(2 + n / OF_AN_ADDRESS).unwrap();
    let mut unit = Unit::connect(&account(n), dial(from, port, None).await).await;
    unit.subscribe().await;
    let birth = json!({"online": true, "devices": [{"id": format!("fan-{n}"), "type": "fan", "on": false}]});
    unit.say("state", birth.to_string().as_bytes()).await;
    unit
}

/// A large message.
fn telemetry(unit: usize, turn: u32) -> Vec<u8> {
    let sensors: Vec<Value> = (0..SENSORS)
        .map(|s| json!({"id": format!("t-{unit}-{s}"), "type": "temperature", "unit": "°C", "latestValue": 20 + turn % 10}))
        .collect();
    json!({"sensors": sensors}).to_string().into_bytes()
}

/// All controllers, connected and announced.
async fn units(port: u16) -> Vec<Unit> {
    let mut joining = JoinSet::new();
    let mut all = Vec::new();
    for n in 0..CONTROLLERS {
        joining.spawn(unit(n, port));
        if joining.len() == 64 {
            all.push(joining.join_next().await.unwrap().unwrap());
        }
    }
    all.extend(joining.join_all().await);
    all
}

/// A client of the API that takes little at a time.
async fn narrow(port: u16, request: &str) -> TcpStream {
    let mut stream = dial(1, port, Some(4_096)).await;
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

/// A client's text frame; the mask is zero.
fn text(payload: &str) -> Vec<u8> {
    let mut frame = vec![0x81];
    match u8::try_from(payload.len()) {
        Ok(length) if length < 126 => frame.push(0x80 | length),
        _ => {
            frame.push(0x80 | 126);
            frame.extend(u16::try_from(payload.len()).unwrap().to_be_bytes());
        }
    }
    frame.extend([0; 4]);
    frame.extend(payload.as_bytes());
    frame
}

/// A live connection that follows the farm; from here on it is not read.
async fn follower(port: u16, token: &str) -> TcpStream {
    let upgrade = "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nhost: a\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\
                   sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    let mut stream = narrow(port, upgrade).await;
    hear(&mut stream, "HTTP/1.1 101").await;
    let sign_in = format!("40{}", json!({"token": token}));
    stream.write_all(&text(&sign_in)).await.unwrap();
    hear(&mut stream, "40{\"sid\"").await;
    let follow = format!("420[\"subscribe\",{}]", json!({"farmId": GREEN}));
    stream.write_all(&text(&follow)).await.unwrap();
    hear(&mut stream, "430[{").await;
    stream
}

async fn hear(stream: &mut TcpStream, wanted: &str) {
    let mut heard = Vec::new();
    let listening = async {
        while !heard.windows(wanted.len()).any(|w| w == wanted.as_bytes()) {
            let read = stream.read_buf(&mut heard).await.unwrap();
            assert!(read > 0, "{}", String::from_utf8_lossy(&heard));
        }
    };
    timeout(PATIENCE, listening).await.expect(wanted);
}

/// Whether all of these connections are open and the server has more to send on them than is taken, by the kernel's word.
fn are_stuck(server: u16, clients: &[TcpStream]) -> Option<()> {
    let table = std::fs::read_to_string("/proc/net/tcp").unwrap();
    let stuck = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let port = |field: &str| u16::from_str_radix(field.rsplit_once(':')?.1, 16).ok();
        let unsent = u32::from_str_radix(fields.get(4)?.split_once(':')?.0, 16).ok()?;
        let open = fields.get(3) == Some(&"01");
        let is = open && port(fields.get(1)?)? == server && unsent >= STUCK_BYTES;
        is.then_some(port(fields.get(2)?)?)
    };
    let stuck: BTreeSet<u16> = table.lines().skip(1).filter_map(stuck).collect();
    let mut ports = clients.iter().map(|c| c.local_addr().unwrap().port());
    ports.all(|port| stuck.contains(&port)).then_some(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_full_house_is_told_to_stop() {
    let _machine = machine_alone().await;
    many_files();
    let accounts: Vec<Account> = (0..CONTROLLERS).map(account).collect();
    let began = Instant::now();
    let home = farm::seeded_with(&accounts).await;
    let sockets = (LIVE + 1).to_string();
    let environment = [("HARIT_LIMITS_SOCKETS_PER_USER", &*sockets)];
    let mut server = home.server(&[], &environment).await;
    let mut api = Api::of(&server, GREEN).await;
    eprintln!("made and started after {:?}", began.elapsed());
    let mut units = timeout(PATIENCE, units(server.mqtt))
        .await
        .expect("all controllers are let in");
    eprintln!(
        "{CONTROLLERS} controllers are in after {:?}",
        began.elapsed()
    );

    let http = server.http.rsplit_once(':').unwrap().1.parse().unwrap();
    let mut unread = Vec::new();
    for _ in 0..LIVE {
        unread.push(follower(http, api.token()).await);
    }
    // Until there is no room for another byte of what they are told.
    let mut turn = 0;
    until("the live connections are full", PATIENCE, async || {
        turn += 1;
        let telling = units.iter_mut().take(TELLING).enumerate();
        join_all(telling.map(async |(n, unit)| unit.say("telemetry", &telemetry(n, turn)).await))
            .await;
        are_stuck(http, &unread)
    })
    .await;
    // one answer may find room in the kernel
    let asks = "GET /api/openapi.json HTTP/1.1\r\nhost: a\r\n\r\n".repeat(30);
    for _ in 0..ASKING {
        unread.push(narrow(http, &asks).await);
    }
    until("answers are cut short", PATIENCE, async || {
        are_stuck(http, &unread)
    })
    .await;
    let half = "POST /auth/login HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{";
    for _ in 0..SLOW {
        unread.push(narrow(http, half).await);
    }
    eprintln!("nobody takes anything after {:?}", began.elapsed());
    assert_eq!(unread.len(), 100);
    until("all of them are open", PATIENCE, async || {
        let open = api.metric("harit_http_connections", "").await;
        (open >= 101.0).then_some(())
    })
    .await;
    are_stuck(http, &unread[..LIVE + ASKING]).expect("nobody was cut off before");

    let dead = units.split_off(CONTROLLERS - DEAD);
    let mut listening = JoinSet::new();
    for unit in units {
        listening.spawn(unit.listen());
    }
    let (status, after) = server.terminate().await;
    eprintln!("stopped after {after:?}");
    assert_eq!(status.code(), Some(0));
    assert!(after < STOP_WITHIN, "{after:?}");
    drop((dead, unread));
    listening.join_all().await;

    server.start().await;
    api.moved(&server);
    let known = api.of_farm("controllers").await;
    let known: BTreeSet<(&str, u64, bool)> = known
        .as_array()
        .unwrap()
        .iter()
        .map(|c| {
            (
                c["macid"].as_str().unwrap(),
                c["devices"].as_u64().unwrap(),
                c["online"] == true,
            )
        })
        .collect();
    let expected = accounts.iter().map(|a| (&*a.mac, 1, false)).collect();
    assert_eq!(known, expected, "each with its fan, and none online");
}
