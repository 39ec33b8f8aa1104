//! The load in another system's words: Tasmota's SENSOR message, as its documents print it, which a shipped profile reads.
//!
//! `{"Time":"2026-01-05T06:30:00","AM2301-1":{"Temperature":23.4},"AM2301-2":{"Humidity":55.5},"TempUnit":"C"}` on
//! `tele/c7/SENSOR`: each value under a chip of its own, so that any number of them has places. The sensors' ids are what the profile
//! makes of that.

use crate::farm::{Kind, kind};

/// What a Tasmota can measure, as many kinds as the native load has, of the same lengths.
pub(crate) const KINDS: [Kind; 8] = [
    kind("temperature", "°C", 200, 300, 1),
    kind("humidity", "%", 500, 700, 1),
    kind("soil_moisture", "%", 300, 500, 1),
    kind("ph", "", 550, 650, 2),
    kind("air_pressure", "hPa", 9_000, 9_900, 1),
    kind("battery", "%", 60, 80, 0),
    kind("light_intensity", "lux", 20_000, 40_000, 0),
    kind("co2_level", "ppm", 400, 700, 0),
];

/// The key of a kind's value.
fn key(kind: &Kind) -> &'static str {
    match kind.name {
        "temperature" => "Temperature",
        "humidity" => "Humidity",
        "soil_moisture" => "Moisture",
        "ph" => "pH",
        "air_pressure" => "Pressure",
        "battery" => "Battery",
        "light_intensity" => "Illuminance",
        _ => "CarbonDioxide",
    }
}

/// The last level of a sensor's id, and what its chip is called.
pub(crate) fn sensor(chip: &str, kind: &Kind) -> String {
    format!("{chip}/{}", key(kind))
}

/// The id that the profile gives to a sensor of a controller.
pub(crate) fn sensor_id(controller: usize, chip: &str, kind: &Kind) -> String {
    format!("{}/{}", device(controller), sensor(chip, kind))
}

/// A value's entry in a message.
pub(crate) fn entry(chip: &str, kind: &Kind, value: &str) -> String {
    format!(r#""{chip}":{{"{}":{value}}}"#, key(kind))
}

fn device(controller: usize) -> String {
    format!("c{controller}")
}

/// The topic of a controller's messages.
pub(crate) fn topic(controller: usize) -> String {
    format!("tele/{}/SENSOR", device(controller))
}

/// What stands before the entries, and after them.
pub(crate) const BEGIN: &str = r#"{"Time":"2026-01-05T06:30:00","#;
pub(crate) const END: &str = r#","TempUnit":"C","PressureUnit":"hPa"}"#;

#[cfg(test)]
mod tests {
    use harit_profiles::{Aliases, Profiles};

    use crate::farm::{BenchFarms, Controller, Shape};
    use crate::wander::Step;

    /// Otherwise a bench would measure messages of which nothing is read.
    #[test]
    fn a_profile_reads_tasmota_s_words_as_the_farm_s_sensors() {
        let farms = BenchFarms {
            farms: 1,
            controllers: 3,
            idle: 0,
            values: 10,
            rules: 10,
            step: Step::CALM,
            shape: Shape::Tasmota,
        };
        let document = harit_engine::FarmDocument::from_json(&farms.document(0).1).unwrap();
        let engine = harit_engine::Engine::new(&document).unwrap();
        let controller = Controller::new(2, &farms.account(2), farms.values, Shape::Tasmota);
        let topic = controller.topic("telemetry");
        for message in [
            controller.telemetry(controller.calm(3)),
            controller.probe(controller.calm(3), true),
        ] {
            let profiles = Profiles::new(vec![]);
            let read = profiles.read(&topic, message.as_bytes(), &mut Aliases::default());
            let (profile, said) = read.unwrap();
            assert_eq!((profile, said.readings.len()), ("tasmota", farms.values));
            for reading in said.readings {
                let known = engine.sensor(&reading.id).expect("a sensor of the farm");
                assert_eq!(known.spec.sensor_type, reading.sensor_type);
            }
        }
    }
}
