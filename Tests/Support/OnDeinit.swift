/// Calls a closure when it is freed.
package final class OnDeinit: Sendable {
    private let body: @Sendable () -> Void

    /// Makes an object with a closure, which is called on the thread that releases the object.
    package init(_ body: @escaping @Sendable () -> Void) {
        self.body = body
    }

    deinit { body() }

    /// Makes the closure that calls this keep the object.
    package func use() {}
}
