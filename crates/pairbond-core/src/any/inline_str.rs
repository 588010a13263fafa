//! [`Slice`]: immutable bytes in one word, a few of them in the word itself and more in a shared
//! object.
//!
//! The lowest bit of the word tells. An object's address has it clear. Where it is set, the byte
//! that it is in holds the number of bytes above it, and the other bytes of the word are they;
//! unused ones are 0, so that equal words are equal bytes.
//!
//! # Why a word and not sixteen bytes
//! A string of its own stays one pointer wide, `Any` sixteen bytes, and matching on
//! `Any::Str` is matching on a string, short or long.

use std::marker::PhantomData;
use std::mem::ManuallyDrop;
use std::ptr::NonNull;

use crate::object::{Header, Ref, WithItems};
pub use crate::raw::Slice;

/// The most bytes that need no object.
pub const SHORT: usize = size_of::<usize>() - 1;
/// Where in the word the number of bytes is.
const COUNT: usize = if cfg!(target_endian = "little") { 0 } else { SHORT };
/// Where in the word the bytes begin.
const FIRST: usize = if cfg!(target_endian = "little") { 1 } else { 0 };

/// Copies up to seven bytes, which for so few is quicker than a call.
#[inline(always)]
fn copy_short(to: &mut [u8], from: &[u8]) {
    if let (Some(first), Some(last)) = (from.first_chunk::<4>(), from.last_chunk::<4>()) {
        // They may overlap.
        let behind = from.len() - 4;
        to[..4].copy_from_slice(first);
        to[behind..].copy_from_slice(last);
    } else {
        for (to, from) in to.iter_mut().zip(from) {
            *to = *from;
        }
    }
}

impl<B: WithItems<Item = u8>> Slice<B> {
    /// `long` makes the object of bytes that are not short.
    #[inline]
    pub fn new(bytes: &[u8], long: impl FnOnce(&[u8]) -> Ref<B>) -> Self {
        let word = if bytes.len() <= SHORT {
            let mut word = [0; size_of::<usize>()];
            word[COUNT] = (bytes.len() << 1 | 1) as u8;
            copy_short(&mut word[FIRST..FIRST + bytes.len()], bytes);
            let word = std::ptr::without_provenance_mut(usize::from_ne_bytes(word));
            // SAFETY: its lowest bit is set.
            unsafe { NonNull::new_unchecked(word) }
        } else {
            long(bytes).into_raw()
        };
        Slice {
            word,
            _owns: PhantomData,
        }
    }

    /// The number of bytes, if they are in the word.
    #[inline]
    pub fn inline_len(&self) -> Option<usize> {
        let word = self.word.addr().get();
        (word & 1 != 0).then_some((word & 0xff) >> 1)
    }

    /// The object; it stays this word's.
    #[inline]
    fn heap_object(&self) -> ManuallyDrop<Ref<B>> {
        // SAFETY: made by `into_raw` in `new`; dropped with the word only.
        ManuallyDrop::new(unsafe { Ref::from_raw(self.word) })
    }

    /// The object's header, if there is one.
    #[inline]
    pub fn header(&self) -> Option<&Header> {
        match self.inline_len() {
            Some(_) => None,
            // SAFETY: an object, which lives as long as this word.
            None => Some(unsafe { self.word.as_ref() }),
        }
    }

    /// The bytes.
    #[inline]
    pub fn as_bytes(&self) -> &[u8] {
        match self.inline_len() {
            // SAFETY: so many bytes of the word are there, and live as long as it.
            Some(len) => unsafe {
                let word = std::ptr::from_ref(&self.word).cast::<u8>();
                std::slice::from_raw_parts(word.add(FIRST), len)
            },
            None => {
                let object = self.heap_object();
                let bytes: *const [u8] = object.items();
                // SAFETY: they live as long as the object, and this word keeps that.
                unsafe { &*bytes }
            }
        }
    }
}

impl<B> Clone for Slice<B> {
    #[inline]
    fn clone(&self) -> Self {
        if self.word.addr().get() & 1 == 0 {
            // SAFETY: a strong reference, which stays this word's; the new one is the clone's.
            unsafe { Header::acquire(self.word) };
        }
        Slice {
            word: self.word,
            _owns: PhantomData,
        }
    }
}

impl<B> Drop for Slice<B> {
    #[inline]
    fn drop(&mut self) {
        if self.word.addr().get() & 1 == 0 {
            // SAFETY: the word's own strong reference, given away.
            unsafe { Header::release(self.word) };
        }
    }
}
