//! How a class or module shows its members to a frontend.

use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::NonNull;

use super::{Callable, Constructor, Enumeration};
use crate::convert::{RecordInfo, Sink, Source};
use crate::error::Error;
use crate::error::exception::ExceptionInfo;
use crate::object::{Borrow, Object};
use crate::trace::Reach;
use crate::value::Any;

/// Reads a field or property. Implemented by markers that the macros make.
pub trait Getter: 'static {
    /// The class it belongs to.
    type Owner: Object;
    /// The attribute's name.
    const NAME: &'static str;
    /// Documentation comment; empty when there is none.
    const DOC: &'static str;
    /// The Rust type of the value as written.
    const RUST_TYPE: &'static str;
    /// Whether the value never changes while the object lives (a plain field without `Cell`).
    const IMMUTABLE: bool;
    /// Shows the object types that the value's type mentions.
    fn visit_types(reach: &mut Reach) {
        let _ = reach;
    }
    /// Gives the value to `out`.
    ///
    /// # Errors
    /// The property's own error, or a value that does not convert.
    fn get<S: Sink>(owner: Borrow<'_, Self::Owner>, out: S) -> Result<S::Out, Error>;
}

/// Writes a field or property. Implemented by markers that the macros make, beside [`Getter`].
pub trait Setter: Getter {
    /// Shows the object types that the stored type mentions.
    fn set_types(reach: &mut Reach) {
        let _ = reach;
    }
    /// Converts and stores the value.
    ///
    /// # Errors
    /// `TypeError` that names the class, the field, the expected type and the value; the property's
    /// own error.
    fn set<'a, V: Source<'a>>(owner: Borrow<'_, Self::Owner>, value: V) -> Result<(), Error>;
}

/// An object that is called with arguments of any kind, and binds them itself.
pub trait Invoke: Object {
    /// Calls it; the last arguments have `names`.
    ///
    /// # Errors
    /// Arguments that do not fit, or the callee's own error.
    fn invoke(this: Borrow<'_, Self>, arguments: &[Any], names: &[&str]) -> Result<Any, Error>;
}

/// An object type whose members can be enumerated. `#[pairbond::object]` implements it for types
/// that are `Send + Sync`.
pub trait Class: Object + Send + Sync {
    /// The documentation of the class; empty when there is none.
    const DOC: &'static str;

    /// Attributes that users of the class may set besides its own, for type checkers: names, and
    /// types, as Rust writes them or, behind a `=`, as Python does. `*` stands for any name.
    const DECLARED: &'static [(&'static str, &'static str)] = &[];

    /// Shows every member to `visitor`, fields first, in the order of the source.
    fn visit_members<V: ClassVisitor>(visitor: &mut V);

    /// Passes the names of the exposed fields to `each`, those of the base first.
    fn for_each_field(each: &mut dyn FnMut(&'static str)) {
        let _ = each;
    }
}

/// A module's functions and classes. `pairbond::module!` implements it on a marker.
pub trait Module: 'static {
    /// The module's name.
    const NAME: &'static str;
    /// Its documentation.
    const DOC: &'static str;
    /// Shows every member to `visitor`, in the order of the source.
    fn visit_members<V: ModuleVisitor>(visitor: &mut V);
}

/// What `pairbond::module!` can list: an object type or a `#[pairbond::function]`. Implemented by
/// the macros.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a member of a module",
    label = "neither a `#[pairbond::object]` (that is not `native`) nor a `#[pairbond::function]`"
)]
pub trait Member: 'static {
    /// Shows itself.
    fn visit_member<V: ModuleVisitor>(visitor: &mut V);
}

/// Several members, as a tuple: `(Node, walk)`.
pub trait MemberList: 'static {
    /// Shows each, in order.
    fn show_all<V: ModuleVisitor>(visitor: &mut V);
}

macro_rules! member_list {
    ($($member:ident)*) => {
        impl<$($member: Member),*> MemberList for ($($member,)*) {
            fn show_all<V: ModuleVisitor>(visitor: &mut V) {
                let _ = visitor;
                $($member::visit_member(visitor);)*
            }
        }
    };
}
member_list!();
member_list!(A);
member_list!(A B);
member_list!(A B C);
member_list!(A B C D);
member_list!(A B C D E);
member_list!(A B C D E F);
member_list!(A B C D E F G);
member_list!(A B C D E F G H);
member_list!(A B C D E F G H I);
member_list!(A B C D E F G H I J);
member_list!(A B C D E F G H I J K);
member_list!(A B C D E F G H I J K L);

/// The `#[pairbond::methods]` of a type; a trait of its own because a type need not have any. A
/// type may have several blocks, each with a number of its own.
pub trait Methods<const BLOCK: usize = 0>: Object {
    /// Shows every method, in the order of the source.
    fn describe_methods<V: ClassVisitor>(visitor: &mut V);
}

/// A generic type whose methods are written for each of several types: which have them, is checked
/// where each becomes an object type.
pub trait SharesMethods<const BLOCK: usize = 0> {}

/// A frontend's own module object, while the module is being initialised.
#[derive(Debug)]
pub struct ModuleObject<'a> {
    object: NonNull<c_void>,
    alive: PhantomData<&'a c_void>,
}

impl ModuleObject<'_> {
    /// # Safety
    /// `object` is a module of the frontend's language, alive for the lifetime that the caller
    /// chooses, on a thread that is attached.
    #[must_use]
    pub unsafe fn new(object: NonNull<c_void>) -> Self {
        ModuleObject {
            object,
            alive: PhantomData,
        }
    }

    /// Returns the module.
    #[must_use]
    pub fn as_ptr(&self) -> *mut c_void {
        self.object.as_ptr()
    }
}

