//! Polyhouses with their zones, and reservoirs with what is in them.

use std::collections::HashMap;

use axum::Json;
use harit_engine::{Mean, Quantity, SensorType};
use harit_ingest::mac::Mac;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::access::{FarmAccess, ReadFarm};
use crate::error::{ApiError, ErrorBody};

/// A polyhouse.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Polyhouse)]
pub(super) struct PolyhouseBody {
    id: String,
    name: String,
    zones_count: usize,
    /// In the farm's own words; null where it is not known.
    #[schema(required)]
    capacity: Option<String>,
    is_active: bool,
    zones: Vec<ZoneBody>,
}

/// A zone.
#[derive(Serialize, ToSchema)]
#[schema(as = Zone)]
pub(super) struct ZoneBody {
    id: String,
    name: String,
}

/// A reservoir.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Reservoir)]
pub(super) struct ReservoirBody {
    id: String,
    name: String,
    /// The mean of its fresh level sensors, rounded to two decimals; null where none is fresh.
    #[schema(required, value_type = Option<f64>)]
    level_percent: Option<Quantity>,
    /// Litres; null where level or capacity is not known.
    #[schema(required)]
    current_level: Option<f64>,
    /// Litres.
    #[schema(required)]
    capacity: Option<f64>,
    #[schema(required)]
    last_refill: Option<i64>,
}

/// The polyhouses
#[utoipa::path(
    get, path = "/api/farms/{farmId}/polyhouses", tag = "farms", params(("farmId" = String, Path)),
    responses(
        (status = OK, body = Vec<PolyhouseBody>),
        (status = UNAUTHORIZED, body = ErrorBody),
        (status = NOT_FOUND, body = ErrorBody),
        (status = SERVICE_UNAVAILABLE, body = ErrorBody),
    )
)]
pub(super) async fn polyhouses(
    access: FarmAccess<ReadFarm>,
) -> Result<Json<Vec<PolyhouseBody>>, ApiError> {
    let document = access.hub().read(harit_engine::Engine::document).await?;
    let body = |p: harit_engine::PolyhouseSpec| PolyhouseBody {
        id: p.id.to_string(),
        name: p.name,
        zones_count: p.zones.len(),
        capacity: match p.capacity {
            Value::Null => None,
            Value::String(text) => Some(text),
            other => Some(other.to_string()),
        },
        is_active: p.is_active,
        zones: p
            .zones
            .into_iter()
            .map(|z| ZoneBody {
                id: z.id.to_string(),
                name: z.name,
            })
            .collect(),
    };
    let mut polyhouses: Vec<PolyhouseBody> = document.polyhouses.into_iter().map(body).collect();
    polyhouses.sort_by_cached_key(|p| (by_number(&p.name), p.id.clone()));
    Ok(Json(polyhouses))
}

/// Orders "Polyhouse 2" before "Polyhouse 10": text and numbers in turn.
fn by_number(name: &str) -> Vec<(String, u64)> {
    let mut key = vec![(String::new(), 0_u64)];
    let mut in_number = false;
    for c in name.chars() {
        if in_number && !c.is_ascii_digit() {
            key.push((String::new(), 0));
        }
        in_number = c.is_ascii_digit();
        if let Some((text, number)) = key.last_mut() {
            match c.to_digit(10) {
                Some(digit) => *number = number.saturating_mul(10).saturating_add(digit.into()),
                None => text.extend(c.to_lowercase()),
            }
        }
    }
    key
}

/// The reservoirs
///
/// A reservoir's level is what the level sensors of its controllers say.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/reservoirs", tag = "farms", params(("farmId" = String, Path)),
    responses(
        (status = OK, body = Vec<ReservoirBody>),
        (status = UNAUTHORIZED, body = ErrorBody),
        (status = NOT_FOUND, body = ErrorBody),
        (status = SERVICE_UNAVAILABLE, body = ErrorBody),
    )
)]
pub(super) async fn reservoirs(
    access: FarmAccess<ReadFarm>,
) -> Result<Json<Vec<ReservoirBody>>, ApiError> {
    let records = access.records();
    let served: HashMap<Mac, String> = records
        .controllers()
        .into_iter()
        .filter_map(|c| Some((c.mac, c.reservoir_id?)))
        .collect();
    let hub = access.hub();
    let levels = hub.read(move |engine| {
        let mut levels: HashMap<String, Mean> = HashMap::new();
        for s in engine
            .sensors()
            .filter(|s| s.spec.sensor_type == SensorType::ReservoirLevel)
        {
            let mac = s
                .spec
                .controller
                .as_deref()
                .and_then(|c| Mac::parse(c).ok());
            if let (Some(value), Some(reservoir)) = (s.value, mac.and_then(|m| served.get(&m))) {
                let mean = levels
                    .entry(reservoir.clone())
                    .or_insert(Mean { sum: 0, count: 0 });
                *mean = Mean {
                    sum: mean.sum + value.as_micro(),
                    count: mean.count + 1,
                };
            }
        }
        levels
    });
    let levels = levels.await?;
    let body = |r: crate::records::Reservoir| {
        let level = levels.get(&r.id).map(|m| m.shown());
        ReservoirBody {
            current_level: level
                .zip(r.capacity_litres)
                .map(|(l, c)| (l.to_f64() / 100.0 * c * 10.0).round() / 10.0),
            level_percent: level,
            id: r.id,
            name: r.name,
            capacity: r.capacity_litres,
            last_refill: r.last_refill_at,
        }
    };
    Ok(Json(
        records.reservoirs().await?.into_iter().map(body).collect(),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_numbers_are_in_the_order_of_the_numbers() {
        let mut names = [
            "Polyhouse 10",
            "polyhouse 2",
            "Polyhouse 1b",
            "North",
            "Polyhouse 1",
            "12",
        ];
        names.sort_by_cached_key(|n| by_number(n));
        assert_eq!(
            names,
            [
                "12",
                "North",
                "Polyhouse 1",
                "Polyhouse 1b",
                "polyhouse 2",
                "Polyhouse 10"
            ]
        );
    }
}
