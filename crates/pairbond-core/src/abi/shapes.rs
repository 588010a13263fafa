//! The shape of the library's own values that binaries share without being `repr(C)`: sizes and
//! alignments, of one compiler.
//!
//! Their layout belongs to [`ABI_VERSION`](super::ABI_VERSION); compared here are parts that could
//! change by themselves: crates that they use, and the features of the processor.

/// Adds a number to the hash of a shape.
#[must_use]
pub const fn mix(mut hash: u64, number: usize) -> u64 {
    let bytes = (number as u64).to_le_bytes();
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x100_0000_01b3);
        at += 1;
    }
    hash
}

macro_rules! shapes {
    ($($t:ty),* $(,)?) => {{
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        $(
            hash = mix(hash, size_of::<$t>());
            hash = mix(hash, align_of::<$t>());
        )*
        // The tables inside maps look at as many entries at once as the processor's registers take.
        hash = mix(hash, cfg!(target_feature = "sse2") as usize);
        mix(hash, cfg!(target_feature = "neon") as usize)
    }};
}

pub(super) const SHAPES: u64 = shapes![
    crate::value::Any,
    Option<crate::value::Any>,
    Result<crate::value::Any, crate::error::Error>,
    crate::value::Str,
    crate::value::Bytes,
    crate::value::BigInt,
    crate::value::StrBody,
    crate::value::ListBody,
    crate::value::TupleBody,
    crate::value::MapBody,
    crate::value::FrozenMapBody,
    crate::value::SetBody,
    crate::value::FunctionBody,
    crate::value::ForeignBody,
    crate::value::MovedBody,
    crate::value::ArrayBody,
    crate::value::BlockBody,
    crate::value::Described,
    crate::value::Table<crate::value::Any>,
    crate::value::ElementCache,
    crate::value::Kind,
    crate::error::Inner,
    crate::error::More,
    crate::error::ErrorKind,
    crate::types::Table,
    crate::types::Field,
    crate::types::FieldKind,
    crate::types::Members,
    crate::types::Equality,
    crate::carry::Carrying,
    crate::carry::Kinds<'static>,
    crate::trace::Plan,
    crate::trace::Reach,
    crate::CellLock,
    crate::value::Cell<crate::value::Any>,
    hashbrown::HashTable<u32>,
    smallvec::SmallVec<[u64; 4]>,
];
