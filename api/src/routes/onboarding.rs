//! Registering assets: a controller, and the polyhouse or reservoir that it controls.

use std::collections::HashSet;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use harit_engine::{Engine, FarmId, InputKind, PolyhouseSpec, RegistryChange, ZoneSpec};
use harit_protocol::Mac;
use harit_protocol::topic::controller_prefix;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::{IntoParams, ToSchema};

use crate::access::{AppState, Caller, FarmAccess, ListAssets, RegisterAssets};
use crate::audit::Action;
use crate::error::{ApiError, Body, ErrorBody, Params};
use crate::language::Text;
use crate::records::{
    AssetKind, Controller, NewController, NewReservoir, RegisterError, Whose, new_id,
};
use crate::secret::new_secret;

/// The most assets of one request.
const MAX_ASSETS: usize = 64;
/// The longest name, in characters.
const MAX_NAME_CHARS: usize = 120;

/// Assets to be registered.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = RegisterAssets)]
pub(super) struct RegisterRequest {
    #[serde(default)]
    #[schema(required, min_items = 1, max_items = 64)]
    assets: Vec<AssetRequest>,
    /// In which farm; the caller's first one by default.
    farm_id: Option<String>,
}

/// An asset to be registered.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewAsset)]
pub(super) struct AssetRequest {
    /// POLYHOUSE or FERTIGATION.
    #[serde(rename = "type", default)]
    #[schema(required, value_type = AssetKind)]
    kind: Option<String>,
    /// Given by the server where it is blank: "Polyhouse 3".
    name: Option<String>,
    /// The controller's MAC: six hex pairs separated by colon or hyphen, or 12 hex digits.
    #[serde(default)]
    #[schema(required, value_type = String, example = "AA:BB:CC:DD:EE:FF")]
    macid: Option<String>,
}

/// Registered assets, with their controllers' secrets.
#[derive(Serialize, ToSchema)]
#[schema(as = RegisteredAssets)]
pub(super) struct Registered {
    assets: Vec<RegisteredAsset>,
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

/// The assets of a farm.
#[derive(Serialize, ToSchema)]
#[schema(as = Assets)]
pub(super) struct Assets {
    assets: Vec<AssetBody>,
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

/// Which farm's.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub(super) struct AssetQuery {
    /// The caller's first farm by default.
    farm_id: Option<String>,
}

/// The registered assets
///
/// For OWNER, ADMIN and FARM_MANAGER.
#[utoipa::path(
    get, path = "/onboarding/assets", tag = "onboarding", operation_id = "list_assets", summary = "List assets",
    params(AssetQuery),
    responses(
        (status = OK, body = Assets),
        (status = CONFLICT, description = "The caller belongs to no farm", body = ErrorBody),
    )
)]
pub(super) async fn list(
    caller: Caller,
    Params(query): Params<AssetQuery>,
) -> Result<Json<Assets>, ApiError> {
    let access: FarmAccess<ListAssets> = caller.in_farm_or_first(query.farm_id.as_deref()).await?;
    Ok(Json(Assets {
        assets: access
            .records()
            .controllers()
            .into_iter()
            .map(AssetBody::from)
            .collect(),
    }))
}

/// Registers assets
///
/// All of them, or none. POLYHOUSE creates a polyhouse of that name with one zone, FERTIGATION a reservoir. A MAC that is
/// registered in this farm already is said as such (`already_registered`); of one that another farm has, only that it is taken
/// (`mac_taken`): who runs the server can give it free (`harit controllers release`). For OWNER and ADMIN.
#[utoipa::path(
    post, path = "/onboarding/assets", tag = "onboarding", operation_id = "register_assets", summary = "Register assets",
    request_body = RegisterRequest,
    responses(
        (status = CREATED, body = Registered),
        (status = CONFLICT, description = "The caller belongs to no farm", body = ErrorBody),
    )
)]
pub(super) async fn register(
    State(state): State<AppState>,
    caller: Caller,
    Body(request): Body<RegisterRequest>,
) -> Result<(StatusCode, Json<Registered>), ApiError> {
    let access: FarmAccess<RegisterAssets> =
        caller.in_farm_or_first(request.farm_id.as_deref()).await?;
    let wanted = read(&access, &request.assets)?;
    let (controllers, polyhouses) = plan(&access, wanted).await?;

    // Polyhouses first: should the server stop before the controllers are written, an empty polyhouse is left, which a person
    // can see and delete. The other way round a controller would point to nothing.
    let put = polyhouses
        .iter()
        .cloned()
        .map(RegistryChange::PutPolyhouse)
        .collect();
    access.hub().admit(InputKind::Registry(put)).await?;
    let made = match store(&access, &controllers).await {
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
        let mqtt = MqttAccount::of(&state, access.farm(), mac, new.secret);
        assets.push(RegisteredAsset {
            asset: controller.into(),
            mqtt,
        });
    }
    Ok((StatusCode::CREATED, Json(Registered { assets })))
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

/// An asset that makes sense, with its name if it brings one.
struct Wanted {
    kind: AssetKind,
    name: Option<String>,
    mac: Mac,
}

/// Checks all assets, and reports everything that is wrong.
fn read(
    access: &FarmAccess<RegisterAssets>,
    requests: &[AssetRequest],
) -> Result<Vec<Wanted>, ApiError> {
    if requests.is_empty() {
        return Err(ApiError::field("assets", "required", Text::AssetsRequired));
    }
    if requests.len() > MAX_ASSETS {
        return Err(ApiError::field("assets", "too_many", Text::TooManyAssets));
    }
    let records = access.records();
    let (mut wrong, mut seen) = (Vec::new(), HashSet::new());
    let mut wanted = Vec::with_capacity(requests.len());
    for (n, asset) in requests.iter().enumerate() {
        let mut say =
            |field: &str, code, text| wrong.push((format!("assets[{n}].{field}"), code, text));
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
            wanted.push(Wanted {
                kind,
                name: name.map(str::to_owned),
                mac,
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
async fn plan(
    access: &FarmAccess<RegisterAssets>,
    wanted: Vec<Wanted>,
) -> Result<(Vec<NewController>, Vec<PolyhouseSpec>), ApiError> {
    let polyhouse_names = |engine: &Engine| {
        engine
            .document()
            .polyhouses
            .into_iter()
            .map(|p| p.name)
            .collect()
    };
    let mut polyhouse_names: Vec<String> = access.hub().read(polyhouse_names).await?;
    let mut reservoir_names: Vec<String> = access
        .records()
        .reservoirs()
        .await?
        .into_iter()
        .map(|r| r.name)
        .collect();
    let (mut controllers, mut polyhouses) = (Vec::new(), Vec::new());
    for Wanted { kind, name, mac } in wanted {
        let secret = new_secret().map_err(|_| ApiError::unavailable())?;
        let (names, word) = match kind {
            AssetKind::Polyhouse => (&mut polyhouse_names, "Polyhouse"),
            AssetKind::Fertigation => (&mut reservoir_names, "Reservoir"),
        };
        let name = name.unwrap_or_else(|| next_name(word, names));
        names.push(name.clone());
        let mut controller = NewController {
            mac,
            kind,
            name: name.clone(),
            secret,
            polyhouse_id: None,
            reservoir: None,
        };
        match kind {
            AssetKind::Polyhouse => {
                let polyhouse = new_polyhouse(name);
                controller.polyhouse_id = Some(polyhouse.id.to_string());
                polyhouses.push(polyhouse);
            }
            AssetKind::Fertigation => {
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

fn new_polyhouse(name: String) -> PolyhouseSpec {
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
