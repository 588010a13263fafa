//! A graph as bytes: what pickles contain. Numbers are of variable length; strings and types are
//! written once.
//!
//! ```text
//!  "pbg1"  strings…  schemas…  buffers (their sizes, and bytes if they are inside)  externals  nodes…  root
//! ```
//! The reader trusts nothing: counts are compared with the remaining bytes before anything is
//! allocated.

use std::collections::HashMap;

use super::graph::{Buffer, Graph, Node, Schema, Token};
use pairbond_core::error::Error;
use pairbond_core::memory::{filled, or_unwind};
use pairbond_value::value::{BigInt, Bytes, DType, Device, Str};

const MAGIC: &[u8] = b"pbg1";

mod tag {
    pub(super) const NONE: u8 = 0;
    pub(super) const FALSE: u8 = 1;
    pub(super) const TRUE: u8 = 2;
    pub(super) const INT: u8 = 3;
    pub(super) const BIG_INT: u8 = 4;
    pub(super) const FLOAT: u8 = 5;
    pub(super) const STR: u8 = 6;
    pub(super) const BYTES: u8 = 7;
    pub(super) const DTYPE: u8 = 8;
    pub(super) const DEVICE: u8 = 9;
    pub(super) const NODE: u8 = 10;
    pub(super) const WEAK: u8 = 11;
    pub(super) const EXTERNAL: u8 = 12;
    pub(super) const CALLABLE: u8 = 13;
    pub(super) const NAMED: u8 = 14;
    pub(super) const BUFFER: u8 = 15;
    pub(super) const SEQUENCE: u8 = 16;
    pub(super) const BAG: u8 = 17;
    pub(super) const PAIRS: u8 = 18;
    /// From here on: an int from 0 to 100.
    pub(super) const SMALL: u8 = 100;
}

#[derive(Default)]
struct Out {
    bytes: Vec<u8>,
}

impl Out {
    /// Makes room for so many bytes; unwinds with a `MemoryError` where there is none.
    #[inline]
    fn reserve(&mut self, bytes: usize) {
        or_unwind(self.bytes.try_reserve(bytes));
    }

    fn byte(&mut self, byte: u8) {
        self.reserve(1);
        self.bytes.push(byte);
    }

