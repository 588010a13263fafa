//! How fields of nodes are laid out: the same in all binaries of one version of the interface.

use pairbond_core::abi::{Layout, LayoutWriter};
use pairbond_core::object::Object;

use crate::{Children, Cursor, Guarded, Links};

// SAFETY: the interface's version says how it lies in memory.
unsafe impl Layout for Links {
    fn write_layout(to: &mut LayoutWriter) {
        to.write_known::<Links>("Links");
    }
}

// SAFETY: the interface's version says how it lies in memory, whatever the type of the nodes.
unsafe impl<T: Object> Layout for Children<T> {
    fn write_layout(to: &mut LayoutWriter) {
        to.write_known::<Self>("Children");
        to.write_text(T::KEY);
    }
}

// SAFETY: the interface's version says how it lies in memory, whatever the type of the nodes.
unsafe impl<T: Object> Layout for Cursor<T> {
    fn write_layout(to: &mut LayoutWriter) {
        to.write_known::<Self>("Cursor");
        to.write_text(T::KEY);
    }
}

// SAFETY: the interface's version says how it lies in memory; its values are written with it.
unsafe impl<T: Layout, S: Layout> Layout for Guarded<T, S> {
    fn write_layout(to: &mut LayoutWriter) {
        to.write_known::<Self>("Guarded");
        T::write_layout(to);
        S::write_layout(to);
    }
}
