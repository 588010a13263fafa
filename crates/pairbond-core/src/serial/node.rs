//! Making the object of one node, and filling what it had to leave vacant.
//!
//! The only file that makes objects of types that it does not know when it is compiled. Memory comes from where all objects' memory comes from, with
//! the registered layout; the values of the fields are written by the functions that the type's own binary registered for them; the collector is told of an
//! object whose every field is written, and of no other.

use std::ffi::c_void;

use super::carry::{Fault, Item, Loading, status};
use super::graph::{Buffer, Token};
use super::load::Loader;
use super::plan::{ByFields, Origin, Plan, Slot};
use crate::error::Error;
use crate::object::{ErasedRef, Ref, Unfinished};
use crate::types::TypeInfo;
use crate::value::{
    Access, Any, Array, ArrayBody, FrozenMapBody, Kind, ListBody, MapBody, SetBody, Table, TupleBody,
};

/// What a [`Loading`] takes its parts from.
struct Source<'a> {
    loader: &'a mut Loader,
    end: usize,
    /// Objects that are missing.
    needs: Vec<u32>,
}

/// An object and whether something of it is vacant; or which objects it needs.
type Made = (Option<(ErasedRef, bool)>, Vec<u32>);

unsafe extern "C-unwind" fn next(loading: *mut Loading, item: *mut Item, error: *mut Any) -> u8 {
    // SAFETY: made by `loading`, which lends its source; places of the caller.
    unsafe {
        let loading = &mut *loading;
        let source = &mut *loading.context.cast::<Source<'_>>();
        status::give(source.next(loading).map(|next| *item = next), &mut *error)
    }
}

unsafe extern "C-unwind" fn skip(loading: *mut Loading, error: *mut Any) -> u8 {
    // SAFETY: as above.
    unsafe {
        let loading = &mut *loading;
        let source = &mut *loading.context.cast::<Source<'_>>();
        let behind = source.loader.graph.behind(loading.at, source.end);
        let skipped = behind.map(|at| loading.at = at).ok_or_else(few);
        status::give(skipped, &mut *error)
    }
}

unsafe extern "C-unwind" fn none(loading: *mut Loading) -> bool {
    // SAFETY: as above.
    unsafe {
        let loading = &mut *loading;
        let source = &mut *loading.context.cast::<Source<'_>>();
        let is_none =
            loading.at < source.end && matches!(source.loader.graph.tokens[loading.at], Token::None);
        loading.at += usize::from(is_none);
        is_none
    }
}

fn few() -> Fault {
    Fault::Error(Error::value_error("the data is damaged: values are missing"))
}

impl Source<'_> {
    fn next(&mut self, loading: &mut Loading) -> Result<Item, Fault> {
        if loading.at >= self.end {
            return Err(few());
        }
        let token = self.loader.graph.tokens[loading.at].clone();
        loading.at += 1;
        match token {
            Token::Sequence(n) => Ok(Item::Sequence(n as usize)),
            Token::Bag(n) => Ok(Item::Bag(n as usize)),
            Token::Pairs(n) => Ok(Item::Pairs(n as usize)),
            token => match self.loader.value(&token)? {
                Some(value) => Ok(Item::Any(value)),
                None => {
                    if let (0, Token::Node(node) | Token::Weak(node)) = (loading.soft, token) {
                        self.needs.push(node);
                    }
                    Err(Fault::Wait)
                }
            },
        }
    }

    fn loading(&mut self, at: usize) -> Loading {
        Loading {
            at,
            soft: 0,
            vacant: false,
            context: std::ptr::from_mut(self).cast::<c_void>(),
            none,
            next,
            skip,
        }
    }
}

/// Fields whose values are written: drops them when the object does not come to be.
struct Written<'p> {
    slots: &'p [Slot],
    count: usize,
    value: *mut u8,
}

impl Drop for Written<'_> {
    #[cold]
    fn drop(&mut self) {
        for slot in &self.slots[..std::mem::take(&mut self.count)] {
            // SAFETY: written, and dropped once.
            unsafe { slot.drop_at(self.value) }
        }
    }
}

impl Slot {
    /// # Safety
    /// The field's value in the value at `value` is written; dropped once.
    unsafe fn drop_at(&self, value: *mut u8) {
        // SAFETY: promised.
        unsafe {
            let place = value.add(self.field.offset);
            match self.from {
                Origin::Data(_, table) => (table.drop)(place),
                Origin::Default(default) => (default.drop)(place),
            }
        }
    }
}

impl Loader {
    /// Makes the object of a node, if all that it cannot wait for is there.
    pub(super) fn make_node(&mut self, node: u32) -> Result<Made, Error> {
        let plans = std::mem::take(&mut self.plans);
        let plan = &plans[self.graph.nodes[node as usize].schema as usize];
        let made = self.make_by(node, plan);
        self.plans = plans;
        made
    }

