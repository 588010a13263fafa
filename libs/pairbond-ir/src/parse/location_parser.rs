//! Locations.

use pairbond::prelude::*;

use super::Parser;
use super::lexer::Kind;
use crate::context::attributes::{Attribute, AttributeHead, fuse_locations, unknown_location};
use crate::recursion::with_stack;
use crate::room::Room;

impl Parser<'_> {
    /// `loc(…)`, at its word.
    pub(super) fn parse_location(&mut self) -> Result<Ref<Attribute>> {
        self.advance_token();
        self.expect_mark(b'(', " in location")?;
        let found = self.parse_location_body()?;
        self.expect_mark(b')', " in location")?;
        Ok(found)
    }

    /// Inside of `loc(…)`.
    pub(super) fn parse_location_body(&mut self) -> Result<Ref<Attribute>> {
        with_stack(|| self.place_here())
    }

    fn place_here(&mut self) -> Result<Ref<Attribute>> {
        let start = self.token.start;
        match self.token.kind {
            Kind::Hash => {
                let found = self.extended_attribute()?;
                match found.head().is_location() {
                    true => Ok(found),
                    false => Err(self.error_at(start, "expected location attribute")),
                }
            }
            Kind::String => self.named_place(),
            Kind::Word => match self.token_text() {
                "unknown" => {
                    self.advance_token();
                    Ok(unknown_location(&self.context))
                }
                "callsite" => self.call_site(),
                "fused" => self.parse_fused(),
                // An attribute that is a location, written out.
                "loc" => self.parse_location(),
                _ => Err(self.expected_error("expected location instance")),
            },
            _ => Err(self.expected_error("expected location instance")),
        }
    }

    fn named_place(&mut self) -> Result<Ref<Attribute>> {
        let name: Box<str> = self.parse_utf8_string("expected string")?.into();
        if self.accept_mark(b':') {
            let line = self.parse_u32()?;
            // Without a column it is the line as a whole.
            let column = self.accept_mark(b':').then(|| self.parse_u32()).transpose()?;
            let start = (line, column.unwrap_or(0));
            let mut end = start;
            if column.is_some() && self.accept_word("to") {
                end.0 = if self.is_mark(b':') {
                    line
                } else {
                    self.parse_u32()?
                };
                self.expect_mark(b':', " in FileLineColRange")?;
                end.1 = self.parse_u32()?;
            }
            let head = AttributeHead::FileLoc {
                file: name,
                start,
                end,
            };
            return Ok(Attribute::without_parts(&self.context, head));
        }
        let child = match self.accept_mark(b'(') {
            true => {
                let child = self.parse_location_body()?;
                self.expect_mark(b')', " after child location of NameLoc")?;
                child
            }
            false => unknown_location(&self.context),
        };
        Ok(Attribute::new(
            &self.context,
            AttributeHead::NameLoc(name),
            Vec::new(),
            vec![child],
        ))
    }

    fn parse_u32(&mut self) -> Result<u32> {
        let start = self.token.start;
        let value = self.parse_signed()?;
        u32::try_from(value)
            .map_err(|_| self.error_at(start, "expected integer line number and column of 32 bits"))
    }

    fn call_site(&mut self) -> Result<Ref<Attribute>> {
        self.advance_token();
        self.expect_mark(b'(', " in callsite location")?;
        let callee = self.parse_location_body()?;
        if !self.accept_word("at") {
            return Err(self.expected_error("expected 'at' in callsite location"));
        }
        let caller = self.parse_location_body()?;
        self.expect_mark(b')', " in callsite location")?;
        Ok(Attribute::new(
            &self.context,
            AttributeHead::CallSiteLoc,
            Vec::new(),
            vec![callee, caller],
        ))
    }

    fn parse_fused(&mut self) -> Result<Ref<Attribute>> {
        self.advance_token();
        let metadata = match self.accept_mark(b'<') {
            true => {
                let metadata = self.parse_attribute(None)?;
                self.expect_mark(b'>', " after fused location metadata")?;
                Some(metadata)
            }
            false => None,
        };
        self.expect_mark(b'[', " in fused location")?;
        let mut all = Vec::new();
        self.parse_list(b']', |it| {
            it.parse_location_body().map(|found| all.room().push(found))
        })?;
        Ok(fuse_locations(&self.context, &all, metadata))
    }
}
