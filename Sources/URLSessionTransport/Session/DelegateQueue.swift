import Dispatch
import Foundation

/// The queue on which a session calls its delegate, and the one on which callers are told.
///
/// URLSession on Linux tells its delegate of three things and more for each request. An operation for
/// each costs a good part of what the request does. So they are told at once there, on the session's own
/// queue: the delegate notes them, and hands on to ``deliver(_:)`` what others are to learn. They may
/// send the next request, for which URLSession waits for its queue.
final class DelegateQueue: OperationQueue, @unchecked Sendable {
    // Invariant of `@unchecked`: the class adds nothing but a constant to one that is Sendable.
    private let callers = DispatchQueue(label: "Pledge.SessionTransport")

    override init() {
        super.init()
        maxConcurrentOperationCount = 1
    }

    #if canImport(FoundationNetworking)
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }

    /// Calls whoever waits, one after the other.
    func deliver(_ block: @escaping @Sendable () -> Void) { callers.async(execute: block) }
    #else
    /// Calls whoever waits: this is the delegate's queue already.
    func deliver(_ block: @escaping @Sendable () -> Void) { block() }
    #endif
}
