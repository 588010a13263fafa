//! Operations in the generic form.

use pairbond::prelude::*;
use pairbond::tree::{TreeNode, with_lock};

use super::lines::{Line, Lines};
use super::state::AsmState;
use super::{Aliases, Flags, Writer, is_bare_name};
use crate::context::attributes::names_of;
use crate::fast::object_address;
use crate::ir::read::some_or_unwind;
use crate::ir::{self, Block, Operation, Value};
use crate::recursion::with_stack;

/// The state while a tree is written.
struct Tree<'a> {
    out: Writer,
    state: &'a AsmState,
    how: Flags,
    /// Where text goes when there is much of it, and what became of that.
    to: Option<&'a Sink<'a>>,
    failed: Result<()>,
}

/// Takes text.
type Sink<'a> = dyn Fn(&str) -> Result<()> + 'a;

/// So much text is written at a time.
const MUCH: usize = 1 << 20;

/// An operation with all in it.
pub(crate) fn operation_text(op: &Ref<Operation>, how: Flags) -> String {
    let state = AsmState::for_tree_of(op, how);
    let mut tree = Tree::new(&state, how, None);
    tree.print_outermost(op);
    tree.out.text
}

/// The same, to where it goes some at a time.
pub(crate) fn write_operation(
    op: &Ref<Operation>,
    how: Flags,
    state: Option<&AsmState>,
    to: &Sink<'_>,
) -> Result<()> {
    op.check()?;
    let own;
    let state = match state {
        Some(state) => state,
        None => {
            own = AsmState::for_tree_of(op, how);
            &own
        }
    };
    let mut tree = Tree::new(state, how, Some(to));
    tree.print_outermost(op);
    tree.failed?;
    to(&tree.out.text)
}

/// A block with its label.
pub(crate) fn block_text(block: &Ref<Block>) -> String {
    let state = AsmState::for_tree_of(block, Flags::default());
    let mut tree = Tree::new(&state, Flags::default(), None);
    tree.print_block(block, true, 0);
    tree.out.text
}

/// `Value(%0 = …)`
pub(crate) fn value_text(value: &Ref<Value>) -> String {
    if let Some(op) = Value::defining_op(value) {
        return format!("OpResult({})", operation_text(&op, Flags::default()).trim_end());
    }
    let place = Value::block_of(value).and_then(|it| it.list(|it| &it.arguments).index_of(value));
    let r#type = super::type_text(&value.r#type());
    format!(
        "BlockArgument(<block argument> of type '{type}' at index: {})",
        place.unwrap_or(0)
    )
}

impl<'a> Tree<'a> {
    fn new(state: &'a AsmState, how: Flags, to: Option<&'a Sink<'a>>) -> Self {
        let most_elements = how.most_elements;
        Tree {
            out: Writer {
                most_elements,
                ..Writer::default()
            },
            state,
            how,
            to,
            failed: Ok(()),
        }
    }

    fn print_outermost(&mut self, op: &Ref<Operation>) {
        let aliases = Aliases::of_operation(op, self.state, self.how.locations);
        // As with MLIR, only what stands nowhere has a place for definitions.
        let named = !self.how.local_scope && op.parent().is_none();
        if named {
            self.out.pretty_locations = self.how.pretty_locations;
            aliases.write_definitions(&mut self.out);
        } else {
            aliases.check_without_names();
        }
        let mut lines = Lines::default();
        with_lock(|guard| lines.add_operation(guard, guard.found(op), op, self.state));
        self.print_operation(&lines, &lines.all[0], 0);
        // The outermost operation ends its line, and has the data, as with MLIR.
        if named {
            self.out.push("\n");
            aliases.write_last(&mut self.out);
            self.print_resources(op, &aliases.resources);
        }
    }

    /// `{-# … #-}`
    fn print_resources(&mut self, op: &Ref<Operation>, names: &[Box<str>]) {
        let known = || {
            names
                .iter()
                .filter_map(|name| Some((name, op.context().find_resource(name)?)))
        };
        // `"0x…"`, with four bytes before the data.
        let most = self.how.most_resource_text.unwrap_or(usize::MAX);
        let mut shown = known()
            .filter(|(_, it)| it.data.shape()[0] * 2 + 12 <= most)
            .peekable();
        if shown.peek().is_none() {
            if known().next().is_some() {
                self.out.push("\n{-#\n\n#-}\n");
            }
            return;
        }
        self.out.push("\n{-#\n  dialect_resources: {\n    builtin: {\n");
        while let Some((name, resource)) = shown.next() {
            self.indent(6);
            match is_bare_name(name) {
                true => self.out.push(name),
                false => self.out.print_quoted(name.as_bytes()),
            }
            self.out.push(": \"0x");
            // Four bytes that say the alignment, the lowest first, and the data.
            self.out
                .push_format(format_args!("{:08X}", resource.alignment.swap_bytes()));
            let data = resource.data.to_bytes();
            for part in data.chunks(4096) {
                part.iter()
                    .for_each(|byte| self.out.push_format(format_args!("{byte:02X}")));
                if !self.flush_if_large() {
                    return;
                }
            }
            self.out
                .push(if shown.peek().is_some() { "\",\n" } else { "\"\n" });
        }
        self.out.push("    }\n  }\n#-}\n");
    }

    /// Gives away what there is, if it is much. Whether to go on.
    fn flush_if_large(&mut self) -> bool {
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
        self.out.push_spaces(by);
    }

