//! Functions, methods and constructors of a library of C, as entries.

use std::ffi::c_void;
use std::ptr::NonNull;

use super::Text;
use super::call::{Call, Input};
use super::module::{Described, read_array, rust_type};

use crate::args::ErasedArgs;
use crate::describe::Member;
use crate::entry::{Direct, DirectFunction, Entry, Made, PlaceFn};
use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::object::{Header, Pair, RawObject};
use pairbond_core::types::TypeInfo;
use pairbond_value::class::{Binding, MEMBERS, Parameter, ParameterKind, Signature, give_members};
use pairbond_value::convert::Sink;
use pairbond_value::convert::erased::guard::{NOTHING, call_guarded, run_guarded};
use pairbond_value::convert::erased::sink_table::ErasedSink;
use pairbond_value::convert::erased::words::{QuickCallback, QuickConstruct};
use pairbond_value::value::Any;

pub(crate) type Callback = unsafe extern "C" fn(*mut Call, *mut c_void) -> bool;
pub(crate) type Construct = unsafe extern "C" fn(*mut Call, *mut c_void, *mut c_void) -> bool;

/// `pb_parameter`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct ParameterSpec {
    pub(super) size: usize,
    pub(super) name: Text,
    pub(super) kind_of_value: Text,
    pub(super) default: Text,
    pub(super) kind: u32,
}

/// `pb_function`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct FunctionSpec {
    pub(super) size: usize,
    pub(super) name: Text,
    pub(super) doc: Text,
    pub(super) returns: Text,
    pub(super) parameters: *const ParameterSpec,
    pub(super) parameter_count: usize,
    pub(super) call: Option<Callback>,
    pub(super) context: *mut c_void,
    pub(super) binding: u32,
    pub(super) quick: Option<QuickCallback>,
}

// SAFETY: plain data; zero is a value of each field.
unsafe impl Described for ParameterSpec {
    const FIRST: usize = size_of::<Self>();
}
// SAFETY: plain data; zero is a value of each field.
unsafe impl Described for FunctionSpec {
    const FIRST: usize = std::mem::offset_of!(FunctionSpec, quick);
}

/// An entry with what its functions need. The entry comes first.
#[repr(C)]
struct Function {
    entry: Entry,
    call: Callback,
    context: *mut c_void,
}

#[repr(C)]
struct Constructor {
    entry: Entry,
    construct: Construct,
    context: *mut c_void,
    info: &'static TypeInfo,
}

/// The signature of a function: of a method of the class `class`, or of none.
///
/// # Errors
/// A text is not UTF-8; a parameter of an unknown kind.
///
/// # Safety
/// A specification whose pointers are good for the call.
unsafe fn build_signature(
    spec: &FunctionSpec,
    class: Option<&str>,
    binding: Binding,
) -> Result<&'static Signature, Error> {
    // SAFETY: the caller's texts and parameters.
    unsafe {
        let name = spec.name.leak_str()?;
        if name.is_empty() {
            return Err(Error::value_error("a function needs a name"));
        }
        let mut parameters = Vec::new();
        for parameter in read_array(spec.parameters, spec.parameter_count)? {
            let kind = match parameter.kind {
                0 => ParameterKind::Standard,
                1 => ParameterKind::KeywordOnly,
                2 => ParameterKind::Rest,
                3 => ParameterKind::RestKeywords,
                other => {
                    let why = format!("{name}(): {other} is no kind of parameter");
                    return Err(Error::value_error(why));
                }
            };
            parameters.push(Parameter {
                name: parameter.name.leak_str()?,
                kind,
                default: if parameter.default.data.is_null() {
                    None
                } else {
                    Some(parameter.default.leak_str()?)
                },
                rust_type: rust_type(parameter.kind_of_value.get()?).leak(),
            });
        }
        for (at, parameter) in parameters.iter().enumerate() {
            if parameters[..at].iter().any(|it| it.name == parameter.name) {
                let why = format!("{name}(): two parameters have the name {}", parameter.name);
                return Err(Error::value_error(why));
            }
        }
        let qualified = match class {
            Some(class) if binding == Binding::Constructor => class.to_owned(),
            Some(class) => format!("{class}.{name}"),
            None => name.to_owned(),
        };
        Ok(Box::leak(Box::new(Signature {
            name,
            qualified: qualified.leak(),
            doc: spec.doc.leak_str()?,
            binding,
            parameters: parameters.leak(),
            returns: rust_type(spec.returns.get()?).leak(),
            detach: false,
        })))
    }
}

