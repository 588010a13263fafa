//! Compares the shapes of this crate's types with those that the core compares when binaries join.
//! Where another version of a crate that they are made of gives them other shapes, values would not
//! fit those of other binaries.

use crate::abi::shapes::values;
use crate::convert::MovedBody;
use crate::value::{
    Any, ArrayBody, BlockBody, Described, ElementCache, FrozenMapBody, FunctionBody, Kind, Kinds, ListBody,
    MapBody, SetBody, StrBody, Table, TupleBody,
};

macro_rules! are {
    ($shapes:expr; $($t:ty),* $(,)?) => {
        const _: () = {
            let mut at = 0;
            $(
                assert!(
                    $shapes[at].0 == size_of::<$t>() && $shapes[at].1 == align_of::<$t>(),
                    concat!("the core tells other binaries another size of ", stringify!($t), " (abi/shapes.rs)"),
                );
                at += 1;
            )*
            assert!(at == $shapes.len());
        };
    };
}
are!(values::BODIES; StrBody, ListBody, TupleBody, MapBody, FrozenMapBody, SetBody, FunctionBody);
are!(values::OTHERS; MovedBody, ArrayBody, BlockBody, Described, Table<Any>, ElementCache, Kind);
are!([values::KINDS]; Kinds<'static>);
