package import PledgeFutures
import Synchronization

/// The priority of a shared call: the highest of all callers who have joined it.
///
/// It is in the context of the call, where what waits below finds it, and hears when it rises.
package final class SharedPriority: Sendable {
    /// Makes that of a call that begins; nil while no priority was ever bound in the process.
    ///
    /// A call that began before the first was bound keeps the priority of all others, critical.
    ///
    /// - Parameter context: The context of the first caller.
    package static func make(in context: CallContext) -> SharedPriority? {
        isInUse.load(ordering: .relaxed) ? SharedPriority(context.boundPriority) : nil
    }

    /// Called before a priority is bound.
    static func expectPriorities() {
        if !isInUse.load(ordering: .relaxed) { isInUse.store(true, ordering: .relaxed) }
    }

    /// Relaxed: a thread that reads false has bound nothing.
    private static let isInUse = Atomic<Bool>(false)

    private struct State {
        /// Nil: nothing was said about it, which means critical.
        var bound: CallPriority?
        var listeners: [Int: @Sendable (CallPriority) -> Void] = [:]
        var lastListener = 0
    }

    private let state: Locked<State>

    private init(_ bound: CallPriority?) { state = Locked(State(bound: bound)) }

    /// The priority; nil if none was bound to the callers.
    var bound: CallPriority? { state.withLock { $0.bound } }

    /// How many listen, for the test that none is left.
    var listenerCount: Int { state.withLock { $0.listeners.count } }

    /// Raises it to that of a caller; never lowers it.
    package func raise(to priority: CallPriority) {
        let listeners = state.withLock { state -> [@Sendable (CallPriority) -> Void] in
            guard priority > state.bound ?? .critical else { return [] }
            state.bound = priority
            return Array(state.listeners.values)
        }
        // Outside the lock: a listener may raise another shared call.
        for listener in listeners { listener(priority) }
    }

    /// Calls a closure with the priority, now and when it rises, until ``stopListening(_:)``.
    ///
    /// - Parameter body: Called on the thread that raises; if several do at once, in any order.
    /// - Returns: The number of the listener.
    func listen(_ body: @escaping @Sendable (CallPriority) -> Void) -> Int {
        let (number, priority) = state.withLock { state in
            state.lastListener += 1
            state.listeners[state.lastListener] = body
            return (state.lastListener, state.bound ?? .critical)
        }
        body(priority)
        return number
    }

    /// Removes a listener; without effect if it was removed before.
    func stopListening(_ number: Int) {
        state.withLockThenRelease { $0.listeners.removeValue(forKey: number) }
    }
}

extension Future {
    /// Raises a shared call, for whose end this future waits, whenever the call that its caller is part of is raised.
    ///
    /// - Parameters:
    ///   - shared: The priority of the shared call; nil if it has none.
    ///   - context: The context of the caller.
    package func raising(
        _ shared: SharedPriority?, in context: CallContext
    ) -> Future<Value> {
        guard let shared, let outer = context.sharedPriority else { return self }
        let listener = outer.listen { shared.raise(to: $0) }
        return onEnd { _ in outer.stopListening(listener) }
    }
}
