/// A waiter that is no future.
@usableFromInline
class Enrolled: Waiter, @unchecked Sendable {
    /// Reached by ``Waiter/linksOffset``, as all links are.
    @usableFromInline
    @exclusivity(unchecked)
    final var links: Links

    @inlinable
    init(deliver: @escaping Delivery) {
        links = Links(deliver: deliver)
        super.init(word: Word.pending)
        linksOffset = Links.Offset(of: &links, in: self)
    }
}
