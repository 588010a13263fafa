"""Types of Rust's library and of other crates that are classes of Python's library: there and back, exactly."""

from __future__ import annotations

import array
import datetime
import decimal
import ipaddress
import os
import uuid
import zoneinfo
from datetime import timedelta, timezone
from pathlib import Path

import pairbond_testext as ext
import pytest

UTC = datetime.UTC
DELTAS = [
    timedelta(),
    timedelta(microseconds=1),
    timedelta(seconds=1, microseconds=999_999),
    timedelta(days=1),
    timedelta.max,
]
MOMENTS = [
    datetime.datetime(1970, 1, 1, tzinfo=UTC),
    datetime.datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    datetime.datetime(1, 1, 1, tzinfo=UTC),
    datetime.datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    datetime.datetime(2024, 2, 29, 12, 30, 15, 1, tzinfo=UTC),
    datetime.datetime(1900, 3, 1, tzinfo=UTC),
    datetime.datetime(2000, 2, 29, tzinfo=UTC),
]
EAST = timezone(timedelta(hours=5, minutes=30))
DATES = [datetime.date(1, 1, 1), datetime.date(2024, 2, 29), datetime.date(9999, 12, 31)]
TIMES = [datetime.time(), datetime.time(23, 59, 59, 999_999), datetime.time(1, 2, 3, 4)]


def same(function, value):
    found = function(value)
    assert found == value
    assert type(found) is type(value)
    return found


def refused(function, value, error, *texts):
    with pytest.raises(error) as caught:
        function(value)
    for text in ("argument 'value'", *texts):
        assert text in str(caught.value)


@pytest.mark.parametrize("function", [ext.duration, ext.chrono_delta, ext.jiff_duration, ext.optional_duration])
def test_durations(function):
    for delta in DELTAS:
        same(function, delta)
    for value in (1, 1.0, "1", datetime.time(1)):
        refused(function, value, TypeError, "expected datetime.timedelta", repr(value)[:5])


@pytest.mark.parametrize("function", [ext.chrono_delta, ext.jiff_duration])
def test_durations_with_a_sign(function):
    for delta in (timedelta(microseconds=-1), timedelta(days=-1, seconds=5), timedelta.min):
        same(function, delta)


def test_durations_of_the_standard_library_are_not_negative():
    refused(ext.duration, timedelta(microseconds=-1), ValueError, "not negative", "timedelta(days=-1")
    assert ext.nanos(timedelta(days=2, microseconds=3)) == 2 * 86400 * 10**9 + 3000
    assert ext.durations([timedelta(1), timedelta(2)]) == [timedelta(1), timedelta(2)]
    with pytest.raises(ValueError, match=r"argument 'value'\[1\]: .*not negative"):
        ext.durations([timedelta(1), timedelta(-2)])


def test_what_is_finer_is_cut_off_towards_the_past():
    duration, moment, signed, delta = ext.beyond_micros()
    assert duration == timedelta(microseconds=1)
    assert moment == MOMENTS[0] - timedelta(microseconds=2)
    assert signed == delta == timedelta(microseconds=-1)


@pytest.mark.parametrize(("which", "class_"), [("duration", "timedelta"), ("system_time", "date"), ("date", "date")])
def test_what_is_too_large(which, class_):
    with pytest.raises(OverflowError, match=f"does not fit into datetime.{class_}"):
        ext.too_large(which)


def test_values_of_any_kind():
    assert ext.through_any(timedelta(hours=1)) == timedelta(hours=2)
    with pytest.raises(TypeError, match=r"expected datetime\.timedelta, got"):
        ext.through_any(3)


@pytest.mark.parametrize("function", [ext.system_time, ext.chrono_utc, ext.jiff_timestamp])
def test_moments(function):
    for moment in MOMENTS:
        if function is ext.jiff_timestamp and moment.year == 9999:
            # jiff ends a day earlier, so that every moment is a date in every time zone.
            refused(function, moment, ValueError, "not in the required range")
            continue
        assert same(function, moment).tzinfo is UTC
    east = datetime.datetime(2024, 3, 1, 1, 0, tzinfo=EAST)
    assert same(function, east).utcoffset() == timedelta()
    west = datetime.datetime(2024, 3, 1, tzinfo=timezone(-timedelta(hours=3, microseconds=7)))
    same(function, west)


@pytest.mark.parametrize(
    "function", [ext.system_time, ext.chrono_utc, ext.chrono_fixed, ext.jiff_timestamp, ext.jiff_zoned]
)
def test_moments_are_aware(function):
    naive = datetime.datetime(2024, 1, 2, 3)
    refused(function, naive, ValueError, "expected an aware datetime, with tzinfo", "2024")
    for value in (1.5, datetime.date(2024, 1, 1), None):
        refused(function, value, TypeError, "expected", "datetime.datetime")


