//! [`Layout`]: proof that two binaries lay a type out alike.
//!
//! A [`LayoutWriter`] receives the parts of a type, down to those that need no proof: numbers, and
//! types of the standard library and of pairbond, which are the same in all binaries that share a
//! runtime (they have one compiler: `Head` in `abi`). The parts are hashed; equal hashes
//! are taken for equal layouts (128 bits).
//!
//! A type that does not implement [`Layout`] is *opaque*: all that the language tells about it is a
//! name, which is not unique, and the compiler's identity, [`TypeId`], which depends on a crate's
//! name, version, features, dependencies *and profile*, and not on its sources. So an opaque type
//! is equal to another if it was defined by the same crate, compiled from the same sources
//! ([`Origin`]), and if besides the compiler says that they are the same, or the crate has no
//! dependencies whose types could differ.

#![allow(clippy::disallowed_types, reason = "these are the types of users' fields")]

use std::any::TypeId;
use std::hash::{Hash, Hasher};

mod origin;
mod text;

pub use origin::Origin;
pub use text::Text;

/// A type whose layout is proved by its parts. `#[derive(pairbond::layout::Layout)]` implements it
/// for structs and enums.
///
/// Fields of `#[pairbond::object]` types that are of such types keep their objects shared between
/// separately built extension modules, whatever crates and profiles those were built with.
///
/// # Safety
/// Two types that show the same have the same layout and the same meaning, in all binaries of one
/// compiler. The owner of a type whose layout cannot be shown may promise it:
///
/// ```
/// use pairbond_core::abi::{Layout, LayoutWriter};
///
/// struct Handle(*mut u8);
///
/// // SAFETY: a handle is a pointer that is passed on to the system; whenever that changes, so does the number.
/// unsafe impl Layout for Handle {
///     fn write_layout(to: &mut LayoutWriter) {
///         to.write_promised::<Handle>("demo::Handle", 1);
///     }
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "the layout of `{Self}` is known to the compiler only",
    label = "does not implement `Layout`",
    note = "derive it: `#[derive(pairbond::layout::Layout)]`"
)]
pub unsafe trait Layout {
    /// Shows what the type consists of.
    fn write_layout(to: &mut LayoutWriter);
}

/// FNV-1a, 128 bits.
const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

/// One part of a type's layout that a message can name: a field, a variant.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Part {
    /// The field or variant.
    pub name: Text,
    /// Its type as written.
    pub rust_type: Text,
    hash: [u64; 2],
    /// Whether something in it is opaque.
    pub opaque: bool,
}

impl Part {
    /// Whether the other is laid out alike.
    #[must_use]
    pub fn is_like(&self, other: &Part) -> bool {
        self.hash == other.hash && self.name.get() == other.name.get()
    }
}

/// What a type's layout consists of, as [`Layout`] shows it.
#[derive(Debug)]
pub struct LayoutWriter {
    hash: u128,
    opaque: bool,
    origin: Origin,
    /// The types that are being shown, for those that contain themselves.
    within: Vec<TypeId>,
    parts: Vec<Part>,
    /// How many parts and types we are in.
    depth: u32,
}

impl LayoutWriter {
    pub(crate) fn new() -> Self {
        LayoutWriter {
            hash: OFFSET,
            opaque: false,
            origin: Origin::UNKNOWN,
            within: Vec::new(),
            parts: Vec::new(),
            depth: 0,
        }
    }

    /// Of a type defined in that crate.
    pub(crate) fn for_origin(origin: Origin) -> Self {
        LayoutWriter {
            origin,
            ..LayoutWriter::new()
        }
    }

