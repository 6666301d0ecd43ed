import Foundation
import HTTPTestSupport
import PledgeComposition
import PledgeFutures
import PledgeHTTPAuthentication
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeObservation
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

/// The invariants of every order.
extension OrderScript {
    func faults() -> [OrderFault] {
        var faults = server.state.withLock { state in
            state.faults
                + state.processed.filter { $0.value > 1 }.map {
                    OrderFault(.processedOnce, "call \($0.key) was processed \($0.value) times")
                }
        }
        faults += watch.repeatedMistakes.map { OrderFault(.mistakesAreNotRepeated, $0) }
        checkBreakers(&faults)
        for (index, call) in calls.withLock({ $0 }).enumerated() {
            faults += timeFaults(of: call).map {
                OrderFault(.everyCallEndsInTime, "call \(index) \($0)")
            }
            guard let result = call.ends.first?.result else { continue }
            if isObserved { faults += countFaults(of: index, result) }
            if isUnfollowed(result, call) {
                faults.append(OrderFault(.redirectsAreFollowed, "call \(index): \(result)"))
            }
        }
        if !scheduler.isIdle {
            faults.append(OrderFault(.everyCallEndsInTime, "something is scheduled in the end"))
        }
        return faults + loadFaults() + shownSecrets()
    }

    private func timeFaults(of call: Call) -> [String] {
        guard let end = call.ends.first, call.ends.count == 1 else {
            return ["ended \(call.ends.count) times"]
        }
        var faults: [String] = []
        if case .failure(let error) = end.result, error is CancellationError, !call.isCancelled {
            faults.append("was cancelled by nobody")
        }
        let time = end.instant - call.begun
        if let limit, time > limit { faults.append("took \(time), and \(limit) was allowed") }
        return faults
    }

    /// Whether a call ends with a redirect although a layer follows redirects, above or beneath the layer
    /// that makes an error of it.
    private func isUnfollowed(_ result: Result<HTTPResponse?, any Error>, _ call: Call) -> Bool {
        if case .once = call.request.body { return false }
        return layers.contains(.redirect)
            && [301, 302, 303, 307, 308].contains(Self.status(of: result))
    }

    /// The status with which a call ended, including the status of an error.
    static func status(of result: Result<HTTPResponse?, any Error>) -> Int? {
        switch result {
        case .success(let response): response?.status
        case .failure(let error as HTTPError) where error.code == .unacceptableStatus:
            error.status
        case .failure: nil
        }
    }

    /// Breakers may be open only if there was a reason.
    private func checkBreakers(_ faults: inout [OrderFault]) {
        guard watch.openBreakers > 0, server.state.withLock({ $0.evidence }) == 0 else { return }
        faults.append(OrderFault(.breakersOpenByEvidence, "a breaker is open without a reason"))
    }

    func checkBreakers() {
        var faults: [OrderFault] = []
        checkBreakers(&faults)
        if !faults.isEmpty { server.state.withLock { $0.faults += faults } }
    }

    private func countFaults(
        of index: Int, _ result: Result<HTTPResponse?, any Error>
    ) -> [OrderFault] {
        let told = watch.ends[index] ?? []
        guard told.count == 1, told.allSatisfy({ Self.isRight($0, for: result) }) else {
            return [
                OrderFault(
                    .observersCountWhatCallersSee,
                    "call \(index) ended with \(result), and observers were told \(told)")
            ]
        }
        return []
    }

    /// Whether an outcome in the events is the one that the caller got.
    private static func isRight(
        _ outcome: Outcome, for result: Result<HTTPResponse?, any Error>
    ) -> Bool {
        switch result {
        case .success(nil): return outcome == .success
        case .success(let response?):
            let isAgain =
                [408, 421, 425, 429, 500, 502, 503, 504].contains(response.status)
                || response.status == 413 && response.headers["Retry-After"] != nil
            return outcome.isFailure == isAgain && (isAgain || outcome == .success)
        case .failure(let error):
            return outcome.isFailure
                != (error is CancellationError || (error as? ServiceError)?.code == .superseded)
                && !outcome.isSuccess
        }
    }
}

// MARK: - Secrets

