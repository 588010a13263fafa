//! Types of the standard library for which a frontend's library has a class, and handles of texts
//! and numbers.

use std::borrow::Cow;
use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::num::NonZero;
use std::ops::{Range, RangeInclusive};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::datetime::{read_delta, read_moment, write_delta, write_moment};
use num_bigint::BigInt as Number;

use super::library_values::{convert, write};
use super::{AnySource, Emit, FromValue, IntoValue, Mismatch, Part, Sink, Source};
use crate::error::Error;
use crate::value::{Any, BigInt};

convert! {
    Duration, "datetime.timedelta", |source| {
        let (seconds, micros) = read_delta(source)?;
        match u64::try_from(seconds) {
            Ok(seconds) => Ok(Duration::new(seconds, micros * 1000)),
            Err(_) => Err(Mismatch::Value(format!(
                "expected a datetime.timedelta that is not negative, got {}",
                source.describe()
            ))),
        }
    }, |value, out| {
        write_delta(out, i64::try_from(value.as_secs()).unwrap_or(i64::MAX), value.subsec_micros())
    };
    SystemTime, "datetime.datetime", |source| {
        let (seconds, micros, _) = read_moment(source)?;
        let since = Duration::new(seconds.unsigned_abs(), 0);
        let time = if seconds < 0 { SystemTime::UNIX_EPOCH.checked_sub(since) } else { SystemTime::UNIX_EPOCH.checked_add(since) };
        time.and_then(|time| time.checked_add(Duration::from_micros(micros.into()))).ok_or(Mismatch::Overflow)
    }, |value, out| {
        let (seconds, nanos) = match value.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(since) => (since.as_secs() as i64, since.subsec_nanos()),
            Err(before) => match (before.duration().as_secs() as i64, before.duration().subsec_nanos()) {
                (seconds, 0) => (-seconds, 0),
                (seconds, nanos) => (-seconds - 1, 1_000_000_000 - nanos),
            },
        };
        write_moment(out, seconds, nanos / 1000)
    };
    Ipv4Addr, "ipaddress.IPv4Address", |source| packed_bytes(source, "ipaddress.IPv4Address").map(|octets: [u8; 4]| octets.into()), |value, out| {
        out.write_constructed("ipaddress.IPv4Address", &[bytes_part(&value.octets())])
    };
    Ipv6Addr, "ipaddress.IPv6Address", |source| {
        if let [scope] = &source.read_parts("ipaddress.IPv6Address", &["scope_id"])?[..]
            && !scope.is_none()
        {
            return Err(Mismatch::Value(format!("expected an address without scope, got {}", source.describe())));
        }
        packed_bytes(source, "ipaddress.IPv6Address").map(|octets: [u8; 16]| octets.into())
    }, |value, out| {
        out.write_constructed("ipaddress.IPv6Address", &[bytes_part(&value.octets())])
    };
    IpAddr, "ipaddress.IPv4Address or ipaddress.IPv6Address", |source| match Ipv4Addr::from_value(source) {
        Ok(address) => Ok(address.into()),
        Err(Mismatch::Type) => Ipv6Addr::from_value(source).map(Into::into),
        Err(other) => Err(other),
    }, |value, out| match value {
        IpAddr::V4(address) => address.emit_value(out),
        IpAddr::V6(address) => address.emit_value(out),
    };
    OsString, "str or os.PathLike", |source| source.read_path().map(Into::into), |value, out| out.write_path(Path::new(value));
    Box<str>, "str", |source| String::from_value(source).map(Into::into), |value, out| out.write_str(value);
    Rc<str>, "str", |source| source.read_str().map(Into::into), |value, out| out.write_str(value);
    Arc<str>, "str", |source| source.read_str().map(Into::into), |value, out| out.write_str(value);
}

fn packed_bytes<'a, const N: usize>(source: impl Source<'a>, class: &str) -> Result<[u8; N], Mismatch> {
    match &source.read_parts(class, &["packed"])?[..] {
        [Any::Bytes(bytes)] => bytes[..].try_into().map_err(|_| Mismatch::Type),
        _ => Err(Mismatch::Type),
    }
}

fn bytes_part(bytes: &[u8]) -> Part<'static> {
    Part::Value(Any::Bytes(bytes.into()))
}

impl<'a> FromValue<'a> for Cow<'a, str> {
    fn expected_type() -> Cow<'static, str> {
        "str".into()
    }
    #[inline]
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        source.read_str().map(Cow::Borrowed)
    }
}