    fn write_bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.hash = (self.hash ^ u128::from(*byte)).wrapping_mul(PRIME);
        }
    }

    /// Shows a number.
    pub fn write_number(&mut self, number: u64) {
        // As a whole: most parts are numbers.
        self.hash = (self.hash ^ u128::from(number)).wrapping_mul(PRIME);
        self.hash ^= self.hash >> 64;
    }

    /// Shows a name.
    pub fn write_text(&mut self, text: &str) {
        self.write_number(text.len() as u64);
        self.write_bytes(text.as_bytes());
    }

    /// Shows a type that is the same in all binaries of one compiler: its name, size and alignment.
    pub fn write_known<T>(&mut self, name: &str) {
        self.write_text(name);
        self.write_number(size_of::<T>() as u64);
        self.write_number(align_of::<T>() as u64);
    }

    /// Shows a type whose owner promises that its layout changes only when `version` does.
    pub fn write_promised<T>(&mut self, name: &str, version: u32) {
        self.write_known::<T>("a promise");
        self.write_text(name);
        self.write_number(version.into());
    }

    /// Shows a type that is known to the compiler only.
    pub fn write_opaque<T: 'static>(&mut self) {
        self.write_known::<T>(std::any::type_name::<T>());
        self.write_number(std::mem::needs_drop::<T>().into());
        if is_of_std(std::any::type_name::<T>()) {
            // The compiler's own identity, since the standard library is compiled once for each.
            return self.write_identity::<T>();
        }
        self.opaque = true;
        let origin = self.origin;
        self.write_text(origin.krate());
        self.write_text(origin.version());
        self.write_number(origin.digest());
        self.write_number(origin.place_hash());
        if !origin.is_closed() {
            self.write_identity::<T>();
        }
    }

    fn write_identity<T: 'static>(&mut self) {
        struct Words<'a>(&'a mut LayoutWriter);
        impl Hasher for Words<'_> {
            fn write(&mut self, bytes: &[u8]) {
                self.0.write_bytes(bytes);
            }
            fn finish(&self) -> u64 {
                0
            }
        }
        TypeId::of::<T>().hash(&mut Words(self));
    }

    /// Shows a type that is defined in a crate, once: inside of itself it is known.
    pub fn write_defined<T: 'static>(&mut self, name: &str, origin: Origin, show: impl FnOnce(&mut Self)) {
        self.write_known::<T>(name);
        let id = TypeId::of::<T>();
        if let Some(depth) = self.within.iter().position(|it| *it == id) {
            return self.write_number(depth as u64);
        }
        self.within.push(id);
        self.depth += 1;
        let before = std::mem::replace(&mut self.origin, origin);
        show(self);
        self.origin = before;
        self.depth -= 1;
        self.within.pop();
    }

    /// Shows a part that messages name.
    pub fn write_part(&mut self, name: &'static str, rust_type: &'static str, show: impl FnOnce(&mut Self)) {
        let (before, opaque) = (self.hash, std::mem::take(&mut self.opaque));
        self.hash = OFFSET;
        self.depth += 1;
        show(self);
        self.depth -= 1;
        let part = Part {
            name: Text::new(name),
            rust_type: Text::new(rust_type),
            hash: [self.hash as u64, (self.hash >> 64) as u64],
            opaque: self.opaque,
        };
        self.hash = before;
        self.opaque |= opaque;
        self.write_text(name);
        self.write_number(part.hash[0]);
        self.write_number(part.hash[1]);
        // Messages name those of the type itself.
        if self.depth == 0 {
            self.parts.push(part);
        }
    }

    /// The hash of everything, and its parts.
    pub(crate) fn finish(self) -> ([u64; 2], Vec<Part>) {
        ([self.hash as u64, (self.hash >> 64) as u64], self.parts)
    }
}

/// Whether a type's name consists of names of the standard library and the language only. (No crate
/// can have its crates' names.)
fn is_of_std(name: &str) -> bool {
    let is_word = |c: char| c == '_' || c.is_alphanumeric();
    let mut rest = name;
    while let Some(start) = rest.find(is_word) {
        let is_lifetime = rest[..start].ends_with('\'');
        rest = &rest[start..];
        let word = &rest[..rest.find(|c| !is_word(c)).unwrap_or(rest.len())];
        rest = &rest[word.len()..];
        if rest.starts_with("::") {
            if !matches!(word, "core" | "alloc" | "std") {
                return false;
            }
            // The rest of the path.
            let end = rest.find(|c| !is_word(c) && c != ':').unwrap_or(rest.len());
            rest = &rest[end..];
            // What macros and functions define inside of them is named `{{closure}}` and the like.
            if rest.starts_with('{') {
                return false;
            }
        } else if !is_lifetime && !is_of_language(word) {
            return false;
        }
    }
    true
}

fn is_of_language(word: &str) -> bool {
    const WORDS: &[&str] = &[
        "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64", "u128", "usize", "f32", "f64",
        "bool", "char", "str", "dyn", "const", "mut", "fn", "for", "extern", "unsafe",
    ];
    WORDS.contains(&word) || word.bytes().all(|byte| byte.is_ascii_digit())
}

