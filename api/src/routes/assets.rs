//! Assets: what is registered of a controller, how many are registered at a time, and what one that was registered connects with.

use std::collections::HashSet;

use harit_engine::{Engine, FarmId, InputKind, PolyhouseSpec, RegistryChange, ZoneSpec};
use harit_protocol::Mac;
use harit_protocol::topic::controller_prefix;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::access::{AppState, FarmAccess, RegisterAssets};
use crate::audit::Action;
use crate::error::ApiError;
use crate::language::Text;
use crate::records::{
    AssetKind, Controller, NewController, NewReservoir, RegisterError, Reservoir, Whose, new_id,
};
use crate::secret::new_secret;

/// The longest name, in characters.
const MAX_NAME_CHARS: usize = 120;

/// An asset to be registered.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = NewAsset)]
pub(super) struct AssetRequest {
    /// POLYHOUSE, FERTIGATION or GATEWAY.
    #[serde(rename = "type", default)]
    #[schema(required, value_type = AssetKind)]
    kind: Option<String>,
    /// Given by the server where it is blank: "Polyhouse 3".
    name: Option<String>,
    /// The controller's MAC: six hex pairs separated by colon or hyphen, or 12 hex digits.
    #[serde(default)]
    #[schema(required, value_type = String, example = "AA:BB:CC:DD:EE:FF")]
    macid: Option<String>,
    /// Of a POLYHOUSE that is there already; a new one otherwise.
    polyhouse_id: Option<String>,
    /// Of a FERTIGATION's reservoir that is there already; a new one otherwise.
    reservoir_id: Option<String>,
}

/// A registered asset, with its controller's secret.
#[derive(Serialize, ToSchema)]
#[schema(as = RegisteredAsset)]
pub(super) struct RegisteredAsset {
    #[serde(flatten)]
    asset: AssetBody,
    mqtt: MqttAccount,
}

/// What the controller connects with. The password is shown here and never again.
#[derive(Serialize, ToSchema)]
#[schema(as = MqttAccount)]
pub(super) struct MqttAccount {
    /// host:port
    address: String,
    username: String,
    password: String,
    /// The controller publishes and subscribes under this.
    #[schema(example = "harit/1/demo-farm-1/AABBCCDDEEFF/")]
    topic: String,
}

/// A registered asset.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Asset)]
pub(super) struct AssetBody {
    /// The same as `macid`.
    id: String,
    #[serde(rename = "type")]
    kind: AssetKind,
    name: String,
    /// 12 upper-case hex digits.
    macid: String,
    farm_id: String,
    #[schema(required)]
    polyhouse_id: Option<String>,
    #[schema(required)]
    reservoir_id: Option<String>,
    created_at: i64,
}

impl MqttAccount {
    /// What a controller of the farm connects with.
    pub(super) fn of(state: &AppState, farm: &FarmId, mac: Mac, secret: String) -> Self {
        Self {
            address: state.config().mqtt_address.clone(),
            username: mac.as_str().to_owned(),
            password: secret,
            topic: controller_prefix(farm, mac),
        }
    }
}

impl From<Controller> for AssetBody {
    fn from(c: Controller) -> Self {
        Self {
            id: c.mac.as_str().to_owned(),
            kind: c.kind,
            name: c.name,
            macid: c.mac.as_str().to_owned(),
            farm_id: c.farm.to_string(),
            polyhouse_id: c.polyhouse_id,
            reservoir_id: c.reservoir_id,
            created_at: c.created_at,
        }
    }
}

/// Registers controllers, each with what it controls: all of them, or none. `path` is where a request's field stands in the body.
///
/// # Errors
/// Everything that is wrong with any of them; and when they could not be stored.
pub(super) async fn register(
    state: &AppState,
    access: &FarmAccess<RegisterAssets>,
    requests: &[AssetRequest],
    path: impl Fn(usize, &str) -> String,
) -> Result<Vec<RegisteredAsset>, ApiError> {
    // a place that is named is there until its controller is
    let _editing = access.editing().await;
    let places = Places::of(access).await?;
    let wanted = read(access, &places, requests, path)?;
    let (controllers, polyhouses) = plan(&places, wanted)?;

    // Polyhouses first: should the server stop before the controllers are written, an empty polyhouse is left, which a person
    // can see and delete. The other way round a controller would point to nothing.
    let put = polyhouses
        .iter()
        .cloned()
        .map(RegistryChange::PutPolyhouse)
        .collect();
    access.hub().admit(InputKind::Registry(put)).await?;
    let made = match store(access, &controllers).await {
        Ok(made) => made,
        Err(error) => {
            let delete = polyhouses
                .into_iter()
                .map(|p| RegistryChange::DeletePolyhouse(p.id))
                .collect();
            if let Err(error) = access.hub().admit(InputKind::Registry(delete)).await {
                tracing::warn!(%error, "polyhouses without a controller are left");
            }
            return Err(error);
        }
    };
    let mut assets = Vec::with_capacity(made.len());
    for (controller, new) in made.into_iter().zip(controllers) {
        let mac = controller.mac;
        access.hub().controller_changed(&mac);
        let mqtt = MqttAccount::of(state, access.farm(), mac, new.secret);
        assets.push(RegisteredAsset {
            asset: controller.into(),
            mqtt,
        });
    }
    Ok(assets)
}

