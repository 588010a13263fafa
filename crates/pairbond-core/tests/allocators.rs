//! 255 allocators are all that a process can have: a process of its own.
#![cfg(not(loom))]

use pairbond_core::memory::{current_allocator, set_allocator};
use pairbond_testing::alloc::Counting;
use pairbond_value::value::Str;

#[test]
#[cfg_attr(
    miri,
    ignore = "Miri gives a function several addresses, so that the same allocator seems to be another"
)]
fn so_many_and_no_more() {
    let before = current_allocator();
    let mut installed = Vec::new();
    let error = loop {
        let next = Counting::leak();
        // SAFETY: functions of the process.
        match unsafe { set_allocator(next.allocator_functions()) } {
            Ok(_) => installed.push((next, Str::from("is kept in an object"))),
            Err(error) => break error,
        }
        assert!(installed.len() < 256);
    };
    assert!(installed.len() > 200 && error.to_string().contains("255"));
    // Those that were there can come back.
    let (first, _) = installed[0];
    // SAFETY: functions of the process.
    unsafe { set_allocator(first.allocator_functions()) }.unwrap();
    let text = Str::from("is kept again");
    assert_eq!(first.live_count(), 2);
    drop(text);
    // SAFETY: functions of the process.
    let restored = unsafe { set_allocator(before) };
    for (allocator, text) in installed {
        assert_eq!(allocator.live_count(), 1);
        drop(text);
        assert_eq!(allocator.live_count(), 0);
    }
    restored.unwrap();
}
