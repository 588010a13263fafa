//! Operations.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::Parser;
use super::lexer::{self, Kind};
use super::names::{Body, Late, Usage, Waiting};
use super::region::Blocks;
use crate::attributes::{Attribute, unknown};
use crate::ir::{self, Operation, Parts, Region, Value};
use crate::print::deep;

/// Operations whose regions know nothing of the values around them.
const ISOLATED: [&str; 6] = [
    "builtin.module",
    "func.func",
    "llvm.func",
    "gpu.func",
    "gpu.module",
    "stablehlo.composite",
];

impl<'a> Parser<'a> {
    /// `%0, %1:2 = "name"(…) …`
    pub(super) fn operation(&mut self, body: &mut Body<'a>) -> Result<Ref<Operation>> {
        deep(|| self.operation_here(body, &mut Blocks::new()))
    }

    pub(super) fn operation_here(
        &mut self,
        body: &mut Body<'a>,
        blocks: &mut Blocks<'a>,
    ) -> Result<Ref<Operation>> {
        let begin = self.token.start;
        let mut names: Vec<(&'a str, usize, usize)> = Vec::new();
        while self.token.kind == Kind::Percent {
            let start = self.token.start;
            let name = self.advance();
            let count = match self.accept(b':') {
                true => usize::try_from(self.small()?).ok().filter(|it| *it > 0),
                false => Some(1),
            };
            let count = count
                .ok_or_else(|| self.error(start, "expected named operation to have at least 1 result"))?;
            names.push((name, start, count));
            if !self.accept(b',') {
                self.expect(b'=', " after SSA name")?;
                break;
            }
        }
        if self.token.kind != Kind::String {
            return Err(self.expected("expected operation name in quotes"));
        }
        let name_start = self.token.start;
        let name = self.utf8("expected operation name in quotes")?;
        let dialect = name.split('.').next().unwrap_or("");
        if !name.contains('.') || !self.context.allows(dialect) {
            let what = format!("operation '{name}' is of no dialect that may be read");
            return Err(self.error(name_start, &what));
        }
        let (op, operands) = self.rest(body, blocks, &name)?;
        let results = self.signature(body, &op, &operands, begin)?;
        let wanted: usize = names.iter().map(|(_, _, count)| count).sum();
        if !names.is_empty() && wanted != results.len() {
            let what = format!(
                "operation defines {} results but was provided {wanted} to bind",
                results.len()
            );
            return Err(self.error(begin, &what));
        }
        self.trailing(body, &op)?;
        let mut results = results.into_iter();
        for (name, start, count) in names {
            let values = results.by_ref().take(count).collect();
            body.define(self, name, start, values)?;
        }
        Ok(op)
    }

    /// Operands, successors, properties, regions and attributes.
    fn rest(
        &mut self,
        body: &mut Body<'a>,
        blocks: &mut Blocks<'a>,
        name: &str,
    ) -> Result<(Ref<Operation>, Vec<Usage<'a>>)> {
        let mut operands = Vec::new();
        self.expect(b'(', " to start operand list")?;
        self.list(b')', |it| it.usage().map(|found| operands.push(found)))?;
        let parts = Parts {
            name: name.into(),
            location: Some(unknown(&self.context)),
            ..Parts::default()
        };
        let op = ir::build(&self.context, parts)?;
        if self.accept(b'[') {
            let mut successors = Vec::new();
            self.list(b']', |it| {
                it.block_reference(blocks)
                    .map(|found| successors.push(found.downgrade()))
            })?;
            op.successors.set(successors);
        }
        if self.accept(b'<') {
            op.properties.set(Some(self.attribute(None)?));
            self.expect(b'>', " to close properties")?;
        }
        if self.accept(b'(') {
            let isolated = ISOLATED.contains(&name);
            loop {
                let region = Region::detached_in(&op)?;
                self.region(body, &region, isolated)?;
                if !self.accept(b',') {
                    break;
                }
            }
            self.expect(b')', " to end region list")?;
        }
        if self.is(b'{') {
            op.attributes.set(self.dictionary()?);
        }
        Ok((op, operands))
    }

    /// `%name`, `%name#1`
    fn usage(&mut self) -> Result<Usage<'a>> {
        let start = self.token.start;
        if self.token.kind != Kind::Percent {
            return Err(self.expected("expected SSA operand"));
        }
        let name = self.advance();
        let number = match self.token.kind {
            Kind::Hash => {
                let digits = &self.word()[1..];
                let number = digits
                    .parse()
                    .map_err(|_| self.expected("invalid SSA value result number"))?;
                self.advance();
                number
            }
            _ => 0,
        };
        Ok(Usage { name, number, start })
    }

