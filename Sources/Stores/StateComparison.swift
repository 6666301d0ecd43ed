/// Compares two values, part by part.
struct StateComparison {
    /// A part's path in the old value and in the new one; they differ if an element has moved.
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
    /// The objects on the current path; a cycle isn't followed.
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

    /// Shows two values without common parts, each with its own parts.
    mutating func replace(_ old: Any, _ new: Any, at place: Place) {
        let before = StateLeaves(of: old, at: place.old).leaves
        let after = StateLeaves(of: new, at: place.new).leaves
        // Both leaves stand for the same place, though in an array their paths may differ.
        if before.count == 1, after.count == 1 { return show(before[0], after[0]) }
        let newLeaves = Dictionary(after.map { ($0.path, $0) }) { first, _ in first }
        let oldPaths = Set(before.map(\.path))
        for leaf in before {
            if let other = newLeaves[leaf.path] { show(leaf, other) } else { remove(leaf) }
        }
        for leaf in after where !oldPaths.contains(leaf.path) { add(leaf) }
    }

    mutating func remove(_ old: Any, at path: String) {
        for leaf in StateLeaves(of: old, at: path).leaves { remove(leaf) }
    }

    mutating func add(_ new: Any, at path: String) {
        for leaf in StateLeaves(of: new, at: path).leaves { add(leaf) }
    }

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

extension StateComparison {
    /// The most elements to compare pairwise, which takes O(*n*²) time; more are compared by position.
    static let longestScript = 400

    /// Compares two arrays that aren't empty.
    ///
    /// Elements with ids are compared by id, and others by insertions and removals.
    mutating func compareElements(_ old: [Any], _ new: [Any], at place: Place) {
        if let ids = identities(of: old), let newIDs = identities(of: new) {
            return compareIdentified(old, ids, new, newIDs, at: place)
        }
        let before = old.map(Fingerprint.init)
        let after = new.map(Fingerprint.init)
        let prefix = zip(before, after).prefix { $0.isSame(as: $1) }.count
        let suffix = zip(before.dropFirst(prefix).reversed(), after.dropFirst(prefix).reversed())
            .prefix { $0.isSame(as: $1) }.count
        var (index, newIndex) = (prefix, prefix)
        for gap in gaps(before[prefix..<(old.count - suffix)], after[prefix..<(new.count - suffix)])
        {
            index += gap.kept
            newIndex += gap.kept
            compareGap(
                old[index..<(index + gap.removed)], new[newIndex..<(newIndex + gap.inserted)],
                at: place)
            index += gap.removed
            newIndex += gap.inserted
        }
    }

    /// Compares what was removed at one place with what was inserted there, in order.
    private mutating func compareGap(
        _ old: ArraySlice<Any>, _ new: ArraySlice<Any>, at place: Place
    ) {
        for (index, newIndex) in zip(old.indices, new.indices) {
            compare(old[index], new[newIndex], at: place.element("\(index)", "\(newIndex)"))
        }
        for index in old.indices.dropFirst(new.count) {
            remove(old[index], at: place.element("\(index)").old)
        }
        for index in new.indices.dropFirst(old.count) {
            add(new[index], at: place.element("\(index)").new)
        }
    }
}

/// An element's leaves, collected once for many comparisons.
private struct Fingerprint {
    let leaves: [StateLeaves.Leaf]
    /// Compared first: equal elements have equal hashes.
    let hash: Int

    init(_ element: Any) {
        leaves = StateLeaves(of: element).leaves
        var hasher = Hasher()
        for leaf in leaves {
            hasher.combine(leaf.path)
            hasher.combine(leaf.text)
        }
        hash = hasher.finalize()
    }

    func isSame(as other: Fingerprint) -> Bool {
        hash == other.hash && leaves.count == other.leaves.count
            && zip(leaves, other.leaves).allSatisfy { $0.path == $1.path && $0.isSame(as: $1) }
    }
}

/// How many elements are kept, and then how many were removed and inserted after them.
private struct Gap {
    var kept = 0
    var removed = 0
    var inserted = 0
}

/// The gaps between the elements that two arrays share, in order.
private func gaps(_ old: ArraySlice<Fingerprint>, _ new: ArraySlice<Fingerprint>) -> [Gap] {
    if old.count + new.count > StateComparison.longestScript {
        return [Gap(removed: old.count, inserted: new.count)]
    }
    var (removals, insertions) = (Set<Int>(), Set<Int>())
    for change in new.difference(from: old, by: { $0.isSame(as: $1) }) {
        switch change {
        case .remove(let offset, _, _): removals.insert(offset)
        case .insert(let offset, _, _): insertions.insert(offset)
        }
    }
    var gaps = [Gap()]
    var (index, newIndex) = (0, 0)
    while index < old.count || newIndex < new.count {
        var gap = gaps.removeLast()
        if removals.contains(index) {
            gap.removed += 1
            index += 1
        } else if insertions.contains(newIndex) {
            gap.inserted += 1
            newIndex += 1
        } else {
            if gap.removed + gap.inserted > 0 {
                gaps.append(gap)
                gap = Gap()
            }
            gap.kept += 1
            index += 1
            newIndex += 1
        }
        gaps.append(gap)
    }
    return gaps
}

extension StateComparison {
    /// The elements' ids; nil unless all are `Identifiable` and all ids differ.
    ///
    /// Also nil for an `ObjectIdentifier`, which doesn't tell which element of the old array became which of the new
    /// one.
    func identities(of elements: [Any]) -> [AnyHashable]? {
        var ids: [AnyHashable] = []
        for element in elements {
            guard let id = (element as? any Identifiable)?.anyID, !(id.base is ObjectIdentifier)
            else { return nil }
            ids.append(id)
        }
        return Set(ids).count == ids.count ? ids : nil
    }

