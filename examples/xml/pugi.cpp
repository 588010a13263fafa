// pugixml's documents in Python: one self for each node that Python has seen.
//
// pugixml owns its nodes: they lie in the document's memory, and a pugi::xml_node is an address in
// there. A `Node` here is the self of one; the document keeps the selves by address, so that a node
// is the same object of Python, with its attributes, for as long as it is in the document. Each
// Node keeps its Document, so that a document that is dropped under a held child stays.

#include <pairbond/pairbond.hpp>

#include <pugixml.hpp>
#include <sstream>

namespace {

struct Document;

struct Node {
    const pb::Ref<Document> document;
    pugi::xml_node node;

    Node(pb::Ref<Document> document, pugi::xml_node node)
        : document(std::move(document)), node(node) {}
    // The node of pugixml; an InvalidatedError after it was removed.
    pugi::xml_node use() const {
        if (!node) throw pb::Error(PB_INVALIDATED_ERROR, "this node was removed from its document");
        return node;
    }
};

struct Document {
    pugi::xml_document xml;
    const pb::Map<std::uint64_t, pb::Ref<Node>> nodes;

    explicit Document(const std::string &text) { check(xml.load_buffer(text.data(), text.size())); }
    static void check(const pugi::xml_parse_result &result) {
        if (result) return;
        throw pb::Error(PB_VALUE_ERROR, std::string(result.description()) + " at byte " +
                                            std::to_string(result.offset));
    }

    // The self of a node; none for none.
    pb::Ref<Node> self_of(pugi::xml_node node) const {
        if (!node) return nullptr;
        auto key = reinterpret_cast<std::uintptr_t>(node.internal_object());
        if (auto known = nodes.find(key)) return *known;
        auto made = pb::make<Node>(pb::Ref<Document>::of(*this), node);
        nodes.set(key, made);
        return made;
    }

    // Ends the selves of a node and of all below it, and removes it.
    void remove(Node &gone) {
        pugi::xml_node node = gone.use();
        if (node == xml) throw pb::Error(PB_VALUE_ERROR, "the document's own node cannot be removed");
        struct Walker : pugi::xml_tree_walker {
            Document *document;
            bool for_each(pugi::xml_node &node) override { return document->forget(node), true; }
        } walker;
        walker.document = this;
        node.traverse(walker);
        forget(node);
        node.parent().remove_child(node);
    }
    void forget(pugi::xml_node node) {
        auto key = reinterpret_cast<std::uintptr_t>(node.internal_object());
        if (auto known = nodes.find(key)) (*known)->node = pugi::xml_node();
        nodes.remove(key);
    }
};

pb::Ref<Node> self(const Node &beside, pugi::xml_node node) {
    return beside.document->self_of(node);
}

std::vector<pb::Ref<Node>> all(const Node &beside, const pugi::xpath_node_set &found) {
    std::vector<pb::Ref<Node>> nodes;
    for (const pugi::xpath_node &it : found) nodes.push_back(self(beside, it.node()));
    return nodes;
}

}  // namespace

PB_MODULE(pugi, m) {
    pb::class_<Document>(m, "Document", "A document of XML.")
        .def(pb::init<std::string>(), pb::arg("text"))
        .field("nodes", &Document::nodes)
        .property("root", [](const Document &it) { return it.self_of(it.xml.document_element()); })
        .def("remove", &Document::remove, "Removes a node, and with it all below.", pb::arg("node"))
        .def("__str__", [](const Document &it) {
            std::ostringstream text;
            it.xml.save(text, "  ");
            return text.str();
        });
    pb::class_<Node>(m, "Node", "A node of a document.")
        .field("document", &Node::document)
        .property("name", [](const Node &it) { return it.use().name(); },
                  [](Node &it, const std::string &name) { it.use().set_name(name.c_str()); })
        .property("text", [](const Node &it) { return it.use().child_value(); },
                  [](Node &it, const std::string &text) { it.use().text().set(text.c_str()); })
        .property("parent", [](const Node &it) { return self(it, it.use().parent()); })
        .property("is_removed", [](const Node &it) { return !it.node; })
        .def("__len__", [](const Node &it) {
            auto children = it.use().children();
            return std::distance(children.begin(), children.end());
        })
        .def("__iter__", [](const Node &it) {
            std::vector<pb::Ref<Node>> children;
            for (pugi::xml_node child : it.use().children()) children.push_back(self(it, child));
            return children;
        })
        .def("__getitem__", [](const Node &it, const std::string &name) {
            pugi::xml_attribute found = it.use().attribute(name.c_str());
            if (!found) throw pb::Error(PB_KEY_ERROR, name);
            return std::string(found.value());
        }, pb::arg("name"))
        .def("__setitem__", [](Node &it, const std::string &name, const std::string &value) {
            pugi::xml_attribute found = it.use().attribute(name.c_str());
            (found ? found : it.use().append_attribute(name.c_str())) = value.c_str();
        }, pb::arg("name"), pb::arg("value"))
        .def("append", [](Node &it, const std::string &name) {
            return self(it, it.use().append_child(name.c_str()));
        }, "Adds an element behind the others.", pb::arg("name"))
        .def("select", [](const Node &it, const std::string &path) {
            try {
                return all(it, it.use().select_nodes(path.c_str()));
            } catch (const pugi::xpath_exception &error) {
                throw pb::Error(PB_VALUE_ERROR, error.what());
            }
        }, "The nodes of an XPath.", pb::arg("path"))
        .def("__repr__", [](const Node &it) -> std::string {
            return it.node ? "<" + std::string(it.node.name()) + ">" : "<a node that was removed>";
        });
    m.def("load", [](const std::string &path) {
        auto document = pb::make<Document>("<empty/>");
        Document::check(document->xml.load_file(path.c_str()));
        return document;
    }, "Reads a file.", pb::arg("path"));
}
