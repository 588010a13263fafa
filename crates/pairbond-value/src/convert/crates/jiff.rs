//! `jiff`: dates, times and durations as those of `datetime`, and time zones of the IANA database
//! as those of `zoneinfo`.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{AmbiguousOffset, Offset, TimeZone};
use jiff::{SignedDuration, Timestamp, ZonedDateTime};

use crate::convert::datetime::{self, timedelta_arguments, whole_offset};
use crate::convert::library_values::convert;
use crate::convert::{AnySource, Mismatch, Part, Source};
use crate::error::Error;
use crate::value::Any;

fn out_of_range(error: jiff::Error) -> Mismatch {
    Mismatch::Value(error.to_string())
}

fn to_date(datetime::Date(year, month, day): datetime::Date) -> Result<Date, Mismatch> {
    Date::new(year as i16, month as i8, day as i8).map_err(out_of_range)
}

fn to_time(datetime::Time(hour, minute, second, micros): datetime::Time) -> Result<Time, Mismatch> {
    Time::new(hour as i8, minute as i8, second as i8, micros as i32 * 1000).map_err(out_of_range)
}

fn of_date(date: Date) -> datetime::Date {
    datetime::Date(date.year().into(), date.month() as u8, date.day() as u8)
}

fn of_time(time: Time) -> datetime::Time {
    let micros = time.subsec_nanosecond() as u32 / 1000;
    datetime::Time(
        time.hour() as u8,
        time.minute() as u8,
        time.second() as u8,
        micros,
    )
}

fn to_timestamp(seconds: i64, micros: u32) -> Result<Timestamp, Mismatch> {
    Timestamp::new(seconds, micros as i32 * 1000).map_err(out_of_range)
}

convert! {
    Date, "datetime.date", |source| to_date(datetime::read_date(source)?), |value, out| datetime::write_date(out, of_date(*value));
    Time, "datetime.time", |source| to_time(datetime::read_time(source)?), |value, out| datetime::write_time(out, of_time(*value));
    DateTime, "datetime.datetime", |source| {
        let (date, time) = datetime::read_naive(source)?;
        Ok(DateTime::from_parts(to_date(date)?, to_time(time)?))
    }, |value, out| datetime::write_datetime(out, (of_date(value.date()), of_time(value.time())), None, false);
    SignedDuration, "datetime.timedelta", |source| {
        let (seconds, micros) = datetime::read_delta(source)?;
        Ok(SignedDuration::new(seconds, micros as i32 * 1000))
    }, |value, out| {
        let micros = value.as_micros() - i128::from(value.subsec_nanos() % 1000 < 0);
        let seconds = micros.div_euclid(1_000_000);
        datetime::write_delta(out, seconds as i64, micros.rem_euclid(1_000_000) as u32)
    };
    Timestamp, "an aware datetime.datetime", |source| {
        let (seconds, micros, _) = datetime::read_moment(source)?;
        to_timestamp(seconds, micros)
    }, |value, out| {
        let nanos = value.as_nanosecond();
        let seconds = nanos.div_euclid(1_000_000_000);
        datetime::write_moment(out, seconds as i64, nanos.rem_euclid(1_000_000_000) as u32 / 1000)
    };
    ZonedDateTime, "an aware datetime.datetime", |source| {
        let (seconds, micros, read) = datetime::read_moment(source)?;
        let zone = match named_zone(AnySource::One(&read.zone))? {
            Some(zone) => zone,
            None => TimeZone::fixed(Offset::from_seconds(whole_offset(read.offset)?).map_err(out_of_range)?),
        };
        Ok(to_timestamp(seconds, micros)?.to_zoned_datetime(zone))
    }, |value, out| {
        let of = (of_date(value.date()), of_time(value.time()));
        let Some(name) = value.time_zone().iana_name() else {
            return datetime::write_at_offset(out, of, value.offset().seconds());
        };
        let is_second = match value.time_zone().to_ambiguous_zoned_datetime(value.datetime()).offset() {
            AmbiguousOffset::Fold { after, .. } => value.offset() == after,
            _ => false,
        };
        with_zone(name, |zone| datetime::write_datetime(out, of, Some(zone), is_second))
    };
    TimeZone, "zoneinfo.ZoneInfo or datetime.timezone.utc", |source| {
        named_zone(source)?.ok_or(Mismatch::Type)
    }, |value, out| match value.iana_name() {
        Some("UTC") => out.write_constructed("datetime.timezone", &[Part::Made("datetime.timedelta", &[])]),
        Some(name) => out.write_constructed("zoneinfo.ZoneInfo", &[name.into()]),
        None => match value.to_fixed_offset() {
            Ok(offset) => {
                let parts = timedelta_arguments(offset.seconds().into(), 0)?;
                out.write_constructed("datetime.timezone", &[Part::Made("datetime.timedelta", &parts)])
            }
            Err(_) => Err(Error::value_error("a time zone without a name of the IANA database cannot be given to Python")),
        },
    };
}

/// The zone of a `zoneinfo.ZoneInfo` that has a name, or of `datetime.timezone.utc`.
fn named_zone<'a>(source: impl Source<'a>) -> Result<Option<TimeZone>, Mismatch> {
    match source.read_parts("zoneinfo.ZoneInfo", &["key"]) {
        Ok(parts) => match &parts[..] {
            [Any::Str(name)] => TimeZone::get(name).map(Some).map_err(out_of_range),
            _ => Ok(None),
        },
        Err(Mismatch::Type) => match source.read_parts("datetime.timezone", &["__str__()"]) {
            Ok(parts) if matches!(&parts[..], [Any::Str(name)] if **name == *"UTC") => {
                Ok(Some(TimeZone::UTC))
            }
            Ok(_) | Err(Mismatch::Type) => Ok(None),
            Err(other) => Err(other),
        },
        Err(other) => Err(other),
    }
}

fn with_zone<R>(name: &str, run: impl FnOnce(Part<'_>) -> R) -> R {
    if name == "UTC" {
        return run(Part::Named("datetime.timezone.utc"));
    }
    run(Part::Made("zoneinfo.ZoneInfo", &[name.into()]))
}