/// Stores controllers, each with its entry of the audit log: all of them, or none.
async fn store(
    access: &FarmAccess<RegisterAssets>,
    new: &[NewController],
) -> Result<Vec<Controller>, ApiError> {
    let mut write = access.write().await?;
    let made = write.register(new).await.map_err(|e| match e {
        // registered by somebody else just now; which one of them is not for the caller to know
        RegisterError::Taken => ApiError::field("assets", "mac_taken", Text::MacTaken),
        RegisterError::Records(e) => e.into(),
    })?;
    let entry = |c: &Controller| json!({"type": c.kind, "name": c.name});
    let Some((last, others)) = made.split_last() else {
        return Ok(made);
    };
    for c in others {
        write.also(Action::AssetRegistered, c.mac.as_str(), entry(c));
    }
    let mac = last.mac.as_str();
    write
        .commit(Action::AssetRegistered, mac, entry(last))
        .await?;
    Ok(made)
}

/// The places of the farm that a controller can be for.
struct Places {
    polyhouses: Vec<PolyhouseSpec>,
    reservoirs: Vec<Reservoir>,
    /// The names of its gateways, which are no places.
    gateways: Vec<String>,
}

impl Places {
    async fn of(access: &FarmAccess<RegisterAssets>) -> Result<Self, ApiError> {
        let polyhouses = |engine: &Engine| engine.document().polyhouses;
        let controllers = access.records().controllers().into_iter();
        let gateways = controllers.filter(|c| c.kind == AssetKind::Gateway);
        Ok(Self {
            polyhouses: access.hub().read(polyhouses).await?,
            reservoirs: access.records().reservoirs().await?,
            gateways: gateways.map(|c| c.name).collect(),
        })
    }

    /// The name of a place of that kind.
    fn name(&self, kind: AssetKind, id: &str) -> Option<&str> {
        match kind {
            AssetKind::Polyhouse => {
                let found = self.polyhouses.iter().find(|p| p.id.as_str() == id)?;
                Some(&found.name)
            }
            AssetKind::Fertigation => {
                let found = self.reservoirs.iter().find(|r| r.id == id)?;
                Some(&found.name)
            }
            AssetKind::Gateway => None,
        }
    }
}

/// An asset that makes sense, with its name and the place that is there already, if it brings them.
struct Wanted {
    kind: AssetKind,
    name: Option<String>,
    mac: Mac,
    place: Option<String>,
}

/// Checks all assets, and reports everything that is wrong.
fn read(
    access: &FarmAccess<RegisterAssets>,
    places: &Places,
    requests: &[AssetRequest],
    path: impl Fn(usize, &str) -> String,
) -> Result<Vec<Wanted>, ApiError> {
    let records = access.records();
    let (mut wrong, mut seen) = (Vec::new(), HashSet::new());
    let mut wanted = Vec::with_capacity(requests.len());
    for (n, asset) in requests.iter().enumerate() {
        let mut say = |field: &str, code, text| wrong.push((path(n, field), code, text));
        let kind = asset.kind.as_deref().and_then(AssetKind::parse);
        if kind.is_none() {
            say("type", "required", Text::AssetTypeRequired);
        }
        let name = asset
            .name
            .as_deref()
            .map(str::trim)
            .filter(|name| !name.is_empty());
        if name.is_some_and(|name| name.chars().count() > MAX_NAME_CHARS) {
            say("name", "too_long", Text::NameTooLong);
        }
        for (field, of, id) in [
            ("polyhouseId", AssetKind::Polyhouse, &asset.polyhouse_id),
            ("reservoirId", AssetKind::Fertigation, &asset.reservoir_id),
        ] {
            let is_there = |id: &String| kind == Some(of) && places.name(of, id).is_some();
            if kind.is_some() && id.as_ref().is_some_and(|id| !is_there(id)) {
                say(field, "unknown", Text::PlaceUnknown);
            }
        }
        let typed = asset.macid.as_deref().map_or("", str::trim);
        let parsed = Mac::parse(typed).ok();
        let whose = parsed.map_or(Whose::Nobodys, |mac| records.whose(mac));
        let mac = parsed.filter(|mac| whose == Whose::Nobodys && seen.insert(*mac));
        match (typed, parsed, whose) {
            ("", ..) => say("macid", "required", Text::MacRequired),
            (_, None, _) => say("macid", "invalid_mac", Text::MacInvalid),
            (_, _, Whose::Own) => say("macid", "already_registered", Text::MacOwn),
            (_, _, Whose::Anothers) => say("macid", "mac_taken", Text::MacTaken),
            (_, Some(_), Whose::Nobodys) if mac.is_none() => {
                say("macid", "twice", Text::MacTwice);
            }
            (_, Some(_), Whose::Nobodys) => {}
        }
        if let (Some(kind), Some(mac)) = (kind, mac) {
            let place = asset.polyhouse_id.as_ref().or(asset.reservoir_id.as_ref());
            wanted.push(Wanted {
                kind,
                name: name.map(str::to_owned),
                mac,
                place: place.cloned(),
            });
        }
    }
    if wrong.is_empty() {
        Ok(wanted)
    } else {
        Err(ApiError::fields(wrong))
    }
}

