//! Methods that Python classes override.

use std::sync::Mutex;

use pairbond::prelude::*;

#[pairbond::object("pairbond_testext.Shape")]
pub(crate) struct Shape {
    #[field(set)]
    size: Cell<f64>,
}

#[pairbond::methods]
impl Shape {
    #[new]
    fn new(#[default(1.0)] size: f64) -> Self {
        Shape {
            size: Cell::new(size),
        }
    }

    /// Its area.
    #[overridable]
    fn area(this: Borrow<'_, Self>, factor: f64) -> Result<f64, Error> {
        Ok(this.size.get() * factor)
    }

    #[overridable]
    #[name("label")]
    fn title(this: Borrow<'_, Self>, prefix: &str) -> Result<String, Error> {
        Ok(format!("{prefix}{}", this.size.get()))
    }

    #[overridable]
    fn notify(this: Borrow<'_, Self>) -> Result<(), Error> {
        this.size.set(-1.0);
        Ok(())
    }

    /// Gives back one of two shapes.
    #[overridable]
    fn choose(this: Borrow<'_, Self>, other: Ref<Shape>, points: Vec<i64>) -> Result<Ref<Shape>, Error> {
        Ok(if points.is_empty() { other } else { this.to_ref() })
    }

    /// Calls one of the overridable ones.
    fn twice(this: Borrow<'_, Self>) -> Result<f64, Error> {
        Ok(2.0 * Shape::area(this, 1.0)?)
    }

    /// The method as written, without looking.
    fn plain_area(this: Borrow<'_, Self>, factor: f64) -> f64 {
        this.size.get() * factor
    }
}

/// A type that extends it, and overrides nothing itself.
#[pairbond::object("pairbond_testext.Square", extends = Shape)]
pub(crate) struct Square {
    base: Shape,
}

#[pairbond::methods]
impl Square {
    #[new]
    fn new(size: f64) -> Self {
        Square {
            base: Shape::new(size),
        }
    }
}

#[pairbond::function]
pub(crate) fn area_of(shape: Borrow<'_, Shape>, #[default(1.0)] factor: f64) -> Result<f64, Error> {
    Shape::area(shape, factor)
}

/// The results of all methods but `notify`.
#[pairbond::function]
pub(crate) fn methods_of(
    shape: Borrow<'_, Shape>,
    other: Ref<Shape>,
) -> Result<(f64, String, Ref<Shape>), Error> {
    Shape::notify(shape)?;
    let chosen = Shape::choose(shape, other, vec![1, 2])?;
    Ok((Shape::area(shape, 2.0)?, Shape::title(shape, "<")?, chosen))
}

/// On a thread that Python does not know.
#[pairbond::function]
#[detach]
pub(crate) fn area_elsewhere(shape: Ref<Shape>, #[default(1)] times: usize) -> Result<f64, Error> {
    std::thread::spawn(move || {
        let mut sum = 0.0;
        for _ in 0..times {
            sum += Shape::area(shape.as_borrow(), 1.0)?;
        }
        Ok(sum)
    })
    .join()
    .map_err(|_| Error::runtime_error("the thread panicked"))?
}

static SHAPE: Mutex<Option<Ref<Shape>>> = Mutex::new(None);

#[pairbond::function]
pub(crate) fn keep_shape(shape: Option<Ref<Shape>>) {
    *SHAPE.lock().unwrap() = shape;
}

/// Of the shape that only native code holds.
#[pairbond::function]
pub(crate) fn kept_area() -> Result<f64, Error> {
    let shape = SHAPE.lock().unwrap().clone();
    shape.map_or(Ok(0.0), |shape| Shape::area(shape.as_borrow(), 1.0))
}

/// Nanoseconds for a call of the method, and of the same as written, measured `times` times: the
/// least of each.
#[pairbond::function]
pub(crate) fn time_area(shape: Borrow<'_, Shape>, times: usize) -> Result<(f64, f64), Error> {
    const CALLS: u32 = 10_000;
    let (mut looked, mut plain) = (f64::MAX, f64::MAX);
    for _ in 0..times {
        let start = std::time::Instant::now();
        for _ in 0..CALLS {
            std::hint::black_box(Shape::area(std::hint::black_box(shape), 2.0)?);
        }
        looked = looked.min(start.elapsed().as_nanos() as f64);
        let start = std::time::Instant::now();
        for _ in 0..CALLS {
            std::hint::black_box(Shape::__native_area(std::hint::black_box(shape), 2.0)?);
        }
        plain = plain.min(start.elapsed().as_nanos() as f64);
    }
    Ok((looked / f64::from(CALLS), plain / f64::from(CALLS)))
}

/// Which shape is larger, by its area.
#[pairbond::function]
#[overridable]
pub(crate) fn larger(
    one: Borrow<'_, Shape>,
    other: Ref<Shape>,
    #[default(1.0)] factor: f64,
) -> Result<Any, Error> {
    let bigger = Shape::area(one, factor)? >= Shape::area(other.as_borrow(), factor)?;
    Ok(if bigger { one.to_ref().into() } else { other.into() })
}

/// Its size, doubled.
#[pairbond::function]
#[overridable]
pub(crate) fn double_size(mut shape: Ref<Shape>) -> Result<f64, Error> {
    shape = shape.clone();
    Ok(shape.size.get() * 2.0)
}

/// Sets the size of one, if there is one.
#[pairbond::function]
#[overridable]
#[name("set_size")]
pub(crate) fn change_size(#[required] shape: Option<Ref<Shape>>, size: f64) -> Result<(), Error> {
    if let Some(shape) = shape {
        shape.size.set(size);
    }
    Ok(())
}

#[pairbond::function]
#[overridable]
pub(crate) fn size_of_any(shape: Any) -> Result<f64, Error> {
    Ok(shape.downcast::<Shape>().map_or(-1.0, |shape| shape.size.get()))
}

/// Rust code that calls the function, on a thread that Python does not know.
#[pairbond::function]
#[detach]
pub(crate) fn double_size_elsewhere(shape: Ref<Shape>) -> Result<f64, Error> {
    std::thread::spawn(move || double_size(shape))
        .join()
        .map_err(|_| Error::runtime_error("the thread panicked"))?
}

/// Nanoseconds for a call of the function, and of the same as written, measured `times` times: the
/// least of each.
#[pairbond::function]
pub(crate) fn time_double_size(shape: Ref<Shape>, times: usize) -> Result<(f64, f64), Error> {
    const CALLS: u32 = 10_000;
    let (mut looked, mut plain) = (f64::MAX, f64::MAX);
    for _ in 0..times {
        let start = std::time::Instant::now();
        for _ in 0..CALLS {
            std::hint::black_box(double_size(std::hint::black_box(shape.clone()))?);
        }
        looked = looked.min(start.elapsed().as_nanos() as f64);
        let start = std::time::Instant::now();
        for _ in 0..CALLS {
            std::hint::black_box(__native_double_size(std::hint::black_box(shape.clone()))?);
        }
        plain = plain.min(start.elapsed().as_nanos() as f64);
    }
    Ok((looked / f64::from(CALLS), plain / f64::from(CALLS)))
}