    fn number(&mut self, mut n: u64) {
        self.reserve(10);
        while n >= 0x80 {
            self.bytes.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.bytes.push(n as u8);
    }

    fn slice(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.reserve(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    fn tagged(&mut self, tag: u8, n: u64) {
        self.byte(tag);
        self.number(n);
    }
}

/// Strings are found again by their objects; equal ones are rarely different ones.
struct Strings<'g> {
    all: Vec<&'g Str>,
    known: HashMap<usize, u32>,
}

impl<'g> Strings<'g> {
    fn number(&mut self, text: &'g Str) -> u64 {
        let next = self.all.len() as u32;
        or_unwind(self.known.try_reserve(1).and_then(|()| self.all.try_reserve(1)));
        let number = *self.known.entry(text.as_ptr().addr()).or_insert(next);
        if number == next {
            self.all.push(text);
        }
        number.into()
    }
}

impl Graph {
    /// The graph as bytes. `inside`: with the memory of its arrays, which otherwise goes beside it.
    #[must_use]
    pub fn to_bytes(&self, inside: bool) -> Vec<u8> {
        let mut strings = Strings {
            all: Vec::new(),
            known: HashMap::new(),
        };
        let mut body = Out { bytes: Vec::new() };
        body.reserve(self.tokens.len() * 3 + self.nodes.len());
        body.number(self.nodes.len() as u64);
        for node in 0..self.nodes.len() as u32 {
            let range = self.range(node);
            body.number(self.nodes[node as usize].schema.into());
            body.number(range.len() as u64);
            for token in &self.tokens[range] {
                write_token(token, &mut body, &mut strings);
            }
        }
        write_token(&self.root, &mut body, &mut strings);
        let mut out = Out { bytes: Vec::new() };
        out.reserve(body.bytes.len() + 256);
        out.bytes.extend_from_slice(MAGIC);
        out.number(strings.all.len() as u64);
        strings.all.iter().for_each(|text| out.slice(text.as_bytes()));
        out.number(self.schemas.len() as u64);
        for schema in &self.schemas {
            out.slice(schema.key.as_bytes());
            out.number(schema.version.into());
            for names in [&schema.fields, &schema.kinds] {
                out.number(names.len() as u64);
                names.iter().for_each(|name| out.slice(name.as_bytes()));
            }
        }
        out.number(self.buffers.len() as u64);
        out.bytes.push(inside.into());
        if inside {
            self.buffers
                .iter()
                .for_each(|buffer| out.slice(&buffer.to_bytes()));
        }
        out.number(self.externals.into());
        out.reserve(body.bytes.len());
        out.bytes.append(&mut body.bytes);
        out.bytes
    }

    /// The graph of bytes; arrays whose memory goes beside it are empty, until it is [put
    /// there](Self::buffers_mut).
    ///
    /// # Errors
    /// `ValueError`: other bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let mut from = In { bytes };
        if from.take(MAGIC.len())? != MAGIC {
            return Err(Error::value_error(
                "these are not pairbond's data, or of a later version",
            ));
        }
        let strings = from.list(1, |from| from.text().map(Str::from))?;
        let schemas = from.list(4, |from| {
            Ok(Schema {
                key: from.text()?.to_owned(),
                version: from.small()?,
                fields: from.list(1, |from| from.text().map(str::to_owned))?,
                kinds: from.list(1, |from| from.text().map(str::to_owned))?,
            })
        })?;
        let count = from.small()? as usize;
        let buffers = match from.take(1)? {
            [0] if count <= from.bytes.len() + (1 << 20) => filled(Buffer::Bytes(Bytes::default()), count),
            [1] => from.exactly(count, 1, |from| Ok(Buffer::Bytes(Bytes::from(from.slice()?))))?,
            _ => return Err(damaged_error()),
        };
        let externals = from.small()?;
        let mut tokens = Vec::new();
        let nodes = from.list(2, |from| {
            let schema = from.small()?;
            let count = from.count(1)?;
            tokens.try_reserve(count)?;
            for _ in 0..count {
                tokens.push(read_token(from, &strings)?);
            }
            Ok(Node {
                schema,
                end: tokens.len(),
            })
        })?;
        let root = read_token(&mut from, &strings)?;
        if !from.bytes.is_empty() {
            return Err(damaged_error());
        }
        let graph = Graph {
            schemas,
            nodes,
            tokens,
            buffers,
            externals,
            root,
        };
        graph.check()?;
        Ok(graph)
    }
}

fn write_token<'g>(token: &'g Token, out: &mut Out, strings: &mut Strings<'g>) {
    match token {
        Token::None => out.byte(tag::NONE),
        Token::Bool(value) => out.byte(if *value { tag::TRUE } else { tag::FALSE }),
        Token::Int(value @ 0..=100) => out.byte(tag::SMALL + *value as u8),
        Token::Int(value) => out.tagged(tag::INT, ((*value << 1) ^ (*value >> 63)) as u64),
        Token::BigInt(value) => {
            out.byte(tag::BIG_INT);
            out.slice(value.as_le_bytes());
        }
        Token::Float(value) => {
            out.byte(tag::FLOAT);
            out.reserve(8);
            out.bytes.extend_from_slice(&value.to_le_bytes());
        }
        Token::Str(value) => out.tagged(tag::STR, strings.number(value)),
        Token::Bytes(value) => {
            out.byte(tag::BYTES);
            out.slice(value);
        }
        Token::DType(value) => {
            out.reserve(3);
            out.bytes.extend_from_slice(&[tag::DTYPE, value.code, value.bits]);
            out.number(value.lanes.into());
        }
        Token::Device(value) => {
            out.tagged(tag::DEVICE, u64::from(value.kind as u32));
            out.number(u64::from(value.index as u32));
        }
        Token::Node(n) => out.tagged(tag::NODE, (*n).into()),
        Token::Weak(n) => out.tagged(tag::WEAK, (*n).into()),
        Token::External(n) => out.tagged(tag::EXTERNAL, (*n).into()),
        Token::Callable(n) => out.tagged(tag::CALLABLE, (*n).into()),
        Token::Named(name) => out.tagged(tag::NAMED, strings.number(name)),
        Token::Buffer(n) => out.tagged(tag::BUFFER, (*n).into()),
        Token::Sequence(n) => out.tagged(tag::SEQUENCE, (*n).into()),
        Token::Bag(n) => out.tagged(tag::BAG, (*n).into()),
        Token::Pairs(n) => out.tagged(tag::PAIRS, (*n).into()),
    }
}

