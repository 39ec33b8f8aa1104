//! What the demo's field is made of: houses, tanks and the controllers on them.

use std::time::Duration;

use harit_engine::{DeviceType, SensorType};

use crate::controller::{ControllerKind, ControllerSpec, DevicePart, SensorPart};
use crate::model::{
    Actuator, Air, BedSpec, Climate, FarmSpec, Grade, HousePart, HouseSpec, Probe, Reagent,
    TankPart, TankSpec, ZonePart,
};

pub(super) const POLYHOUSE_1: &str = "240AC45E1001";
pub(super) const POLYHOUSE_2: &str = "240AC45E1002";
pub(super) const FERTIGATION_1: &str = "240AC45E2001";
pub(super) const FERTIGATION_2: &str = "240AC45E2002";
pub(super) const TANK_1_LITRES: f64 = 2_000.0;
pub(super) const TANK_2_LITRES: f64 = 1_500.0;
pub(super) const BARAMATI_POLYHOUSE: &str = "240AC45E3001";
pub(super) const BARAMATI_FERTIGATION: &str = "240AC45E4001";
pub(super) const BARAMATI_TANK_LITRES: f64 = 1_000.0;
const REPORT_EVERY: Duration = Duration::from_secs(3);

fn zone(share: f64, moisture: f64, tank: usize) -> ZonePart {
    ZonePart {
        bed: BedSpec {
            share,
            ..BedSpec::default()
        },
        moisture,
        tank,
    }
}

fn tank(capacity_l: f64, level: f64, ph: f64, ec: f64) -> TankPart {
    TankPart {
        tank: TankSpec {
            capacity_l,
            ..TankSpec::default()
        },
        level,
        ph,
        ec,
    }
}

/// The second farm: a house of cucumbers and its tank.
pub(super) fn baramati_site() -> FarmSpec {
    FarmSpec {
        climate: Climate::pune(),
        houses: vec![HousePart {
            house: HouseSpec {
                leaf_area: 2.6,
                ..HouseSpec::default()
            },
            air: Air::new(28.9, 74.0),
            fans: vec![1.0],
            zones: vec![zone(1.0, 37.8, 0)],
        }],
        tanks: vec![tank(BARAMATI_TANK_LITRES, 72.0, 6.3, 1.35)],
    }
}

/// The physical farm. Its start values lie just before what the rules wait for.
#[must_use]
pub fn site() -> FarmSpec {
    FarmSpec {
        climate: Climate::pune(),
        houses: vec![
            HousePart {
                house: HouseSpec::default(),
                air: Air::new(31.4, 72.0),
                fans: vec![0.5, 0.5],
                zones: vec![zone(0.5, 35.15, 0), zone(0.5, 37.4, 0)],
            },
            HousePart {
                house: HouseSpec {
                    fan_ach: 90.0,
                    leaf_area: 3.2,
                    ..HouseSpec::default()
                },
                air: Air::new(29.6, 80.0),
                fans: vec![1.0],
                zones: vec![zone(1.0, 36.3, 1)],
            },
        ],
        tanks: vec![
            tank(TANK_1_LITRES, 46.0, 6.62, 1.27),
            tank(TANK_2_LITRES, 68.0, 6.45, 1.22),
        ],
    }
}

/// The controllers on it. The secrets are the demo's alone, which listens on loopback only.
#[must_use]
#[allow(clippy::too_many_lines, reason = "a table of machines")]
pub fn controllers() -> Vec<ControllerSpec> {
    vec![
        controller(
            POLYHOUSE_1,
            ControllerKind::Polyhouse,
            "Polyhouse 1 controller",
            vec![
                sensor("ph1-temp-1", SensorType::Temperature, Probe::Temperature(0)),
                sensor("ph1-temp-2", SensorType::Temperature, Probe::Temperature(0)),
                sensor("ph1-rh", SensorType::Humidity, Probe::Humidity(0)),
                sensor("ph1-light", SensorType::LightIntensity, Probe::Light(0)),
                sensor("ph1-co2", SensorType::Co2Level, Probe::Co2(0)),
                sensor(
                    "ph1-soil-a",
                    SensorType::SoilMoisture,
                    Probe::SoilMoisture(0, 0),
                ),
                sensor(
                    "ph1-soil-b",
                    SensorType::SoilMoisture,
                    Probe::SoilMoisture(0, 1),
                ),
            ],
            vec![
                // In summer it has to go on, also where nobody can reach it.
                DevicePart {
                    lease_end: Some(60.0),
                    ..device(
                        "ph1-fan-1",
                        "Exhaust fan 1",
                        DeviceType::Fan,
                        Actuator::Fan { house: 0, fan: 0 },
                    )
                },
                device(
                    "ph1-fan-2",
                    "Exhaust fan 2",
                    DeviceType::Fan,
                    Actuator::Fan { house: 0, fan: 1 },
                ),
                device(
                    "ph1-vent",
                    "Roof vents",
                    DeviceType::Vent,
                    Actuator::Vent { house: 0 },
                ),
                device(
                    "ph1-fog",
                    "Fogger",
                    DeviceType::Valve,
                    Actuator::Fog { house: 0 },
                ),
                device(
                    "ph1-drip-a",
                    "Drip valve, Zone A",
                    DeviceType::Valve,
                    Actuator::Drip { house: 0, zone: 0 },
                ),
                device(
                    "ph1-drip-b",
                    "Drip valve, Zone B",
                    DeviceType::Valve,
                    Actuator::Drip { house: 0, zone: 1 },
                ),
            ],
        ),
        controller(
            POLYHOUSE_2,
            ControllerKind::Polyhouse,
            "Polyhouse 2 controller",
            vec![
                sensor("ph2-temp", SensorType::Temperature, Probe::Temperature(1)),
                sensor("ph2-rh", SensorType::Humidity, Probe::Humidity(1)),
                sensor("ph2-light", SensorType::LightIntensity, Probe::Light(1)),
                sensor(
                    "ph2-soil",
                    SensorType::SoilMoisture,
                    Probe::SoilMoisture(1, 0),
                ),
            ],
            vec![
                device(
                    "ph2-fan",
                    "Exhaust fans",
                    DeviceType::Fan,
                    Actuator::Fan { house: 1, fan: 0 },
                ),
                device(
                    "ph2-vent",
                    "Side vents",
                    DeviceType::Vent,
                    Actuator::Vent { house: 1 },
                ),
                device(
                    "ph2-drip",
                    "Drip valve",
                    DeviceType::Valve,
                    Actuator::Drip { house: 1, zone: 0 },
                ),
            ],
        ),
        fertigation(
            FERTIGATION_1,
            1,
            &[Reagent::Acid, Reagent::Base, Reagent::Nutrient],
        ),
        fertigation(FERTIGATION_2, 2, &[Reagent::Acid, Reagent::Nutrient]),
    ]
}

