/// A future that waits: for one upstream after the other, or, as an aggregate, for several inputs.
///
/// It is cancelled when its last waiter has given up.
@usableFromInline
class DerivedFuture<Value: Sendable>: Future<Value>, @unchecked Sendable {
    @usableFromInline @exclusivity(unchecked) final var storedLinks: Links

    @inlinable
    init(deliver: @escaping Delivery) {
        storedLinks = Links(deliver: deliver)
        super.init()
        setLinks(at: &storedLinks)
    }
}
