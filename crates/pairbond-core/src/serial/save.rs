//! [`Save`]: objects → [`Graph`]. Objects wait in a list, in the order in which they were met; each is taken apart once.
//!
//! What is met under a field's lock is only noted. Whether an object belongs to the graph or goes beside it is asked when its turn comes, because
//! that may be foreign code's business; what refers to it is corrected in the end.

use std::collections::HashMap;
use std::ptr::NonNull;

use super::carry::{Part, Saver};
use super::graph::{Beside, Buffer, Graph, Node, Schema, Token};
use crate::error::{Error, ErrorKind};
use crate::object::{ByAddress, ErasedBorrow, ErasedRef, Header, Object, Root, Weak};
use crate::types::{FieldInfo, TypeInfo};
use crate::value::{
    Any, Array, ArrayBody, Bytes, DTypeBody, DeviceBody, FrozenMapBody, Function, FunctionBody, Kind,
    ListBody, MapBody, SetBody, Str, TupleBody, function_names, get_function,
};

/// Whether an object belongs to the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// It does, with what it leads to.
    Inside,
    /// It goes beside it. `late`: it may come when the graph's objects are made, where the reference to it allows that.
    External {
        /// See above.
        late: bool,
    },
}

/// An object that was met.
struct Met {
    object: ErasedRef,
    /// Who referred to it first.
    by: u32,
    /// Whether somebody refers to it who cannot wait.
    hard: bool,
    edge: Edge,
}

type Border<'b> = Box<dyn FnMut(&ErasedRef) -> Result<Edge, Error> + 'b>;

/// See the head of this file.
pub struct Save<'b> {
    schemas: Vec<Schema>,
    known: HashMap<(usize, [Option<usize>; 2]), u32>,
    fields: Vec<Vec<&'static FieldInfo>>,
    nodes: Vec<Node>,
    tokens: Vec<Token>,
    buffers: Vec<Buffer>,
    met: Vec<Met>,
    index: ByAddress<u32>,
    weaks: Vec<(usize, Weak<Root>)>,
    beside: Vec<Beside>,
    foreign: ByAddress<u32>,
    border: Option<Border<'b>>,
    functions: Option<Vec<(String, Function)>>,
    root: Token,
    /// The object under work; for the first ones themselves.
    at: u32,
}

const NOBODY: u32 = u32::MAX;

impl<'b> Save<'b> {
    /// Nothing yet.
    #[must_use]
    #[allow(clippy::new_without_default)]
    pub fn new() -> Self {
        Save {
            schemas: Vec::new(),
            known: HashMap::new(),
            fields: Vec::new(),
            nodes: Vec::new(),
            tokens: Vec::new(),
            buffers: Vec::new(),
            met: Vec::new(),
            index: ByAddress::default(),
            weaks: Vec::new(),
            beside: Vec::new(),
            foreign: ByAddress::default(),
            border: None,
            functions: None,
            root: Token::None,
            at: NOBODY,
        }
    }

    /// Asks about each object whether it belongs to the graph.
    pub fn border(&mut self, border: Border<'b>) {
        self.border = Some(border);
    }

