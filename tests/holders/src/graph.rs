//! Objects that lead to no Python object, and a place of the process for values.

use std::sync::{LazyLock, Mutex, PoisonError};

use pairbond::prelude::*;

use crate::node::Node;

/// A node of a graph that several interpreters may see.
#[pairbond::object("pairbond_holders.Point")]
pub(crate) struct Point {
    /// Tells points apart.
    #[field(set)]
    number: Cell<i64>,
    /// One reference.
    #[field(set)]
    next: Cell<Option<Ref<Point>>>,
    /// Many references.
    #[field]
    neighbours: List<Point>,
}

#[pairbond::methods]
impl Point {
    #[new]
    pub(crate) fn new(#[default(0)] number: i64) -> Self {
        Point {
            number: Cell::new(number),
            next: Cell::new(None),
            neighbours: List::new(),
        }
    }

    /// Itself.
    fn same(this: Borrow<'_, Self>) -> Borrow<'_, Self> {
        this
    }

    /// A ring of `count` points, each with the one before as neighbour, made natively.
    #[staticmethod]
    fn ring(count: i64) -> Ref<Point> {
        let points: Vec<_> = (0..count.max(1)).map(|i| Ref::new(Point::new(i))).collect();
        for (i, point) in points.iter().enumerate() {
            point.next.set(Some(points[(i + 1) % points.len()].clone()));
            point
                .neighbours
                .push(points[(i + points.len() - 1) % points.len()].clone());
        }
        points[0].clone()
    }

    /// The number of points that `next` leads through until it leads back here.
    #[detach]
    fn length(this: Borrow<'_, Self>) -> usize {
        let mut count = 1;
        let mut at = this.next.get();
        while let Some(point) = at {
            if point.as_borrow().is(this) {
                break;
            }
            count += 1;
            at = point.next.get();
        }
        count
    }
}

/// A point with a value that may be of Python.
#[pairbond::object("pairbond_holders.Marked", extends = Point)]
pub(crate) struct Marked {
    point: Point,
    #[field(set)]
    mark: Cell<Any>,
}

#[pairbond::methods]
impl Marked {
    #[new]
    fn new(#[default(0)] number: i64, #[default(Any::None)] mark: Any) -> Self {
        Marked {
            point: Point::new(number),
            mark: Cell::new(mark),
        }
    }
}

static SLOT: Mutex<Any> = Mutex::new(Any::None);
static POINT: LazyLock<Ref<Point>> = LazyLock::new(|| Ref::new(Point::new(7)));

/// Holds a value for the process, and drops the previous one.
#[pairbond::function]
pub(crate) fn put_global(value: Any) {
    let before = std::mem::replace(&mut *SLOT.lock().unwrap_or_else(PoisonError::into_inner), value);
    drop(before);
}

/// Holds a new object for the process that no interpreter has seen: a point, or a node, which can
/// hold Python objects.
#[pairbond::function]
pub(crate) fn put_fresh(shareable: bool) {
    put_global(if shareable {
        Ref::new(Point::new(0)).into()
    } else {
        Ref::new(Node::new(0)).into()
    });
}

/// The value that the process holds.
#[pairbond::function]
pub(crate) fn get_global() -> Any {
    SLOT.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A point that the process keeps.
#[pairbond::function]
pub(crate) fn global_point() -> Ref<Point> {
    POINT.clone()
}
