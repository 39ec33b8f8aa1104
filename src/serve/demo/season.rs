//! What the people of the first demo farm have written down: a season of red and yellow capsicum and of tomato, with days
//! counted from today.

use harit_api::{FarmRecord, RecordError, Records};
use harit_ingest::Hub;
use harit_simulate::demo::DemoFarm;
use jiff::ToSpan;
use jiff::civil::Date;
use serde_json::{Value, json};

/// Writes the season down.
pub(super) async fn write(
    records: &Records,
    hub: &Hub,
    farm: &DemoFarm,
    today: Date,
) -> Result<(), RecordError> {
    let season = Season {
        records,
        hub,
        farm,
        today,
    };
    let red = season.crops().await?;
    season.store(&red).await?;
    season.trade(&red).await?;
    season.notes().await
}

struct Season<'a> {
    records: &'a Records,
    hub: &'a Hub,
    farm: &'a DemoFarm,
    today: Date,
}

impl Season<'_> {
    /// So many days from today, as YYYY-MM-DD.
    fn day(&self, from_today: i64) -> String {
        self.today.saturating_add(from_today.days()).to_string()
    }

    async fn add(&self, kind: FarmRecord, mut input: Value) -> Result<String, RecordError> {
        let records = self.records;
        self.farm.language.say_each(&mut input);
        records
            .create_record(self.hub, self.farm.id, kind, input)
            .await
    }

    /// A template, seedlings and what grows; the id of the red capsicum's cycle.
    async fn crops(&self) -> Result<String, RecordError> {
        let range = |sensor: &str, min: f64, max: f64| json!({"sensorType": sensor, "min": min, "max": max});
        let stage = |name: &str, days: i64, setpoints: Vec<Value>| json!({"name": name, "days": days, "setpoints": setpoints});
        let stages = json!([
            stage(
                "Rooting",
                14,
                vec![range("temperature", 18.0, 34.0), range("ec", 1.0, 1.4)]
            ),
            stage(
                "Growth",
                30,
                vec![
                    range("temperature", 12.0, 34.0),
                    range("ph", 5.8, 6.9),
                    range("ec", 1.0, 2.2)
                ]
            ),
            stage(
                "Flowering",
                25,
                vec![
                    range("temperature", 14.0, 32.0),
                    range("ph", 5.8, 6.9),
                    range("ec", 1.1, 2.2)
                ]
            ),
            stage(
                "Harvest",
                150,
                vec![
                    range("temperature", 11.0, 34.0),
                    range("ph", 5.8, 6.9),
                    range("ec", 1.1, 2.2)
                ]
            ),
        ]);
        self.add(
            FarmRecord::Template,
            json!({"name": "Capsicum in cocopeat", "crop": "Capsicum", "stages": stages}),
        )
        .await?;
        let red = json!({
            "crop": "Capsicum", "variety": "Bachata", "zoneId": "zone-1a", "plants": 1200, "sownOn": self.day(-118), "transplantedOn": self.day(-80),
            "expectedHarvestOn": self.day(-10), "expectedYieldKg": 4800, "expectedPricePaise": 6500, "stages": stages,
        });
        let red = self.add(FarmRecord::CropCycle, red).await?;
        let yellow = json!({
            "crop": "Capsicum", "variety": "Orobelle", "zoneId": "zone-1b", "plants": 1200, "sownOn": self.day(-70), "transplantedOn": self.day(-33),
            "expectedHarvestOn": self.day(38), "expectedYieldKg": 4600, "expectedPricePaise": 7000, "stages": stages,
        });
        self.add(FarmRecord::CropCycle, yellow).await?;
        let gone = json!({
            "crop": "Tomato", "zoneId": "zone-2a", "plants": 1800, "transplantedOn": self.day(-190), "endedOn": self.day(-20),
        });
        self.add(FarmRecord::CropCycle, gone).await?;
        let seedlings = json!({
            "crop": "Tomato", "variety": "Abhilash", "place": "Shade net, bench 2", "trays": 20, "cellsPerTray": 98, "sownOn": self.day(-19),
            "germinated": 1870, "readyOn": self.day(6),
        });
        self.add(FarmRecord::Nursery, seedlings).await?;
        let cucumber = json!({
            "crop": "Cucumber", "variety": "Multistar", "place": "Shade net, bench 1", "trays": 12, "cellsPerTray": 50, "sownOn": self.day(-3),
            "readyOn": self.day(17),
        });
        self.add(FarmRecord::Nursery, cucumber).await?;
        Ok(red)
    }

    /// What lies in the store; the potassium nitrate is low.
    async fn store(&self, cycle: &str) -> Result<(), RecordError> {
        let items = [
            ("Calcium nitrate", "FERTILISER", "KG", 25, 100, 480_000, 38),
            ("Potassium nitrate", "FERTILISER", "KG", 25, 75, 975_000, 55),
            ("Neem oil", "PLANT_PROTECTION", "L", 2, 10, 320_000, 3),
            ("Crates", "PACKAGING", "PIECE", 50, 200, 1_800_000, 20),
        ];
        for (name, category, unit, lowest, bought, cost, used) in items {
            let item =
                json!({"name": name, "category": category, "unit": unit, "lowestStock": lowest});
            let item = self.add(FarmRecord::InventoryItem, item).await?;
            let came = json!({"itemId": item, "kind": "IN", "quantity": bought, "movedOn": self.day(-45), "costPaise": cost});
            self.add(FarmRecord::StockMovement, came).await?;
            let went = json!({"itemId": item, "kind": "OUT", "quantity": used, "movedOn": self.day(-4), "cycleId": cycle});
            self.add(FarmRecord::StockMovement, went).await?;
        }
        Ok(())
    }

    /// What was done by hand, at its hour.
    async fn notes(&self) -> Result<(), RecordError> {
        for (ago, hour, zone, text) in [
            (1_i64, 10, "zone-1a", "Sprayed neem oil against aphids."),
            (3, 13, "zone-1b", "Opened the side curtains."),
        ] {
            let day = self.today.saturating_sub(ago.days());
            // Where clocks are changed an hour may be none.
            if let Ok(at) = day.at(hour, 30, 0, 0).in_tz(self.farm.timezone) {
                let at = at.timestamp().as_millisecond();
                self.add(
                    FarmRecord::Note,
                    json!({"at": at, "zoneId": zone, "text": text}),
                )
                .await?;
            }
        }
        Ok(())
    }

    /// What was picked, sold and spent.
    async fn trade(&self, cycle: &str) -> Result<(), RecordError> {
        for (ago, a, b) in [
            (10, 41.5, 12.0),
            (7, 58.25, 14.5),
            (4, 63.0, 16.25),
            (1, 66.5, 15.0),
        ] {
            for (grade, kg) in [("A", a), ("B", b)] {
                let picked = json!({"cycleId": cycle, "harvestedOn": self.day(-ago), "weightKg": kg, "grade": grade});
                self.add(FarmRecord::Harvest, picked).await?;
            }
        }
        let line = |grade: &str, kg: f64, paise: i64| json!({"what": "Red capsicum", "grade": grade, "cycleId": cycle, "quantity": kg, "unit": "KG", "pricePaise": paise});
        for (ago, buyer, lines, paid) in [
            (
                9,
                "Pune market yard",
                vec![line("A", 99.5, 6_800), line("B", 26.5, 4_200)],
                787_900,
            ),
            (3, "Hotel Sayaji", vec![line("A", 40.0, 9_000)], 200_000),
        ] {
            let sale = json!({"buyer": buyer, "soldOn": self.day(-ago), "lines": lines, "paidPaise": paid});
            self.add(FarmRecord::Sale, sale).await?;
        }
        for (ago, what, category, amount) in [
            (30, "Wages", "LABOUR", 2_400_000),
            (12, "Power bill", "ELECTRICITY", 684_000),
            (9, "Tempo to Pune", "TRANSPORT", 150_000),
        ] {
            let spent = json!({"what": what, "category": category, "spentOn": self.day(-ago), "amountPaise": amount, "cycleId": cycle});
            self.add(FarmRecord::Expense, spent).await?;
        }
        Ok(())
    }
}
