//! A document whose nodes are numbers in an arena, and a handle for Python made each time one is
//! asked for: no identity, attributes or weak references, and a handle to a node that was removed
//! is one to whatever has its number then, unless generations are kept as well.

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard};

use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::{Attribute, LocalName, Namespace, QualName, ns, parse_document};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;

struct Data {
    name: QualName,
    parent: Option<usize>,
    children: Vec<usize>,
    attrs: Vec<(LocalName, String)>,
    text: String,
}

#[derive(Default)]
struct Tree(Vec<Data>);

impl Tree {
    fn make(&mut self, name: QualName, attrs: Vec<(LocalName, String)>, text: &str) -> usize {
        let (parent, children, text) = (None, Vec::new(), text.into());
        self.0.push(Data {
            name,
            parent,
            children,
            attrs,
            text,
        });
        self.0.len() - 1
    }

    fn special(&mut self, name: &str, text: &str) -> usize {
        self.make(QualName::new(None, ns!(), name.into()), Vec::new(), text)
    }

    fn detach(&mut self, node: usize) {
        if let Some(parent) = self.0[node].parent.take() {
            self.0[parent].children.retain(|it| *it != node);
        }
    }

    fn insert(&mut self, parent: usize, next: Option<usize>, node: usize) {
        self.detach(node);
        let list = &mut self.0[parent].children;
        let at = next
            .and_then(|next| list.iter().position(|it| *it == next))
            .unwrap_or(list.len());
        list.insert(at, node);
        self.0[node].parent = Some(parent);
    }

    fn put(&mut self, parent: usize, next: Option<usize>, what: NodeOrText<usize>) {
        let text = match what {
            NodeOrText::AppendNode(node) => return self.insert(parent, next, node),
            NodeOrText::AppendText(text) => text,
        };
        let list = &self.0[parent].children;
        let at = next
            .and_then(|next| list.iter().position(|it| *it == next))
            .unwrap_or(list.len());
        match at
            .checked_sub(1)
            .map(|at| list[at])
            .filter(|it| *self.0[*it].name.local == *"#text")
        {
            Some(before) => self.0[before].text.push_str(&text),
            None => {
                let node = self.special("#text", &text);
                self.insert(parent, next, node);
            }
        }
    }
}

#[pyclass(frozen, module = "pyo3_trees.arena")]
pub(crate) struct Node {
    tree: Arc<Mutex<Tree>>,
    id: usize,
}

impl Node {
    fn tree(&self) -> MutexGuard<'_, Tree> {
        self.tree.lock().expect("nothing panics under it")
    }

    fn other(&self, id: usize) -> Node {
        Node {
            tree: self.tree.clone(),
            id,
        }
    }
}

#[pymethods]
impl Node {
    #[getter]
    fn name(&self) -> String {
        self.tree().0[self.id].name.local.to_string()
    }

    #[getter]
    fn text(&self) -> String {
        self.tree().0[self.id].text.clone()
    }

    #[getter]
    fn parent(&self) -> Option<Node> {
        self.tree().0[self.id].parent.map(|id| self.other(id))
    }

    #[getter]
    fn children(&self) -> Vec<Node> {
        self.tree().0[self.id]
            .children
            .iter()
            .map(|id| self.other(*id))
            .collect()
    }

    fn descendants(&self) -> Vec<Node> {
        let (tree, mut all) = (self.tree(), Vec::new());
        let mut left: Vec<_> = tree.0[self.id].children.iter().rev().copied().collect();
        while let Some(id) = left.pop() {
            left.extend(tree.0[id].children.iter().rev());
            all.push(self.other(id));
        }
        all
    }

