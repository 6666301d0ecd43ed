/// A pending future that others lead to: it waits for one after the other, or for several inputs.
///
/// Cancelled when nobody waits for it any more.
@usableFromInline
class DerivedFuture<Value: Sendable>: Future<Value>, @unchecked Sendable {
    /// Reached by ``Waiter/linksOffset``, as all links are.
    @usableFromInline
    @exclusivity(unchecked)
    final var links: Links

    @inlinable
    init(deliver: @escaping Delivery) {
        links = Links(deliver: deliver)
        super.init()
        linksOffset = Links.Offset(of: &links, in: self)
    }
}
