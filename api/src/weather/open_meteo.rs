//! A weather service of the shape of Open-Meteo's forecast API, which needs no key. Asked at most once in ten minutes for a
//! place; when it fails, not again for a minute, so that a dashboard never waits for it twice.

use std::collections::HashMap;
use std::sync::{Arc, Mutex as StdMutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use reqwest::redirect::Policy;
use reqwest::{Client, Url};
use serde::Deserialize;
use tokio::sync::Mutex;

use super::{Conditions, NoWeather, Place, Weather, WeatherSource};
use crate::records::now_ms;

const TIMEOUT: Duration = Duration::from_secs(5);
const KEPT: Duration = Duration::from_secs(600);
const FAILURE_KEPT: Duration = Duration::from_secs(60);
/// The most places that are kept.
const MAX_PLACES: usize = 1_000;
/// The largest answer that is read.
const MAX_ANSWER_BYTES: usize = 64 * 1_024;
const FIELDS: &str =
    "temperature_2m,apparent_temperature,relative_humidity_2m,wind_speed_10m,pressure_msl";

/// The service cannot be asked at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenMeteoError {
    /// The base address is no URL.
    #[error("{0:?} is not the address of a weather service")]
    Address(String),
    /// The HTTP client could not be made.
    #[error("no client for the weather service")]
    Client(#[source] reqwest::Error),
}

type Entry = Arc<Mutex<Option<(Instant, Result<Conditions, NoWeather>)>>>;

/// The service at a base address.
pub struct OpenMeteo {
    client: Client,
    url: Url,
    /// By position in hundredths of a degree, about a kilometre.
    places: StdMutex<HashMap<(i32, i32), Entry>>,
}

#[derive(Deserialize)]
struct Answer {
    current: Current,
}

#[derive(Deserialize)]
struct Current {
    temperature_2m: Option<f64>,
    apparent_temperature: Option<f64>,
    relative_humidity_2m: Option<f64>,
    wind_speed_10m: Option<f64>,
    pressure_msl: Option<f64>,
}

impl OpenMeteo {
    /// The service at `base`, such as `https://api.open-meteo.com`.
    ///
    /// # Errors
    /// When the address is none, or no HTTP client can be made.
    pub fn new(base: &str) -> Result<Self, OpenMeteoError> {
        // the client has no cryptography of its own; the first provider in the process stays
        let _ = rustls::crypto::ring::default_provider().install_default();
        let bad = || OpenMeteoError::Address(base.to_owned());
        let url = Url::parse(base)
            .and_then(|u| u.join("v1/forecast"))
            .map_err(|_| bad())?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(bad());
        }
        let client = Client::builder()
            .timeout(TIMEOUT)
            .redirect(Policy::none())
            .build()
            .map_err(OpenMeteoError::Client)?;
        Ok(Self {
            client,
            url,
            places: StdMutex::default(),
        })
    }

    fn entry(&self, key: (i32, i32)) -> Entry {
        let mut places = self.places.lock().unwrap_or_else(PoisonError::into_inner);
        if places.len() >= MAX_PLACES && !places.contains_key(&key) {
            metrics::counter!("harit_weather_cache_overflows_total").increment(1);
            places.clear();
        }
        places.entry(key).or_default().clone()
    }

    async fn ask(&self, lat: f64, lng: f64) -> Result<Conditions, reqwest::Error> {
        let mut url = self.url.clone();
        url.query_pairs_mut()
            .append_pair("latitude", &format!("{lat:.2}"))
            .append_pair("longitude", &format!("{lng:.2}"))
            .append_pair("current", FIELDS);
        let mut response = self.client.get(url).send().await?.error_for_status()?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_ANSWER_BYTES {
                break;
            }
        }
        let now = serde_json::from_slice::<Answer>(&body).map_or_else(
            |error| {
                tracing::warn!(%error, "the weather service's answer makes no sense");
                Conditions::default()
            },
            |a| Conditions {
                temperature: a.current.temperature_2m,
                feels_like: a.current.apparent_temperature,
                humidity: a.current.relative_humidity_2m,
                wind: a.current.wind_speed_10m,
                pressure: a.current.pressure_msl,
                at: now_ms(),
            },
        );
        Ok(now)
    }

    async fn fresh(&self, lat: f64, lng: f64) -> Result<Conditions, NoWeather> {
        match self.ask(lat, lng).await {
            Ok(c) if c.temperature.is_some() => Ok(c),
            Ok(_) => Err(NoWeather::Unreachable),
            Err(error) => {
                metrics::counter!("harit_weather_failures_total").increment(1);
                tracing::warn!(%error, "the weather service does not answer");
                Err(NoWeather::Unreachable)
            }
        }
    }
}

/// Hundredths of a degree; positions are checked when a farm's row is written, and what is not one lands in one corner.
fn hundredths(degrees: f64) -> i32 {
    #[allow(
        clippy::cast_possible_truncation,
        reason = "bounded to 180 degrees first"
    )]
    let n = (degrees.clamp(-180.0, 180.0) * 100.0).round() as i32;
    n
}

impl Weather for OpenMeteo {
    fn source(&self) -> WeatherSource {
        WeatherSource::Provider
    }

    fn at<'a>(&'a self, place: &'a Place) -> BoxFuture<'a, Result<Conditions, NoWeather>> {
        Box::pin(async move {
            let (lat, lng) = place.position.ok_or(NoWeather::NoPosition)?;
            let entry = self.entry((hundredths(lat), hundredths(lng)));
            // whoever comes second waits for the first one's answer
            let mut kept = entry.lock().await;
            if let Some((since, result)) = *kept
                && since.elapsed() < if result.is_ok() { KEPT } else { FAILURE_KEPT }
            {
                return result;
            }
            let result = self.fresh(lat, lng).await;
            *kept = Some((Instant::now(), result));
            result
        })
    }
}