/// The entry of a function, or of a method of a class.
///
/// # Errors
/// As [`build_signature`]; a function without a C function.
///
/// # Safety
/// As for [`build_signature`]; the C function and its context live for the process.
pub(super) unsafe fn function_entry(
    spec: &FunctionSpec,
    class: Option<&'static TypeInfo>,
) -> Result<&'static Entry, Error> {
    let binding = match (class, spec.binding) {
        (None, 0) => Binding::Function,
        (Some(_), 0) => Binding::Instance,
        (Some(_), 1) => Binding::Static,
        (Some(_), 2) => Binding::Class,
        (Some(_), 3) => Binding::ClassGetter,
        (_, other) => return Err(Error::value_error(format!("{other} is no binding of a function"))),
    };
    // SAFETY: the pointers in `spec` are good for the call: the caller ensures it.
    let signature = unsafe { build_signature(spec, class.map(TypeInfo::name), binding) }?;
    let Some(call) = spec.call else {
        let why = format!("{}() has no C function", signature.qualified);
        return Err(Error::value_error(why));
    };
    let function: &'static Function = Box::leak(Box::new(Function {
        entry: Entry {
            direct: Some(Direct::for_signature(
                signature,
                DirectFunction::Call(call, spec.quick),
                spec.context,
                class.filter(|_| binding == Binding::Instance),
            )),
            ..Entry::by_object(signature, run_entry)
        },
        call,
        context: spec.context,
    }));
    Ok(&function.entry)
}

unsafe extern "C" fn run_entry(
    entry: &Entry,
    args: *const ErasedArgs<'static>,
    sink: ErasedSink<'static>,
    problem: *mut Any,
) -> bool {
    // SAFETY: the entry is the first field of one that `function` made; the caller's places.
    unsafe {
        let function = &*std::ptr::from_ref(entry).cast::<Function>();
        let call = prepare_call(entry, args, Some(sink));
        run_guarded(NOTHING, problem, || {
            call.run_function(|call| (function.call)(call, function.context))
        })
    }
}

/// A call of whatever frontend.
fn prepare_call(entry: &Entry, args: *const ErasedArgs<'static>, sink: Option<ErasedSink<'static>>) -> Call {
    let direct = entry.direct.expect("an entry of C");
    Call::new(Input::Arguments(args), sink, None, &direct.label)
}

/// The function that tells generators of stubs what a module has. The entry comes first.
#[repr(C)]
struct Members {
    entry: Entry,
    classes: Vec<&'static TypeInfo>,
    functions: Vec<&'static Signature>,
}

/// The entry of the function `_pairbond_members` of a module with these members.
pub(super) fn members_entry(members: &[Member]) -> &'static Entry {
    unsafe extern "C" fn run_members(
        entry: &Entry,
        _: *const ErasedArgs<'static>,
        sink: ErasedSink<'static>,
        problem: *mut Any,
    ) -> bool {
        // SAFETY: the entry is the first field of one that is made below; the caller's places.
        unsafe {
            let members = &*std::ptr::from_ref(entry).cast::<Members>();
            run_guarded(NOTHING, problem, || {
                give_members(&members.classes, &members.functions, sink)
            })
        }
    }
    let (mut classes, mut functions) = (Vec::new(), Vec::new());
    for member in members {
        match member {
            Member::Class(class) => classes.push(class.info()),
            Member::Function(entry) => functions.push(entry.signature()),
            _ => {}
        }
    }
    let members: &'static Members = Box::leak(Box::new(Members {
        entry: Entry::by_object(&MEMBERS, run_members),
        classes,
        functions,
    }));
    &members.entry
}

