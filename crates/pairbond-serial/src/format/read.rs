//! A graph from any format of serde.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};

use super::super::graph::{Buffer, Graph, Node, Schema, Token};
use super::super::text;
use pairbond_core::error::{Error, ErrorKind};
use pairbond_core::memory::{check_room, or_unwind, try_push};
use pairbond_core::object::Object;
use pairbond_value::value::{ArrayBody, BigInt, Bytes, Str};

impl<'de> Deserialize<'de> for Graph {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        if from.is_human_readable() {
            from.deserialize_map(GraphVisitor)
        } else {
            from.deserialize_byte_buf(BinaryVisitor)
        }
    }
}

/// Adds one of a number of elements that the text states; unwinds where memory ends, as the library
/// that reads it would end the process. Small texts and lists within the elements are made by that
/// library: now and then it is checked whether there is room for the next ones.
fn push_or_unwind<T>(all: &mut Vec<T>, one: T) {
    const OFTEN: usize = 256;
    or_unwind(try_push(all, one));
    if all.len().is_multiple_of(OFTEN) {
        check_room(OFTEN, 1024).unwrap_or_else(|error| error.unwind());
    }
}

/// As `Vec`, whose own reading ends the process where memory ends.
struct Many<T>(Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Many<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct ManyVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for ManyVisitor<T> {
            type Value = Many<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a sequence")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Many<T>, A::Error> {
                let mut values = Vec::new();
                while let Some(value) = all.next_element()? {
                    push_or_unwind(&mut values, value);
                }
                Ok(Many(values))
            }
        }
        from.deserialize_seq(ManyVisitor(PhantomData))
    }
}

struct BinaryVisitor;

impl<'de> Visitor<'de> for BinaryVisitor {
    type Value = Graph;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a graph as bytes")
    }
    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<Graph, E> {
        Graph::from_bytes(bytes).map_err(format_error)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Graph, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = all.next_element::<u8>()? {
            push_or_unwind(&mut bytes, byte);
        }
        Graph::from_bytes(&bytes).map_err(format_error)
    }
}

/// An error as the format has it. One for want of memory unwinds: the format's would say that the
/// text is wrong.
fn format_error<E: de::Error>(error: Error) -> E {
    if *error.kind() == ErrorKind::Memory {
        error.unwind()
    }
    E::custom(error)
}

struct GraphVisitor;

/// A value as it was read; it goes through the format's own limit of depth, and so may be a tree.
#[derive(Debug)]
enum Value {
    Token(Token),
    Sequence(Vec<Value>),
    Bag(Vec<Value>),
    Pairs(Vec<Value>),
    Bytes(Bytes),
}

impl<'de> Visitor<'de> for GraphVisitor {
    type Value = Graph;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a graph: {\"pairbond\": 1, \"root\": …, \"nodes\": […]}")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Graph, A::Error> {
        let (mut root, mut nodes, mut version) = (None, None, None);
        let mut versions = BTreeMap::<String, u32>::new();
        while let Some(key) = map.next_key::<String>()? {
            match &*key {
                "pairbond" => version = Some(map.next_value::<u32>()?),
                "root" => root = Some(map.next_value::<Value>()?),
                "types" => versions = map.next_value()?,
                "nodes" => nodes = Some(map.next_value::<Many<ReadNode>>()?.0),
                _ => drop(map.next_value::<de::IgnoredAny>()?),
            }
        }
        if version != Some(1) {
            return Err(de::Error::custom(
                "no graph, or one of a later version (\"pairbond\": 1 is missing)",
            ));
        }
        let mut graph = Graph {
            schemas: Vec::new(),
            nodes: Vec::new(),
            tokens: Vec::new(),
            buffers: Vec::new(),
            externals: 0,
            root: Token::None,
        };
        let read = |graph: &mut Graph| -> Result<(), Error> {
            for node in nodes.ok_or_else(|| Error::value_error("the graph has no nodes"))? {
                graph.add(node, &versions)?;
            }
            graph.root = match root {
                Some(Value::Token(token)) => token,
                Some(Value::Bytes(bytes)) => Token::Bytes(bytes),
                _ => {
                    return Err(Error::value_error(
                        "the graph has no root, or one that is no value",
                    ));
                }
            };
            graph.check_consistency()
        };
        read(&mut graph).map_err(format_error)?;
        Ok(graph)
    }
}

impl Graph {
    fn add(&mut self, node: ReadNode, versions: &BTreeMap<String, u32>) -> Result<(), Error> {
        let (names, values): (Vec<String>, Vec<Value>) = node.fields.into_iter().unzip();
        let schema = Schema {
            version: versions.get(&node.key).copied().unwrap_or(1),
            key: node.key,
            fields: names,
            kinds: node.of,
        };
        let is_array = schema.key == ArrayBody::KEY;
        // Nodes of a type follow one another often.
        let number = match self.schemas.iter().rposition(|other| *other == schema) {
            Some(number) => number,
            None => {
                try_push(&mut self.schemas, schema)?;
                self.schemas.len() - 1
            }
        };
        for value in values.into_iter().chain(node.items) {
            self.put_value(value, is_array)?;
        }
        let end = self.tokens.len();
        let node = Node {
            schema: number as u32,
            end,
        };
        try_push(&mut self.nodes, node)?;
        Ok(())
    }

