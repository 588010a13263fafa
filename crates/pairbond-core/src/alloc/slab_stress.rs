//! Many blocks of all sizes, against a model that knows the owner of each: no block is given to
//! two, each is aligned and keeps its contents, and empty slabs go back.

#![allow(clippy::disallowed_types)]

use std::ptr::NonNull;
use std::sync::mpsc;

use pairbond_testing::fastrand;
use pairbond_testing::random::{seeded_rng, step_count};

use super::cache::{self, ThreadCache};
use super::slab::Run;
use super::slabs::{self, SIZES, Slabs};
use crate::memory::ThinVec;

/// A block that somebody has, full of one byte.
struct Owned {
    at: NonNull<u8>,
    size: usize,
    align: usize,
    byte: u8,
}

// SAFETY: the owner has the memory.
unsafe impl Send for Owned {}

impl Owned {
    fn new(at: *mut u8, size: usize, align: usize, byte: u8) -> Self {
        let at = NonNull::new(at).expect("there is memory");
        assert_eq!(at.addr().get() % align, 0, "{size} bytes lie at {at:?}");
        // SAFETY: so many bytes.
        unsafe { at.write_bytes(byte, size) };
        Owned {
            at,
            size,
            align,
            byte,
        }
    }

    /// Its memory, whose contents are still its own.
    fn into_memory(self) -> NonNull<u8> {
        // SAFETY: so many bytes.
        let bytes = unsafe { std::slice::from_raw_parts(self.at.as_ptr(), self.size) };
        assert!(
            bytes.iter().all(|it| *it == self.byte),
            "{} bytes at {:?} are somebody else's as well",
            self.size,
            self.at
        );
        self.at
    }
}

#[test]
fn sizes_fit() {
    for align in [1, 2, 4, 8, 16] {
        for size in 1..=512 {
            let number = slabs::size_class(size, align).expect("it is small");
            let bytes = slabs::block_bytes(number);
            assert!(
                number < SIZES && bytes >= size && bytes.is_multiple_of(align),
                "{size}, {align}"
            );
            assert!(bytes < size.max(24) + 16, "{size} bytes take {bytes}");
        }
    }
    assert_eq!(slabs::size_class(513, 8), None);
    assert_eq!(slabs::size_class(24, 32), None);
    assert_eq!(slabs::size_class(usize::MAX, 8), None);
}

#[test]
fn blocks_are_whose_they_are() {
    let mut rng = seeded_rng("blocks");
    let slabs = Slabs::new();
    let numbers: Vec<usize> = (0..4).map(|_| rng.usize(..SIZES)).collect();
    let mut runs = vec![Run::NONE; SIZES];
    let mut owned: Vec<(usize, Owned)> = Vec::new();
    let (mut most, mut growing) = (0, true);
    for step in 0..step_count(40_000) {
        if step % 5000 == 0 {
            growing = !growing || rng.bool();
        }
        if rng.u8(..10) < if growing { 7 } else { 3 } || owned.is_empty() {
            let number = numbers[rng.usize(..numbers.len())];
            let size = slabs::block_bytes(number);
            let block = runs[number].pop(size).or_else(|| {
                runs[number] = slabs.take_run(number)?;
                runs[number].pop(size)
            });
            let block = block.expect("there is memory").as_ptr();
            owned.push((number, Owned::new(block, size, 8, rng.u8(..))));
        } else {
            let (number, block) = owned.swap_remove(rng.usize(..owned.len()));
            // SAFETY: it is ours.
            unsafe { slabs.give_back(number, block.into_memory()) };
        }
        most = most.max(slabs.chunks().chunk_count());
        // What somebody gives up is there for the next one.
        if rng.u16(..1000) == 0 {
            let number = numbers[rng.usize(..numbers.len())];
            // SAFETY: from these slabs.
            unsafe { slabs.return_run(number, std::mem::replace(&mut runs[number], Run::NONE)) };
        }
    }
    assert!(most > 0);
    for (number, block) in owned {
        // SAFETY: from these slabs.
        unsafe { slabs.give_back(number, block.into_memory()) };
    }
    for (number, run) in runs.into_iter().enumerate() {
        // SAFETY: from these slabs.
        unsafe { slabs.return_run(number, run) };
    }
    assert_eq!(slabs.chunks().slabs_in_use(), 0, "every slab is empty");
}