/// A frontend that is shown a module.
pub trait ModuleVisitor: Sized {
    /// A class; bases are shown before the classes that extend them.
    fn visit_class<T: Class>(&mut self);
    /// A free function.
    fn visit_function<F: Callable>(&mut self);
    /// An enum without data.
    fn visit_enumeration<E: Enumeration>(&mut self) {}
    /// The class of a variant, which extends that of its enum; shown after that.
    fn visit_variant<T: Class>(&mut self) {
        self.visit_class::<T>();
    }
    /// An exception class; bases are shown before the classes that extend them.
    fn visit_exception(&mut self, info: &'static ExceptionInfo) {
        let _ = info;
    }
    /// A struct that crosses by its fields, which only stubs show.
    fn visit_record(&mut self, info: &'static RecordInfo) {
        let _ = info;
    }
    /// A value that is made for each interpreter that imports the module.
    fn visit_constant(&mut self, name: &'static str, make: fn() -> Result<Any, Error>) {
        let _ = (name, make);
    }
    /// A module inside the module.
    fn visit_module<M: Module>(&mut self, name: &'static str) {
        let _ = name;
        M::visit_members(self);
    }
    /// Members that another binding library adds to the frontend's module object (feature `pyo3`).
    #[doc(hidden)]
    fn visit_foreign_members(&mut self, add: fn(ModuleObject<'_>) -> Result<(), Error>) {
        let _ = add;
    }
}

macro_rules! class_visitor {
    ($($(#[$doc:meta])* $name:ident<$($m:ident),+>;)*) => {
        /// A frontend that is shown a class. The protocol methods have a default that shows the
        /// operation as an ordinary method, so that a frontend without such protocols need not know
        /// them. Where several operations share a method, those that the class lacks are
        /// [`Absent`](super::Absent).
        pub trait ClassVisitor: Sized {
            /// A read-only field or property.
            fn visit_getter<G: Getter>(&mut self);
            /// A field or property that can be set.
            fn visit_property<S: Setter>(&mut self);
            /// `#[new]`.
            fn visit_constructor<C: Constructor>(&mut self);
            /// A call of the object with arguments of any kind (`__call__`), bound by the object
            /// itself.
            fn visit_invoke<I: Invoke>(&mut self) {}
            /// An ordinary method, or the getter of an attribute of the class (see its signature's
            /// binding).
            fn visit_method<M: Callable>(&mut self);
            $(
                $(#[$doc])*
                fn $name<$($m: Callable),+>(&mut self) {
                    $(if !$m::SIGNATURE.name.is_empty() { self.visit_method::<$m>(); })+
                }
            )*
        }
    };
}

class_visitor! {
    /// `__repr__`
    repr<M>;
    /// `__str__`
    str<M>;
    /// `__hash__`
    hash<M>;
    /// `__len__`
    len<M>;
    /// `__bool__`
    bool<M>;
    /// `__contains__`
    contains<M>;
    /// `__getitem__`
    get_item<M>;
    /// `__setitem__`, `__delitem__`
    assign_item<Set, Del>;
    /// `__iter__`
    iter<M>;
    /// `__next__`: `Option<T>`, `None` ends the iteration
    next<M>;
    /// `__buffer__`: an `Array`, whose memory is lent
    buffer<M>;
    /// `__call__`
    call<M>;
    /// `__enter__`
    enter<M>;
    /// `__exit__`
    exit<M>;
    /// `__lt__`, `__le__`, `__eq__`, `__ne__`, `__gt__`, `__ge__`
    compare<Lt, Le, Eq, Ne, Gt, Ge>;
    /// `__add__`, `__radd__`
    add<M, R>;
    /// `__sub__`, `__rsub__`
    sub<M, R>;
    /// `__mul__`, `__rmul__`
    mul<M, R>;
    /// `__truediv__`, `__rtruediv__`
    truediv<M, R>;
    /// `__floordiv__`, `__rfloordiv__`
    floordiv<M, R>;
    /// `__mod__`, `__rmod__`
    modulo<M, R>;
    /// `__matmul__`, `__rmatmul__`
    matmul<M, R>;
    /// `__and__`, `__rand__`
    and<M, R>;
    /// `__or__`, `__ror__`
    or<M, R>;
    /// `__xor__`, `__rxor__`
    xor<M, R>;
    /// `__lshift__`, `__rlshift__`
    lshift<M, R>;
    /// `__rshift__`, `__rrshift__`
    rshift<M, R>;
    /// `__pow__`, `__rpow__` (without modulus)
    pow<M, R>;
    /// `__divmod__`, `__rdivmod__`
    divmod<M, R>;
    /// `__iadd__`
    iadd<M>;
    /// `__isub__`
    isub<M>;
    /// `__imul__`
    imul<M>;
    /// `__itruediv__`
    itruediv<M>;
    /// `__ifloordiv__`
    ifloordiv<M>;
    /// `__imod__`
    imod<M>;
    /// `__imatmul__`
    imatmul<M>;
    /// `__iand__`
    iand<M>;
    /// `__ior__`
    ior<M>;
    /// `__ixor__`
    ixor<M>;
    /// `__ilshift__`
    ilshift<M>;
    /// `__irshift__`
    irshift<M>;
    /// `__neg__`
    neg<M>;
    /// `__pos__`
    pos<M>;
    /// `__abs__`
    abs<M>;
    /// `__invert__`
    invert<M>;
    /// `__int__`
    int<M>;
    /// `__float__`
    float<M>;
    /// `__index__`
    index<M>;
}
