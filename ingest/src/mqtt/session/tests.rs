//! A session without a connection.

use super::*;

const NAME: &str = "harit/1/green/A4CF120B9E01/command";

fn window() -> Window {
    Window {
        version: Version::V4,
        in_flight: 2,
        packet_size: 1 << 20,
        output: 1 << 20,
    }
}

fn session() -> (Session, Arc<AtomicUsize>) {
    let all = Arc::new(AtomicUsize::new(0));
    let principal = Principal::Integration {
        farm: "green".into(),
        name: "erp".into(),
    };
    (
        Session::new(
            SessionKey {
                principal,
                client_id: "c".into(),
            },
            Arc::clone(&all),
        ),
        all,
    )
}

fn message(expires: Option<Instant>) -> Message {
    Message {
        topic: NAME.into(),
        payload: Bytes::from_static(b"{}"),
        at_least_once: true,
        expires,
        properties: Bytes::new(),
    }
}

fn hold(session: &Session) -> watch::Sender<()> {
    let (gone, seen) = watch::channel(());
    session.resume(Holder {
        control: Arc::default(),
        gone: seen,
    });
    gone
}

#[test]
fn what_waits_is_counted_and_let_go() {
    let (session, all) = session();
    let counts = Counts::new();
    let now = Instant::now();
    let _holder = hold(&session);
    assert_eq!(
        session.offer(&message(None), WhenFull::Refuse, now, &counts),
        Offered::NotSubscribed
    );
    assert!(session.subscribe("harit/1/green/#", true));
    for _ in 0..5 {
        assert_eq!(
            session.offer(&message(None), WhenFull::Refuse, now, &counts),
            Offered::Queued
        );
    }
    assert_eq!(all.load(Ordering::Relaxed), 5 * message(None).cost());
    let mut out = BytesMut::new();
    session.drain(&mut out, window(), now, &counts);
    assert_eq!((counts.sent.get(), session.backlog()), (2, 5));
    session.acknowledged(1);
    session.acknowledged(77);
    session.drain(&mut out, window(), now, &counts);
    assert_eq!((counts.sent.get(), session.backlog()), (3, 4));
    session.end();
    assert_eq!((session.backlog(), all.load(Ordering::Relaxed)), (0, 0));
    assert_eq!(
        session.offer(&message(None), WhenFull::Refuse, now, &counts),
        Offered::NotSubscribed
    );
}

#[test]
fn a_full_queue_refuses_or_drops_its_oldest() {
    let (session, _) = session();
    let counts = Counts::new();
    let now = Instant::now();
    let _holder = hold(&session);
    session.subscribe("#", true);
    for _ in 0..MAX_QUEUED {
        assert_eq!(
            session.offer(&message(None), WhenFull::Refuse, now, &counts),
            Offered::Queued
        );
    }
    assert_eq!(
        session.offer(&message(None), WhenFull::Refuse, now, &counts),
        Offered::Full
    );
    assert_eq!(
        session.offer(&message(None), WhenFull::DropOldest, now, &counts),
        Offered::Queued
    );
    assert_eq!(
        (session.backlog(), counts.dropped_full.get()),
        (MAX_QUEUED, 2)
    );
    let large = Message {
        payload: vec![0; MAX_QUEUED_BYTES - 1_000].into(),
        ..message(None)
    };
    assert_eq!(
        session.offer(&large, WhenFull::DropOldest, now, &counts),
        Offered::Queued
    );
    assert!(session.backlog() < 10, "{}", session.backlog());
}

#[test]
fn what_is_too_old_is_not_sent() {
    let (session, _) = session();
    let counts = Counts::new();
    let now = Instant::now();
    let _holder = hold(&session);
    session.subscribe(NAME, true);
    session.offer(
        &message(Some(now + Duration::from_secs(15))),
        WhenFull::Refuse,
        now,
        &counts,
    );
    let mut out = BytesMut::new();
    session.drain(&mut out, window(), now + Duration::from_secs(15), &counts);
    assert_eq!(
        (out.len(), counts.dropped_expired.get(), session.backlog()),
        (0, 1, 0)
    );
}

#[test]
fn quality_is_the_lesser_of_both_and_nothing_at_qos_0_waits_for_the_absent() {
    let (session, _) = session();
    let counts = Counts::new();
    let now = Instant::now();
    session.subscribe(NAME, false);
    assert_eq!(
        session.offer(&message(None), WhenFull::Refuse, now, &counts),
        Offered::NotSubscribed
    );
    let _holder = hold(&session);
    assert_eq!(
        session.offer(&message(None), WhenFull::Refuse, now, &counts),
        Offered::Queued
    );
    let mut out = BytesMut::new();
    session.drain(&mut out, window(), now, &counts);
    assert_eq!(out[0], 0x30);
    // Of two subscriptions that match, the better one counts, and the message comes once.
    session.subscribe("#", true);
    session.offer(&message(None), WhenFull::Refuse, now, &counts);
    out.clear();
    session.drain(&mut out, window(), now, &counts);
    assert_eq!((out[0], counts.sent.get()), (0x32, 2));
}

#[test]
fn a_session_holds_only_so_many_subscriptions() {
    let (session, _) = session();
    for n in 0..MAX_SUBSCRIPTIONS {
        assert!(session.subscribe(&format!("a/{n}"), true));
    }
    assert!(!session.subscribe("one/more", true));
    assert!(
        session.subscribe("a/0", false),
        "a subscription that is there may be changed"
    );
    assert!(session.unsubscribe("a/0") && !session.unsubscribe("a/0"));
    assert!(session.subscribe("one/more", true));
    assert!(!session.subscribe(&"x".repeat(MAX_FILTER_BYTES + 1), true));
}

#[test]
fn a_client_that_comes_back_smaller_gets_no_more_than_it_takes() {
    let (session, _) = session();
    let counts = Counts::new();
    let now = Instant::now();
    let first = hold(&session);
    session.subscribe(NAME, true);
    for payload in [&[b'a'; 10][..], &[b'b'; 500], &[b'c'; 10], &[b'd'; 10]] {
        let message = Message {
            payload: Bytes::copy_from_slice(payload),
            ..message(None)
        };
        session.offer(&message, WhenFull::Refuse, now, &counts);
    }
    let mut out = BytesMut::new();
    session.drain(
        &mut out,
        Window {
            in_flight: 4,
            ..window()
        },
        now,
        &counts,
    );
    assert_eq!(counts.sent.get(), 4);
    drop(first);
    let _second = hold(&session);
    let small = Window {
        in_flight: 2,
        packet_size: 200,
        ..window()
    };
    out.clear();
    session.drain(&mut out, small, now, &counts);
    assert_eq!(
        (
            counts.sent.get(),
            counts.dropped_too_large.get(),
            session.backlog()
        ),
        (6, 1, 3)
    );
    // The second, too large, gave its place to the third.
    session.acknowledged(1);
    session.drain(&mut out, small, now, &counts);
    assert_eq!((counts.sent.get(), session.backlog()), (7, 2));
}
