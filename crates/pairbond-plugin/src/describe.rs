//! A module's members in erased form, made once in the library that has them.

use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::OnceLock;

use super::attribute::AttributeEntry;
use super::entry::Entry;
use pairbond_core::error::exception::ExceptionInfo;
use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::object::{ErasedBorrow, Header};
use pairbond_core::types::{RegisterError, TypeCell, TypeInfo};
use pairbond_value::class::{
    Callable, Class, ClassVisitor, Constructor, EnumMember, EnumObject, Enumeration, Getter, Members, Module,
    ModuleVisitor, Setter, register_class,
};
use pairbond_value::convert::erased::guard::{call_guarded, run_guarded};
use pairbond_value::value::Any;

/// A class of another binary.
#[derive(Debug)]
#[repr(C)]
pub struct ClassEntry {
    pub(super) info: *const TypeInfo,
    /// Its documentation; empty when there is none.
    pub doc: &'static str,
    /// See [`Object::IMMUTABLE_TYPE`](pairbond_core::object::Object::IMMUTABLE_TYPE).
    pub immutable_type: bool,
    /// `#[new]`
    pub constructor: Option<&'static Entry>,
    /// Fields and properties, in the order of the source.
    pub attributes: &'static [AttributeEntry],
    /// Methods, protocols among them, in the order of the source.
    pub methods: &'static [&'static Entry],
}

// SAFETY: constant; its pointer is to a registered type, which lives for the process.
unsafe impl Send for ClassEntry {}
// SAFETY: constant; its pointer is to a registered type, which lives for the process.
unsafe impl Sync for ClassEntry {}

impl ClassEntry {
    /// The registered type.
    #[must_use]
    pub fn info(&self) -> &'static TypeInfo {
        // SAFETY: registered types live for the process.
        unsafe { &*self.info }
    }
}

/// An enum without data of another binary.
#[derive(Debug)]
#[repr(C)]
pub struct EnumEntry {
    info: *const TypeInfo,
    /// Its documentation; empty when there is none.
    pub doc: &'static str,
    /// The variants, in the order of the source.
    pub members: &'static [EnumMember],
    object: unsafe extern "C" fn(usize) -> *const Header,
}

// SAFETY: constant; its pointer is to a registered type, which lives for the process.
unsafe impl Send for EnumEntry {}
// SAFETY: constant; its pointer is to a registered type, which lives for the process.
unsafe impl Sync for EnumEntry {}

impl EnumEntry {
    fn from_info<E: Enumeration>(info: &'static TypeInfo) -> Self {
        unsafe extern "C" fn variant_object<E: Enumeration>(number: usize) -> *const Header {
            E::variant_object(number).map_or(std::ptr::null(), |object| {
                std::ptr::from_ref(object.as_borrow().header())
            })
        }
        EnumEntry {
            info,
            doc: E::DOC,
            members: E::MEMBERS,
            object: variant_object::<E>,
        }
    }

    /// The registered type of the variants' objects.
    #[must_use]
    pub fn info(&self) -> &'static TypeInfo {
        // SAFETY: registered types live for the process.
        unsafe { &*self.info }
    }

    /// The object of the variant of a number, which lives for the process.
    #[must_use]
    pub fn object(&self, number: usize) -> Option<ErasedBorrow<'static>> {
        // SAFETY: the library's own function; its result lives for the process.
        unsafe {
            let object = (self.object)(number).cast_mut();
            NonNull::new(object).map(|object| ErasedBorrow::from_header(object))
        }
    }
}

