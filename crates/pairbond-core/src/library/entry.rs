//! What can be called in another binary: functions, methods, constructors.
//!
//! A frontend's language calls C functions that identify their callable by their address alone. A
//! library of Rust brings one for each of its callables: it has nothing but its [`Entry`], and
//! hands that on to the frontend ([`Host`](super::Host)) with the words that it was called with. A
//! library of C has no such functions: its entries are found through objects of the frontend.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::ptr::NonNull;

use super::args::ErasedArgs;
use super::guard::{NOTHING, asked, guarded};
use super::place::Place;
use super::sink::ErasedSink;
use super::table::host;
use crate::class::{Args, Callable, Constructor, Signature};
use crate::convert::Sink;
use crate::error::Error;
use crate::object::{Header, Object, Pair, Ref};
use crate::types::TypeInfo;
use crate::value::Any;

pub(super) type CallFn =
    unsafe extern "C" fn(&Entry, *const ErasedArgs<'static>, ErasedSink<'static>, *mut Any) -> bool;
/// Gives the pair of the wrapper that a new value is for to the function, which makes the object of
/// the value.
pub(super) type PlaceFn = unsafe extern "C" fn(*mut c_void, *mut c_void, MakeFn, *mut Any) -> bool;
type MakeFn = unsafe extern "C" fn(*mut c_void, Pair, *mut NonNull<Header>, *mut Any) -> bool;
pub(super) type ConstructFn =
    unsafe extern "C" fn(&Entry, *const ErasedArgs<'static>, *mut c_void, PlaceFn, *mut Any) -> bool;

/// The C function that a frontend's language calls: four words, and one comes back.
pub type FastCall = unsafe extern "C" fn(*mut c_void, *const *mut c_void, isize, *mut c_void) -> *mut c_void;
/// The C function that initialises an object: three words, and a number comes back.
pub type Init = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void) -> c_int;

/// Something that can be called in the binary that it comes from.
#[derive(Debug)]
#[repr(C)]
pub struct Entry {
    pub(super) signature: &'static Signature,
    pub(super) call: CallFn,
    pub(super) fast_call: Option<FastCall>,
    pub(super) construct: Option<ConstructFn>,
    pub(super) init: Option<Init>,
    pub(super) makes: Option<unsafe extern "C" fn(&Entry) -> *const TypeInfo>,
}

struct OfCallable<M>(PhantomData<M>);

impl<M: Callable> OfCallable<M> {
    const SIGNATURE: &'static Signature = &M::SIGNATURE;
    const ENTRY: &'static Entry = &Entry {
        signature: Self::SIGNATURE,
        call: Self::call,
        fast_call: Some(Self::fast_call),
        construct: None,
        init: None,
        makes: None,
    };

    unsafe extern "C" fn call(
        _: &Entry,
        args: *const ErasedArgs<'static>,
        sink: ErasedSink<'static>,
        problem: *mut Any,
    ) -> bool {
        // SAFETY: the caller's arguments and places, for this call.
        unsafe { guarded(NOTHING, problem, || M::call(&*args, sink)) }
    }

    unsafe extern "C" fn fast_call(
        receiver: *mut c_void,
        arguments: *const *mut c_void,
        count: isize,
        names: *mut c_void,
    ) -> *mut c_void {
        // SAFETY: the caller got it from the frontend whose function this is.
        unsafe { (host().call)(Self::ENTRY, receiver, arguments, count, names) }
    }
}

struct OfConstructor<C>(PhantomData<C>);

impl<C: Constructor> OfConstructor<C> {
    const ENTRY: &'static Entry = &Entry {
        signature: OfCallable::<C>::SIGNATURE,
        call: OfCallable::<C>::call,
        fast_call: Some(OfCallable::<C>::fast_call),
        construct: Some(Self::construct),
        init: Some(Self::init),
        makes: Some(Self::makes),
    };

    unsafe extern "C" fn construct(
        _: &Entry,
        args: *const ErasedArgs<'static>,
        context: *mut c_void,
        place: PlaceFn,
        problem: *mut Any,
    ) -> bool {
        unsafe extern "C" fn make<T: Object>(
            value: *mut c_void,
            pair: Pair,
            out: *mut NonNull<Header>,
            problem: *mut Any,
        ) -> bool {
            // SAFETY: the value below; the caller's places.
            unsafe {
                guarded(out, problem, || {
                    let value = (*value.cast::<Option<T>>()).take();
                    let value = value.ok_or_else(|| Error::runtime_error("a value was asked for twice"))?;
                    Ok(Ref::with_pair(value, Some(pair))?.into_raw())
                })
            }
        }
        // SAFETY: the caller's arguments, places and function.
        unsafe {
            guarded(NOTHING, problem, || {
                let mut value = Some(C::construct(&*args)?);
                asked(|_: *mut (), problem| {
                    place(context, (&raw mut value).cast(), make::<C::Object>, problem)
                })
            })
        }
    }

    unsafe extern "C" fn makes(_: &Entry) -> *const TypeInfo {
        <C::Object as Object>::info()
    }

    unsafe extern "C" fn init(object: *mut c_void, arguments: *mut c_void, names: *mut c_void) -> c_int {
        // SAFETY: as for `fast_call`.
        unsafe { (host().init)(Self::ENTRY, object, arguments, names) }
    }
}