/// The second farm's controllers.
pub(super) fn baramati_controllers() -> Vec<ControllerSpec> {
    vec![
        controller(
            BARAMATI_POLYHOUSE,
            ControllerKind::Polyhouse,
            "Polyhouse controller",
            vec![
                sensor("ph1-temp", SensorType::Temperature, Probe::Temperature(0)),
                sensor("ph1-rh", SensorType::Humidity, Probe::Humidity(0)),
                sensor(
                    "ph1-soil",
                    SensorType::SoilMoisture,
                    Probe::SoilMoisture(0, 0),
                ),
            ],
            vec![
                device(
                    "ph1-fan",
                    "Exhaust fans",
                    DeviceType::Fan,
                    Actuator::Fan { house: 0, fan: 0 },
                ),
                device(
                    "ph1-vent",
                    "Side vents",
                    DeviceType::Vent,
                    Actuator::Vent { house: 0 },
                ),
                device(
                    "ph1-drip",
                    "Drip valve",
                    DeviceType::Valve,
                    Actuator::Drip { house: 0, zone: 0 },
                ),
            ],
        ),
        fertigation(BARAMATI_FERTIGATION, 1, &[Reagent::Acid, Reagent::Nutrient]),
    ]
}

fn fertigation(mac: &str, number: usize, reagents: &[Reagent]) -> ControllerSpec {
    let tank = number - 1;
    let id = |last: &str| format!("ft{number}-{last}");
    let mut devices = vec![device(
        &id("refill"),
        &format!("Well pump of tank {number}"),
        DeviceType::Pump,
        Actuator::Refill { tank },
    )];
    devices.extend(reagents.iter().map(|&reagent| {
        let (last, name) = match reagent {
            Reagent::Acid => ("acid", "Acid"),
            Reagent::Base => ("base", "Base"),
            Reagent::Nutrient => ("nutrient", "Nutrient"),
        };
        let name = format!("{name} dosing pump of tank {number}");
        device(
            &id(last),
            &name,
            DeviceType::DosingPump,
            Actuator::Dose { tank, reagent },
        )
    }));
    controller(
        mac,
        ControllerKind::Fertigation,
        &format!("Fertigation controller {number}"),
        vec![
            sensor(&id("level"), SensorType::ReservoirLevel, Probe::Level(tank)),
            sensor(&id("ph"), SensorType::Ph, Probe::Ph(tank)),
            sensor(&id("ec"), SensorType::Ec, Probe::Ec(tank)),
        ],
        devices,
    )
}

fn controller(
    mac: &str,
    kind: ControllerKind,
    name: &str,
    sensors: Vec<SensorPart>,
    devices: Vec<DevicePart>,
) -> ControllerSpec {
    ControllerSpec {
        mac: mac.into(),
        secret: format!("demo-secret-{}", mac.to_ascii_lowercase()),
        kind,
        name: name.into(),
        firmware: concat!("harit-simulate ", env!("CARGO_PKG_VERSION")).into(),
        has_clock: true,
        report_every: REPORT_EVERY,
        sensors,
        devices,
    }
}

fn sensor(id: &str, sensor_type: SensorType, probe: Probe) -> SensorPart {
    SensorPart {
        id: id.into(),
        sensor_type,
        probe,
        grade: Grade::usual(sensor_type),
    }
}

fn device(id: &str, name: &str, device_type: DeviceType, actuator: Actuator) -> DevicePart {
    DevicePart {
        id: id.into(),
        name: name.into(),
        device_type,
        actuator,
        lease_end: None,
    }
}
