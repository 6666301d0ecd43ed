public import PledgeFutures
import Synchronization

extension Middleware {
    /// Injects faults on purpose, to show how the surrounding policies handle them.
    ///
    /// ```swift
    /// let chaos = ChaosSwitch(isOn: isTestBuild)
    /// let api = stack(
    ///     .retry(),
    ///     .chaos(
    ///         .latency(.milliseconds(100) ... .seconds(2), probability: 0.1),
    ///         .failure(probability: 0.05), sharing: chaos),
    ///     over: transport)
    /// ```
    ///
    /// Put it innermost, where real faults come from. All faults of a call are chosen when the call starts. Each fault
    /// draws one number, in the order of the arguments, and a latency that occurs draws one more. With a seeded source,
    /// sequential calls get the same faults in every run.
    ///
    /// Latencies add up. They pass first, and then the call starts on the scheduler's thread. If several failures
    /// occur, the first one is used, and the service isn't called. Alterations run one after the other, each on the
    /// previous one's result. Cancelling the future ends the wait or cancels the call. If a latency would last until
    /// the call's deadline or longer, the call fails at the deadline, with ``ServiceError/Code/deadlineExceeded``, and
    /// the service isn't called.
    ///
    /// - Parameters:
    ///   - faults: The possible faults.
    ///   - chaosSwitch: Turns all faults on or off; while they are off, no number is drawn. Without a switch, the
    ///     faults are always on.
    ///   - scheduler: The clock for the latencies.
    ///   - random: The source of randomness that chooses the faults.
    public static func chaos(
        _ faults: ChaosFault<Output>..., sharing chaosSwitch: ChaosSwitch? = nil,
        on scheduler: some FutureScheduler = .live, random: RandomSource = .system
    ) -> Middleware {
        .chaos(faults, sharing: chaosSwitch, on: scheduler, random: random)
    }

    /// Injects the faults of a list.
    package static func chaos(
        _ faults: [ChaosFault<Output>], sharing chaosSwitch: ChaosSwitch?,
        on scheduler: some FutureScheduler, random: RandomSource
    ) -> Middleware {
        let chaos = Chaos(
            faults: faults, chaosSwitch: chaosSwitch, scheduler: scheduler, random: random)
        return Middleware(named: "chaos") { service in { input in chaos.call(service, input) } }
    }
}

/// The state shared by all calls through one chaos middleware.
struct Chaos<Output: Sendable>: Sendable {
    static var policy: String { "chaos" }

    let faults: [ChaosFault<Output>]
    let chaosSwitch: ChaosSwitch?
    let scheduler: any FutureScheduler
    let random: RandomSource

    func call<Input: Sendable>(
        _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        guard chaosSwitch?.isOn ?? true else { return service(input) }
        let plan = ChaosPlan(of: faults, random: random)
        let context = CallContext.current
        guard plan.latency > .zero else { return go(on: plan, in: context, service, input) }
        context.report(.injectedLatency(plan.latency), by: Self.policy, named: chaosSwitch?.name)
        if let left = context.remaining, left <= plan.latency {
            return failAtDeadline(input, after: max(left, .zero), in: context)
        }
        let caller = CallerContext(keeping: context)
        return Future<Void>(value: ()).delay(plan.latency, on: scheduler)
            .flatMap { caller.run { go(on: plan, in: context, service, input) } }
    }

    /// Fails a call at its deadline, which comes before the end of its latency.
    private func failAtDeadline<Input: Sendable>(
        _ input: Input, after time: Duration, in context: CallContext
    ) -> Future<Output> {
        let error = ServiceError(
            .deadlineExceeded, policy: Self.policy, policyName: chaosSwitch?.name, limit: time,
            subject: loggedName(of: input))
        return Future<Void>(value: ()).delay(time, on: scheduler).flatMap {
            context.report(.timedOut(after: time), by: Self.policy, named: chaosSwitch?.name)
            return Future(error: error)
        }
    }

    /// Continues a call after its latency.
    private func go<Input: Sendable>(
        on plan: ChaosPlan, in context: CallContext, _ service: Service<Input, Output>,
        _ input: Input
    ) -> Future<Output> {
        if let index = plan.failure, case .failure(let error) = faults[index].kind {
            context.report(.injectedOutcome, by: Self.policy, named: chaosSwitch?.name)
            return Future(error: error)
        }
        let future = context.run { service(input) }
        if plan.alterations.isEmpty { return future }
        if let result = future.result { return alter(result, by: plan, in: context) }
        return future.flatMapSomeResults { result in alter(result, by: plan, in: context) }
    }

    private func alter(
        _ result: Result<Output, any Error>, by plan: ChaosPlan, in context: CallContext
    ) -> Future<Output> {
        var result = result
        for index in plan.alterations {
            guard case .outcome(let alter) = faults[index].kind else { continue }
            context.report(.injectedOutcome, by: Self.policy, named: chaosSwitch?.name)
            let before = result
            result = Result { try context.run { try alter(before) } }
        }
        switch result {
        case .success(let value): return Future(value: value)
        case .failure(let error): return Future(error: error)
        }
    }
}

