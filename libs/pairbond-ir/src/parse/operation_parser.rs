//! Operations.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::Parser;
use super::forward_refs::{Body, Late, Usage, Values, Waiting};
use super::lexer::Kind;
use super::name::Name;
use super::parse_error::Place;
use super::region_parser::Blocks;
use crate::context::attributes::{Attribute, AttributeHead};
use crate::context::types::Type;
use crate::ir::{self, Bare, Operation, Region, Spot, Value};
use crate::recursion::with_stack;
use crate::room::{Gather, Room, boxed_str};

/// Operations whose regions know nothing of the values around them.
const ISOLATED: [&str; 6] = [
    "builtin.module",
    "func.func",
    "llvm.func",
    "gpu.func",
    "gpu.module",
    "stablehlo.composite",
];

/// The error where an operation is written in the custom form of its dialect.
const PRETTY: &str = "expected operation name in quotes: only the generic form is read, not the pretty one; \
    mlir-opt --mlir-print-op-generic writes it, as does get_asm(print_generic_op_form=True) of MLIR's bindings";

/// The name of an operation, and what follows from it.
#[derive(Clone)]
pub(super) struct OpName {
    name: Str,
    isolated: bool,
}

/// Lists that are empty between operations, and keep their memory.
#[derive(Default)]
pub(super) struct Scratch {
    bound: Vec<(Name, usize, usize)>,
    usages: Vec<Usage>,
    types: Vec<Ref<Type>>,
    values: Vec<Option<Ref<Value>>>,
    results: Vec<Ref<Value>>,
}

