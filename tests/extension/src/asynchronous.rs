//! `async fn`: awaited from asyncio, on tokio.

use std::future::poll_fn;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::task::Poll;
use std::time::Duration;

use pairbond::prelude::*;
use tokio::sync::Notify;
use tokio::time::sleep;

/// How many futures that were begun have been dropped.
static DROPPED: AtomicUsize = AtomicUsize::new(0);

struct CountDrop;

impl Drop for CountDrop {
    fn drop(&mut self) {
        DROPPED.fetch_add(1, Ordering::SeqCst);
    }
}

#[pairbond::function]
pub(crate) fn futures_dropped() -> usize {
    DROPPED.load(Ordering::SeqCst)
}

/// Returns a value after a while.
#[pairbond::function]
pub(crate) async fn sleep_for(seconds: f64, value: Any) -> Any {
    let _count = CountDrop;
    sleep(Duration::from_secs_f64(seconds)).await;
    value
}

/// Returns without waiting.
#[pairbond::function]
pub(crate) async fn at_once(#[default(3)] value: i64) -> Result<i64, Error> {
    if value < 0 {
        return Err(Error::value_error("less than zero"));
    }
    Ok(value)
}

#[pairbond::function]
pub(crate) async fn panic_later() -> i64 {
    sleep(Duration::from_millis(1)).await;
    panic!("in a future")
}

/// Wakes itself while it is polled.
#[pairbond::function]
pub(crate) async fn yield_times(times: usize) -> usize {
    let mut left = times;
    poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(());
        }
        left -= 1;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
    times
}

/// Calls a function of Python's while the future is polled.
#[pairbond::function]
pub(crate) async fn call_later(function: Function) -> Result<Any, Error> {
    function.call(&[])
}

/// By the number of the bell. Not in the bell: the library and the extension of the tests share the
/// type, and the two could lay out a type of tokio differently.
static NOTIFY: LazyLock<Mutex<Vec<Arc<Notify>>>> = LazyLock::new(Mutex::default);

/// An event to wait for, with a count of the waits that ended.
#[pairbond::object("pairbond_testext.Bell")]
pub(crate) struct Bell {
    number: usize,
    #[field]
    heard: Cell<usize>,
}

impl Bell {
    fn notify(&self) -> Arc<Notify> {
        Arc::clone(&NOTIFY.lock().unwrap()[self.number])
    }
}

#[pairbond::methods]
impl Bell {
    #[new]
    fn new() -> Self {
        let mut all = NOTIFY.lock().unwrap();
        all.push(Arc::default());
        Bell {
            number: all.len() - 1,
            heard: Cell::new(0),
        }
    }

    fn ring(&self) {
        self.notify().notify_waiters();
    }

    /// Waits until it rings.
    async fn wait(&self) -> usize {
        let _count = CountDrop;
        self.notify().notified().await;
        self.heard.set(self.heard.get() + 1);
        self.heard.get()
    }

    /// Waits for another.
    async fn wait_for(&self, other: Ref<Bell>) -> usize {
        other.wait().await
    }
}
