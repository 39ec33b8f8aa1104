//! What people write down of their farm: what grows where, what was picked, bought, used, sold and spent. One file a kind of
//! record: what it has, how what was typed is read, and its rows. The four operations on each are one code, [`operations`].

mod cycles;
mod device_profiles;
mod expenses;
mod figures;
mod form;
mod harvests;
mod inventory;
mod notes;
mod nurseries;
mod operations;
mod sales;
mod seed;
mod stages;
mod stock;
mod templates;
mod written;

use utoipa_axum::router::OpenApiRouter;

use crate::access::AppState;
use crate::operation::routes;

pub use device_profiles::load_device_profiles;
pub(crate) use device_profiles::store_found;
pub(crate) use figures::figures;
pub(crate) use inventory::Unit;
pub(crate) use operations::{zones, zones_of};
pub use seed::{FarmRecord, RecordError};
pub(crate) use written::{Harvested, Wanted, Written, wanted, written};

/// The routes of all kinds.
pub(crate) fn router() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(templates::list, templates::create))
        .routes(routes!(templates::replace, templates::delete))
        .routes(routes!(cycles::list, cycles::create))
        .routes(routes!(cycles::replace, cycles::delete))
        .routes(routes!(nurseries::list, nurseries::create))
        .routes(routes!(nurseries::replace, nurseries::delete))
        .routes(routes!(notes::list, notes::create))
        .routes(routes!(notes::replace, notes::delete))
        .routes(routes!(inventory::list, inventory::create))
        .routes(routes!(inventory::replace, inventory::delete))
        .routes(routes!(stock::list, stock::create))
        .routes(routes!(stock::replace, stock::delete))
        .routes(routes!(harvests::list, harvests::create))
        .routes(routes!(harvests::replace, harvests::delete))
        .routes(routes!(sales::list, sales::create))
        .routes(routes!(sales::replace, sales::delete))
        .routes(routes!(expenses::list, expenses::create))
        .routes(routes!(expenses::replace, expenses::delete))
        .routes(routes!(device_profiles::list, device_profiles::create))
        .routes(routes!(device_profiles::replace, device_profiles::delete))
        .routes(routes!(figures::report))
}
