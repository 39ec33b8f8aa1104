//! The weather outside. A provider behind a trait; the farm's own outside sensors stand in for it; else there is none, and
//! the answer says why.

mod open_meteo;

use futures_util::future::BoxFuture;
use harit_engine::FarmId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

pub use open_meteo::{OpenMeteo, OpenMeteoError};

/// A farm and where it lies.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The farm.
    pub farm: FarmId,
    /// Latitude and longitude in degrees, if they are known.
    pub position: Option<(f64, f64)>,
}

/// The weather at an instant; what the source does not say is absent.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Conditions {
    /// Air temperature, °C.
    pub temperature: Option<f64>,
    /// Apparent temperature, °C.
    pub feels_like: Option<f64>,
    /// Relative humidity, %.
    pub humidity: Option<f64>,
    /// Wind speed, km/h.
    pub wind: Option<f64>,
    /// Pressure at sea level, hPa.
    pub pressure: Option<f64>,
    /// When, in epoch milliseconds.
    pub at: i64,
}

/// Where weather comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum WeatherSource {
    /// A weather service.
    Provider,
    /// The farm's own outside sensors.
    Farm,
    /// The demo's model.
    Simulator,
    /// There is none.
    None,
}

/// Why a source has no weather for a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoWeather {
    /// No service is configured.
    Off,
    /// It needs a position, and the farm has none.
    NoPosition,
    /// It does not answer.
    Unreachable,
}

/// A source of weather.
pub trait Weather: Send + Sync + 'static {
    /// What kind of source it is.
    fn source(&self) -> WeatherSource;
    /// The weather at a place now. Answers within seconds, whatever the network does.
    fn at<'a>(&'a self, place: &'a Place) -> BoxFuture<'a, Result<Conditions, NoWeather>>;
}

/// No weather service.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProvider;

impl Weather for NoProvider {
    fn source(&self) -> WeatherSource {
        WeatherSource::None
    }

    fn at<'a>(&'a self, _: &'a Place) -> BoxFuture<'a, Result<Conditions, NoWeather>> {
        Box::pin(async { Err(NoWeather::Off) })
    }
}
