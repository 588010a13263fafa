//! `{-# … #-}`: data that attributes refer to by name. It stands behind them, and is read before.

use std::sync::Arc;

use pairbond::prelude::*;

use super::Parser;
use super::lexer::Kind;

/// Names and data as they stand in a text.
type Found = Vec<(String, Arc<[u8]>)>;

impl<'a> Parser<'a> {
    /// Reads the section at the end of the text, if there is one. What is wrong with it is said when reading comes there.
    pub(super) fn resources_ahead(&mut self) {
        let Some(at) = self.text.rfind("{-#") else {
            return;
        };
        let mut ahead = Parser::new(&self.context, self.text, self.name);
        ahead.jump(at);
        let mut found = Found::new();
        if ahead.section(&mut found).is_ok() && ahead.token.kind == Kind::End {
            for (name, data) in found {
                let unique = self.context.resources().add(&name, data);
                self.resources.insert(name, unique);
            }
        }
    }

    /// The section where reading comes to it.
    pub(super) fn resources(&mut self) -> Result<()> {
        let start = self.token.start;
        let mut found = Found::new();
        self.section(&mut found)?;
        match found.iter().all(|(name, _)| self.resources.contains_key(name)) {
            true => Ok(()),
            false => Err(self.error(start, "resources must stand at the end, in one section")),
        }
    }

    fn section(&mut self, found: &mut Found) -> Result<()> {
        self.advance();
        while self.token.kind == Kind::Word {
            let start = self.token.start;
            let key = self.advance();
            if !matches!(key, "dialect_resources" | "external_resources") {
                let what = format!("unknown key '{key}' in file metadata dictionary");
                return Err(self.error(start, &what));
            }
            self.expect(b':', "")?;
            self.expect(b'{', "")?;
            self.list(b'}', |it| match key {
                "dialect_resources" => it.dialect_resources(found),
                _ => it.external_resources(),
            })?;
            if !self.accept(b',') {
                break;
            }
        }
        if self.token.kind != Kind::Hash || self.word() != "#-" {
            return Err(self.expected("expected ',' or '#-}'"));
        }
        self.advance();
        self.expect(b'}', "")
    }

    fn dialect_resources(&mut self, found: &mut Found) -> Result<()> {
        let start = self.token.start;
        let dialect = self.key()?;
        if dialect != "builtin" {
            return Err(self.error(start, &format!("dialect '{dialect}' is unknown")));
        }
        self.expect(b':', "")?;
        self.expect(b'{', "")?;
        self.list(b'}', |it| {
            let name = it.key()?;
            it.expect(b':', "")?;
            let data = it.blob(&name)?;
            found.push((name, data));
            Ok(())
        })
    }

    /// Those of somebody else: read over, as MLIR does with what nobody asks for.
    fn external_resources(&mut self) -> Result<()> {
        self.key()?;
        self.expect(b':', "")?;
        self.expect(b'{', "")?;
        self.list(b'}', |it| {
            it.key()?;
            it.expect(b':', "")?;
            match it.token.kind {
                Kind::String | Kind::Word | Kind::Integer | Kind::Float => {
                    it.advance();
                    Ok(())
                }
                _ => Err(it.expected("expected the value of a resource")),
            }
        })
    }

    fn key(&mut self) -> Result<String> {
        match self.token.kind {
            Kind::Word => Ok(self.advance().to_owned()),
            _ => self.utf8("expected identifier key for resource entry"),
        }
    }

    /// `"0x…"`: four bytes that say the alignment, the lowest first, and the data.
    fn blob(&mut self, name: &str) -> Result<Arc<[u8]>> {
        let start = self.token.start;
        let what = format!("expected hex string blob for key '{name}'");
        if self.token.kind != Kind::String {
            return Err(self.expected(&what));
        }
        let digits = self.advance().trim_matches('"').strip_prefix("0x");
        let digits = digits.map(str::as_bytes).filter(|it| it.len() % 2 == 0);
        let digit = |byte: u8| char::from(byte).to_digit(16).map(|it| it as u8);
        let byte = |pair: &[u8]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
        let data: Option<Vec<u8>> = digits.and_then(|it| it.chunks_exact(2).map(byte).collect());
        let data = data.ok_or_else(|| self.error(start, &what))?;
        let Some((alignment, _)) = data.split_first_chunk::<4>() else {
            return Err(self.error(start, &format!("{what} to encode alignment in first 4 bytes")));
        };
        let alignment = u32::from_le_bytes(*alignment);
        if !alignment.is_power_of_two() {
            return Err(self.error(
                start,
                &format!(
                    "{what} to encode alignment in first 4 bytes, but got non-power-of-2 value: {alignment}"
                ),
            ));
        }
        Ok(data.into())
    }
}
