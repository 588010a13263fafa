//! A document whose nodes own each other as `Py<Node>`: each is a Python object from birth, under
//! the GIL, and traced by hand.

use std::borrow::Cow;
use std::rc::Rc;
use std::sync::{Mutex, MutexGuard};

use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::{Attribute, ExpandedName, LocalName, QualName, ns, parse_document};
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};

#[pyclass(frozen, dict, weakref, module = "pyo3_trees.held")]
pub(crate) struct Node {
    name: QualName,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    parent: Option<Py<Node>>,
    children: Vec<Py<Node>>,
    attrs: Vec<(LocalName, String)>,
    text: String,
}

impl Node {
    fn make(py: Python<'_>, name: QualName, attrs: Vec<(LocalName, String)>, text: &str) -> Py<Node> {
        let inner = Mutex::new(Inner {
            attrs,
            text: text.into(),
            ..Inner::default()
        });
        Py::new(py, Node { name, inner }).expect("there is memory")
    }

    fn special(name: &str, text: &str) -> Rc<Py<Node>> {
        let name = QualName::new(None, ns!(), name.into());
        Python::attach(|py| Rc::new(Node::make(py, name, Vec::new(), text)))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("nothing panics under it")
    }

    fn place(py: Python<'_>, parent: &Py<Node>, child: &Py<Node>) -> Option<usize> {
        let _ = py;
        parent.get().inner().children.iter().position(|it| it.is(child))
    }

    fn detach(py: Python<'_>, node: &Py<Node>) {
        let parent = node.get().inner().parent.take();
        if let Some(parent) = parent {
            let removed = Node::place(py, &parent, node).map(|at| parent.get().inner().children.remove(at));
            drop(removed);
        }
    }

    fn insert(py: Python<'_>, parent: &Py<Node>, at: usize, child: &Py<Node>) {
        parent.get().inner().children.insert(at, child.clone_ref(py));
        child.get().inner().parent = Some(parent.clone_ref(py));
    }
}

#[pymethods]
impl Node {
    #[getter]
    fn name(&self) -> &str {
        &self.name.local
    }

    #[getter]
    fn text(&self) -> String {
        self.inner().text.clone()
    }

    #[getter]
    fn parent(&self, py: Python<'_>) -> Option<Py<Node>> {
        self.inner().parent.as_ref().map(|it| it.clone_ref(py))
    }

    #[getter]
    fn children(&self, py: Python<'_>) -> Vec<Py<Node>> {
        self.inner().children.iter().map(|it| it.clone_ref(py)).collect()
    }

    fn descendants(slf: &Bound<'_, Self>) -> Vec<Py<Node>> {
        let (py, mut all) = (slf.py(), Vec::new());
        let mut left: Vec<_> = slf.get().children(py).into_iter().rev().collect();
        while let Some(node) = left.pop() {
            left.extend(node.get().children(py).into_iter().rev());
            all.push(node);
        }
        all
    }