    fn __getitem__(&self, name: &str) -> PyResult<String> {
        let tree = self.tree();
        let found = tree.0[self.id].attrs.iter().find(|(it, _)| **it == *name);
        found
            .map(|(_, value)| value.clone())
            .ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    fn append(&self, child: &Node) -> PyResult<()> {
        if !Arc::ptr_eq(&self.tree, &child.tree) {
            return Err(PyValueError::new_err("a node of another document"));
        }
        let mut tree = self.tree();
        let mut at = Some(self.id);
        while let Some(up) = at {
            if up == child.id {
                return Err(PyValueError::new_err("a node cannot stand in itself"));
            }
            at = tree.0[up].parent;
        }
        tree.insert(self.id, None, child.id);
        Ok(())
    }

    fn extract(&self) {
        self.tree().detach(self.id);
    }

    fn __eq__(&self, other: &Node) -> bool {
        Arc::ptr_eq(&self.tree, &other.tree) && self.id == other.id
    }

    fn __hash__(&self) -> usize {
        Arc::as_ptr(&self.tree).addr() ^ self.id
    }
}

struct Sink(RefCell<Tree>);

#[derive(Debug)]
struct Owned(QualName);

impl ElemName for Owned {
    fn ns(&self) -> &Namespace {
        &self.0.ns
    }
    fn local_name(&self) -> &LocalName {
        &self.0.local
    }
}

fn attributes(all: Vec<Attribute>) -> Vec<(LocalName, String)> {
    all.into_iter()
        .map(|it| (it.name.local, it.value.into()))
        .collect()
}

impl TreeSink for Sink {
    type Handle = usize;
    type Output = Tree;
    type ElemName<'a> = Owned;

    fn finish(self) -> Tree {
        self.0.into_inner()
    }
    fn parse_error(&self, _: Cow<'static, str>) {}
    fn set_quirks_mode(&self, _: QuirksMode) {}
    fn get_document(&self) -> usize {
        0
    }
    fn elem_name<'a>(&'a self, node: &'a usize) -> Owned {
        Owned(self.0.borrow().0[*node].name.clone())
    }
    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, _: ElementFlags) -> usize {
        self.0.borrow_mut().make(name, attributes(attrs), "")
    }
    fn create_comment(&self, text: StrTendril) -> usize {
        self.0.borrow_mut().special("#comment", &text)
    }
    fn create_pi(&self, _: StrTendril, data: StrTendril) -> usize {
        self.0.borrow_mut().special("#comment", &data)
    }
    fn append(&self, parent: &usize, child: NodeOrText<usize>) {
        self.0.borrow_mut().put(*parent, None, child);
    }
    fn append_before_sibling(&self, next: &usize, child: NodeOrText<usize>) {
        let parent = self.0.borrow().0[*next].parent.expect("a sibling has a parent");
        self.0.borrow_mut().put(parent, Some(*next), child);
    }
    fn append_based_on_parent_node(&self, at: &usize, before: &usize, child: NodeOrText<usize>) {
        let parent = self.0.borrow().0[*at].parent;
        match parent {
            Some(parent) => self.0.borrow_mut().put(parent, Some(*at), child),
            None => self.append(before, child),
        }
    }
    fn append_doctype_to_document(&self, name: StrTendril, _: StrTendril, _: StrTendril) {
        let node = self.0.borrow_mut().special("#doctype", &name);
        self.append(&0, NodeOrText::AppendNode(node));
    }
    fn get_template_contents(&self, template: &usize) -> usize {
        *template
    }
    fn same_node(&self, one: &usize, other: &usize) -> bool {
        one == other
    }
    fn add_attrs_if_missing(&self, target: &usize, attrs: Vec<Attribute>) {
        let present = &mut self.0.borrow_mut().0[*target].attrs;
        for (name, value) in attributes(attrs) {
            if !present.iter().any(|(it, _)| *it == name) {
                present.push((name, value));
            }
        }
    }
    fn remove_from_parent(&self, target: &usize) {
        self.0.borrow_mut().detach(*target);
    }
    fn reparent_children(&self, node: &usize, parent: &usize) {
        let mut tree = self.0.borrow_mut();
        for child in tree.0[*node].children.clone() {
            tree.insert(*parent, None, child);
        }
    }
}

#[pymodule]
pub(crate) mod arena {
    use super::*;

    #[pymodule_export]
    use super::Node;

    #[pyfunction]
    fn parse(py: Python<'_>, text: &str) -> Node {
        let tree = py.detach(|| {
            let mut tree = Tree::default();
            tree.special("#document", "");
            parse_document(Sink(RefCell::new(tree)), Default::default()).one(text)
        });
        Node {
            tree: Arc::new(Mutex::new(tree)),
            id: 0,
        }
    }
}
