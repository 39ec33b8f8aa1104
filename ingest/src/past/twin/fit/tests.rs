//! A system whose answer is known.

use super::*;

const FAN: Prior = Prior {
    exchanges: true,
    direction: Some(Direction::Falls),
};
const HEATER: Prior = Prior {
    exchanges: false,
    direction: Some(Direction::Rises),
};

/// Days of a system whose answer is known: `x' = w - a (x - 20) - u c (x - 12) + v g`, with a fan `u` that keeps it below 30, a
/// heater `v` that keeps it above 16 and comes on at times without cause, and a third device that never runs. In hours.
fn played(days: u32, noise: f64) -> Vec<Step> {
    const A: f64 = 2.0;
    const C: f64 = 6.0;
    const G: f64 = 12.0;
    let (mut x, mut fan, mut heater, mut dice) = (20.0_f64, 0.0, 0.0, 7_u64);
    let mut steps = Vec::new();
    for minute in (0..i64::from(days) * 1_440).step_by(5) {
        let from = x;
        let light = (hours(minute.rem_euclid(1_440)) / 24.0 * std::f64::consts::TAU).sin();
        let weather = 60.0 * light.max(0.0) - 8.0;
        let (mut mean, mut run, mut warm) = (0.0, [0.0; 3], [0.0; 3]);
        for _ in 0..50 {
            dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let chance = hours(i64::try_from(dice >> 40).unwrap()) * 60.0 / f64::from(1 << 24);
            fan = if x > 30.0 {
                1.0
            } else if x < 27.0 {
                0.0
            } else {
                fan
            };
            heater = if x < 16.0 || chance < 0.0005 {
                1.0
            } else if x > 19.0 && chance > 0.99 {
                0.0
            } else {
                heater
            };
            let change = weather - A * (x - 20.0) - fan * C * (x - 12.0) + heater * G;
            x += change / 600.0;
            mean += x / 50.0;
            for (k, on) in [fan, heater, 0.0].into_iter().enumerate() {
                run[k] += on / 50.0;
                warm[k] += on * x / 50.0;
            }
            x += noise * (chance - 0.5);
        }
        steps.push(Step {
            minute,
            minutes: 5,
            from,
            to: x,
            mean,
            light: light.max(0.0),
            run: run.to_vec(),
            run_signal: warm.to_vec(),
        });
    }
    steps
}

fn within(found: f64, truth: f64, part: f64) -> bool {
    (found - truth).abs() < part * truth.abs()
}

#[test]
fn what_is_known_in_closed_form_is_recovered_within_a_twentieth() {
    let steps = played(8, 0.02);
    let found = fit(&steps, &[FAN, HEATER, HEATER]).unwrap();
    assert!(within(found.rate, 2.0, 0.05), "{found:?}");
    let fan = found.effects[0].unwrap();
    assert!(within(fan.slope, 6.0, 0.05), "{fan:?}");
    assert!(within(fan.at(28.0, 360), -6.0 * 16.0, 0.05), "{fan:?}");
    let heater = found.effects[1].unwrap();
    assert!(within(heater.per_hour, 12.0, 0.05), "{heater:?}");
    assert!(heater.error < 1.0, "{heater:?}");
    assert_eq!(found.effects[2], Err(Unknown::NeverRan));
    let errors = held_out(&steps, &[FAN, HEATER, HEATER]).unwrap();
    assert!(errors.model * 2.0 < errors.without, "{errors:?}");
    assert!(errors.model * 2.0 < errors.stays, "{errors:?}");
}

#[test]
fn what_does_nothing_is_not_seen_and_what_does_the_contrary_is_not_believed() {
    let mut steps = played(8, 0.02);
    for (i, step) in steps.iter_mut().enumerate() {
        let on = if i % 14 < 3 { 1.0 } else { 0.0 };
        (step.run[2], step.run_signal[2]) = (on, on * step.mean);
    }
    let found = fit(&steps, &[FAN, HEATER, HEATER]).unwrap();
    assert_eq!(found.effects[2], Err(Unknown::NotSeen), "{found:?}");
    let cooler = Prior {
        direction: Some(Direction::Falls),
        ..HEATER
    };
    let found = fit(&steps, &[FAN, cooler, HEATER]).unwrap();
    assert_eq!(found.effects[1], Err(Unknown::Contrary), "{found:?}");
}

#[test]
fn an_effect_never_turns_round_and_ends_where_nothing_was_seen() {
    let fan = Effect {
        per_hour: -10.0,
        error: 1.0,
        slope: 5.0,
        wave: [0.0, 0.0],
        usual: Usual {
            signal: 30.0,
            wave: [0.0, 0.0],
        },
        seen: (-25.0, -2.0),
    };
    for (signal, effect) in [(30.0, -10.0), (33.0, -25.0), (50.0, -25.0), (10.0, -2.0)] {
        assert!((fan.at(signal, 720) - effect).abs() < 1e-9, "{signal}");
    }
}
