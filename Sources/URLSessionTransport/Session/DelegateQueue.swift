#if canImport(FoundationNetworking)
import Foundation

/// A queue that does at once what is put into it, on which a session calls its delegate.
///
/// URLSession on Linux tells its delegate of three things and more for each request. An operation for
/// each costs a good part of what the request does. So they are told at once, on the session's own
/// queue: the delegate notes them, and hands on what others are to learn.
final class DelegateQueue: OperationQueue, @unchecked Sendable {
    // Invariant of `@unchecked`: the class adds nothing to one that is Sendable.
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}
#endif
