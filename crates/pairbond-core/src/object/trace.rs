//! [`Trace`]: what a type tells a collector about itself.
//!
//! Rules, in order of weight:
//! 1. Each owned counted reference is shown exactly once, however it is stored. Showing one too
//!    many lets a collector take a live object for garbage; showing one too few only leaks. Debug
//!    builds compare what is shown with what is counted (`survey/refcount_check.rs`).
//! 2. Tracing neither allocates, nor clones or drops a reference, nor calls a frontend, nor blocks.
//! 3. A reference that can be replaced while others look is traced under its lock, and only if that
//!    can be had at once ([`Tracer::lock`]).

use super::reach::Reach;
use crate::types::{Plan, Tracer};

/// A type that can show the references that it owns. `#[pairbond::object]` derives it from the
/// fields.
///
/// Write it by hand for a container of another crate. In debug builds a collection panics when an
/// object is shown more references than it has, and names the types that refer to it.
///
/// # Safety
/// The rules at the head of this module; above all, every counted reference is shown at most once.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of a pairbond object: the collector cannot see what it holds",
    label = "does not implement `Trace`",
    note = "if `{Self}` holds no pairbond references, mark the field `#[untraced]` (references inside would then never be collected in cycles)",
    note = "a field that changes is a `pairbond::Cell<T>`, not a `std` cell or lock"
)]
pub unsafe trait Trace {
    /// Whether a value can own references at all.
    const TRACED: bool;

    /// Where a value keeps its references, if that can be said without asking it: then what
    /// [`trace`](Self::trace) would show.
    const PLAN: Plan = Plan::of_any(Self::TRACED);

