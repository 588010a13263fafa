// Nodes of trees and their children. Included by pairbond.hpp.
#ifndef PAIRBOND_DETAIL_TREES_HPP
#define PAIRBOND_DETAIL_TREES_HPP

#include <pairbond/detail/values.hpp>

#include <iterator>

namespace pb {

namespace detail {

// An owned reference to an object of any class.
class Handle {
  public:
    explicit Handle(pb_object *owned) : object_(owned) {}
    Handle(const Handle &other) : object_(pb_retain(other.object_)) {}
    Handle(Handle &&other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
    Handle &operator=(Handle other) noexcept {
        std::swap(object_, other.object_);
        return *this;
    }
    ~Handle() { pb_release(object_); }
    pb_object *get() const { return object_; }
    pb_object *release() { return std::exchange(object_, nullptr); }
    // The object as one of a class, and none if it is not.
    template <class T>
    Ref<T> as() && {
        if (object_ == nullptr || !pb_object_is_a(object_, type_of<T>())) return nullptr;
        return Ref<T>::adopt(release());
    }

  private:
    pb_object *object_;
};

struct End {};

}  // namespace detail

// The member of a node that is an ordered list of children. It is read and edited through its node:
// `block->list(&Block::ops).append(op)`.
template <class C>
class Children {
  public:
    Children() { pb_children_init(&list_); }
    Children(const Children &) : Children() {}
    Children &operator=(const Children &) { return *this; }
    const pb_children *get() const { return &list_; }

  private:
    pb_children list_;
};

// A list of children and its node, which it keeps.
template <class C>
class ChildList {
  public:
    ChildList(detail::Handle owner, const pb_children *list) : owner_(std::move(owner)), list_(list) {}

    std::size_t size() const {
        std::size_t size = 0;
        run([&](pb_error **error) { return pb_children_size(owner_.get(), list_, &size, error); });
        return size;
    }
    bool empty() const { return size() == 0; }
    // The child at an index; none where there is none.
    Ref<C> find(std::size_t index) const {
        pb_object *found = nullptr;
        run([&](pb_error **error) {
            return pb_children_get(owner_.get(), list_, index, &found, error);
        });
        return Ref<C>::adopt(found);
    }
    Ref<C> at(std::size_t index) const {
        if (Ref<C> found = find(index)) return found;
        throw std::out_of_range("there is no child at index " + std::to_string(index));
    }
    // Put a root, a node that has no parent, to its place.
    void append(const Ref<C> &child) const { insert(SIZE_MAX, child); }
    void insert(std::size_t index, const Ref<C> &child) const {
        run([&](pb_error **error) {
            return pb_children_insert(owner_.get(), list_, index, child.object(), error);
        });
    }
    void insert_before(const Ref<C> &at, const Ref<C> &child) const {
        run([&](pb_error **error) {
            return pb_children_insert_before(owner_.get(), list_, at.object(), child.object(), error);
        });
    }
    // Moves nodes that stand side by side, in any list, before a node of this one, or to its end.
    void move(const Ref<C> &first, const Ref<C> &last, const Ref<C> &before = nullptr) const {
        run([&](pb_error **error) {
            return pb_children_move(owner_.get(), list_, before.object(), first.object(),
                                    last.object(), error);
        });
    }
    void move(const Ref<C> &child) const { move(child, child); }
    // The children as they are now.
    std::vector<Ref<C>> copy() const {
        std::vector<Ref<C>> all;
        for (Ref<C> child : *this) all.push_back(std::move(child));
        return all;
    }

    // Iteration, while the list may be edited: what is inserted behind the current child is seen,
    // and the current one may be removed, moved within the list, or erased.
    class iterator {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Ref<C>;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = Ref<C>;

        explicit iterator(const ChildList &list) : list_(list) { ++*this; }
        iterator(iterator &&other) noexcept
            : list_(other.list_), cursor_(std::exchange(other.cursor_, {})), now_(other.now_) {}
        ~iterator() { pb_cursor_end(&cursor_); }
        Ref<C> operator*() const { return Ref<C>::retain(now_); }
        iterator &operator++() {
            list_.run([&](pb_error **error) {
                return pb_children_next(list_.owner_.get(), list_.list_, &cursor_, &now_, error);
            });
            return *this;
        }
        friend bool operator!=(const iterator &it, detail::End) { return it.now_ != nullptr; }
        friend bool operator==(const iterator &it, detail::End) { return it.now_ == nullptr; }

      private:
        ChildList list_;
        pb_cursor cursor_{};
        pb_object *now_ = nullptr;
    };
    iterator begin() const { return iterator(*this); }
    detail::End end() const { return {}; }