impl Entry {
    pub(super) fn of<M: Callable>() -> &'static Entry {
        OfCallable::<M>::ENTRY
    }

    pub(super) fn of_constructor<C: Constructor>() -> &'static Entry {
        OfConstructor::<C>::ENTRY
    }

    /// One that is called through an object of the frontend's language.
    pub(super) fn by_object(signature: &'static Signature, call: CallFn) -> Self {
        Entry {
            signature,
            call,
            fast_call: None,
            construct: None,
            init: None,
            makes: None,
        }
    }

    /// Its name and parameters.
    #[must_use]
    pub fn signature(&self) -> &'static Signature {
        self.signature
    }

    /// What a frontend's language may call in its stead: see [`Host::call`](super::Host). `None`:
    /// the library is of C, and the entry has to be given to the call.
    #[must_use]
    pub fn fast_call(&self) -> Option<FastCall> {
        self.fast_call
    }

    /// What a frontend's language may call to initialise an object: see
    /// [`Host::init`](super::Host). For constructors of Rust.
    #[must_use]
    pub fn init(&self) -> Option<Init> {
        self.init
    }

    /// The type that a constructor makes objects of.
    #[must_use]
    pub fn makes(&self) -> Option<&'static TypeInfo> {
        // SAFETY: registered types live for the process.
        self.makes.map(|info| unsafe { &*info(self) })
    }

    /// Calls it.
    ///
    /// # Errors
    /// As [`Callable::call`]; a panic of the callee.
    pub fn call<'a, A: Args<'a>, S: Sink>(&self, args: &A, out: S) -> Result<S::Out, Error> {
        let mut place = Place::new(out);
        let (args, sink) = (ErasedArgs::of(args), place.erase());
        // SAFETY: the callee uses both during the call only, whatever it takes their lifetimes for.
        asked(|_: *mut (), problem| unsafe {
            (self.call)(
                self,
                (&raw const args).cast(),
                std::mem::transmute::<ErasedSink<'_>, ErasedSink<'static>>(sink),
                problem,
            )
        })?;
        place.take()
    }

    /// Calls a constructor: its value becomes the object that the wrapper `place` speaks for.
    /// `place` is called when the value is there, with a function that makes the object, in the
    /// custody of the wrapper that it is given.
    ///
    /// # Errors
    /// As [`Constructor::construct`], and what `place` returns.
    pub fn construct<'a, A, P>(&self, args: &A, place: P) -> Result<(), Error>
    where
        A: Args<'a>,
        P: FnOnce(&mut dyn FnMut(Pair) -> Result<NonNull<Header>, Error>) -> Result<(), Error>,
    {
        unsafe extern "C" fn go_on<P>(
            context: *mut c_void,
            value: *mut c_void,
            make: MakeFn,
            problem: *mut Any,
        ) -> bool
        where
            P: FnOnce(&mut dyn FnMut(Pair) -> Result<NonNull<Header>, Error>) -> Result<(), Error>,
        {
            // SAFETY: `place`, and what belongs to the value.
            unsafe {
                guarded(NOTHING, problem, || {
                    let place = (*context.cast::<Option<P>>()).take();
                    let place = place.ok_or_else(|| Error::runtime_error("a library made two values"))?;
                    place(&mut |pair| asked(|out, problem| make(value, pair, out, problem)))
                })
            }
        }
        let Some(construct) = self.construct else {
            return Err(Error::runtime_error("not a constructor"));
        };
        let (args, mut place) = (ErasedArgs::of(args), Some(place));
        // SAFETY: as in `call`.
        asked(|_: *mut (), problem| unsafe {
            construct(
                self,
                (&raw const args).cast(),
                (&raw mut place).cast(),
                go_on::<P>,
                problem,
            )
        })
    }
}
