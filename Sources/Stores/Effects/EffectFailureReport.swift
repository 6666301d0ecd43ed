internal import PledgeFutures
internal import Synchronization

/// Reports a store's failed effects to `FutureDiagnostics`: the first one, then a count.
///
/// The 1st, 10th, 100th, 1,000th failure and so on are reported, with the number so far and the newest error. When the
/// store is released, a last report has the total. So a dependency that is down doesn't flood the log, and an operator
/// still sees that effects fail, and whether it's a few or thousands.
@usableFromInline
final class EffectFailureReport: Sendable {
    private let store: String
    private let count = Atomic(0)
    private let tell: @Sendable (String) -> Void

    /// `store` names the store, for example "a Store of Int"; `tell` writes a report.
    init(of store: String, tell: @escaping @Sendable (String) -> Void) {
        self.store = store
        self.tell = tell
    }

    @usableFromInline
    convenience init(of store: String) { self.init(of: store, tell: FutureDiagnostics.tell) }

    /// Counts an error that an effect didn't turn into an event.
    @usableFromInline
    func add(_ error: any Error) {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        if number == 1 {
            tell(
                """
                an effect of \(store) failed, and no event says so: \(error). Use Effect.request, or \
                recover from the error, or give the store an onFailure
                """)
        } else if Self.isReported(number) {
            tell(
                """
                \(number) effects of \(store) failed so far, and no event says so; the newest error: \
                \(error)
                """)
        }
    }

    deinit {
        let number = count.load(ordering: .relaxed)
        if number > 0, !Self.isReported(number) {
            tell("\(number) effects of \(store) failed before it was released")
        }
    }

    /// Returns whether a number is a power of ten; it isn't 0.
    private static func isReported(_ number: Int) -> Bool {
        var number = number
        while number.isMultiple(of: 10) { number /= 10 }
        return number == 1
    }
}
