//! Readings at even steps between two instants.

use harit_engine::{InputKind, Measured, Quantity};

use crate::words::{Instant, Line, Read};

/// The most readings that one line may stand for: a slip in a time shall not fill the memory.
const MAX_SERIES: i64 = 100_000;

/// Reads `every 30s t1 36`, `every 30s t1 ramp 30 -> 36`, `every 30s t1 swing 34 <-> 36`; `known` refuses a name that is no sensor.
pub(crate) fn values(
    line: &mut Line,
    from: Instant,
    to: Instant,
    known: impl Fn(&Line, &str) -> Read<()>,
) -> Read<Vec<(Instant, InputKind)>> {
    line.need("every")?;
    let step = line.duration()?;
    let count = if step > 0 { (to.0 - from.0) / step } else { -1 };
    if !(1..MAX_SERIES).contains(&count) {
        return line.wrong("a series has at least two readings, and at most 100,000");
    }
    let mut all = vec![];
    loop {
        let sensor = line.word("a sensor")?;
        known(line, &sensor)?;
        let ramp = line.eat("ramp");
        let swing = !ramp && line.eat("swing");
        let a = line.micro()?;
        let mut b = a;
        if ramp {
            line.need("->")?;
            b = line.micro()?;
        } else if swing {
            line.need("<->")?;
            b = line.micro()?;
        }
        for i in 0..=count {
            let micro = match (swing, i % 2) {
                (true, 0) => a,
                (true, _) => b,
                (false, _) => a + (b - a) * i / count,
            };
            let kind = InputKind::Reading {
                sensor: sensor.as_str().into(),
                value: Measured::exact(Quantity::from_micro(micro)),
            };
            all.push((Instant(from.0 + step * i), kind));
        }
        if !line.eat(",") {
            return Ok(all);
        }
    }
}
