//! Operations in the generic form.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::names::{Names, address};
use super::{Aliases, Writer, deep, is_bare_name};
use crate::attributes::names_of;
use crate::ir::{Block, Operation, Value, operand_addresses, operands};
use crate::types::Type;

/// What is known while a tree is written.
struct Tree<'a> {
    out: Writer,
    names: Names,
    locations: bool,
    /// Those of the operation that is being written.
    operands: Vec<usize>,
    /// Where text goes when there is much of it, and what became of that.
    to: Option<&'a Sink<'a>>,
    failed: Result<()>,
}

/// Takes text.
type Sink<'a> = dyn Fn(&str) -> Result<()> + 'a;

/// So much text is written at a time.
const MUCH: usize = 1 << 20;

/// An operation with all in it.
pub(crate) fn operation_text(op: &Ref<Operation>, locations: bool) -> String {
    let mut tree = Tree::new(Names::around(op), locations, None);
    tree.outermost(op);
    tree.out.text
}

/// The same, to where it goes some at a time.
pub(crate) fn write_operation(op: &Ref<Operation>, locations: bool, to: &Sink<'_>) -> Result<()> {
    op.check()?;
    let mut tree = Tree::new(Names::around(op), locations, Some(to));
    tree.outermost(op);
    tree.failed?;
    to(&tree.out.text)
}

/// A block with its label.
pub(crate) fn block_text(block: &Ref<Block>) -> String {
    let mut tree = Tree::new(Names::around(block), false, None);
    tree.block(block, true, 0);
    tree.out.text
}

/// `%0`
pub(crate) fn value_name(value: &Ref<Value>) -> String {
    let mut out = Writer::default();
    Names::around(value).write(address(value), &mut out);
    out.text
}

/// `Value(%0 = …)`
pub(crate) fn value_text(value: &Ref<Value>) -> String {
    if let Some(op) = Value::defining(value) {
        return format!("Value({})", operation_text(&op, false).trim_end());
    }
    let place = Value::block_of(value).and_then(|it| it.list(|it| &it.arguments).index_of(value));
    let r#type = super::type_text(&value.r#type());
    format!(
        "Value(<block argument> of type '{type}' at index: {})",
        place.unwrap_or(0)
    )
}

impl<'a> Tree<'a> {
    fn new(names: Names, locations: bool, to: Option<&'a Sink<'a>>) -> Self {
        Tree {
            out: Writer::default(),
            names,
            locations,
            operands: Vec::new(),
            to,
            failed: Ok(()),
        }
    }

    fn outermost(&mut self, op: &Ref<Operation>) {
        let aliases = Aliases::of(op, &self.names);
        aliases.write(&mut self.out);
        self.operation(op, 0);
        // What is outermost ends its line, and has the data, as with MLIR.
        if op.parent().is_none() {
            self.out.push("\n");
            self.resources(op, &aliases.resources);
        }
    }

    /// `{-# … #-}`
    fn resources(&mut self, op: &Ref<Operation>, names: &[Box<str>]) {
        let all = op.context().resources();
        let mut known = names
            .iter()
            .filter_map(|name| Some((name, all.get(name)?)))
            .peekable();
        if known.peek().is_none() {
            return;
        }
        self.out.push("\n{-#\n  dialect_resources: {\n    builtin: {\n");
        while let Some((name, data)) = known.next() {
            self.indent(6);
            match is_bare_name(name) {
                true => self.out.push(name),
                false => self.out.quoted(name.as_bytes()),
            }
            self.out.push(": \"0x");
            for part in data.chunks(4096) {
                part.iter()
                    .for_each(|byte| self.out.format(format_args!("{byte:02X}")));
                if !self.flush() {
                    return;
                }
            }
            self.out
                .push(if known.peek().is_some() { "\",\n" } else { "\"\n" });
        }
        self.out.push("    }\n  }\n#-}\n");
    }

    /// Gives away what there is, if it is much. Whether to go on.
    fn flush(&mut self) -> bool {
        if let Some(to) = self.to
            && self.out.text.len() >= MUCH
            && self.failed.is_ok()
        {
            self.failed = to(&self.out.text);
            self.out.text.clear();
        }
        self.failed.is_ok()
    }

    fn indent(&mut self, by: usize) {
        self.out.text.extend(std::iter::repeat_n(' ', by));
    }