    fn make_by(&mut self, node: u32, plan: &Plan) -> Result<Made, Error> {
        let done = |object: ErasedRef, vacant| Ok((Some((object, vacant)), Vec::new()));
        match plan {
            Plan::List(kind) => match self.items(node, *kind, "the list holds", true)? {
                Ok(items) => done(Ref::new(ListBody::of_kind(*kind, items)).into_erased(), false),
                Err(_) => done(Ref::new(ListBody::of_kind(*kind, Vec::new())).into_erased(), true),
            },
            Plan::Tuple(kind) => match self.items(node, *kind, "the tuple holds", false)? {
                Ok(items) => done(Ref::new(TupleBody::of_kind(*kind, items)).into_erased(), false),
                Err(needs) => Ok((None, needs)),
            },
            // Keys may be hashed by what is vacant now.
            Plan::Set(kind) => {
                let body = SetBody::of_kind(*kind);
                match self.simple_keys(node, 1) {
                    true => {
                        self.fill_set(node, &body)?;
                        done(Ref::new(body).into_erased(), false)
                    }
                    false => done(Ref::new(body).into_erased(), true),
                }
            }
            Plan::Map(keys, values) => {
                let body = MapBody::of_kinds(*keys, *values);
                let there = self.simple_keys(node, 2) && self.entries(node, *keys, *values, true)?.is_ok();
                if there {
                    self.fill_map(node, &body, *keys, *values)?;
                }
                done(Ref::new(body).into_erased(), !there)
            }
            Plan::FrozenMap(keys, values) => match self.entries(node, *keys, *values, false)? {
                Ok(entries) => {
                    let mut table = Table::default();
                    for (key, value) in entries {
                        table.put(key, value)?;
                    }
                    done(
                        Ref::new(FrozenMapBody::of(*keys, *values, table)).into_erased(),
                        false,
                    )
                }
                Err(needs) => Ok((None, needs)),
            },
            Plan::Array => done(self.array(node)?.into_erased(), false),
            Plan::Hooks(info) => self.by_hooks(node, info),
            Plan::Fields(plan) => self.by_fields(node, plan),
        }
    }

    /// Fills what was left vacant.
    pub(super) fn fill(&mut self, node: u32) -> Result<(), Error> {
        let plans = std::mem::take(&mut self.plans);
        let plan = &plans[self.graph.nodes[node as usize].schema as usize];
        let object = self.node(node as usize)?;
        let borrow = object.as_borrow();
        let filled = match plan {
            Plan::List(kind) => match (
                borrow.downcast::<ListBody>(),
                self.items(node, *kind, "the list holds", true)?,
            ) {
                (Some(body), Ok(items)) => {
                    drop(body.get().change(|place| std::mem::replace(place, items)));
                    Ok(())
                }
                _ => Err(self.never(node)),
            },
            Plan::Set(_) => borrow
                .downcast::<SetBody>()
                .map_or(Ok(()), |body| self.fill_set(node, body.get())),
            Plan::Map(keys, values) => borrow
                .downcast::<MapBody>()
                .map_or(Ok(()), |body| self.fill_map(node, body.get(), *keys, *values)),
            Plan::Fields(plan) => self.finish_fields(node, plan, &object),
            _ => Ok(()),
        };
        self.plans = plans;
        filled
    }

    /// Lets the type look at a finished object.
    pub(super) fn look(&mut self, node: u32) -> Result<(), Error> {
        match self.plan(node) {
            // SAFETY: a living value of the type.
            Plan::Fields(plan) => unsafe {
                let object = self.node(node as usize)?;
                plan.info.carrying().look(object.header().value().cast_const())
            },
            _ => Ok(()),
        }
    }

    #[cold]
    fn never(&self, node: u32) -> Error {
        Error::value_error(format!(
            "something that a {} refers to never came",
            self.graph.schema(node).key
        ))
    }

    /// Whether all keys are plain values, which hash alike whatever is there. (`step`: 1 for sets, 2 for maps.)
    fn simple_keys(&self, node: u32, step: usize) -> bool {
        let tokens = &self.graph.tokens[self.graph.range(node)];
        let is_simple = |token: &Token| {
            matches!(
                token,
                Token::None
                    | Token::Bool(_)
                    | Token::Int(_)
                    | Token::BigInt(_)
                    | Token::Float(_)
                    | Token::Str(_)
                    | Token::Bytes(_)
            )
        };
        tokens.iter().step_by(step).all(is_simple)
    }

