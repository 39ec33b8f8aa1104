//! Decimal text: the engine's reading of it against the model's.

use harit_engine::{Decimal as EngineDecimal, Measured};
use harit_model::generate::Dice;
use harit_model::number::Decimal;

use crate::cases::{cases, first_failures};

/// A number as somebody may write it, with ties, edges, exponents and far too many digits among them.
fn text(dice: &mut Dice) -> String {
    let digits = |dice: &mut Dice, most: i64| {
        (0..dice.between(0, most))
            .map(|_| dice.pick(&['0', '0', '1', '4', '5', '9']))
            .collect::<String>()
    };
    let mut text = String::new();
    if dice.chance(40) {
        text.push('-');
    }
    let most = *dice.pick(&[1, 3, 6, 9, 25, 45]);
    text += &digits(dice, most);
    if dice.chance(80) {
        let most = *dice.pick(&[1, 6, 7, 8, 25, 45]);
        text = format!(
            "{text}{}.{}",
            if text.ends_with(|c: char| c.is_ascii_digit()) {
                ""
            } else {
                "0"
            },
            digits(dice, most)
        );
        if text.ends_with('.') {
            text.push(*dice.pick(&['0', '5']));
        }
    }
    if dice.chance(15) {
        let power = *dice.pick(&[-400, -30, -7, -2, 0, 2, 5, 30, 400]);
        text = format!("{text}e{power}");
    }
    text
}

#[test]
fn both_read_decimal_text_alike() {
    let failures = first_failures(cases(20_000), |seed| {
        let mut dice = Dice::new(seed);
        let text = text(&mut dice);
        let bounds = *dice.pick(&[(-40, 85), (0, 100), (0, 14), (0, 200_000)]);
        let ours = Decimal::parse(&text).filter(|d| {
            d.micros()
                .is_some_and(|m| m.unsigned_abs() <= 1_000_000_000_000_000)
        });
        let theirs = match Measured::parse(&text) {
            Measured::Value(value) => Some(value),
            Measured::Null | Measured::NotFinite => None,
        };
        let seen = |d: EngineDecimal| (d.within(bounds.0, bounds.1), d.rounded().as_micro());
        // A number that no farm has may be read in any way, as long as it is in no range.
        let (ours, theirs) = (
            ours.map(|d| (d.is_within(bounds.0, bounds.1), d.micros().unwrap())),
            theirs.map(seen),
        );
        match (ours, theirs) {
            (None, Some((false, _))) | (Some((false, _)), None) => None,
            _ if ours == theirs => None,
            _ => Some(format!(
                "{text}: the model reads {ours:?}, the engine {theirs:?}"
            )),
        }
    });
    assert!(failures.is_empty(), "{failures:#?}");
}