/// Gives names, ids and secrets.
fn plan(
    places: &Places,
    wanted: Vec<Wanted>,
) -> Result<(Vec<NewController>, Vec<PolyhouseSpec>), ApiError> {
    let names = |kind| match kind {
        AssetKind::Polyhouse => places.polyhouses.iter().map(|p| p.name.clone()).collect(),
        AssetKind::Fertigation => places.reservoirs.iter().map(|r| r.name.clone()).collect(),
        AssetKind::Gateway => places.gateways.clone(),
    };
    let mut polyhouse_names: Vec<String> = names(AssetKind::Polyhouse);
    let mut reservoir_names: Vec<String> = names(AssetKind::Fertigation);
    let mut gateway_names: Vec<String> = names(AssetKind::Gateway);
    let (mut controllers, mut polyhouses) = (Vec::new(), Vec::new());
    for wanted in wanted {
        let Wanted {
            kind,
            name,
            mac,
            place,
        } = wanted;
        let secret = new_secret().map_err(|_| ApiError::unavailable())?;
        let (taken, word) = match kind {
            AssetKind::Polyhouse => (&mut polyhouse_names, "Polyhouse"),
            AssetKind::Fertigation => (&mut reservoir_names, "Reservoir"),
            AssetKind::Gateway => (&mut gateway_names, "Gateway"),
        };
        let of_place = place.as_ref().and_then(|id| places.name(kind, id));
        let name = name
            .or_else(|| of_place.map(str::to_owned))
            .unwrap_or_else(|| next_name(word, taken));
        let mut controller = NewController {
            mac,
            kind,
            name: name.clone(),
            secret,
            polyhouse_id: None,
            reservoir_id: None,
            reservoir: None,
        };
        if place.is_none() {
            taken.push(name.clone());
        }
        match (kind, place) {
            (AssetKind::Polyhouse, Some(id)) => controller.polyhouse_id = Some(id),
            (AssetKind::Polyhouse, None) => {
                let polyhouse = new_polyhouse(name);
                controller.polyhouse_id = Some(polyhouse.id.to_string());
                polyhouses.push(polyhouse);
            }
            (AssetKind::Gateway, _) => {}
            (AssetKind::Fertigation, Some(id)) => controller.reservoir_id = Some(id),
            (AssetKind::Fertigation, None) => {
                controller.reservoir = Some(NewReservoir {
                    id: new_id(),
                    name,
                    capacity_litres: None,
                    last_refill_at: None,
                });
            }
        }
        controllers.push(controller);
    }
    Ok((controllers, polyhouses))
}

/// A polyhouse that comes with its controller.
pub(crate) fn new_polyhouse(name: String) -> PolyhouseSpec {
    let zone = ZoneSpec {
        id: new_id().as_str().into(),
        name: "Zone 1".to_owned(),
    };
    PolyhouseSpec {
        id: new_id().as_str().into(),
        name,
        capacity: Value::Null,
        is_active: true,
        zones: vec![zone],
    }
}

/// "Polyhouse 3" for the third, or the next number that nobody has.
fn next_name(word: &str, names: &[String]) -> String {
    (names.len() + 1..)
        .map(|n| format!("{word} {n}"))
        .find(|name| !names.contains(name))
        .unwrap_or_else(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blank_name_becomes_the_next_number_that_is_free() {
        let names: Vec<String> = ["North", "Polyhouse 3"].map(str::to_owned).to_vec();
        assert_eq!(next_name("Polyhouse", &[]), "Polyhouse 1");
        assert_eq!(next_name("Polyhouse", &names), "Polyhouse 4");
    }
}
