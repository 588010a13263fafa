//! The layout of an object type, for other binaries.

use super::Object;
use crate::layout::LayoutWriter;

/// Shows the fields, or variants, of an object type.
pub(crate) fn show_object<T: Object>(to: &mut LayoutWriter) {
    for field in T::FIELDS {
        to.write_part(field.name, field.rust_type, |to| {
            to.write_number(field.offset as u64);
            to.write_number(field.size as u64);
            if let Some(layout) = field.layout {
                layout(to);
            }
        });
    }
    T::write_extra_layout(to);
}

/// [`Layout::write_layout`](crate::layout::Layout::write_layout) of an object type.
#[doc(hidden)]
pub fn write_object<T: Object>(to: &mut LayoutWriter) {
    to.write_defined::<T>(T::KEY, T::ORIGIN, |to| {
        to.write_number(T::VERSION.into());
        show_object::<T>(to);
    });
}
