public import PledgeFutures
public import PledgeHTTPMessages
public import PledgeServices

extension Middleware where Input == HTTPRequest, Output: HTTPResponseHead {
    /// Injects the fault that a request's header asks for, so that a tester can choose which call fails.
    ///
    /// ```swift
    /// let service = stack(.retry(), .chaos(byHeader: "X-Chaos", sharing: chaos), over: transport.send)
    /// // A request with "X-Chaos: delay=200, status=503" waits for 200 milliseconds, and gets a 503.
    /// ```
    ///
    /// The header's value has one or two parts: `delay=` with a number of milliseconds, at most a day, and
    /// `status=` with a status from 400 to 599.
    ///
    /// If the value has a status, the request isn't sent. The call fails with an `HTTPError`, whose code is
    /// `HTTPError.Code.unacceptableStatus` and whose response is empty. A retry and a breaker treat this error as if
    /// a server had sent the status. If the value has no status, the request is sent after the delay. The header itself
    /// is never sent. If the value is malformed, the call fails with `HTTPError.Code.requestNotPrepared`.
    ///
    /// Put this middleware last in the stack, next to the transport. Anyone who can set the header can make calls fail.
    /// So use a switch, and don't forward headers from strangers.
    ///
    /// - Parameters:
    ///   - header: The header's name.
    ///   - chaosSwitch: While it is off, the header is removed and ignored. Without a switch, the header always
    ///     works.
    ///   - scheduler: The clock for the delays.
    public static func chaos(
        byHeader header: String, sharing chaosSwitch: ChaosSwitch? = nil,
        on scheduler: some FutureScheduler = .live
    ) -> Middleware {
        Middleware(changing: "chaos") { next in
            { request in
                guard let text = request.headers[header] else { return next(request) }
                var sent = request
                sent.headers.remove(header)
                guard chaosSwitch?.isOn ?? true else { return next(sent) }
                let fault: HeaderFault
                do { fault = try HeaderFault(text) } catch {
                    return Future(
                        error: HTTPError(code: .requestNotPrepared, request: sent, cause: error))
                }
                let chaos = Middleware.chaos(
                    fault.faults(of: sent), sharing: chaosSwitch, on: scheduler,
                    random: .constant(0))
                return chaos.wrap(next)(sent)
            }
        }
    }
}

/// The error for a chaos header whose value is malformed.
package struct ChaosHeaderError: Error, Hashable {}

extension ChaosHeaderError: CallerError {
    /// Always true, because the request was not sent.
    package var isCertainlyUnsent: Bool { true }
}

extension ChaosHeaderError: CustomStringConvertible {
    /// The form that the header needs.
    package var description: String {
        "the header for chaos needs a form like \"delay=200, status=503\", in milliseconds and 400...599"
    }
}

/// The fault that a chaos header asks for.
private struct HeaderFault {
    var delay: Duration?
    var status: Int?

    init(_ text: String) throws(ChaosHeaderError) {
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let words = part.split(separator: "=", omittingEmptySubsequences: false)
                .map { $0.filter { $0 != " " } }
            guard words.count == 2, let number = Int(words[1]), words[1].allSatisfy(\.isNumber)
            else { throw ChaosHeaderError() }
            switch words[0] {
            case "delay" where delay == nil && number <= 86_400_000:
                delay = .milliseconds(number)
            case "status" where status == nil && (400...599).contains(number): status = number
            default: throw ChaosHeaderError()
            }
        }
    }

    /// The faults to inject, each with probability one.
    func faults<Output>(of request: HTTPRequest) -> [ChaosFault<Output>] {
        let failure = status.map { status in
            HTTPError(
                code: .unacceptableStatus, request: request,
                response: HTTPResponse(status: status, url: request.url, request: request))
        }
        return [
            delay.map { .latency($0, probability: 1) },
            failure.map { .failure($0, probability: 1) },
        ].compactMap { $0 }
    }
}