    /// The values of a container, or what is missing.
    fn values(
        &mut self,
        node: u32,
        soft: bool,
        mut take: impl FnMut(Any) -> Result<(), Error>,
    ) -> Result<Result<(), Vec<u32>>, Error> {
        let (mut needs, mut waits) = (Vec::new(), false);
        for at in self.graph.range(node) {
            let token = self.graph.tokens[at].clone();
            match self.value(&token)? {
                Some(value) if !waits => take(value)?,
                Some(_) => {}
                None => {
                    waits = true;
                    if let Token::Node(node) | Token::Weak(node) = token {
                        needs.push(node);
                    }
                    if soft {
                        break;
                    }
                }
            }
        }
        Ok(if waits { Err(needs) } else { Ok(()) })
    }

    fn items(
        &mut self,
        node: u32,
        kind: Kind,
        what: &str,
        soft: bool,
    ) -> Result<Result<Vec<Any>, Vec<u32>>, Error> {
        let mut items = Vec::with_capacity(self.graph.range(node).len());
        let all = self.values(node, soft, |value| {
            items.push(kind.check(value, what)?);
            Ok(())
        })?;
        Ok(all.map(|()| items))
    }

    #[allow(clippy::type_complexity)]
    fn entries(
        &mut self,
        node: u32,
        keys: Kind,
        values: Kind,
        soft: bool,
    ) -> Result<Result<Vec<(Any, Any)>, Vec<u32>>, Error> {
        let count = self.graph.range(node).len();
        if !count.is_multiple_of(2) {
            return Err(Error::value_error("the data is damaged: a key without a value"));
        }
        let (mut entries, mut key) = (Vec::with_capacity(count / 2), None);
        let all = self.values(node, soft, |value| {
            match key.take() {
                None => key = Some(keys.check(value, "the keys of the map are")?),
                Some(key) => entries.push((key, values.check(value, "the values of the map are")?)),
            }
            Ok(())
        })?;
        Ok(all.map(|()| entries))
    }

    fn fill_set(&mut self, node: u32, body: &SetBody) -> Result<(), Error> {
        let Ok(items) = self.items(node, body.kind(), "the set holds", true)? else {
            return Err(self.never(node));
        };
        let mut table = Table::default();
        items.into_iter().try_for_each(|item| table.put(item, ()))?;
        body.entries().change(|place| place.swap(&mut table));
        Ok(())
    }

    fn fill_map(&mut self, node: u32, body: &MapBody, keys: Kind, values: Kind) -> Result<(), Error> {
        let Ok(entries) = self.entries(node, keys, values, true)? else {
            return Err(self.never(node));
        };
        let mut table = Table::default();
        entries
            .into_iter()
            .try_for_each(|(key, value)| table.put(key, value))?;
        body.entries().change(|place| place.swap(&mut table));
        Ok(())
    }

    fn array(&mut self, node: u32) -> Result<Ref<ArrayBody>, Error> {
        let wrong = || Error::value_error("the data is damaged: no array");
        let range = self.graph.range(node);
        let tokens = &self.graph.tokens[range];
        let [Token::DType(dtype), Token::Sequence(axes), rest @ ..] = tokens else {
            return Err(wrong());
        };
        let axes = *axes as usize;
        let (Some(shape), Some([Token::Int(access), Token::Buffer(buffer)])) =
            (rest.get(..axes), rest.get(axes..))
        else {
            return Err(wrong());
        };
        let size = |token: &Token| match token {
            Token::Int(n) => usize::try_from(*n).map_err(|_| wrong()),
            _ => Err(wrong()),
        };
        let shape = shape.iter().map(size).collect::<Result<Vec<usize>, Error>>()?;
        let access = match access {
            0 => Access::Writable,
            1 => Access::ReadOnly,
            2 => Access::Constant,
            _ => return Err(wrong()),
        };
        match self.buffer(*buffer) {
            // What can be written by others is not constant.
            Buffer::Lent(array) if access == Access::Constant => {
                ArrayBody::of_copy(array, *dtype, &shape, access)
            }
            Buffer::Lent(array) => ArrayBody::of_part(array, *dtype, &shape, access),
            Buffer::Bytes(bytes) => ArrayBody::of_copy(&Array::from(bytes.clone()), *dtype, &shape, access),
            Buffer::Array(array) => ArrayBody::of_copy(array, *dtype, &shape, access),
        }
        .map(Ref::new)
    }

    fn by_hooks(&mut self, node: u32, info: &'static TypeInfo) -> Result<Made, Error> {
        let range = self.graph.range(node);
        if range.len() != 1 {
            return Err(Error::value_error(format!(
                "the data is damaged: {} is written as one value",
                info.key()
            )));
        }
        let mut data = Any::None;
        let all = self.values(node, false, |value| {
            data = value;
            Ok(())
        })?;
        if let Err(needs) = all {
            return Ok((None, needs));
        }
        // SAFETY: the function writes a value, or says that it did not.
        let object = unsafe { new_object(info, |place| info.carrying().load(&data, place)) };
        object.map(|object| (Some((object, false)), Vec::new()))
    }

