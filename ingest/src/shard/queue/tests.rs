use super::*;

fn gone(mac: &str) -> Work {
    Work::Gone {
        farm: "f".into(),
        mac: Mac::parse(mac).unwrap(),
    }
}

fn farms(queue: &Queue, n: usize) -> Vec<String> {
    let next = || queue.next().map(|(_, cost)| cost.farm.to_string());
    std::iter::from_fn(next).take(n).collect()
}

#[tokio::test]
async fn farms_take_turns_by_what_their_work_takes() {
    let queue = Queue::new(Patience(Duration::ZERO));
    for _ in 0..100 {
        let work = gone("A4CF120B9E01");
        queue.put("noisy".into(), work, 64).await.ok().unwrap();
    }
    assert_eq!(farms(&queue, 4), ["noisy"; 4], "nobody else has any");
    for _ in 0..2 {
        queue.put_now("quiet".into(), gone("A4CF120B9E02"));
    }
    let order = farms(&queue, 7);
    let quiet = order.iter().filter(|f| *f == "quiet").count();
    assert_eq!(quiet, 2, "after a quantum at the latest: {order:?}");
    // What took more than it seemed is paid for with the turns after it.
    queue.charge(&"noisy".into(), 10 * 256);
    queue.put_now("quiet".into(), gone("A4CF120B9E02"));
    assert_eq!(farms(&queue, 1), ["quiet"]);
    assert_eq!(farms(&queue, 1), ["noisy"], "and not for ever");
}

#[tokio::test]
async fn a_farm_fills_its_own_lane_only_and_people_go_first() {
    let queue = Queue::new(Patience(Duration::ZERO));
    let mut costs = Vec::new();
    for _ in 0..2 {
        let units = FARM_UNITS / 2;
        let work = gone("A4CF120B9E01");
        queue.put("noisy".into(), work, units).await.ok().unwrap();
    }
    let more = queue.put("noisy".into(), gone("A4CF120B9E01"), 1);
    let wait = Duration::from_millis(20);
    assert!(tokio::time::timeout(wait, more).await.is_err(), "no room");
    let (reply, _answer) = oneshot::channel();
    let admit = Work::Admit {
        farm: "noisy".into(),
        kind: Box::new(InputKind::Tick),
        entry: None,
        reply,
    };
    queue.put_first("noisy".into(), admit).unwrap();
    let put = queue.put("quiet".into(), gone("A4CF120B9E02"), 1);
    tokio::time::timeout(wait, put).await.unwrap().ok().unwrap();
    let (work, cost) = queue.next().unwrap();
    assert!(matches!(work, Work::Admit { .. }));
    costs.push(cost);
    costs.extend(std::iter::from_fn(|| queue.next().map(|(_, cost)| cost)));
    queue.give_back(&costs);
    assert_eq!(queue.depth(), 0);
    let again = queue.put("noisy".into(), gone("A4CF120B9E01"), FARM_UNITS);
    tokio::time::timeout(wait, again)
        .await
        .unwrap()
        .ok()
        .unwrap();
}

async fn put_readings(queue: &Queue) {
    let (mut parts, _) = PartReceipt::parts(1, 0);
    let work = Work::Batch {
        from: None,
        publishes: Vec::new(),
        receipt: parts.pop().unwrap(),
        arrived: Instant::now(),
        only_readings: true,
        kept: false,
    };
    queue.put("f".into(), work, 1).await.ok().unwrap();
}

#[tokio::test]
async fn readings_wait_for_more_and_go_with_whatever_else_comes() {
    let wait = Duration::from_millis(300);
    let queue = Queue::new(Patience(wait));
    let began = Instant::now();
    put_readings(&queue).await;
    assert!(queue.take(Duration::ZERO, 1).may_wait);
    assert!(queue.take(wait / 3, 1).may_wait, "woken before that");
    put_readings(&queue).await;
    assert!(!queue.take(wait * 9, 1).may_wait);
    assert!((wait..wait * 3).contains(&began.elapsed()));
    assert_eq!(farms(&queue, 9).len(), 2, "both at once");
    // A connection that is gone, what a person decides, and a batch's worth of readings.
    for case in 0..3 {
        put_readings(&queue).await;
        assert!(queue.take(Duration::ZERO, 1).may_wait);
        match case {
            0 => queue.put_now("g".into(), gone("A4CF120B9E01")),
            1 => queue.put_first("g".into(), gone("A4CF120B9E01")).unwrap(),
            _ => {
                for _ in 1..TURN_UNITS {
                    put_readings(&queue).await;
                }
            }
        }
        assert!(!queue.take(Duration::ZERO, 1).may_wait);
        assert_eq!(farms(&queue, 1).len(), 1);
        assert!(!queue.take(Duration::ZERO, 1).may_wait, "the rest of it");
        assert!(!farms(&queue, TURN_UNITS).is_empty());
    }
    put_readings(&queue).await;
    queue.ask(Box::new(|_| {})).unwrap();
    assert!(!queue.take(Duration::ZERO, 1).may_wait);
}

#[test]
fn questions_are_bounded() {
    let queue = Queue::new(Patience(Duration::ZERO));
    for _ in 0..MAX_QUESTIONS {
        queue.ask(Box::new(|_| {})).unwrap();
    }
    assert_eq!(queue.ask(Box::new(|_| {})), Err(NotAsked::Busy));
    queue.tell(Box::new(|_| {}));
    let taken = queue.take(Duration::ZERO, 10).questions.len();
    assert_eq!(taken, 10);
    assert_eq!(queue.ask(Box::new(|_| {})), Ok(()));
    queue.close();
    assert_eq!(queue.ask(Box::new(|_| {})), Err(NotAsked::Closed));
}
