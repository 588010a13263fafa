//! Sizes, offsets and alignments.

use pairbond_core::object::{Borrow, ErasedRef, Header, Object, Prefix, Ref, Weak, value_offset};
use pairbond_testing::drops::{Counter, Drops};
use pairbond_testing::object;
use pairbond_value::value::{Any, Bytes, Cell, Str};

#[test]
fn handles_are_one_pointer_wide() {
    struct Thing(#[allow(dead_code)] u8);
    object!(Thing, "layout.Thing", []);
    let word = size_of::<usize>();
    assert_eq!(size_of::<Ref<Thing>>(), word);
    assert_eq!(size_of::<Option<Ref<Thing>>>(), word);
    assert_eq!(size_of::<Weak<Thing>>(), word);
    assert_eq!(size_of::<Option<Weak<Thing>>>(), word);
    assert_eq!(size_of::<Borrow<'_, Thing>>(), word);
    assert_eq!(size_of::<Option<ErasedRef>>(), word);
    assert_eq!(size_of::<Str>(), word);
    assert_eq!(size_of::<Option<Bytes>>(), word);
    assert_eq!(size_of::<Any>(), 2 * word);
    assert_eq!(size_of::<Cell<Option<Ref<Thing>>>>(), 2 * word);
}

#[test]
fn a_header_has_24_bytes() {
    assert_eq!(size_of::<Header>(), 24);
    assert_eq!(size_of::<Prefix>(), 16);
    assert_eq!([1, 8, 16, 32, 4096].map(value_offset), [24, 24, 32, 32, 4096]);
}

macro_rules! aligned {
    ($($align:literal $plain:ident $traced:ident,)*) => {
        /// Values of any alignment up to a page, with and without the collector's prefix.
        #[test]
        fn values_are_aligned() {
            $({
                #[repr(align($align))]
                struct $plain(u8, #[allow(dead_code)] Drops);
                object!($plain, concat!("layout.", stringify!($plain)), []);
                #[repr(align($align))]
                struct $traced(u8, Cell<Option<Ref<$traced>>>, #[allow(dead_code)] Drops);
                object!($traced, concat!("layout.", stringify!($traced)), [1]);

                let drops = Counter::new();
                let plain: Vec<_> = (0..9).map(|n| Ref::new($plain(n, drops.drop_probe()))).collect();
                let traced: Vec<_> = (0..9).map(|n| Ref::new($traced(n, Cell::default(), drops.drop_probe()))).collect();
                for (n, (a, b)) in plain.iter().zip(&traced).enumerate() {
                    assert_eq!(std::ptr::from_ref(&**a).addr() % $align, 0);
                    assert_eq!(std::ptr::from_ref(&**b).addr() % $align, 0);
                    assert_eq!((a.0, b.0), (n as u8, n as u8));
                    assert_eq!(a.header().value_ptr().addr(), std::ptr::from_ref(&**a).addr());
                    assert_eq!(b.header().value_ptr().addr(), std::ptr::from_ref(&**b).addr());
                }
                traced[0].1.set(Some(traced[1].clone()));
                drop((plain, traced));
                assert_eq!(drops.get(), 18);
                assert_eq!($plain::info().live_count() + $traced::info().live_count(), 0);
            })*
        }
    };
}

aligned! {
    8 P8 T8, 16 P16 T16, 32 P32 T32, 64 P64 T64, 128 P128 T128, 512 P512 T512, 1024 P1024 T1024, 2048 P2048 T2048,
    4096 P4096 T4096,
}

#[test]
fn an_alignment_of_more_than_a_page_is_refused() {
    #[repr(align(8192))]
    struct Huge(#[allow(dead_code)] u8);
    object!(Huge, "layout.Huge", []);
    let refused = std::panic::catch_unwind(|| drop(Ref::new(Huge(1)))).unwrap_err();
    assert!(refused.downcast_ref::<String>().unwrap().contains("layout.Huge"));
}
