//! The minutes of a sensor's hour in a few bytes each.
//!
//! Of each, in their order: how many minutes after the one before (of the first, after the hour's beginning), how many readings, the least
//! as its difference from the last reading of the one before, and the last one's milliseconds in the minute as their difference from those
//! of the one before. Of several readings also the most, the last and the sum, as differences from the least. Numbers are in groups of seven
//! bits, lowest first; those that may be negative have their sign in the lowest bit.

use thiserror::Error;

use super::rollup::{Bucket, Level, MINUTE_MS};

/// What is stored are no minutes of an hour.
#[derive(Debug, Error)]
#[error("the minutes of hour {0} are damaged")]
pub(super) struct Damaged(i64);

/// What a minute is told apart from.
struct Before {
    /// The first minute that may follow.
    minute: i64,
    last: i64,
    offset: i64,
}

impl Before {
    const fn new(hour: i64) -> Self {
        Self {
            minute: hour.saturating_mul(Level::Hour.minutes()),
            last: 0,
            offset: 0,
        }
    }

    const fn step(&mut self, b: &Bucket) {
        self.minute = b.minute.wrapping_add(1);
        self.last = b.last;
        self.offset = offset(b);
    }
}

/// When in its minute the last reading was.
const fn offset(b: &Bucket) -> i64 {
    b.last_at.wrapping_sub(b.minute.wrapping_mul(MINUTE_MS))
}

/// Packs some minutes of an hour, in their order.
pub(super) fn pack(hour: i64, minutes: &[Bucket]) -> Vec<u8> {
    let (mut bytes, mut before) = (Vec::with_capacity(minutes.len() * 8), Before::new(hour));
    for b in minutes {
        put(b.minute.wrapping_sub(before.minute), &mut bytes);
        put(b.count, &mut bytes);
        put_signed(b.min.wrapping_sub(before.last), &mut bytes);
        put_signed(offset(b).wrapping_sub(before.offset), &mut bytes);
        if b.count != 1 {
            put(b.max.wrapping_sub(b.min), &mut bytes);
            put(b.last.wrapping_sub(b.min), &mut bytes);
            put(b.sum.wrapping_sub(b.count.wrapping_mul(b.min)), &mut bytes);
        }
        before.step(b);
    }
    bytes
}

/// Gives the minutes of an hour, in their order.
pub(super) fn unpack(
    hour: i64,
    mut bytes: &[u8],
    each: &mut dyn FnMut(Bucket),
) -> Result<(), Damaged> {
    let mut before = Before::new(hour);
    while !bytes.is_empty() {
        let mut next = || take(&mut bytes).ok_or(Damaged(hour));
        let minute = before.minute.wrapping_add(next()?);
        let count = next()?;
        let min = before.last.wrapping_add(signed(next()?));
        let offset = before.offset.wrapping_add(signed(next()?));
        let [max, last, sum] = if count == 1 {
            [min; 3]
        } else {
            let [max, last] = [min.wrapping_add(next()?), min.wrapping_add(next()?)];
            [max, last, count.wrapping_mul(min).wrapping_add(next()?)]
        };
        let b = Bucket {
            minute,
            count,
            sum,
            min,
            max,
            last,
            last_at: minute.wrapping_mul(MINUTE_MS).wrapping_add(offset),
        };
        if Level::Hour.number(minute) != hour {
            return Err(Damaged(hour));
        }
        before.step(&b);
        each(b);
    }
    Ok(())
}

#[allow(clippy::cast_possible_truncation, reason = "seven bits")]
fn put(number: i64, to: &mut Vec<u8>) {
    let mut rest = number.cast_unsigned();
    while rest >= 0x80 {
        to.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    to.push(rest as u8);
}

fn put_signed(number: i64, to: &mut Vec<u8>) {
    put((number << 1) ^ (number >> 63), to);
}

const fn signed(number: i64) -> i64 {
    (number.cast_unsigned() >> 1).cast_signed() ^ -(number & 1)
}

fn take(bytes: &mut &[u8]) -> Option<i64> {
    let (mut number, mut shift) = (0_u64, 0);
    loop {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(number.cast_signed());
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unpacked(hour: i64, bytes: &[u8]) -> Result<Vec<Bucket>, Damaged> {
        let mut all = Vec::new();
        unpack(hour, bytes, &mut |b| all.push(b)).map(|()| all)
    }

    /// Values as they are, and any at all.
    fn value() -> impl Strategy<Value = i64> {
        prop_oneof![3 => -50_000_000..50_000_000_i64, 1 => any::<i64>()]
    }

    proptest! {
        #[test]
        fn minutes_come_back_as_they_were(
            hour in prop_oneof![-1_000..600_000_i64, Just(-2_400_000_i64)],
            minutes in prop::collection::btree_map(0..60_i64, (value(), value(), value(), value(), 1..5_i64, 0..60_000_i64), 0..60),
        ) {
            let minutes: Vec<_> = minutes.into_iter().map(|(n, (a, b, last, sum, count, offset))| {
                let minute = hour * 60 + n;
                let last_at = minute * MINUTE_MS + offset;
                match count {
                    1 => Bucket { minute, count, sum: a, min: a, max: a, last: a, last_at },
                    _ => Bucket { minute, count, sum, min: a.min(b), max: a.max(b), last, last_at },
                }
            }).collect();
            let bytes = pack(hour, &minutes);
            prop_assert_eq!(unpacked(hour, &bytes).unwrap(), minutes);
        }

        #[test]
        fn whatever_is_there_is_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(minutes) = unpacked(7, &bytes) {
                prop_assert!(minutes.iter().all(|b| Level::Hour.number(b.minute) == 7));
            }
        }
    }

    #[test]
    fn a_reading_a_minute_takes_few_bytes() {
        let minute = |n: i64| {
            let (minute, value) = (480_000 * 60 + n, 25_000_000 + (n * 7_919) % 300_000);
            let mut b = Bucket::default();
            let at = minute * MINUTE_MS + 300 + n % 3;
            b.add(harit_engine::Timestamp::from_millis(at), value);
            b
        };
        let minutes: Vec<_> = (0..60).map(minute).collect();
        let bytes = pack(480_000, &minutes).len();
        assert!(bytes <= 60 * 7, "{bytes} bytes");
    }

    #[test]
    fn what_is_cut_off_is_damaged() {
        let mut b = Bucket::default();
        b.add(harit_engine::Timestamp::from_millis(60_000), 5_000_000);
        let bytes = pack(0, &[b]);
        assert!(unpacked(0, &bytes[..bytes.len() - 1]).is_err());
        assert!(unpacked(1, &bytes).is_ok_and(|all| all != [b]));
    }
}
