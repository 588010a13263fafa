//! Nodes: reading and editing. A node that is put somewhere is taken from where it stands, and a
//! `str` becomes a text.

use html5ever::{LocalName, QualName, ns};
use pairbond::prelude::*;
use pairbond::tree::{Children, Guarded, Links, List, TreeNode};

/// The attributes of an element, in their order.
pub(crate) type Attributes = Vec<(LocalName, Str)>;

/// An element, or what its name says: `#document`, `#text`, `#comment`, `#doctype`. `e["href"]`
/// reads, sets and deletes an attribute.
#[pairbond::object("dom.Node", tree, name = Self::name, opaque)]
pub(crate) struct Node {
    links: Links,
    pub(crate) children: Children<Node>,
    #[untraced]
    pub(crate) name: QualName,
    #[untraced]
    pub(crate) attrs: Guarded<Attributes>,
    pub(crate) data: Guarded<String>,
}

impl Node {
    pub(crate) fn element(name: QualName, attrs: Attributes) -> Node {
        let (links, children, data) = (Links::new(), Children::new(), Guarded::default());
        Node { links, children, name, attrs: Guarded::new(attrs), data }
    }

    /// A node that is no element. A document has a namespace, for it has children.
    pub(crate) fn special(name: &str, data: &str) -> Ref<Node> {
        let name = QualName::new(None, if name == "#document" { ns!(*) } else { ns!() }, name.into());
        Ref::new(Node { data: Guarded::new(data.into()), ..Node::element(name, Vec::new()) })
    }

    short! {
        pub(crate) has_children(&self) -> bool = self.name.ns != ns!();
        pub(crate) is_element(&self) -> bool = self.has_children() && self.name.ns != ns!(*);
    }
}

pub(crate) fn parent(node: &Ref<Node>) -> Result<Ref<Node>> {
    let parent = node.parent().and_then(|parent| parent.downcast().ok());
    parent.ok_or_else(|| Error::value_error("the node stands in no other"))
}

pub(crate) fn children(of: &Ref<Node>) -> List<'_, Node> {
    of.list(|node| &node.children)
}

fn place(attrs: &Attributes, name: &str) -> Option<usize> {
    attrs.iter().position(|(it, _)| **it == *name)
}

/// A node that is to stand in another, taken from where it is.
fn adopt(parent: &Ref<Node>, child: Any) -> Result<Ref<Node>> {
    let child = match child.downcast::<Node>() {
        Some(node) => node,
        None => Node::special("#text", &child.to::<Str>()?),
    };
    if child.name.ns == ns!(*) || !parent.has_children() || parent.is_in(&child) {
        return Err(Error::value_error(format!("{} cannot stand in {}", child.name(), parent.name())));
    }
    child.detach().map(|()| child)
}

#[pairbond::methods]
impl Node {
    /// An element of HTML that stands nowhere yet.
    #[new]
    fn new(name: &str, attrs: Option<Map<Str, Str>>) -> Self {
        let attrs = attrs.iter().flatten().map(|(name, value)| (LocalName::from(&*name), value)).collect();
        Node::element(QualName::new(None, ns!(html), name.into()), attrs)
    }

    #[getter]
    fn name(&self) -> Str {
        Str::from(&*self.name.local)
    }

    /// The attributes as they are now. They are changed on the element: `e["href"] = …`.
    #[getter]
    fn attrs(&self) -> FrozenMap<Str, Str> {
        self.attrs.get().into_iter().map(|(name, value)| (Str::from(&*name), value)).collect()
    }

    /// The value of an attribute, or the default.
    pub(crate) fn get(&self, name: &str, default: Option<Str>) -> Option<Str> {
        self.attrs.with(|attrs| place(attrs, name).map(|at| attrs[at].1.clone())).or(default)
    }

    fn __getitem__(&self, name: &str) -> Result<Str> {
        self.get(name, None).ok_or_else(|| Error::key_error(name))
    }

    fn __setitem__(&self, name: &str, mut value: Str) {
        self.attrs.update(|attrs| match place(attrs, name) {
            Some(at) => std::mem::swap(&mut attrs[at].1, &mut value),
            None => attrs.push((name.into(), value.clone())),
        });
    }

    fn __delitem__(&self, name: &str) -> Result<()> {
        let removed = self.attrs.update(|attrs| place(attrs, name).map(|at| attrs.remove(at)));
        removed.map(drop).ok_or_else(|| Error::key_error(name))
    }

    #[getter]
    fn parent(this: Borrow<'_, Self>) -> Option<Ref<Node>> {
        parent(&this.to_ref()).ok()
    }

    #[getter]
    fn children(this: Borrow<'_, Self>) -> Vec<Ref<Node>> {
        children(&this.to_ref()).to_vec()
    }

    /// All nodes below this one, in the order of the document. (`pairbond.descendants` walks while
    /// that is edited.)
    fn descendants(this: Borrow<'_, Self>) -> Vec<Ref<Node>> {
        this.to_ref().descendants().filter_map(|node| node.downcast().ok()).collect()
    }

    /// All text in this node; that of a text or comment itself. Setting it replaces what stands
    /// there.
    #[getter]
    fn text(this: Borrow<'_, Self>) -> String {
        let mut all = this.data.get();
        let below = this.to_ref().descendants().filter_map(|node| node.downcast::<Node>().ok());
        below.filter(|it| *it.name.local == *"#text").for_each(|it| it.data.with(|data| all += data));
        all
    }

    #[setter]
    fn set_text(this: Borrow<'_, Self>, text: String) -> Result<()> {
        if !this.has_children() {
            this.data.set(text);
            return Ok(());
        }
        children(&this.to_ref()).iter().try_for_each(|child| child.detach())?;
        children(&this.to_ref()).push_owned(Node::special("#text", &text))
    }

    /// Puts a node or a text behind all children.
    fn append(this: Borrow<'_, Self>, node: Any) -> Result<()> {
        Node::insert(this, usize::MAX, node)
    }

    /// Puts a node or a text before the child at a place.
    fn insert(this: Borrow<'_, Self>, place: usize, node: Any) -> Result<()> {
        let this = this.to_ref();
        let (node, list) = (adopt(&this, node)?, children(&this));
        list.insert(place.min(list.len()), &node)
    }

    /// Takes the node out of the document; it can be put elsewhere.
    fn extract(this: Borrow<'_, Self>) -> Result<Borrow<'_, Self>> {
        this.to_ref().detach().map(|()| this)
    }

    /// Erases the node with all that stands in it: what still refers to one of them raises
    /// `InvalidatedError`.
    fn decompose(this: Borrow<'_, Self>) -> Result<()> {
        this.to_ref().erase()
    }

    /// Puts a node or a text where this one is, which is taken out and returned.
    fn replace_with(this: Borrow<'_, Self>, node: Any) -> Result<Borrow<'_, Self>> {
        let parent = parent(&this.to_ref())?;
        children(&parent).insert_before(&this.to_ref(), &adopt(&parent, node)?)?;
        Node::extract(this)
    }

    fn __repr__(&self) -> String {
        format!("<{}>", &*self.name.local)
    }
}
