//! `repr` by fields, for the option of that name: `Node(name='x', size=3)`.
//!
//! * It never raises: a field that cannot be read is shown as `<ValueError>`. Only exceptions that
//!   are no errors, such as `KeyboardInterrupt`, go through.
//! * An object inside of itself, one that is too deep, and objects after [`MOST`] others are shown
//!   as `Node(...)`, so that the text of a graph ends.
//! * Fields are read and shown by the attached frontend: a subclass may define them anew.

use std::cell::{Cell, RefCell};

use super::Class;
use crate::error::Error;
use crate::frontend::{Frontend, attached_frontend};
use crate::object::Borrow;
use crate::value::{Any, FrontendValues, Part};

/// Objects inside of each other; as many as reprlib shows of nothing, and few enough for the
/// smallest stack.
const DEEPEST: usize = 32;
/// Objects in one text.
const MOST: usize = 1000;

thread_local! {
    /// The objects whose `repr` this thread makes, the outermost first.
    static UNDER_WAY: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
    /// How many are in the text so far.
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// An object whose `repr` is being made.
struct Level(usize);

impl Level {
    /// Returns `None` where the object is to be shown without its fields.
    fn enter_object(address: usize) -> Option<Self> {
        UNDER_WAY.with_borrow_mut(|all| {
            if all.is_empty() {
                COUNT.set(0);
            }
            COUNT.set(COUNT.get() + 1);
            let fits = all.len() < DEEPEST && COUNT.get() <= MOST && !all.contains(&address);
            fits.then(|| {
                all.push(address);
                Level(address)
            })
        })
    }
}

impl Drop for Level {
    fn drop(&mut self) {
        // A greenlet may have been suspended between the two, so it need not be the last.
        UNDER_WAY.with_borrow_mut(|all| all.retain(|it| *it != self.0));
    }
}

/// `Node(name='x', size=3)`: the class of an object, and its exposed fields.
///
/// # Errors
/// An exception that is no error: `KeyboardInterrupt`.
pub fn object_repr<T: Class>(object: Borrow<'_, T>) -> Result<String, Error> {
    let Some(frontend) = attached_frontend() else {
        return Ok(format!("{}(...)", T::info().name()));
    };
    let this = Any::from_object(object.to_ref().into_erased());
    let class = Part::Made("builtins.type", &[Part::Value(this.clone())]);
    let class = frontend.construct_value(&Part::Made("builtins.getattr", &[class, "__qualname__".into()]));
    let class = text_or_error(frontend, class)?;
    let Some(_level) = Level::enter_object(std::ptr::from_ref(object.header()).addr()) else {
        return Ok(format!("{class}(...)"));
    };
    let (mut all, mut done) = (String::new(), Ok(()));
    T::for_each_field(&mut |name| {
        if done.is_err() {
            return;
        }
        let value = Part::Made("builtins.getattr", &[Part::Value(this.clone()), name.into()]);
        match text_or_error(
            frontend,
            frontend.construct_value(&Part::Made("builtins.repr", &[value])),
        ) {
            Ok(value) => {
                let comma = if all.is_empty() { "" } else { ", " };
                all.push_str(&format!("{comma}{name}={value}"));
            }
            Err(error) => done = Err(error),
        }
    });
    done.map(|()| format!("{class}({all})"))
}

/// A text that the frontend made; of an error, its name.
fn text_or_error(frontend: Frontend, made: Result<Any, Error>) -> Result<String, Error> {
    let error = match made {
        Ok(Any::Str(text)) => return Ok(text.to_string()),
        Ok(other) => return Ok(other.describe()),
        Err(error) => error,
    };
    if let Some(exception) = error.foreign() {
        let parts = [
            Part::Value(exception.clone().into()),
            Part::Named("builtins.Exception"),
        ];
        let is_error = frontend.construct_value(&Part::Made("builtins.isinstance", &parts));
        if matches!(is_error, Ok(Any::Bool(false))) {
            return Err(error);
        }
    }
    let name = error.message().split(':').next().unwrap_or_default();
    Ok(format!("<{name}>"))
}
