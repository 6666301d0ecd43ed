import Foundation
import PledgeComposition
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices
import TestSupport

/// A few calls through a random stack of HTTP middleware to a random server, all derived from one number.
final class OrderScript: Sendable {
    /// A call: its request, its end, and the time of its end.
    struct Call: Sendable {
        let request: OrderRequest
        var begun = Duration.zero
        var future: Future<HTTPResponse?>?
        var ends: [(result: Result<HTTPResponse?, any Error>, instant: Duration)] = []
        var isCancelled = false
    }

    let seed: UInt64
    let layers: [OrderedLayer]
    let scheduler = ManualScheduler()
    let server: OrderServer
    let watch = OrderWatch()
    let calls: Locked<[Call]>
    let recorder = CallRecorder(calls: 2)
    let metrics = ServiceMetrics()
    let isObserved: Bool
    /// The maximum time of a call; nil if the outermost layers have no limit.
    let limit: Duration?
    /// The layers that may repeat calls, outermost first.
    let loads: [OrderLoad]
    /// The minimum wait of each retry for which the service asks for a wait.
    let firstSteps: [Duration]
    /// The way in which the stack is called.
    let form: OrderForm
    private let service: @Sendable (Int) -> Future<HTTPResponse?>
    private let plan: [(start: Duration, cancel: Duration?)]

    init(seed: UInt64) {
        self.seed = seed
        var dice = SeededGenerator(seed: seed)
        let secrets = OrderSecrets(seed: dice.next())
        var layers = OrderedLayer.draw(&dice)
        let behaviour = OrderBehaviour.draw(&dice)
        behaviour.complete(&layers, &dice)
        self.layers = layers
        server = OrderServer(behaviour, on: scheduler, secrets, dice: &dice)
        let requests = OrderRequest.draw(for: behaviour, &dice, secrets)
        calls = Locked(requests.map { Call(request: $0) })
        isObserved = Int.random(in: 0..<4, using: &dice) > 0
        var site = OrderSite(scheduler: scheduler, server: server, watch: watch, dice: dice)
        form = OrderForm.draw(&site, isTransport: server.isTransport)
        let observers = [watch.outermost, recorder.observer, metrics.observer]
        service = form.service(
            layers, requests, &site, observers: isObserved ? observers : [])
        limit = Self.limit(of: layers, site.limits)
        (loads, firstSteps) = (site.loads, site.firstSteps)
        plan = requests.indices.map { call in
            var start = site.milliseconds(0...3_000)
            // Tokens are valid for at most 20 s.
            if case .confirming = behaviour { start += .seconds(call * 20) }
            let isGivenUp = site.number(0...9) == 0
            return (start, isGivenUp ? start + site.milliseconds(0...500) : nil)
        }
    }

    var name: String {
        "seed \(seed): \(layers.map(\.rawValue).joined(separator: ", ")); \(form), "
            + (server.isTransport ? "transport" : "user's transport")
            + (server.isHealthy ? ", healthy" : "") + (isObserved ? ", observed" : "")
            + ", \(server.behaviour)"
    }

    /// The events, line by line: the same seed gives the same lines.
    var transcript: [String] { server.state.withLock { $0.transcript } + watch.lines }

    /// Makes the calls, and runs until they end.
    ///
    /// - Returns: The violations of the invariants.
    func go() -> [OrderFault] {
        for (index, plan) in plan.enumerated() {
            scheduler.schedule(after: plan.start) { self.begin(index) }
            if let cancel = plan.cancel {
                scheduler.schedule(after: cancel) { self.cancel(index) }
            }
        }
        scheduler.advance(by: .seconds(3_600))
        return faults().filter { !ExceptedPair.explain($0, in: layers) }
    }

    private func begin(_ index: Int) {
        calls.withLock { $0[index].begun = scheduler.now.offset }
        let future = watch.begin(index) { service(index) }
        calls.withLock { $0[index].future = future }
        future.observe { result in
            self.calls.withLock { $0[index].ends.append((result, self.scheduler.now.offset)) }
            self.checkBreakers()
        }
    }

    private func cancel(_ index: Int) {
        let future = calls.withLock { calls in
            calls[index].isCancelled = calls[index].future != nil
            return calls[index].future
        }
        future?.cancel()
    }

    /// The first limit above all layers that take time.
    private static func limit(of layers: [OrderedLayer], _ limits: [Duration?]) -> Duration? {
        let index = layers.firstIndex { !$0.takesNoTime }
        return index.flatMap { limits[$0] }
    }
}
