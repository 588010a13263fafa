//! Writing, exactly as MLIR does it.
//!
//! [`Writer`] collects text and knows the names of aliases. Nesting of any depth is written on the
//! heap when the stack ends ([`crate::recursion::with_stack`]).

mod aliases;
mod attribute_text;
mod dense_text;
mod escape;
mod lengths;
mod lines;
mod location_text;
mod names;
mod operation_text;
mod print_methods;
mod state;
mod type_text;
mod used;
mod write_files;

use std::collections::HashMap;
use std::fmt::Write;

use pairbond::memory::or_unwind;

use crate::context::attributes::Attribute;
use crate::context::types::Type;
use crate::fast::FastMap;

use aliases::Aliases;
pub(crate) use escape::{escape_string, is_bare_name, symbol_name};
use operation_text::write_operation;
pub(crate) use operation_text::{block_text, operation_text, value_text};
pub use state::AsmState;
pub(crate) use state::value_name;
pub(crate) use type_text::is_balanced;

/// How operations are written.
#[derive(Clone, Copy, Default)]
pub(crate) struct Flags {
    pub(crate) locations: bool,
    /// As people read them.
    pub(crate) pretty_locations: bool,
    /// Values are called as their locations are.
    pub(crate) named_by_location: bool,
    /// Without the contents of regions: `({...})`.
    pub(crate) skip_regions: bool,
    /// Without aliases.
    pub(crate) local_scope: bool,
    /// More elements than so many are left out.
    pub(crate) most_elements: Option<usize>,
    /// Data of resources whose text is longer is left out.
    pub(crate) most_resource_text: Option<usize>,
}

/// Text that grows.
#[derive(Default)]
pub(crate) struct Writer {
    pub(crate) text: String,
    /// See [`Flags`].
    most_elements: Option<usize>,
    /// See [`Flags`].
    pretty_locations: bool,
    aliases: FastMap<usize, String>,
    /// The numbers of `distinct` attributes in this text.
    distinct: HashMap<u64, usize>,
}

/// Whether the type that follows a number or a text may be left out where that says which it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Elide {
    Never,
    /// If it is the default.
    May,
    /// It is known from elsewhere.
    Must,
}

impl Writer {
    pub(crate) fn push(&mut self, text: &str) {
        self.reserve(text.len());
        self.text.push_str(text);
    }

    /// Makes room for so many bytes; unwinds with a `MemoryError` where there is none.
    #[inline]
    fn reserve(&mut self, bytes: usize) {
        or_unwind(self.text.try_reserve(bytes));
    }

    /// So many spaces.
    pub(crate) fn push_spaces(&mut self, count: usize) {
        self.reserve(count);
        self.text.extend(std::iter::repeat_n(' ', count));
    }

    /// A number in decimal.
    pub(crate) fn push_number(&mut self, mut number: u32) {
        let mut digits = [0; 10];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b'0' + (number % 10) as u8;
            number /= 10;
            if number == 0 {
                break;
            }
        }
        self.reserve(digits.len());
        self.text.extend(digits[at..].iter().map(|it| char::from(*it)));
    }

    pub(crate) fn push_format(&mut self, text: std::fmt::Arguments<'_>) {
        self.write_fmt(text).expect("a Writer takes all");
    }

    /// One after the other, with commas between.
    pub(crate) fn print_list<I: IntoIterator>(&mut self, items: I, mut each: impl FnMut(&mut Self, I::Item)) {
        for (place, item) in items.into_iter().enumerate() {
            if place > 0 {
                self.push(", ");
            }
            each(self, item);
        }
    }

    fn alias_of<T>(&self, of: &T) -> Option<&str> {
        if self.aliases.is_empty() {
            return None;
        }
        self.aliases
            .get(&std::ptr::from_ref(of).addr())
            .map(String::as_str)
    }
}

impl Write for Writer {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.push(text);
        Ok(())
    }
}

/// A type by itself.
pub(crate) fn type_text(it: &Type) -> String {
    lengths::check_type(it);
    let mut writer = Writer::default();
    writer.print_type(it);
    writer.text
}

/// An attribute by itself.
pub(crate) fn attribute_text(it: &Attribute) -> String {
    lengths::check_attribute(it);
    let mut writer = Writer::default();
    writer.print_attribute(it, Elide::Never);
    writer.text
}

/// Writes a text to the standard error stream of the process, as MLIR's `dump` does.
pub(crate) fn dump_text(text: &str) {
    // Who has none does not read it.
    let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("{}\n", text.trim_end()));
}
