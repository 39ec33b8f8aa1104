//! The simulated farm: what is broken is found in time, and on quiet days next to nothing is told.

mod field;

use field::{DEVICES, Fault, play};

#[test]
fn look() {
    for (day, seed) in [(19.0, 1), (120.0, 2), (200.0, 3)] {
        let began = std::time::Instant::now();
        let played = play(seed, (day, 14), &[]);
        println!("== day {day} {:?}", began.elapsed());
        let began = std::time::Instant::now();
        for d in DEVICES {
            let t = played.judged(d.name);
            println!("{:10} worked {:3} no {:3} {:?} told {:?} {:?}", d.name, t.worked, t.no_effect, t.reasons, t.told, t.signal);
        }
        println!("judged in {:?}", began.elapsed());
    }
    let day = 10;
    for device in ["fan-2", "fan-1a", "drip-1a", "drip-2", "well-1", "acid-1", "nutrient-1", "fogger-1", "vent-1"] {
        let mut faults = vec![Fault { device, from_day: day }];
        if device == "fan-1a" { faults.push(Fault { device: "fan-1b", from_day: day }); }
        let played = play(5, (19.0, 14), &faults);
        let t = played.judged(device);
        println!("{:10} worked {:3} no {:3} {:?} told {:?} {:?}", device, t.worked, t.no_effect, t.reasons, t.told.iter().map(|m| m - day * 1440).collect::<Vec<_>>(), t.signal);
    }
}
