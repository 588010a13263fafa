//! Callables of another binary: functions, methods, constructors.
//!
//! A frontend's language calls C functions that identify their callable by their address alone. A
//! library of Rust brings one for each of its callables: it has nothing but its [`Entry`], and
//! hands that on to the frontend ([`Host`](super::Host)) with the words that it was called with. A
//! library of C has no such functions: its entries are found through objects of the frontend.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::ptr::NonNull;

use super::args::ErasedArgs;
use super::c::{Call, Callback, Construct, Label, take_error};
use super::table::frontend_host;
use pairbond_core::error::Error;
use pairbond_core::object::{ErasedBorrow, Header, Object, Pair, RawObject, Ref};
use pairbond_core::types::TypeInfo;
use pairbond_value::class::{Args, Callable, Constructor, Parameter, Signature};
use pairbond_value::convert::Sink;
use pairbond_value::convert::erased::guard::{NOTHING, call_guarded, run_guarded};
use pairbond_value::convert::erased::place::Place;
use pairbond_value::convert::erased::sink_table::ErasedSink;
use pairbond_value::convert::erased::words::{
    Home, QuickCallback, QuickConstruct, Word, WordArgs, WordTable,
};
use pairbond_value::value::Any;

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
    pub(super) direct: Option<&'static Direct>,
}

/// How a frontend of the same binary calls an entry of C: with words, and errors of Rust.
#[derive(Debug)]
#[repr(C)]
pub(super) struct Direct {
    home: Home,
    /// The least number of arguments by position that needs no binding, and how many more may come.
    least: usize,
    span: usize,
    pub(super) label: Label,
    pub(super) function: DirectFunction,
    pub(super) context: *mut c_void,
    /// The type of a method's objects.
    receiver: Option<&'static TypeInfo>,
}

/// The function of C.
#[derive(Clone, Copy, Debug)]
pub(super) enum DirectFunction {
    Call(Callback, Option<QuickCallback>),
    Construct(Construct, Option<QuickConstruct>, &'static TypeInfo),
}

/// A function of C that is called with words and nothing else, where that is possible.
#[derive(Clone, Copy, Debug)]
pub struct QuickFunction {
    function: QuickCallback,
    context: *mut c_void,
    receiver: Option<&'static TypeInfo>,
    least: usize,
    span: usize,
}

// SAFETY: as for `Direct`.
unsafe impl Send for QuickFunction {}
// SAFETY: as for `Direct`.
unsafe impl Sync for QuickFunction {}

impl QuickFunction {
    /// As [`Entry::takes_exactly`].
    #[inline(always)]
    #[must_use]
    pub fn takes_exactly(&self, count: usize) -> bool {
        count.wrapping_sub(self.least) <= self.span
    }

    /// Calls it. `None`: nothing has been done, and the entry is to be called in another way.
    ///
    /// # Safety
    /// It takes so many words, of the frontend whose table it is, which are alive during the call.
    #[inline(always)]
    pub unsafe fn call(
        &self,
        table: &'static WordTable,
        receiver: Option<ErasedBorrow<'_>>,
        words: *const *mut c_void,
        count: usize,
    ) -> Option<Result<Word, Error>> {
        let object = match (self.receiver, receiver) {
            (None, _) => std::ptr::null_mut(),
            (Some(info), Some(object)) => {
                let is = object.header().info();
                // The class of a wrapper can be assigned.
                if !(std::ptr::eq(is, info) || is.is_a(info)) || is.is_node() {
                    return None;
                }
                object.as_ptr().as_ptr()
            }
            (Some(_), None) => return None,
        };
        let mut problem = std::ptr::null_mut();
        // SAFETY: the function with its context; the caller's words.
        let made = unsafe {
            (self.function)(
                table.quick_table(),
                object,
                words,
                count,
                self.context,
                &raw mut problem,
            )
        };
        match Word::new(made) {
            Some(word) => Some(Ok(word)),
            // SAFETY: null, or an error that the function gave away.
            None => (!problem.is_null()).then(|| Err(unsafe { take_error(problem) })),
        }
    }
}

// SAFETY: the context is given to functions that any thread may call, as `pairbond.h` demands.
unsafe impl Send for Direct {}
// SAFETY: the context is given to functions that any thread may call, as `pairbond.h` demands.
unsafe impl Sync for Direct {}

impl Direct {
    /// For an entry with that signature. The function and its context live for the process.
    pub(super) fn for_signature(
        signature: &'static Signature,
        function: DirectFunction,
        context: *mut c_void,
        receiver: Option<&'static TypeInfo>,
    ) -> &'static Self {
        let needed = |parameter: &Parameter| parameter.default.is_none() && !parameter.kind.takes_rest();
        let most = signature.positional_count();
        let (first, others) = signature.parameters.split_at(most);
        let least = first.iter().rposition(needed).map_or(0, |last| last + 1);
        // Further arguments would be of `*args`; others have to be looked for by name.
        let binds = others.iter().any(|it| needed(it) || it.kind.takes_rest())
            || signature.parameters.len() > u32::BITS as usize
            || first[..least].iter().any(|it| !needed(it));
        Box::leak(Box::new(Direct {
            home: Home::here(),
            least: if binds { usize::MAX } else { least },
            span: if binds { 0 } else { most - least },
            label: Label {
                name: signature.qualified,
                parameters: signature.parameters,
            },
            function,
            context,
            receiver,
        }))
    }
}

