//! What sensors and signals tell of readings.

use harit_engine::{
    InputKind, Measured, Quantity, ReadingOutcome, RegistryChange, ScopeSpec, SensorType,
};

use crate::{Farm, at};

#[test]
fn a_sensor_has_its_value_until_it_expires_and_remembers_when_it_was_read() {
    let mut farm = Farm::new();
    let told = |farm: &Farm| {
        let s = farm.0.sensor("t1").unwrap();
        (s.value, s.read_at, s.expires_at)
    };
    assert_eq!(told(&farm), (None, None, None));
    farm.read(10, "t1", "21.5");
    let value = Some(Quantity::from_micro(21_500_000));
    assert_eq!(told(&farm), (value, Some(at(10)), Some(at(910))));
    farm.apply(910, InputKind::Tick);
    assert_eq!(told(&farm), (None, Some(at(10)), None));
}

#[test]
fn a_signal_is_the_mean_of_its_own_scope() {
    let mut farm = Farm::new();
    farm.read(0, "t1", "20");
    farm.read(0, "t2", "21");
    farm.read(0, "h1", "60");
    let shown = |farm: &Farm, scope: &ScopeSpec, kind| {
        farm.0.signal(scope, kind).map(|m| m.shown().to_string())
    };
    let told = |text: &str| Some(text.to_owned());
    for scope in [
        ScopeSpec::farm(),
        ScopeSpec::polyhouse("p1"),
        ScopeSpec::zone("z1"),
    ] {
        assert_eq!(
            shown(&farm, &scope, SensorType::Temperature),
            told("20.5"),
            "{scope:?}"
        );
    }
    assert_eq!(
        shown(&farm, &ScopeSpec::zone("z2"), SensorType::Temperature),
        None
    );
    assert_eq!(
        shown(&farm, &ScopeSpec::zone("z2"), SensorType::Humidity),
        told("60")
    );
    assert_eq!(
        shown(&farm, &ScopeSpec::polyhouse("p9"), SensorType::Humidity),
        None
    );
    farm.read(800, "t2", "25");
    farm.apply(900, InputKind::Tick);
    assert_eq!(
        shown(&farm, &ScopeSpec::farm(), SensorType::Temperature),
        told("25"),
        "t1 is too old"
    );
    assert_eq!(shown(&farm, &ScopeSpec::farm(), SensorType::Humidity), None);
}

#[test]
fn readings_are_counted_by_what_became_of_them() {
    let mut farm = Farm::new();
    farm.read(1_000, "t1", "20");
    for (secs, sensor, value) in [
        (999, "t1", "21"),
        (1_001, "t1", ""),
        (1_002, "t1", "NaN"),
        (1_003, "t1", "85.0000001"),
        (1_004, "t1", "85"),
        (1_005, "t7", "20"),
        (100, "t2", "20"),
    ] {
        farm.read(secs, sensor, value);
    }
    let c = farm.0.counters();
    assert_eq!((c.readings, c.applied, c.late, c.unknown), (8, 2, 2, 1));
    assert_eq!(
        (
            c.faults_null,
            c.faults_not_finite,
            c.faults_out_of_range,
            c.faults()
        ),
        (1, 1, 1, 3)
    );
}

#[test]
fn a_number_that_no_sensor_has_any_more_is_an_unknown_reading() {
    let mut farm = Farm::new();
    let number = farm.0.sensor_index("h1").unwrap();
    assert_eq!(farm.0.sensor_index("h7"), None);
    farm.apply(
        0,
        InputKind::Registry(vec![RegistryChange::DeleteSensor("h1".into())]),
    );
    let value = Measured::exact(Quantity::from_units(50));
    let outcome = farm.0.apply_reading(at(5), number, value, &mut Vec::new());
    assert_eq!(outcome, ReadingOutcome::Unknown);
    assert_eq!(farm.0.counters().unknown, 1);
    assert_eq!(farm.0.clock(), Some(at(5)), "time passed all the same");
}