    /// As deep as the format let it be.
    fn put_value(&mut self, value: Value, is_array: bool) -> Result<(), Error> {
        let count =
            |n: usize| u32::try_from(n).map_err(|_| Error::value_error("more than 2^32 values in one"));
        let inside = match value {
            Value::Token(token) => {
                try_push(&mut self.tokens, token)?;
                return Ok(());
            }
            Value::Bytes(bytes) if is_array => {
                try_push(&mut self.tokens, Token::Buffer(count(self.buffers.len())?))?;
                try_push(&mut self.buffers, Buffer::Bytes(bytes))?;
                return Ok(());
            }
            Value::Bytes(bytes) => {
                try_push(&mut self.tokens, Token::Bytes(bytes))?;
                return Ok(());
            }
            Value::Sequence(all) => {
                try_push(&mut self.tokens, Token::Sequence(count(all.len())?))?;
                all
            }
            Value::Bag(all) => {
                try_push(&mut self.tokens, Token::Bag(count(all.len())?))?;
                all
            }
            Value::Pairs(all) => {
                if all.len() % 2 != 0 {
                    return Err(Error::value_error("a map with a key that has no value"));
                }
                try_push(&mut self.tokens, Token::Pairs(count(all.len() / 2)?))?;
                all
            }
        };
        inside
            .into_iter()
            .try_for_each(|value| self.put_value(value, is_array))
    }
}

/// A node as it was read.
#[derive(Default)]
struct ReadNode {
    key: String,
    of: Vec<String>,
    fields: Vec<(String, Value)>,
    items: Vec<Value>,
}

impl<'de> Deserialize<'de> for ReadNode {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct NodeVisitor;
        impl<'de> Visitor<'de> for NodeVisitor {
            type Value = ReadNode;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a node: {\"type\": …, \"fields\": {…}} or {\"type\": …, \"items\": […]}")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ReadNode, A::Error> {
                let mut node = ReadNode::default();
                while let Some(key) = map.next_key::<String>()? {
                    match &*key {
                        "type" => node.key = map.next_value()?,
                        "of" => node.of = map.next_value()?,
                        "fields" => node.fields = map.next_value::<ReadFields>()?.0,
                        "items" => node.items = map.next_value::<Many<Value>>()?.0,
                        _ => drop(map.next_value::<de::IgnoredAny>()?),
                    }
                }
                Ok(node)
            }
        }
        from.deserialize_map(NodeVisitor)
    }
}

struct ReadFields(Vec<(String, Value)>);

impl<'de> Deserialize<'de> for ReadFields {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct FieldsVisitor;
        impl<'de> Visitor<'de> for FieldsVisitor {
            type Value = ReadFields;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("fields by name")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ReadFields, A::Error> {
                let mut all = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    push_or_unwind(&mut all, entry);
                }
                Ok(ReadFields(all))
            }
        }
        from.deserialize_map(FieldsVisitor)
    }
}

impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(ValueVisitor)
    }
}

fn unexpected_data<E: de::Error>(what: impl fmt::Display) -> E {
    E::custom(what)
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = Value;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }
    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Token(Token::None))
    }
    fn visit_none<E>(self) -> Result<Value, E> {
        Ok(Value::Token(Token::None))
    }
    fn visit_some<D: Deserializer<'de>>(self, from: D) -> Result<Value, D::Error> {
        Value::deserialize(from)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Token(Token::Bool(value)))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Token(Token::Int(value)))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Token(i64::try_from(value).map_or_else(
            |_| Token::BigInt(u128::from(value).into()),
            Token::Int,
        )))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Token(Token::Float(value)))
    }
    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Token(Token::Str(Str::from(value))))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut all: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = all.next_element()? {
            push_or_unwind(&mut values, value);
        }
        Ok(Value::Sequence(values))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let Some(key) = map.next_key::<String>()? else {
            return Err(unexpected_data(
                "a value that is an object has one key, which says what it is",
            ));
        };
        let value = match &*key {
            "ref" => Value::Token(Token::Node(map.next_value()?)),
            "weak" => Value::Token(Token::Weak(map.next_value()?)),
            "int" => {
                let number: BigInt = map.next_value::<String>()?.parse().map_err(unexpected_data)?;
                Value::Token(number.to_i64().map_or(Token::BigInt(number), Token::Int))
            }
            "float" => Value::Token(Token::Float(
                text::of_special(&map.next_value::<String>()?).map_err(unexpected_data)?,
            )),
            "bytes" => Value::Bytes(Bytes::from(
                text::of_base64(&map.next_value::<String>()?).map_err(unexpected_data)?,
            )),
            "set" => Value::Bag(map.next_value::<Many<Value>>()?.0),
            "map" => Value::Pairs(map.next_value::<Many<Value>>()?.0),
            "function" => Value::Token(Token::Named(Str::from(map.next_value::<String>()?))),
            "dtype" => Value::Token(Token::DType(
                map.next_value::<String>()?.parse().map_err(unexpected_data)?,
            )),
            "device" => Value::Token(Token::Device(
                map.next_value::<String>()?.parse().map_err(unexpected_data)?,
            )),
            other => return Err(unexpected_data(format!("no kind of value: {other:?}"))),
        };
        match map.next_key::<String>()? {
            None => Ok(value),
            Some(_) => Err(unexpected_data(
                "a value that is an object has one key, which says what it is",
            )),
        }
    }
}