#[test]
fn empty_chunks_go_back_to_the_system() {
    let slabs = Slabs::new();
    let number = SIZES - 1;
    // A slab has seven runs of this size.
    let runs: Vec<Run> = (0..7 * 8 * 6).map(|_| slabs.take_run(number).unwrap()).collect();
    assert_eq!(
        (slabs.chunks().chunk_count(), slabs.chunks().slabs_in_use()),
        (6, 48)
    );
    let (kept, given) = runs.split_at(7 * 8);
    let give = |runs: &[Run]| {
        for run in runs {
            // SAFETY: from these slabs, once.
            unsafe { slabs.return_run(number, *run) };
        }
    };
    give(given);
    assert_eq!(
        (slabs.chunks().chunk_count(), slabs.chunks().slabs_in_use()),
        (3, 8),
        "two chunks are kept, and the one that is in use"
    );
    let again: Vec<Run> = (0..7 * 8 * 2).map(|_| slabs.take_run(number).unwrap()).collect();
    assert_eq!(
        (slabs.chunks().chunk_count(), slabs.chunks().slabs_in_use()),
        (3, 24),
        "what was kept is used"
    );
    give(&again);
    give(kept);
    assert_eq!(
        (slabs.chunks().chunk_count(), slabs.chunks().slabs_in_use()),
        (2, 0)
    );
    // Free blocks are used before the system is asked.
    give(&[slabs.take_run(0).unwrap()].map(|run| Run { free: 0, ..run }));
    assert_eq!(
        (slabs.chunks().chunk_count(), slabs.chunks().slabs_in_use()),
        (2, 1)
    );
}

/// Memory as objects get it on this thread.
fn allocate_block(bins: &ThreadCache, rng: &mut fastrand::Rng) -> Owned {
    let (size, align) = (rng.usize(24..560), 8 << rng.u8(..2));
    // SAFETY: no empty layout.
    let block = unsafe { cache::allocate_block(bins, size, align) };
    Owned::new(block, size, align, rng.u8(..))
}

fn deallocate_block(bins: &ThreadCache, block: Owned) {
    let (size, align) = (block.size, block.align);
    // SAFETY: from `allocate_block`, on some thread.
    unsafe { cache::deallocate_block(bins, block.into_memory().as_ptr(), size, align) };
}

#[test]
fn threads_give_each_other_what_they_made() {
    let mut seeds = seeded_rng("threads");
    let (sender, receiver) = mpsc::channel::<Owned>();
    let makers: Vec<_> = (0..3)
        .map(|_| {
            let (mut rng, sender) = (fastrand::Rng::with_seed(seeds.u64(..)), sender.clone());
            std::thread::spawn(move || {
                let mut owned = Vec::new();
                for _ in 0..step_count(5000) {
                    crate::memory::with_thread(|thread| match rng.u8(..4) {
                        0 | 1 => owned.push(allocate_block(&thread.bins, &mut rng)),
                        2 if !owned.is_empty() => {
                            deallocate_block(&thread.bins, owned.swap_remove(rng.usize(..owned.len())));
                        }
                        _ => sender
                            .send(allocate_block(&thread.bins, &mut rng))
                            .expect("somebody takes them"),
                    });
                }
                // These outlive the thread.
                owned
            })
        })
        .collect();
    drop(sender);
    for block in receiver {
        crate::memory::with_thread(|thread| deallocate_block(&thread.bins, block));
    }
    for maker in makers {
        let owned = maker.join().expect("no maker panics");
        crate::memory::with_thread(|thread| {
            owned
                .into_iter()
                .for_each(|block| deallocate_block(&thread.bins, block));
        });
    }
}

