/// The comparison of two values, part by part.
struct StateComparison {
    /// The place of a part in the old value and in the new one: an element may have moved.
    struct Place {
        var old = ""
        var new = ""

        func property(_ label: String) -> Place {
            Place(
                old: old.isEmpty ? label : "\(old).\(label)",
                new: new.isEmpty ? label : "\(new).\(label)")
        }

        func inCase(_ label: String) -> Place {
            Place(old: "\(old).\(label)", new: "\(new).\(label)")
        }

        func element(_ key: String, _ newKey: String? = nil) -> Place {
            Place(old: "\(old)[\(key)]", new: "\(new)[\(newKey ?? key)]")
        }
    }

    private(set) var lines: [String] = []
    /// The objects on the current path: a cycle is not followed.
    private var objects: Set<ObjectIdentifier> = []

    init(of old: Any, with new: Any) { compare(old, new, at: Place()) }

    mutating func compare(_ old: Any, _ new: Any, at place: Place) {
        let mirrors = (old: Mirror(reflecting: old), new: Mirror(reflecting: new))
        guard type(of: old) == type(of: new) else { return replace(old, new, at: place) }
        switch mirrors.old.displayStyle {
        case .optional:
            guard let some = mirrors.old.children.first, let other = mirrors.new.children.first
            else { return replace(old, new, at: place) }
            compare(some.value, other.value, at: place)
        case .collection, .dictionary, .set:
            let parts = (
                old: mirrors.old.children.map(\.value), new: mirrors.new.children.map(\.value)
            )
            if parts.old.isEmpty || parts.new.isEmpty { return replace(old, new, at: place) }
            switch mirrors.old.displayStyle {
            case .collection: compareElements(parts.old, parts.new, at: place)
            case .dictionary: compareEntries(parts.old, parts.new, at: place)
            default: compareMembers(parts.old, parts.new, at: place)
            }
        case .enum:
            guard let some = mirrors.old.children.first, let other = mirrors.new.children.first,
                some.label == other.label
            else { return replace(old, new, at: place) }
            compare(some.value, other.value, at: place.inCase(some.label ?? ""))
        case .class: compareObjects(old, new, mirrors, at: place)
        default: compareProperties(old, new, mirrors, at: place)
        }
    }

    private mutating func compareObjects(
        _ old: Any, _ new: Any, _ mirrors: (old: Mirror, new: Mirror), at place: Place
    ) {
        let id = ObjectIdentifier(old as AnyObject)
        if id == ObjectIdentifier(new as AnyObject) { return }
        guard objects.insert(id).inserted else { return }
        compareProperties(old, new, mirrors, at: place)
        objects.remove(id)
    }

    private mutating func compareProperties(
        _ old: Any, _ new: Any, _ mirrors: (old: Mirror, new: Mirror), at place: Place
    ) {
        let children = (old: mirrors.old.allChildren, new: mirrors.new.allChildren)
        guard !isLeaf(old, mirrors.old), children.old.map(\.label) == children.new.map(\.label)
        else { return replace(old, new, at: place) }
        for (child, other) in zip(children.old, children.new) {
            compare(child.value, other.value, at: place.property(child.label ?? "?"))
        }
    }

    /// Shows two values that have no parts in common, each with its own parts.
    mutating func replace(_ old: Any, _ new: Any, at place: Place) {
        let before = StateLeaves(of: old, at: place.old).leaves
        let after = StateLeaves(of: new, at: place.new).leaves
        // Both have the path of one place, except in an array.
        if before.count == 1, after.count == 1 { return show(before[0], after[0]) }
        let newLeaves = Dictionary(after.map { ($0.path, $0) }) { first, _ in first }
        let oldPaths = Set(before.map(\.path))
        for leaf in before {
            if let other = newLeaves[leaf.path] { show(leaf, other) } else { remove(leaf) }
        }
        for leaf in after where !oldPaths.contains(leaf.path) { add(leaf) }
    }

    /// Shows a removed value.
    mutating func remove(_ old: Any, at path: String) {
        for leaf in StateLeaves(of: old, at: path).leaves { remove(leaf) }
    }

    /// Shows an added value.
    mutating func add(_ new: Any, at path: String) {
        for leaf in StateLeaves(of: new, at: path).leaves { add(leaf) }
    }

    /// Shows an old text and a new one.
    mutating func show(_ old: String, _ new: String, at place: Place) {
        lines += [
            "- \(StateLeaves.line(place.old, old))", "+ \(StateLeaves.line(place.new, new))",
        ]
    }

    private mutating func show(_ old: StateLeaves.Leaf, _ new: StateLeaves.Leaf) {
        if old.isSame(as: new) { return }
        var texts = (old: old.text, new: new.text)
        if texts.old == texts.new, let value = old.value, let newValue = new.value {
            texts = tellingTexts(of: value, and: newValue)
        }
        show(texts.old, texts.new, at: Place(old: old.path, new: new.path))
    }

    private mutating func remove(_ leaf: StateLeaves.Leaf) { lines.append("- \(leaf.line)") }

    private mutating func add(_ leaf: StateLeaves.Leaf) { lines.append("+ \(leaf.line)") }
}
