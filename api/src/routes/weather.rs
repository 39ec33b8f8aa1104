//! The weather outside a farm.

use axum::Json;
use harit_engine::{Engine, Quantity, ScopeKind, SensorType, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::{FarmAccess, ReadFarm};
use crate::error::ApiError;
use crate::language::{Language, Text};
use crate::weather::{Conditions, NoWeather, Place, WeatherSource};

/// The weather, rounded to two decimals; null where the source does not say.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Weather)]
pub(super) struct WeatherBody {
    /// Air temperature, °C.
    #[schema(required)]
    current: Option<f64>,
    /// Apparent temperature, °C.
    #[schema(required)]
    feels_like: Option<f64>,
    /// Relative humidity, %.
    #[schema(required)]
    humidity: Option<f64>,
    /// Wind speed, km/h.
    #[schema(required)]
    wind: Option<f64>,
    /// Pressure at sea level, hPa.
    #[schema(required)]
    pressure: Option<f64>,
    source: WeatherSource,
    /// Why there is none, in the caller's language.
    #[schema(required)]
    reason: Option<&'static str>,
    /// When it was so.
    #[schema(required)]
    at: Option<i64>,
}

impl WeatherBody {
    fn of(source: WeatherSource, now: Conditions) -> Self {
        let shown = |value: Option<f64>| value.map(|v| (v * 100.0).round() / 100.0);
        Self {
            current: shown(now.temperature),
            feels_like: shown(now.feels_like),
            humidity: shown(now.humidity),
            wind: shown(now.wind),
            pressure: shown(now.pressure),
            source,
            reason: None,
            at: Some(now.at),
        }
    }
}

/// The weather outside
///
/// From a weather service by the farm's position; without one from the farm's own outside sensors (those whose scope is the
/// farm); without those `source` is `none` and `reason` says why.
#[utoipa::path(
    get, path = "/api/farms/{farmId}/weather", tag = "farms", operation_id = "get_weather", summary = "Get the weather",
    responses((status = OK, body = WeatherBody))
)]
pub(super) async fn get(
    access: FarmAccess<ReadFarm>,
    headers: axum::http::HeaderMap,
) -> Result<Json<WeatherBody>, ApiError> {
    let farm = access
        .records()
        .farm_row()
        .await?
        .ok_or_else(ApiError::not_found)?;
    let place = Place {
        farm: access.farm().clone(),
        position: farm.lat.zip(farm.lng),
    };
    let weather = access.weather();
    let why = match weather.at(&place).await {
        Ok(now) => return Ok(Json(WeatherBody::of(weather.source(), now))),
        Err(why) => why,
    };
    if let Some(now) = access.hub().read(outside).await? {
        return Ok(Json(WeatherBody::of(WeatherSource::Farm, now)));
    }
    let reason = match why {
        NoWeather::Off => Text::WeatherOff,
        NoWeather::NoPosition => Text::WeatherNoLocation,
        NoWeather::Unreachable => Text::WeatherUnreachable,
    };
    Ok(Json(WeatherBody {
        current: None,
        feels_like: None,
        humidity: None,
        wind: None,
        pressure: None,
        source: WeatherSource::None,
        reason: Some(reason.say(Language::of(&headers))),
        at: None,
    }))
}

/// What the farm's own sensors outside say: those that lie in no polyhouse.
fn outside(engine: &Engine) -> Option<Conditions> {
    let sensors: Vec<_> = engine
        .sensors()
        .filter(|s| s.spec.scope.kind == ScopeKind::Farm && s.value.is_some())
        .collect();
    let mean = |t: SensorType| {
        let (mut sum, mut count, mut at) = (0, 0, None::<Timestamp>);
        for s in sensors.iter().filter(|s| s.spec.sensor_type == t) {
            sum += s.value.map_or(0, Quantity::as_micro);
            count += 1;
            at = at.max(s.read_at);
        }
        Some((harit_engine::Mean { sum, count }.shown().to_f64(), at?))
    };
    let (temperature, at) = mean(SensorType::Temperature)?;
    Some(Conditions {
        temperature: Some(temperature),
        humidity: mean(SensorType::Humidity).map(|m| m.0),
        at: at.as_millis(),
        ..Conditions::default()
    })
}
