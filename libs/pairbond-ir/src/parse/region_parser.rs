//! Regions and blocks. Blocks may be used before their labels.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::Parser;
use super::forward_refs::{Body, Late, Values};
use super::lexer::Kind;
use super::name::Name;
use super::parse_error::Place;
use crate::fast::FastMap;
use crate::ir::{self, Block, Region};
use crate::recursion::with_stack;
use crate::room::Room;

/// The blocks of the region that is being read; where each was used first, until it is defined.
pub(super) type Blocks = FastMap<Name, (Ref<Block>, Option<Place>)>;

impl Parser<'_> {
    pub(super) fn block_reference(&mut self, blocks: &mut Blocks) -> Result<Ref<Block>> {
        if self.token.kind != Kind::Caret {
            return Err(self.expected_error("expected block name"));
        }
        let start = self.token.start;
        let name = self.take_name();
        let new = || (Block::new_detached(), Some(self.window.place_of(start)));
        Ok(blocks.room().entry(name).or_insert_with(new).0.clone())
    }

    /// `{ … }`
    pub(super) fn parse_region(
        &mut self,
        body: &mut Body,
        region: &Ref<Region>,
        isolated: bool,
    ) -> Result<()> {
        self.expect_mark(b'{', " to begin a region")?;
        body.enter_scope(isolated);
        let mut blocks = Blocks::default();
        if !self.is_mark(b'}') && self.token.kind != Kind::Caret {
            let block = Block::new_detached();
            region.list(|it| &it.blocks).push(&block)?;
            self.block_body(body, &block, &mut blocks)?;
        }
        while !self.is_mark(b'}') {
            if self.token.kind != Kind::Caret {
                return Err(self.expected_error("expected a block label, an operation or '}'"));
            }
            let block = self.parse_block_label(body, &mut blocks)?;
            region.list(|it| &it.blocks).push(&block)?;
            self.block_body(body, &block, &mut blocks)?;
        }
        let undefined = blocks.values().filter_map(|(_, used)| *used);
        if let Some(first) = undefined.min_by_key(|it| it.offset) {
            return Err(self.window.error_at(first, "reference to an undefined block"));
        }
        self.advance_token();
        body.leave_scope(self)
    }

    /// `^name(%a: i32, …):`
    fn parse_block_label(&mut self, body: &mut Body, blocks: &mut Blocks) -> Result<Ref<Block>> {
        self.release_passed();
        let start = self.token.start;
        let name = self.take_name();
        let entry = blocks
            .room()
            .entry(name.clone())
            .or_insert_with(|| (Block::new_detached(), Some(self.window.place_of(start))));
        if entry.1.take().is_none() {
            return Err(self.error_at(start, &format!("redefinition of block '{name}'")));
        }
        let block = entry.0.clone();
        if self.accept_mark(b'(') {
            self.parse_list(b')', |it| {
                let start = it.token.start;
                if it.token.kind != Kind::Percent {
                    return Err(it.expected_error("expected SSA operand"));
                }
                let name = it.take_name();
                it.expect_mark(b':', " and the type of a block argument")?;
                let r#type = it.parse_type()?;
                let (location, late) = match it.location_or_alias()? {
                    None => (it.own_place(start), None),
                    Some(Ok(found)) => (found, None),
                    Some(Err(late)) => (it.text.clone(), Some(late)),
                };
                let argument = ir::new_argument(r#type, location);
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
                body.define_values(it, name, start, Values::One(argument))
            })?;
        }
        self.expect_mark(b':', " after block name")?;
        Ok(block)
    }

    fn block_body(&mut self, body: &mut Body, block: &Ref<Block>, blocks: &mut Blocks) -> Result<()> {
        let operations = block.list(|it| &it.operations);
        while !self.is_mark(b'}') && self.token.kind != Kind::Caret {
            let op = with_stack(|| self.operation_here(body, blocks))?;
            operations.push_owned(op)?;
        }
        Ok(())
    }
}