impl Parser<'_> {
    /// `%0, %1:2 = "name"(…) …`
    pub(super) fn parse_operation(&mut self, body: &mut Body) -> Result<Ref<Operation>> {
        with_stack(|| self.operation_here(body, &mut Blocks::default()))
    }

    pub(super) fn operation_here(&mut self, body: &mut Body, blocks: &mut Blocks) -> Result<Ref<Operation>> {
        self.release_passed();
        let begin = self.token.start;
        let mut bound = std::mem::take(&mut self.scratch.bound);
        while self.token.kind == Kind::Percent {
            let start = self.token.start;
            let name = self.take_name();
            let count = match self.accept_mark(b':') {
                true => usize::try_from(self.parse_signed()?).ok().filter(|it| *it > 0),
                false => Some(1),
            };
            let count = count
                .ok_or_else(|| self.error_at(start, "expected named operation to have at least 1 result"))?;
            bound.room().push((name, start, count));
            if !self.accept_mark(b',') {
                self.expect_mark(b'=', " after SSA name")?;
                break;
            }
        }
        let (location, spot) = self.operation_spot(self.token.start);
        let name = self.op_name()?;
        let mut usages = std::mem::take(&mut self.scratch.usages);
        let (op, aside) = self.parse_operation_rest(body, blocks, (name, location, spot), &mut usages)?;
        let mut results = std::mem::take(&mut self.scratch.results);
        self.parse_signature(body, &op, &usages, begin, &mut results)?;
        let wanted: usize = bound.iter().map(|(_, _, count)| count).sum();
        if !bound.is_empty() && wanted != results.len() {
            let what = format!(
                "operation defines {} results but was provided {wanted} to bind",
                results.len()
            );
            return Err(self.error_at(begin, &what));
        }
        self.parse_trailing_location(body, &op)?;
        let mut left = results.drain(..);
        for (name, start, count) in bound.drain(..) {
            let values = match (count, left.len()) {
                (1, 1..) => left.next().map(Values::One),
                _ => Some(Values::Several(left.by_ref().take(count).gather())),
            };
            let values = values.unwrap_or_else(|| Values::Several(Vec::new()));
            body.define_values(self, name, start, values)?;
        }
        drop(left);
        if aside {
            self.window.rejoin_aside();
        }
        usages.clear();
        (self.scratch.bound, self.scratch.usages, self.scratch.results) = (bound, usages, results);
        Ok(op)
    }

    /// `"name"`, of which each is looked at once.
    fn op_name(&mut self) -> Result<OpName> {
        let start = self.token.start;
        match self.token.kind {
            Kind::String => {}
            Kind::Word => return Err(self.error_at(start, PRETTY)),
            _ => return Err(self.expected_error("expected operation name in quotes")),
        }
        if let Some(known) = self.names.get(self.token_text()) {
            self.advance_token();
            return Ok(known);
        }
        let quoted = boxed_str(self.token_text());
        let name = self.parse_utf8_string("expected operation name in quotes")?;
        self.context.declare_dialect(&name)?;
        self.context
            .check_operation(&name)
            .map_err(|what| self.error_at(start, &what))?;
        let known = OpName {
            isolated: ISOLATED.contains(&&*name),
            name: self.context.op_name(&name)?,
        };
        self.names.insert(quoted, known.clone());
        Ok(known)
    }

    /// Operands, successors, properties, regions and attributes. Whether there are regions: what
    /// stands before them is kept aside then.
    fn parse_operation_rest(
        &mut self,
        body: &mut Body,
        blocks: &mut Blocks,
        (name, location, spot): (OpName, Ref<Attribute>, Spot),
        operands: &mut Vec<Usage>,
    ) -> Result<(Ref<Operation>, bool)> {
        self.expect_mark(b'(', " to start operand list")?;
        self.parse_list(b')', |it| {
            it.parse_usage().map(|found| operands.room().push(found))
        })?;
        let mut successors = Vec::new();
        if self.accept_mark(b'[') {
            self.parse_list(b']', |it| {
                it.block_reference(blocks)
                    .map(|found| successors.room().push(found.downgrade()))
            })?;
        }
        let (mut properties, begin) = (None, self.token.start);
        if self.accept_mark(b'<') {
            properties = Some(match self.is_mark(b'{') {
                true => self.parse_dictionary()?,
                false => self.parse_attribute(None)?,
            });
            self.expect_mark(b'>', " to close properties")?;
        }
        self.check_properties(&name.name, properties.as_ref(), begin)?;
        let parts = Bare {
            name: name.name,
            properties,
            attributes: None,
            successors,
            location,
            spot,
        };
        let op = ir::bare_operation(self.context.clone(), parts);
        let regions = self.is_mark(b'(');
        if regions {
            for usage in operands.iter_mut() {
                usage.place = Some(self.window.place_of(usage.start));
            }
            self.window.keep_aside(self.token.end);
            self.advance_token();
            loop {
                let region = Region::detached_in(&op)?;
                self.parse_region(body, &region, name.isolated)?;
                if !self.accept_mark(b',') {
                    break;
                }
            }
            self.release_passed();
            self.expect_mark(b')', " to end region list")?;
        }
        if self.is_mark(b'{') {
            op.put_attributes(self.parse_dictionary()?);
        }
        Ok((op, regions))
    }

    /// Refuses properties that an operation of the dialect `builtin` does not have.
    fn check_properties(&self, name: &str, properties: Option<&Ref<Attribute>>, begin: usize) -> Result<()> {
        let (Some(properties), Some(rest)) = (properties, name.strip_prefix("builtin.")) else {
            return Ok(());
        };
        let wrong = |what: &str| {
            let properties = crate::print::attribute_text(properties);
            let what = format!("invalid properties {properties} for op {name}: {what}");
            Err(self.error_at(begin, &what))
        };
        let AttributeHead::Dictionary(names) = properties.head() else {
            return wrong("they must be a dictionary");
        };
        for (key, value) in names.iter().zip(properties.attributes()) {
            if rest != "module" || !matches!(&**key, "sym_name" | "sym_visibility") {
                return wrong(&format!("it has no property '{key}'"));
            }
            let is_text = matches!(value.head(), AttributeHead::String(_));
            if !is_text {
                return wrong(&format!("'{key}' must be a string"));
            }
        }
        Ok(())
    }

    /// `%name`, `%name#1`
    fn parse_usage(&mut self) -> Result<Usage> {
        let start = self.token.start;
        if self.token.kind != Kind::Percent {
            return Err(self.expected_error("expected SSA operand"));
        }
        let name = self.take_name();
        let number = match self.token.kind {
            Kind::Hash => {
                let number = self
                    .text_after_mark()
                    .parse()
                    .map_err(|_| self.expected_error("invalid SSA value result number"))?;
                self.advance_token();
                number
            }
            _ => 0,
        };
        let place = None;
        Ok(Usage {
            name,
            number,
            start,
            place,
        })
    }

    /// `: (types) -> types`, which says what the operands are, and makes the results.
    fn parse_signature(
        &mut self,
        body: &mut Body,
        op: &Ref<Operation>,
        operands: &[Usage],
        begin: usize,
        made: &mut Vec<Ref<Value>>,
    ) -> Result<()> {
        self.expect_mark(b':', " followed by operation type")?;
        let mut types = std::mem::take(&mut self.scratch.types);
        if !self.accept_mark(b'(') {
            return Err(self.expected_error("expected function type"));
        }
        self.parse_list(b')', |it| it.parse_type().map(|found| types.room().push(found)))?;
        if self.token.kind != Kind::Arrow {
            return Err(self.expected_error("expected '->' in function type"));
        }
        self.advance_token();
        if types.len() != operands.len() {
            let what = format!(
                "expected {} operand types but had {}",
                operands.len(),
                types.len()
            );
            return Err(self.error_at(begin, &what));
        }
        self.parse_result_types(&mut types)?;
        let list = op.list(|it| &it.results);
        for r#type in types.drain(operands.len()..) {
            let result = ir::new_result(r#type);
            list.push(&result)?;
            made.room().push(result);
        }
        let mut values = std::mem::take(&mut self.scratch.values);
        for (usage, r#type) in operands.iter().zip(&types) {
            values.room().push(body.resolve_value(self, usage, r#type)?);
        }
        ir::begin_operands(op, &values);
        for (place, (usage, r#type)) in operands.iter().zip(types.drain(..)).enumerate() {
            if values[place].is_none() {
                let first = usage.place.unwrap_or_else(|| self.window.place_of(usage.start));
                let (op, usage) = (op.clone(), usage.clone());
                body.add_waiting(Waiting {
                    op,
                    place,
                    usage,
                    first,
                    r#type,
                });
            }
        }
        values.clear();
        (self.scratch.types, self.scratch.values) = (types, values);
        Ok(())
    }

    /// Where an operation is that begins here, unless its text says something else.
    fn operation_spot(&mut self, begin: usize) -> (Ref<Attribute>, Spot) {
        let place = self.window.mark_operation(begin);
        match Spot::new(place.line(), place.column()) {
            Some(spot) => (self.text.clone(), spot),
            None => (self.place_in_text(place), Spot::default()),
        }
    }

    /// A place in this text.
    fn place_in_text(&self, place: Place) -> Ref<Attribute> {
        let (file, start) = (self.window.name().into(), (place.line(), place.column()));
        let head = AttributeHead::FileLoc {
            file,
            start,
            end: start,
        };
        Attribute::without_parts(&self.context, head)
    }

    /// The place of the preceding token, as the location of something that has none.
    pub(super) fn own_place(&mut self, at: usize) -> Ref<Attribute> {
        let place = self.window.place_of(at);
        self.place_in_text(place)
    }

    /// ` loc(…)`, if it is there.
    fn parse_trailing_location(&mut self, body: &mut Body, op: &Ref<Operation>) -> Result<()> {
        match self.location_or_alias()? {
            None => {}
            Some(Ok(found)) => op.put_location(found),
            Some(Err((alias, first))) => {
                let (op, argument) = (Some(op.clone()), None);
                body.late.room().push(Late {
                    op,
                    argument,
                    alias,
                    first,
                });
            }
        }
        Ok(())
    }

    /// `loc(…)`: the location, or an alias that is not defined yet.
    #[allow(clippy::type_complexity, reason = "an alias is its name and its place")]
    pub(super) fn location_or_alias(&mut self) -> Result<Option<Result<Ref<Attribute>, (Name, Place)>>> {
        if !self.is_word("loc") {
            return Ok(None);
        }
        let bracket = self.window.next_token(self.token.end);
        let inner = self.window.next_token(bracket.end);
        let alias = match inner.kind {
            Kind::Hash => self.window.text_between(inner.start + 1, inner.end),
            _ => ".",
        };
        if alias.contains('.') || self.attributes.contains_key(alias.as_bytes()) {
            return self.parse_location().map(|it| Some(Ok(it)));
        }
        let alias = Name::from(alias);
        self.advance_token();
        self.expect_mark(b'(', " in location")?;
        self.advance_token();
        self.expect_mark(b')', " in location")?;
        Ok(Some(Err((alias, self.window.place_of(inner.start)))))
    }
}
