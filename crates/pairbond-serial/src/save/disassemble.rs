//! Taking one object apart, each kind in its own way, and the schemas that say so.

use super::super::graph::{Buffer, Schema, Token};
use super::values::put_part_of_field;
use super::{Save, address_of};
use pairbond_core::error::Error;
use pairbond_core::memory::{try_collect, try_copy};
use pairbond_core::object::ErasedBorrow;
use pairbond_core::types::{FieldInfo, TypeInfo};
use pairbond_value::carry::Saver;
use pairbond_value::value::{
    Any, Array, ArrayBody, FrozenMapBody, Kind, ListBody, MapBody, SetBody, TupleBody,
};

impl Save<'_> {
    pub(super) fn take_apart(&mut self, object: ErasedBorrow<'_>) -> Result<u32, Error> {
        let info = object.header().info();
        if let Some(body) = object.downcast::<ListBody>() {
            let schema = self.container_schema(info, &[body.get().kind()]);
            let items = body.get().read(|items| try_copy(items))?;
            self.tokens.try_reserve(items.len())?;
            items.iter().try_for_each(|item| self.put_any(item, false))?;
            return Ok(schema);
        }
        if let Some(body) = object.downcast::<TupleBody>() {
            let schema = self.container_schema(info, &[body.get().kind()]);
            body.get()
                .items()
                .iter()
                .try_for_each(|item| self.put_any(item, true))?;
            return Ok(schema);
        }
        if let Some(body) = object.downcast::<SetBody>() {
            let schema = self.container_schema(info, &[body.get().kind()]);
            let keys =
                |table: &pairbond_value::value::Table<()>| try_collect(table.iter().map(|it| it.key.clone()));
            let items: Vec<Any> = body.get().entries().read(keys)?;
            items.iter().try_for_each(|item| self.put_any(item, false))?;
            return Ok(schema);
        }
        if let Some(body) = object.downcast::<MapBody>() {
            let schema = self.container_schema(info, &body.get().kinds());
            let entries: Vec<(Any, Any)> = body
                .get()
                .entries()
                .read(|table| try_collect(table.iter().map(|it| (it.key.clone(), it.value.clone()))))?;
            for (key, value) in &entries {
                self.put_any(key, false)?;
                self.put_any(value, false)?;
            }
            return Ok(schema);
        }
        if let Some(body) = object.downcast::<FrozenMapBody>() {
            let schema = self.container_schema(info, &body.get().kinds());
            for entry in body.get().table().iter() {
                self.put_any(&entry.key, true)?;
                self.put_any(&entry.value, true)?;
            }
            return Ok(schema);
        }
        if let Some(body) = object.downcast::<ArrayBody>() {
            let schema = self.container_schema(info, &[]);
            self.save_array(body.get())?;
            return Ok(schema);
        }
        self.by_type(info, object)
    }

    fn by_type(&mut self, info: &'static TypeInfo, object: ErasedBorrow<'_>) -> Result<u32, Error> {
        if info.is_node() {
            // An erased node has nothing that a copy could be made of.
            pairbond_tree::check_object(object.header())?;
        }
        let value = object.header().value_ptr().cast_const();
        let carrying = info.carrying();
        // SAFETY: a living value of the type.
        if let Some(data) = unsafe { carrying.save_object(value) } {
            let schema = self.container_schema(info, &[]);
            self.put_any(&data?, true)?;
            return Ok(schema);
        }
        if !carrying.is_by_fields() {
            return Err(Error::type_error(format!(
                "cannot take {} objects apart, to copy or write them: the type does not say how",
                info.key()
            )));
        }
        let schema = self.of_fields(info)?;
        let fields = std::mem::take(&mut self.fields[schema as usize]);
        let result = self.put_fields(&fields, value);
        self.fields[schema as usize] = fields;
        result.map(|()| schema)
    }

    fn put_fields(&mut self, fields: &[&'static FieldInfo], value: *const u8) -> Result<(), Error> {
        // SAFETY: the context is this, which outlives the saver.
        let mut saver = unsafe { Saver::new(std::ptr::from_mut(self).cast(), put_part_of_field) };
        for field in fields {
            let mut error = Any::None;
            let table = field.carry.expect("fields without were refused");
            // SAFETY: a living value of the type, whose field this is.
            let fine = unsafe {
                let place = value.add(field.offset);
                (table.save)(place, *field, (&raw mut saver).cast(), (&raw mut error).cast())
            };
            if !fine {
                return Err(pairbond_value::carry::take_error(error));
            }
        }
        Ok(())
    }

    fn of_fields(&mut self, info: &'static TypeInfo) -> Result<u32, Error> {
        if let Some(schema) = self.known.get(&(address_of(info), [None; 2])) {
            return Ok(*schema);
        }
        let all = super::super::plan::all_fields(info);
        for field in &all {
            if field.carry.is_none() && super::super::plan::is_carried(info, field) {
                return Err(super::super::plan::cannot_carry(info, field));
            }
        }
        let mut own = all;
        own.retain(|field| super::super::plan::is_carried(info, field));
        let schema = Schema {
            key: info.key().into(),
            version: info.version(),
            fields: super::super::plan::names_in_data(&own),
            kinds: Vec::new(),
        };
        Ok(self.add_schema((address_of(info), [None; 2]), schema, own))
    }

    fn container_schema(&mut self, info: &'static TypeInfo, kinds: &[Kind]) -> u32 {
        let mut key = (address_of(info), [None; 2]);
        for (place, kind) in key.1.iter_mut().zip(kinds) {
            *place = Some(kind.address());
        }
        if let Some(schema) = self.known.get(&key) {
            return *schema;
        }
        let schema = Schema {
            key: info.key().into(),
            version: info.version(),
            fields: Vec::new(),
            kinds: kinds.iter().map(|kind| kind.unique_name().into_owned()).collect(),
        };
        self.add_schema(key, schema, Vec::new())
    }

    fn add_schema(
        &mut self,
        key: (usize, [Option<usize>; 2]),
        schema: Schema,
        fields: Vec<&'static FieldInfo>,
    ) -> u32 {
        // The same element type has several addresses when it is compiled into several binaries.
        let number = match self.schemas.iter().position(|other| *other == schema) {
            Some(number) => number as u32,
            None => {
                self.schemas.push(schema);
                self.fields.push(fields);
                self.schemas.len() as u32 - 1
            }
        };
        self.known.insert(key, number);
        number
    }

    fn save_array(&mut self, body: &ArrayBody) -> Result<(), Error> {
        body.check_readable()?;
        let rows = if body.is_c_contiguous() {
            body.slice_all()
        } else {
            body.copy()?
        };
        self.tokens.push(Token::DType(body.dtype()));
        self.tokens.push(Token::Sequence(body.shape().len() as u32));
        for n in body.shape() {
            self.tokens.push(Token::Int(*n as i64));
        }
        self.tokens.push(Token::Int(body.access() as i64));
        self.tokens.push(Token::Buffer(self.buffers.len() as u32));
        self.buffers
            .push(Buffer::Array(Array::from_ref(pairbond_core::object::Ref::new(
                rows,
            ))));
        Ok(())
    }
}
