//! Threads for large kernels: [`run_pieces`] runs pieces of work, [`split_result`] cuts a result
//! into pieces, [`piece_count`] says into how many.
//!
//! # Promise
//! * Results do not depend on how many threads there are: they are cut where numbers do not depend
//!   on each other, and no sum has another order.
//! * The caller computes the first piece, workers the others. They touch no Python, drop no tensor
//!   and have nothing of their own that outlives a kernel.
//! * One kernel at a time has the workers. Others that come meanwhile (from other Python threads,
//!   or from within a piece) run on their own thread: no kernel waits for another, and there are
//!   never more threads computing than callers and workers.
//! * Workers are made for the first kernel that is large enough. After a fork they are not there;
//!   the child makes its own. If a thread was just taking, making or returning them, the child's
//!   kernels run on their own thread.
//! * A panic in a piece is one of the caller, when all pieces have ended. Where it happened is said
//!   on standard error, because the caller was not there.
//!
//! # What pays
//! A worker that sleeps begins after some 10 to 15 µs, so that what takes less than 25 µs in all
//! stays on one thread. Microseconds with one thread and with two, each on a processor of its own
//! (of two, with AVX-512), float32; each kernel's `GRAIN` follows from such a row.
//!
//! | kernel | | | |
//! |---|---|---|---|
//! | product, n × n | 128: 46 → 28 | 256: 328 → 178 | 1024: 22 300 → 11 600 |
//! | product, 64 × 256 × 256; 1 × 1024 × 1024 | 86 → 50 | 664 → 340 | |
//! | batch, 256 of 16 × 16; 16 of 64 × 64 | 90 → 51 | 113 → 61 | |
//! | convolution, 64 of 16 × 4 × 4; 16 of 16 × 28 × 28; 1 of 16 × 56 × 56 | 420 → 216 | 1608 → 862 | 421 → 341 |
//! | its gradients | 749 → 470 | 4857 → 2620 | 1154 → 989 |
//! | `exp` | 2¹⁸: 197 → 109 | 2²⁰: 782 → 446 | 2²⁴: 43 400 → 25 500 |
//! | `gelu` | 2¹⁶: 118 → 92, left | 2¹⁸: 445 → 251 | 2²⁰: 1784 → 949 |
//! | `sqrt` | 2¹⁶: 14 → 44, left | 2¹⁸: 58 → 53 | 2²⁰: 225 → 165 |
//! | `sin`, number by number | 2¹³: 19 → 18, left | 2¹⁴: 38 → 24 | 2²⁰: 7336 → 3984 |
//! | sum of two | 2¹⁸: 36 → 37, left | 2²²: 1580 → 1580, left | 2²⁴: 42 000 → 30 600 |
//! | copy in place | 2¹⁶: 5 → 16, left | 2¹⁸: 24 → 14 | 2²⁴: 5510 → 2940 |
//! | softmax of rows, 512 × 64; 256 × 256; 1024 × 1024 | 72 → 45 | 88 → 71 | 1346 → 992 |
//! | sums of rows; of columns, 256 × 256; 1024 × 1024 | 6.5 → 7.0, left | 65 → 36 | 96 → 80 |
//! | largest; its place, 256 × 256; 1024 × 1024 | 74 → 41 | 1852 → 928 | 645 → 332 |
//! | sums up to each, 256 × 256; 1024 × 1024 | 193 → 104 | 3569 → 2032 | |
//! | largest of windows of 2 × 2, 64 × 16 of 8 × 8; of 32 × 32 | 371 → 190 | 5644 → 3050 | |
//!
//! The sum of all elements is one sum, and stays on one thread; so does softmax along a dimension
//! that is the outermost.

use std::mem;
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// How many threads compute a kernel; 0: not set yet.
static COUNT: AtomicUsize = AtomicUsize::new(0);

static WORKERS: Mutex<Workers> = Mutex::new(Workers::None);

/// The threads beside the caller's.
enum Workers {
    None,
    /// Free. They are this process's.
    Idle(u32, ThreadPool),
    /// A kernel of this process has them.
    Taken(u32),
}

/// How many threads compute a large kernel.
pub fn thread_count() -> usize {
    match COUNT.load(Ordering::Relaxed) {
        0 => {
            let found = default_thread_count();
            // Somebody may have set another number meanwhile.
            let set = COUNT.compare_exchange(0, found, Ordering::Relaxed, Ordering::Relaxed);
            set.map_or_else(|set| set, |_| found)
        }
        count => count,
    }
}

/// From now on so many threads compute a large kernel.
pub fn set_count(count: usize) {
    COUNT.store(count.max(1), Ordering::Relaxed);
}