@pytest.mark.parametrize("function", [ext.chrono_fixed, ext.jiff_zoned])
def test_offsets_stay(function):
    for zone in (UTC, EAST, timezone(-timedelta(hours=11, seconds=1))):
        moment = datetime.datetime(2024, 3, 1, 1, 2, 3, 4, tzinfo=zone)
        assert same(function, moment).utcoffset() == zone.utcoffset(None)
    odd = datetime.datetime(2024, 1, 1, tzinfo=timezone(timedelta(microseconds=1)))
    refused(function, odd, ValueError, "parts of a second")


@pytest.mark.parametrize("function", [ext.chrono_naive, ext.jiff_datetime])
def test_naive_datetimes(function):
    for moment in MOMENTS:
        same(function, moment.replace(tzinfo=None))
    refused(function, MOMENTS[0], ValueError, "expected a naive one, without tzinfo", "1970")
    refused(function, datetime.date(2024, 1, 1), TypeError, "expected datetime.datetime")


@pytest.mark.parametrize("function", [ext.chrono_date, ext.jiff_date])
def test_dates(function):
    for date in DATES:
        same(function, date)
    # Its time would be lost.
    refused(function, datetime.datetime(2024, 1, 1), TypeError, "expected datetime.date")


@pytest.mark.parametrize("function", [ext.chrono_time, ext.jiff_time])
def test_times(function):
    for time in TIMES:
        same(function, time)
    refused(function, datetime.time(1, tzinfo=UTC), ValueError, "without tzinfo")


def test_time_zones():
    try:
        zone = zoneinfo.ZoneInfo("Europe/Berlin")
    except zoneinfo.ZoneInfoNotFoundError:
        pytest.skip("this system has no database of time zones")
    first = datetime.datetime(2024, 10, 27, 2, 30, tzinfo=zone)
    for moment in (first, first.replace(fold=1), first.replace(month=7)):
        back = same(ext.jiff_zoned, moment)
        assert back.tzinfo is zone
        assert (back.fold, back.utcoffset()) == (moment.fold, moment.utcoffset())
    assert ext.jiff_zone(zone) is zone
    assert ext.jiff_zone(UTC) is UTC
    refused(ext.jiff_zone, EAST, TypeError, "expected zoneinfo.ZoneInfo")


def test_offsets_alone():
    for zone in (UTC, EAST):
        same(ext.chrono_offset, zone)
    refused(ext.chrono_offset, 3, TypeError, "expected datetime.timezone")


def test_subclasses_are_what_they_extend():
    class Moment(datetime.datetime):
        pass

    assert ext.chrono_naive(Moment(2024, 1, 2)) == datetime.datetime(2024, 1, 2)
    assert type(ext.chrono_naive(Moment(2024, 1, 2))) is datetime.datetime


def test_addresses():
    four, six = ipaddress.ip_address("192.168.0.1"), ipaddress.ip_address("2001:db8::1")
    assert same(ext.ipv4, four) == same(ext.ip, four)
    assert same(ext.ipv6, six) == same(ext.ip, six)
    refused(ext.ipv4, six, TypeError, "expected ipaddress.IPv4Address", "2001:db8")
    refused(ext.ip, "192.168.0.1", TypeError, "ipaddress.IPv4Address or ipaddress.IPv6Address", "str '192")
    refused(ext.ip, ipaddress.ip_address("fe80::1%eth0"), ValueError, "without scope", "fe80")


def test_ranges():
    for value in (range(0), range(3, 7), range(255)):
        assert ext.range_u8(value) == value
        assert ext.range_inclusive_u8(value) == value
    # What a `RangeInclusive` ends with is one less.
    assert ext.range_inclusive_u8(range(256)) == range(256)
    refused(ext.range_u8, range(256), OverflowError, "range(0, 256)", "an int from 0 to 255")
    refused(ext.range_inclusive_u8, range(-1, 3), OverflowError)
    every = range(2**128)
    assert ext.range_inclusive_u128(every) == every
    assert ext.range_i64(range(-5, -2)) == range(-5, -2)
    assert ext.range_i64(range(5, 2)) == range(5, 2)
    refused(ext.range_i64, range(0, 10, 2), ValueError, "step 1", "range(0, 10, 2)")
    refused(ext.range_i64, slice(1, 2), TypeError, "expected a range")


def test_numbers_that_are_not_zero():
    for value in (1, 255):
        same(ext.non_zero_u8, value)
    same(ext.non_zero_i64, -(2**63))
    refused(ext.non_zero_u8, 0, ValueError, "other than 0, got 0")
    refused(ext.non_zero_u8, 256, OverflowError, "does not fit")
    refused(ext.non_zero_i64, "1", TypeError, "other than 0")


