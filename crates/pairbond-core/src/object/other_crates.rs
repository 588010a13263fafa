//! What types of other crates tell a collector: those that can be fields of objects.

#[cfg(any(
    feature = "chrono",
    feature = "jiff",
    feature = "num-bigint",
    feature = "rust_decimal",
    feature = "uuid"
))]
use crate::untraced;
#[cfg(any(
    feature = "chrono",
    feature = "either",
    feature = "indexmap",
    feature = "ndarray"
))]
use {super::Trace, crate::types::Tracer};

#[cfg(feature = "chrono")]
untraced!(
    chrono::NaiveDate,
    chrono::NaiveTime,
    chrono::NaiveDateTime,
    chrono::TimeDelta,
    chrono::FixedOffset,
    chrono::Utc
);
#[cfg(feature = "jiff")]
untraced!(
    jiff::civil::Date,
    jiff::civil::Time,
    jiff::civil::DateTime,
    jiff::SignedDuration,
    jiff::Timestamp,
    jiff::ZonedDateTime,
    jiff::tz::TimeZone,
);
#[cfg(feature = "num-bigint")]
untraced!(num_bigint::BigInt, num_bigint::BigUint);
#[cfg(feature = "rust_decimal")]
untraced!(rust_decimal::Decimal);
#[cfg(feature = "uuid")]
untraced!(uuid::Uuid);

// SAFETY: a moment and the name of a time zone own no references.
#[cfg(feature = "chrono")]
unsafe impl<Z: chrono::TimeZone> Trace for chrono::DateTime<Z> {
    const TRACED: bool = false;
    #[inline]
    fn trace(&self, _: &mut Tracer<'_>) {}
}

// SAFETY: the one that is there shows its references once.
#[cfg(feature = "either")]
unsafe impl<L: Trace, R: Trace> Trace for either::Either<L, R> {
    const TRACED: bool = L::TRACED || R::TRACED;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        either::for_both!(self, value => value.trace(tracer));
    }
}

// SAFETY: each element shows its references once.
#[cfg(feature = "indexmap")]
unsafe impl<K: Trace, V: Trace, H> Trace for indexmap::IndexMap<K, V, H> {
    const TRACED: bool = K::TRACED || V::TRACED;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        for (key, value) in self {
            key.trace(tracer);
            value.trace(tracer);
        }
    }
}

// SAFETY: each element shows its references once.
#[cfg(feature = "indexmap")]
unsafe impl<T: Trace, H> Trace for indexmap::IndexSet<T, H> {
    const TRACED: bool = T::TRACED;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.iter().for_each(|value| value.trace(tracer));
    }
}

// SAFETY: each element shows its references once.
#[cfg(feature = "ndarray")]
unsafe impl<T: Trace, D: ndarray::Dimension> Trace for ndarray::Array<T, D> {
    const TRACED: bool = T::TRACED;
    #[inline]
    fn trace(&self, tracer: &mut Tracer<'_>) {
        if T::TRACED {
            self.iter().for_each(|value| value.trace(tracer));
        }
    }
}
