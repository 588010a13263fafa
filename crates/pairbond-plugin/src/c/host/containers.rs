//! Lists, maps, sets and tuples, as values.

use std::ffi::c_void;

use crate::c::errors::{Problem, catch_errors_as_bool};
use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::memory::{try_collect, try_copy, try_push};
use pairbond_core::object::Ref;
use pairbond_value::value::{Any, AnyRef, List, ListBody, Map, MapBody, Set, SetBody, Tuple, TupleBody};

type Each = unsafe extern "C" fn(*mut c_void, *const Any, *const Any, Problem) -> bool;

/// The container of a value.
///
/// # Safety
/// A value.
unsafe fn container_of<T: pairbond_core::object::Object>(
    value: *const Any,
    name: &str,
) -> Result<Ref<T>, Error> {
    // SAFETY: the caller's value.
    let value = unsafe { &*value };
    value
        .downcast::<T>()
        .ok_or_else(|| Error::type_error(format!("expected a {name}, got a {}", value.view().kind())))
}

/// Takes a value over.
///
/// # Safety
/// A value, which is taken.
unsafe fn take_value(value: *mut Any) -> Any {
    // SAFETY: the caller's value.
    unsafe { std::mem::take(&mut *value) }
}

fn index_error(index: usize, len: usize) -> Error {
    Error::index_error(format!("index {index} is out of range for {len} elements"))
}

/// Writes a new container.
///
/// # Safety
/// Places for a value and an error.
unsafe fn put_new(out: *mut Any, problem: Problem, make: impl FnOnce() -> Any) -> bool {
    // SAFETY: the caller's places.
    unsafe {
        catch_errors_as_bool(problem, || {
            out.write(make());
            Ok(())
        })
    }
}

pub(super) unsafe extern "C" fn list_new(out: *mut Any, problem: Problem) -> bool {
    // SAFETY: places for a value and an error. (The same below: values, and places for results and
    // errors.)
    unsafe { put_new(out, problem, || List::<Any>::new().into()) }
}

pub(super) unsafe extern "C" fn map_new(out: *mut Any, problem: Problem) -> bool {
    // SAFETY: as `list_new`.
    unsafe { put_new(out, problem, || Map::<Any, Any>::new().into()) }
}

pub(super) unsafe extern "C" fn set_new(out: *mut Any, problem: Problem) -> bool {
    // SAFETY: as `list_new`.
    unsafe { put_new(out, problem, || Set::<Any>::new().into()) }
}

/// The values are copied.
pub(super) unsafe extern "C" fn tuple_new(
    values: *const Any,
    count: usize,
    out: *mut Any,
    problem: Problem,
) -> bool {
    // SAFETY: as `list_new`; so many values.
    unsafe {
        catch_errors_as_bool(problem, || {
            let values = if count == 0 {
                &[]
            } else {
                std::slice::from_raw_parts(values, count)
            };
            out.write(try_copy(values)?.into_iter().collect::<Tuple<Any>>().into());
            Ok(())
        })
    }
}

/// How many elements a container has.
pub(super) unsafe extern "C" fn container_size(value: *const Any, out: *mut usize, problem: Problem) -> bool {
    // SAFETY: as `list_new`.
    unsafe {
        catch_errors_as_bool(problem, || {
            let any = &*value;
            let size = if let Some(list) = any.downcast::<ListBody>() {
                list.read(Vec::len)
            } else if let Some(map) = any.downcast::<MapBody>() {
                map.entries().read(pairbond_value::value::Table::len)
            } else if let Some(set) = any.downcast::<SetBody>() {
                set.entries().read(pairbond_value::value::Table::len)
            } else {
                container_of::<TupleBody>(value, "container")?.items().len()
            };
            out.write(size);
            Ok(())
        })
    }
}

/// An element of a list or tuple.
pub(super) unsafe extern "C" fn get_element(
    value: *const Any,
    index: usize,
    out: *mut Any,
    problem: Problem,
) -> bool {
    // SAFETY: as `list_new`.
    unsafe {
        catch_errors_as_bool(problem, || {
            let found = match (*value).downcast::<ListBody>() {
                Some(list) => list.read(|items| items.get(index).cloned().ok_or(items.len())),
                None => {
                    let tuple = container_of::<TupleBody>(value, "list or tuple")?;
                    let items = tuple.items();
                    items.get(index).cloned().ok_or(items.len())
                }
            };
            out.write(found.map_err(|len| index_error(index, len))?);
            Ok(())
        })
    }
}

pub(super) unsafe extern "C" fn list_set(
    list: *const Any,
    index: usize,
    value: *mut Any,
    problem: Problem,
) -> bool {
    // SAFETY: as `list_new`; the value is taken.
    unsafe {
        let value = take_value(value);
        catch_errors_as_bool(problem, || {
            let list = container_of::<ListBody>(list, "list")?;
            let value = list.check_value(value)?;
            // The old one is dropped after the lock was given back.
            let old = list.change_if(|items| {
                let len = items.len();
                let place = items.get_mut(index).ok_or_else(|| index_error(index, len))?;
                Ok::<_, Error>(std::mem::replace(place, value))
            })?;
            drop(old);
            Ok(())
        })
    }
}