macro_rules! known {
    ($($t:ty = $name:literal),* $(,)?) => {$(
        // SAFETY: a type of the language or of the standard library, which is the same for one
        // compiler.
        unsafe impl Layout for $t {
            fn write_layout(to: &mut LayoutWriter) {
                to.write_known::<$t>($name);
            }
        }
    )*};
}

known! {
    i8 = "i8", i16 = "i16", i32 = "i32", i64 = "i64", i128 = "i128", isize = "isize",
    u8 = "u8", u16 = "u16", u32 = "u32", u64 = "u64", u128 = "u128", usize = "usize",
    f32 = "f32", f64 = "f64", bool = "bool", char = "char", () = "()",
    String = "String", &'static str = "&str", Box<str> = "Box<str>",
    std::sync::Arc<str> = "Arc<str>", std::borrow::Cow<'static, str> = "Cow<str>",
    std::path::PathBuf = "PathBuf", std::ffi::OsString = "OsString", std::ffi::CString = "CString",
    std::time::Duration = "Duration", std::time::Instant = "Instant", std::time::SystemTime = "SystemTime",
    std::hash::RandomState = "RandomState", std::cmp::Ordering = "Ordering",
    std::sync::atomic::AtomicBool = "AtomicBool",
    std::sync::atomic::AtomicI8 = "AtomicI8", std::sync::atomic::AtomicU8 = "AtomicU8",
    std::sync::atomic::AtomicI16 = "AtomicI16", std::sync::atomic::AtomicU16 = "AtomicU16",
    std::sync::atomic::AtomicI32 = "AtomicI32", std::sync::atomic::AtomicU32 = "AtomicU32",
    std::sync::atomic::AtomicI64 = "AtomicI64", std::sync::atomic::AtomicU64 = "AtomicU64",
    std::sync::atomic::AtomicIsize = "AtomicIsize", std::sync::atomic::AtomicUsize = "AtomicUsize",
    std::num::NonZeroU8 = "NonZeroU8", std::num::NonZeroU16 = "NonZeroU16", std::num::NonZeroU32 = "NonZeroU32",
    std::num::NonZeroU64 = "NonZeroU64", std::num::NonZeroUsize = "NonZeroUsize",
    std::num::NonZeroI32 = "NonZeroI32", std::num::NonZeroI64 = "NonZeroI64",
    std::sync::Condvar = "Condvar", std::thread::ThreadId = "ThreadId", std::thread::Thread = "Thread",
}

macro_rules! of {
    ($(<$($g:ident),*> $t:ty = $name:literal),* $(,)?) => {$(
        // SAFETY: a type of the standard library, which is the same for one compiler, of types that
        // are shown.
        unsafe impl<$($g: Layout),*> Layout for $t {
            fn write_layout(to: &mut LayoutWriter) {
                to.write_known::<$t>($name);
                $($g::write_layout(to);)*
            }
        }
    )*};
}

of! {
    <T> Option<T> = "Option", <T, E> Result<T, E> = "Result",
    <T> Vec<T> = "Vec", <T> std::collections::VecDeque<T> = "VecDeque", <T> std::collections::BinaryHeap<T> = "BinaryHeap",
    <T> Box<T> = "Box", <T> Box<[T]> = "Box<[]>",
    <T> std::sync::Arc<T> = "Arc", <T> std::sync::Arc<[T]> = "Arc<[]>", <T> std::rc::Rc<T> = "Rc", <T> std::sync::Weak<T> = "sync::Weak",
    <T> std::sync::Mutex<T> = "Mutex", <T> std::sync::RwLock<T> = "RwLock",
    <T> std::sync::OnceLock<T> = "OnceLock", <T> std::cell::Cell<T> = "cell::Cell", <T> std::cell::RefCell<T> = "RefCell",
    <T> std::cell::OnceCell<T> = "OnceCell", <T> std::mem::ManuallyDrop<T> = "ManuallyDrop",
    <T> std::num::Wrapping<T> = "Wrapping", <T> std::cmp::Reverse<T> = "Reverse",
    <T> std::ops::Range<T> = "Range", <T> std::ops::RangeInclusive<T> = "RangeInclusive",
    <K, V, S> std::collections::HashMap<K, V, S> = "HashMap", <T, S> std::collections::HashSet<T, S> = "HashSet",
    <K, V> std::collections::BTreeMap<K, V> = "BTreeMap", <T> std::collections::BTreeSet<T> = "BTreeSet",
    <A> (A,) = "(,)", <A, B> (A, B) = "(,)", <A, B, C> (A, B, C) = "(,)", <A, B, C, D> (A, B, C, D) = "(,)",
    <A, B, C, D, E> (A, B, C, D, E) = "(,)", <A, B, C, D, E, F> (A, B, C, D, E, F) = "(,)",
}

