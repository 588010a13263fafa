//! Events as events of the `tracing` crate.

use pairbond_core::event::{Event, Kind, Observing, observe};
use tracing::{Level, event};

/// Passes every event on to `tracing`, with target `pairbond`: what happens to interpreters and
/// late releases at level `DEBUG`, everything else at `TRACE`. Fields: `kind`; of an object's
/// events `type`, `object` and `interpreter`; of device events `device_kind`, `device`, `a`, `b`.
///
/// It does until the result is dropped. Subscribers are called where the event happens, which may
/// be in the middle of a drop: see [`observe`](pairbond_core::event::observe).
///
/// ```
/// let _observing = pairbond::event::to_tracing();
/// pairbond::event::emit(1, 0, 4096, 17);
/// ```
pub fn to_tracing() -> Observing {
    observe(pass)
}

fn pass(happened: &Event) {
    let (kind, interpreter) = (happened.kind.name(), happened.interpreter);
    let object = format_args!("{:#x}", happened.object);
    let info = happened.info.map_or("", |info| info.key());
    match happened.kind {
        Kind::Device => event!(
            target: "pairbond",
            Level::TRACE,
            kind,
            device_kind = happened.device_kind,
            device = happened.device,
            a = happened.a,
            b = happened.b,
        ),
        Kind::Opened | Kind::Disarmed => event!(target: "pairbond", Level::DEBUG, kind, interpreter),
        Kind::ReleasedLate => {
            event!(target: "pairbond", Level::DEBUG, kind, r#type = info, object, interpreter)
        }
        _ => event!(target: "pairbond", Level::TRACE, kind, r#type = info, object, interpreter),
    }
}
