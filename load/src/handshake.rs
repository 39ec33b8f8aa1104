//! From nothing to an accepted MQTT connection, and why a connection ends early.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use crate::frame::{self, BadPacket, Connect, Packet};

/// How long a handshake may take.
pub(crate) const HANDSHAKE: Duration = Duration::from_secs(30);

/// Why a connection ended early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failed {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error(transparent)]
    Packet(#[from] BadPacket),
    #[error("the server refused {0}")]
    Refused(&'static str),
    #[error("the server closed the connection")]
    Closed,
    #[error("packet {got} was acknowledged where {expected} was next")]
    Order { got: u16, expected: u16 },
    #[error("the server did not answer the handshake in time")]
    Silent,
    #[error("the server did not answer a ping within the keep-alive of {0} s")]
    NoPong(u16),
    #[error("{0} messages were not acknowledged")]
    Unacknowledged(usize),
}

/// Connects to the first of these addresses that answers, from that one if it is named, and is accepted. What came after that stays in the input.
pub(crate) async fn accepted(
    server: &[SocketAddr],
    from: Option<Ipv4Addr>,
    who: &Connect<'_>,
) -> Result<(TcpStream, Vec<u8>), Failed> {
    let v4 = server.iter().find(|address| address.is_ipv4());
    let mut io = match from.zip(v4) {
        None => TcpStream::connect(server).await?,
        Some((from, server)) => {
            let socket = TcpSocket::new_v4()?;
            socket.bind((from, 0).into())?;
            socket.connect(*server).await?
        }
    };
    io.set_nodelay(true)?;
    let (mut input, mut out) = (Vec::new(), Vec::new());
    frame::connect(&mut out, who);
    io.write_all(&out).await?;
    await_packet(&mut io, &mut input, |p| match p {
        Packet::Connack(0) => Some(Ok(())),
        _ => Some(Err(Failed::Refused("the account"))),
    })
    .await?;
    Ok((io, input))
}

/// Reads packets until one is what is waited for.
pub(crate) async fn await_packet(
    io: &mut TcpStream,
    input: &mut Vec<u8>,
    mut is_it: impl FnMut(&Packet<'_>) -> Option<Result<(), Failed>>,
) -> Result<(), Failed> {
    loop {
        let mut rest = &input[..];
        while let Some(packet) = frame::take(&mut rest)? {
            if let Some(answer) = is_it(&packet) {
                let used = input.len() - rest.len();
                input.drain(..used);
                return answer;
            }
        }
        let used = input.len() - rest.len();
        input.drain(..used);
        if io.read_buf(input).await? == 0 {
            return Err(Failed::Closed);
        }
    }
}
