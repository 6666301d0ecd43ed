import PledgeFutures
import Synchronization

/// The time between two invalidations of answers in this process, whatever their keys.
///
/// If a call began in an era before its key's last invalidation, the call's answer may be outdated.
package struct Era: Comparable, Sendable {
    /// The era before all invalidations.
    static let first = Era(number: 0)

    /// The present era.
    package static var current: Era { Era(number: last.load(ordering: .acquiring)) }

    /// Begins a new era.
    ///
    /// Called while the lock of the invalidated object is held.
    package static func begin() -> Era {
        Era(number: last.add(1, ordering: .acquiringAndReleasing).newValue)
    }

    package static func < (left: Era, right: Era) -> Bool { left.number < right.number }

    private static let last = Atomic<Int>(0)

    let number: Int
}

/// A call that several callers share, and the dependencies of its answer.
///
/// The answer depends on other joined calls that this one waits for, and on answers that memos inside the call have
/// kept. Memos and coalescers find this object in the call's context.
package final class JoinedCall: Sendable {
    /// Creates a joined call, or returns nil while the process has no memo that could look for it.
    static func make() -> JoinedCall? { hasMemos.load(ordering: .relaxed) ? JoinedCall() : nil }

    /// Lets ``make()`` create joined calls from now on; called when a memo is created.
    package static func expectMemos() { hasMemos.store(true, ordering: .relaxed) }

    private static let hasMemos = Atomic<Bool>(false)

    private struct Parts {
        var isInvalidated: [@Sendable () -> Bool] = []
        var calls: [JoinedCall] = []
    }

    private let parts = Locked(Parts())

    private init() {}

    /// Adds an answer that the call depends on.
    ///
    /// - Parameter isInvalidated: Returns whether the answer has been invalidated since it was added.
    package func add(_ isInvalidated: @escaping @Sendable () -> Bool) {
        parts.withLock { $0.isInvalidated.append(isInvalidated) }
    }

    /// Adds a joined call that this one waits for.
    func add(_ call: JoinedCall) { parts.withLock { $0.calls.append(call) } }

    /// True if a dependency has been invalidated.
    var isOutdated: Bool {
        var (calls, seen) = ([self], Set<ObjectIdentifier>())
        while let call = calls.popLast() {
            guard seen.insert(ObjectIdentifier(call)).inserted else { continue }
            let parts = call.parts.withLock { $0 }
            // No lock is held here, because these closures compare keys, and that runs the key types' own code.
            if parts.isInvalidated.contains(where: { $0() }) { return true }
            calls += parts.calls
        }
        return false
    }
}

/// A part of a call that belongs to the users the call is made for: its input, its answer, or an error with an answer.
///
/// Policies know no users, sign-ins or cookies. They ask this protocol, which HTTP's requests, responses and errors
/// conform to, so that no caller gets what is another user's. Each requirement has a default, which is right for what
/// belongs to nobody.
package protocol UserBound: Sendable {
    /// Returns the input of the next attempt, which may be sent only for these users. Only inputs are asked.
    func bound(to users: any CallUsers) -> Self

    /// A copy for the callers who get the answer to another caller's call.
    ///
    /// It lacks what the service gave only to the caller who asked, such as a cookie. Only answers and errors are asked.
    var forOthers: Self { get }

    /// True if one of the users has signed out, so that the answer must not be kept. Only answers are asked.
    var isOver: Bool { get }
}

extension UserBound {
    /// The input itself.
    package func bound(to users: any CallUsers) -> Self { self }

    /// The answer itself.
    package var forOthers: Self { self }

    /// False: the answer may be kept.
    package var isOver: Bool { false }
}

/// The users for whom a service inside the call has sent a request.
package protocol CallUsers: Sendable {
    /// True if one of the users has signed out.
    var isOver: Bool { get }
}

extension CallRecord {
    /// Returns the input of the next attempt, limited to the users of this attempt.
    func next<Input: Sendable>(_ input: Input) -> Input {
        guard let users, let bound = input as? any UserBound else { return input }
        return bound.bound(to: users) as? Input ?? input
    }
}

extension Result where Success: Sendable, Failure == any Error {
    /// The result for the callers who share it; the same result if its type isn't ``UserBound``.
    package var forOthers: Result {
        switch self {
        case .success(let value):
            (value as? any UserBound).flatMap { $0.forOthers as? Success }.map(Result.success)
                ?? self
        case .failure(let error):
            (error as? any UserBound & Error).map { .failure($0.forOthers) } ?? self
        }
    }

    /// True if the result is a value for a user who has signed out.
    package var isOver: Bool {
        guard case .success(let value) = self else { return false }
        return (value as? any UserBound)?.isOver ?? false
    }
}
