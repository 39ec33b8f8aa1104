//! Numbers at their edges: what JSON and floats become, and what of them is written again.

#![allow(clippy::unwrap_used, reason = "a test that fails here says where")]

use harit_engine::{Decimal, Duration, Mean, Measured, Quantity, Timestamp};

fn micro(text: &str) -> i64 {
    Decimal::parse(text).unwrap().rounded().as_micro()
}

#[test]
fn a_float_is_read_through_its_shortest_text() {
    assert_eq!(Quantity::from_f64(0.1), Some(Quantity::from_micro(100_000)));
    assert_eq!(
        Quantity::from_f64(-2.5),
        Some(Quantity::from_micro(-2_500_000))
    );
    assert_eq!(Quantity::from_f64(f64::NAN), None);
    assert_eq!(Quantity::from_f64(f64::INFINITY), None);
    let same = Measured::exact(Quantity::from_micro(27_400_000));
    assert_eq!(Measured::from(27.4), same);
    assert_eq!(Measured::from(f64::NEG_INFINITY), Measured::NotFinite);
    let shown = Quantity::from_micro(1_250_000).to_f64();
    assert!((shown - 1.25).abs() < f64::EPSILON);
}

#[test]
fn a_measured_value_is_written_and_read_as_json() {
    for (json, measured) in [
        ("27.4", Measured::exact(Quantity::from_micro(27_400_000))),
        ("-3", Measured::exact(Quantity::from_units(-3))),
        ("null", Measured::Null),
        ("\"NaN\"", Measured::NotFinite),
    ] {
        assert_eq!(serde_json::from_str::<Measured>(json).unwrap(), measured);
        assert_eq!(serde_json::to_string(&measured).unwrap(), json);
    }
    assert_eq!(Measured::parse("1,5"), Measured::NotFinite);
    assert_eq!(Measured::parse(""), Measured::Null);
    assert_eq!(Measured::parse("null"), Measured::Null);
    assert_eq!(
        serde_json::from_str::<Quantity>("1e-6").unwrap(),
        Quantity::from_micro(1)
    );
    for wrong in ["null", "\"1\"", "true"] {
        assert!(serde_json::from_str::<Quantity>(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn digits_beyond_what_counts_still_round_to_the_right_side() {
    let long = "1".repeat(40);
    // More than the largest quantity is the largest, and lies beyond it.
    assert_eq!(micro(&long), 1_000_000_000_000_000);
    assert!(!Decimal::parse(&long).unwrap().within(0, 1_000_000_000));
    assert!(
        Decimal::parse("1000000000")
            .unwrap()
            .within(0, 1_000_000_000)
    );
    assert_eq!(micro("+4.5"), 4_500_000);
    assert_eq!(micro("1E+2"), 100_000_000);
    assert_eq!(micro("0.0000015"), 2, "ties away from zero");
    assert_eq!(micro("-0.0000015"), -2);
    assert_eq!(micro("0.0000014999999999999999999999999999999999999"), 1);
    assert_eq!(micro(&format!("{}e-39", "5".repeat(40))), 5_555_556);
    assert_eq!(micro("1e-6"), 1);
    assert_eq!(micro("1000000000e-9"), 1_000_000);
    for text in ["1e99999999999", "1e2147483648"] {
        assert_eq!(micro(text), 1_000_000_000_000_000, "{text}");
        let small = text.replace('e', "e-");
        assert_eq!(micro(&small), 0, "{small}");
        assert!(
            !Decimal::parse(&small).unwrap().within(-1, 0),
            "it is above zero"
        );
    }
}

#[test]
fn the_end_of_a_range_is_in_it_to_the_last_digit() {
    let within = |text: &str| Decimal::parse(text).unwrap().within(0, 125);
    // Thirty digits are kept; of those beyond them whether any says something.
    let zeros = "0".repeat(40);
    assert!(within("125"));
    assert!(within("125.0000000"));
    assert!(within(&format!("125.{zeros}")));
    assert!(!within(&format!("125.{zeros}1")));
    assert!(!within(&format!("125.{zeros}10")));
    assert!(within(&format!("124.{}", "9".repeat(40))));
    assert!(!within(&format!("-0.{zeros}1")));
}

#[test]
fn quantities_are_shown_without_what_says_nothing() {
    for (quantity, text) in [
        (Quantity::from_micro(-1), "-0.000001"),
        (Quantity::from_micro(1_500_000), "1.5"),
        (Quantity::from_units(-40), "-40"),
        (Quantity::default(), "0"),
    ] {
        assert_eq!(quantity.to_string(), text);
        let written = serde_json::to_value(quantity).unwrap();
        assert_eq!(
            serde_json::from_value::<Quantity>(written).unwrap(),
            quantity
        );
    }
    assert_eq!(Quantity::from_units(7).as_units(), Some(7));
    assert_eq!(Quantity::from_micro(7).as_units(), None);
    // Two decimals, ties away from zero, on either side.
    for (sum, count, shown) in [
        (14_999, 3, "0"),
        (15_000, 3, "0.01"),
        (-15_000, 3, "-0.01"),
        (1, 1, "0"),
        (0, 1, "0"),
    ] {
        assert_eq!(
            Mean { sum, count }.shown().to_string(),
            shown,
            "{sum}/{count}"
        );
    }
}

#[test]
fn time_does_not_overflow() {
    let end = Timestamp::from_millis(i64::MAX);
    assert_eq!(end + Duration::from_secs(1), end);
    let start = Timestamp::from_millis(i64::MIN);
    assert_eq!(start - Duration::from_secs(1), start);
    assert_eq!(end - start, Duration::from_millis(i64::MAX));
    assert_eq!(Duration::from_millis(-1).as_secs(), -1, "rounded down");
    assert_eq!(Duration::from_millis(1_999).as_secs(), 1);
    assert_eq!(Timestamp::from_millis(5).to_string(), "5 ms");
}