  private:
    template <class F>
    void run(F function) const {
        pb_error *error = nullptr;
        bool done = function(&error);
        detail::check(done, error);
    }
    detail::Handle owner_;
    const pb_children *list_;
};

// A walk through a tree, while it may be edited; nodes of other classes than C are passed over.
template <class C>
class Walk {
  public:
    Walk(pb_object *node, bool up) {
        pb_error *error = nullptr;
        walk_.reset(up ? pb_ancestors(node, &error) : pb_descendants(node, &error));
        detail::check(walk_ != nullptr, error);
    }
    // The next node; none at the end.
    Ref<C> next() {
        while (pb_object *found = pb_walk_next(walk_.get())) {
            if (Ref<C> node = detail::Handle(found).template as<C>()) return node;
        }
        return nullptr;
    }

    class iterator {
      public:
        explicit iterator(Walk &walk) : walk_(walk), now_(walk.next()) {}
        const Ref<C> &operator*() const { return now_; }
        iterator &operator++() {
            now_ = walk_.next();
            return *this;
        }
        friend bool operator!=(const iterator &it, detail::End) { return bool(it.now_); }

      private:
        Walk &walk_;
        Ref<C> now_;
    };
    iterator begin() { return iterator(*this); }
    detail::End end() { return {}; }

  private:
    struct Free {
        void operator()(pb_walk *walk) const { pb_walk_free(walk); }
    };
    std::unique_ptr<pb_walk, Free> walk_;
};

// The base of a class whose objects are nodes of trees: `struct Op : pb::TreeNode<Op>`. Classes that
// extend Op are nodes, too. A copy of a node is a root.
template <class T>
class TreeNode {
  public:
    TreeNode() { pb_links_init(&links_); }
    TreeNode(const TreeNode &) : TreeNode() {}
    TreeNode &operator=(const TreeNode &) { return *this; }

    // The nodes around this one; none where there is none, or one of another class.
    template <class P>
    Ref<P> parent() const {
        return detail::Handle(pb_parent(place())).template as<P>();
    }
    template <class P>
    Ref<P> root() const {
        return detail::Handle(pb_root(place())).template as<P>();
    }
    Ref<T> next_sibling() const { return sibling(pb_next_sibling(place())); }
    Ref<T> previous_sibling() const { return sibling(pb_previous_sibling(place())); }
    // The index in the list that it stands in; none if it has no parent.
    std::optional<std::size_t> index() const {
        std::size_t index = 0;
        if (!pb_index_of(place(), &index)) return std::nullopt;
        return index;
    }
    // Whether it is that node, or stands somewhere below it.
    template <class P>
    bool is_in(const Ref<P> &above) const {
        return above && pb_is_in(place(), above.object());
    }
    // All below it, each before what stands below it; all above it, the nearest first.
    template <class C = T>
    Walk<C> descendants() const {
        return Walk<C>(object(), false);
    }
    template <class P = T>
    Walk<P> ancestors() const {
        return Walk<P>(object(), true);
    }
    // One of its lists.
    template <class C, class U>
    ChildList<C> list(Children<C> U::*which) const {
        const U &value = static_cast<const U &>(static_cast<const T &>(*this));
        detail::Handle owner(detail::owned_object_of(static_cast<const T &>(*this)));
        return ChildList<C>(std::move(owner), (value.*which).get());
    }
    void detach() const {
        pb_error *error = nullptr;
        bool done = pb_detach_node(object(), &error);
        detail::check(done, error);
    }
    // Erases it with all that stands below it. The reason is in what using one of them raises.
    void erase(const char *reason = nullptr) const {
        pb_error *error = nullptr;
        bool done = pb_erase(object(), reason, &error);
        detail::check(done, error);
    }
    bool is_erased() const {
        pb_object *node = place();
        return node != nullptr && pb_is_erased(node);
    }
    // Throws an InvalidatedError if it was erased. Methods and arguments are checked by themselves.
    void check() const {
        pb_error *error = nullptr;
        bool done = pb_check_node(object(), &error);
        detail::check(done, error);
    }

  private:
    pb_object *object() const { return detail::object_of(static_cast<const T &>(*this)); }
    // None for a node that lies in no object, around which there is nothing.
    pb_object *place() const noexcept {
        try {
            return object();
        } catch (...) {
            return nullptr;
        }
    }
    static Ref<T> sibling(pb_object *found) { return detail::Handle(found).template as<T>(); }

    pb_links links_;
};

namespace detail {

// The T of the pb::TreeNode<T> that a class inherits from, or void.
template <class T>
T *node_base(const TreeNode<T> *);
void *node_base(...);
template <class T>
using node_of = std::remove_pointer_t<decltype(node_base(static_cast<T *>(nullptr)))>;

}  // namespace detail

}  // namespace pb

#endif
