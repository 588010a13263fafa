//! Large data that attributes refer to by name. As with MLIR, it stays as long as the context, and
//! names are never used twice.

use std::collections::HashSet;
use std::sync::PoisonError;

use pairbond::fork::Mutex;
use pairbond::prelude::*;

/// Names that were given away; those that have data are in the context's map.
pub(super) type Names = Mutex<HashSet<Box<str>>>;

/// Data of a name.
#[pairbond::object("pairbond_ir._Resource", opaque)]
pub(crate) struct Resource {
    /// The numbers, or the bytes of numbers.
    pub(crate) data: Array,
    #[untraced]
    pub(crate) alignment: u32,
}

impl super::Context {
    /// Takes a name for data, or the first of `name_1`, `name_2`, … that is free; that name. It has
    /// no data yet.
    pub(crate) fn declare_resource(&self, name: &str) -> Box<str> {
        let mut all = self.resource_names.lock().unwrap_or_else(PoisonError::into_inner);
        let mut free: Box<str> = name.into();
        let mut number = 0_u64;
        while !all.insert(free.clone()) {
            number += 1;
            free = format!("{name}_{number}").into();
        }
        free
    }

    /// Keeps the data of a name.
    pub(crate) fn define_resource(&self, name: &str, data: Array, alignment: u32) {
        let resource = Ref::new(Resource { data, alignment });
        self.resources.insert(name.into(), resource);
    }

    /// Returns the data under a name.
    pub(crate) fn find_resource(&self, name: &str) -> Option<Ref<Resource>> {
        self.resources.get(name)
    }
}
