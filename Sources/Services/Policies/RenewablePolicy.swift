package import PledgeFutures

/// A policy's object, which can be made again for another origin.
package protocol RenewablePolicy: AnyObject, Sendable {
    /// Returns a new object with the same settings, and none of the state.
    func renewed(in place: PolicyPlace) -> Self

    /// True if the object can be discarded, because a new one would behave alike.
    var isIdle: Bool { get }
}

/// The name, clock, randomness and retry budget of a copy for another origin.
package struct PolicyPlace: Sendable {
    /// The object's name, unless it has one of its own.
    package let name: String
    /// The clock; nil to keep the original's.
    private let scheduler: (any FutureScheduler)?
    /// The source of chance; nil to keep the original's.
    private let random: RandomSource?
    /// The budget of the retries to this origin; nil if there is none.
    package var budget: RetryBudget?

    package init(
        _ name: String, _ scheduler: (any FutureScheduler)? = nil, _ random: RandomSource? = nil
    ) {
        self.name = name
        self.scheduler = scheduler
        self.random = random
    }

    package func clock(or other: any FutureScheduler) -> any FutureScheduler { scheduler ?? other }
    package func random(or other: RandomSource) -> RandomSource { random ?? other }
}

extension CircuitBreaker: RenewablePolicy {}
extension RetryBudget: RenewablePolicy {}
extension Hedge: RenewablePolicy {}
