//! A graph as bytes: what pickles contain. Numbers are of variable length; strings and types are
//! written once.
//!
//! ```text
//!  "pbg1"  strings…  schemas…  buffers (sizes, and bytes if inside)  externals  nodes…  root
//! ```
//! The reader trusts nothing: counts are compared with the remaining bytes before anything is
//! allocated.

use std::collections::HashMap;

use super::graph::{Buffer, Graph, Node, Schema, Token};
use pairbond_core::error::Error;
use pairbond_core::memory::{filled_vec, or_unwind};
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

    fn put_byte(&mut self, byte: u8) {
        self.reserve(1);
        self.bytes.push(byte);
    }

    fn put_number(&mut self, mut n: u64) {
        self.reserve(10);
        while n >= 0x80 {
            self.bytes.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.bytes.push(n as u8);
    }

    fn put_slice(&mut self, bytes: &[u8]) {
        self.put_number(bytes.len() as u64);
        self.reserve(bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    fn put_tagged(&mut self, tag: u8, n: u64) {
        self.put_byte(tag);
        self.put_number(n);
    }
}

/// Strings are found again by their objects; equal ones are rarely different ones.
struct Strings<'g> {
    all: Vec<&'g Str>,
    known: HashMap<usize, u32>,
}

impl<'g> Strings<'g> {
    fn number_of(&mut self, text: &'g Str) -> u64 {
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
        body.put_number(self.nodes.len() as u64);
        for node in 0..self.nodes.len() as u32 {
            let range = self.token_range(node);
            body.put_number(self.nodes[node as usize].schema.into());
            body.put_number(range.len() as u64);
            for token in &self.tokens[range] {
                write_token(token, &mut body, &mut strings);
            }
        }
        write_token(&self.root, &mut body, &mut strings);
        let mut out = Out { bytes: Vec::new() };
        out.reserve(body.bytes.len() + 256);
        out.bytes.extend_from_slice(MAGIC);
        out.put_number(strings.all.len() as u64);
        strings.all.iter().for_each(|text| out.put_slice(text.as_bytes()));
        out.put_number(self.schemas.len() as u64);
        for schema in &self.schemas {
            out.put_slice(schema.key.as_bytes());
            out.put_number(schema.version.into());
            for names in [&schema.fields, &schema.kinds] {
                out.put_number(names.len() as u64);
                names.iter().for_each(|name| out.put_slice(name.as_bytes()));
            }
        }
        out.put_number(self.buffers.len() as u64);
        out.bytes.push(inside.into());
        if inside {
            self.buffers
                .iter()
                .for_each(|buffer| out.put_slice(&buffer.to_bytes()));
        }
        out.put_number(self.externals.into());
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
        if from.take_bytes(MAGIC.len())? != MAGIC {
            return Err(Error::value_error(
                "these are not pairbond's data, or of a later version",
            ));
        }
        let strings = from.read_list(1, |from| from.read_text().map(Str::from))?;
        let schemas = from.read_list(4, |from| {
            Ok(Schema {
                key: from.read_text()?.to_owned(),
                version: from.read_u32()?,
                fields: from.read_list(1, |from| from.read_text().map(str::to_owned))?,
                kinds: from.read_list(1, |from| from.read_text().map(str::to_owned))?,
            })
        })?;
        let count = from.read_u32()? as usize;
        let buffers = match from.take_bytes(1)? {
            [0] if count <= from.bytes.len() + (1 << 20) => {
                filled_vec(Buffer::Bytes(Bytes::default()), count)
            }
            [1] => from.read_exactly(count, 1, |from| {
                Ok(Buffer::Bytes(Bytes::from(from.read_slice()?)))
            })?,
            _ => return Err(damaged_error()),
        };
        let externals = from.read_u32()?;
        let mut tokens = Vec::new();
        let nodes = from.read_list(2, |from| {
            let schema = from.read_u32()?;
            let count = from.read_count(1)?;
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
        graph.check_consistency()?;
        Ok(graph)
    }
}

fn write_token<'g>(token: &'g Token, out: &mut Out, strings: &mut Strings<'g>) {
    match token {
        Token::None => out.put_byte(tag::NONE),
        Token::Bool(value) => out.put_byte(if *value { tag::TRUE } else { tag::FALSE }),
        Token::Int(value @ 0..=100) => out.put_byte(tag::SMALL + *value as u8),
        Token::Int(value) => out.put_tagged(tag::INT, ((*value << 1) ^ (*value >> 63)) as u64),
        Token::BigInt(value) => {
            out.put_byte(tag::BIG_INT);
            out.put_slice(value.as_le_bytes());
        }
        Token::Float(value) => {
            out.put_byte(tag::FLOAT);
            out.reserve(8);
            out.bytes.extend_from_slice(&value.to_le_bytes());
        }
        Token::Str(value) => out.put_tagged(tag::STR, strings.number_of(value)),
        Token::Bytes(value) => {
            out.put_byte(tag::BYTES);
            out.put_slice(value);
        }
        Token::DType(value) => {
            out.reserve(3);
            out.bytes.extend_from_slice(&[tag::DTYPE, value.code, value.bits]);
            out.put_number(value.lanes.into());
        }
        Token::Device(value) => {
            out.put_tagged(tag::DEVICE, u64::from(value.kind as u32));
            out.put_number(u64::from(value.index as u32));
        }
        Token::Node(n) => out.put_tagged(tag::NODE, (*n).into()),
        Token::Weak(n) => out.put_tagged(tag::WEAK, (*n).into()),
        Token::External(n) => out.put_tagged(tag::EXTERNAL, (*n).into()),
        Token::Callable(n) => out.put_tagged(tag::CALLABLE, (*n).into()),
        Token::Named(name) => out.put_tagged(tag::NAMED, strings.number_of(name)),
        Token::Buffer(n) => out.put_tagged(tag::BUFFER, (*n).into()),
        Token::Sequence(n) => out.put_tagged(tag::SEQUENCE, (*n).into()),
        Token::Bag(n) => out.put_tagged(tag::BAG, (*n).into()),
        Token::Pairs(n) => out.put_tagged(tag::PAIRS, (*n).into()),
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
    fn take_bytes(&mut self, count: usize) -> Result<&'b [u8], Error> {
        let (taken, rest) = self.bytes.split_at_checked(count).ok_or_else(damaged_error)?;
        self.bytes = rest;
        Ok(taken)
    }

    fn read_byte(&mut self) -> Result<u8, Error> {
        self.take_bytes(1).map(|bytes| bytes[0])
    }

    fn read_number(&mut self) -> Result<u64, Error> {
        let (mut n, mut shift) = (0_u64, 0);
        loop {
            let byte = self.read_byte()?;
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

    fn read_u32(&mut self) -> Result<u32, Error> {
        self.read_number()?.try_into().map_err(|_| damaged_error())
    }

    /// A number of things of at least `size` bytes each.
    fn read_count(&mut self, size: usize) -> Result<usize, Error> {
        let count = self.read_u32()? as usize;
        if count > self.bytes.len() / size {
            return Err(damaged_error());
        }
        Ok(count)
    }

    fn read_slice(&mut self) -> Result<&'b [u8], Error> {
        let count = usize::try_from(self.read_number()?).map_err(|_| damaged_error())?;
        self.take_bytes(count)
    }

    fn read_text(&mut self) -> Result<&'b str, Error> {
        std::str::from_utf8(self.read_slice()?).map_err(|_| damaged_error())
    }

    fn read_list<T>(
        &mut self,
        size: usize,
        each: impl FnMut(&mut Self) -> Result<T, Error>,
    ) -> Result<Vec<T>, Error> {
        let count = self.read_count(size)?;
        self.read_exactly(count, size, each)
    }

    fn read_exactly<T>(
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
            .get(from.read_u32()? as usize)
            .cloned()
            .ok_or_else(damaged_error)
    };
    Ok(match from.read_byte()? {
        tag::NONE => Token::None,
        tag::FALSE => Token::Bool(false),
        tag::TRUE => Token::Bool(true),
        tag::INT => {
            let n = from.read_number()?;
            Token::Int((n >> 1) as i64 ^ -((n & 1) as i64))
        }
        tag::BIG_INT => {
            let value = BigInt::from_le_bytes(from.read_slice()?);
            value.to_i64().map_or(Token::BigInt(value), Token::Int)
        }
        tag::FLOAT => Token::Float(f64::from_le_bytes(
            from.take_bytes(8)?.try_into().map_err(|_| damaged_error())?,
        )),
        tag::STR => Token::Str(text(from)?),
        tag::BYTES => Token::Bytes(Bytes::from(from.read_slice()?)),
        tag::DTYPE => Token::DType(DType {
            code: from.read_byte()?,
            bits: from.read_byte()?,
            lanes: from.read_u32()?.try_into().map_err(|_| damaged_error())?,
        }),
        tag::DEVICE => Token::Device(Device {
            kind: from.read_u32()? as i32,
            index: from.read_u32()? as i32,
        }),
        tag::NODE => Token::Node(from.read_u32()?),
        tag::WEAK => Token::Weak(from.read_u32()?),
        tag::EXTERNAL => Token::External(from.read_u32()?),
        tag::CALLABLE => Token::Callable(from.read_u32()?),
        tag::NAMED => Token::Named(text(from)?),
        tag::BUFFER => Token::Buffer(from.read_u32()?),
        tag::SEQUENCE => Token::Sequence(from.read_u32()?),
        tag::BAG => Token::Bag(from.read_u32()?),
        tag::PAIRS => Token::Pairs(from.read_u32()?),
        small @ tag::SMALL..=200 => Token::Int((small - tag::SMALL).into()),
        _ => return Err(damaged_error()),
    })
}
