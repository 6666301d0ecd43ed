extension StateComparison {
    /// How many elements are compared pairwise; more are compared by position.
    ///
    /// An edit script of *n* elements takes O(*n*²) time if they have nothing in common.
    static let longestScript = 400

    /// Compares arrays, none of them empty: by id if the elements have one, otherwise by insertions and
    /// removals.
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

    /// Compares the elements removed and inserted at one place: the first with the first, and so on.
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

/// The parts of an element, made once for many comparisons.
private struct Fingerprint {
    let leaves: [StateLeaves.Leaf]
    /// Equal for equal elements; compared first.
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

/// The elements removed and inserted after some that were kept.
private struct Gap {
    var kept = 0
    var removed = 0
    var inserted = 0
}

/// Where two arrays differ, in order.
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