    /// Begins with a value.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn root(&mut self, value: &Any) -> Result<(), Error> {
        self.put_any(value, true)?;
        self.root = self.tokens.pop().unwrap_or(Token::None);
        Ok(())
    }

    /// Begins with an object that belongs to the graph whatever the border says.
    pub fn root_inside(&mut self, object: ErasedRef) {
        self.root = Token::Node(self.meet(object, true));
        if let Some(met) = self.met.first_mut() {
            met.by = NOBODY;
        }
    }

    /// Takes everything apart.
    ///
    /// # Errors
    /// An object or value that cannot be, by its type.
    pub fn run(&mut self) -> Result<(), Error> {
        let mut border = self.border.take();
        let only_root = matches!(self.root, Token::Node(0)) && self.met.len() == 1;
        let mut next = 0;
        while next < self.met.len() {
            let object = self.met[next].object.clone();
            if !(only_root && next == 0)
                && let Some(border) = &mut border
            {
                self.met[next].edge = border(&object)?;
            }
            self.at = next as u32;
            let schema = match self.met[next].edge {
                Edge::Inside => self
                    .take_apart(object.as_borrow())
                    .map_err(|error| self.explain(error))?,
                Edge::External { .. } => 0,
            };
            self.nodes.push(Node {
                schema,
                end: self.tokens.len(),
            });
            next += 1;
        }
        Ok(())
    }

    /// The object of a number, while the graph is not finished.
    pub fn objects(&self) -> impl ExactSizeIterator<Item = &ErasedRef> {
        self.met.iter().map(|met| &met.object)
    }

    /// The graph, and what goes beside it.
    #[must_use]
    pub fn finish(self) -> (Graph, Vec<Beside>) {
        let (graph, beside, _) = self.finish_with_objects();
        (graph, beside)
    }

    /// The same, and the objects of the nodes.
    #[must_use]
    pub fn finish_with_objects(mut self) -> (Graph, Vec<Beside>, Vec<ErasedRef>) {
        self.settle_weaks();
        let mut numbers = vec![NOBODY; self.met.len()];
        let (mut nodes, mut objects) = (Vec::with_capacity(self.nodes.len()), Vec::new());
        let mut outside = false;
        for (at, met) in self.met.iter().enumerate() {
            match met.edge {
                Edge::Inside => {
                    numbers[at] = nodes.len() as u32;
                    nodes.push(self.nodes[at]);
                    objects.push(met.object.clone());
                }
                Edge::External { late } => {
                    outside = true;
                    numbers[at] = self.beside.len() as u32;
                    self.beside.push(Beside {
                        value: Any::Object(met.object.clone()),
                        early: met.hard || !late,
                    });
                }
            }
        }
        if outside {
            for token in self.tokens.iter_mut().chain([&mut self.root]) {
                if let Token::Node(n) = token {
                    let (at, number) = (*n as usize, numbers[*n as usize]);
                    *token = match self.met[at].edge {
                        Edge::Inside => Token::Node(number),
                        Edge::External { .. } => Token::External(number),
                    };
                } else if let Token::Weak(n) = token {
                    let (at, number) = (*n as usize, numbers[*n as usize]);
                    *token = match self.met[at].edge {
                        Edge::Inside => Token::Weak(number),
                        Edge::External { .. } => Token::External(number),
                    };
                }
            }
        }
        let graph = Graph {
            schemas: self.schemas,
            nodes,
            tokens: self.tokens,
            buffers: self.buffers,
            externals: self.beside.len() as u32,
            root: self.root,
        };
        let mut beside = self.beside;
        if !beside.is_empty() {
            early_keys(&graph, &mut beside);
        }
        (graph, beside, objects)
    }

    /// A weak reference is one to an object that the graph has for other reasons, or to nothing.
    fn settle_weaks(&mut self) {
        for (place, weak) in std::mem::take(&mut self.weaks) {
            let number = weak
                .upgrade()
                .and_then(|object| self.index.get(&address::<Header>(object.header())).copied());
            self.tokens[place] = number.map_or(Token::None, Token::Weak);
        }
    }

    fn explain(&self, error: Error) -> Error {
        let by = self.met[self.at as usize].by;
        let kind = error.kind().clone();
        if by == NOBODY || by == self.at || kind != ErrorKind::Type {
            return error;
        }
        let from = self.met[by as usize].object.header().info().key();
        error.with_note(format!("it is reached from {from}"))
    }

    /// The number of an object.
    fn meet(&mut self, object: ErasedRef, hard: bool) -> u32 {
        let next = self.met.len() as u32;
        let number = *self
            .index
            .entry(address::<Header>(object.header()))
            .or_insert(next);
        if number == next {
            self.met.push(Met {
                object,
                by: self.at,
                hard,
                edge: Edge::Inside,
            });
        } else {
            self.met[number as usize].hard |= hard;
        }
        number
    }

    fn take_apart(&mut self, object: ErasedBorrow<'_>) -> Result<u32, Error> {
        let info = object.header().info();
        if let Some(body) = object.downcast::<ListBody>() {
            let schema = self.container(info, &[body.get().kind()]);
            let items = body.get().read(Vec::clone);
            items.iter().try_for_each(|item| self.put_any(item, false))?;
            return Ok(schema);
        }
        if let Some(body) = object.downcast::<TupleBody>() {
            let schema = self.container(info, &[body.get().kind()]);
            body.get()
                .items()
                .iter()
                .try_for_each(|item| self.put_any(item, true))?;
            return Ok(schema);
        }
        if let Some(body) = object.downcast::<SetBody>() {
            let schema = self.container(info, &[body.get().kind()]);
            let items: Vec<Any> = body
                .get()
                .entries()
                .read(|table| table.iter().map(|it| it.key.clone()).collect());
            items.iter().try_for_each(|item| self.put_any(item, false))?;
            return Ok(schema);
        }
        if let Some(body) = object.downcast::<MapBody>() {
            let schema = self.container(info, &body.get().kinds());
            let entries: Vec<(Any, Any)> = body.get().entries().read(|table| {
                table
                    .iter()
                    .map(|it| (it.key.clone(), it.value.clone()))
                    .collect()
            });
            for (key, value) in &entries {
                self.put_any(key, false)?;
                self.put_any(value, false)?;
            }
            return Ok(schema);
        }
        if let Some(body) = object.downcast::<FrozenMapBody>() {
            let schema = self.container(info, &body.get().kinds());
            for entry in body.get().table().iter() {
                self.put_any(&entry.key, true)?;
                self.put_any(&entry.value, true)?;
            }
            return Ok(schema);
        }
        if let Some(body) = object.downcast::<ArrayBody>() {
            let schema = self.container(info, &[]);
            self.array(body.get())?;
            return Ok(schema);
        }
        self.by_type(info, object)
    }

    fn by_type(&mut self, info: &'static TypeInfo, object: ErasedBorrow<'_>) -> Result<u32, Error> {
        let value = object.header().value().cast_const();
        let carrying = info.carrying();
        // SAFETY: a living value of the type.
        if let Some(data) = unsafe { carrying.save(value) } {
            let schema = self.container(info, &[]);
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
        let mut saver = Saver {
            soft: 0,
            context: std::ptr::from_mut(self).cast(),
            put,
        };
        for field in fields {
            let mut error = Any::None;
            let table = field.carry.expect("fields without were refused");
            // SAFETY: a living value of the type, whose field this is.
            if !unsafe { (table.save)(value.add(field.offset), *field, &mut saver, &mut error) } {
                return Err(super::carry::failure(error));
            }
        }
        Ok(())
    }

    fn of_fields(&mut self, info: &'static TypeInfo) -> Result<u32, Error> {
        if let Some(schema) = self.known.get(&(address(info), [None; 2])) {
            return Ok(*schema);
        }
        let all = super::plan::fields(info);
        for field in &all {
            if field.carry.is_none() && !field.is_transient() {
                return Err(super::plan::uncarried(info, field));
            }
        }
        let own: Vec<_> = all.into_iter().filter(|field| !field.is_transient()).collect();
        let schema = Schema {
            key: info.key().into(),
            version: info.version(),
            fields: super::plan::names(&own),
            kinds: Vec::new(),
        };
        Ok(self.schema((address(info), [None; 2]), schema, own))
    }

    fn container(&mut self, info: &'static TypeInfo, kinds: &[Kind]) -> u32 {
        let mut key = (address(info), [None; 2]);
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
            kinds: kinds.iter().map(|kind| kind.id().into_owned()).collect(),
        };
        self.schema(key, schema, Vec::new())
    }

    fn schema(
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

    fn array(&mut self, body: &ArrayBody) -> Result<(), Error> {
        body.here()?;
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
            .push(Buffer::Array(Array::from_ref(crate::object::Ref::new(rows))));
        Ok(())
    }

    fn put_any(&mut self, value: &Any, hard: bool) -> Result<(), Error> {
        let token = match value {
            Any::None => Token::None,
            Any::Bool(value) => Token::Bool(*value),
            Any::Int(value) => Token::Int(*value),
            Any::BigInt(value) => Token::BigInt(value.clone()),
            Any::Float(value) => Token::Float(*value),
            Any::Str(value) => Token::Str(value.clone()),
            Any::Bytes(value) => Token::Bytes(value.clone()),
            Any::DType(value) => Token::DType(*value),
            Any::Device(value) => Token::Device(*value),
            Any::Object(object) => return self.put_object(object.clone(), hard),
            Any::Function(function) => self.function(function)?,
            Any::Foreign(object) => {
                let number = self.beside(object.as_ptr().addr(), value);
                Token::External(number)
            }
            Any::Error(_) => return Err(Error::type_error("cannot write an error")),
        };
        self.tokens.push(token);
        Ok(())
    }

    fn put_object(&mut self, object: ErasedRef, hard: bool) -> Result<(), Error> {
        let borrow = object.as_borrow();
        let token = if let Some(body) = borrow.downcast::<DTypeBody>() {
            Token::DType(body.get().value())
        } else if let Some(body) = borrow.downcast::<DeviceBody>() {
            Token::Device(body.get().value())
        } else if borrow.is::<FunctionBody>() {
            return self.put_any(&Any::from(object), hard);
        } else {
            Token::Node(self.meet(object, hard))
        };
        self.tokens.push(token);
        Ok(())
    }

    fn function(&mut self, function: &Function) -> Result<Token, Error> {
        if let Some(foreign) = function.foreign() {
            let value = Any::Foreign(foreign.clone());
            return Ok(Token::Callable(self.beside(foreign.as_ptr().addr(), &value)));
        }
        let functions = self.functions.get_or_insert_with(|| {
            let all = function_names().into_iter();
            all.filter_map(|name| Some((name.clone(), get_function(&name).ok()?)))
                .collect()
        });
        match functions.iter().find(|(_, other)| other.is(function)) {
            Some((name, _)) => Ok(Token::Named(Str::from(name))),
            None => Err(Error::type_error(format!(
                "cannot write the native function {}: it is not registered by a name (pairbond.register_function)",
                function.name()
            ))),
        }
    }

    fn beside(&mut self, address: usize, value: &Any) -> u32 {
        let next = self.beside.len() as u32;
        let number = *self.foreign.entry(address).or_insert(next);
        if number == next {
            self.beside.push(Beside {
                value: value.clone(),
                early: false,
            });
        }
        number
    }

    fn put_part(&mut self, part: &Part<'_>, hard: bool) -> Result<(), Error> {
        let count =
            |n: usize| u32::try_from(n).map_err(|_| Error::value_error("more than 2^32 values in one"));
        let token = match *part {
            Part::Any(value) => return self.put_any(value, hard),
            Part::None => Token::None,
            Part::Bool(value) => Token::Bool(value),
            Part::Int(value) => Token::Int(value),
            Part::Float(value) => Token::Float(value),
            // SAFETY: the parts of a `str`.
            Part::Text(start, len) => Token::Str(Str::from(unsafe {
                std::str::from_utf8_unchecked(std::slice::from_raw_parts(start, len))
            })),
            Part::Object(header) => {
                // SAFETY: alive while it is borrowed.
                let object = unsafe { ErasedBorrow::from_header(NonNull::from(header)) };
                return self.put_object(object.to_ref(), hard);
            }
            Part::Weak(weak) => {
                self.weaks.push((self.tokens.len(), weak.clone()));
                Token::None
            }
            Part::Sequence(n) => Token::Sequence(count(n)?),
            Part::Bag(n) => Token::Bag(count(n)?),
            Part::Pairs(n) => Token::Pairs(count(n)?),
        };
        self.tokens.push(token);
        Ok(())
    }
}

