/// An index of unbegun effects: the places of each id.
///
/// So the cost of cancelling an id doesn't depend on how many effects there are.
struct UnbegunEffects: Equatable, Sendable {
    /// A part of a sequence, or the only effect of a delay or a turn.
    struct Place: Hashable, Comparable, Sendable {
        let run: RunNumber
        /// The index in the sequence; 0 in a delay or a turn.
        let part: Int

        static func < (left: Place, right: Place) -> Bool {
            (left.run, left.part) < (right.run, right.part)
        }
    }

    private var places: [EffectID: Set<Place>] = [:]

    /// Where effects have the id or contain it.
    func places(of id: EffectID) -> Set<Place> { places[id] ?? [] }

    mutating func insert(_ effect: EffectTree, at place: Place) {
        effect.forEachID { places[$0, default: []].insert(place) }
    }

    /// Removes an effect that begins or is dropped.
    ///
    /// - Returns: Ids that occur nowhere any more, to be freed outside the lock.
    mutating func remove(_ effect: EffectTree, at place: Place) -> [EffectID] {
        var unused: [EffectID] = []
        effect.forEachID { id in
            guard let index = places.index(forKey: id) else { return }
            places.values[index].remove(place)
            if places.values[index].isEmpty { unused.append(places.remove(at: index).key) }
        }
        return unused
    }
}