/// One member of a library.
#[derive(Clone, Copy, Debug)]
#[repr(C, u8)]
pub enum Member {
    /// A class; bases stand before the classes that extend them.
    Class(&'static ClassEntry),
    /// A function.
    Function(&'static Entry),
    /// An enum without data.
    Enumeration(&'static EnumEntry),
    /// The class of a variant, which extends that of its enum; it stands after that.
    Variant(&'static ClassEntry),
    /// An exception class; its base stands before it, if it is one of the library's.
    Exception(&'static ExceptionInfo),
    /// A value that is made for each interpreter.
    Constant(&'static ConstantEntry),
    /// A module inside the module.
    Module(&'static ModuleEntry),
}

impl Member {
    /// The name by which its module has it; a variant is its enum's.
    #[must_use]
    pub fn name(&self) -> Option<&'static str> {
        match *self {
            Member::Class(class) => Some(class.info().name()),
            Member::Function(entry) => Some(entry.signature().name),
            Member::Enumeration(entry) => Some(entry.info().name()),
            Member::Variant(_) => None,
            Member::Exception(info) => Some(info.name()),
            Member::Constant(entry) => Some(entry.name),
            Member::Module(entry) => Some(entry.name),
        }
    }
}

/// A module inside a module of another binary.
#[derive(Debug)]
#[repr(C)]
pub struct ModuleEntry {
    /// The name by which the outer module has it.
    pub name: &'static str,
    /// The full name.
    pub full_name: &'static str,
    /// Its documentation; empty when there is none.
    pub doc: &'static str,
    /// Its members.
    pub members: &'static [Member],
}

/// A constant of another binary.
#[derive(Debug)]
#[repr(C)]
pub struct ConstantEntry {
    /// Its name.
    pub name: &'static str,
    /// A `fn() -> Result<Any, Error>`, or what else `call` knows of.
    pub(super) make: *const c_void,
    pub(super) call: unsafe extern "C" fn(&ConstantEntry, *mut Any, *mut Any) -> bool,
}

// SAFETY: constant; its pointer is to a function, or to a value of any thread that lives for the
// process.
unsafe impl Send for ConstantEntry {}
// SAFETY: constant; its pointer is to a function, or to a value of any thread that lives for the
// process.
unsafe impl Sync for ConstantEntry {}

impl ConstantEntry {
    fn from_maker(name: &'static str, make: fn() -> Result<Any, Error>) -> Self {
        unsafe extern "C" fn call_maker(entry: &ConstantEntry, out: *mut Any, problem: *mut Any) -> bool {
            // SAFETY: `of` wrote a function of this type; the caller's places.
            unsafe {
                let make = std::mem::transmute::<*const c_void, fn() -> Result<Any, Error>>(entry.make);
                run_guarded(out, problem, make)
            }
        }
        ConstantEntry {
            name,
            make: make as *const c_void,
            call: call_maker,
        }
    }

    /// Returns the value.
    ///
    /// # Errors
    /// That of the library's expression.
    pub fn value(&self) -> Result<Any, Error> {
        // SAFETY: the library's own function, with its own entry.
        unsafe { call_guarded(|out, problem| (self.call)(self, out, problem)) }
    }
}

/// The members of the one module that this binary offers. Their types are registered.
///
/// # Errors
/// A type whose key is taken by another with another layout.
pub(super) fn members_of<M: Module>() -> Result<&'static [Member], Error> {
    static MEMBERS: OnceLock<&'static [Member]> = OnceLock::new();
    if let Some(members) = MEMBERS.get() {
        return Ok(members);
    }
    pairbond_value::class::register_types::<M>()?;
    let all = collect_members::<M>()?;
    // Another thread's are as good.
    Ok(MEMBERS.get_or_init(|| all.leak()))
}

fn collect_members<M: Module>() -> Result<Vec<Member>, Error> {
    let mut all = Collected {
        members: Vec::new(),
        outcome: Ok(()),
    };
    M::visit_members(&mut all);
    // For the generator of stubs.
    all.visit_function::<Members<M>>();
    all.outcome.map(|()| all.members)
}

struct Collected {
    members: Vec<Member>,
    /// The first error; nothing is added after it.
    outcome: Result<(), Error>,
}

impl Collected {
    fn add(&mut self, make: impl FnOnce() -> Result<Member, RegisterError>) {
        if self.outcome.is_ok() {
            match make() {
                Ok(member) => self.members.push(member),
                Err(error) => self.outcome = Err(Error::from(error).with_kind(ErrorKind::Import)),
            }
        }
    }
}

impl ModuleVisitor for Collected {
    fn visit_class<T: Class>(&mut self) {
        self.add(|| {
            Ok(Member::Class(Box::leak(Box::new(describe_class::<T>(
                register_class::<T>()?,
            )))))
        });
    }

    fn visit_variant<T: Class>(&mut self) {
        self.add(|| {
            Ok(Member::Variant(Box::leak(Box::new(describe_class::<T>(
                register_class::<T>()?,
            )))))
        });
    }

    fn visit_enumeration<E: Enumeration>(&mut self) {
        self.add(|| {
            let info = TypeCell::register::<EnumObject<E>>()?;
            Ok(Member::Enumeration(Box::leak(Box::new(
                EnumEntry::from_info::<E>(info),
            ))))
        });
    }

    fn visit_function<F: Callable>(&mut self) {
        self.members.push(Member::Function(Entry::of::<F>()));
    }

    fn visit_module<M: Module>(&mut self, name: &'static str) {
        match collect_members::<M>() {
            Ok(members) => {
                let entry = ModuleEntry {
                    name,
                    full_name: M::NAME,
                    doc: M::DOC,
                    members: members.leak(),
                };
                self.members.push(Member::Module(Box::leak(Box::new(entry))));
            }
            Err(error) if self.outcome.is_ok() => self.outcome = Err(error),
            Err(_) => {}
        }
    }

    fn visit_exception(&mut self, info: &'static ExceptionInfo) {
        self.members.push(Member::Exception(info));
    }

    fn visit_constant(&mut self, name: &'static str, make: fn() -> Result<Any, Error>) {
        let entry = ConstantEntry::from_maker(name, make);
        self.members.push(Member::Constant(Box::leak(Box::new(entry))));
    }
}

fn describe_class<T: Class>(info: &'static TypeInfo) -> ClassEntry {
    let mut all = Described::default();
    T::visit_members(&mut all);
    ClassEntry {
        info,
        doc: T::DOC,
        immutable_type: T::IMMUTABLE_TYPE,
        constructor: all.constructor,
        attributes: all.attributes.leak(),
        methods: all.methods.leak(),
    }
}

#[derive(Default)]
struct Described {
    constructor: Option<&'static Entry>,
    attributes: Vec<AttributeEntry>,
    methods: Vec<&'static Entry>,
}

impl ClassVisitor for Described {
    fn visit_getter<G: Getter>(&mut self) {
        self.attributes.push(AttributeEntry::of::<G>());
    }
    fn visit_property<S: Setter>(&mut self) {
        self.attributes.push(AttributeEntry::of_property::<S>());
    }
    fn visit_constructor<C: Constructor>(&mut self) {
        self.constructor = Some(Entry::of_constructor::<C>());
    }
    fn visit_method<M: Callable>(&mut self) {
        self.methods.push(Entry::of::<M>());
    }
}
