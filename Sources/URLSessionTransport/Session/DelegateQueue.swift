#if canImport(FoundationNetworking)
import Foundation

/// A queue that runs each operation at once, on the thread that adds it; a session calls its delegate on it.
///
/// URLSession on Linux calls its delegate at least three times for each request, and an operation for each
/// call would be a good part of a request's cost. With this queue it calls the delegate directly, on the
/// session's own queue: the delegate records each event, and passes on what others wait for.
final class DelegateQueue: OperationQueue, @unchecked Sendable {
    // Invariant of `@unchecked`: the class adds nothing to its superclass, which is Sendable.
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}
#endif
