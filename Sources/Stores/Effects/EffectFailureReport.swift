internal import PledgeFutures
internal import Synchronization

/// Reports the failed effects of one store to `FutureDiagnostics`: the first one, then a count.
///
/// The first failure has its own report, with the error. Later reports come only with the 10th failure, the 100th, the
/// 1,000th, and so on; each has the number of failures so far and the newest error. When the store is released, a last
/// report has the total, unless an earlier one has it. So a dependency that is down makes no flood of lines, and an
/// operator still sees at once that effects fail, and whether it's a few or thousands.
@usableFromInline
final class EffectFailureReport: Sendable {
    private let store: String
    private let count = Atomic(0)
    private let tell: @Sendable (String) -> Void

    /// Creates the report of a store.
    ///
    /// - Parameters:
    ///   - store: The store in words, for example "a Store of Int".
    ///   - tell: Writes a report.
    init(of store: String, tell: @escaping @Sendable (String) -> Void) {
        self.store = store
        self.tell = tell
    }

    /// Creates the report of a store, which writes to `FutureDiagnostics`.
    @usableFromInline
    convenience init(of store: String) { self.init(of: store, tell: FutureDiagnostics.tell) }

    /// Counts the error of an effect that didn't turn the error into an event.
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

    /// Returns whether a number, which isn't 0, is a power of ten.
    private static func isReported(_ number: Int) -> Bool {
        var number = number
        while number.isMultiple(of: 10) { number /= 10 }
        return number == 1
    }
}