extension OrderScript {
    private func shownSecrets() -> [OrderFault] {
        var texts = watch.texts.map { ("a log's line", $0) } + watch.lines.map { ("an event", $0) }
        if isObserved {
            texts.append(("metrics", metrics.prometheusText))
            texts.append(("a trace", recorder.chromeTrace))
            texts += recorder.calls.map { ("a waterfall", $0.waterfall()) }
        }
        for (index, call) in calls.withLock({ $0 }).enumerated() {
            switch call.ends.first?.result {
            case .failure(let error): texts += self.texts(of: error, ofCall: index)
            case .success(let response?) where response.request != nil:
                texts.append(("a response", "\(response)"))
            default: break
            }
        }
        return texts.flatMap { kind, text in
            server.secrets.places(in: text).map {
                OrderFault(.secretsAreNotShown, "\($0) in \(kind): \(text)")
            }
        }
    }

    /// The texts of an error and its command.
    ///
    /// A short run uses one of the texts, another one for each call: all texts of each error would double the
    /// time.
    private func texts(of error: any Error, ofCall call: Int) -> [(String, String)] {
        let one = (Int(seed % 4) + call) % 4
        let kinds = Self.showsAllTexts ? Self.kinds[...] : Self.kinds[one...one]
        let command = (error as? HTTPError)?.curlCommand.map { ("a command", $0) }
        return kinds.map { ($0, $1(error)) } + (command.map { [$0] } ?? [])
    }

    private static let showsAllTexts = orderCount() > 5_000

    private static let kinds: [(String, @Sendable (any Error) -> String)] = [
        ("a description", { String(describing: $0) }),
        ("a debug description", { String(reflecting: $0) }),
        ("a localized description", { $0.localizedDescription }),
        (
            "a dump",
            { error in
                var text = ""
                dump(error, to: &text)
                return text
            }
        ),
    ]
}

/// The invariants of the number of requests, for server behaviours that determine it.
extension OrderScript {
    func loadFaults() -> [OrderFault] {
        switch server.behaviour {
        case .random: []
        case .down(let answer): countFaults() + waitFaults(after: answer)
        case .confirming: storageFaults() + renewalFaults()
        }
    }

    /// The budgets limit the number of requests to a service that is down.
    private func countFaults() -> [OrderFault] {
        let arrivals = server.state.withLock { $0.arrivals }
        let calls = Double(calls.withLock { $0.count })
        var most = loads.reduce(calls) { $1.most(of: $0) }
        if case .twice = form { most *= 2 }
        guard Double(arrivals.count) > most else { return [] }
        return [
            OrderFault(
                .repetitionsAreBounded,
                "\(calls) calls made \(arrivals.count) requests, and \(most) are allowed")
        ]
    }

    /// A retry waits as long as the service asks, at least the first step of its backoff, and up to a tenth
    /// longer.
    private func waitFaults(after answer: OrderAnswer) -> [OrderFault] {
        guard case .status(_, let delay?) = answer, let first = firstSteps.min(),
            // A layer above one of these may repeat a call before it has the server's answer.
            !layers.contains(where: { [.hedge, .timeout, .deadline].contains($0) })
        else { return [] }
        var last: [String: Duration] = [:]
        var waits: [Duration] = []
        for arrival in server.state.withLock({ $0.arrivals }) {
            guard let call = arrival.call else { continue }
            if let last = last[call] { waits.append(arrival.instant - last) }
            last[call] = arrival.instant
        }
        let least = max(.seconds(delay), first)
        var faults = waits.filter { $0 < least }.map {
            OrderFault(.repetitionsWait, "an attempt came \($0) after one, \(least) is the least")
        }
        if least > .zero, waits.count >= 5, Set(waits).count == 1 {
            faults.append(OrderFault(.repetitionsWait, "all attempts came \(waits[0]) after one"))
        }
        return faults
    }

    /// If new tokens are available, no call ends with the 401 for an old token.
    private func renewalFaults() -> [OrderFault] {
        calls.withLock { $0 }.compactMap { $0.ends.first?.result }
            .filter { Self.status(of: $0) == 401 }
            .map { OrderFault(.refusedTokensAreRenewed, "a call ended with \($0)") }
    }

    /// A new token does not invalidate the cache: the server sends one full answer, and then confirms it.
    private func storageFaults() -> [OrderFault] {
        guard let cache = layers.lastIndex(of: .cache),
            // A fallback gives its own answer if acceptStatus has made an error of a 304.
            !layers[cache...].contains(.fallback)
        else { return [] }
        let given = calls.withLock { $0 }.compactMap { $0.ends.first?.result }
            .filter { Self.status(of: $0) == 304 }
            .map { OrderFault(.storedAnswersAreUsed, "a call ended with \($0)") }
        return given
            + server.state.withLock { $0.fullAnswers }.filter { $0.value > 1 }.map {
                OrderFault(
                    .storedAnswersAreUsed, "\($0.key) was answered in full \($0.value) times")
            }
    }
}
