//! Types of C.

use std::ffi::c_void;

use super::Text;
use super::attributes::{Field, FieldSpec};
use super::callables::{Construct, FunctionSpec, constructor, function};
use super::module::{Described, array};
use crate::error::Error;
use crate::library::describe::ClassEntry;
use crate::object::{Object, Root};
use crate::trace::TracerTable;
use crate::types::{ExternalType, Members, TraceFn, TypeInfo};

type Destroy = unsafe extern "C" fn(*mut c_void);
type TraceValue = unsafe extern "C" fn(*const c_void, *const TracerTable);

/// Values need no destructor.
const TRIVIAL: u32 = 1;
/// Wrappers take no attributes, weak references and subclasses.
const PLAIN: u32 = 2;
/// The class refuses to be changed.
const IMMUTABLE: u32 = 4;
const FLAGS: u32 = TRIVIAL | PLAIN | IMMUTABLE;

/// `pb_type_spec`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct TypeSpec {
    pub(super) size: usize,
    pub(super) key: Text,
    pub(super) doc: Text,
    pub(super) base: *const TypeInfo,
    pub(super) value_size: usize,
    pub(super) value_align: usize,
    pub(super) destroy: Option<Destroy>,
    pub(super) trace: Option<TraceValue>,
    pub(super) clear: Option<Destroy>,
    pub(super) flags: u32,
    pub(super) fields: *const FieldSpec,
    pub(super) field_count: usize,
    pub(super) methods: *const FunctionSpec,
    pub(super) method_count: usize,
    pub(super) construct: Option<Construct>,
    pub(super) constructor: *const FunctionSpec,
}

// SAFETY: plain data; zero is a value of each field.
unsafe impl Described for TypeSpec {
    const FIRST: usize = size_of::<Self>();
}

/// Registers a type and describes its class.
///
/// # Errors
/// Something that it says cannot be, or its key is taken by another type.
///
/// # Safety
/// A true specification, whose pointers are good for the call; its functions live
/// for the process.
pub(super) unsafe fn class(spec: &TypeSpec) -> Result<ClassEntry, Error> {
    // SAFETY: the caller's texts, arrays and types.
    unsafe {
        let (key, doc) = (spec.key.leak()?, spec.doc.leak()?);
        let base = match spec.base.as_ref() {
            Some(base) => base,
            None => Root::info(),
        };
        let name = key.rsplit_once('.').map_or("", |(_, name)| name);
        let refuse = |why: &str| Err(Error::value_error(format!("the type {key:?}: {why}")));
        if name.is_empty() || key.starts_with('.') {
            return refuse("a key is a module's name, a point, and the type's name: \"shapes.Circle\"");
        }
        if spec.flags & !FLAGS != 0 {
            return refuse(
                "it has flags that this version of pairbond does not know: pip install --upgrade pairbond",
            );
        }
        if spec.destroy.is_none() && spec.flags & TRIVIAL == 0 {
            return refuse(
                "it has no destructor; if its values need none, say so with the flag PB_TYPE_TRIVIAL",
            );
        }
        let mut fields = Vec::new();
        for field in array(spec.fields, spec.field_count)? {
            fields.push(Field::of(&field, name, spec.value_size)?);
        }
        if spec.trace.is_none()
            && let Some(field) = fields.iter().find(|field| field.kind.is_traced())
        {
            let field = field.attribute().name;
            return refuse(&format!(
                "it has no trace function, and its field {field} can own a reference"
            ));
        }
        let info = TypeInfo::external(ExternalType {
            key,
            base,
            size: spec.value_size,
            align: spec.value_align,
            // SAFETY: the same functions: `*mut u8` and `*mut c_void` are one type to C, and what
            // cannot unwind may be called where unwinding is allowed. (The same below.)
            drop: spec
                .destroy
                .map(|it| std::mem::transmute::<Destroy, unsafe extern "C-unwind" fn(*mut u8)>(it)),
            trace: spec
                .trace
                .map(|it| std::mem::transmute::<TraceValue, TraceFn>(it)),
            clear: spec
                .clear
                .map(|it| std::mem::transmute::<Destroy, unsafe extern "C-unwind" fn(*mut u8)>(it)),
            attributes: spec.flags & PLAIN == 0,
            fields: fields
                .iter()
                .filter_map(|field| field.info())
                .collect::<Vec<_>>()
                .leak(),
        })?;
        let constructor = match spec.construct {
            Some(construct) => {
                let described = array(spec.constructor, usize::from(!spec.constructor.is_null()))?;
                let described = described.first().copied().unwrap_or(std::mem::zeroed());
                Some(constructor(&described, construct, info)?)
            }
            None => None,
        };
        let mut methods = Vec::new();
        for method in array(spec.methods, spec.method_count)? {
            methods.push(function(&method, Some(name))?);
        }
        info.set_members(Members::of(
            doc,
            fields.iter().map(|field| field.attribute()).collect(),
            constructor
                .iter()
                .chain(&methods)
                .map(|entry| entry.signature())
                .collect(),
        ));
        let attributes: Vec<_> = fields.into_iter().map(|field| field.entry(info)).collect();
        Ok(ClassEntry {
            info,
            doc,
            immutable_type: spec.flags & IMMUTABLE != 0,
            constructor,
            attributes: attributes.leak(),
            methods: methods.leak(),
        })
    }
}
