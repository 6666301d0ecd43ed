package import PledgeFutures
import Synchronization

/// The importance of a call, which decides whether the call is served when there are too many calls.
///
/// The levels are the criticalities of Google's services. A service should be able to serve all calls that are
/// ``critical`` or ``criticalPlus``. (Beyer et al., "Site Reliability Engineering", chapter 21, "Criticality".) A
/// more important priority is greater than a less important one.
public enum CallPriority: Int, CaseIterable, Sendable {
    /// Work that tolerates long outages, because it can be repeated later, such as a prefetch.
    case sheddable
    /// Work that expects partial outages, such as a batch that repeats its failed calls.
    case sheddablePlus
    /// Work that a user waits for; the default.
    case critical
    /// Work whose failure has serious consequences for a user, such as a payment.
    case criticalPlus
}

extension CallPriority: Comparable {
    /// Returns whether the left priority is less important than the right one.
    public static func < (left: CallPriority, right: CallPriority) -> Bool {
        left.rawValue < right.rawValue
    }
}

/// The priority of a joined call: the highest among the callers that have joined it.
///
/// The joined call's context carries this priority. A policy that lets the call wait reads the priority from the
/// context, and is told when the priority rises.
package final class JoinedPriority: Sendable {
    /// Creates the priority of a joined call, when the call begins.
    ///
    /// Until some code in the process binds a priority, all calls are critical. A joined call that begins before then
    /// stays critical.
    ///
    /// - Parameter context: The first caller's context.
    /// - Returns: Nil if no priority was ever bound in the process.
    package static func make(in context: CallContext) -> JoinedPriority? {
        isInUse.load(ordering: .relaxed) ? JoinedPriority(context.boundPriority) : nil
    }

    /// Turns on joined priorities; called before a priority is bound.
    static func expectPriorities() {
        if !isInUse.load(ordering: .relaxed) { isInUse.store(true, ordering: .relaxed) }
    }

    /// True once any priority was bound in the process.
    ///
    /// Relaxed loads are enough. A thread that has bound a priority always reads true. If another thread still reads
    /// false, its joined call counts as begun before any priority was bound.
    private static let isInUse = Atomic<Bool>(false)

    private struct State {
        /// The priority; nil if no caller has bound one, and the call is therefore critical.
        var bound: CallPriority?
        var listeners: [Int: @Sendable (CallPriority) -> Void] = [:]
        var lastListener = 0
    }

    private let state: Locked<State>

    private init(_ bound: CallPriority?) { state = Locked(State(bound: bound)) }

    /// The priority, or nil if no caller has bound one.
    var bound: CallPriority? { state.withLock { $0.bound } }

    /// The number of listeners, for a test that checks that all were removed.
    var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// Raises the priority to a caller's priority, but never lowers it.
    package func raise(to priority: CallPriority) {
        let listeners = state.withLock { state -> [@Sendable (CallPriority) -> Void] in
            guard priority > state.bound ?? .critical else { return [] }
            state.bound = priority
            return Array(state.listeners.values)
        }
        // The listeners are called outside the lock, because a listener may raise the priority of another joined call.
        for listener in listeners { listener(priority) }
    }

    /// Calls a closure with the priority, now and whenever it rises, until ``stopListening(_:)``.
    ///
    /// - Parameter body: Called on the thread that raises the priority. If several threads raise it at once, the
    ///   closure may get the priorities in any order.
    /// - Returns: The listener's number.
    package func listen(_ body: @escaping @Sendable (CallPriority) -> Void) -> Int {
        let (number, priority) = state.withLock { state in
            state.lastListener += 1
            state.listeners[state.lastListener] = body
            return (state.lastListener, state.bound ?? .critical)
        }
        body(priority)
        return number
    }

    /// Removes a listener, unless it was removed before.
    package func stopListening(_ number: Int) {
        state.withLockThenRelease { $0.listeners.removeValue(forKey: number) }
    }
}

extension Future {
    /// Raises a joined call's priority when the caller's priority rises, while this future waits for the call.
    ///
    /// - Parameters:
    ///   - joined: The joined call's priority; nil if it has none.
    ///   - context: The caller's context.
    package func raising(
        _ joined: JoinedPriority?, in context: CallContext
    ) -> Future<Value> {
        guard let joined, let outer = context.joinedPriority else { return self }
        let listener = outer.listen { joined.raise(to: $0) }
        return onEnd { _ in outer.stopListening(listener) }
    }
}