    fn __getitem__(&self, name: &str) -> PyResult<String> {
        let inner = self.inner();
        let found = inner.attrs.iter().find(|(it, _)| **it == *name);
        found
            .map(|(_, value)| value.clone())
            .ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    fn append(slf: &Bound<'_, Self>, child: Py<Node>) -> PyResult<()> {
        let (py, this) = (slf.py(), slf.clone().unbind());
        let mut at = Some(this.clone_ref(py));
        while let Some(up) = at {
            if up.is(&child) {
                return Err(PyValueError::new_err("a node cannot stand in itself"));
            }
            at = up.get().parent(py);
        }
        Node::detach(py, &child);
        let end = this.get().inner().children.len();
        Node::insert(py, &this, end, &child);
        Ok(())
    }

    fn extract(slf: &Bound<'_, Self>) {
        Node::detach(slf.py(), &slf.clone().unbind());
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // Somebody who edits it holds the lock; then the collector sees less, and leaves it.
        if let Ok(inner) = self.inner.try_lock() {
            inner
                .parent
                .iter()
                .chain(&inner.children)
                .try_for_each(|it| visit.call(it))?;
        }
        Ok(())
    }

    fn __clear__(&self) {
        let inner = std::mem::take(&mut *self.inner());
        drop(inner);
    }
}

struct Sink(Rc<Py<Node>>);

fn attributes(all: Vec<Attribute>) -> Vec<(LocalName, String)> {
    all.into_iter()
        .map(|it| (it.name.local, it.value.into()))
        .collect()
}

fn put(parent: &Py<Node>, next: Option<&Py<Node>>, what: NodeOrText<Rc<Py<Node>>>) {
    Python::attach(|py| {
        let list = || parent.get().inner();
        let at = next
            .and_then(|next| Node::place(py, parent, next))
            .unwrap_or_else(|| list().children.len());
        match what {
            NodeOrText::AppendNode(node) => {
                Node::detach(py, &node);
                Node::insert(py, parent, at, &node);
            }
            NodeOrText::AppendText(text) => {
                let before = at.checked_sub(1).map(|at| list().children[at].clone_ref(py));
                match before.filter(|it| *it.get().name.local == *"#text") {
                    Some(before) => before.get().inner().text.push_str(&text),
                    None => Node::insert(py, parent, at, &Node::special("#text", &text)),
                }
            }
        }
    });
}

fn parent_of(node: &Py<Node>) -> Option<Py<Node>> {
    Python::attach(|py| node.get().parent(py))
}

impl TreeSink for Sink {
    type Handle = Rc<Py<Node>>;
    type Output = Rc<Py<Node>>;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Self::Output {
        self.0
    }
    fn parse_error(&self, _: Cow<'static, str>) {}
    fn set_quirks_mode(&self, _: QuirksMode) {}
    fn get_document(&self) -> Rc<Py<Node>> {
        self.0.clone()
    }
    fn elem_name<'a>(&'a self, node: &'a Rc<Py<Node>>) -> ExpandedName<'a> {
        node.get().name.expanded()
    }
    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, _: ElementFlags) -> Rc<Py<Node>> {
        Python::attach(|py| Rc::new(Node::make(py, name, attributes(attrs), "")))
    }
    fn create_comment(&self, text: StrTendril) -> Rc<Py<Node>> {
        Node::special("#comment", &text)
    }
    fn create_pi(&self, _: StrTendril, data: StrTendril) -> Rc<Py<Node>> {
        Node::special("#comment", &data)
    }
    fn append(&self, parent: &Rc<Py<Node>>, child: NodeOrText<Rc<Py<Node>>>) {
        put(parent, None, child);
    }
    fn append_before_sibling(&self, next: &Rc<Py<Node>>, child: NodeOrText<Rc<Py<Node>>>) {
        put(
            &parent_of(next).expect("a sibling has a parent"),
            Some(next),
            child,
        );
    }
    fn append_based_on_parent_node(
        &self,
        at: &Rc<Py<Node>>,
        before: &Rc<Py<Node>>,
        child: NodeOrText<Rc<Py<Node>>>,
    ) {
        match parent_of(at) {
            Some(parent) => put(&parent, Some(at), child),
            None => put(before, None, child),
        }
    }
    fn append_doctype_to_document(&self, name: StrTendril, _: StrTendril, _: StrTendril) {
        put(
            &self.0,
            None,
            NodeOrText::AppendNode(Node::special("#doctype", &name)),
        );
    }
    fn get_template_contents(&self, template: &Rc<Py<Node>>) -> Rc<Py<Node>> {
        template.clone()
    }
    fn same_node(&self, one: &Rc<Py<Node>>, other: &Rc<Py<Node>>) -> bool {
        one.is(&**other)
    }
    fn add_attrs_if_missing(&self, target: &Rc<Py<Node>>, attrs: Vec<Attribute>) {
        let mut inner = target.get().inner();
        for (name, value) in attributes(attrs) {
            if !inner.attrs.iter().any(|(it, _)| *it == name) {
                inner.attrs.push((name, value));
            }
        }
    }
    fn remove_from_parent(&self, target: &Rc<Py<Node>>) {
        Python::attach(|py| Node::detach(py, target));
    }
    fn reparent_children(&self, node: &Rc<Py<Node>>, parent: &Rc<Py<Node>>) {
        Python::attach(|py| {
            for child in node.get().children(py) {
                Node::detach(py, &child);
                let end = parent.get().inner().children.len();
                Node::insert(py, parent, end, &child);
            }
        });
    }
}

#[pymodule]
pub(crate) mod held {
    use super::*;

    #[pymodule_export]
    use super::Node;

    #[pyfunction]
    fn parse(py: Python<'_>, text: &str) -> Py<Node> {
        let sink = Sink(Node::special("#document", ""));
        parse_document(sink, Default::default()).one(text).clone_ref(py)
    }
}
