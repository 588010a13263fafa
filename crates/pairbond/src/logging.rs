//! [`log_to_python`]: records of the `log` crate in Python's `logging`.

use std::sync::OnceLock;

use log::{Level, LevelFilter, Log, Metadata, Record};
use pairbond_core::error::Result;
use pairbond_value::value::Any;

use crate::python::{ObjectExt, import};

/// Sends the records of the `log` crate to Python's `logging`, from now on and from any thread.
///
/// The logger's name is the record's target with dots (`shop::prices` is `shop.prices`), so that
/// programs configure Rust modules as they configure Python's; `Trace` has level 5, below `DEBUG`.
/// Records above `most` are not made. What a handler raises is dropped, as `logging` itself does.
///
/// A record attaches the calling thread for a moment: do not log while holding a lock that Python
/// code may wait for. The records of a thread that runs after the interpreter's end are dropped.
/// Call it once, in a function that Python calls or in a module's constant.
///
/// ```ignore
/// #[pairbond::function]
/// fn enable_logging() -> Result<(), Error> {
///     pairbond::log_to_python(log::LevelFilter::Debug)
/// }
/// ```
///
/// # Errors
/// `logging` cannot be imported; another logger has been installed in this extension.
pub fn log_to_python(most: LevelFilter) -> Result<()> {
    static BRIDGE: OnceLock<Bridge> = OnceLock::new();
    let get_logger = import("logging")?.get_attr("getLogger")?;
    let mut new = false;
    let bridge = BRIDGE.get_or_init(|| {
        new = true;
        Bridge { get_logger }
    });
    if new {
        log::set_logger(bridge)?;
    }
    log::set_max_level(most);
    Ok(())
}

struct Bridge {
    /// `logging.getLogger`
    get_logger: Any,
}

impl Bridge {
    fn send(&self, record: &Record<'_>) -> Result<()> {
        let level = number(record.level());
        let name = record.target().replace("::", ".");
        let logger = self.get_logger.call_object(&[name.as_str().into()], &[])?;
        if !logger
            .call_method("isEnabledFor", &[level.into()])?
            .to::<bool>()?
        {
            return Ok(());
        }
        let made = logger.call_method(
            "makeRecord",
            &[
                name.as_str().into(),
                level.into(),
                record.file().unwrap_or("(unknown file)").into(),
                i64::from(record.line().unwrap_or(0)).into(),
                record.args().to_string().into(),
                Any::None,
                Any::None,
            ],
        )?;
        logger.call_method("handle", &[made]).map(drop)
    }
}

fn number(level: Level) -> i64 {
    match level {
        Level::Error => 40,
        Level::Warn => 30,
        Level::Info => 20,
        Level::Debug => 10,
        Level::Trace => 5,
    }
}

impl Log for Bridge {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        // An error has no receiver here.
        let _ = self.send(record);
    }

    fn flush(&self) {}
}
