//! The shape of the library's own values that binaries share without being `repr(C)`: sizes and
//! alignments, of one compiler.
//!
//! Their layout belongs to [`ABI_VERSION`](super::ABI_VERSION); compared here are parts that could
//! change by themselves: crates that they use, and the features of the processor.

use crate::any::inline_str::Slice;
use crate::any::{ForeignBody, RawAny};
use crate::cell::Cell;
use crate::object::Root;
use crate::raw::{Error, ErrorKind, Inner, More};
use crate::trace::{Plan, Reach};
use crate::types::{Carrying, Equality, Members};

/// Adds a number to the hash of a shape.
#[must_use]
pub const fn mix_hash(mut hash: u64, number: usize) -> u64 {
    let bytes = (number as u64).to_le_bytes();
    let mut at = 0;
    while at < bytes.len() {
        hash = (hash ^ bytes[at] as u64).wrapping_mul(0x100_0000_01b3);
        at += 1;
    }
    hash
}

/// Size and alignment.
type Shape = (usize, usize);

const fn shape_of<T>() -> Shape {
    (size_of::<T>(), align_of::<T>())
}

/// The shapes of the types of the crate `pairbond-value`, which this one does not name, in the
/// order in which they are hashed. That crate does not compile where they differ from the types
/// (`shapes.rs`): a crate that it uses may lay out its types in another way.
#[doc(hidden)]
pub mod values {
    use super::Shape;

    /// `StrBody`, `ListBody`, `TupleBody`, `MapBody`, `FrozenMapBody`, `SetBody`, `FunctionBody`.
    pub const BODIES: [Shape; 7] = [(8, 8), (104, 8), (80, 8), (184, 8), (168, 8), (144, 8), (88, 8)];
    /// `MovedBody`, `ArrayBody`, `BlockBody`, `Described`, `Table<Any>`, `ElementCache`, `Kind`.
    pub const OTHERS: [Shape; 7] = [(24, 8), (96, 8), (48, 8), (72, 8), (72, 8), (16, 8), (40, 8)];
    /// `Table`, `Field`, `FieldKind` of types that are made at run time.
    pub const DYNAMIC: [Shape; 3] = [(96, 8), (72, 8), (56, 8)];
    /// `Kinds`.
    pub const KINDS: Shape = (56, 8);
}

const fn mix_all(mut hash: u64, shapes: &[Shape]) -> u64 {
    let mut at = 0;
    while at < shapes.len() {
        hash = mix_hash(mix_hash(hash, shapes[at].0), shapes[at].1);
        at += 1;
    }
    hash
}

pub(super) const SHAPES: u64 = {
    let hash = mix_all(
        0xcbf2_9ce4_8422_2325,
        &[
            shape_of::<RawAny>(),
            shape_of::<Option<RawAny>>(),
            shape_of::<Result<RawAny, Error>>(),
            // Strings, bytes and large integers.
            shape_of::<Slice<Root>>(),
            shape_of::<Slice<Root>>(),
            shape_of::<Slice<Root>>(),
        ],
    );
    let hash = mix_all(hash, &values::BODIES);
    let hash = mix_all(hash, &[shape_of::<ForeignBody>()]);
    let hash = mix_all(hash, &values::OTHERS);
    let hash = mix_all(
        hash,
        &[shape_of::<Inner>(), shape_of::<More>(), shape_of::<ErrorKind>()],
    );
    let hash = mix_all(hash, &values::DYNAMIC);
    let hash = mix_all(
        hash,
        &[
            shape_of::<Members>(),
            shape_of::<Equality>(),
            shape_of::<Carrying>(),
        ],
    );
    let hash = mix_all(hash, &[values::KINDS]);
    let hash = mix_all(
        hash,
        &[
            shape_of::<Plan>(),
            shape_of::<Reach>(),
            shape_of::<crate::CellLock>(),
            shape_of::<Cell<RawAny>>(),
            shape_of::<hashbrown::HashTable<u32>>(),
            shape_of::<smallvec::SmallVec<[u64; 4]>>(),
        ],
    );
    // The tables inside maps look at as many entries at once as the processor's registers take.
    let hash = mix_hash(hash, cfg!(target_feature = "sse2") as usize);
    mix_hash(hash, cfg!(target_feature = "neon") as usize)
};
