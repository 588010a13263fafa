//! The [`TypeInfo`] of a type that is written in another language than Rust: its author says how
//! large values are, and which functions destroy and trace them.

use super::{TraceFn, TypeFlags, TypeInfo, ValueFn, hot, prefix_bytes};
use crate::custody::{Header, value_offset};
use crate::error::Error;
use crate::layout::LayoutWriter;
use crate::sync::statics::AtomicU32;
use crate::types::Plan;
use crate::types::registry::enter_type;
use crate::types::{FieldInfo, NodeType, RegisterError};

/// What the author of a type says of it.
pub struct ExternalType {
    /// `"module.Name"`.
    pub key: &'static str,
    /// The type that it extends.
    pub base: &'static TypeInfo,
    /// Bytes of a value, the base's included.
    pub size: usize,
    /// That of a value.
    pub align: usize,
    /// Destroys a value.
    pub drop: Option<ValueFn>,
    /// Shows the references of a value.
    pub trace: Option<TraceFn>,
    /// Drops the references of a value, which lives on.
    pub clear: Option<ValueFn>,
    /// Whether its author brings a function that shows references; that of nodes shows their place,
    /// too.
    pub has_trace: bool,
    /// Whether the fields own objects of native types only, as far as the author says: wrappers are
    /// untracked at birth then. Wrong is not unsound: a full collection finds what a value owns by
    /// its trace function.
    pub native_fields: bool,
    /// Of a type of nodes.
    pub node: Option<NodeType>,
    /// See [`Object::ATTRIBUTES`](crate::object::Object::ATTRIBUTES).
    pub attributes: bool,
    /// With their offsets in a value.
    pub fields: &'static [FieldInfo],
}

impl TypeInfo {
    /// Registers a type, or finds the same one.
    ///
    /// # Errors
    /// `TypeError`: the base cannot be extended so, or the key is taken by another type.
    ///
    /// # Safety
    /// The functions may be called with values of that size, on any thread; `trace` shows each
    /// reference that a value owns at most once; a value begins with one of the base. The key and
    /// the functions live for the process.
    pub unsafe fn register_external(of: ExternalType) -> Result<&'static TypeInfo, Error> {
        check_external(&of)?;
        let base = of.base;
        let align = of.align.max(align_of::<Header>());
        let offset = value_offset(align);
        let traced = of.trace.is_some();
        let mut flags = TypeFlags::THREAD_SAFE.0;
        for (set, flag) in [
            (of.attributes, TypeFlags::ATTRIBUTES),
            (traced, TypeFlags::TRACED),
            (!traced, TypeFlags::SHAREABLE),
        ] {
            if set {
                flags |= flag.0;
            }
        }
        let mut bits = hot::CLASSES;
        for (set, bit) in [
            (of.drop.is_some(), hot::DROP),
            (traced, hot::TRACED),
            (of.node.is_some(), hot::NODE),
            (
                traced && of.native_fields && (!base.is_traced() || base.has_native_fields()),
                hot::NATIVE_FIELDS,
            ),
        ] {
            if set {
                bits |= bit;
            }
        }
        let prefix = prefix_bytes(traced, align);
        let bare = TypeInfo::beside_rust(of.key, base);
        let info = TypeInfo {
            hot: AtomicU32::new(bits),
            flags: TypeFlags(flags),
            value_offset: offset,
            prefix,
            size: prefix + (offset + of.size).next_multiple_of(align),
            align,
            drop: of.drop,
            trace: of.trace.unwrap_or(bare.trace),
            plan: Plan::of_any(traced),
            clear: of.clear.unwrap_or(bare.clear),
            node: of.node,
            fields: of.fields,
            fingerprint: fingerprint_of(&of),
            ..bare
        };
        enter_type(info)
            .map_err(|(known, refused)| Error::type_error(RegisterError::new(known, &refused).to_string()))
    }

    /// Whether `external` made it, or the type that it extends at run time.
    #[must_use]
    pub fn is_beside_rust(&self) -> bool {
        let of_rust = |info: &&TypeInfo| info.table.is_none();
        std::iter::successors(Some(self), |info| info.base())
            .find(of_rust)
            .is_some_and(TypeInfo::is_external)
    }

    /// Whether `external` made it.
    fn is_external(&self) -> bool {
        self.rust_type == 0 && self.table.is_none() && !self.base.is_null()
    }
}

fn check_external(of: &ExternalType) -> Result<(), Error> {
    let (key, base) = (of.key, of.base);
    let refuse = |why: String| Err(Error::type_error(format!("{key}: {why}")));
    if !of.align.is_power_of_two() || of.align > 4096 {
        return refuse(format!(
            "an alignment is a power of two and at most 4096, and not {}",
            of.align
        ));
    }
    if of.size > isize::MAX as usize / 2 {
        return refuse(format!("values of {} bytes are too large", of.size));
    }
    if base.base.is_null() {
        return Ok(());
    }
    if !base.is_external() {
        return refuse(format!(
            "{} cannot be extended: only the language that it is written in knows how its values lie in memory",
            base.key
        ));
    }
    if value_offset(of.align.max(align_of::<Header>())) != base.value_offset {
        return refuse(format!(
            "it needs a larger alignment than {}, which it extends",
            base.key
        ));
    }
    // What extends a value in C++ may begin in its last bytes, which nothing else uses.
    if (base.value_offset + of.size).next_multiple_of(of.align) < base.size - base.prefix {
        return refuse(format!(
            "its values are smaller than those of {}, which it extends",
            base.key
        ));
    }
    Ok(())
}

/// Hash of what another library must say of the type, too.
fn fingerprint_of(of: &ExternalType) -> [u64; 2] {
    let mut to = LayoutWriter::new();
    to.write_text("external");
    let flags = [of.has_trace, of.attributes, of.node.is_some()].map(usize::from);
    for number in [of.size, of.align].into_iter().chain(flags) {
        to.write_number(number as u64);
    }
    for field in of.fields {
        to.write_text(field.name);
        to.write_text(field.rust_type);
        to.write_number(field.offset as u64);
    }
    of.base.fingerprint.iter().for_each(|half| to.write_number(*half));
    to.finish().0
}
