extension StateComparison {
    /// The ids of elements that are all `Identifiable`, if all ids are different.
    ///
    /// An object that is its own id does not identify an earlier element.
    func identities(of elements: [Any]) -> [AnyHashable]? {
        var ids: [AnyHashable] = []
        for element in elements {
            guard let id = (element as? any Identifiable)?.anyID, !(id.base is ObjectIdentifier)
            else { return nil }
            ids.append(id)
        }
        return Set(ids).count == ids.count ? ids : nil
    }

    /// Compares each element with the one of the same id.
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

    /// The ids that have to be moved to change one order into the other.
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
