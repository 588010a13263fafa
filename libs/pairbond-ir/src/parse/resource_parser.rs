//! `{-# … #-}`: data that attributes refer to by name. It stands behind them.

use pairbond::prelude::*;

use super::Parser;
use super::lexer::Kind;

impl Parser<'_> {
    /// What data of a name is called in the context. As with MLIR, a text means its own, whether it
    /// is defined there or not.
    pub(super) fn resource_name(&mut self, name: Box<str>) -> Box<str> {
        if !self.of_module {
            return name;
        }
        let context = &self.context;
        let known = self.resources.entry(name);
        known
            .or_insert_with_key(|name| context.declare_resource(name))
            .clone()
    }

    /// The section, where reading comes to it.
    pub(super) fn parse_resource_section(&mut self) -> Result<()> {
        self.advance_token();
        while self.token.kind == Kind::Word {
            let start = self.token.start;
            let key = self.parse_bare_word();
            let of_dialects = &*key == "dialect_resources";
            if !of_dialects && &*key != "external_resources" {
                let what = format!("unknown key '{key}' in file metadata dictionary");
                return Err(self.error_at(start, &what));
            }
            self.expect_mark(b':', "")?;
            self.expect_mark(b'{', "")?;
            self.parse_list(b'}', |it| match of_dialects {
                true => it.dialect_resources(),
                false => it.external_resources(),
            })?;
            if !self.accept_mark(b',') {
                break;
            }
        }
        if self.token.kind != Kind::Hash || self.token_text() != "#-" {
            return Err(self.expected_error("expected ',' or '#-}'"));
        }
        self.advance_token();
        self.expect_mark(b'}', "")
    }

    fn dialect_resources(&mut self) -> Result<()> {
        let start = self.token.start;
        let dialect = self.parse_resource_key()?;
        if dialect != "builtin" {
            return Err(self.error_at(start, &format!("dialect '{dialect}' is unknown")));
        }
        self.expect_mark(b':', "")?;
        self.expect_mark(b'{', "")?;
        self.parse_list(b'}', |it| {
            it.release_passed();
            let name = it.parse_resource_key()?;
            it.expect_mark(b':', "")?;
            let (alignment, data) = it.parse_blob(&name)?;
            let name = it.resource_name(name.into());
            let data = Array::constant(&[data.len()], data)?;
            it.context.define_resource(&name, data, alignment);
            Ok(())
        })
    }

    /// Those of other tools: skipped, as in MLIR.
    fn external_resources(&mut self) -> Result<()> {
        self.parse_resource_key()?;
        self.expect_mark(b':', "")?;
        self.expect_mark(b'{', "")?;
        self.parse_list(b'}', |it| {
            it.release_passed();
            it.parse_resource_key()?;
            it.expect_mark(b':', "")?;
            match it.token.kind {
                Kind::String | Kind::Word | Kind::Integer | Kind::Float => {
                    it.advance_token();
                    Ok(())
                }
                _ => Err(it.expected_error("expected the value of a resource")),
            }
        })
    }

    fn parse_resource_key(&mut self) -> Result<String> {
        match self.token.kind {
            Kind::Word => Ok(self.parse_bare_word().into()),
            _ => self.parse_utf8_string("expected identifier key for resource entry"),
        }
    }

    /// `"0x…"`: four bytes that say the alignment, the lowest first, and the data.
    fn parse_blob(&mut self, name: &str) -> Result<(u32, Vec<u8>)> {
        let start = self.token.start;
        let what = format!("expected hex string blob for key '{name}'");
        if self.token.kind != Kind::String {
            return Err(self.expected_error(&what));
        }
        let digits = self.token_text().trim_matches('"').strip_prefix("0x");
        let digits = digits.map(str::as_bytes).filter(|it| it.len() % 2 == 0);
        let digit = |byte: u8| char::from(byte).to_digit(16).map(|it| it as u8);
        let byte = |pair: &[u8]| Some(digit(pair[0])? << 4 | digit(pair[1])?);
        let data: Option<Vec<u8>> = digits.and_then(|it| it.chunks_exact(2).map(byte).collect());
        let mut data = data.ok_or_else(|| self.error_at(start, &what))?;
        self.advance_token();
        let Some((alignment, _)) = data.split_first_chunk::<4>() else {
            return Err(self.error_at(start, &format!("{what} to encode alignment in first 4 bytes")));
        };
        let alignment = u32::from_le_bytes(*alignment);
        if !alignment.is_power_of_two() {
            return Err(self.error_at(
                start,
                &format!(
                    "{what} to encode alignment in first 4 bytes, but got non-power-of-2 value: {alignment}"
                ),
            ));
        }
        data.drain(..4);
        Ok((alignment, data))
    }
}
