//! Derived sensors as they are stored, and how the farms' shards come to know them.
//!
//! A row says by what a sensor is computed; the sensor itself is registered in the engine, under an id that follows from the row's. Both
//! are made in one go ([`crate::routes`]); where a fault came between, the start puts right what is left of it.

use crate::records::sql;
use std::collections::{BTreeMap, BTreeSet};

use harit_derived::{
    Carried, Definition, Document, Problem, ProblemKind, SENSOR_PREFIX, is_sensor as is_derived,
};
use harit_engine::{
    Engine, FarmId, InputKind, RegistryChange, ScopeSpec, SensorId, SensorSpec, Timestamp,
};
use harit_ingest::Hub;
use sqlx::FromRow;

use crate::records::{Records, RecordsError, Stored, Value, now_ms};

/// The step of the history, in seconds.
const MINUTE: u32 = 60;

/// A derived sensor as stored.
#[derive(Debug, Clone, Default, FromRow)]
pub(crate) struct DerivedSensor {
    pub id: String,
    pub name: String,
    /// JSON.
    pub document: String,
    /// Since when it is computed so.
    pub edited_at: i64,
}

impl Stored for DerivedSensor {
    const TABLE: &'static str = "derived_sensors";
    const MAX: i64 = 256;

    fn columns(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("name", (&self.name).into()),
            ("document", (&self.document).into()),
            ("edited_at", self.edited_at.into()),
        ]
    }
}

/// What a document is in a farm.
pub(crate) struct Compiled {
    pub definition: Definition,
    /// Its sensor, as it is to be registered.
    pub sensor: SensorSpec,
}

/// Reads a document as what it is in a farm now.
///
/// # Errors
/// All that is wrong with it.
pub(crate) fn compile(
    engine: &Engine,
    sensor: SensorId,
    name: &str,
    document: &Document,
) -> Result<Compiled, Vec<Problem>> {
    let filled = document.filled(engine);
    let gap = filled.gap(engine);
    let made = Definition::new(sensor.clone(), &filled, gap);
    let mut problems = made.as_ref().err().cloned().unwrap_or_default();
    let missing = filled.wrong_sources(engine).into_iter();
    let known: BTreeSet<String> = problems.iter().map(|p| p.path.clone()).collect();
    problems.extend(missing.filter(|p| !known.contains(&p.path)));
    let definition = made.map_err(|_| problems.clone())?;
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(Compiled {
        sensor: SensorSpec {
            id: sensor,
            name: Some(name.to_owned()),
            sensor_type: definition.sensor_type(),
            scope: document.scope.clone(),
            stale_after: gap,
            controller: None,
        },
        definition,
    })
}

impl DerivedSensor {
    /// The id of its sensor.
    pub(crate) fn sensor(&self) -> SensorId {
        SensorId::new(format!("{SENSOR_PREFIX}{}", self.id))
    }

    /// What it is computed by; none where this version no longer understands it.
    pub(crate) fn document(&self) -> Option<Document> {
        let read = serde_json::from_str(&self.document);
        read.inspect_err(|error| {
            tracing::error!(sensor = self.id, %error, "a derived sensor is no longer understood");
        })
        .ok()
    }

    /// What it is computed by in a farm now, with its place. What is not there any more does not keep it from being computed: it is unknown
    /// then.
    pub(crate) fn definition(&self, engine: &Engine) -> Option<(Definition, ScopeSpec)> {
        let document = self.document()?;
        let filled = document.filled(engine);
        let made = Definition::new(self.sensor(), &filled, filled.gap(engine)).ok()?;
        let since = Timestamp::from_millis(self.edited_at);
        Some((made.since(since), document.scope))
    }
}

/// A circle among derived sensors: their names, each an input of the next.
pub(crate) fn circle(engine: &Engine, rows: &[DerivedSensor]) -> Option<String> {
    let all: Vec<_> = { rows.iter() }
        .filter_map(|row| row.definition(engine).map(|(d, s)| (row, d, s)))
        .collect();
    let places: Vec<_> = all.iter().map(|(_, d, s)| (d, s)).collect();
    let found = harit_derived::circle(&places)?;
    let mut names: Vec<_> = found.iter().map(|n| all[*n].0.name.as_str()).collect();
    names.push(*names.first()?);
    Some(names.join(" → "))
}

/// Has a farm's derived sensors computed by these rows from now on.
pub(crate) async fn settle(
    hub: &Hub,
    farm: &FarmId,
    rows: Vec<DerivedSensor>,
) -> Result<(), harit_ingest::AdmitError> {
    let question = move |engine: &Engine| -> Vec<Definition> {
        let all = rows.iter().filter_map(|row| row.definition(engine));
        all.map(|(definition, _)| definition).collect()
    };
    let definitions = hub.read(farm, question).await?;
    hub.put_derived(farm, definitions);
    Ok(())
}