    /// `: (types) -> types`, which says what the operands are; the results.
    fn signature(
        &mut self,
        body: &mut Body<'a>,
        op: &Ref<Operation>,
        operands: &[Usage<'a>],
        begin: usize,
    ) -> Result<Vec<Ref<Value>>> {
        self.expect(b':', " followed by operation type")?;
        let mut types = Vec::new();
        if !self.accept(b'(') {
            return Err(self.expected("expected function type"));
        }
        self.list(b')', |it| it.r#type().map(|found| types.push(found)))?;
        if self.token.kind != Kind::Arrow {
            return Err(self.expected("expected '->' in function type"));
        }
        self.advance();
        if types.len() != operands.len() {
            let what = format!(
                "expected {} operand types but had {}",
                operands.len(),
                types.len()
            );
            return Err(self.error(begin, &what));
        }
        let mut results = Vec::new();
        self.results(&mut results)?;
        let mut values = Vec::with_capacity(operands.len());
        for (usage, r#type) in operands.iter().zip(&types) {
            values.push(body.value(self, *usage, r#type)?);
        }
        ir::begin_operands(op, &values);
        for (place, (usage, r#type)) in operands.iter().zip(types).enumerate() {
            if values[place].is_none()
                && let Some(scope) = body.scopes.last_mut()
            {
                let (op, usage) = (op.clone(), *usage);
                scope.waiting.push(Waiting {
                    op,
                    place,
                    usage,
                    r#type,
                });
            }
        }
        let results: Vec<Ref<Value>> = results.into_iter().map(ir::result).collect();
        let list = op.list(|it| &it.results);
        results.iter().try_for_each(|it| list.push(it))?;
        Ok(results)
    }

    /// ` loc(…)`, if it is there.
    fn trailing(&mut self, body: &mut Body<'a>, op: &Ref<Operation>) -> Result<()> {
        match self.location_or_alias()? {
            None => {
                // Where it stands in the text, as with MLIR.
                Ok(())
            }
            Some(Ok(found)) => {
                op.location.set(found);
                Ok(())
            }
            Some(Err((alias, start))) => {
                let (op, argument) = (Some(op.clone()), None);
                body.late.push(Late {
                    op,
                    argument,
                    alias,
                    start,
                });
                Ok(())
            }
        }
    }

    /// `loc(…)`: the location, or an alias that is not defined yet.
    #[allow(clippy::type_complexity, reason = "an alias is its name and its place")]
    pub(super) fn location_or_alias(&mut self) -> Result<Option<Result<Ref<Attribute>, (&'a str, usize)>>> {
        if !self.is_word("loc") {
            return Ok(None);
        }
        let inner = lexer::next(self.text, lexer::next(self.text, self.token.end).end);
        let name = &self.text[inner.start..inner.end];
        let late =
            inner.kind == Kind::Hash && !name.contains('.') && !self.attributes.contains_key(&name[1..]);
        if !late {
            return self.location().map(|it| Some(Ok(it)));
        }
        self.advance();
        self.expect(b'(', " in location")?;
        self.advance();
        self.expect(b')', " in location")?;
        Ok(Some(Err((&name[1..], inner.start))))
    }
}