/// The entry of the constructor of a type, whose C function is `construct`.
///
/// # Errors
/// As [`build_signature`].
///
/// # Safety
/// As [`function_entry`]; `construct` writes a value of the type, or fails.
pub(super) unsafe fn constructor_entry(
    spec: &FunctionSpec,
    construct: Construct,
    quick: Option<QuickConstruct>,
    info: &'static TypeInfo,
) -> Result<&'static Entry, Error> {
    let spec = FunctionSpec {
        name: Text::new("__init__"),
        ..*spec
    };
    // SAFETY: the pointers in `spec` are good for the call: the caller ensures it.
    let signature = unsafe { build_signature(&spec, Some(info.name()), Binding::Constructor) }?;
    let constructor: &'static Constructor = Box::leak(Box::new(Constructor {
        entry: Entry {
            construct: Some(build_object),
            makes: Some(made_type),
            direct: Some(Direct::for_signature(
                signature,
                DirectFunction::Construct(construct, quick, info),
                spec.context,
                None,
            )),
            ..Entry::by_object(signature, new)
        },
        construct,
        context: spec.context,
        info,
    }));
    Ok(&constructor.entry)
}

/// # Safety
/// An entry that [`constructor_entry`] made.
unsafe fn constructor_of(entry: &Entry) -> &Constructor {
    // SAFETY: the entry is the first field of one.
    unsafe { &*std::ptr::from_ref(entry).cast::<Constructor>() }
}

unsafe extern "C" fn made_type(entry: &Entry) -> *const TypeInfo {
    // SAFETY: an entry that `constructor` made.
    unsafe { constructor_of(entry) }.info
}

/// Lets C write the value of a new object.
///
/// # Safety
/// The arguments live during the call.
unsafe fn construct_value(
    constructor: &Constructor,
    args: *const ErasedArgs<'static>,
) -> Result<Made, Error> {
    // SAFETY: the C function writes a value of the type, or fails.
    let raw = unsafe {
        RawObject::from_writer(constructor.info, |place| {
            let call = prepare_call(&constructor.entry, args, None);
            call.run_function(|call| (constructor.construct)(call, place.cast(), constructor.context))
        })
    }?;
    Ok(Made(Some(raw)))
}

/// A constructor as a function: returns the object.
unsafe extern "C" fn new(
    entry: &Entry,
    args: *const ErasedArgs<'static>,
    sink: ErasedSink<'static>,
    problem: *mut Any,
) -> bool {
    // SAFETY: an entry that `constructor` made; the caller's arguments and places; the value is
    // written.
    unsafe {
        run_guarded(NOTHING, problem, || {
            let mut made = construct_value(constructor_of(entry), args)?;
            let raw = made.0.take().expect("just made");
            sink.write_owned(raw.finish()?)
        })
    }
}

/// A constructor for a wrapper: the value comes first, because C may do anything meanwhile, and the
/// wrapper's claim on the object last.
unsafe extern "C" fn build_object(
    entry: &Entry,
    args: *const ErasedArgs<'static>,
    context: *mut c_void,
    place: PlaceFn,
    problem: *mut Any,
) -> bool {
    unsafe extern "C" fn place_value(
        made: *mut c_void,
        pair: Pair,
        out: *mut NonNull<Header>,
        problem: *mut Any,
    ) -> bool {
        // SAFETY: what `build` made; the caller's places; the value is written.
        unsafe {
            run_guarded(out, problem, || match (*made.cast::<Made>()).0.take() {
                Some(raw) => Ok(raw.finish_wrapped(pair)?),
                None => Err(Error::new(ErrorKind::Runtime, "a value was asked for twice")),
            })
        }
    }
    // SAFETY: an entry that `constructor` made; the caller's arguments, places and function.
    unsafe {
        run_guarded(NOTHING, problem, || {
            let mut made = construct_value(constructor_of(entry), args)?;
            call_guarded(|_: *mut (), problem| place(context, (&raw mut made).cast(), place_value, problem))
        })
    }
}
