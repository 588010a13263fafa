//! Making the object of one node, and filling the places that it had to leave vacant.
//!
//! `contents` reads the elements of containers and arrays, `fields` writes fields.
//!
//! The only file that makes objects of types that it does not know when it is compiled. Memory
//! comes from where all objects' memory comes from, with the registered layout; the values of the
//! fields are written by the functions that the type's own binary registered for them; the
//! collector is told of an object whose every field is written, and of no other.

use super::load::Loader;
use super::plan::Plan;
use pairbond_core::error::Error;
use pairbond_core::object::{ErasedRef, RawObject, Ref};
use pairbond_core::types::TypeInfo;
use pairbond_value::value::{Any, FrozenMapBody, ListBody, MapBody, SetBody, Table, TupleBody};

mod contents;
mod fields;

/// An object and whether something of it is vacant; or which objects it needs.
type Made = (Option<(ErasedRef, bool)>, Vec<u32>);

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
            Plan::List(kind) => match self.load_items(node, *kind, "the list holds", true)? {
                Ok(items) => done(Ref::new(ListBody::of_kind(*kind, items)).into_erased(), false),
                Err(_) => done(Ref::new(ListBody::of_kind(*kind, Vec::new())).into_erased(), true),
            },
            Plan::Tuple(kind) => match self.load_items(node, *kind, "the tuple holds", false)? {
                Ok(items) => done(Ref::new(TupleBody::of_kind(*kind, items)).into_erased(), false),
                Err(needs) => Ok((None, needs)),
            },
            // Keys may be hashed by vacant places now.
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
                let there =
                    self.simple_keys(node, 2) && self.load_entries(node, *keys, *values, true)?.is_ok();
                if there {
                    self.fill_map(node, &body, *keys, *values)?;
                }
                done(Ref::new(body).into_erased(), !there)
            }
            Plan::FrozenMap(keys, values) => match self.load_entries(node, *keys, *values, false)? {
                Ok(entries) => {
                    let mut table = Table::default();
                    for (key, value) in entries {
                        table.put_if_absent(key, value)?;
                    }
                    done(
                        Ref::new(FrozenMapBody::from_table(*keys, *values, table)).into_erased(),
                        false,
                    )
                }
                Err(needs) => Ok((None, needs)),
            },
            Plan::Array => done(self.load_array(node)?.into_erased(), false),
            Plan::Hooks(info) => self.by_hooks(node, info),
            Plan::Fields(plan) => self.by_fields(node, plan),
        }
    }

    /// Fills the vacant places.
    pub(super) fn fill_node(&mut self, node: u32) -> Result<(), Error> {
        let plans = std::mem::take(&mut self.plans);
        let plan = &plans[self.graph.nodes[node as usize].schema as usize];
        let object = self.node(node as usize)?;
        let borrow = object.as_borrow();
        let filled = match plan {
            Plan::List(kind) => match (
                borrow.downcast::<ListBody>(),
                self.load_items(node, *kind, "the list holds", true)?,
            ) {
                (Some(body), Ok(items)) => {
                    drop(body.get().change_items(|place| std::mem::replace(place, items)));
                    Ok(())
                }
                _ => Err(self.never_error(node)),
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
    pub(super) fn finish_node(&mut self, node: u32) -> Result<(), Error> {
        match self.plan(node) {
            // SAFETY: a living value of the type.
            Plan::Fields(plan) => unsafe {
                let object = self.node(node as usize)?;
                plan.info
                    .carrying()
                    .check_loaded(object.header().value_ptr().cast_const())
            },
            _ => Ok(()),
        }
    }

    #[cold]
    fn never_error(&self, node: u32) -> Error {
        Error::value_error(format!(
            "something that a {} refers to never came",
            self.graph.schema(node).key
        ))
    }

    fn by_hooks(&mut self, node: u32, info: &'static TypeInfo) -> Result<Made, Error> {
        let range = self.graph.token_range(node);
        if range.len() != 1 {
            return Err(Error::value_error(format!(
                "the data is damaged: {} is written as one value",
                info.key()
            )));
        }
        let mut data = Any::None;
        let all = self.container_values(node, false, |value| {
            data = value;
            Ok(())
        })?;
        if let Err(needs) = all {
            return Ok((None, needs));
        }
        // SAFETY: the function writes a value, or says that it did not.
        let object = unsafe { new_object(info, |place| info.carrying().load_object(&data, place)) };
        object.map(|object| (Some((object, false)), Vec::new()))
    }
}

/// A new object whose value `write` writes, or does not and says why.
///
/// # Safety
/// On success there is a value of the type.
unsafe fn new_object(
    info: &'static TypeInfo,
    write: impl FnOnce(*mut u8) -> Result<(), Error>,
) -> Result<ErasedRef, Error> {
    // SAFETY: on success there is a value of the type: the caller ensures it.
    unsafe { Ok(RawObject::from_writer(info, write)?.finish()?) }
}
