package import PledgeFutures

/// A policy's object, which can be made again for another origin.
package protocol RenewablePolicy: AnyObject, Sendable {
    /// Returns a new object with the same settings, and none of the state.
    func renewed(in place: PolicyPlace) -> Self

    /// True if the object can be discarded, because a new one would behave alike.
    var isIdle: Bool { get }
}

/// What the place of a policy's object decides about it.
package struct PolicyPlace: Sendable {
    /// The object's name, unless it has one of its own.
    package let name: String
    /// Nil for the clock of the object with the settings.
    private let scheduler: (any FutureScheduler)?
    /// Nil for the source of the object with the settings.
    private let random: RandomSource?
    /// The budget of the place's retries; nil if there is none.
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
