public import PledgeFutures

extension Middleware {
    /// Injects faults on purpose, to show how the policies around handle them.
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
    /// Put it innermost, where real faults come from. All faults of a call are chosen when it begins: each
    /// draws one number in the order in which they are named, and a latency that happens draws one more. With
    /// a seeded source, sequential calls get the same faults each time.
    ///
    /// Latencies add up, and pass before anything else; the call is then made on the scheduler's
    /// thread. The first failure that happens is used; the service is then not called. Alterations
    /// follow each other, on the result of the one before. Cancelling the future ends the wait or
    /// cancels the call. A latency is not cut to the call's deadline; a timeout further out is.
    ///
    /// - Parameters:
    ///   - faults: The possible faults.
    ///   - chaosSwitch: Turns all faults off; no number is drawn then. Without a switch, they are always on.
    ///   - scheduler: The clock of the latencies.
    ///   - random: The source of the choice.
    public static func chaos(
        _ faults: ChaosFault<Output>..., sharing chaosSwitch: ChaosSwitch? = nil,
        on scheduler: some Scheduler = .live, random: RandomSource = .system
    ) -> Middleware {
        .chaos(faults, sharing: chaosSwitch, on: scheduler, random: random)
    }

    /// The same with a list of faults.
    package static func chaos(
        _ faults: [ChaosFault<Output>], sharing chaosSwitch: ChaosSwitch?,
        on scheduler: some Scheduler, random: RandomSource
    ) -> Middleware {
        let chaos = Chaos(
            faults: faults, chaosSwitch: chaosSwitch, scheduler: scheduler, random: random)
        return Middleware(named: "chaos") { service in { input in chaos.call(service, input) } }
    }
}

/// The state that all calls through one chaos share.
struct Chaos<Output: Sendable>: Sendable {
    static var policy: String { "chaos" }

    let faults: [ChaosFault<Output>]
    let chaosSwitch: ChaosSwitch?
    let scheduler: any Scheduler
    let random: RandomSource

    func call<Input: Sendable>(
        _ service: @escaping Service<Input, Output>, _ input: Input
    ) -> Future<Output> {
        guard chaosSwitch?.isOn ?? true else { return service(input) }
        let plan = ChaosPlan(of: faults, random: random)
        let context = CallContext.current
        guard plan.latency > .zero else { return go(on: plan, in: context, service, input) }
        context.report(.injectedLatency(plan.latency), by: Self.policy, named: chaosSwitch?.name)
        let caller = KeptCaller(context)
        return Future<Void>(value: ()).delay(plan.latency, on: scheduler)
            .flatMap { caller.run { go(on: plan, in: context, service, input) } }
    }

    /// Makes the call after the latency.
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
