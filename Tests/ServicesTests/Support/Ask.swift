import PledgeFutures

@testable import PledgeServices

/// The input of the tests' services: a number, and whether it may be sent twice.
struct Ask: Hashable, Sendable, Replayable, ExpressibleByIntegerLiteral {
    var number = 0
    var isReplayable = true
    /// An object that shows whether the input is still kept.
    var luggage: Luggage?

    init(_ number: Int = 0, isReplayable: Bool = true, luggage: Luggage? = nil) {
        self.number = number
        self.isReplayable = isReplayable
        self.luggage = luggage
    }

    init(integerLiteral value: Int) { self.init(value) }
}

/// An object whose lifetime is checked.
final class Luggage: Sendable, Hashable {
    static func == (left: Luggage, right: Luggage) -> Bool { left === right }
    func hash(into hasher: inout Hasher) { ObjectIdentifier(self).hash(into: &hasher) }
}

/// The error of the tests' services.
struct Broken: Error, Equatable {
    var number = 0
}

/// An error that asks for a wait, or gives other advice.
struct Advised: Error, OutcomeAdvising {
    var advisedOutcome: Outcome
    var isCertainlyUnsent = false
}

extension Future {
    /// The error, if it has failed.
    var errorNow: (any Error)? {
        if case .failure(let error)? = result { error } else { nil }
    }

    /// The value, if it has succeeded.
    var valueNow: Value? { try? result?.get() }

    /// The policies' own error, if it has failed with one.
    var serviceError: ServiceError? { errorNow as? ServiceError }

    /// Whether it has been cancelled.
    var isCancelled: Bool { errorNow is CancellationError }
}

extension Hedge {
    /// Takes all the hedges that a call finds saved.
    ///
    /// - Returns: How many there were.
    func takeSaved() -> Int {
        _ = deposit()
        var count = 0
        while withdraw() { count += 1 }
        return count
    }
}
