//! Plain data: a frontend's lists, tuples and mappings as containers, and back, however deep.

use crate::c::call::{Call, any_of, read_arg, write_result};
use pairbond_core::error::Error;
use pairbond_core::memory::{try_collect, try_copy, try_push};
use pairbond_value::convert::{IntoValue, Mismatch, Sink, Source};
use pairbond_value::value::{Any, List, ListBody, Map, MapBody, TupleBody, with_recursion_guard};

/// An argument as data: a sequence or mapping of the frontend's language becomes a list or map, and
/// so do those inside.
pub(super) unsafe extern "C" fn get_data_arg(call: *mut Call, index: usize, out: *mut Any) -> bool {
    // SAFETY: the caller's call and place.
    unsafe { read_arg(call, index, "any value", out, data_of) }
}

fn data_of<'a, S: Source<'a>>(source: S) -> Result<Any, Mismatch> {
    let any = any_of(source)?;
    if !matches!(any, Any::Foreign(_)) {
        return Ok(any);
    }
    let inside = with_recursion_guard(|| {
        let mut items = Vec::new();
        let read = source.read_sequence(|_, item| {
            try_push(&mut items, data_of(item)?).map_err(Error::from)?;
            Ok(())
        });
        match read {
            Ok(_) => return Ok(Some(Any::from(items.into_iter().collect::<List<Any>>()))),
            Err(Mismatch::Type) => {}
            Err(other) => return Err(mismatch_error(other)),
        }
        let map: Map<Any, Any> = Map::new();
        let read = source.read_mapping(|key, value| {
            map.insert(data_of(key)?, data_of(value)?)?;
            Ok(())
        });
        match read {
            Ok(()) => Ok(Some(Any::from(map))),
            Err(Mismatch::Type) => Ok(None),
            Err(other) => Err(mismatch_error(other)),
        }
    })?;
    Ok(inside.unwrap_or(any))
}

fn mismatch_error(mismatch: Mismatch) -> Error {
    mismatch.into_error(|| "an element".into(), "plain data", || "a value".into())
}

/// A result as data: a list, tuple or map becomes one of the frontend's language, and so do those
/// inside.
pub(super) unsafe extern "C" fn give_data(call: *mut Call, value: *const Any) -> bool {
    // SAFETY: the caller's call, and a value that is alive during it.
    unsafe { write_result(call, |sink| Data((*value).clone()).into_value(sink)) }
}

struct Data(Any);

impl IntoValue for Data {
    fn into_value<S: Sink>(self, out: S) -> Result<S::Out, Error> {
        let Data(value) = self;
        with_recursion_guard(|| {
            if let Some(list) = value.downcast::<ListBody>() {
                let items = list.read(|items| try_copy(items))?;
                out.write_list(items.into_iter().map(Data))
            } else if let Some(tuple) = value.downcast::<TupleBody>() {
                let items = try_copy(tuple.items())?;
                out.write_tuple(items.len(), &mut |at, sink| {
                    Data(items[at].clone()).into_value(sink)
                })
            } else if let Some(map) = value.downcast::<MapBody>() {
                let pairs = map.entries().read(|table| {
                    try_collect(table.iter().map(|entry| (entry.key.clone(), entry.value.clone())))
                })?;
                out.write_mapping(pairs.into_iter().map(|(key, value)| (Data(key), Data(value))))
            } else {
                out.write_any(&value)
            }
        })
    }
}