    /// Shows every owned reference.
    fn trace(&self, tracer: &mut Tracer<'_>);

    /// Empties every mutable field (a `Cell` or container) that can hold references, because the
    /// value is garbage in a cycle. Immutable fields stay as they are. What was in the fields is
    /// dropped outside of all locks.
    fn clear(&self) {}

    /// For the content of a mutable field: moves the references out and leaves a valid empty value
    /// (`None`, no elements). `None` when the type has no such value; the field is then emptied as
    /// a whole and reading it panics.
    fn take_edges(&mut self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }

    /// Shows where the references of values can lead. A type that shows nothing can own anything,
    /// if it can own references at all.
    fn visit_reachable(reach: &mut Reach) {
        if Self::TRACED {
            reach.visit_anything();
        }
    }

    /// Whether this value may be shown in several interpreters at once, where that depends on the
    /// value; `None`: its type says so.
    fn is_shareable(&self) -> Option<bool> {
        None
    }
}

/// Implements [`Trace`] for a type by those of its fields that own references:
/// `trace_fields!(Type: field, other; fn clear(&self) { … })`, with other functions of the trait.
#[doc(hidden)]
#[macro_export]
macro_rules! trace_fields {
    (<$($g:ident: $bound:path),*> $t:ty: $($field:ident),+; $($functions:tt)*) => {
        // SAFETY: the pattern names each field once, and a field shows its own references once.
        unsafe impl<$($g: $bound),*> $crate::object::Trace for $t {
            const TRACED: bool = true;
            const PLAN: $crate::types::Plan = $crate::types::Plan::of_any(true);
            fn trace(&self, tracer: &mut $crate::types::Tracer<'_>) {
                let Self { $($field,)+ .. } = self;
                $($crate::object::Trace::trace($field, tracer);)+
            }
            $($functions)*
        }
    };
    ($($of:tt)*) => {
        $crate::trace_fields! { <> $($of)* }
    };
}

/// Says that types own no references.
#[doc(hidden)]
#[macro_export]
macro_rules! untraced {
    ($($t:ty),* $(,)?) => {$(
        // SAFETY: the type owns no references.
        unsafe impl $crate::object::Trace for $t {
            const TRACED: bool = false;
            #[inline]
            fn trace(&self, _: &mut $crate::types::Tracer<'_>) {}
        }
    )*};
}

untraced!(
    i8,
    i16,
    i32,
    i64,
    i128,
    isize,
    u8,
    u16,
    u32,
    u64,
    u128,
    usize,
    f32,
    f64,
    bool,
    char,
    (),
    String,
    &'static str,
    Box<str>,
    std::path::PathBuf,
    std::ffi::OsString,
    std::time::Duration,
    std::time::Instant,
    std::time::SystemTime,
    std::net::IpAddr,
    std::net::Ipv4Addr,
    std::net::Ipv6Addr,
    std::sync::Arc<str>,
    std::borrow::Cow<'static, str>,
);

macro_rules! untraced_numbers {
    ($($t:ty)*) => {
        untraced!($(std::num::NonZero<$t>, std::ops::Range<$t>, std::ops::RangeInclusive<$t>),*);
    };
}
untraced_numbers!(i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize);

/// A part of a field that collectors are not shown, as the attribute `#[untraced]` says it of a
/// whole one: references in it are never collected in cycles.
#[derive(Clone, Debug, Default)]
#[repr(transparent)]
pub struct Untraced<T>(pub T);

// SAFETY: showing none of its references is showing none twice.
unsafe impl<T> Trace for Untraced<T> {
    const TRACED: bool = false;
    fn trace(&self, _: &mut Tracer<'_>) {}
}

// SAFETY (all below): every element is shown once by its own implementation; shared access is
// enough because nothing inside changes without a `Cell`, which locks itself.
macro_rules! each {
    (<$($g:ident),+> $t:ty, $traced:expr, $plan:expr, |$v:ident, $i:ident| $each:expr, $empty:expr) => {
        // SAFETY: each element shows its own references, once.
        unsafe impl<$($g: Trace),+> Trace for $t {
            const TRACED: bool = $traced;
            const PLAN: Plan = $plan;
            #[inline]
            fn trace(&self, tracer: &mut Tracer<'_>) {
                if Self::TRACED {
                    let $v = self;
                    for $i in $each {
                        $i.trace(tracer);
                    }
                }
            }
            fn clear(&self) {
                if Self::TRACED {
                    let $v = self;
                    for $i in $each {
                        $i.clear();
                    }
                }
            }
            fn take_edges(&mut self) -> Option<Self> {
                #[allow(clippy::redundant_closure_call)]
                ($empty)(self)
            }
            fn visit_reachable(reach: &mut Reach) {
                $($g::visit_reachable(reach);)+
            }
        }
    };
}

each!(<T> Option<T>, T::TRACED, T::PLAN.of_option::<T>(), |v, i| v.iter(), |v: &mut Option<T>| Some(v.take()));
each!(<T> Vec<T>, T::TRACED, Plan::of_any(T::TRACED), |v, i| v.iter(), |v: &mut Vec<T>| Some(std::mem::take(v)));
each!(<T> std::collections::VecDeque<T>, T::TRACED, Plan::of_any(T::TRACED), |v, i| v.iter(), |v: &mut std::collections::VecDeque<T>| Some(std::mem::take(v)));
each!(<T> Box<[T]>, T::TRACED, Plan::of_any(T::TRACED), |v, i| v.iter(), |v: &mut Box<[T]>| Some(std::mem::take(v)));
each!(<T> Box<T>, T::TRACED, Plan::of_any(T::TRACED), |v, i| [&**v], |v: &mut Box<T>| (**v).take_edges().map(Box::new));

// SAFETY: each element shows its own references, once.
unsafe impl<T: Trace, const N: usize> Trace for [T; N] {
    const TRACED: bool = T::TRACED;
    fn trace(&self, tracer: &mut Tracer<'_>) {
        self.iter().for_each(|v| v.trace(tracer));
    }
    fn clear(&self) {
        self.iter().for_each(Trace::clear);
    }
    fn visit_reachable(reach: &mut Reach) {
        T::visit_reachable(reach);
    }
}

macro_rules! maps {
    ($($map:ident $(<$h:ident>)?),*) => {$(
        // SAFETY: each element shows its own references, once.
        unsafe impl<K: Trace, V: Trace $(, $h: Default)?> Trace for std::collections::$map<K, V $(, $h)?> {
            const TRACED: bool = K::TRACED || V::TRACED;
            fn trace(&self, tracer: &mut Tracer<'_>) {
                if Self::TRACED {
                    for (k, v) in self {
                        k.trace(tracer);
                        v.trace(tracer);
                    }
                }
            }
            fn clear(&self) {
                if Self::TRACED {
                    for (k, v) in self {
                        k.clear();
                        v.clear();
                    }
                }
            }
            fn take_edges(&mut self) -> Option<Self> {
                Some(std::mem::take(self))
            }
            fn visit_reachable(reach: &mut Reach) {
                K::visit_reachable(reach);
                V::visit_reachable(reach);
            }
        }
    )*};
}
maps!(HashMap<H>, BTreeMap);

macro_rules! sets {
    ($($set:ident $(<$h:ident>)?),*) => {$(
        // SAFETY: each element shows its own references, once.
        unsafe impl<T: Trace $(, $h: Default)?> Trace for std::collections::$set<T $(, $h)?> {
            const TRACED: bool = T::TRACED;
            fn trace(&self, tracer: &mut Tracer<'_>) {
                self.iter().for_each(|v| v.trace(tracer));
            }
            fn clear(&self) {
                self.iter().for_each(Trace::clear);
            }
            fn take_edges(&mut self) -> Option<Self> {
                Some(std::mem::take(self))
            }
            fn visit_reachable(reach: &mut Reach) {
                T::visit_reachable(reach);
            }
        }
    )*};
}
sets!(HashSet<H>, BTreeSet);

macro_rules! tuples {
    ($($t:ident $i:tt),+) => {
        // SAFETY: each element shows its own references, once.
        unsafe impl<$($t: Trace),+> Trace for ($($t,)+) {
            const TRACED: bool = $($t::TRACED)||+;
            fn trace(&self, tracer: &mut Tracer<'_>) {
                $(self.$i.trace(tracer);)+
            }
            fn clear(&self) {
                $(self.$i.clear();)+
            }
            fn visit_reachable(reach: &mut Reach) {
                $($t::visit_reachable(reach);)+
            }
        }
    };
}
tuples!(A 0);
tuples!(A 0, B 1);
tuples!(A 0, B 1, C 2);
tuples!(A 0, B 1, C 2, D 3);
tuples!(A 0, B 1, C 2, D 3, E 4);
tuples!(A 0, B 1, C 2, D 3, E 4, F 5);
