//! A graph in any format of serde; `read` is the way back.
//!
//! Formats that people read (JSON, YAML, RON) get plain values where there are such, and objects by
//! the names of their fields:
//!
//! ```text
//! {"pairbond": 1,
//!  "root": {"ref": 0},
//!  "types": {"shop.Cart": 1, "shop.Item": 2},
//!  "nodes": [{"type": "shop.Cart", "fields": {"owner": "Ann", "items": {"ref": 1}}},
//!            {"type": "pairbond.List", "of": ["shop.Item"],
//!             "items": [{"ref": 2}, {"ref": 2}]}, …]}
//! ```
//! A reference is `{"ref": node}`, so that one object stays one. A value that is not plain is an
//! object with one key: `weak`, `bytes` (base 64), `int` (a large one), `float` (`"nan"`, `"inf"`,
//! `"-inf"`), `set`, `map`, `function`, `dtype`, `device`. Sequences are arrays. `types` has the
//! versions.
//!
//! Other formats get the schemas, nodes and values as they are, with numbers for kinds.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::ser::{self, SerializeMap, SerializeSeq, Serializer};

use super::graph::{Graph, Token};
use super::text;

mod read;

/// A value at a place of a graph.
struct At<'g>(&'g Graph, usize);

/// Values one behind the other.
struct Run<'g>(&'g Graph, usize, usize);

/// Fields by name.
struct Fields<'g>(&'g Graph, u32);

struct OneNode<'g>(&'g Graph, u32);

struct Versions<'g>(&'g Graph);

impl Serialize for Graph {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if self.externals > 0 {
            return Err(ser::Error::custom(
                "the graph refers to objects of another language, which only that can write (pickle does)",
            ));
        }
        if !to.is_human_readable() {
            return to.serialize_bytes(&self.to_bytes(true));
        }
        let mut map = to.serialize_map(Some(4))?;
        map.serialize_entry("pairbond", &1)?;
        map.serialize_entry("root", &One(self, &self.root))?;
        map.serialize_entry("types", &Versions(self))?;
        map.serialize_entry("nodes", &Nodes(self))?;
        map.end()
    }
}

struct Nodes<'g>(&'g Graph);

impl Serialize for Nodes<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut all = to.serialize_seq(Some(self.0.len()))?;
        for node in 0..self.0.len() as u32 {
            all.serialize_element(&OneNode(self.0, node))?;
        }
        all.end()
    }
}

impl Serialize for Versions<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let all: BTreeMap<&str, u32> = self.0.schemas.iter().map(|it| (&*it.key, it.version)).collect();
        all.serialize(to)
    }
}

impl Serialize for OneNode<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let (graph, schema, range) = (self.0, self.0.schema(self.1), self.0.token_range(self.1));
        let mut map = to.serialize_map(None)?;
        map.serialize_entry("type", &schema.key)?;
        if !schema.kinds.is_empty() {
            map.serialize_entry("of", &schema.kinds)?;
        }
        if schema.fields.is_empty() {
            map.serialize_entry("items", &Run(graph, range.start, range.end))?;
        } else {
            map.serialize_entry("fields", &Fields(graph, self.1))?;
        }
        map.end()
    }
}

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let (graph, schema) = (self.0, self.0.schema(self.1));
        let mut at = graph.token_range(self.1).start;
        let mut map = to.serialize_map(Some(schema.fields.len()))?;
        for name in &schema.fields {
            map.serialize_entry(name, &At(graph, at))?;
            at = graph.end_of_value(at, graph.tokens.len()).unwrap_or(at);
        }
        map.end()
    }
}

impl Serialize for Run<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut all = to.serialize_seq(None)?;
        let mut at = self.1;
        while at < self.2 {
            all.serialize_element(&At(self.0, at))?;
            at = self.0.end_of_value(at, self.2).unwrap_or(self.2);
        }
        all.end()
    }
}

impl Serialize for At<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let (graph, token) = (self.0, &self.0.tokens[self.1]);
        let end = graph
            .end_of_value(self.1, graph.tokens.len())
            .unwrap_or(self.1 + 1);
        let inside = Run(graph, self.1 + 1, end);
        match token {
            Token::Sequence(_) => inside.serialize(to),
            Token::Bag(_) => write_single(to, "set", &inside),
            Token::Pairs(_) => write_single(to, "map", &inside),
            token => One(graph, token).serialize(to),
        }
    }
}

/// A token that is a value.
struct One<'g>(&'g Graph, &'g Token);

fn write_single<S: Serializer, T: Serialize + ?Sized>(
    to: S,
    key: &str,
    value: &T,
) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(1))?;
    map.serialize_entry(key, value)?;
    map.end()
}

impl Serialize for One<'_> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.1 {
            Token::None => to.serialize_unit(),
            Token::Bool(value) => to.serialize_bool(*value),
            Token::Int(value) => to.serialize_i64(*value),
            Token::BigInt(value) => write_single(to, "int", &value.to_string()),
            Token::Float(value) if value.is_finite() => to.serialize_f64(*value),
            Token::Float(value) => write_single(to, "float", text::special_float(*value)),
            Token::Str(value) => to.serialize_str(value),
            Token::Bytes(value) => write_single(to, "bytes", &text::to_base64(value)),
            Token::DType(value) => write_single(to, "dtype", &value.to_string()),
            Token::Device(value) => write_single(to, "device", &value.to_string()),
            Token::Node(n) => write_single(to, "ref", n),
            Token::Weak(n) => write_single(to, "weak", n),
            Token::Named(name) => write_single(to, "function", &**name),
            Token::Buffer(n) => write_single(
                to,
                "bytes",
                &text::to_base64(&self.0.buffers[*n as usize].to_bytes()),
            ),
            _ => Err(ser::Error::custom("a value that only its own language can write")),
        }
    }
}
