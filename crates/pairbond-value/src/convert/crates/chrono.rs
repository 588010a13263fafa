//! `chrono`: dates, times and durations as those of `datetime`.

use chrono::{
    DateTime, Datelike, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, Offset, TimeDelta, TimeZone,
    Timelike, Utc,
};

use crate::convert::datetime::{
    Date, Time, read_date, read_delta, read_moment, read_naive, read_time, timedelta_arguments, whole_offset,
    write_at_offset, write_date, write_datetime, write_delta, write_time,
};
use crate::convert::library_values::convert;
use crate::convert::{AnySource, Mismatch, Part, Sink, Source};
use crate::error::Error;

fn to_date(Date(year, month, day): Date) -> Result<NaiveDate, Mismatch> {
    NaiveDate::from_ymd_opt(year as i32, month.into(), day.into()).ok_or(Mismatch::Overflow)
}

fn to_time(Time(hour, minute, second, micros): Time) -> Result<NaiveTime, Mismatch> {
    NaiveTime::from_hms_micro_opt(hour.into(), minute.into(), second.into(), micros).ok_or(Mismatch::Overflow)
}

fn of_date(date: &impl Datelike) -> Date {
    Date(date.year().into(), date.month() as u8, date.day() as u8)
}

/// # Errors
/// A leap second, which Python's times do not have.
fn of_time(time: &impl Timelike) -> Result<Time, Error> {
    let micros = time.nanosecond() / 1000;
    if micros >= 1_000_000 {
        return Err(Error::value_error("datetime has no leap seconds"));
    }
    Ok(Time(
        time.hour() as u8,
        time.minute() as u8,
        time.second() as u8,
        micros,
    ))
}

convert! {
    NaiveDate, "datetime.date", |source| to_date(read_date(source)?), |value, out| write_date(out, of_date(value));
    NaiveTime, "datetime.time", |source| to_time(read_time(source)?), |value, out| write_time(out, of_time(value)?);
    NaiveDateTime, "datetime.datetime", |source| {
        let (date, time) = read_naive(source)?;
        Ok(to_date(date)?.and_time(to_time(time)?))
    }, |value, out| write_datetime(out, (of_date(value), of_time(value)?), None, false);
    TimeDelta, "datetime.timedelta", |source| {
        let (seconds, micros) = read_delta(source)?;
        TimeDelta::new(seconds, micros * 1000).ok_or(Mismatch::Overflow)
    }, |value, out| {
        // Its parts have the same sign.
        let nanos = i64::from(value.subsec_nanos());
        write_delta(out, value.num_seconds() + nanos.div_euclid(1_000_000_000), nanos.rem_euclid(1_000_000_000) as u32 / 1000)
    };
    FixedOffset, "datetime.timezone", |source| {
        let (mut offset, arguments) = (None, source.read_parts("datetime.timezone", &["__getinitargs__()"])?);
        AnySource::Many(&arguments).read_sequence(|_, arguments| {
            arguments.read_sequence(|i, argument| {
                if i == 0 {
                    offset = Some(read_delta(argument)?);
                }
                Ok(())
            }).map(drop)
        })?;
        fixed_offset(whole_offset(offset)?)
    }, |value, out| {
        let parts = timedelta_arguments(value.local_minus_utc().into(), 0)?;
        out.write_constructed("datetime.timezone", &[Part::Made("datetime.timedelta", &parts)])
    };
    DateTime<Utc>, "an aware datetime.datetime", |source| {
        let (seconds, micros, _) = read_moment(source)?;
        DateTime::from_timestamp(seconds, micros * 1000).ok_or(Mismatch::Overflow)
    }, |value, out| write_moment(value, out);
    DateTime<FixedOffset>, "an aware datetime.datetime", |source| {
        let (seconds, micros, read) = read_moment(source)?;
        let moment = DateTime::from_timestamp(seconds, micros * 1000).ok_or(Mismatch::Overflow)?;
        Ok(moment.with_timezone(&fixed_offset(whole_offset(read.offset)?)?))
    }, |value, out| write_moment(value, out);
}

fn fixed_offset(seconds: i32) -> Result<FixedOffset, Mismatch> {
    FixedOffset::east_opt(seconds).ok_or(Mismatch::Overflow)
}

/// Gives a moment with its offset from UTC, of whatever zone it is.
fn write_moment<Z: TimeZone, S: Sink>(moment: &DateTime<Z>, out: S) -> Result<S::Out, Error> {
    let local = moment.naive_local();
    let offset = moment.offset().fix().local_minus_utc();
    write_at_offset(out, (of_date(&local), of_time(&local)?), offset)
}
