//! A batch as a message, and the state of a snapshot's object: a head with checksums, and a body that is compressed where that
//! makes it smaller.
//!
//! The head of a batch has the checksum of the batch before it, so that an end which was lost and written anew is found out, and
//! the number of the writer, so that what another one wrote is never taken for one's own.

use std::io::Read as _;

use async_nats::jetstream::message::PublishMessage;
use bytes::Bytes;
use harit_engine::Timestamp;

/// The version of both heads.
const VERSION: u8 = 1;
/// The flag of a body that is compressed.
const ZSTD: u8 = 1;
/// From so many bytes on a body is compressed, and how much.
const COMPRESSED_FROM: usize = 4 << 10;
const LEVEL: i32 = 1;
/// The largest body, before it is compressed.
pub(crate) const MAX_BODY: usize = 1 << 30;
/// version, flags, writer, instant, entries, checksum of the batch before; then the checksum of it all.
const CHECKED: usize = 1 + 1 + 8 + 8 + 8 + 4;
const HEAD: usize = CHECKED + 4;

/// A batch as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Batch {
    /// Who appended it.
    pub(crate) writer: u64,
    /// When it was written.
    pub(crate) at: Timestamp,
    /// How many entries it has.
    pub(crate) entries: u64,
    /// The checksum of the batch before; 0 where that is not known.
    pub(crate) before: u32,
    /// What is in it.
    pub(crate) body: Vec<u8>,
}

/// CRC-32 of what makes something what it is.
fn checksum(seq: u64, parts: [&[u8]; 2]) -> u32 {
    let mut h = crc32fast::Hasher::new();
    h.update(&seq.to_le_bytes());
    for part in parts {
        h.update(part);
    }
    h.finalize()
}

/// The body, compressed or not, with its flag.
fn packed(body: &[u8]) -> (u8, std::borrow::Cow<'_, [u8]>) {
    if body.len() >= COMPRESSED_FROM
        && let Ok(smaller) = zstd::bulk::compress(body, LEVEL)
        && smaller.len() < body.len()
    {
        return (ZSTD, smaller.into());
    }
    (0, body.into())
}

fn unpacked(flags: u8, body: &[u8]) -> Result<Vec<u8>, String> {
    match flags {
        0 => Ok(body.to_vec()),
        ZSTD => {
            let mut all = Vec::new();
            let read = zstd::stream::read::Decoder::new(body)
                .and_then(|packed| packed.take(MAX_BODY as u64).read_to_end(&mut all));
            read.map_err(|e| format!("its compression: {e}"))?;
            Ok(all)
        }
        flags => Err(format!(
            "it has flags {flags:#x} that this version does not know"
        )),
    }
}

/// What is stored of a batch of that number.
pub(crate) fn encode(
    seq: u64,
    (writer, before): (u64, u32),
    (at, entries): (Timestamp, u64),
    body: &[u8],
) -> Vec<u8> {
    let (flags, body) = packed(body);
    let mut message = Vec::with_capacity(HEAD + body.len());
    message.extend([VERSION, flags]);
    message.extend(writer.to_le_bytes());
    message.extend(at.as_millis().to_le_bytes());
    message.extend(entries.to_le_bytes());
    message.extend(before.to_le_bytes());
    let crc = checksum(seq, [&message, &body]);
    message.extend(crc.to_le_bytes());
    message.extend_from_slice(&body);
    message
}

/// The checksum that is stored with a batch, right or wrong.
pub(crate) fn stored_checksum(message: &[u8]) -> Option<u32> {
    let crc = message.get(CHECKED..HEAD)?;
    Some(u32::from_le_bytes(crc.try_into().ok()?))
}

/// The batch that is stored as that number.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn decode(seq: u64, message: &[u8]) -> Result<Batch, String> {
    let crc = stored_checksum(message).ok_or("it is too short")?;
    let (head, body) = message.split_at(HEAD);
    let mut head = Fields(head);
    let ([version, flags], checked) = (head.take(), &message[..CHECKED]);
    if version != VERSION {
        return Err(format!(
            "it has version {version}, which this version does not read"
        ));
    }
    if checksum(seq, [checked, body]) != crc {
        return Err("its checksum is wrong".to_owned());
    }
    Ok(Batch {
        writer: u64::from_le_bytes(head.take()),
        at: Timestamp::from_millis(i64::from_le_bytes(head.take())),
        entries: u64::from_le_bytes(head.take()),
        before: u32::from_le_bytes(head.take()),
        body: unpacked(flags, body)?,
    })
}

