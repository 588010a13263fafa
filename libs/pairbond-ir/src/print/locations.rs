//! Locations.

use super::{Elide, Writer, deep, escaped};
use crate::attributes::{Attribute, AttributeHead};

impl Writer {
    /// Inside of `loc(…)`; by its alias if it has one.
    fn location(&mut self, it: &Attribute) {
        if let Some(alias) = self.alias(it) {
            let alias = alias.to_owned();
            return self.push(&alias);
        }
        deep(|| self.whole_location(it));
    }

    /// ` loc(…)` behind what it is the location of.
    pub(crate) fn trailing_location(&mut self, it: &Attribute) {
        self.push(" loc(");
        self.location(it);
        self.push(")");
    }

    pub(super) fn whole_location(&mut self, it: &Attribute) {
        match it.head() {
            AttributeHead::FileLoc { file, start, end } => {
                let (line, column) = start;
                self.format(format_args!("\"{}\":{line}:{column}", escaped(file.as_bytes())));
                match end {
                    end if end == start => {}
                    (end_line, end_column) if end_line == line => {
                        self.format(format_args!(" to :{end_column}"))
                    }
                    (end_line, end_column) => self.format(format_args!(" to {end_line}:{end_column}")),
                }
            }
            AttributeHead::NameLoc(name) => {
                self.format(format_args!("\"{}\"", escaped(name.as_bytes())));
                let child = &it.attributes()[0];
                if *child.head() != AttributeHead::UnknownLoc {
                    self.push("(");
                    self.location(child);
                    self.push(")");
                }
            }
            AttributeHead::CallSiteLoc => {
                self.push("callsite(");
                self.location(&it.attributes()[0]);
                self.push(" at ");
                self.location(&it.attributes()[1]);
                self.push(")");
            }
            AttributeHead::FusedLoc(with_metadata) => {
                let (parts, metadata) = it
                    .attributes()
                    .split_at(it.attributes().len() - usize::from(*with_metadata));
                self.push("fused");
                if let [metadata] = metadata {
                    self.push("<");
                    self.attribute(metadata, Elide::Never);
                    self.push(">");
                }
                self.push("[");
                self.list(parts, |out, it| out.location(it));
                self.push("]");
            }
            _ => self.push("unknown"),
        }
    }
}
