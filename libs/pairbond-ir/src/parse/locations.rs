//! Locations.

use pairbond::prelude::*;

use super::Parser;
use super::lexer::Kind;
use crate::attributes::{Attribute, AttributeHead, fused, unknown};
use crate::print::deep;
use crate::room::Room;

impl Parser<'_> {
    /// `loc(…)`, at its word.
    pub(super) fn location(&mut self) -> Result<Ref<Attribute>> {
        self.advance();
        self.expect(b'(', " in location")?;
        let found = self.place()?;
        self.expect(b')', " in location")?;
        Ok(found)
    }

    /// Inside of `loc(…)`.
    pub(super) fn place(&mut self) -> Result<Ref<Attribute>> {
        deep(|| self.place_here())
    }

    fn place_here(&mut self) -> Result<Ref<Attribute>> {
        let start = self.token.start;
        match self.token.kind {
            Kind::Hash => {
                let found = self.extended_attribute()?;
                match found.head().is_location() {
                    true => Ok(found),
                    false => Err(self.error(start, "expected location attribute")),
                }
            }
            Kind::String => self.named_place(),
            Kind::Word => match self.word() {
                "unknown" => {
                    self.advance();
                    Ok(unknown(&self.context))
                }
                "callsite" => self.call_site(),
                "fused" => self.fused(),
                // An attribute that is a location, written out.
                "loc" => self.location(),
                _ => Err(self.expected("expected location instance")),
            },
            _ => Err(self.expected("expected location instance")),
        }
    }

    fn named_place(&mut self) -> Result<Ref<Attribute>> {
        let name: Box<str> = self.utf8("expected string")?.into();
        if self.accept(b':') {
            let line = self.number32()?;
            // Without a column it is the line as a whole.
            let column = self.accept(b':').then(|| self.number32()).transpose()?;
            let start = (line, column.unwrap_or(0));
            let mut end = start;
            if column.is_some() && self.accept_word("to") {
                end.0 = if self.is(b':') { line } else { self.number32()? };
                self.expect(b':', " in FileLineColRange")?;
                end.1 = self.number32()?;
            }
            let head = AttributeHead::FileLoc {
                file: name,
                start,
                end,
            };
            return Ok(Attribute::simple(&self.context, head));
        }
        let child = match self.accept(b'(') {
            true => {
                let child = self.place()?;
                self.expect(b')', " after child location of NameLoc")?;
                child
            }
            false => unknown(&self.context),
        };
        Ok(Attribute::new(
            &self.context,
            AttributeHead::NameLoc(name),
            Vec::new(),
            vec![child],
        ))
    }

    fn number32(&mut self) -> Result<u32> {
        let start = self.token.start;
        let value = self.small()?;
        u32::try_from(value)
            .map_err(|_| self.error(start, "expected integer line number and column of 32 bits"))
    }

    fn call_site(&mut self) -> Result<Ref<Attribute>> {
        self.advance();
        self.expect(b'(', " in callsite location")?;
        let callee = self.place()?;
        if !self.accept_word("at") {
            return Err(self.expected("expected 'at' in callsite location"));
        }
        let caller = self.place()?;
        self.expect(b')', " in callsite location")?;
        Ok(Attribute::new(
            &self.context,
            AttributeHead::CallSiteLoc,
            Vec::new(),
            vec![callee, caller],
        ))
    }

    fn fused(&mut self) -> Result<Ref<Attribute>> {
        self.advance();
        let metadata = match self.accept(b'<') {
            true => {
                let metadata = self.attribute(None)?;
                self.expect(b'>', " after fused location metadata")?;
                Some(metadata)
            }
            false => None,
        };
        self.expect(b'[', " in fused location")?;
        let mut all = Vec::new();
        self.list(b']', |it| it.place().map(|found| all.room().push(found)))?;
        Ok(fused(&self.context, &all, metadata))
    }
}
