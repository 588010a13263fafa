//! Operations in the generic form.

use pairbond::prelude::*;
use pairbond::tree::TreeNode;

use super::names::Names;
use super::{Aliases, Writer, deep, escaped};
use crate::attributes::names_of;
use crate::ir::{Block, Operation, Region, Value, operands};
use crate::types::Type;

/// What is known while a tree is written.
struct Tree {
    out: Writer,
    names: Names,
    locations: bool,
}

/// An operation with all in it.
pub(crate) fn operation_text(op: &Ref<Operation>, locations: bool) -> String {
    let mut out = Writer::default();
    Aliases::of(op).write(&mut out);
    let names = Names::around(op);
    let mut tree = Tree {
        out,
        names,
        locations,
    };
    tree.operation(op, 0);
    // What is outermost ends its line, as with MLIR.
    if op.parent().is_none() {
        tree.out.push("\n");
    }
    tree.out.text
}

/// A block with its label.
pub(crate) fn block_text(block: &Ref<Block>) -> String {
    let names = Names::around(block);
    let mut tree = Tree {
        out: Writer::default(),
        names,
        locations: false,
    };
    tree.block(block, true, 0);
    tree.out.text
}

/// `%0`
pub(crate) fn value_name(value: &Ref<Value>) -> String {
    Names::around(value).value(value).to_owned()
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

impl Tree {
    fn indent(&mut self, by: usize) {
        self.out.text.extend(std::iter::repeat_n(' ', by));
    }

    fn operation(&mut self, op: &Ref<Operation>, indent: usize) {
        let results: Vec<Ref<Value>> = op.list(|it| &it.results).iter().collect();
        if let [first, ..] = &results[..] {
            let name = self.names.value(first);
            let name = name.split('#').next().unwrap_or(name).to_owned();
            self.out.push(&name);
            if results.len() > 1 {
                self.out.format(format_args!(":{}", results.len()));
            }
            self.out.push(" = ");
        }
        self.out
            .format(format_args!("\"{}\"(", escaped(op.name().as_bytes())));
        let operands = operands(op);
        for (place, operand) in operands.iter().enumerate() {
            self.out.push(if place > 0 { ", " } else { "" });
            match operand {
                Some(value) => self.out.push(self.names.value(value)),
                None => self.out.push("<<NULL VALUE>>"),
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
        for (place, operand) in operands.iter().enumerate() {
            self.out.push(if place > 0 { ", " } else { "" });
            match operand {
                Some(value) => self.out.r#type(&value.r#type()),
                None => self.out.push("<<NULL TYPE>>"),
            }
        }
        self.out.push(") -> ");
        let types: Vec<Ref<Type>> = results.iter().map(|it| it.r#type()).collect();
        self.out.results(&types);
        if self.locations {
            self.out.trailing_location(&op.location.get());
        }
    }

    fn successors(&mut self, op: &Ref<Operation>) {
        let successors = op.successors.get();
        if successors.is_empty() {
            return;
        }
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
        let regions: Vec<Ref<Region>> = op.list(|it| &it.regions).iter().collect();
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
        for op in block.list(|it| &it.operations).iter() {
            self.indent(indent + 2);
            self.operation(&op, indent + 2);
            self.out.push("\n");
        }
    }

    /// `^bb1(%0: i32):  // pred: ^bb0`
    fn label(&mut self, block: &Ref<Block>) {
        let name = self.names.block_name(block);
        self.out.push(&name);
        let arguments: Vec<Ref<Value>> = block.list(|it| &it.arguments).iter().collect();
        if !arguments.is_empty() {
            self.out.push("(");
            for (place, argument) in arguments.iter().enumerate() {
                self.out.push(if place > 0 { ", " } else { "" });
                self.out.push(self.names.value(argument));
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
