public import PledgeFutures

extension Middleware {
    /// Refuses some of the calls to a service that is overloaded: the more of them it fails, the more.
    ///
    /// ```swift
    /// let throttle = AdaptiveThrottle(named: "shop")
    /// let api = stack(.throttle(sharing: throttle), .timeout(.seconds(2)), over: transport)
    /// ```
    ///
    /// A refused call fails at once, on the caller's thread, with ``ServiceError/Code/throttled``. All other
    /// calls pass, on the caller's thread, and their results are returned unchanged.
    ///
    /// - Parameters:
    ///   - throttle: The throttle, shared by all stacks that call the service.
    ///   - classifier: Assesses the end of a call. An end that says nothing about the service's health is not
    ///     counted.
    public static func throttle(
        sharing throttle: AdaptiveThrottle, classifier: Classifier<Output> = .standard
    ) -> Middleware {
        Middleware(named: AdaptiveThrottle.policy, isIdle: { throttle.isIdle }) { service in
            { input in throttle.call(service, input, classifier: classifier) }
        }
    }
}

/// Refuses a share of the calls to a service, which depends on the share of the last calls that it accepted.
///
/// ```swift
/// let throttle = AdaptiveThrottle(named: "shop")
/// let products = stack(.throttle(sharing: throttle), over: loadProduct)
/// let prices = stack(.throttle(sharing: throttle), over: loadPrice)
/// ```
///
/// An overloaded service spends time on refusing calls as well. A client that makes fewer of them leaves more of
/// that time for the rest, and needs no word from the service or from other clients. A circuit breaker
/// allows all calls or none; a throttle lets a share pass, which changes with each call that ends.
///
/// A call is accepted if its end shows that the service is healthy (``Outcome/health``), which includes an
/// answer that rejects the request. Ends that show nothing are not counted: a call that is given up, a refusal by
/// another policy, the end of the caller's own time. Calls in flight are not counted either.
///
/// Some calls always pass, so that a service that has recovered is noticed: the probability of a refusal is
/// at most `maxProbability`. With few calls chance would decide, so all calls pass below `minimumRate`.
///
/// Make one for each service, and pass it to every stack that calls it. It may be used from any thread; a call
/// takes a lock for constant time when it begins, when it is refused, and when it ends. (Beyer et al., "Site
/// Reliability Engineering", chapter 21; Envoy, "Admission control".)
public final class AdaptiveThrottle {
    /// The name in its events and errors; nil if it has none.
    public let name: String?

    /// How likely the next call is refused: 0…1.
    public var probability: Double {
        let now = scheduler.now
        return machine.withLock { $0.odds(at: now) }.probability
    }

    /// Makes a throttle that has counted no calls.
    ///
    /// A value outside the bounds named here is a programming error and traps.
    ///
    /// - Parameters:
    ///   - name: The name in its events and errors; nil for none. It must hold no secrets.
    ///   - rule: How likely a call is refused.
    ///   - maxProbability: The largest probability of a refusal; 0…1. With 1 a service that fails
    ///     everything may be called only when its failures have left the window.
    ///   - minimumRate: How many calls a second there have to be for any to be refused, over the last ten seconds,
    ///     refused calls included; 0…1,000,000.
    ///   - scheduler: The clock. Nothing is scheduled.
    ///   - random: Draws one number for each call that may be refused.
    public init(
        named name: String? = nil, rule: ThrottleRule = .acceptMultiplier(),
        maxProbability: Double = 0.8, minimumRate: Int = 5,
        on scheduler: some Scheduler = .live, random: RandomSource = .system
    ) {
        precondition(
            (0...1).contains(maxProbability),
            "a throttle needs a maxProbability in 0...1, not \(maxProbability)")
        precondition(
            (0...1_000_000).contains(minimumRate),
            "a throttle needs a minimumRate in 0...1000000, not \(minimumRate)")
        machine = Locked(
            AdaptiveThrottleMachine(
                rule, maxProbability: maxProbability, minimumRate: minimumRate))
        self.name = name
        self.scheduler = scheduler
        self.random = random
    }

    private let machine: Locked<AdaptiveThrottleMachine>
    private let scheduler: any Scheduler
    private let random: RandomSource
}

extension AdaptiveThrottle {
    /// Whether it has the same state as a new one.
    fileprivate var isIdle: Bool {
        let now = scheduler.now
        return machine.withLock { $0.isIdle(at: now) }
    }

    fileprivate func call<Input: Sendable, Output: Sendable>(
        _ service: Service<Input, Output>, _ input: Input, classifier: Classifier<Output>
    ) -> Future<Output> {
        let now = scheduler.now
        let odds = machine.withLock { $0.enter(at: now) }
        // The source may be the user's, which must not be called under a lock.
        if !odds.isZero, odds.refuses(random.fraction()) { return refuse(at: now) }
        let future = service(input)
        if classifier.isPlainSuccess(future) {
            end(with: .healthy)
            return future
        }
        return followLater(future, classifier)
    }

    private func refuse<Output: Sendable>(at now: SchedulerInstant) -> Future<Output> {
        machine.withLock { $0.refuse(at: now) }
        let error = ServiceError(.throttled, policy: Self.policy, policyName: name)
        CallContext.current.report(.refused(error), by: Self.policy, named: name)
        return Future(error: error)
    }

    /// The path of calls that are pending, or have failed.
    ///
    /// A separate function, as in ``CircuitBreaker``: it looks up generic types at run time.
    @inline(never)
    private func followLater<Output: Sendable>(
        _ future: Future<Output>, _ classifier: Classifier<Output>
    ) -> Future<Output> {
        future.atEnd(with: { result in self.end(with: classifier(result).health) })
    }

    private func end(with health: Outcome.Health) {
        guard health != .unknown else { return }
        let now = scheduler.now
        machine.withLock { $0.end(isAccepted: health == .healthy, at: now) }
    }
}

extension AdaptiveThrottle: Sendable {}
