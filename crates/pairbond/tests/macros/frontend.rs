//! A frontend of a few lines: arguments are [`Any`]s, results are [`Seen`].

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use pairbond::__private::class::{
    Args, Callable, Class, ClassVisitor, Constructor, Getter, ModuleVisitor, Setter, Signature,
};
use pairbond::convert::{IntoValue, Mismatch, Sink, Source};
use pairbond::refs::{ErasedBorrow, ErasedRef};
use pairbond::value::BigInt;
use pairbond::{Any, Borrow, Error, Foreign, Function, Object};

/// What a call gave.
#[derive(Debug, PartialEq)]
pub(crate) enum Seen {
    None,
    Bool(bool),
    Int(i128),
    Float(f64),
    Str(String),
    Bytes(Vec<u8>),
    /// The key of its class.
    Object(&'static str),
    List(Vec<Seen>),
    Other,
}

impl From<&str> for Seen {
    fn from(text: &str) -> Self {
        Seen::Str(text.to_owned())
    }
}

/// A sink that keeps its value.
pub(crate) struct Keep;

/// A sink for elements of tuples, which no test looks at.
pub(crate) struct Discard;

macro_rules! sink {
    ($sink:ty, $out:ty, $see:expr) => {
        impl Sink for $sink {
            type Out = $out;
            type Inner = Discard;
            fn write_none(self) -> Result<$out, Error> {
                Ok($see(Seen::None))
            }
            fn write_bool(self, value: bool) -> Result<$out, Error> {
                Ok($see(Seen::Bool(value)))
            }
            fn write_i64(self, value: i64) -> Result<$out, Error> {
                Ok($see(Seen::Int(value.into())))
            }
            fn write_u64(self, value: u64) -> Result<$out, Error> {
                Ok($see(Seen::Int(value.into())))
            }
            fn write_i128(self, value: i128) -> Result<$out, Error> {
                Ok($see(Seen::Int(value)))
            }
            fn write_u128(self, _: u128) -> Result<$out, Error> {
                Ok($see(Seen::Other))
            }
            fn big_int(self, _: &BigInt) -> Result<$out, Error> {
                Ok($see(Seen::Other))
            }
            fn write_f64(self, value: f64) -> Result<$out, Error> {
                Ok($see(Seen::Float(value)))
            }
            fn write_str(self, value: &str) -> Result<$out, Error> {
                Ok($see(value.into()))
            }
            fn write_bytes(self, value: &[u8]) -> Result<$out, Error> {
                Ok($see(Seen::Bytes(value.to_vec())))
            }
            fn write_path(self, value: &Path) -> Result<$out, Error> {
                Ok($see(Seen::Str(value.display().to_string())))
            }
            fn write_object(self, value: ErasedBorrow<'_>) -> Result<$out, Error> {
                Ok($see(Seen::Object(value.header().info().key())))
            }
            fn write_owned(self, value: ErasedRef) -> Result<$out, Error> {
                self.write_object(value.as_borrow())
            }
            fn write_function(self, _: &Function) -> Result<$out, Error> {
                Ok($see(Seen::Other))
            }
            fn write_foreign(self, _: &Foreign) -> Result<$out, Error> {
                Ok($see(Seen::Other))
            }
            fn write_any(self, value: &Any) -> Result<$out, Error> {
                match value {
                    Any::None => self.write_none(),
                    Any::Int(value) => self.write_i64(*value),
                    _ => Ok($see(Seen::Other)),
                }
            }
            fn write_list<I>(self, items: I) -> Result<$out, Error>
            where
                I: ExactSizeIterator,
                I::Item: IntoValue,
            {
                Ok($see(Seen::List(
                    items
                        .map(|item| item.into_value(Keep))
                        .collect::<Result<_, _>>()?,
                )))
            }
            fn write_tuple(
                self,
                _: usize,
                _: &mut dyn FnMut(usize, Discard) -> Result<(), Error>,
            ) -> Result<$out, Error> {
                Ok($see(Seen::Other))
            }
            fn write_mapping<I, K, V>(self, _: I) -> Result<$out, Error>
            where
                I: Iterator<Item = (K, V)>,
                K: IntoValue,
                V: IntoValue,
            {
                Ok($see(Seen::Other))
            }
        }
    };
}

sink!(Keep, Seen, |seen: Seen| seen);
sink!(Discard, (), |_: Seen| ());

/// A source that reads an [`Any`].
#[derive(Clone, Copy)]
pub(crate) struct Read<'a>(pub(crate) &'a Any);

macro_rules! read {
    ($($name:ident -> $t:ty, $pattern:pat => $value:expr;)*) => {$(
        fn $name(self) -> Result<$t, Mismatch> {
            match self.0 {
                $pattern => Ok($value),
                #[allow(unreachable_patterns)]
                _ => Err(Mismatch::Type),
            }
        }
    )*};
}

