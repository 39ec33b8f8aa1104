//! What stands between a client and its server, and loses what it is told to lose.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// What is lost next, with the connection on which it came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Lose {
    Nothing,
    /// An append, before it reaches the server.
    Append,
    /// The server's answer to one.
    Answer,
}

pub(crate) struct Proxy {
    pub(crate) port: u16,
    lose: Arc<Mutex<Lose>>,
    lost: Arc<AtomicU8>,
}

/// Whether these bytes have it. What is looked for is small, and comes in one piece on this machine.
fn has(bytes: &[u8], what: &[u8]) -> bool {
    bytes.windows(what.len()).any(|w| w == what)
}

impl Proxy {
    pub(crate) fn before(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (lose, lost) = (Arc::new(Mutex::new(Lose::Nothing)), Arc::default());
        let proxy = Self {
            port,
            lose: Arc::clone(&lose),
            lost: Arc::clone(&lost),
        };
        // They end with the test's process at the latest.
        thread::spawn(move || {
            for client in listener.incoming() {
                let client = client.unwrap();
                let Ok(server) = TcpStream::connect(("127.0.0.1", server)) else {
                    continue;
                };
                let to = (client.try_clone().unwrap(), server.try_clone().unwrap());
                let (state, count) = (Arc::clone(&lose), Arc::clone(&lost));
                thread::spawn(move || pass(to, (Lose::Append, b".j."), &state, &count));
                let (state, count) = (Arc::clone(&lose), Arc::clone(&lost));
                let back = (Lose::Answer, &b"{\"stream\":\"HJ-"[..]);
                thread::spawn(move || pass((server, client), back, &state, &count));
            }
        });
        proxy
    }

    pub(crate) fn lose(&self, what: Lose) {
        *self.lose.lock().unwrap() = what;
    }

    /// How often something was lost.
    pub(crate) fn lost(&self) -> u8 {
        self.lost.load(Ordering::SeqCst)
    }
}

fn pass(
    (mut from, mut to): (TcpStream, TcpStream),
    (what, sign): (Lose, &[u8]),
    lose: &Mutex<Lose>,
    lost: &AtomicU8,
) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(n @ 1..) = from.read(&mut bytes) {
        let mut lose = lose.lock().unwrap();
        if *lose == what && has(&bytes[..n], sign) {
            *lose = Lose::Nothing;
            lost.fetch_add(1, Ordering::SeqCst);
            break;
        }
        drop(lose);
        if to.write_all(&bytes[..n]).is_err() {
            break;
        }
    }
    let _ = from.shutdown(Shutdown::Both);
    let _ = to.shutdown(Shutdown::Both);
}
