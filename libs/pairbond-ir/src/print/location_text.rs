//! Locations.

use super::{Elide, Writer, escape_string};
use crate::context::attributes::{Attribute, AttributeHead};
use crate::recursion::with_stack;

impl Writer {
    /// Inside of `loc(…)`; by its alias if it has one.
    fn print_location(&mut self, it: &Attribute) {
        if let Some(alias) = self.alias_of(it) {
            let alias = alias.to_owned();
            return self.push(&alias);
        }
        with_stack(|| self.whole_location(it));
    }

    /// ` loc(…)` behind an operation, or the location as people read it.
    pub(crate) fn trailing_location(&mut self, it: &Attribute, pretty: bool) {
        if pretty {
            self.push(" ");
            return self.whole_pretty_location(it);
        }
        self.push(" loc(");
        self.print_location(it);
        self.push(")");
    }

    /// The same behind an argument, where MLIR writes no name for the whole of it.
    pub(crate) fn argument_location(&mut self, it: &Attribute, pretty: bool) {
        if pretty {
            self.push(" ");
            return self.whole_pretty_location(it);
        }
        self.push(" loc(");
        with_stack(|| self.whole_location(it));
        self.push(")");
    }

    fn pretty_location(&mut self, it: &Attribute) {
        match self.alias_of(it) {
            Some(alias) => {
                let alias = alias.to_owned();
                self.push(&alias);
            }
            None => with_stack(|| self.whole_pretty_location(it)),
        }
    }

    /// As people read it; no parser does.
    pub(super) fn whole_pretty_location(&mut self, it: &Attribute) {
        match it.head() {
            AttributeHead::FileLoc { file, start, end } => {
                self.push_format(format_args!("{file}:{}:{}", start.0, start.1));
                self.print_range_end(*start, *end);
            }
            AttributeHead::NameLoc(name) => self.named_location(it, name, Self::pretty_location),
            AttributeHead::CallSiteLoc => {
                let (callee, caller) = (&it.attributes()[0], &it.attributes()[1]);
                self.pretty_location(callee);
                let short = matches!(callee.head(), AttributeHead::NameLoc(_))
                    && matches!(caller.head(), AttributeHead::FileLoc { .. });
                self.push(if short { " at " } else { "\n at " });
                self.pretty_location(caller);
            }
            AttributeHead::FusedLoc(with_metadata) => {
                self.print_fused(it, *with_metadata, Self::pretty_location)
            }
            _ => self.push("[unknown]"),
        }
    }

    /// ` to 3:4` of a range.
    fn print_range_end(&mut self, start: (u32, u32), end: (u32, u32)) {
        match end {
            end if end == start => {}
            (line, column) if line == start.0 => self.push_format(format_args!(" to :{column}")),
            (line, column) => self.push_format(format_args!(" to {line}:{column}")),
        }
    }

    /// `"name"(child)`
    fn named_location(&mut self, it: &Attribute, name: &str, inner: fn(&mut Self, &Attribute)) {
        self.push_format(format_args!("\"{}\"", escape_string(name.as_bytes())));
        let child = &it.attributes()[0];
        if *child.head() != AttributeHead::UnknownLoc {
            self.push("(");
            inner(self, child);
            self.push(")");
        }
    }

    /// `<metadata>[…]`
    fn print_fused(&mut self, it: &Attribute, with_metadata: bool, inner: fn(&mut Self, &Attribute)) {
        let count = it.attributes().len() - usize::from(with_metadata);
        let (parts, metadata) = it.attributes().split_at(count);
        if let [metadata] = metadata {
            self.push("<");
            self.print_attribute(metadata, Elide::Never);
            self.push(">");
        }
        self.push("[");
        self.print_list(parts, |out, it| inner(out, it));
        self.push("]");
    }

    pub(super) fn whole_location(&mut self, it: &Attribute) {
        match it.head() {
            AttributeHead::FileLoc { file, start, end } => {
                let (line, column) = start;
                self.push_format(format_args!(
                    "\"{}\":{line}:{column}",
                    escape_string(file.as_bytes())
                ));
                self.print_range_end(*start, *end);
            }
            AttributeHead::NameLoc(name) => self.named_location(it, name, Self::print_location),
            AttributeHead::CallSiteLoc => {
                self.push("callsite(");
                self.print_location(&it.attributes()[0]);
                self.push(" at ");
                self.print_location(&it.attributes()[1]);
                self.push(")");
            }
            AttributeHead::FusedLoc(with_metadata) => {
                self.push("fused");
                self.print_fused(it, *with_metadata, Self::print_location);
            }
            _ => self.push("unknown"),
        }
    }
}