    mutating func compareIdentified(
        _ old: [Any], _ oldIDs: [AnyHashable], _ new: [Any], _ newIDs: [AnyHashable],
        at place: Place
    ) {
        let oldIndexes = Dictionary(uniqueKeysWithValues: zip(oldIDs, old.indices))
        let newIndexes = Dictionary(uniqueKeysWithValues: zip(newIDs, new.indices))
        for (id, element) in zip(oldIDs, old) where newIndexes[id] == nil {
            remove(element, at: place.element(text(of: id)).old)
        }
        let moved = movedIDs(
            oldIDs.filter { newIndexes[$0] != nil }, newIDs.filter { oldIndexes[$0] != nil })
        for (index, id) in newIDs.enumerated() {
            let place = place.element(text(of: id))
            guard let oldIndex = oldIndexes[id] else {
                add(new[index], at: place.new)
                continue
            }
            if moved.contains(id) { show("at \(oldIndex)", "at \(index)", at: place) }
            compare(old[oldIndex], new[index], at: place)
        }
    }

    /// The ids that have to move to turn the old order into the new one.
    private func movedIDs(_ old: [AnyHashable], _ new: [AnyHashable]) -> Set<AnyHashable> {
        if old == new { return [] }
        if old.count > Self.longestScript {
            return Set(zip(old, new).filter { $0 != $1 }.map(\.0))
        }
        return Set(
            new.difference(from: old).removals.map { change in
                switch change {
                case .remove(_, let id, _), .insert(_, let id, _): id
                }
            })
    }

    private func text(of id: AnyHashable) -> String { "id: \(String(reflecting: id.base))" }
}

extension Identifiable {
    fileprivate var anyID: AnyHashable { AnyHashable(id) }
}

extension StateComparison {
    /// Compares two dictionaries that aren't empty, key by key.
    mutating func compareEntries(_ old: [Any], _ new: [Any], at place: Place) {
        let (old, new) = (values(of: old), values(of: new))
        for (key, text) in texts(of: Array(Set(old.keys).union(new.keys))) {
            let place = place.element(text)
            switch (old[key], new[key]) {
            case (let value?, let newValue?): compare(value, newValue, at: place)
            case (let value?, nil): remove(value, at: place.old)
            case (nil, let newValue?): add(newValue, at: place.new)
            case (nil, nil): break
            }
        }
    }

    /// Compares two sets that aren't empty, element by element.
    mutating func compareMembers(_ old: [Any], _ new: [Any], at place: Place) {
        let old = Set(old.compactMap { $0 as? AnyHashable })
        let new = Set(new.compactMap { $0 as? AnyHashable })
        let changed = texts(of: Array(old.symmetricDifference(new)))
        for (element, text) in changed where old.contains(element) {
            remove(Contained(), at: place.element(text).old)
        }
        for (element, text) in changed where new.contains(element) {
            add(Contained(), at: place.element(text).new)
        }
    }

    private func values(of entries: [Any]) -> [AnyHashable: Any] {
        var values: [AnyHashable: Any] = [:]
        for entry in entries {
            let pair = Array(Mirror(reflecting: entry).children)
            if let key = pair[0].value as? AnyHashable { values[key] = pair[1].value }
        }
        return values
    }

    /// Returns keys or elements with their texts, sorted by text.
    ///
    /// Equal texts are followed by the parts of their key or element.
    private func texts(of keys: [AnyHashable]) -> [(key: AnyHashable, text: String)] {
        let texts = keys.map { String(reflecting: $0.base) }
        let counts = Dictionary(texts.map { ($0, 1) }, uniquingKeysWith: +)
        return zip(keys, texts)
            .map { ($0, counts[$1] == 1 ? $1 : detailedText(of: $0.base)) }
            .sorted { $0.1 < $1.1 }
    }
}

/// The text for an element of a set.
private struct Contained: CustomDebugStringConvertible, CustomStringConvertible {
    var description: String { "contained" }
    var debugDescription: String { description }
}