/// The message that appends it after another one, and what it is known by.
pub(crate) fn append(after: u64, writer: u64, message: Bytes) -> PublishMessage {
    PublishMessage::build()
        .message_id(format!("{writer:016x}-{}", after + 1))
        .expected_last_sequence(after)
        .payload(message)
}

/// What is stored of a snapshot: version, flags, instant and checksum before the body.
pub(crate) fn encode_snapshot(seq: u64, at: Timestamp, body: &[u8]) -> Vec<u8> {
    let (flags, body) = packed(body);
    let mut object = Vec::with_capacity(SNAPSHOT_HEAD + body.len());
    object.extend([VERSION, flags]);
    object.extend(at.as_millis().to_le_bytes());
    let crc = checksum(seq, [&object, &body]);
    object.extend(crc.to_le_bytes());
    object.extend_from_slice(&body);
    object
}

const SNAPSHOT_HEAD: usize = 1 + 1 + 8 + 4;

/// The body of a snapshot.
///
/// # Errors
/// What is wrong with it.
pub(crate) fn decode_snapshot(seq: u64, object: &[u8]) -> Result<Vec<u8>, String> {
    let (head, body) = object
        .split_at_checked(SNAPSHOT_HEAD)
        .ok_or("it is too short")?;
    let (checked, crc) = head.split_at(SNAPSHOT_HEAD - 4);
    let [version, flags] = Fields(checked).take();
    if version != VERSION {
        return Err(format!(
            "it has version {version}, which this version does not read"
        ));
    }
    if checksum(seq, [checked, body]).to_le_bytes() != crc {
        return Err("its checksum is wrong".to_owned());
    }
    unpacked(flags, body)
}

/// The fields of a head, one after another. What is beyond its end is zeros; lengths are checked before.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take<const N: usize>(&mut self) -> [u8; N] {
        let Some((field, rest)) = self.0.split_first_chunk() else {
            return [0; N];
        };
        self.0 = rest;
        *field
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Timestamp = Timestamp::from_millis(-5);

    #[test]
    fn what_is_stored_is_what_is_read_and_any_other_bit_is_found() {
        for body in [vec![], b"small".to_vec(), b"again and ".repeat(2_000)] {
            let message = encode(7, (u64::MAX, 9), (AT, 70_000), &body);
            assert!(message.len() <= HEAD + body.len());
            let batch = Batch {
                writer: u64::MAX,
                at: AT,
                entries: 70_000,
                before: 9,
                body: body.clone(),
            };
            assert_eq!(decode(7, &message), Ok(batch));
            assert!(decode(8, &message).is_err(), "at another place");
            let object = encode_snapshot(7, AT, &body);
            assert_eq!(decode_snapshot(7, &object), Ok(body));
            for place in 0..message.len() * 8 {
                let mut other = message.clone();
                other[place / 8] ^= 1 << (place % 8);
                assert!(decode(7, &other).is_err(), "{place}");
            }
            for place in 0..object.len() * 8 {
                let mut other = object.clone();
                other[place / 8] ^= 1 << (place % 8);
                assert!(decode_snapshot(7, &other).is_err(), "{place}");
            }
            for cut in 0..message.len() {
                assert!(decode(7, &message[..cut]).is_err(), "{cut}");
            }
        }
    }

    /// As it lies in streams.
    #[test]
    fn what_was_written_before_is_read() {
        let message = encode(2, (3, 4), (Timestamp::from_millis(5), 6), b"body");
        assert_eq!(
            message,
            [
                &[
                    1, 0, 3, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0,
                    4, 0, 0, 0
                ][..],
                &crc32fast::hash(&[&2_u64.to_le_bytes()[..], &message[..30], b"body"].concat())
                    .to_le_bytes(),
                b"body",
            ]
            .concat()
        );
    }
}
