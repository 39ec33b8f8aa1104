//! What is told as a farm's things change, and that a second look tells nothing.

use super::*;

/// A farm whose things change, and what was told of them.
struct Bench {
    now: Levels,
    told: BTreeMap<String, Told>,
    at: i64,
}

/// One controller.
fn house(online: bool) -> Controllers {
    let house = ControllerLevel {
        mac: "M".into(),
        name: "House".into(),
        online,
    };
    [house].into_iter().collect()
}

impl Bench {
    fn new(sensors: usize) -> Self {
        let sensor = |n| SensorLevel {
            id: format!("s{n}"),
            name: format!("S{n}"),
            controller: Some("M".into()),
            has_spoken: true,
            stale: false,
        };
        let device = Named {
            id: "d".into(),
            name: "Fan".into(),
            place: None,
        };
        let now = Levels {
            controllers: house(false),
            devices: vec![DeviceLevel { device, lock: None }],
            sensors: (0..sensors).map(sensor).collect(),
            alerts: Vec::new(),
            low_stock: Vec::new(),
            ..Levels::default()
        };
        Self {
            now,
            told: BTreeMap::new(),
            at: 0,
        }
    }

    /// What is told now; a second look must tell nothing.
    fn look(&mut self, later_ms: i64) -> Vec<String> {
        self.at += later_ms;
        let Changes { notices, told } = compare(&self.now, &self.told, self.at);
        for (subject, state) in told {
            match state {
                Some(state) => self.told.insert(subject, state),
                None => self.told.remove(&subject),
            };
        }
        let again = compare(&self.now, &self.told, self.at);
        assert!(
            again.notices.is_empty() && again.told.is_empty(),
            "{again:?}"
        );
        notices.iter().map(Notice::topic).collect()
    }

    fn stale(&mut self, stale: bool) {
        self.now.sensors.iter_mut().for_each(|s| s.stale = stale);
    }
}

#[test]
fn a_controller_is_told_when_it_goes_and_when_it_is_back() {
    let mut b = Bench::new(0);
    assert!(b.look(1).is_empty(), "it was never there");
    b.now.controllers = house(true);
    assert!(b.look(1).is_empty(), "it comes for the first time");
    b.now.controllers = house(false);
    assert_eq!(b.look(1), ["controller_offline/M"]);
    b.now.controllers = house(true);
    assert_eq!(b.look(1), ["controller_online/M"]);
    b.now.controllers = Controllers::default();
    assert!(
        b.look(1).is_empty() && b.told.is_empty(),
        "what is deleted is forgotten"
    );
}

#[test]
fn what_runs_low_is_told_once_until_there_is_enough_again() {
    let mut b = Bench::new(0);
    let item = Stocked {
        id: "i".into(),
        name: "Seed".into(),
        left: "2".into(),
        unit: "KG".into(),
    };
    b.now.low_stock.push(item.clone());
    assert_eq!(b.look(1), ["stock_low/i"]);
    b.now.low_stock[0].left = "1".into();
    assert!(b.look(1).is_empty(), "it was told");
    b.now.low_stock.clear();
    assert!(b.look(1).is_empty() && b.told.is_empty());
    b.now.low_stock.push(item);
    assert_eq!(b.look(1), ["stock_low/i"]);
}

#[test]
fn a_device_without_effect_is_told_once_and_over_when_it_works() {
    let mut b = Bench::new(0);
    let device = b.now.devices[0].device.clone();
    let failing = Failing {
        since: 0,
        minutes: 12,
        runs: 1,
        numbers: None,
    };
    b.now.effects.push(EffectLevel {
        device,
        failing: Some(failing),
        works: false,
    });
    assert_eq!(b.look(1), ["no_effect/d"]);
    b.now.effects[0].failing = None;
    assert!(b.look(1).is_empty(), "nobody can tell what came after");
    b.now.effects[0].works = true;
    assert_eq!(b.look(1), ["effect_back/d"]);
    b.now.effects.clear();
    assert!(b.look(1).is_empty());
}

#[test]
fn a_lock_is_told_with_its_reason() {
    let mut b = Bench::new(0);
    b.now.devices[0].lock = Some("interlock".into());
    assert_eq!(b.look(1), ["device_locked/d"]);
    b.now.devices[0].lock = None;
    assert_eq!(b.look(1), ["device_unlocked/d"]);
}

#[test]
fn sensors_that_fall_silent_together_are_one_message() {
    let mut b = Bench::new(9);
    b.now.controllers = house(true);
    b.look(1);
    b.stale(true);
    let Changes { notices, .. } = compare(&b.now, &b.told, 2);
    let [Notice::SensorsStale { sensors }] = notices.as_slice() else {
        panic!("{notices:?}");
    };
    assert_eq!(
        (sensors.count, sensors.names.len(), sensors.of.as_deref()),
        (9, 5, Some("House"))
    );
    assert_eq!(b.look(1), ["sensors_stale/M"]);
    b.stale(false);
    assert_eq!(b.look(1), ["sensors_fresh/M"]);
}

#[test]
fn sensors_that_fall_silent_with_their_controller_are_no_message() {
    let mut b = Bench::new(9);
    b.now.controllers = house(true);
    b.look(1);
    b.now.controllers = house(false);
    assert_eq!(b.look(1), ["controller_offline/M"]);
    b.stale(true);
    assert!(b.look(60_000).is_empty());
    b.now.controllers = house(true);
    assert_eq!(b.look(1), ["controller_online/M"]);
    assert!(b.look(60_000).is_empty(), "they have time to come back");
    b.now.sensors[1..].iter_mut().for_each(|s| s.stale = false);
    assert!(b.look(1).is_empty(), "they are back");
    // the one that does not come back has a fault of its own
    assert_eq!(b.look(SENSORS_BACK_WITHIN_MS), ["sensors_stale/M"]);
    b.stale(false);
    assert_eq!(b.look(1), ["sensors_fresh/M"]);
}