struct OfCallable<M>(PhantomData<M>);

impl<M: Callable> OfCallable<M> {
    const SIGNATURE: &'static Signature = &M::SIGNATURE;
    const ENTRY: &'static Entry = &Entry {
        signature: Self::SIGNATURE,
        call: Self::call_callable,
        fast_call: Some(Self::fast_call),
        construct: None,
        init: None,
        makes: None,
        direct: None,
    };

    unsafe extern "C" fn call_callable(
        _: &Entry,
        args: *const ErasedArgs<'static>,
        sink: ErasedSink<'static>,
        problem: *mut Any,
    ) -> bool {
        // SAFETY: the caller's arguments and places, for this call.
        unsafe { run_guarded(NOTHING, problem, || M::call(&*args, sink)) }
    }

    unsafe extern "C" fn fast_call(
        receiver: *mut c_void,
        arguments: *const *mut c_void,
        count: isize,
        names: *mut c_void,
    ) -> *mut c_void {
        // SAFETY: the caller got it from the frontend whose function this is.
        unsafe { (frontend_host().call)(Self::ENTRY, receiver, arguments, count, names) }
    }
}

struct OfConstructor<C>(PhantomData<C>);

impl<C: Constructor> OfConstructor<C> {
    const ENTRY: &'static Entry = &Entry {
        signature: OfCallable::<C>::SIGNATURE,
        call: OfCallable::<C>::call_callable,
        fast_call: Some(OfCallable::<C>::fast_call),
        construct: Some(Self::construct_value),
        init: Some(Self::init_object),
        makes: Some(Self::made_type),
        direct: None,
    };

    unsafe extern "C" fn construct_value(
        _: &Entry,
        args: *const ErasedArgs<'static>,
        context: *mut c_void,
        place: PlaceFn,
        problem: *mut Any,
    ) -> bool {
        unsafe extern "C" fn make_object<T: Object>(
            value: *mut c_void,
            pair: Pair,
            out: *mut NonNull<Header>,
            problem: *mut Any,
        ) -> bool {
            // SAFETY: the value below; the caller's places.
            unsafe {
                run_guarded(out, problem, || {
                    let value = (*value.cast::<Option<T>>()).take();
                    let value = value.ok_or_else(|| Error::runtime_error("a value was asked for twice"))?;
                    Ok(Ref::with_pair(value, Some(pair))?.into_raw())
                })
            }
        }
        // SAFETY: the caller's arguments, places and function.
        unsafe {
            run_guarded(NOTHING, problem, || {
                let mut value = Some(C::construct(&*args)?);
                call_guarded(|_: *mut (), problem| {
                    place(
                        context,
                        (&raw mut value).cast(),
                        make_object::<C::Object>,
                        problem,
                    )
                })
            })
        }
    }

    unsafe extern "C" fn made_type(_: &Entry) -> *const TypeInfo {
        <C::Object as Object>::info()
    }

    unsafe extern "C" fn init_object(
        object: *mut c_void,
        arguments: *mut c_void,
        names: *mut c_void,
    ) -> c_int {
        // SAFETY: as for `fast_call`.
        unsafe { (frontend_host().init)(Self::ENTRY, object, arguments, names) }
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
            direct: None,
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
    pub fn made_type(&self) -> Option<&'static TypeInfo> {
        // SAFETY: registered types live for the process.
        self.makes.map(|info| unsafe { &*info(self) })
    }

    /// Whether it can be called with [words](WordArgs): it is of this binary.
    #[inline(always)]
    #[must_use]
    pub fn takes_words(&self) -> bool {
        self.direct.is_some_and(|direct| direct.home.is_here())
    }

    /// Whether it can be called with so many words, which came by position, as they are: parameters
    /// that have none have defaults.
    #[inline(always)]
    #[must_use]
    pub fn takes_exactly(&self, count: usize) -> bool {
        self.direct
            .is_some_and(|it| count.wrapping_sub(it.least) <= it.span && it.home.is_here())
    }

    /// The type that it makes objects of, if it is a constructor of C of this binary that can be
    /// called with so many words, as [`takes_exactly`](Self::takes_exactly) has it.
    #[inline(always)]
    #[must_use]
    pub fn constructs_with(&self, count: usize) -> Option<&'static TypeInfo> {
        match self.direct {
            Some(direct) if self.takes_exactly(count) => match direct.function {
                DirectFunction::Construct(_, _, info) => Some(info),
                DirectFunction::Call(..) => None,
            },
            _ => None,
        }
    }

    /// Returns the function that takes words and nothing else, if this binary has one.
    #[must_use]
    pub fn quick_function(&self) -> Option<QuickFunction> {
        let direct = self.direct.filter(|direct| direct.home.is_here())?;
        match direct.function {
            DirectFunction::Call(_, Some(function)) => Some(QuickFunction {
                function,
                context: direct.context,
                receiver: direct.receiver,
                least: direct.least,
                span: direct.span,
            }),
            _ => None,
        }
    }

    /// Calls it with words.
    ///
    /// # Errors
    /// That of the callee.
    ///
    /// # Safety
    /// It [takes words](Self::takes_words); parameters without one have defaults.
    #[inline(always)]
    pub unsafe fn call_words(&self, args: &WordArgs<'_>) -> Result<Word, Error> {
        match self.direct {
            Some(direct) => match direct.function {
                // SAFETY: the function with its context; the caller's arguments.
                DirectFunction::Call(function, _) => unsafe {
                    Call::with_words(args, &direct.label, true)
                        .run_for_word(|call| function(call, direct.context))
                },
                DirectFunction::Construct(..) => {
                    // A copy: what has an address is written to memory in the other case, too.
                    let args = *args;
                    // SAFETY: the caller's arguments.
                    unsafe { self.new_with_words(&args) }
                }
            },
            None => Err(Error::runtime_error("not to be called with words")),
        }
    }

    /// Calls a constructor as a function: returns the object.
    ///
    /// # Safety
    /// As for [`call_words`](Self::call_words).
    #[cold]
    unsafe fn new_with_words(&self, args: &WordArgs<'_>) -> Result<Word, Error> {
        // SAFETY: the C function writes a value of the type, or fails; the caller's arguments.
        unsafe {
            let writer = self.value_writer(args)?;
            let raw = RawObject::from_writer(writer.info, |place| writer.write(place))?;
            (args.table.from_owned)(raw.finish()?)
        }
    }

    /// Returns the writer of a new object's value: a constructor of C with its arguments.
    #[inline(always)]
    fn value_writer<'a>(&self, args: &'a WordArgs<'a>) -> Result<ValueWriter<'a>, Error> {
        let Some(direct) = self.direct else {
            return Err(Error::runtime_error("not to be called with words"));
        };
        let DirectFunction::Construct(construct, quick, info) = direct.function else {
            return Err(Error::runtime_error("not a constructor"));
        };
        Ok(ValueWriter {
            args,
            direct,
            construct,
            quick,
            info,
        })
    }

    /// Makes an object in the custody of a wrapper.
    ///
    /// # Errors
    /// As for [`construct`](Self::construct).
    ///
    /// # Safety
    /// As for [`call_words`](Self::call_words); the pair is of a wrapper that is given the object,
    /// and is not shared before.
    #[inline(always)]
    pub unsafe fn construct_pair(&self, args: &WordArgs<'_>, pair: Pair) -> Result<NonNull<Header>, Error> {
        // SAFETY: the C function writes a value of the type, or fails; the caller's contract.
        unsafe {
            let writer = self.value_writer(args)?;
            RawObject::wrapped_from_writer(writer.info, pair, |place| writer.write(place))
        }
    }

    /// As [`construct`](Self::construct), with words.
    ///
    /// # Errors
    /// As there.
    ///
    /// # Safety
    /// As for [`call_words`](Self::call_words).
    pub unsafe fn construct_words<R>(
        &self,
        args: &WordArgs<'_>,
        place: impl FnOnce(&mut dyn FnMut(Pair) -> Result<NonNull<Header>, Error>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        // SAFETY: the C function writes a value of the type, or fails; the caller's arguments.
        let raw = unsafe {
            let writer = self.value_writer(args)?;
            RawObject::from_writer(writer.info, |place| writer.write(place))
        }?;
        let mut made = Made(Some(raw));
        place(&mut |pair| match made.0.take() {
            // SAFETY: the value is written; the pair is of a wrapper that is given the object.
            Some(raw) => Ok(unsafe { raw.finish_wrapped(pair) }?),
            None => Err(Error::runtime_error("a value was asked for twice")),
        })
    }

    /// Calls it.
    ///
    /// # Errors
    /// As [`Callable::call`]; a panic of the callee.
    pub fn call<'a, A: Args<'a>, S: Sink>(&self, args: &A, out: S) -> Result<S::Out, Error> {
        let mut place = Place::new(out);
        let (args, sink) = (ErasedArgs::from_args(args), place.erase());
        // SAFETY: the callee uses both during the call only, whatever it takes their lifetimes for.
        unsafe {
            call_guarded(|_: *mut (), problem| {
                (self.call)(
                    self,
                    (&raw const args).cast(),
                    std::mem::transmute::<ErasedSink<'_>, ErasedSink<'static>>(sink),
                    problem,
                )
            })
        }?;
        place.take_result()
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
                run_guarded(NOTHING, problem, || {
                    let place = (*context.cast::<Option<P>>()).take();
                    let place = place.ok_or_else(|| Error::runtime_error("a library made two values"))?;
                    place(&mut |pair| call_guarded(|out, problem| make(value, pair, out, problem)))
                })
            }
        }
        let Some(construct) = self.construct else {
            return Err(Error::runtime_error("not a constructor"));
        };
        let (args, mut place) = (ErasedArgs::from_args(args), Some(place));
        // SAFETY: as in `call`.
        unsafe {
            call_guarded(|_: *mut (), problem| {
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
}

/// An object whose value is there, and which nothing refers to yet: dropped, it is destroyed.
pub(super) struct Made(pub(super) Option<RawObject>);

impl Drop for Made {
    #[inline]
    fn drop(&mut self) {
        if let Some(raw) = self.0.take() {
            // SAFETY: its value is written.
            drop(unsafe { raw.finish() });
        }
    }
}

/// A constructor of C with its arguments.
struct ValueWriter<'a> {
    args: &'a WordArgs<'a>,
    direct: &'static Direct,
    construct: Construct,
    quick: Option<QuickConstruct>,
    info: &'static TypeInfo,
}

impl ValueWriter<'_> {
    /// Lets C write the value.
    ///
    /// # Errors
    /// That of the constructor; no value is there.
    ///
    /// # Safety
    /// A place for a value of the type; the arguments live during the call.
    #[inline(always)]
    unsafe fn write(&self, place: *mut u8) -> Result<(), Error> {
        if let Some(quick) = self.quick
            && self.args.rest.is_empty()
        {
            let mut problem = std::ptr::null_mut();
            // SAFETY: the function with its context; the caller's place and arguments.
            unsafe {
                let (table, words) = (self.args.table.quick_table(), self.args.parameters);
                let (count, context) = (self.args.count, self.direct.context);
                if quick(table, words, count, place.cast(), context, &raw mut problem) {
                    return Ok(());
                }
                if !problem.is_null() {
                    return Err(take_error(problem));
                }
            }
        }
        // SAFETY: the function with its context; the caller's place and arguments.
        unsafe {
            Call::with_words(self.args, &self.direct.label, false)
                .run_function(|call| (self.construct)(call, place.cast(), self.direct.context))
        }
    }
}
