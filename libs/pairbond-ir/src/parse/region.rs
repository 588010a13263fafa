//! Regions and blocks. Blocks may be used before their labels.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::Parser;
use super::error::Place;
use super::lexer::Kind;
use super::name::Name;
use super::names::{Body, Late, Values};
use crate::fast::FastMap;
use crate::ir::{self, Block, Region};
use crate::print::deep;
use crate::room::Room;

/// The blocks of the region that is being read; where each was used first, until it is defined.
pub(super) type Blocks = FastMap<Name, (Ref<Block>, Option<Place>)>;

impl Parser<'_> {
    pub(super) fn block_reference(&mut self, blocks: &mut Blocks) -> Result<Ref<Block>> {
        if self.token.kind != Kind::Caret {
            return Err(self.expected("expected block name"));
        }
        let start = self.token.start;
        let name = self.name();
        let new = || (Block::detached(), Some(self.window.place(start)));
        Ok(blocks.room().entry(name).or_insert_with(new).0.clone())
    }

    /// `{ … }`
    pub(super) fn region(&mut self, body: &mut Body, region: &Ref<Region>, isolated: bool) -> Result<()> {
        self.expect(b'{', " to begin a region")?;
        body.enter(isolated);
        let mut blocks = Blocks::default();
        if !self.is(b'}') && self.token.kind != Kind::Caret {
            let block = Block::detached();
            region.list(|it| &it.blocks).push(&block)?;
            self.block_body(body, &block, &mut blocks)?;
        }
        while !self.is(b'}') {
            if self.token.kind != Kind::Caret {
                return Err(self.expected("expected a block label, an operation or '}'"));
            }
            let block = self.label(body, &mut blocks)?;
            region.list(|it| &it.blocks).push(&block)?;
            self.block_body(body, &block, &mut blocks)?;
        }
        let undefined = blocks.values().filter_map(|(_, used)| *used);
        if let Some(first) = undefined.min_by_key(|it| it.offset) {
            return Err(self.window.error_at(first, "reference to an undefined block"));
        }
        self.advance();
        body.leave(self)
    }

    /// `^name(%a: i32, …):`
    fn label(&mut self, body: &mut Body, blocks: &mut Blocks) -> Result<Ref<Block>> {
        self.pass();
        let start = self.token.start;
        let name = self.name();
        let entry = blocks
            .room()
            .entry(name.clone())
            .or_insert_with(|| (Block::detached(), Some(self.window.place(start))));
        if entry.1.take().is_none() {
            return Err(self.error(start, &format!("redefinition of block '{name}'")));
        }
        let block = entry.0.clone();
        if self.accept(b'(') {
            self.list(b')', |it| {
                let start = it.token.start;
                if it.token.kind != Kind::Percent {
                    return Err(it.expected("expected SSA operand"));
                }
                let name = it.name();
                it.expect(b':', " and the type of a block argument")?;
                let r#type = it.r#type()?;
                let (location, late) = match it.location_or_alias()? {
                    None => (it.own_place(start), None),
                    Some(Ok(found)) => (found, None),
                    Some(Err(late)) => (it.text.clone(), Some(late)),
                };
                let argument = ir::argument(r#type, location);
                if let Some((alias, first)) = late {
                    let (op, argument) = (None, Some(argument.clone()));
                    body.late.room().push(Late {
                        op,
                        argument,
                        alias,
                        first,
                    });
                }
                block.list(|it| &it.arguments).push(&argument)?;
                body.define(it, name, start, Values::One(argument))
            })?;
        }
        self.expect(b':', " after block name")?;
        Ok(block)
    }

    fn block_body(&mut self, body: &mut Body, block: &Ref<Block>, blocks: &mut Blocks) -> Result<()> {
        let operations = block.list(|it| &it.operations);
        while !self.is(b'}') && self.token.kind != Kind::Caret {
            let op = deep(|| self.operation_here(body, blocks))?;
            operations.push_owned(op)?;
        }
        Ok(())
    }
}