pub(super) unsafe extern "C" fn list_insert(
    list: *const Any,
    index: usize,
    value: *mut Any,
    problem: Problem,
) -> bool {
    // SAFETY: as `list_new`; the value is taken.
    unsafe {
        let value = take_value(value);
        catch_errors_as_bool(problem, || {
            let list = container_of::<ListBody>(list, "list")?;
            let value = list.check_value(value)?;
            list.change_if(|items| {
                let at = if index == usize::MAX { items.len() } else { index };
                if at > items.len() {
                    return Err(index_error(at, items.len()));
                }
                try_push(items, value)?;
                items[at..].rotate_right(1);
                Ok(())
            })
        })
    }
}

pub(super) unsafe extern "C" fn list_remove(
    list: *const Any,
    index: usize,
    out: *mut Any,
    problem: Problem,
) -> bool {
    // SAFETY: as `list_new`.
    unsafe {
        catch_errors_as_bool(problem, || {
            let list = container_of::<ListBody>(list, "list")?;
            let removed = list.change_if(|items| {
                if index >= items.len() {
                    return Err(index_error(index, items.len()));
                }
                Ok(items.remove(index))
            })?;
            out.write(removed);
            Ok(())
        })
    }
}

/// Looks a key up in a map: `found` says whether `out` is written.
pub(super) unsafe extern "C" fn map_get(
    map: *const Any,
    key: *const Any,
    out: *mut Any,
    found: *mut bool,
    problem: Problem,
) -> bool {
    // SAFETY: as `list_new`.
    unsafe {
        catch_errors_as_bool(problem, || {
            let map = container_of::<MapBody>(map, "map")?;
            let key = AnyRef::from(&*key);
            let value = map.get(key.hash()?, key)?;
            found.write(value.is_some());
            if let Some(value) = value {
                out.write(value);
            }
            Ok(())
        })
    }
}

pub(super) unsafe extern "C" fn map_set(
    map: *const Any,
    key: *mut Any,
    value: *mut Any,
    problem: Problem,
) -> bool {
    // SAFETY: as `list_new`; key and value are taken.
    unsafe {
        let (key, value) = (take_value(key), take_value(value));
        catch_errors_as_bool(problem, || {
            let map = container_of::<MapBody>(map, "map")?;
            let (key, value) = (map.check_key(key)?, map.check_value(value)?);
            map.insert(AnyRef::from(&key).hash()?, key, value).map(drop)
        })
    }
}

/// Adds a value to a set: `added` says whether it is new.
pub(super) unsafe extern "C" fn set_add(
    set: *const Any,
    value: *mut Any,
    added: *mut bool,
    problem: Problem,
) -> bool {
    // SAFETY: as `list_new`; the value is taken.
    unsafe {
        let value = take_value(value);
        catch_errors_as_bool(problem, || {
            let set = container_of::<SetBody>(set, "set")?;
            let value = set.check_value(value)?;
            added.write(set.insert(AnyRef::from(&value).hash()?, value)?);
            Ok(())
        })
    }
}

pub(super) unsafe extern "C" fn set_contains(
    set: *const Any,
    value: *const Any,
    found: *mut bool,
    problem: Problem,
) -> bool {
    // SAFETY: as `list_new`.
    unsafe {
        catch_errors_as_bool(problem, || {
            let set = container_of::<SetBody>(set, "set")?;
            let value = AnyRef::from(&*value);
            found.write(set.contains(value.hash()?, value)?);
            Ok(())
        })
    }
}

/// Removes a key of a map, or an element of a set: `found` says whether it was there.
pub(super) unsafe extern "C" fn remove_key(
    container: *const Any,
    key: *const Any,
    found: *mut bool,
    problem: Problem,
) -> bool {
    // SAFETY: as `list_new`.
    unsafe {
        catch_errors_as_bool(problem, || {
            let key = AnyRef::from(&*key);
            let hash = key.hash()?;
            let was = match (*container).downcast::<MapBody>() {
                Some(map) => map.remove(hash, key)?.is_some(),
                None => container_of::<SetBody>(container, "map or set")?.remove(hash, key)?,
            };
            found.write(was);
            Ok(())
        })
    }
}

/// Shows every element of a container as it is now: of a map each key with its value, of others
/// each element with nothing.
pub(super) unsafe extern "C" fn for_each_element(
    value: *const Any,
    each: Each,
    context: *mut c_void,
    problem: Problem,
) -> bool {
    // SAFETY: as `list_new`; the function with its context.
    unsafe {
        catch_errors_as_bool(problem, || {
            let any = &*value;
            let all: Vec<(Any, Any)> = if let Some(list) = any.downcast::<ListBody>() {
                list.read(|items| try_collect(items.iter().map(|it| (it.clone(), Any::None))))?
            } else if let Some(map) = any.downcast::<MapBody>() {
                map.entries().read(|table| {
                    try_collect(table.iter().map(|entry| (entry.key.clone(), entry.value.clone())))
                })?
            } else if let Some(set) = any.downcast::<SetBody>() {
                set.entries()
                    .read(|table| try_collect(table.iter().map(|entry| (entry.key.clone(), Any::None))))?
            } else {
                let tuple = container_of::<TupleBody>(value, "container")?;
                try_collect(tuple.items().iter().map(|it| (it.clone(), Any::None)))?
            };
            for (key, value) in &all {
                let mut error = std::ptr::null_mut();
                if !each(context, key, value, &raw mut error) {
                    return Err(if error.is_null() {
                        Error::new(ErrorKind::StopIteration, "")
                    } else {
                        crate::c::errors::take_error(error)
                    });
                }
            }
            Ok(())
        })
    }
}