#[cold]
fn damaged_error() -> Error {
    Error::value_error("the data is damaged")
}

struct In<'b> {
    bytes: &'b [u8],
}

impl<'b> In<'b> {
    fn take(&mut self, count: usize) -> Result<&'b [u8], Error> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or_else(damaged_error)?;
        self.bytes = rest;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, Error> {
        self.take(1).map(|bytes| bytes[0])
    }

    fn number(&mut self) -> Result<u64, Error> {
        let (mut n, mut shift) = (0_u64, 0);
        loop {
            let byte = self.byte()?;
            if shift == 63 && byte > 1 {
                return Err(damaged_error());
            }
            n |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(n);
            }
            shift += 7;
            if shift > 63 {
                return Err(damaged_error());
            }
        }
    }

    fn small(&mut self) -> Result<u32, Error> {
        self.number()?.try_into().map_err(|_| damaged_error())
    }

    /// A number of things of at least `size` bytes each.
    fn count(&mut self, size: usize) -> Result<usize, Error> {
        let count = self.small()? as usize;
        if count > self.bytes.len() / size {
            return Err(damaged_error());
        }
        Ok(count)
    }

    fn slice(&mut self) -> Result<&'b [u8], Error> {
        let count = usize::try_from(self.number()?).map_err(|_| damaged_error())?;
        self.take(count)
    }

    fn text(&mut self) -> Result<&'b str, Error> {
        std::str::from_utf8(self.slice()?).map_err(|_| damaged_error())
    }

    fn list<T>(
        &mut self,
        size: usize,
        each: impl FnMut(&mut Self) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let count = self.count(size)?;
        self.exactly(count, size, each)
    }

    fn exactly<T>(
        &mut self,
        count: usize,
        size: usize,
        mut each: impl FnMut(&mut Self) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        if count > self.bytes.len() / size {
            return Err(damaged_error());
        }
        let mut all = Vec::new();
        all.try_reserve_exact(count)?;
        for _ in 0..count {
            all.push(each(self)?);
        }
        Ok(all)
    }
}

fn read_token(from: &mut In<'_>, strings: &[Str]) -> Result<Token, Error> {
    let text = |from: &mut In<'_>| {
        strings
            .get(from.small()? as usize)
            .cloned()
            .ok_or_else(damaged_error)
    };
    Ok(match from.byte()? {
        tag::NONE => Token::None,
        tag::FALSE => Token::Bool(false),
        tag::TRUE => Token::Bool(true),
        tag::INT => {
            let n = from.number()?;
            Token::Int((n >> 1) as i64 ^ -((n & 1) as i64))
        }
        tag::BIG_INT => {
            let value = BigInt::from_le_bytes(from.slice()?);
            value.to_i64().map_or(Token::BigInt(value), Token::Int)
        }
        tag::FLOAT => Token::Float(f64::from_le_bytes(
            from.take(8)?.try_into().map_err(|_| damaged_error())?,
        )),
        tag::STR => Token::Str(text(from)?),
        tag::BYTES => Token::Bytes(Bytes::from(from.slice()?)),
        tag::DTYPE => Token::DType(DType {
            code: from.byte()?,
            bits: from.byte()?,
            lanes: from.small()?.try_into().map_err(|_| damaged_error())?,
        }),
        tag::DEVICE => Token::Device(Device {
            kind: from.small()? as i32,
            index: from.small()? as i32,
        }),
        tag::NODE => Token::Node(from.small()?),
        tag::WEAK => Token::Weak(from.small()?),
        tag::EXTERNAL => Token::External(from.small()?),
        tag::CALLABLE => Token::Callable(from.small()?),
        tag::NAMED => Token::Named(text(from)?),
        tag::BUFFER => Token::Buffer(from.small()?),
        tag::SEQUENCE => Token::Sequence(from.small()?),
        tag::BAG => Token::Bag(from.small()?),
        tag::PAIRS => Token::Pairs(from.small()?),
        small @ tag::SMALL..=200 => Token::Int((small - tag::SMALL).into()),
        _ => return Err(damaged_error()),
    })
}