impl<'a> Source<'a> for Read<'a> {
    type Item<'b> = Read<'b>;
    fn is_none(self) -> bool {
        self.0.is_none()
    }
    read! {
        read_bool -> bool, Any::Bool(value) => *value;
        read_i64 -> i64, Any::Int(value) => *value;
        read_u64 -> u64, Any::Int(value) => (*value).try_into().map_err(|_| Mismatch::Overflow)?;
        read_i128 -> i128, Any::Int(value) => (*value).into();
        read_u128 -> u128, Any::Int(value) => (*value).try_into().map_err(|_| Mismatch::Overflow)?;
        big_int -> BigInt, Any::BigInt(value) => value.clone();
        read_f64 -> f64, Any::Float(value) => *value;
        read_str -> &'a str, Any::Str(value) => value;
        read_bytes -> &'a [u8], Any::Bytes(value) => value;
        read_path -> PathBuf, Any::Str(value) => PathBuf::from(&**value);
        read_object -> ErasedBorrow<'a>, Any::Object(value) => value.as_borrow();
        read_function -> Function, Any::Function(value) => value.clone();
        read_foreign -> Foreign, Any::Foreign(value) => value.clone();
        read_any -> Any, value => value.clone();
    }
    fn read_sequence<F>(self, _: F) -> Result<usize, Mismatch>
    where
        F: for<'b> FnMut(usize, Read<'b>) -> Result<(), Mismatch>,
    {
        Err(Mismatch::Type)
    }
    fn read_mapping<F>(self, _: F) -> Result<(), Mismatch>
    where
        F: for<'b> FnMut(Read<'b>, Read<'b>) -> Result<(), Mismatch>,
    {
        Err(Mismatch::Type)
    }
    fn describe(self) -> String {
        self.0.kind().to_owned()
    }
}

/// Arguments as a frontend has bound them.
#[derive(Default)]
pub(crate) struct Given {
    pub(crate) receiver: Option<Any>,
    pub(crate) arguments: Vec<Option<Any>>,
    pub(crate) rest: Vec<Any>,
}

struct Bound<'a>(&'a Given);

impl<'a> Args<'a> for Bound<'a> {
    type Source = Read<'a>;
    fn receiver(&self) -> Option<Read<'a>> {
        self.0.receiver.as_ref().map(Read)
    }
    fn get(&self, index: usize) -> Option<Read<'a>> {
        self.0.arguments.get(index)?.as_ref().map(Read)
    }
    fn rest_arg(&self, index: usize) -> Option<Read<'a>> {
        self.0.rest.get(index).map(Read)
    }
}

pub(crate) type Call = fn(&Given) -> Result<Seen, Error>;
pub(crate) type Get = fn(&Any) -> Result<Seen, Error>;
pub(crate) type Set = fn(&Any, &Any) -> Result<(), Error>;

/// Everything that a class or module showed, by name.
#[derive(Default)]
pub(crate) struct Shown {
    /// Visitor methods with names, in order.
    pub(crate) order: Vec<String>,
    pub(crate) signatures: HashMap<&'static str, Signature>,
    pub(crate) calls: HashMap<&'static str, Call>,
    pub(crate) constructor: Option<Call>,
    pub(crate) getters: HashMap<&'static str, (Get, bool, &'static str)>,
    pub(crate) setters: HashMap<&'static str, Set>,
}

impl Shown {
    pub(crate) fn class<T: Class>() -> Self {
        let mut shown = Shown::default();
        T::visit_members(&mut shown);
        shown
    }

    pub(crate) fn call(&self, name: &str, given: Given) -> Result<Seen, Error> {
        self.calls[name](&given)
    }

    fn callable<M: Callable>(&mut self, how: &str) {
        let name = M::SIGNATURE.name;
        self.order.push(format!("{how} {name}"));
        self.signatures.insert(name, M::SIGNATURE);
        self.calls.insert(name, |given| M::call(&Bound(given), Keep));
    }

    fn together<M: Callable>(&mut self) {
        if !M::SIGNATURE.name.is_empty() {
            self.callable::<M>("-");
        }
    }
}

fn owner<T: Object>(any: &Any) -> Borrow<'_, T> {
    Read(any).read_object().unwrap().downcast().unwrap()
}

impl ClassVisitor for Shown {
    fn visit_getter<G: Getter>(&mut self) {
        self.order.push(format!("getter {}", G::NAME));
        let get: Get = |any| G::get(owner::<G::Owner>(any), Keep);
        self.getters.insert(G::NAME, (get, G::IMMUTABLE, G::DOC));
    }
    fn visit_property<S: Setter>(&mut self) {
        self.visit_getter::<S>();
        self.setters
            .insert(S::NAME, |any, value| S::set(owner::<S::Owner>(any), Read(value)));
    }
    fn visit_constructor<C: Constructor>(&mut self) {
        self.callable::<C>("constructor");
        self.constructor = Some(|given| C::construct(&Bound(given)).map(|_| Seen::Object(C::Object::KEY)));
    }
    fn visit_method<M: Callable>(&mut self) {
        self.callable::<M>("method");
    }
    fn repr<M: Callable>(&mut self) {
        self.callable::<M>("repr");
    }
    fn iadd<M: Callable>(&mut self) {
        self.callable::<M>("iadd");
    }
    fn add<M: Callable, R: Callable>(&mut self) {
        self.order
            .push(format!("add {:?} {:?}", M::SIGNATURE.name, R::SIGNATURE.name));
        self.together::<M>();
        self.together::<R>();
    }
    fn compare<A: Callable, B: Callable, C: Callable, D: Callable, E: Callable, F: Callable>(&mut self) {
        let names = [
            A::SIGNATURE,
            B::SIGNATURE,
            C::SIGNATURE,
            D::SIGNATURE,
            E::SIGNATURE,
            F::SIGNATURE,
        ];
        self.order
            .push(format!("compare {:?}", names.map(|signature| signature.name)));
        self.together::<A>();
        self.together::<C>();
    }
}

impl ModuleVisitor for Shown {
    fn visit_class<T: Class>(&mut self) {
        self.order.push(format!("class {}", T::KEY));
    }
    fn visit_function<F: Callable>(&mut self) {
        self.callable::<F>("function");
    }
}