    fn print_operation(&mut self, lines: &Lines, line: &Line, indent: usize) {
        let (location, attributes, properties) = &line.about;
        let (operands, results) = (lines.operands_of(line), lines.results_of(line));
        if let [(first, _), ..] = results {
            self.state.names.write_all(*first, &mut self.out);
            if results.len() > 1 {
                self.out.push_format(format_args!(":{}", results.len()));
            }
            self.out.push(" = ");
        }
        self.out.print_quoted(line.name.as_bytes());
        self.out.push("(");
        // Values of other trees have no names here, and are looked at.
        let foreign = line.op.as_ref();
        let foreign = foreign.filter(|_| operands.iter().any(|it| self.state.type_at(*it).is_none()));
        let foreign = foreign.map(ir::all_operands).unwrap_or_default();
        for (place, operand) in operands.iter().enumerate() {
            self.out.push(if place > 0 { ", " } else { "" });
            match foreign.get(place) {
                Some(None) => self.out.push("<<NULL VALUE>>"),
                _ => self.state.names.write_name(*operand, &mut self.out),
            }
        }
        self.out.push(")");
        line.op.iter().for_each(|op| self.print_successors(op));
        if let Some(properties) = properties {
            self.out.push(" <");
            self.out.print_attribute(properties, super::Elide::Never);
            self.out.push(">");
        }
        line.op.iter().for_each(|op| self.print_regions(op, indent));
        if let Some(attributes) = attributes {
            self.out.push(" {");
            let entries = names_of(attributes).iter().zip(attributes.attributes());
            self.out
                .print_list(entries, |out, (name, it)| out.print_named_attribute(name, it));
            self.out.push("}");
        }
        self.out.push(" : (");
        for (place, operand) in operands.iter().enumerate() {
            self.out.push(if place > 0 { ", " } else { "" });
            match (foreign.get(place), self.state.type_at(*operand)) {
                (Some(Some(value)), _) => self.out.print_type(&value.r#type()),
                (None, Some(known)) => self.out.print_type(known),
                _ => self.out.push("<<NULL TYPE>>"),
            }
        }
        self.out.push(") -> ");
        match results {
            [(_, only)] => self.out.print_result_types(std::slice::from_ref(only)),
            all => self
                .out
                .print_result_types(&all.iter().map(|(_, it)| it.clone()).collect::<Vec<_>>()),
        }
        if self.how.locations {
            let location = line.spot.location_in(location.clone());
            self.out.trailing_location(&location, self.how.pretty_locations);
        }
    }

    fn print_successors(&mut self, op: &Ref<Operation>) {
        if op.successor_count() == 0 {
            return;
        }
        let successors = op.weak_successors();
        self.out.push("[");
        for (place, successor) in successors.iter().enumerate() {
            self.out.push(if place > 0 { ", " } else { "" });
            match successor.upgrade() {
                Some(block) => self.out.push(&self.state.names.block_name(&block)),
                None => self.out.push("^<<INVALID BLOCK>>"),
            }
        }
        self.out.push("]");
    }

    fn print_regions(&mut self, op: &Ref<Operation>, indent: usize) {
        let regions = op.list(|it| &it.regions).to_vec();
        if regions.is_empty() {
            return;
        }
        self.out.push(" (");
        for (place, region) in regions.iter().enumerate() {
            self.out.push(if place > 0 { ", {" } else { "{" });
            if self.how.skip_regions {
                self.out.push("...}");
                continue;
            }
            self.out.push("\n");
            for (number, block) in region.list(|it| &it.blocks).iter().enumerate() {
                // An operation that was not verified may go to an entry block, which then needs its
                // label.
                let bare = number == 0
                    && block.list(|it| &it.arguments).is_empty()
                    && !block.list(|it| &it.operations).is_empty()
                    && self.state.names.predecessors(&block).is_empty();
                with_stack(|| self.print_block(&block, !bare, indent));
            }
            self.indent(indent);
            self.out.push("}");
        }
        self.out.push(")");
    }

    fn print_block(&mut self, block: &Ref<Block>, label: bool, indent: usize) {
        if label {
            self.indent(indent);
            self.print_block_label(block);
        }
        let (mut next, mut lines) = (block.list(|it| &it.operations).first(), Lines::default());
        while let Some(first) = next {
            next = some_or_unwind(&first, |guard, it| {
                lines.add_operation(guard, it, &first, self.state)
            });
            for line in &lines.all {
                self.indent(indent + 2);
                self.print_operation(&lines, line, indent + 2);
                self.out.push("\n");
                if !self.flush_if_large() {
                    return;
                }
            }
            lines.clear();
        }
    }

    /// `^bb1(%0: i32):  // pred: ^bb0`
    fn print_block_label(&mut self, block: &Ref<Block>) {
        let name = self.state.names.block_name(block);
        self.out.push(&name);
        let arguments = block.list(|it| &it.arguments).to_vec();
        if !arguments.is_empty() {
            self.out.push("(");
            for (place, argument) in arguments.iter().enumerate() {
                self.out.push(if place > 0 { ", " } else { "" });
                self.state
                    .names
                    .write_name(object_address(argument), &mut self.out);
                self.out.push(": ");
                self.out.print_type(&argument.r#type());
                if self.how.locations {
                    let location = crate::ir::location_of(argument);
                    self.out.argument_location(&location, self.how.pretty_locations);
                }
            }
            self.out.push(")");
        }
        self.out.push(":");
        let from: Vec<String> = self
            .state
            .names
            .predecessors(block)
            .iter()
            .map(|it| format!("^bb{it}"))
            .collect();
        match &from[..] {
            [] if Block::region_of(block).is_none() => self.out.push("  // block is not in a region!"),
            [] if name != "^bb0" => self.out.push("  // no predecessors"),
            [] => {}
            [only] => self.out.push_format(format_args!("  // pred: {only}")),
            _ => self
                .out
                .push_format(format_args!("  // {} preds: {}", from.len(), from.join(", "))),
        }
        self.out.push("\n");
    }
}
