//! [`Source`]: the origin of a text. It is read once, from front to back; only messages read it
//! again.

use std::io::{Cursor, Read, Seek, SeekFrom};

use pairbond::prelude::*;

/// Bytes of a text.
pub trait Source {
    /// Appends some bytes, about as many as asked for, or none at the end.
    ///
    /// # Errors
    /// Why nothing more can be read.
    fn read_some(&mut self, most: usize, into: &mut Vec<u8>) -> Result<()>;

    /// Bytes that were read before, from a place on, if they can be had once more. Nothing is read
    /// after that.
    fn read_again(&mut self, from: usize, most: usize) -> Option<Vec<u8>>;
}

/// Returns the source of a text in memory.
pub fn of_text(text: &str) -> impl Source {
    of_bytes(text.as_bytes())
}

/// The same as bytes in UTF-8.
pub fn of_bytes(text: &[u8]) -> impl Source {
    Seekable(Cursor::new(text))
}

/// A source that can be read once: a pipe, a socket, the output of a decompressor.
pub struct Stream<R>(pub R);

impl<R: Read> Source for Stream<R> {
    fn read_some(&mut self, most: usize, into: &mut Vec<u8>) -> Result<()> {
        append_from(&mut self.0, most, into)
    }

    fn read_again(&mut self, _: usize, _: usize) -> Option<Vec<u8>> {
        None
    }
}

/// A file that is read from its beginning, or a text.
struct Seekable<R>(R);

impl<R: Read + Seek> Source for Seekable<R> {
    fn read_some(&mut self, most: usize, into: &mut Vec<u8>) -> Result<()> {
        append_from(&mut self.0, most, into)
    }

    fn read_again(&mut self, from: usize, most: usize) -> Option<Vec<u8>> {
        self.0.seek(SeekFrom::Start(from as u64)).ok()?;
        let mut found = Vec::new();
        append_from(&mut self.0, most, &mut found).ok()?;
        Some(found)
    }
}

fn append_from(from: &mut impl Read, most: usize, into: &mut Vec<u8>) -> Result<()> {
    // `read_to_end` makes room for a few bytes, which cannot fail.
    into.try_reserve(most)?;
    from.take(most as u64).read_to_end(into)?;
    Ok(())
}

/// A file object of Python: a function of how much to read and, to read it again, of where.
impl Source for Function {
    fn read_some(&mut self, most: usize, into: &mut Vec<u8>) -> Result<()> {
        let found = self.call(&[(most as u64).into()])?.to::<Bytes>()?;
        into.try_reserve(found.len())?;
        into.extend_from_slice(&found);
        Ok(())
    }

    fn read_again(&mut self, from: usize, most: usize) -> Option<Vec<u8>> {
        let found = self.call(&[(most as u64).into(), (from as u64).into()]).ok()?;
        let mut found = found.to::<Bytes>().ok()?.to_vec();
        // Files give less than was asked for as they like.
        loop {
            let known = found.len();
            if known >= most || self.read_some(most - known, &mut found).is_err() || found.len() == known {
                return Some(found);
            }
        }
    }
}
