//! What a report says that devices do.

use harit_engine::Timestamp;
use harit_protocol::Report;

use crate::controllers::Controllers;
use crate::delivery::Delivery;
use crate::observer::{Effect, Observer};

/// Tells what each device of a controller does, by its report; the commands under way hear of it. Of devices whose controller
/// is offline it tells that they can no longer be asked.
pub(crate) fn tell(
    controllers: &Controllers,
    delivery: &mut Delivery,
    at: Timestamp,
    c: u32,
    report: &Report,
    observer: &mut impl Observer,
) {
    if !report.online {
        for device in controllers.devices_of(c) {
            observer.effect(Effect::Reported {
                device,
                state: None,
            });
        }
    }
    for said in report.devices.iter().flatten() {
        let Some(known) = controllers.get(c).devices.get(&*said.id) else {
            continue;
        };
        let Some(reported) = known.reported.filter(|_| said.on.is_some()) else {
            continue;
        };
        if report.online {
            observer.effect(Effect::Reported {
                device: &known.id,
                state: Some((reported.on, reported.value)),
            });
        }
        delivery.reported(at, &known.id, reported, observer);
    }
}