write!(Cow<'_, str>, |value, out| out.write_str(value));
write!(Cow<'_, [u8]>, |value, out| out.write_bytes(value));

impl<'a, T: FromValue<'a>> FromValue<'a> for Box<T> {
    const DETACHES: bool = T::DETACHES;
    fn expected_type() -> Cow<'static, str> {
        T::expected_type()
    }
    #[inline]
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        T::from_value(source).map(Box::new)
    }
}

impl<T: IntoValue> IntoValue for Box<T> {
    #[inline]
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        (*self).into_value(out)
    }
}

impl<T: Emit> Emit for Box<T> {
    #[inline]
    fn emit_value<S: Sink>(&self, out: S) -> Result<S::Out, Error> {
        (**self).emit_value(out)
    }
}

macro_rules! non_zero {
    ($($t:ty)*) => {$(
        convert! {
            NonZero<$t>, format!("{} other than 0", <$t>::expected_type()), |source| {
                let value = <$t>::from_value(source)?;
                NonZero::new(value).ok_or_else(|| Mismatch::Value(format!("expected {}, got 0", Self::expected_type())))
            }, |value, out| value.get().emit_value(out);
        }
    )*};
}
non_zero!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

/// An integer type that a `range` can be of. The conversions of ranges are generic: written out for
/// each of these types they cost every program's build.
pub trait RangeEnd: for<'a> FromValue<'a> + TryFrom<Number> + Into<Number> + Clone {
    /// A range without elements, for the type may have no number before the first.
    const EMPTY: RangeInclusive<Self>;
}

macro_rules! range_ends {
    ($($t:ty)*) => {$(
        impl RangeEnd for $t {
            const EMPTY: RangeInclusive<Self> = RangeInclusive::new(1, 0);
        }
    )*};
}
range_ends!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

fn expected_range<T: RangeEnd>() -> Cow<'static, str> {
    format!("a range with step 1 of {}", T::expected_type()).into()
}

impl<'a, T: RangeEnd> FromValue<'a> for Range<T> {
    fn expected_type() -> Cow<'static, str> {
        expected_range::<T>()
    }
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        let (start, stop) = range_ends(source)?;
        match (T::try_from(start), T::try_from(stop)) {
            (Ok(start), Ok(stop)) => Ok(start..stop),
            _ => Err(Mismatch::Overflow),
        }
    }
}

impl<T: RangeEnd> Emit for Range<T> {
    fn emit_value<S: Sink>(&self, out: S) -> Result<S::Out, Error> {
        write_range(out, self.start.clone().into(), self.end.clone().into())
    }
}

impl<T: RangeEnd> IntoValue for Range<T> {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        self.emit_value(out)
    }
}

impl<'a, T: RangeEnd> FromValue<'a> for RangeInclusive<T> {
    fn expected_type() -> Cow<'static, str> {
        expected_range::<T>()
    }
    fn from_value<S: Source<'a>>(source: S) -> Result<Self, Mismatch> {
        let (start, stop) = range_ends(source)?;
        let is_empty = stop <= start;
        match (T::try_from(start), T::try_from(stop - 1)) {
            (Ok(start), Ok(last)) => Ok(start..=last),
            _ if is_empty => Ok(T::EMPTY),
            _ => Err(Mismatch::Overflow),
        }
    }
}

impl<T: RangeEnd + PartialOrd> Emit for RangeInclusive<T> {
    fn emit_value<S: Sink>(&self, out: S) -> Result<S::Out, Error> {
        let last = if self.is_empty() { self.start() } else { self.end() };
        let stop: Number = last.clone().into();
        write_range(
            out,
            self.start().clone().into(),
            stop + i32::from(!self.is_empty()),
        )
    }
}

impl<T: RangeEnd + PartialOrd> IntoValue for RangeInclusive<T> {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        self.emit_value(out)
    }
}

/// The ends of a `range` whose step is 1.
fn range_ends<'a>(source: impl Source<'a>) -> Result<(Number, Number), Mismatch> {
    let parts = source.read_parts("builtins.range", &["start", "stop", "step"])?;
    let number = |part: &Any| AnySource::One(part).big_int().map(|it| Number::from(&it));
    match &parts[..] {
        [start, stop, Any::Int(1)] => Ok((number(start)?, number(stop)?)),
        _ => Err(Mismatch::Value(format!(
            "expected a range with step 1, got {}",
            source.describe()
        ))),
    }
}

fn write_range<S: Sink>(out: S, start: Number, stop: Number) -> Result<S::Out, Error> {
    let part = |number| Part::Value(Any::from(BigInt::from(&number)));
    out.write_constructed("builtins.range", &[part(start), part(stop)])
}