#[test]
fn a_thread_that_ends_has_memory_and_keeps_none() {
    let (bins, mut rng) = (&ThreadCache::new(|| true), seeded_rng("late"));
    let block = allocate_block(bins, &mut rng);
    deallocate_block(bins, block);
    let more: Vec<_> = (0..300).map(|_| allocate_block(bins, &mut rng)).collect();
    bins.return_all_blocks();
    assert!(bins.is_empty());
    let after: Vec<_> = (0..50).map(|_| allocate_block(bins, &mut rng)).collect();
    assert!(bins.is_empty(), "nothing is kept when the thread has ended");
    more.into_iter()
        .chain(after)
        .for_each(|block| deallocate_block(bins, block));
    assert!(bins.is_empty());
}

#[test]
#[cfg(all(target_os = "linux", not(miri)))]
fn a_forked_process_has_memory() {
    use std::sync::atomic::{AtomicBool, Ordering};
    let use_all = || {
        for number in 0..SIZES {
            let run = slabs::process_slabs().take_run(number).expect("there is memory");
            // SAFETY: taken just now.
            unsafe { slabs::process_slabs().return_run(number, run) };
        }
    };
    slabs::survive_forks();
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !ended.load(Ordering::Relaxed) {
                    use_all();
                }
            });
        }
        let status = |_| {
            // SAFETY: the child calls nothing that others may have locked but what this is about,
            // and ends; if it waits for good, by the alarm.
            unsafe {
                match libc::fork() {
                    0 => {
                        libc::alarm(20);
                        use_all();
                        libc::_exit(0)
                    }
                    child => {
                        let mut status = -1;
                        assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
                        status
                    }
                }
            }
        };
        let bad = (0..100).map(status).find(|it| *it != 0);
        ended.store(true, Ordering::Relaxed);
        assert_eq!(bad, None, "a child waits for good");
    });
}

#[test]
fn thin_vectors_are_vectors() {
    use std::rc::Rc;

    let mut rng = seeded_rng("thin vectors");
    let probe = Rc::new(0);
    for _ in 0..step_count(if cfg!(miri) { 40 } else { 400 }) {
        let mut thin: ThinVec<(Rc<i32>, u32), Option<Rc<i32>>> = if rng.bool() {
            ThinVec::with_head(Some(Rc::clone(&probe)), rng.usize(..5))
        } else {
            ThinVec::default()
        };
        let has_head = thin.head().is_some();
        let mut model = Vec::new();
        for _ in 0..rng.usize(..40) {
            let number = rng.u32(..);
            if let Some((_, place)) = thin.as_mut_slice().last_mut().filter(|_| rng.u8(..4) == 0) {
                *place = number;
                *model.last_mut().expect("as many") = number;
            } else {
                thin.push((Rc::clone(&probe), number));
                model.push(number);
            }
            assert!(thin.as_slice().iter().map(|it| it.1).eq(model.iter().copied()));
        }
        assert_eq!(
            thin.head().is_some_and(Option::is_some),
            has_head,
            "it keeps its head"
        );
        assert_eq!(Rc::strong_count(&probe), 1 + model.len() + usize::from(has_head));
    }
    assert_eq!(Rc::strong_count(&probe), 1, "all was dropped");

    let made: ThinVec<u8> = (0..200).collect();
    assert!(made.as_slice().iter().copied().eq(0..200));
    let aligned: ThinVec<u128> = (0..9).collect();
    assert!(aligned.as_slice().iter().copied().eq(0..9));
    let none: ThinVec<u64> = std::iter::empty().collect();
    assert_eq!((none.as_slice().len(), format!("{none:?}").as_str()), (0, "[]"));
}