/// Returns the count of the environment, or one for each processor that this process may use.
fn default_thread_count() -> usize {
    let said = std::env::var("OMP_NUM_THREADS").ok();
    // For OpenMP it may be a list, one number for each level of nesting.
    let first = said.as_deref().and_then(|said| said.split(',').next());
    let wanted = first
        .and_then(|first| first.trim().parse().ok())
        .filter(|&count: &usize| count > 0);
    wanted.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Into how many pieces so many units of work are cut, if fewer than `grain` are not worth a
/// thread.
#[inline]
pub fn piece_count(units: usize, grain: usize) -> usize {
    // Little work is not worth a thread.
    if units / 2 < grain {
        return 1;
    }
    thread_count().min(units / grain.max(1)).max(1)
}

/// Cuts a result into pieces of whole units, and calls `run` with the number of the first unit of
/// each, and its place. `unit` numbers are one unit, and fewer than `grain` units are not worth a
/// thread.
pub fn split_result<O: Send>(out: &mut [O], unit: usize, grain: usize, run: impl Fn(usize, &mut [O]) + Sync) {
    let units = out.len() / unit.max(1);
    let count = piece_count(units, grain);
    if count == 1 {
        return run(0, out);
    }
    let size = units.div_ceil(count);
    let pieces = out.chunks_mut(size * unit).enumerate();
    run_pieces(pieces, |(number, piece)| run(number * size, piece));
}

/// Runs all pieces, each on a thread of its own if there are several and the workers are free.
pub fn run_pieces<P: Send>(pieces: impl IntoIterator<Item = P>, run: impl Fn(P) + Sync) {
    let mut pieces = pieces.into_iter();
    let Some(own) = pieces.next() else { return };
    let Some(second) = pieces.next() else {
        return run(own);
    };
    let others = std::iter::once(second).chain(pieces);
    match Turn::try_take() {
        None => {
            run(own);
            others.for_each(run);
        }
        Some(turn) => turn.worker_pool().in_place_scope(|scope| {
            let run = &run;
            others.for_each(|piece| scope.spawn(move |_| run(piece)));
            run(own);
        }),
    }
}

/// The workers, as long as a kernel has them.
struct Turn(Option<(u32, ThreadPool)>);

impl Turn {
    /// `None`: another run has them, or there are none.
    fn try_take() -> Option<Turn> {
        let wanted = thread_count().checked_sub(1).filter(|&count| count > 0)?;
        let process = process::id();
        let mut workers = WORKERS.try_lock().ok()?;
        if matches!(*workers, Workers::Taken(by) if by == process) {
            return None;
        }
        let pool = match mem::replace(&mut *workers, Workers::Taken(process)) {
            Workers::Idle(of, pool) if of == process && pool.current_num_threads() == wanted => Some(pool),
            Workers::Idle(of, pool) => {
                if of != process {
                    // Its threads are another process's, and waiting for their end would take for
                    // ever.
                    mem::forget(pool);
                }
                build_pool(wanted)
            }
            Workers::None | Workers::Taken(_) => build_pool(wanted),
        };
        if pool.is_none() {
            *workers = Workers::None;
        }
        pool.map(|pool| Turn(Some((process, pool))))
    }

    fn worker_pool(&self) -> &ThreadPool {
        let (_, pool) = self.0.as_ref().expect("it was taken with a pool");
        pool
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if let Some((process, pool)) = self.0.take() {
            // Held for a short time only: the thread that makes workers has the turn.
            *WORKERS.lock().unwrap_or_else(PoisonError::into_inner) = Workers::Idle(process, pool);
        }
    }
}

/// New workers, all of which have begun; `None`: the system gives no more threads.
///
/// The caller holds the lock. State that threads set up once when they begin would be half set up
/// in a process that is forked just then, and a thread that needs it there would wait for ever: the
/// lock is held in that process, and it makes none.
fn build_pool(count: usize) -> Option<ThreadPool> {
    let names = |number| format!("pairbond-kernel-{number}");
    let pool = ThreadPoolBuilder::new()
        .num_threads(count)
        .thread_name(names)
        .build();
    let pool = pool.ok()?;
    pool.broadcast(|_| ());
    Some(pool)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::{Condvar, MutexGuard};
    use std::thread::{self, ThreadId};
    use std::time::Duration;

    use pairbond::prelude::*;

    use super::*;

    /// One test at a time, because there is one number of threads, and one kernel at a time has the
    /// workers.
    fn with_count(count: usize) -> MutexGuard<'static, ()> {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        set_count(count);
        alone
    }

    /// Lets threads go on when so many are here.
    struct Meeting(Mutex<HashSet<ThreadId>>, Condvar, usize);

    impl Meeting {
        fn for_threads(count: usize) -> Meeting {
            Meeting(Mutex::default(), Condvar::new(), count)
        }

        fn wait_for_all(&self) {
            let mut here = self.0.lock().unwrap();
            here.insert(thread::current().id());
            self.1.notify_all();
            let (_here, late) = self
                .1
                .wait_timeout_while(here, Duration::from_secs(20), |here| here.len() < self.2)
                .unwrap();
            assert!(!late.timed_out(), "fewer than {} threads take part", self.2);
        }
    }

    /// Runs work on all workers at once; how many threads that is with the caller's.
    fn take_part(count: usize) -> usize {
        let meeting = Meeting::for_threads(count);
        run_pieces(0..count, |_| meeting.wait_for_all());
        meeting.0.lock().unwrap().len()
    }

    #[test]
    fn pieces_run_at_once_on_threads_that_stay() {
        let _alone = with_count(3);
        let meeting = Meeting::for_threads(3);
        let (caller, names) = (thread::current().id(), Mutex::new(HashSet::new()));
        run_pieces(0..3, |piece| {
            meeting.wait_for_all();
            assert_eq!(
                thread::current().id() == caller,
                piece == 0,
                "the caller has the first"
            );
            if piece > 0 {
                names
                    .lock()
                    .unwrap()
                    .insert(thread::current().name().map(str::to_owned));
            }
        });
        let expected = ["pairbond-kernel-0", "pairbond-kernel-1"].map(|name| Some(name.to_owned()));
        assert_eq!(names.into_inner().unwrap(), HashSet::from(expected));
        let before = meeting.0.into_inner().unwrap();
        let again = Meeting::for_threads(3);
        run_pieces(0..3, |_| again.wait_for_all());
        assert_eq!(again.0.into_inner().unwrap(), before);
    }

    #[test]
    fn as_many_as_were_asked_for() {
        for count in [2, 5, 3] {
            let _alone = with_count(count);
            assert_eq!(take_part(count), count);
            assert_eq!(
                (piece_count(100, 1), piece_count(count * 8 - 1, 8)),
                (count, count - 1)
            );
        }
        let _alone = with_count(1);
        assert_eq!(piece_count(usize::MAX, 1), 1);
        let caller = thread::current().id();
        run_pieces(0..5, |_| assert_eq!(thread::current().id(), caller));
    }

    #[test]
    fn little_work_stays_where_it_is() {
        let _alone = with_count(4);
        let (caller, mut out) = (thread::current().id(), [0; 199]);
        let calls = AtomicUsize::new(0);
        split_result(&mut out, 1, 100, |first, out| {
            calls.fetch_add(1, Ordering::Relaxed);
            assert_eq!((thread::current().id(), first, out.len()), (caller, 0, 199));
        });
        split_result(&mut [0; 0], 3, 0, |first, out| {
            calls.fetch_add(1, Ordering::Relaxed);
            assert_eq!((first, out.len()), (0, 0));
        });
        assert_eq!(calls.into_inner(), 2);
    }

    #[test]
    fn each_unit_is_in_one_piece() {
        for count in [1, 2, 3, 7] {
            let _alone = with_count(count);
            for (units, unit) in [(1, 5), (2, 1), (7, 3), (8, 2), (9, 4), (100, 1), (101, 7)] {
                let mut out = vec![0; units * unit];
                let ran = AtomicUsize::new(0);
                split_result(&mut out, unit, 1, |first, out| {
                    ran.fetch_add(1, Ordering::Relaxed);
                    assert_eq!(out.len() % unit, 0);
                    out.iter_mut()
                        .enumerate()
                        .for_each(|(i, out)| *out += 1 + first * unit + i);
                });
                assert!(
                    out.iter().enumerate().all(|(i, &it)| it == i + 1),
                    "{units} of {unit}"
                );
                assert!(ran.into_inner() <= count.min(units));
            }
        }
    }

    #[test]
    fn work_within_work_and_beside_it_runs_on_its_own_thread() {
        let _alone = with_count(2);
        let meeting = Meeting::for_threads(2);
        run_pieces(0..2, |_| {
            meeting.wait_for_all();
            let own = thread::current().id();
            run_pieces(0..4, |_| assert_eq!(thread::current().id(), own));
            // Also from a thread that has nothing to do with it, and no name.
            thread::scope(|scope| {
                scope.spawn(|| run_pieces(0..4, |_| assert!(thread::current().name().is_none())));
            });
        });
        assert_eq!(take_part(2), 2);
    }

    #[test]
    fn a_panic_is_the_caller_s_when_all_have_ended() {
        let _alone = with_count(3);
        for bad in [0, 1, 2] {
            let (meeting, ended) = (Meeting::for_threads(3), AtomicUsize::new(0));
            let run = AssertUnwindSafe(|| {
                run_pieces(0..3, |piece| {
                    meeting.wait_for_all();
                    if piece == bad {
                        Error::new(ErrorKind::Memory, "no more").unwind();
                    }
                    thread::sleep(Duration::from_millis(20));
                    ended.fetch_add(1, Ordering::Relaxed);
                });
            });
            let error = catch_unwind(run).unwrap_err().downcast::<Error>().unwrap();
            assert_eq!((error.kind(), error.message()), (&ErrorKind::Memory, "no more"));
            assert_eq!(ended.into_inner(), 2);
            assert_eq!(take_part(3), 3, "they are there for the next");
        }
    }
}
