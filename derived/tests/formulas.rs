//! Formulas of people's own: what they compute, how they fail, and that nothing gets out of the language.

#![allow(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "how long a formula takes is measured"
)]

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use harit_derived::{Formula, FormulaError, MAX_FORMULA_BYTES};

fn names() -> BTreeSet<&'static str> {
    BTreeSet::from(["t", "h"])
}

fn value(text: &str) -> Result<Option<f64>, FormulaError> {
    Formula::new(text, &names())?.value([("t", 25.0), ("h", 60.0)].into_iter())
}

#[test]
fn they_compute_as_one_reads_them() {
    for (text, expected) in [
        ("t + h", 85.0),
        ("1 / 2", 0.5),
        ("t / 2", 12.5),
        ("2 ** 3", 8.0),
        ("-t + 3 * (h - 10) % 7", -22.0),
        ("min(t, 20)", 20.0),
        ("max(3, 20)", 20.0),
        ("abs(-3) + sqrt(16) + round(2.5)", 10.0),
        ("let mean = (t + h) / 2; mean * 10", 425.0),
        ("if t > 20 { 1 } else { 0 }", 1.0),
        ("t > 20 && h < 50", 0.0),
        ("9223372036854775807 + 1", 9_223_372_036_854_775_808.0),
    ] {
        assert_eq!(value(text), Ok(Some(expected)), "{text}");
    }
    let vpd = value("vpd(t, h)").unwrap().unwrap();
    assert!((vpd - 1.267).abs() < 0.001, "{vpd}");
}

#[test]
fn what_has_no_value_is_unknown() {
    for text in [
        "t / 0",
        "ln(-1)",
        "sqrt(t - h)",
        "dew_point(t, 0)",
        "vpd(500, h)",
        "min(ln(-1), 3)",
        "max(3, ln(-1))",
        "10.0 ** 400",
    ] {
        assert_eq!(value(text), Ok(None), "{text}");
    }
}

#[test]
fn mistakes_have_a_place() {
    for (text, line, column, says) in [
        ("t + humidity", 1, 5, "humidity"),
        ("t +\n  * h", 2, 3, "*"),
        ("t + vdp(t, h)", 1, 5, "vdp"),
        ("(t + h", 1, 7, ")"),
        ("t = 3; t", 1, 1, "constant"),
    ] {
        let error = value(text).expect_err(text);
        let at = (error.line, error.column);
        assert_eq!(at, (Some(line), Some(column)), "{text}: {error}");
        assert!(error.message.contains(says), "{text}: {error}");
    }
    let error = value("\"warm\"").unwrap_err();
    assert!(error.message.contains("no number"), "{error}");
}

/// Everything that a formula has no use for is refused, most of it when it is read; what remains is stopped. None takes long.
#[test]
fn hostile_formulas_are_stopped() {
    let deep = format!("{}t{}", "(".repeat(500), ")".repeat(500));
    let long = "t+".repeat(MAX_FORMULA_BYTES) + "t";
    let chained = format!("{}0", "t + ".repeat(400));
    let doubled = format!("let s = \"0123456789\"; {} 1", "s += s; ".repeat(60));
    let many: String = (0..100).map(|n| format!("let v{n} = t; ")).collect();
    let many = many + "t";
    for text in [
        "loop { }",
        "while true { }",
        "do { } while true; t",
        "for x in 0..1000000 { }",
        "fn f(x) { f(x) } f(1)",
        "let f = |x| x; f.call(1)",
        "eval(\"1\")",
        "print(t)",
        "debug(t)",
        "import \"os\" as os; t",
        "export t",
        "[1, 2, 3]",
        "#{a: 1}",
        "timestamp()",
        "t.to_string()",
        "sleep(1)",
        "parse_int(\"1\")",
        "type_of(t)",
        "this",
        "throw t",
        "try { t } catch { 1 }",
        "return",
        "\"a\" * 1000000",
        &deep,
        &long,
        &doubled,
        &many,
        "",
        "\u{0}",
        "💧",
    ] {
        let shown: String = text.chars().take(40).collect();
        assert!(value(text).is_err(), "{shown}: {:?}", value(text));
    }
    let result = value(&chained);
    assert!(
        result.is_err() || result == Ok(Some(10_000.0)),
        "{result:?}"
    );
}

/// The costliest formula that fits costs less than a millisecond where it is optimised, and far less than a second where not.
#[test]
fn the_costliest_formula_is_cheap() {
    let mut text = String::from("let x = t;");
    while text.len() + 40 < MAX_FORMULA_BYTES {
        text.push_str("x=exp(ln(x));");
    }
    text.push('x');
    let formula = Formula::new(&text, &names()).unwrap();
    let began = Instant::now();
    for _ in 0..100 {
        let value = formula.value([("t", 25.0), ("h", 60.0)].into_iter());
        assert!((value.unwrap().unwrap() - 25.0).abs() < 1e-9);
    }
    let each = began.elapsed() / 100;
    println!("{} bytes: {each:?} each", text.len());
    assert!(each < Duration::from_millis(100), "{each:?}");
}
