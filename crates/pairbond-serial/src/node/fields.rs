//! Objects whose fields are written one by one, each by the function that its type's binary
//! registered for it.

use std::ffi::c_void;

use super::super::graph::Token;
use super::super::load::Loader;
use super::super::plan::{ByFields, Origin, Slot};
use super::{Made, new_object};
use pairbond_core::error::{Error, panics};
use pairbond_core::memory::Room;
use pairbond_core::object::{ErasedRef, Header};
use pairbond_core::types::TypeInfo;
use pairbond_tree::Links;
use pairbond_value::carry::{Fault, Item, Loading, NextParts, status, take_error};
use pairbond_value::value::Any;

/// The source of the parts that a [`Loading`] takes.
struct Source<'a> {
    loader: &'a mut Loader,
    end: usize,
    /// Objects that are missing.
    needs: Vec<u32>,
}

const NEXT_PARTS: NextParts = NextParts {
    none: take_none,
    next: next_part,
    skip: skip_value,
};

unsafe extern "C-unwind" fn next_part(loading: *mut Loading, item: *mut Item, error: *mut Any) -> u8 {
    // SAFETY: made by `loading`, which lends its source; places of the caller.
    unsafe {
        let loading = &mut *loading;
        let source = &mut *loading.context().cast::<Source<'_>>();
        let next = panics::catch_panic(|| source.next(loading));
        status::to_status(next.map(|next| *item = next), &mut *error)
    }
}

unsafe extern "C-unwind" fn skip_value(loading: *mut Loading, error: *mut Any) -> u8 {
    // SAFETY: made by `loading`, which lends its source; places of the caller.
    unsafe {
        let loading = &mut *loading;
        let source = &mut *loading.context().cast::<Source<'_>>();
        let behind = source.loader.graph.end_of_value(loading.next_place(), source.end);
        let skipped = behind.map(|at| loading.go_to(at)).ok_or_else(missing_values);
        status::to_status(skipped, &mut *error)
    }
}

unsafe extern "C-unwind" fn take_none(loading: *mut Loading) -> bool {
    // SAFETY: made by `loading`, which lends its source; places of the caller.
    unsafe {
        let loading = &mut *loading;
        let source = &mut *loading.context().cast::<Source<'_>>();
        let at = loading.next_place();
        let is_none = at < source.end && matches!(source.loader.graph.tokens[at], Token::None);
        loading.go_to(at + usize::from(is_none));
        is_none
    }
}

fn missing_values() -> Fault {
    Fault::Error(Error::value_error("the data is damaged: values are missing"))
}

impl Source<'_> {
    fn next(&mut self, loading: &mut Loading) -> Result<Item, Fault> {
        let at = loading.next_place();
        if at >= self.end {
            return Err(missing_values());
        }
        let token = self.loader.graph.tokens[at].clone();
        loading.go_to(at + 1);
        match token {
            Token::Sequence(n) => Ok(Item::Sequence(n as usize)),
            Token::Bag(n) => Ok(Item::Bag(n as usize)),
            Token::Pairs(n) => Ok(Item::Pairs(n as usize)),
            token => match self.loader.token_value(&token)? {
                Some(value) => Ok(Item::Any(value)),
                None => {
                    if let (true, Token::Node(node) | Token::Weak(node)) = (loading.is_hard(), token) {
                        self.needs.room().push(node);
                    }
                    Err(Fault::Wait)
                }
            },
        }
    }

    fn start_loading(&mut self, at: usize, object: *const Header) -> Loading {
        let context = std::ptr::from_mut(self).cast::<c_void>();
        // SAFETY: the context is this, which outlives the loading, as the object does.
        unsafe { Loading::new(at, context, NEXT_PARTS, object) }
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
        // SAFETY: the field's value in the value at `value` is written; dropped once: the caller
        // ensures it.
        unsafe {
            let place = value.add(self.field.offset);
            match self.from {
                Origin::Data(_, table) => (table.drop)(place),
                Origin::Default(default) => (default.drop)(place),
                // It has nothing to drop.
                Origin::Links => {}
            }
        }
    }
}

