/// Calls a closure when it is freed.
package final class OnDeinit: Sendable {
    private let body: @Sendable () -> Void

    /// Makes an object with a closure, which is called on the thread that lets it go.
    package init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    deinit { body() }

    /// Keeps the object in the closure that calls this.
    package func use() {}
}
