#if os(Linux)
import Foundation
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit
import PledgeServices
import TestSupport
import Testing

extension NetworkCheck {
    /// Requires that each check fails for a transport with a fault that the check is there to find.
    ///
    /// They run side by side, since most of their time is waiting.
    ///
    /// - Parameters:
    ///   - includesTLS: Whether the transport can trust the authority of a check.
    ///   - make: Makes a transport without a fault.
    package static func findPlantedFaults(
        includesTLS: Bool = true, making make: @escaping Maker
    ) async {
        await withTaskGroup { group in
            for check in all where includesTLS || !check.needsTLS {
                guard let fault = faults[check.name] else {
                    Issue.record("no fault is planted for \(check.name)")
                    continue
                }
                group.addTask {
                    await check.run(
                        making: { try fault(make($0)) },
                        differences: [check.name: .differs("a planted fault")])
                }
            }
        }
    }

    private static let faults: [String: @Sendable (any HTTPTransport) -> any HTTPTransport] = [
        "silent flow": { OneByOne(base: $0) },
        "silent answers": { WithoutDeadline(base: $0) },
        "silent HTTP/2 flow": { OneByOne(base: $0) },
        "silent accept": { OneByOne(base: $0) },
        "silent handshake": { OneByOne(base: $0) },
        "dead address": { OneByOne(base: $0) },
        "dead first address": { FirstAddress(base: $0) },
        "moved name": { FirstAddress(base: $0) },
        "moved silently": { FirstAddress(base: $0) },
        "half-open GET": { EverythingPosted(base: $0) },
        "half-open POST": { EverythingRepeated(base: $0) },
        "forgotten answer": { EverythingRepeated(base: $0) },
        "reset in a body, length": { ShortBodies(base: $0) },
        "reset in a body, chunked": { ShortBodies(base: $0) },
        "reset in a streamed body, length": { ShortBodies(base: $0) },
        "reset in a streamed body, chunked": { ShortBodies(base: $0) },
    ]
}

/// Has one connection, on which calls wait for each other, even for one that nobody waits for any more.
private final class OneByOne: HTTPTransport {
    let base: any HTTPTransport
    private let last = Locked<Future<Void>>(Future(value: ()))

    init(base: any HTTPTransport) { self.base = base }

    func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        let (answer, end) = (Promise<HTTPResponse>(), Promise<Void>())
        let previous = last.withLock { last in
            defer { last = end }
            return last
        }
        previous.observe { [base] _ in
            base.send(request).observe { result in
                answer.settle(with: result)
                end.resolve()
            }
        }
        return answer
    }
}

/// Does not look at the deadline of a call.
private struct WithoutDeadline: HTTPTransport {
    let base: any HTTPTransport

    func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        CallContext().run { base.send(request) }
    }
}

/// Uses the first address of each name for ever.
private struct FirstAddress: HTTPTransport {
    let base: any HTTPTransport

    func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        guard request.url.host()?.hasSuffix(".test") == true,
            var parts = URLComponents(url: request.url, resolvingAgainstBaseURL: false)
        else { return base.send(request) }
        parts.host = "127.0.0.2"
        return base.send(HTTPRequest(parts.url ?? request.url))
    }
}

/// Does not know that a GET may be repeated.
private struct EverythingPosted: HTTPTransport {
    let base: any HTTPTransport

    func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        base.send(HTTPRequest(.post, request.url, body: .data(Data("\r\n\r\n".utf8))))
    }
}

/// Repeats whatever has failed.
private struct EverythingRepeated: HTTPTransport {
    let base: any HTTPTransport

    func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        base.send(request).flatMapError { _ in base.send(request) }
    }
}

/// Takes the end of a connection for the end of a body.
private struct ShortBodies: HTTPTransport {
    let base: any HTTPTransport

    func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        base.send(request).recover { _ in HTTPResponse(status: 200, url: request.url) }
    }

    func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        base.stream(request).map { response in
            let body = response.body
            let short = HTTPBodyStream(next: { body.next().recover { _ in nil } })
            return HTTPStreamedResponse(status: response.status, body: short)
        }
    }
}
#endif
