//! Types of C.

use std::ffi::c_void;

use super::Text;
use super::attributes::{Field, FieldKind, FieldSpec};
use super::callables::{Construct, FunctionSpec, constructor_entry, function_entry};
use super::module::{Described, read_array};
use crate::describe::ClassEntry;
use pairbond_core::error::Error;
use pairbond_core::object::{Header, Object, Root};
use pairbond_core::trace::TracerTable;
use pairbond_core::types::{ExternalType, Members, TraceFn, TypeInfo, ValueFn};
use pairbond_tree::{Element, ExternalTree, NodeFunctions, of_align};
use pairbond_value::convert::erased::words::QuickConstruct;

type Destroy = unsafe extern "C" fn(*mut c_void);
/// Returns the bytes of a text, and writes how many there are.
type NodeName = unsafe extern "C" fn(*const c_void, *mut usize) -> *const u8;
type TraceValue = unsafe extern "C" fn(*const c_void, *const TracerTable);

/// Values need no destructor.
const TRIVIAL: u32 = 1;
/// Wrappers take no attributes, weak references and subclasses.
const PLAIN: u32 = 2;
/// The class refuses to be changed.
const IMMUTABLE: u32 = 4;
/// Objects are nodes of trees.
const TREE: u32 = 8;
const FLAGS: u32 = TRIVIAL | PLAIN | IMMUTABLE | TREE;

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
    pub(super) node_name: Option<NodeName>,
    pub(super) quick_construct: Option<QuickConstruct>,
}

// SAFETY: plain data; zero is a value of each field.
unsafe impl Described for TypeSpec {
    const FIRST: usize = std::mem::offset_of!(TypeSpec, node_name);
}

/// The tree part of a type: with the flag, or of one that extends such a type.
///
/// # Errors
/// There is not one place, or there are children without; an alignment that objects cannot have.
fn tree_table(
    spec: &TypeSpec,
    base: &'static TypeInfo,
    fields: &[&'static Field],
    functions: NodeFunctions,
    align: usize,
) -> Result<Option<&'static ExternalTree>, String> {
    let places: Vec<_> = (fields.iter().filter(|it| it.kind == FieldKind::Links)).collect();
    let lists: Vec<_> = (fields.iter())
        .filter(|it| it.kind == FieldKind::Children)
        .map(|it| (it.offset, Element::from_key(it.key)))
        .collect();
    let base = ExternalTree::for_type(base);
    let links = match (&places[..], base, spec.flags & TREE != 0) {
        ([place], None, true) => place.offset,
        ([], Some(_), _) => 0,
        ([], None, false) if lists.is_empty() => return Ok(None),
        ([], None, true) => return Err("a node needs a field of the kind PB_FIELD_LINKS".into()),
        (_, Some(_), _) => return Err("it has the place of the node that it extends".into()),
        (_, None, true) => return Err("a node has one place only, and here are several".into()),
        (_, None, false) => {
            return Err("places and children are fields of nodes: set the flag PB_TYPE_TREE".into());
        }
    };
    if base.map_or(0, ExternalTree::list_count) + lists.len() > 256 {
        return Err("a node has up to 256 lists of children".into());
    }
    ExternalTree::new(base, links, lists, functions, align)
        .map(Some)
        .ok_or_else(|| format!("{align} is no alignment of a node"))
}