    fn operation(&mut self, op: &Ref<Operation>, indent: usize) {
        let results = op.list(|it| &it.results).to_vec();
        if let [first, ..] = &results[..] {
            self.names.write_all(address(first), &mut self.out);
            if results.len() > 1 {
                self.out.format(format_args!(":{}", results.len()));
            }
            self.out.push(" = ");
        }
        self.out.quoted(op.name().as_bytes());
        self.out.push("(");
        operand_addresses(op, &mut self.operands);
        // Values of other trees have no names here, and are looked at.
        let foreign = self.operands.iter().any(|it| self.names.at(*it).is_none());
        let foreign = if foreign { operands(op) } else { Vec::new() };
        for (place, operand) in self.operands.iter().enumerate() {
            self.out.push(if place > 0 { ", " } else { "" });
            match foreign.get(place) {
                Some(None) => self.out.push("<<NULL VALUE>>"),
                _ => self.names.write(*operand, &mut self.out),
            }
        }
        self.out.push(")");
        self.successors(op);
        if let Some(properties) = op.properties.get() {
            self.out.push(" <");
            self.out.attribute(&properties, super::Elide::Never);
            self.out.push(">");
        }
        self.regions(op, indent);
        let attributes = op.attributes.get();
        if !attributes.attributes().is_empty() {
            self.out.push(" {");
            let entries = names_of(&attributes).iter().zip(attributes.attributes());
            self.out.list(entries, |out, (name, it)| out.named(name, it));
            self.out.push("}");
        }
        self.out.push(" : (");
        // Regions were written meanwhile.
        operand_addresses(op, &mut self.operands);
        for (place, operand) in self.operands.iter().enumerate() {
            self.out.push(if place > 0 { ", " } else { "" });
            match (foreign.get(place), self.names.at(*operand)) {
                (Some(Some(value)), _) | (None, Some(value)) => self.out.r#type(&value.r#type()),
                _ => self.out.push("<<NULL TYPE>>"),
            }
        }
        self.out.push(") -> ");
        match &results[..] {
            [only] => self.out.results(&[only.r#type()]),
            all => {
                let types: Vec<Ref<Type>> = all.iter().map(|it| it.r#type()).collect();
                self.out.results(&types);
            }
        }
        if self.locations {
            self.out.trailing_location(&op.location.get());
        }
    }

    fn successors(&mut self, op: &Ref<Operation>) {
        if op.successors.with(Vec::is_empty) {
            return;
        }
        let successors = op.successors.get();
        self.out.push("[");
        for (place, successor) in successors.iter().enumerate() {
            self.out.push(if place > 0 { ", " } else { "" });
            match successor.upgrade() {
                Some(block) => self.out.push(&self.names.block_name(&block)),
                None => self.out.push("^<<INVALID BLOCK>>"),
            }
        }
        self.out.push("]");
    }

    fn regions(&mut self, op: &Ref<Operation>, indent: usize) {
        let regions = op.list(|it| &it.regions).to_vec();
        if regions.is_empty() {
            return;
        }
        self.out.push(" (");
        for (place, region) in regions.iter().enumerate() {
            self.out.push(if place > 0 { ", {\n" } else { "{\n" });
            for (number, block) in region.list(|it| &it.blocks).iter().enumerate() {
                let bare = number == 0
                    && block.list(|it| &it.arguments).is_empty()
                    && !block.list(|it| &it.operations).is_empty();
                deep(|| self.block(&block, !bare, indent));
            }
            self.indent(indent);
            self.out.push("}");
        }
        self.out.push(")");
    }

    fn block(&mut self, block: &Ref<Block>, label: bool, indent: usize) {
        if label {
            self.indent(indent);
            self.label(block);
        }
        for op in block.list(|it| &it.operations).to_vec() {
            self.indent(indent + 2);
            self.operation(&op, indent + 2);
            self.out.push("\n");
            if !self.flush() {
                return;
            }
        }
    }

    /// `^bb1(%0: i32):  // pred: ^bb0`
    fn label(&mut self, block: &Ref<Block>) {
        let name = self.names.block_name(block);
        self.out.push(&name);
        let arguments = block.list(|it| &it.arguments).to_vec();
        if !arguments.is_empty() {
            self.out.push("(");
            for (place, argument) in arguments.iter().enumerate() {
                self.out.push(if place > 0 { ", " } else { "" });
                self.names.write(address(argument), &mut self.out);
                self.out.push(": ");
                self.out.r#type(&argument.r#type());
                if self.locations {
                    self.out.trailing_location(&crate::ir::location_of(argument));
                }
            }
            self.out.push(")");
        }
        self.out.push(":");
        let from: Vec<String> = self
            .names
            .predecessors(block)
            .iter()
            .map(|it| format!("^bb{it}"))
            .collect();
        match &from[..] {
            [] if Block::region_of(block).is_none() => self.out.push("  // block is not in a region!"),
            [] if name != "^bb0" => self.out.push("  // no predecessors"),
            [] => {}
            [only] => self.out.format(format_args!("  // pred: {only}")),
            _ => self
                .out
                .format(format_args!("  // {} preds: {}", from.len(), from.join(", "))),
        }
        self.out.push("\n");
    }
}