def test_texts_in_other_handles():
    for function in (ext.boxed_str, ext.arc_str, ext.cow_str):
        for text in ("", "ä€😀", "a" * 1000):
            same(function, text)
    assert ext.boxed(5) == 5
    with pytest.raises(TypeError, match="expected str"):
        ext.cow_str(b"1")


def test_names_of_the_operating_system():
    for name in ("", "plain", "ä", os.fsdecode(b"not\xffutf8")):
        assert ext.os_string(name) == name
    assert ext.os_string(Path("a/b")) == os.path.join("a", "b")
    refused(ext.os_string, 5, TypeError, "expected str or os.PathLike")


def test_bytes_as_a_vector():
    every = bytes(range(256))
    for value in (every, bytearray(every), memoryview(every), list(every), tuple(every)):
        assert same(ext.octets, every) == ext.octets(value)
    assert ext.octets([]) == b""
    assert same(ext.octets4, b"abcd") == ext.octets4(list(b"abcd"))
    # Elements, not the bytes that they are made of.
    assert ext.octets(array.array("i", [1, 2])) == b"\1\2"
    with pytest.raises(OverflowError):
        ext.octets(array.array("b", [-1]))
    refused(ext.octets, "text", TypeError, "expected a sequence")
    refused(ext.octets4, b"abc", TypeError, "a sequence of 4")


def test_uuids():
    for value in (uuid.UUID(int=0), uuid.UUID(int=2**128 - 1), uuid.uuid4()):
        same(ext.uuid_, value)
    refused(ext.uuid_, str(uuid.uuid4()), TypeError, "expected uuid.UUID", "str")


def test_decimals():
    texts = ["0", "-0.00", "1.50", "1E+3", "1E-9", "12.34E-10", "79228162514264337593543950335", "0." + "1" * 28]
    for text in texts:
        value = decimal.Decimal(text)
        assert ext.rust_decimal_(value) == value
    # As many digits behind the point as there were.
    assert str(ext.rust_decimal_(decimal.Decimal("1.50"))) == "1.50"
    assert ext.rust_decimal_(7) == decimal.Decimal(7)
    for text in ("NaN", "Infinity", "1E+30", "0." + "1" * 29, "79228162514264337593543950336"):
        refused(ext.rust_decimal_, decimal.Decimal(text), ValueError, "at most 28 digits", text)
    refused(ext.rust_decimal_, 1.5, TypeError, "expected decimal.Decimal")
    refused(ext.rust_decimal_, 1 << 100, OverflowError)


def test_large_integers():
    for value in (0, 1, -1, 2**64, -(2**200), 10**1000):
        same(ext.num_bigint_, value)
    same(ext.num_biguint, 10**1000)
    refused(ext.num_biguint, -1, OverflowError, "not negative")
    refused(ext.num_bigint_, 1.0, TypeError, "expected int")


def test_ordered_maps_and_sets():
    value = {"z": 1, "a": 2, "m": 3}
    assert list(ext.index_map(value).items()) == list(value.items())
    assert ext.index_set([3, 1, 3, 2]) == [3, 1, 2]
    refused(ext.index_map, {"a": "b"}, TypeError, "[str 'a']", "expected an int")


def test_either():
    assert ext.either_(5) == 5
    assert ext.either_("5") == "5"
    refused(ext.either_, 1.5, TypeError, "expected an int of 64 bits or str, got float 1.5")
    # It is an int, which is the reason.
    refused(ext.either_, 2**64, OverflowError, "does not fit")


def test_ndarrays():
    numpy = pytest.importorskip("numpy")
    grid = numpy.arange(6, dtype=float).reshape(2, 3)
    for value in (grid, grid.T, grid[::-1, ::2], numpy.zeros((0, 3))):
        assert numpy.array_equal(numpy.asarray(ext.ndarray2(value)), value)
    whole = numpy.arange(24).reshape(2, 3, 4)
    assert numpy.array_equal(numpy.asarray(ext.ndarray_any(whole)), whole)
    refused(ext.ndarray2, numpy.zeros(3), ValueError, "with 2 axes, got one with 1 axes")
    with pytest.raises(TypeError, match="the elements are float64, not int64"):
        ext.ndarray_any(grid)
    refused(ext.ndarray2, [[1.0]], TypeError, "expected an array")


def test_fields():
    timed = ext.Timed(ipaddress.ip_address("::1"), timedelta(seconds=3))
    assert timed.address == ipaddress.ip_address("::1")
    assert (timed.timeout, timed.until) == (timedelta(seconds=3), None)
    assert (timed.pair, timed.sizes) == ((1, "one"), b"\3\4")
    timed.until = MOMENTS[4]
    assert timed.until == MOMENTS[4]
    with pytest.raises(ValueError, match="not negative"):
        timed.timeout = timedelta(-1)
    assert timed.timeout == timedelta(seconds=3)
