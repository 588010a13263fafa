//! The contents of containers and arrays, from the tokens of their nodes.

use super::super::graph::{Buffer, Token};
use super::super::load::Loader;
use pairbond_core::error::Error;
use pairbond_core::memory::Room;
use pairbond_core::object::Ref;
use pairbond_value::value::{Access, Any, Array, ArrayBody, Kind, MapBody, SetBody, Table};

impl Loader {
    /// Whether all keys are plain values, which hash alike whatever is there. (`step`: 1 for sets,
    /// 2 for maps.)
    pub(super) fn simple_keys(&self, node: u32, step: usize) -> bool {
        let tokens = &self.graph.tokens[self.graph.token_range(node)];
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

    /// The values of a container, or the first that is missing.
    pub(super) fn container_values(
        &mut self,
        node: u32,
        soft: bool,
        mut take: impl FnMut(Any) -> Result<(), Error>,
    ) -> Result<Result<(), Vec<u32>>, Error> {
        let (mut needs, mut waits) = (Vec::new(), false);
        for at in self.graph.token_range(node) {
            let token = self.graph.tokens[at].clone();
            match self.token_value(&token)? {
                Some(value) if !waits => take(value)?,
                Some(_) => {}
                None => {
                    waits = true;
                    if let Token::Node(node) | Token::Weak(node) = token {
                        needs.room().push(node);
                    }
                    if soft {
                        break;
                    }
                }
            }
        }
        Ok(if waits { Err(needs) } else { Ok(()) })
    }

    pub(super) fn load_items(
        &mut self,
        node: u32,
        kind: Kind,
        what: &str,
        soft: bool,
    ) -> Result<Result<Vec<Any>, Vec<u32>>, Error> {
        let mut items = Vec::new();
        items.try_reserve_exact(self.graph.token_range(node).len())?;
        let all = self.container_values(node, soft, |value| {
            items.push(kind.check_value(value, what)?);
            Ok(())
        })?;
        Ok(all.map(|()| items))
    }

    #[allow(clippy::type_complexity)]
    pub(super) fn load_entries(
        &mut self,
        node: u32,
        keys: Kind,
        values: Kind,
        soft: bool,
    ) -> Result<Result<Vec<(Any, Any)>, Vec<u32>>, Error> {
        let count = self.graph.token_range(node).len();
        if !count.is_multiple_of(2) {
            return Err(Error::value_error("the data is damaged: a key without a value"));
        }
        let (mut entries, mut key) = (Vec::new(), None);
        entries.try_reserve_exact(count / 2)?;
        let all = self.container_values(node, soft, |value| {
            match key.take() {
                None => key = Some(keys.check_value(value, "the keys of the map are")?),
                Some(key) => entries.push((key, values.check_value(value, "the values of the map are")?)),
            }
            Ok(())
        })?;
        Ok(all.map(|()| entries))
    }

    pub(super) fn fill_set(&mut self, node: u32, body: &SetBody) -> Result<(), Error> {
        let Ok(items) = self.load_items(node, body.kind(), "the set holds", true)? else {
            return Err(self.never_error(node));
        };
        let mut table = Table::default();
        items
            .into_iter()
            .try_for_each(|item| table.put_if_absent(item, ()))?;
        body.entries().change_locked(|place| place.swap(&mut table));
        Ok(())
    }

    pub(super) fn fill_map(
        &mut self,
        node: u32,
        body: &MapBody,
        keys: Kind,
        values: Kind,
    ) -> Result<(), Error> {
        let Ok(entries) = self.load_entries(node, keys, values, true)? else {
            return Err(self.never_error(node));
        };
        let mut table = Table::default();
        entries
            .into_iter()
            .try_for_each(|(key, value)| table.put_if_absent(key, value))?;
        body.entries().change_locked(|place| place.swap(&mut table));
        Ok(())
    }

    pub(super) fn load_array(&mut self, node: u32) -> Result<Ref<ArrayBody>, Error> {
        let wrong = || Error::value_error("the data is damaged: no array");
        let range = self.graph.token_range(node);
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
}
