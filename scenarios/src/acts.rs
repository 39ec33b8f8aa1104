//! What people and controllers do, read into inputs: commands, stops, locks, and what a device reports.

use std::sync::Arc;

use harit_engine::{
    InputKind, Lock, LockKind, Manual, ManualKind, Owner, Quantity, ScopeSpec, Status, Stop,
    StopScope,
};

use crate::farm::{Places, order};
use crate::words::{Line, Read};

/// `override fan-1 off for 10m by manager`, `pulse dose-1 5s by owner`, `release fan-1 by manager`
pub(crate) fn manual(line: &mut Line) -> Read<InputKind> {
    let word = line.word("override, pulse or release")?;
    let mut manual = Manual {
        device: line.word("a device")?.as_str().into(),
        kind: ManualKind::Release,
        action: None,
        value: None,
        duration_sec: None,
        admin: false,
        owner: None,
    };
    match word.as_str() {
        "override" => {
            manual.kind = ManualKind::Override;
            let order = order(line)?;
            manual.action = order["action"].as_str().map(Arc::from);
            manual.value = match order.get("value") {
                Some(v) => serde_json::from_str(&v.to_string()).ok(),
                None => None,
            };
            if line.eat("for") {
                manual.duration_sec = Some(line.seconds()?);
            }
        }
        "pulse" => {
            manual.kind = ManualKind::Pulse;
            manual.value = Some(Quantity::from_units(line.seconds()?));
        }
        _ => {}
    }
    line.need("by")?;
    let role = line.word("owner, admin, manager or viewer")?;
    manual.admin = match role.as_str() {
        "owner" | "admin" => true,
        "manager" | "viewer" => false,
        other => {
            return line.wrong(format!(
                "{other:?} is none of owner, admin, manager, viewer"
            ));
        }
    };
    manual.owner = Some(owner(&role, None));
    Ok(InputKind::Manual(Box::new(manual)))
}

fn owner(person: &str, reason: Option<&str>) -> Arc<Owner> {
    Arc::new(Owner {
        user_id: person.into(),
        name: person.into(),
        reason: reason.map(Into::into),
    })
}

/// `stop p1 by asha "somebody is in the house"`, `stop fan-1 by asha`
pub(crate) fn stop(line: &mut Line, places: &Places) -> Read<InputKind> {
    line.need("stop")?;
    let what = line.word("a place or a device")?;
    let scope = match places.scope(&what) {
        Some(scope) => match ScopeSpec::from_json(scope) {
            Ok(scope) => StopScope::Place(scope),
            Err(problems) => return line.wrong(problems.to_string()),
        },
        None => StopScope::Device(what.as_str().into()),
    };
    line.need("by")?;
    let person = line.word("a person")?;
    let reason = line.peek().map(str::to_owned);
    if reason.is_some() {
        line.word("the stop's reason")?;
    }
    let owner = owner(&person, reason.as_deref());
    Ok(InputKind::Stop(Box::new(Stop { scope, owner })))
}

/// `device fan-1 offline`, `device fan-1 locked by asha "cleaning", in safety`, `device fan-1 stop of asha opened by ravi`, `device fan-1 reported on`;
/// `locked "door open"` and `unlocked` are the first version's.
pub(crate) fn status(line: &mut Line) -> Read<InputKind> {
    line.need("device")?;
    let device = line.word("a device")?;
    let mut status = Status::default();
    loop {
        if line.eat("online") {
            status.online = Some(true);
        } else if line.eat("offline") {
            status.online = Some(false);
        } else if line.eat("locked by") {
            locked(line, &mut status)?;
        } else if line.eat("lock of") {
            let holder = line.word("whose lock")?;
            let kind = LockKind::parse(&holder).unwrap_or(LockKind::Person);
            opened(line, &mut status, kind, Some(holder))?;
        } else if line.eat("stop of") {
            let person = line.word("whose stop")?;
            opened(line, &mut status, LockKind::Stop, Some(person))?;
        } else if line.eat("every stop") {
            opened(line, &mut status, LockKind::Stop, None)?;
        } else if line.eat("locked") {
            let reason = line.word("the lock's reason")?;
            status.lock = Some(Lock::Replace {
                reason: reason.as_str().into(),
            });
        } else if line.eat("unlocked") {
            status.lock = Some(Lock::OpenAll);
        } else if line.eat("reported") {
            let does = line.word("on, off or unknown")?;
            status.running = Some(match does.as_str() {
                "on" => Some(true),
                "off" => Some(false),
                "unknown" => None,
                other => return line.wrong(format!("{other:?} is none of on, off, unknown")),
            });
        } else if line.eat("in safety") {
            status.safety = Some(true);
        } else if line.eat("out of safety") {
            status.safety = Some(false);
        } else {
            line.need("online, offline, reported, a lock, in safety or out of safety")?;
        }
        if !line.eat(",") {
            break;
        }
    }
    Ok(InputKind::Status {
        device: device.as_str().into(),
        status,
    })
}

/// `locked by controller "door open"`, `locked by asha "cleaning"`
fn locked(line: &mut Line, status: &mut Status) -> Read<()> {
    let holder = line.word("controller, keeps_stopping, keeps_starting or a person")?;
    let kind = LockKind::parse(&holder).unwrap_or(LockKind::Person);
    let reason = line.word("the lock's reason")?.as_str().into();
    status.lock = Some(Lock::Engage { kind, reason });
    if kind.is_personal() {
        status.owner = Some(owner(&holder, None));
    }
    Ok(())
}

/// `opened`, `opened by ravi`; `somebody` is who has no name.
fn opened(
    line: &mut Line,
    status: &mut Status,
    kind: LockKind,
    holder: Option<String>,
) -> Read<()> {
    let user = holder.filter(|_| kind.is_personal());
    let user = user.map(|name| {
        if name == "somebody" {
            ""
        } else {
            name.as_str()
        }
        .into()
    });
    status.lock = Some(Lock::Open { kind, user });
    line.need("opened")?;
    if line.eat("by") {
        status.owner = Some(owner(&line.word("a person")?, None));
    }
    Ok(())
}
