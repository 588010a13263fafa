//! Dates and times of the proleptic Gregorian calendar, as Python's `datetime` has them, for the
//! conversions of all crates that have some.
//!
//! Python's resolution is a microsecond: the rest is cut off, towards the past. A date and time is
//! *aware* with an offset from UTC, otherwise *naive*; neither is taken where the other is
//! expected.

#![cfg_attr(
    not(all(feature = "chrono", feature = "jiff")),
    allow(dead_code, reason = "each crate has types of its own")
)]

use super::{AnySource, Mismatch, Part, Sink, Source};
use crate::error::{Error, ErrorKind};
use crate::value::Any;

const DAY: i64 = 86_400;
/// The days of the longest `datetime.timedelta`.
const MAX_DAYS: i64 = 999_999_999;

/// Year, month and day.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Date(pub(super) i64, pub(super) u8, pub(super) u8);

/// Hour, minute, second and microsecond.
#[derive(Clone, Copy)]
pub(super) struct Time(pub(super) u8, pub(super) u8, pub(super) u8, pub(super) u32);

/// A date and time, and which one it is of two that a clock shows when it is put back.
pub(super) struct DateTime {
    pub(super) date: Date,
    pub(super) time: Time,
    /// Seconds and microseconds that the clock is ahead of UTC, if it is known.
    pub(super) offset: Option<(i64, u32)>,
    /// The object that knows the offset.
    pub(super) zone: Any,
}

/// The parts of an object as integers, which were promised to fit.
fn int_parts<'a, S: Source<'a>, const N: usize>(
    source: S,
    class: &str,
    names: &[&str; N],
) -> Result<[i64; N], Mismatch> {
    let parts = source.read_parts(class, names)?;
    let mut all = [0; N];
    for (place, part) in all.iter_mut().zip(&parts) {
        *place = AnySource::One(part).read_i64()?;
    }
    Ok(all)
}

/// Seconds, less than zero if need be, and microseconds more, of a `datetime.timedelta`.
pub(super) fn read_delta<'a, S: Source<'a>>(source: S) -> Result<(i64, u32), Mismatch> {
    let [days, seconds, micros] =
        int_parts(source, "datetime.timedelta", &["days", "seconds", "microseconds"])?;
    Ok((days * DAY + seconds, micros as u32))
}

/// The arguments of `datetime.timedelta`.
///
/// # Errors
/// Too long for one.
pub(super) fn timedelta_arguments(seconds: i64, micros: u32) -> Result<[Part<'static>; 3], Error> {
    let days = seconds.div_euclid(DAY);
    if days.abs() > MAX_DAYS {
        let message = format!("a duration of {seconds} seconds does not fit into datetime.timedelta");
        return Err(Error::new(ErrorKind::Overflow, message));
    }
    Ok([
        days.into(),
        seconds.rem_euclid(DAY).into(),
        i64::from(micros).into(),
    ])
}

pub(super) fn write_delta<S: Sink>(out: S, seconds: i64, micros: u32) -> Result<S::Out, Error> {
    out.write_constructed("datetime.timedelta", &timedelta_arguments(seconds, micros)?)
}

pub(super) fn read_date<'a, S: Source<'a>>(source: S) -> Result<Date, Mismatch> {
    // A `datetime` is a `date`, whose time would be lost.
    if source.read_parts("datetime.datetime", &[]).is_ok() {
        return Err(Mismatch::Type);
    }
    let [year, month, day] = int_parts(source, "datetime.date", &["year", "month", "day"])?;
    Ok(Date(year, month as u8, day as u8))
}

/// The arguments of `datetime.date`.
///
/// # Errors
/// A year that Python's dates do not have.
fn date_arguments(date: Date) -> Result<[Part<'static>; 3], Error> {
    let Date(year, month, day) = date;
    if !(1..=9999).contains(&year) {
        let message = format!("the year {year} does not fit into datetime.date, whose years are 1 to 9999");
        return Err(Error::new(ErrorKind::Overflow, message));
    }
    Ok([year.into(), i64::from(month).into(), i64::from(day).into()])
}

pub(super) fn write_date<S: Sink>(out: S, of: Date) -> Result<S::Out, Error> {
    out.write_constructed("datetime.date", &date_arguments(of)?)
}

pub(super) fn read_time<'a, S: Source<'a>>(source: S) -> Result<Time, Mismatch> {
    let [hour, minute, second, micros] = int_parts(
        source,
        "datetime.time",
        &["hour", "minute", "second", "microsecond"],
    )?;
    if let [zone] = &source.read_parts("datetime.time", &["tzinfo"])?[..]
        && !zone.is_none()
    {
        return Err(naive_expected(source));
    }
    Ok(Time(hour as u8, minute as u8, second as u8, micros as u32))
}

fn time_arguments(Time(hour, minute, second, micros): Time) -> [Part<'static>; 4] {
    [hour.into(), minute.into(), second.into(), micros].map(|part: u32| i64::from(part).into())
}

pub(super) fn write_time<S: Sink>(out: S, of: Time) -> Result<S::Out, Error> {
    out.write_constructed("datetime.time", &time_arguments(of))
}