/// A fault that ``Middleware/chaos(_:sharing:on:random:)`` injects, with its probability.
///
/// A probability is in 0…1, from never to always. Anything else is a programming error and traps.
public struct ChaosFault<Output: Sendable>: Sendable {
    enum Kind: Sendable {
        case latency(from: Duration, span: Duration)
        case failure(any Error)
        case outcome(@Sendable (Result<Output, any Error>) throws -> Output)
    }

    let kind: Kind
    let probability: Double

    private init(_ kind: Kind, probability: Double) {
        precondition(
            (0...1).contains(probability),
            "chaos needs a probability in 0...1, not \(probability)")
        self.kind = kind
        self.probability = probability
    }
}

extension ChaosFault {
    /// Delays the call, for a time chosen uniformly from a range.
    ///
    /// - Parameters:
    ///   - range: The shortest and the longest delay, with a resolution of a nanosecond. Less than zero is a
    ///     programming error and traps.
    ///   - probability: The probability of the fault.
    public static func latency(
        _ range: ClosedRange<Duration>, probability: Double
    ) -> ChaosFault {
        precondition(
            range.lowerBound >= .zero,
            "chaos needs a latency of zero or more, not \(range.lowerBound)")
        let span = range.upperBound - range.lowerBound
        return ChaosFault(.latency(from: range.lowerBound, span: span), probability: probability)
    }

    /// Delays the call, always for the same time.
    ///
    /// - Parameters:
    ///   - latency: The delay. Less than zero is a programming error and traps.
    ///   - probability: The probability of the fault.
    public static func latency(_ latency: Duration, probability: Double) -> ChaosFault {
        .latency(latency...latency, probability: probability)
    }

    /// Fails the call, without calling the service.
    ///
    /// - Parameters:
    ///   - error: The error. For the standard classifier, the default error is retryable.
    ///   - probability: The probability of the fault.
    public static func failure(
        _ error: any Error = ServiceError(.injected, policy: "chaos"), probability: Double
    ) -> ChaosFault {
        ChaosFault(.failure(error), probability: probability)
    }

    /// Calls the service, and alters the outcome.
    ///
    /// ```swift
    /// .outcome(probability: 0.01) { result in try result.get().prefix(10) }
    /// ```
    ///
    /// - Parameters:
    ///   - probability: The probability of the fault.
    ///   - alter: Takes the result, and returns or throws the new one. Called on the thread that settled the call; not
    ///     called if the caller has cancelled.
    public static func outcome(
        probability: Double,
        _ alter: @escaping @Sendable (Result<Output, any Error>) throws -> Output
    ) -> ChaosFault {
        ChaosFault(.outcome(alter), probability: probability)
    }
}

/// Turns the faults of ``Middleware/chaos(_:sharing:on:random:)`` on and off while the program runs.
///
/// ```swift
/// let chaos = ChaosSwitch(isOn: false)
/// let api = stack(.chaos(.failure(probability: 0.1), sharing: chaos), over: transport)
/// chaos.isOn = true
/// ```
///
/// Several stacks may share a switch. You can read and set it from any thread; a call that has started keeps the faults
/// chosen for it.
public final class ChaosSwitch: Sendable {
    /// The name in events and errors; nil for none.
    package let name: String?

    /// True if faults are injected.
    public var isOn: Bool {
        get { state.load(ordering: .relaxed) }
        set { state.store(newValue, ordering: .relaxed) }
    }

    /// Creates a switch.
    ///
    /// - Parameters:
    ///   - name: The name in events and errors; nil for none. It must hold no secrets.
    ///   - isOn: True if faults are injected from the start.
    public init(named name: String? = nil, isOn: Bool) {
        self.name = name
        state = Atomic(isOn)
    }

    private let state: Atomic<Bool>
}

/// The faults of one call, chosen at random when it starts.
struct ChaosPlan: Equatable, Sendable {
    private(set) var latency = Duration.zero
    /// The index of the fault that fails the call; the first one, if several occur.
    private(set) var failure: Int?
    /// The indices of the faults that alter the outcome.
    private(set) var alterations: [Int] = []

    /// Chooses the faults of a call.
    ///
    /// Each fault draws one number, even if its probability is zero, and a latency that occurs draws one more. So the
    /// choice depends only on the faults and the numbers. Latencies add up.
    ///
    /// - Parameters:
    ///   - faults: The faults, in the order in which they draw.
    ///   - random: The source of the numbers.
    init<Output>(of faults: [ChaosFault<Output>], random: RandomSource) {
        for (index, fault) in faults.enumerated()
        where random.happens(withProbability: fault.probability) {
            switch fault.kind {
            case .latency(let least, let span):
                latency += least + .uniform(upTo: span, bits: random.next())
            case .failure: failure = failure ?? index
            case .outcome: alterations.append(index)
            }
        }
    }
}