// SAFETY: a pointer to a type that has a layout.
unsafe impl<T: Layout> Layout for &'static T {
    fn write_layout(to: &mut LayoutWriter) {
        to.write_known::<&'static T>("&");
        T::write_layout(to);
    }
}

// SAFETY: elements beside each other, as many as the size says.
unsafe impl<T: Layout, const N: usize> Layout for [T; N] {
    fn write_layout(to: &mut LayoutWriter) {
        to.write_known::<[T; N]>("[]");
        T::write_layout(to);
    }
}

// SAFETY: a `PhantomData` has no bytes that could be laid out otherwise.
unsafe impl<T: ?Sized> Layout for std::marker::PhantomData<T> {
    fn write_layout(to: &mut LayoutWriter) {
        to.write_known::<std::marker::PhantomData<T>>("PhantomData");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    fn layout_hash(show: impl FnOnce(&mut LayoutWriter)) -> [u64; 2] {
        let mut to = LayoutWriter::new();
        show(&mut to);
        to.finish().0
    }

    #[test]
    fn names_of_the_standard_library() {
        struct Mine;
        let of_std = [
            std::any::type_name::<HashMap<String, Vec<[u8; 4]>>>(),
            std::any::type_name::<Option<std::thread::JoinHandle<()>>>(),
            std::any::type_name::<Box<dyn Fn(&str) -> String + Send>>(),
            std::any::type_name::<fn(*const u8, &mut i32) -> bool>(),
        ];
        for name in of_std {
            assert!(is_of_std(name), "{name}");
        }
        let mine = [
            std::any::type_name::<Mine>(),
            std::any::type_name::<Vec<Mine>>(),
            std::any::type_name::<Option<HashMap<String, Box<dyn Fn(Mine)>>>>(),
            std::any::type_name::<crate::any::Foreign>(),
        ];
        for name in mine {
            assert!(!is_of_std(name), "{name}");
        }
    }

    #[test]
    fn what_differs_hashes_otherwise() {
        let all = [
            layout_hash(<Vec<u8>>::write_layout),
            layout_hash(<Vec<i8>>::write_layout),
            layout_hash(<Option<Vec<u8>>>::write_layout),
            layout_hash(<(u8, u16)>::write_layout),
            layout_hash(<(u16, u8)>::write_layout),
            layout_hash(<[u8; 3]>::write_layout),
            layout_hash(<[u8; 4]>::write_layout),
            layout_hash(|to| to.write_text("ab")),
            layout_hash(|to| {
                to.write_text("a");
                to.write_text("b");
            }),
            layout_hash(|to| to.write_promised::<u8>("x", 1)),
            layout_hash(|to| to.write_promised::<u8>("x", 2)),
        ];
        for (i, one) in all.iter().enumerate() {
            assert!(!all[..i].contains(one), "{i}");
        }
    }

    #[test]
    fn opaque_types_are_those_of_their_crate() {
        struct Opaque(#[allow(dead_code)] u8);
        let of = |origin: Origin| {
            let mut to = LayoutWriter::for_origin(origin);
            to.write_opaque::<Opaque>();
            to.finish().0
        };
        let one = of(Origin::new("demo", "1.0.0", 1, true));
        assert_eq!(one, of(Origin::new("demo", "1.0.0", 1, true)));
        assert_ne!(one, of(Origin::new("other", "1.0.0", 1, true)));
        assert_ne!(one, of(Origin::new("demo", "1.0.1", 1, true)));
        assert_ne!(one, of(Origin::new("demo", "1.0.0", 2, true)));
        assert_ne!(one, of(Origin::new("demo", "1.0.0", 1, false)));
        assert_ne!(
            one,
            of(Origin::new("demo", "1.0.0", 1, true).at_position("demo", 3, 1))
        );
    }
}