fn naive_expected<'a, S: Source<'a>>(source: S) -> Mismatch {
    Mismatch::Value(format!(
        "expected a naive one, without tzinfo, got {}",
        source.describe()
    ))
}

pub(super) fn read_datetime<'a, S: Source<'a>>(source: S) -> Result<DateTime, Mismatch> {
    const CLASS: &str = "datetime.datetime";
    let names = ["year", "month", "day", "hour", "minute", "second", "microsecond"];
    let [year, month, day, hour, minute, second, micros] = int_parts(source, CLASS, &names)?;
    let mut zone = source.read_parts(CLASS, &["tzinfo", "utcoffset()"])?;
    let offset = match zone.pop() {
        None | Some(Any::None) => None,
        Some(delta) => Some(read_delta(AnySource::One(&delta))?),
    };
    Ok(DateTime {
        date: Date(year, month as u8, day as u8),
        time: Time(hour as u8, minute as u8, second as u8, micros as u32),
        offset,
        zone: zone.pop().unwrap_or(Any::None),
    })
}

pub(super) fn read_naive<'a, S: Source<'a>>(source: S) -> Result<(Date, Time), Mismatch> {
    let read = read_datetime(source)?;
    match read.zone {
        Any::None => Ok((read.date, read.time)),
        _ => Err(naive_expected(source)),
    }
}

/// The moment of an aware `datetime.datetime`: seconds since 1970, microseconds, and the whole.
pub(super) fn read_moment<'a, S: Source<'a>>(source: S) -> Result<(i64, u32, DateTime), Mismatch> {
    let read = read_datetime(source)?;
    let Some((seconds, micros)) = read.offset else {
        return Err(Mismatch::Value(format!(
            "expected an aware datetime, with tzinfo, got the naive {}",
            source.describe()
        )));
    };
    let Time(hour, minute, second, micro) = read.time;
    let of_day = i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second);
    let shown = days_since_epoch(read.date) * DAY + of_day;
    let total = (shown - seconds) * 1_000_000 + i64::from(micro) - i64::from(micros);
    Ok((
        total.div_euclid(1_000_000),
        total.rem_euclid(1_000_000) as u32,
        read,
    ))
}

/// An offset from UTC in whole seconds, which is all that Rust's libraries have.
pub(super) fn whole_offset(offset: Option<(i64, u32)>) -> Result<i32, Mismatch> {
    match offset {
        Some((seconds, 0)) => Ok(seconds as i32),
        _ => Err(Mismatch::Value(
            "an offset from UTC with parts of a second cannot be kept".into(),
        )),
    }
}

/// Makes a `datetime.datetime`; `zone` is its `tzinfo`.
pub(super) fn write_datetime<S: Sink>(
    out: S,
    of: (Date, Time),
    zone: Option<Part<'_>>,
    is_second: bool,
) -> Result<S::Out, Error> {
    let fold = Part::from(1_i64);
    let mut parts: Vec<Part<'_>> = date_arguments(of.0)?
        .into_iter()
        .chain(time_arguments(of.1))
        .collect();
    parts.extend(zone);
    if is_second {
        parts.push(Part::Keyword("fold", &fold));
    }
    out.write_constructed("datetime.datetime", &parts)
}

/// Makes an aware `datetime.datetime` of an offset from UTC.
pub(super) fn write_at_offset<S: Sink>(out: S, of: (Date, Time), offset: i32) -> Result<S::Out, Error> {
    let parts = timedelta_arguments(offset.into(), 0)?;
    let parts = [Part::Made("datetime.timedelta", &parts)];
    write_datetime(out, of, Some(Part::Made("datetime.timezone", &parts)), false)
}

/// Makes an aware `datetime.datetime` in UTC of a moment.
pub(super) fn write_moment<S: Sink>(out: S, seconds: i64, micros: u32) -> Result<S::Out, Error> {
    let of_day = seconds.rem_euclid(DAY) as u32;
    let time = Time(
        (of_day / 3600) as u8,
        (of_day / 60 % 60) as u8,
        (of_day % 60) as u8,
        micros,
    );
    let date = date_of(seconds.div_euclid(DAY));
    write_datetime(
        out,
        (date, time),
        Some(Part::Named("datetime.timezone.utc")),
        false,
    )
}

/// Days from 1970-01-01 to a date. (Years begin in March, so that the day that a leap year has more
/// is its last.)
fn days_since_epoch(Date(year, month, day): Date) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let month = (i64::from(month) + 9) % 12;
    let of_year = (153 * month + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// The date that many days after 1970-01-01.
fn date_of(days: i64) -> Date {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    Date(year, month as u8, day as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_days() {
        assert!(date_of(0) == Date(1970, 1, 1));
        assert!(date_of(-1) == Date(1969, 12, 31));
        assert!(date_of(19_782) == Date(2024, 2, 29));
        assert!(date_of(days_since_epoch(Date(1, 1, 1))) == Date(1, 1, 1));
        for day in (-800_000..3_000_000).step_by(if cfg!(miri) { 99_991 } else { 7 }) {
            let date = date_of(day);
            assert_eq!(days_since_epoch(date), day);
            assert!(date != date_of(day + 1));
        }
    }
}
