import Foundation
import HTTPTestSupport
import PledgeFutures
import PledgeHTTPNetworking
import PledgeServices
import TestSupport

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
            return outcome.isFailure != (error is CancellationError || error is AttemptSuperseded)
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