impl Loader {
    pub(super) fn by_fields(&mut self, node: u32, plan: &ByFields) -> Result<Made, Error> {
        let range = self.graph.token_range(node);
        let starts = if plan.straight {
            Vec::new()
        } else {
            self.value_starts(node, plan)?
        };
        let mut source = Source {
            end: range.end,
            loader: self,
            needs: Vec::new(),
        };
        let mut loading = source.start_loading(range.start, std::ptr::null());
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
                            let mut error = Any::None;
                            if waits || (default.write)(place, slot.field, (&raw mut error).cast()) {
                                Ok(!waits)
                            } else {
                                Err(in_field(take_error(error), plan.info, slot))
                            }
                        }
                        Origin::Links => {
                            place.cast::<Links>().write(Links::new());
                            Ok(!waits)
                        }
                        Origin::Data(at, table) => {
                            if let Some(start) = starts.get(at) {
                                loading.go_to(*start);
                            }
                            let mut error = Any::None;
                            let code = (table.load)(
                                place,
                                slot.field,
                                (&raw mut loading).cast(),
                                (&raw mut error).cast(),
                            );
                            match status::from_status(code, error) {
                                Ok(()) if waits => {
                                    (table.drop)(place);
                                    Ok(false)
                                }
                                Ok(()) => Ok(true),
                                Err(Fault::Wait) => Ok(false),
                                Err(Fault::Error(error)) => Err(in_field(error, plan.info, slot)),
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
                if plan.straight && loading.next_place() != range.end {
                    return Err(surplus_values(plan.info));
                }
                std::mem::forget(written);
                Ok(())
            })
        };
        let (vacant, needs) = (loading.is_vacant(), source.needs);
        match object {
            Ok(object) => Ok((Some((object, vacant)), Vec::new())),
            Err(_) if waits => Ok((None, needs)),
            Err(error) => Err(error),
        }
    }

    pub(super) fn finish_fields(
        &mut self,
        node: u32,
        plan: &ByFields,
        object: &ErasedRef,
    ) -> Result<(), Error> {
        let range = self.graph.token_range(node);
        let starts = self.value_starts(node, plan)?;
        let value = object.header().value_ptr().cast_const();
        let mut source = Source {
            end: range.end,
            loader: self,
            needs: Vec::new(),
        };
        let mut loading = source.start_loading(range.start, object.header());
        for slot in &plan.slots {
            if let Origin::Data(at, table) = slot.from {
                loading.go_to(starts[at]);
                let mut error = Any::None;
                // SAFETY: a living value of the type, whose field this is.
                let code = unsafe {
                    let place = value.add(slot.field.offset);
                    (table.finish)(
                        place,
                        slot.field,
                        (&raw mut loading).cast(),
                        (&raw mut error).cast(),
                    )
                };
                match status::from_status(code, error) {
                    Ok(()) => {}
                    Err(Fault::Error(error)) => return Err(in_field(error, plan.info, slot)),
                    Err(Fault::Wait) => return Err(self.never_error(node)),
                }
            }
        }
        Ok(())
    }

    /// Where the values of a node begin.
    fn value_starts(&self, node: u32, plan: &ByFields) -> Result<Vec<usize>, Error> {
        let range = self.graph.token_range(node);
        let (mut starts, mut at) = (Vec::new(), range.start);
        while at < range.end {
            starts.room().push(at);
            at = self.graph.end_of_value(at, range.end).unwrap_or(range.end);
        }
        if starts.len() != plan.values {
            return Err(surplus_values(plan.info));
        }
        Ok(starts)
    }
}

#[cold]
fn in_field(error: Error, info: &TypeInfo, slot: &Slot) -> Error {
    Error::new(
        error.kind().clone(),
        format!("{}.{}: {}", info.key(), slot.field.name, error.message()),
    )
}

#[cold]
fn surplus_values(info: &TypeInfo) -> Error {
    Error::value_error(format!(
        "the data is damaged: another number of values than {} has fields",
        info.key()
    ))
}
