//! Values of classes of Python's library, and of other crates, there and back.

use std::borrow::Cow;
use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::num::NonZero;
use std::ops::{Range, RangeInclusive};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use pairbond::prelude::*;

identity! { conversion:
    duration: Duration;
    system_time: SystemTime;
    ipv4: Ipv4Addr;
    ipv6: Ipv6Addr;
    ip: IpAddr;
    os_string: OsString;
    range_u8: Range<u8>;
    range_i64: Range<i64>;
    range_inclusive_u8: RangeInclusive<u8>;
    range_inclusive_u128: RangeInclusive<u128>;
    non_zero_u8: NonZero<u8>;
    non_zero_i64: NonZero<i64>;
    boxed_str: Box<str>;
    arc_str: Arc<str>;
    boxed: Box<i64>;
    octets: Vec<u8>;
    octets4: [u8; 4];
    chrono_date: chrono::NaiveDate;
    chrono_time: chrono::NaiveTime;
    chrono_naive: chrono::NaiveDateTime;
    chrono_utc: chrono::DateTime<chrono::Utc>;
    chrono_fixed: chrono::DateTime<chrono::FixedOffset>;
    chrono_offset: chrono::FixedOffset;
    chrono_delta: chrono::TimeDelta;
    jiff_date: jiff::civil::Date;
    jiff_time: jiff::civil::Time;
    jiff_datetime: jiff::civil::DateTime;
    jiff_timestamp: jiff::Timestamp;
    jiff_zoned: jiff::ZonedDateTime;
    jiff_zone: jiff::tz::TimeZone;
    jiff_duration: jiff::SignedDuration;
    uuid_: uuid::Uuid;
    rust_decimal_: rust_decimal::Decimal;
    num_bigint_: num_bigint::BigInt;
    num_biguint: num_bigint::BigUint;
    index_map: indexmap::IndexMap<String, i64>;
    index_set: indexmap::IndexSet<i64>;
    either_: either::Either<i64, String>;
    ndarray2: ndarray::Array2<f64>;
    ndarray_any: ndarray::ArrayD<i64>;
    optional_duration: Option<Duration>;
    durations: Vec<Duration>;
    pack: Pack;
    named_pack: NamedPack;
}

/// A record with fields that are read in several ways.
#[derive(pairbond::Record)]
pub(crate) struct Pack {
    name: String,
    data: Vec<u8>,
    count: i64,
    #[record(default)]
    more: Vec<(i64, String)>,
    when: Option<Duration>,
}

/// The same, given as an instance of a class.
#[derive(pairbond::Record)]
#[record(class = "types.SimpleNamespace")]
pub(crate) struct NamedPack {
    name: String,
    data: Vec<u8>,
    count: i64,
    #[record(default)]
    more: Vec<(i64, String)>,
    inner: Option<Box<NamedPack>>,
}

/// A text that is borrowed where that is enough.
#[pairbond::function]
pub(crate) fn cow_str(value: Cow<'_, str>) -> Cow<'_, str> {
    value
}

/// The same values in fields.
#[pairbond::object("pairbond_testext.Timed")]
pub(crate) struct Timed {
    #[field]
    address: IpAddr,
    #[field(set)]
    timeout: Cell<Duration>,
    #[field(set)]
    until: Cell<Option<SystemTime>>,
    #[field]
    pair: (i64, Arc<str>),
    #[field]
    sizes: [u8; 2],
}

#[pairbond::methods]
impl Timed {
    #[new]
    fn new(address: IpAddr, timeout: Duration) -> Self {
        Timed {
            address,
            timeout: Cell::new(timeout),
            until: Cell::new(None),
            pair: (1, "one".into()),
            sizes: [3, 4],
        }
    }
}

/// The parts of a duration, which Python's classes need not be asked for.
#[pairbond::function]
pub(crate) fn nanos(duration: Duration) -> u128 {
    duration.as_nanos()
}

/// A duration and a moment with parts that Python's classes do not have.
#[pairbond::function]
pub(crate) fn beyond_micros() -> (Duration, SystemTime, jiff::SignedDuration, chrono::TimeDelta) {
    let fine = Duration::from_nanos(1_999);
    (
        fine,
        SystemTime::UNIX_EPOCH - fine,
        jiff::SignedDuration::from_nanos(-1),
        chrono::TimeDelta::nanoseconds(-1),
    )
}

/// Values that are too large for Python's classes.
#[pairbond::function]
pub(crate) fn too_large(which: &str) -> Result<Any, Error> {
    let function = match which {
        "duration" => pairbond::Function::build("f").from(|| Duration::MAX),
        "system_time" => {
            pairbond::Function::build("f").from(|| SystemTime::UNIX_EPOCH + Duration::from_secs(1 << 40))
        }
        _ => pairbond::Function::build("f").from(|| chrono::NaiveDate::MIN),
    };
    function.call(&[])
}

/// Through values of any kind: how Rust calls Rust.
#[pairbond::function]
pub(crate) fn through_any(value: Any) -> Result<Any, Error> {
    pairbond::Function::build("double")
        .parameter("value")
        .from(|value: Duration| value * 2)
        .call(&[value])
}
