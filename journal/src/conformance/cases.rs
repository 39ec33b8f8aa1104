//! The cases.
#![allow(clippy::unwrap_used, reason = "a case says what is wrong by panicking")]

use std::ops::ControlFlow;

use harit_engine::Timestamp;

use super::{Case, Place};
use crate::{Journal, JournalError, StoredBatch, WriteError, until_error};

pub(super) const ALL: [(&str, Case); 17] = [
    ("nothing is in an empty one", empty),
    (
        "what was appended is there, also when it is opened again",
        appended,
    ),
    ("a range is read, and no more of it than is wanted", range),
    (
        "what is appended elsewhere than at the end is refused",
        elsewhere,
    ),
    ("an append that is repeated is stored once", repeated),
    ("of two that append the later one is refused", two_writers),
    ("a batch that is missing is found", gap),
    ("a batch that is damaged is found", damaged),
    (
        "an acknowledged end that is damaged is refused",
        damaged_end,
    ),
    ("an end that was not acknowledged may be damaged", torn_end),
    (
        "an acknowledged end that is missing is refused",
        missing_end,
    ),
    ("an end that was not acknowledged may be missing", lost_end),
    ("snapshots are kept, replaced and deleted", snapshots),
    ("a snapshot that is damaged is found", damaged_snapshot),
    (
        "batches go on after a snapshot that is newer",
        after_snapshot,
    ),
    (
        "what is trimmed is gone, and its numbers are not given again",
        trimmed,
    ),
    ("a full disk refuses, and has room for a stop", full),
];

const AT: Timestamp = Timestamp::from_millis(1_700_000_000_000);

fn body(seq: u64) -> Vec<u8> {
    format!("what is in batch {seq}").into_bytes()
}

/// Appends so many batches.
fn append(journal: &mut dyn Journal, count: u64) {
    for _ in 0..count {
        let after = journal.last();
        let appended = journal.append(after, AT, 1, &body(after + 1));
        assert_eq!(appended, Ok(after + 1));
        assert_eq!(journal.last(), after + 1);
    }
}

/// A journal of so many batches.
fn filled(place: &dyn Place, count: u64) -> Box<dyn Journal> {
    let mut journal = place.open().unwrap();
    append(&mut *journal, count);
    journal
}

/// The numbers of a range, with what is wrong in it; each batch has what was appended.
fn numbers(journal: &dyn Journal, after: u64, through: u64) -> (Vec<u64>, Option<JournalError>) {
    let mut all = Vec::new();
    let read = until_error(
        |each| journal.read(after, through, each),
        |batch: StoredBatch| {
            assert_eq!((batch.at, &batch.body), (AT, &body(batch.seq)));
            all.push(batch.seq);
            Ok::<(), JournalError>(())
        },
    );
    (all, read.err())
}

/// The numbers of all batches of a journal in which nothing is wrong.
fn all(journal: &dyn Journal) -> Vec<u64> {
    let (all, wrong) = numbers(journal, 0, u64::MAX);
    assert!(wrong.is_none(), "{wrong:?}");
    all
}

fn refusal(place: &dyn Place) -> JournalError {
    match place.open() {
        Ok(journal) => panic!("it was opened, with {} as the last", journal.last()),
        Err(e) => e,
    }
}

fn is_damaged(e: Option<&JournalError>, what: &str) {
    match e {
        Some(JournalError::Damaged { what: found, .. }) if found.contains(what) => {}
        e => panic!("{e:?} does not say that {what} is damaged"),
    }
}

fn empty(place: &dyn Place) -> Option<()> {
    // The second time it is there.
    for _ in 0..2 {
        let journal = place.open().unwrap();
        assert_eq!((journal.last(), journal.before_first().unwrap()), (0, 0));
        assert_eq!(
            (all(&*journal), journal.snapshots().unwrap()),
            (vec![], vec![])
        );
        assert!(!journal.name().is_empty());
    }
    Some(())
}