    fn by_fields(&mut self, node: u32, plan: &ByFields) -> Result<Made, Error> {
        let range = self.graph.range(node);
        let starts = if plan.straight {
            Vec::new()
        } else {
            self.starts(node, plan)?
        };
        let mut source = Source {
            end: range.end,
            loader: self,
            needs: Vec::new(),
        };
        let mut loading = source.loading(range.start);
        let mut waits = false;
        // SAFETY: on success each field is written.
        let object = unsafe {
            new_object(plan.info, |value| {
                let mut written = Written {
                    slots: &plan.slots,
                    count: 0,
                    value,
                };
                for slot in &plan.slots {
                    let place = value.add(slot.field.offset);
                    let done = match slot.from {
                        Origin::Default(default) => {
                            if !waits {
                                (default.write)(place, slot.field);
                            }
                            Ok(!waits)
                        }
                        Origin::Data(at, table) => {
                            if let Some(start) = starts.get(at) {
                                loading.at = *start;
                            }
                            let mut error = Any::None;
                            let code = (table.load)(place, slot.field, &mut loading, &mut error);
                            match status::take(code, error) {
                                Ok(()) if waits => {
                                    (table.drop)(place);
                                    Ok(false)
                                }
                                Ok(()) => Ok(true),
                                Err(Fault::Wait) => Ok(false),
                                Err(Fault::Error(error)) => Err(named(error, plan.info, slot)),
                            }
                        }
                    };
                    if done? {
                        written.count += 1;
                    } else if !waits {
                        waits = true;
                        drop(std::mem::replace(
                            &mut written,
                            Written {
                                slots: &plan.slots,
                                count: 0,
                                value,
                            },
                        ));
                    }
                }
                if waits {
                    return Err(Error::runtime_error("not yet"));
                }
                if plan.straight && loading.at != range.end {
                    return Err(surplus(plan.info));
                }
                std::mem::forget(written);
                Ok(())
            })
        };
        let (vacant, needs) = (loading.vacant, source.needs);
        match object {
            Ok(object) => Ok((Some((object, vacant)), Vec::new())),
            Err(_) if waits => Ok((None, needs)),
            Err(error) => Err(error),
        }
    }

    fn finish_fields(&mut self, node: u32, plan: &ByFields, object: &ErasedRef) -> Result<(), Error> {
        let range = self.graph.range(node);
        let starts = self.starts(node, plan)?;
        let value = object.header().value().cast_const();
        let mut source = Source {
            end: range.end,
            loader: self,
            needs: Vec::new(),
        };
        let mut loading = source.loading(range.start);
        for slot in &plan.slots {
            if let Origin::Data(at, table) = slot.from {
                loading.at = starts[at];
                let mut error = Any::None;
                // SAFETY: a living value of the type, whose field this is.
                let code = unsafe {
                    (table.finish)(value.add(slot.field.offset), slot.field, &mut loading, &mut error)
                };
                match status::take(code, error) {
                    Ok(()) => {}
                    Err(Fault::Error(error)) => return Err(named(error, plan.info, slot)),
                    Err(Fault::Wait) => return Err(self.never(node)),
                }
            }
        }
        Ok(())
    }

    /// Where the values of a node begin.
    fn starts(&self, node: u32, plan: &ByFields) -> Result<Vec<usize>, Error> {
        let range = self.graph.range(node);
        let (mut starts, mut at) = (Vec::with_capacity(plan.values), range.start);
        while at < range.end {
            starts.push(at);
            at = self.graph.behind(at, range.end).unwrap_or(range.end);
        }
        if starts.len() != plan.values {
            return Err(surplus(plan.info));
        }
        Ok(starts)
    }
}

#[cold]
fn named(error: Error, info: &TypeInfo, slot: &Slot) -> Error {
    Error::new(
        error.kind().clone(),
        format!("{}.{}: {}", info.key(), slot.field.name, error.message()),
    )
}

#[cold]
fn surplus(info: &TypeInfo) -> Error {
    Error::value_error(format!(
        "the data is damaged: another number of values than {} has fields",
        info.key()
    ))
}

/// A new object whose value `write` writes, or does not and says why.
///
/// # Safety
/// On success there is a value of the type.
unsafe fn new_object(
    info: &'static TypeInfo,
    write: impl FnOnce(*mut u8) -> Result<(), Error>,
) -> Result<ErasedRef, Error> {
    let (unfinished, home) = Unfinished::new(info, None, 0)?;
    write(unfinished.value())?;
    // SAFETY: the value is written: promised.
    unsafe { Ok(ErasedRef::from_raw(unfinished.finish(home, info.is_traced()))) }
}