/// Has every farm's derived sensors computed: at the start, before controllers are let in. What counts over the day goes on from what
/// the history has of it. A sensor without a row is removed, and one that is missing is registered.
///
/// # Errors
/// When they cannot be read.
pub async fn load_derived_sensors(records: &Records, hub: &Hub) -> Result<(), RecordsError> {
    const Q: &str = "SELECT farm_id, id, name, document, edited_at FROM derived_sensors ORDER BY created_at, id";
    let rows: Vec<(String, String, String, String, i64)> =
        sql::query_as(Q).fetch_all(records.reader()).await?;
    let mut all: BTreeMap<FarmId, Vec<DerivedSensor>> = BTreeMap::new();
    for farm in hub.farms() {
        all.insert(farm, Vec::new());
    }
    for (farm, id, name, document, edited_at) in rows {
        if let Some(rows) = all.get_mut(farm.as_str()) {
            rows.push(DerivedSensor {
                id,
                name,
                document,
                edited_at,
            });
        }
    }
    for (farm, rows) in all {
        if let Err(error) = load(hub, &farm, rows).await {
            tracing::error!(%farm, %error, "the farm's derived sensors are not computed");
        }
    }
    Ok(())
}

async fn load(
    hub: &Hub,
    farm: &FarmId,
    rows: Vec<DerivedSensor>,
) -> Result<(), harit_ingest::AdmitError> {
    let known: BTreeSet<SensorId> = rows.iter().map(DerivedSensor::sensor).collect();
    let none = known.is_empty();
    let now = Timestamp::from_millis(now_ms());
    let question = move |engine: &Engine| {
        let all: Vec<SensorSpec> = engine.sensors().map(|s| s.spec).collect();
        let left = all
            .iter()
            .filter(|s| s.controller.is_none() && is_derived(s.id.as_str()));
        let left = left.map(|s| s.id.clone()).filter(|id| !known.contains(id));
        let sensors: BTreeSet<SensorId> = all.iter().map(|s| s.id.clone()).collect();
        let changes: Vec<_> = left.map(RegistryChange::DeleteSensor).collect();
        let missing = rows.iter().filter(|row| !sensors.contains(&row.sensor()));
        let missing = missing.filter_map(|row| {
            let made = compile(engine, row.sensor(), &row.name, &row.document()?).ok()?;
            Some(RegistryChange::PutSensor(made.sensor))
        });
        let changes: Vec<_> = changes.into_iter().chain(missing).collect();
        let definitions = rows.iter().filter_map(|row| row.definition(engine));
        let definitions: Vec<_> = definitions.map(|(definition, _)| definition).collect();
        let day = engine.almanac().find(|d| d.from <= now && now < d.to);
        (changes, definitions, day.map(|d| d.from))
    };
    let (changes, definitions, today) = hub.read(farm, question).await?;
    for change in changes {
        let input = InputKind::Registry(vec![change]);
        if let Err(error) = hub.admit(farm, input).await {
            tracing::warn!(%farm, %error, "a derived sensor's registration could not be put right");
        }
    }
    if none {
        return Ok(());
    }
    let mut all = Vec::new();
    for definition in definitions {
        let carried = match today {
            Some(from) if definition.accumulates() => counted(hub, farm, &definition, from).await,
            _ => None,
        };
        all.push(definition.carrying(carried));
    }
    hub.put_derived(farm, all);
    Ok(())
}

/// What a sensor that counts over the day had counted today, since it was edited. It only rises, so the largest is the latest.
async fn counted(
    hub: &Hub,
    farm: &FarmId,
    definition: &Definition,
    today: Timestamp,
) -> Option<Carried> {
    let from = today.max(definition.edited_at());
    let until = Timestamp::from_millis(now_ms());
    let history = hub.history();
    let rollups = history.rollups(farm, definition.sensor(), from, until, MINUTE);
    let rollups = rollups.await.inspect_err(|error| {
        tracing::warn!(%farm, %error, "what was counted today is not known");
    });
    let latest = rollups.ok()?.into_iter().rfind(|r| r.at >= from)?;
    Some(Carried {
        at: latest.at,
        value: latest.max.to_f64(),
    })
}

/// What is wrong, as a stable word.
pub(crate) const fn word(kind: ProblemKind) -> &'static str {
    match kind {
        ProblemKind::Required => "required",
        ProblemKind::UnknownName => "unknown",
        ProblemKind::OutOfRange => "out_of_range",
        ProblemKind::WrongType => "other_type",
        ProblemKind::UnknownSource => "no_sensor",
        ProblemKind::Formula => "formula",
    }
}