fn appended(place: &dyn Place) -> Option<()> {
    let mut journal = filled(place, 3);
    assert_eq!(all(&*journal), [1, 2, 3]);
    let bytes = journal.bytes();
    // Any bytes, which no compression makes fewer, and instants that do not go forward.
    let mut state = 1_u32;
    let any = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state.to_le_bytes()[3]
    });
    let odd: Vec<u8> = any.take(100_000).collect();
    let before = Timestamp::from_millis(-5);
    assert_eq!(journal.append(3, before, 70_000, &odd), Ok(4));
    assert!(
        journal.bytes() >= bytes + 50_000,
        "{bytes}, {}",
        journal.bytes()
    );
    drop(journal);
    let journal = place.open().unwrap();
    assert_eq!((journal.last(), journal.before_first().unwrap()), (4, 0));
    let mut last = None;
    let read = journal.read(3, 4, &mut |batch| {
        last = Some(batch);
        ControlFlow::Continue(())
    });
    read.unwrap();
    let wanted = StoredBatch {
        seq: 4,
        at: before,
        body: odd,
    };
    assert_eq!(last, Some(wanted));
    assert_eq!(numbers(&*journal, 0, 3).0, [1, 2, 3]);
    Some(())
}

fn range(place: &dyn Place) -> Option<()> {
    let journal = filled(place, 5);
    for (after, through, wanted) in [
        (0, u64::MAX, &[1, 2, 3, 4, 5][..]),
        (0, 3, &[1, 2, 3]),
        (1, 4, &[2, 3, 4]),
        (4, 9, &[5]),
        (5, u64::MAX, &[]),
        (3, 3, &[]),
        (4, 2, &[]),
        (u64::MAX, u64::MAX, &[]),
    ] {
        let (found, wrong) = numbers(&*journal, after, through);
        assert!(wrong.is_none(), "{wrong:?}");
        assert_eq!(found, wanted, "after {after} up to {through}");
    }
    let mut seen = Vec::new();
    let read = journal.read(1, u64::MAX, &mut |batch| {
        seen.push(batch.seq);
        if batch.seq == 3 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    read.unwrap();
    assert_eq!(seen, [2, 3]);
    Some(())
}

fn elsewhere(place: &dyn Place) -> Option<()> {
    let mut journal = filled(place, 3);
    for after in [0, 1, 2, 4, 5, u64::MAX] {
        let refused = journal.append(after, AT, 1, b"from elsewhere");
        assert_eq!(refused, Err(WriteError::Fenced { after, last: 3 }));
        assert!(WriteError::Fenced { after, last: 3 }.is_final());
        assert_eq!((journal.last(), all(&*journal)), (3, vec![1, 2, 3]));
    }
    append(&mut *journal, 1);
    drop(journal);
    assert_eq!(all(&*place.open().unwrap()), [1, 2, 3, 4]);
    Some(())
}

fn repeated(place: &dyn Place) -> Option<()> {
    let mut journal = filled(place, 2);
    assert_eq!(journal.append(1, AT, 1, &body(2)), Ok(2));
    assert_eq!((journal.last(), all(&*journal)), (2, vec![1, 2]));
    // What differs in anything is no repetition, and what is no longer the last either.
    for (after, at, body) in [
        (1, AT, body(3)),
        (1, Timestamp::from_millis(1), body(2)),
        (0, AT, body(1)),
    ] {
        let refused = journal.append(after, at, 1, &body);
        assert_eq!(refused, Err(WriteError::Fenced { after, last: 2 }));
    }
    append(&mut *journal, 1);
    assert_eq!(all(&*journal), [1, 2, 3]);
    Some(())
}

fn two_writers(place: &dyn Place) -> Option<()> {
    let mut first = filled(place, 2);
    let mut second = place.open().unwrap();
    append(&mut *second, 2);
    for _ in 0..2 {
        let refused = first.append(2, AT, 1, b"of the first");
        assert_eq!(refused, Err(WriteError::Fenced { after: 2, last: 4 }));
        assert_eq!(
            first.last(),
            2,
            "it does not take over what it did not write"
        );
    }
    append(&mut *second, 1);
    assert_eq!(all(&*second), [1, 2, 3, 4, 5]);
    drop((first, second));
    assert_eq!(all(&*place.open().unwrap()), [1, 2, 3, 4, 5]);
    Some(())
}

fn gap(place: &dyn Place) -> Option<()> {
    drop(filled(place, 6));
    place.lose_batch(3)?;
    let journal = place.open().unwrap();
    let (found, wrong) = numbers(&*journal, 0, u64::MAX);
    assert_eq!(found, [1, 2], "what comes before it");
    is_damaged(wrong.as_ref(), "before 4 is missing");
    let (found, wrong) = numbers(&*journal, 2, u64::MAX);
    assert_eq!(found, [0; 0], "also where the range begins with it");
    is_damaged(wrong.as_ref(), "before 4 is missing");
    assert_eq!(numbers(&*journal, 3, u64::MAX).0, [4, 5, 6]);
    Some(())
}

fn damaged(place: &dyn Place) -> Option<()> {
    drop(filled(place, 4));
    place.damage_batch(2)?;
    let journal = place.open().unwrap();
    let (found, wrong) = numbers(&*journal, 0, u64::MAX);
    assert_eq!(found, [1]);
    is_damaged(wrong.as_ref(), "batch 2");
    assert_eq!(numbers(&*journal, 2, u64::MAX).0, [3, 4]);
    Some(())
}

fn damaged_end(place: &dyn Place) -> Option<()> {
    drop(filled(place, 3));
    place.damage_batch(3)?;
    is_damaged(Some(&refusal(place)), "batch 3");
    Some(())
}

fn torn_end(place: &dyn Place) -> Option<()> {
    drop(filled(place, 3));
    place.damage_batch(3)?;
    place.acknowledge_only(2)?;
    let mut journal = place.open().unwrap();
    assert_eq!((journal.last(), all(&*journal)), (2, vec![1, 2]));
    append(&mut *journal, 1);
    assert_eq!(all(&*journal), [1, 2, 3]);
    Some(())
}

fn missing_end(place: &dyn Place) -> Option<()> {
    drop(filled(place, 3));
    place.lose_batch(3)?;
    match refusal(place) {
        JournalError::Lost {
            last: 2,
            acknowledged: 3,
            ..
        } => Some(()),
        e => panic!("{e}"),
    }
}

fn lost_end(place: &dyn Place) -> Option<()> {
    drop(filled(place, 3));
    place.lose_batch(3)?;
    place.acknowledge_only(2)?;
    let mut journal = place.open().unwrap();
    assert_eq!((journal.last(), all(&*journal)), (2, vec![1, 2]));
    append(&mut *journal, 1);
    Some(())
}

fn snapshots(place: &dyn Place) -> Option<()> {
    let mut journal = filled(place, 4);
    for seq in [4, 2, 3, 2] {
        let at = Timestamp::from_millis(1_000 + i64::try_from(seq).unwrap());
        journal
            .put_snapshot(seq, at, format!("after {seq}").as_bytes())
            .unwrap();
    }
    journal.put_snapshot(3, AT, b"").unwrap();
    drop(journal);
    let mut journal = place.open().unwrap();
    let at = Timestamp::from_millis;
    assert_eq!(
        journal.snapshots().unwrap(),
        [(4, at(1_004)), (3, AT), (2, at(1_002))]
    );
    assert_eq!(journal.snapshot(2).unwrap(), b"after 2");
    assert_eq!(journal.snapshot(3).unwrap(), b"");
    is_damaged(journal.snapshot(1).err().as_ref(), "snapshot 1 is missing");
    // One that is not there is deleted already.
    for _ in 0..2 {
        journal.delete_snapshot(4).unwrap();
        assert_eq!(journal.snapshots().unwrap(), [(3, AT), (2, at(1_002))]);
    }
    assert_eq!((journal.last(), all(&*journal)), (4, vec![1, 2, 3, 4]));
    Some(())
}

fn damaged_snapshot(place: &dyn Place) -> Option<()> {
    let mut journal = filled(place, 2);
    journal.put_snapshot(1, AT, b"after 1").unwrap();
    journal.put_snapshot(2, AT, b"after 2").unwrap();
    drop(journal);
    place.damage_snapshot(2)?;
    let journal = place.open().unwrap();
    is_damaged(journal.snapshot(2).err().as_ref(), "snapshot 2");
    assert_eq!(journal.snapshot(1).unwrap(), b"after 1");
    Some(())
}

fn after_snapshot(place: &dyn Place) -> Option<()> {
    let mut journal = place.open().unwrap();
    journal.put_snapshot(7, AT, b"from elsewhere").unwrap();
    assert_eq!((journal.last(), journal.before_first().unwrap()), (7, 7));
    let refused = journal.append(0, AT, 1, &body(1));
    assert_eq!(refused, Err(WriteError::Fenced { after: 0, last: 7 }));
    append(&mut *journal, 2);
    drop(journal);
    let journal = place.open().unwrap();
    assert_eq!((journal.last(), journal.before_first().unwrap()), (9, 7));
    assert_eq!(
        (all(&*journal), numbers(&*journal, 8, u64::MAX).0),
        (vec![8, 9], vec![9])
    );
    Some(())
}

fn trimmed(place: &dyn Place) -> Option<()> {
    // More than goes at once.
    let mut journal = filled(place, 600);
    journal.put_snapshot(600, AT, b"all").unwrap();
    let mut before = 0;
    while journal.trim(598).unwrap() {
        let now = journal.before_first().unwrap();
        assert!(now > before || now == 598, "{before}, {now}");
        before = now;
    }
    assert_eq!(
        (journal.last(), journal.before_first().unwrap()),
        (600, 598)
    );
    assert_eq!(
        (all(&*journal), numbers(&*journal, 3, 599).0),
        (vec![599, 600], vec![599])
    );
    while journal.trim(600).unwrap() {}
    assert_eq!(all(&*journal), [0; 0]);
    drop(journal);
    let mut journal = place.open().unwrap();
    assert_eq!(
        (journal.last(), journal.before_first().unwrap()),
        (600, 600)
    );
    append(&mut *journal, 1);
    assert_eq!(all(&*journal), [601]);
    Some(())
}

fn full(place: &dyn Place) -> Option<()> {
    let mut journal = filled(place, 1);
    assert_eq!(journal.keep_reserve(), Ok(()));
    place.fill(true)?;
    let is_full = |refused: Result<u64, WriteError>| match refused {
        Err(e @ WriteError::Full(_)) => assert!(!e.is_final()),
        other => panic!("{other:?}"),
    };
    is_full(journal.append(1, AT, 1, &body(2)));
    assert_eq!(
        (journal.last(), all(&*journal)),
        (1, vec![1]),
        "nothing was written"
    );
    assert_eq!(journal.keep_reserve(), Ok(()), "it is still kept back");
    assert!(journal.give_up_reserve());
    append(&mut *journal, 1);
    assert!(!journal.give_up_reserve(), "there is one, once");
    is_full(journal.keep_reserve().map(|()| 0));
    drop(journal);
    let mut journal = place.open().unwrap();
    assert_eq!(all(&*journal), [1, 2]);
    place.fill(false)?;
    assert_eq!(journal.keep_reserve(), Ok(()));
    append(&mut *journal, 1);
    assert!(journal.give_up_reserve());
    Some(())
}
