/// A node that waits and is not a future: an observer, a suspended task, an input of an aggregate.
@usableFromInline
class Waiter: FutureNode, @unchecked Sendable {
    @usableFromInline @exclusivity(unchecked) final var storedLinks: Links

    @inlinable
    init(deliver: @escaping Delivery) {
        storedLinks = Links(deliver: deliver)
        super.init(word: StateWord.pending)
        setLinks(at: &storedLinks)
    }
}