/// Registers a type and describes its class.
///
/// # Errors
/// Something that it says cannot be, or its key is taken by another type.
///
/// # Safety
/// A true specification, whose pointers are good for the call; its functions live
/// for the process.
pub(super) unsafe fn register_class(spec: &TypeSpec) -> Result<ClassEntry, Error> {
    // SAFETY: the caller's texts, arrays and types.
    unsafe {
        let (key, doc) = (spec.key.leak_str()?, spec.doc.leak_str()?);
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
        if spec.flags & TREE != 0 && spec.flags & PLAIN != 0 {
            return refuse(
                "the wrappers of nodes have attributes: PB_TYPE_PLAIN does not go with PB_TYPE_TREE",
            );
        }
        if spec.destroy.is_none() && spec.flags & TRIVIAL == 0 {
            return refuse(
                "it has no destructor; if its values need none, say so with the flag PB_TYPE_TRIVIAL",
            );
        }
        let mut fields = Vec::new();
        for field in read_array(spec.fields, spec.field_count)? {
            fields.push(Field::from_spec(&field, name, spec.value_size)?);
        }
        if spec.trace.is_none()
            && let Some(field) = fields.iter().find(|field| field.kind.is_traced())
        {
            let field = field.to_attribute().name;
            return refuse(&format!(
                "it has no trace function, and its field {field} can own a reference"
            ));
        }
        // SAFETY: the same functions: both pointers are one type to C, and a function that cannot
        // unwind may be called where unwinding is allowed.
        let value_function = |it| std::mem::transmute::<Destroy, ValueFn>(it);
        let drop = spec.destroy.map(value_function);
        let clear = spec.clear.map(value_function);
        let trace = spec
            .trace
            .map(|it| std::mem::transmute::<TraceValue, TraceFn>(it));
        let functions = NodeFunctions {
            drop,
            trace,
            clear,
            name: spec.node_name,
        };
        let align = spec.value_align.max(align_of::<Header>());
        let tree = match tree_table(spec, base, &fields, functions, align) {
            Ok(tree) => tree,
            Err(why) => return refuse(&why),
        };
        if base.is_beside_rust()
            && trace.is_none()
            && ExternalTree::for_type(base).map_or(base.is_traced(), ExternalTree::has_trace)
        {
            return Err(Error::type_error(format!(
                "{key}: {}, which it extends, shows references to the collector: its trace function must be called by a trace function of this type",
                base.key()
            )));
        }
        let (drop, trace, clear) = match tree.and_then(|_| of_align(align)) {
            Some(nodes) => (Some(nodes.drop), Some(nodes.trace), Some(nodes.clear)),
            None => (drop, trace, clear),
        };
        let info = TypeInfo::register_external(ExternalType {
            key,
            base,
            size: spec.value_size,
            align: spec.value_align,
            drop,
            trace,
            clear,
            has_trace: spec.trace.is_some(),
            native_fields: fields.iter().all(|field| !field.may_own_python()),
            node: tree.map(ExternalTree::node_type),
            attributes: spec.flags & PLAIN == 0,
            fields: fields
                .iter()
                .filter_map(|field| field.field_info())
                .collect::<Vec<_>>()
                .leak(),
        })?;
        let constructor = match spec.construct {
            Some(construct) => {
                let described = read_array(spec.constructor, usize::from(!spec.constructor.is_null()))?;
                let described = described.first().copied().unwrap_or(std::mem::zeroed());
                Some(constructor_entry(
                    &described,
                    construct,
                    spec.quick_construct,
                    info,
                )?)
            }
            None => None,
        };
        let mut methods = Vec::new();
        for method in read_array(spec.methods, spec.method_count)? {
            methods.push(function_entry(&method, Some(info))?);
        }
        let attributes = fields.iter().filter(|field| field.is_attribute());
        let mut names: Vec<_> = attributes
            .map(|field| field.to_attribute().name)
            .chain(methods.iter().map(|method| method.signature().name))
            .collect();
        names.sort_unstable();
        if let Some(twice) = names.windows(2).find(|two| two[0] == two[1]) {
            return refuse(&format!("it has two attributes of the name {}", twice[0]));
        }
        info.set_members(Members::new(
            doc,
            (fields.iter())
                .filter(|field| field.is_attribute())
                .map(|field| field.to_attribute())
                .collect(),
            constructor
                .iter()
                .chain(&methods)
                .map(|entry| entry.signature())
                .collect(),
        ));
        let attributes: Vec<_> = (fields.into_iter())
            .filter(|field| field.is_attribute())
            .map(|field| field.to_entry(info))
            .collect();
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
