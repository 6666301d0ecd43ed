package import PledgeFutures
package import PledgeServices

/// The input of the tests' services: a number, and whether it may be sent twice.
package struct Ask: Hashable, Sendable, Replayable, ExpressibleByIntegerLiteral {
    package var number = 0
    package var isReplayable = true
    /// An object that shows whether the input is still kept.
    package var luggage: Luggage?

    package init(_ number: Int = 0, isReplayable: Bool = true, luggage: Luggage? = nil) {
        self.number = number
        self.isReplayable = isReplayable
        self.luggage = luggage
    }

    package init(integerLiteral value: Int) { self.init(value) }
}

/// An object whose lifetime is checked.
package final class Luggage: Sendable, Hashable {
    package init() {}

    package static func == (left: Luggage, right: Luggage) -> Bool { left === right }
    package func hash(into hasher: inout Hasher) { ObjectIdentifier(self).hash(into: &hasher) }
}

/// The error of the tests' services.
package struct Broken: Error, Equatable {
    package var number = 0

    package init(number: Int = 0) { self.number = number }
}

/// An error that asks for a wait, or gives other advice.
package struct Advised: Error, AdvisingError {
    package var advisedOutcome: Outcome
    package var outcome: Outcome { advisedOutcome }
    package var isCertainlyUnsent = false

    package init(advisedOutcome: Outcome, isCertainlyUnsent: Bool = false) {
        self.advisedOutcome = advisedOutcome
        self.isCertainlyUnsent = isCertainlyUnsent
    }
}

extension Future {
    /// The error, if it has failed.
    package var errorNow: (any Error)? {
        if case .failure(let error)? = result { error } else { nil }
    }

    /// The value, if it has succeeded.
    package var valueNow: Value? { try? result?.get() }

    /// The policies' own error, if it has failed with one.
    package var serviceError: ServiceError? { errorNow as? ServiceError }

    /// Whether it has been cancelled.
    package var isCancelled: Bool { errorNow is CancellationError }
}
