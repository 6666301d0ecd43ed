/// An index of the effects that have not begun: the places where each id occurs.
///
/// With it, the cost of cancelling an id doesn't depend on how many effects the store holds.
struct UnbegunEffects: Equatable, Sendable {
    /// An effect that has not begun: the part of a sequence, or the only effect of a delay or a turn.
    struct Place: Hashable, Comparable, Sendable {
        let run: RunNumber
        /// The part's index in its sequence; 0 in a delay or a turn.
        let part: Int

        static func < (left: Place, right: Place) -> Bool {
            (left.run, left.part) < (right.run, right.part)
        }
    }

    private var places: [EffectID: Set<Place>] = [:]

    /// The places of the effects that have an id, or contain an effect with the id.
    func places(of id: EffectID) -> Set<Place> { places[id] ?? [] }

    mutating func insert(_ effect: EffectTree, at place: Place) {
        effect.forEachID { places[$0, default: []].insert(place) }
    }

    /// Removes an effect that begins or is dropped.
    ///
    /// - Returns: The ids that occur nowhere any more, to be freed outside the lock.
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
