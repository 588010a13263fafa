//! The arguments of one call, read by another binary: [`Args`] as a table of functions.

use std::ffi::c_void;
use std::ptr::NonNull;

use pairbond_core::object::{ErasedBorrow, Header};
use pairbond_value::class::Args;
use pairbond_value::convert::Source;
use pairbond_value::convert::erased::source_table::ErasedSource;

/// The arguments of one call, for another binary: [`Args`] as a table of functions.
#[repr(C)]
pub(super) struct ErasedArgs<'a> {
    args: *const c_void,
    receiver: unsafe extern "C" fn(*const c_void, *mut ErasedSource<'a>) -> bool,
    native_receiver: unsafe extern "C" fn(*const c_void) -> *const Header,
    get: unsafe extern "C" fn(*const c_void, usize, *mut ErasedSource<'a>) -> bool,
    rest: unsafe extern "C" fn(*const c_void, usize, *mut ErasedSource<'a>) -> bool,
}

impl<'a> ErasedArgs<'a> {
    pub(super) fn from_args<A: Args<'a>>(args: &A) -> Self {
        /// # Safety
        /// `place` is the caller's, for a value to be written.
        unsafe fn put_source<'a, S: Source<'a>>(source: Option<S>, place: *mut ErasedSource<'a>) -> bool {
            source.is_some_and(|source| {
                // SAFETY: the caller's place.
                unsafe { place.write(ErasedSource::from_source(source)) };
                true
            })
        }
        unsafe extern "C" fn put_receiver<'a, A: Args<'a>>(
            args: *const c_void,
            place: *mut ErasedSource<'a>,
        ) -> bool {
            // SAFETY: what this was made from; the caller's place. (The same below.)
            unsafe { put_source((*args.cast::<A>()).receiver(), place) }
        }
        unsafe extern "C" fn native_receiver<'a, A: Args<'a>>(args: *const c_void) -> *const Header {
            // SAFETY: what this was made from; the caller's place.
            let receiver = unsafe { &*args.cast::<A>() }.native_receiver();
            receiver.map_or(std::ptr::null(), |object| std::ptr::from_ref(object.header()))
        }
        unsafe extern "C" fn put_arg<'a, A: Args<'a>>(
            args: *const c_void,
            at: usize,
            place: *mut ErasedSource<'a>,
        ) -> bool {
            // SAFETY: what this was made from; the caller's place.
            unsafe { put_source((*args.cast::<A>()).get(at), place) }
        }
        unsafe extern "C" fn put_rest<'a, A: Args<'a>>(
            args: *const c_void,
            at: usize,
            place: *mut ErasedSource<'a>,
        ) -> bool {
            // SAFETY: what this was made from; the caller's place.
            unsafe { put_source((*args.cast::<A>()).rest_arg(at), place) }
        }
        ErasedArgs {
            args: std::ptr::from_ref(args).cast(),
            receiver: put_receiver::<'a, A>,
            native_receiver: native_receiver::<'a, A>,
            get: put_arg::<'a, A>,
            rest: put_rest::<'a, A>,
        }
    }

    fn read_source(&self, ask: impl FnOnce(*mut ErasedSource<'a>) -> bool) -> Option<ErasedSource<'a>> {
        let mut place = std::mem::MaybeUninit::uninit();
        // SAFETY: it is written if the answer is yes.
        ask(place.as_mut_ptr()).then(|| unsafe { place.assume_init() })
    }
}

impl<'a> Args<'a> for ErasedArgs<'a> {
    type Source = ErasedSource<'a>;

    fn receiver(&self) -> Option<ErasedSource<'a>> {
        // SAFETY: the functions are for these arguments. (The same below.)
        self.read_source(|place| unsafe { (self.receiver)(self.args, place) })
    }
    fn native_receiver(&self) -> Option<ErasedBorrow<'a>> {
        // SAFETY: as above; the object is alive during the call.
        unsafe {
            let object = (self.native_receiver)(self.args).cast_mut();
            NonNull::new(object).map(|object| ErasedBorrow::from_header(object))
        }
    }
    fn get(&self, index: usize) -> Option<ErasedSource<'a>> {
        // SAFETY: the functions are for these arguments.
        self.read_source(|place| unsafe { (self.get)(self.args, index, place) })
    }
    fn rest_arg(&self, index: usize) -> Option<ErasedSource<'a>> {
        // SAFETY: the functions are for these arguments.
        self.read_source(|place| unsafe { (self.rest)(self.args, index, place) })
    }
}
