public import PledgeAdmission
public import PledgeHTTPMessages
import PledgeHTTPNetworking
public import PledgeServices

/// A policy's objects for calls over HTTP: one object for all origins, or one for each.
///
/// ```swift
/// client.circuitBreaker = .perOrigin(CircuitBreaker(failuresInARow: 5))
/// client.rateLimit = RateLimiter(rate: 100, per: .seconds(1))  // one for all origins
/// ```
///
/// Each object, such as a `CircuitBreaker`, can stand for all origins by itself, and other clients can share it. For
/// anything else, such as one breaker for several origins, conform a type of your own.
public protocol OriginPolicy<Policy>: Sendable {
    /// The type of the objects, such as `CircuitBreaker`.
    associatedtype Policy: AnyObject & Sendable

    /// Returns the object for calls to an origin.
    ///
    /// Return the same object each time: calls through different ones don't know of each other. Called on a caller's
    /// thread, while no lock is held.
    ///
    /// - Parameter origin: The origin; nil if a request's URL has none.
    func policy(of origin: HTTPOrigin?) -> Policy
}

extension OriginPolicy where Policy == Self {
    /// Returns the object itself, for each origin.
    public func policy(of origin: HTTPOrigin?) -> Self { self }
}

extension CircuitBreaker: OriginPolicy {}
extension Bulkhead: OriginPolicy {}
extension RateLimiter: OriginPolicy {}
extension Pushback: OriginPolicy {}
extension RetryBudget: OriginPolicy {}
extension Hedge: OriginPolicy {}

/// An object of a policy for each origin.
///
/// A client makes the objects, and gives each the origin's name, unless it has a name, and the client's scheduler and
/// source of randomness. It keeps the objects of 1,000 origins. If there are more, it may discard an idle object, such as
/// an open breaker whose time is over, and make a new one at the origin's next call.
public struct PerOrigin<Policy: AnyObject & Sendable>: OriginPolicy {
    /// The maximum number of origins with an object.
    fileprivate let limit: Int
    /// Returns an object with an origin's settings, which isn't kept.
    let sample: @Sendable (HTTPOrigin?) -> Policy
    /// The objects, unless a client or a stack keeps them.
    private let states = StatesByOrigin<Policy>()

    fileprivate init(_ limit: Int, _ sample: @escaping @Sendable (HTTPOrigin?) -> Policy) {
        precondition(limit >= 1, "a state for each of at least 1 origin, not \(limit)")
        self.limit = limit
        self.sample = sample
    }

    /// The same objects, as objects of any type.
    var erased: PerOrigin<AdmissionSlot.Object> {
        PerOrigin<AdmissionSlot.Object>(limit) { [sample] in sample($0) }
    }

    /// Returns the object for calls to an origin, which is made if there is none.
    public func policy(of origin: HTTPOrigin?) -> Policy {
        let place = { @Sendable in PolicyPlace(name(of: $0)) }
        return KeptPolicies(policies: self, states: states, place: place, watch: { _ in })
            .policy(of: origin)
    }
}

/// The objects of ``PerOrigin``, as a client or a stack keeps them.
private struct KeptPolicies<Policy: AnyObject & Sendable>: OriginPolicy {
    let policies: PerOrigin<Policy>
    let states: StatesByOrigin<Policy>
    let place: @Sendable (HTTPOrigin?) -> PolicyPlace
    let watch: @Sendable (any AnyObject & Sendable) -> Void

    func policy(of origin: HTTPOrigin?) -> Policy {
        states.state(of: origin, keeping: policies.limit) {
            let sample = policies.sample(origin)
            let policy =
                (sample as? any RenewablePolicy)?.renewed(in: place(origin)) as? Policy ?? sample
            watch(policy)
            return policy
        }
    }
}

extension OriginPolicy {
    /// Returns the policy for a client or a stack, which keeps the objects of a ``PerOrigin``.
    ///
    /// - Parameters:
    ///   - states: Keeps the objects.
    ///   - place: Returns what the client or the stack decides about an origin's object.
    ///   - watch: Called with each new object.
    func kept(
        in states: StatesByOrigin<Policy>,
        place: @escaping @Sendable (HTTPOrigin?) -> PolicyPlace,
        watch: @escaping @Sendable (any AnyObject & Sendable) -> Void = { _ in }
    ) -> any OriginPolicy<Policy> {
        guard let each = self as? PerOrigin<Policy> else { return self }
        return KeptPolicies(policies: each, states: states, place: place, watch: watch)
    }
}

extension OriginPolicy {
    /// An object for each origin, with the settings of another object.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of origins with an object. Less than one is a programming error and traps.
    ///   - policy: An object with the settings.
    public static func perOrigin<P>(
        origins limit: Int = 1_000, _ policy: P
    ) -> PerOrigin<P> where Self == PerOrigin<P> {
        PerOrigin(limit) { _ in policy }
    }

    /// An object for each origin, with the settings that a function chooses.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of origins with an object. Less than one is a programming error and traps.
    ///   - make: Returns an object with an origin's settings. Called on a caller's thread, while no lock is held. If
    ///     several threads make an object for one origin at the same time, one of these objects is kept.
    public static func perOrigin<P>(
        origins limit: Int = 1_000, _ make: @escaping @Sendable (HTTPOrigin?) -> P
    ) -> PerOrigin<P> where Self == PerOrigin<P> {
        PerOrigin(limit) { make($0) }
    }
}

extension OriginPolicy {
    /// Says nothing of the settings.
    @available(
        *, unavailable, message: "say the settings, such as .perOrigin(CircuitBreaker())"
    )
    public static func perOrigin<P>() -> PerOrigin<P> where Self == PerOrigin<P> {
        fatalError("unavailable")
    }
}