unsafe extern "C-unwind" fn put(saver: *mut Saver, part: *const Part<'_>, error: *mut Any) -> bool {
    // SAFETY: the saver was made by `put_fields`, which lends its `Save`; a living part, a place for an error.
    unsafe {
        let hard = (*saver).soft == 0;
        match (*(*saver).context.cast::<Save<'_>>()).put_part(&*part, hard) {
            Ok(()) => true,
            Err(e) => {
                *error = Any::Error(std::sync::Arc::new(e));
                false
            }
        }
    }
}

/// What is part of a key of a map that never changes must be there when that is made.
fn early_keys(graph: &Graph, beside: &mut [Beside]) {
    let mut seen = vec![false; graph.len()];
    let mut keys: Vec<u32> = Vec::new();
    let visit = |token: &Token, keys: &mut Vec<u32>, beside: &mut [Beside]| match token {
        Token::External(n) | Token::Callable(n) => beside[*n as usize].early = true,
        Token::Node(n) => keys.push(*n),
        _ => {}
    };
    for node in 0..graph.len() as u32 {
        if graph.schema(node).key == FrozenMapBody::KEY {
            for token in graph.tokens[graph.range(node)].iter().step_by(2) {
                visit(token, &mut keys, beside);
            }
        }
    }
    while let Some(node) = keys.pop() {
        let hashed = [TupleBody::KEY, FrozenMapBody::KEY].contains(&&*graph.schema(node).key);
        if hashed && !std::mem::replace(&mut seen[node as usize], true) {
            for token in &graph.tokens[graph.range(node)] {
                visit(token, &mut keys, beside);
            }
        }
    }
}

pub(super) fn address<T>(of: &T) -> usize {
    std::ptr::from_ref(of).addr()
}

/// For formats that read memory of arrays as bytes.
impl Buffer {
    /// The bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Bytes {
        match self {
            Buffer::Bytes(bytes) => bytes.clone(),
            Buffer::Array(array) | Buffer::Lent(array) => array.to_bytes(),
        }
    }
}
