#if os(Linux)
import Foundation
package import PledgeFutures
import PledgeHTTPMessages
package import PledgeHTTPTransportKit
import PledgeServices
import TestSupport

/// A transport that speaks HTTP/2 to a site, as a test makes it.
package struct HTTP2Client: Sendable {
    /// Makes a transport: its settings, the idle limit if there is one, and whose clock that is.
    package typealias Making =
        @Sendable (ConnectionSettings, Duration?, any FutureScheduler) throws -> HTTP2Client

    package let send: HTTPService
    package let close: @Sendable () -> Future<Void>

    package init(send: @escaping HTTPService, close: @escaping @Sendable () -> Future<Void>) {
        self.send = send
        self.close = close
    }
}

/// One ``HTTP2Site``, whose script changes from test to test.
package final class HTTP2Bench: Sendable {
    /// Answers the requests of a connection.
    package typealias Script = @Sendable (HTTP2Frames) -> Void

    package let site: HTTP2Site
    private let making: HTTP2Client.Making
    private let script: Locked<Script>
    private let http1: Locked<@Sendable () -> Void>

    /// Starts the site; nil if a program for it is not installed, and is not required.
    package static func start(
        _ making: @escaping HTTP2Client.Making
    ) async throws -> HTTP2Bench? {
        let script = Locked<Script>({ _ in })
        let http1 = Locked<@Sendable () -> Void>({})
        let site = try await HTTP2Site.start(
            http1: { connection, head in
                HTTP2Site.answer(connection, head) { _ in
                    http1.withLock { $0 }()
                    return ("answer", 200)
                }
            },
            http2: { _, frames in script.withLock { $0 }(frames) })
        return site.map { HTTP2Bench($0, making, script, http1) }
    }

    private init(
        _ site: HTTP2Site, _ making: @escaping HTTP2Client.Making, _ script: Locked<Script>,
        _ http1: Locked<@Sendable () -> Void>
    ) {
        self.site = site
        self.making = making
        self.script = script
        self.http1 = http1
    }

    package func stop() { site.stop() }

    /// Runs a test with a transport of its own.
    ///
    /// - Parameters:
    ///   - idleTimeout: The transport's idle limit.
    ///   - scheduler: Whose clock the limits have.
    ///   - script: Answers the requests of each connection over HTTP/2.
    ///   - http1: Called with each request over HTTP/1.1, which is answered.
    ///   - body: The test.
    package func with<Value>(
        idleTimeout: Duration? = nil, on scheduler: any FutureScheduler = .live,
        script: @escaping Script,
        http1: @escaping @Sendable () -> Void = {},
        _ body: (HTTP2Client) async throws -> Value
    ) async throws -> Value {
        self.script.withLock { $0 = script }
        self.http1.withLock { $0 = http1 }
        let client = try making(site.settings, idleTimeout, scheduler)
        let value = try await body(client)
        try await client.close().soon
        return value
    }
}

// MARK: - What ends a request

/// What a server over HTTP/2 does to one request, and what has to come of the call.
///
/// The call goes through the retry of a client, at most three attempts.
///
/// | What the server does | GET, and POST with an idempotency key | POST |
/// |---|---|---|
/// | excludes the request: REFUSED_STREAM or HTTP_1_1_REQUIRED before its answer, GOAWAY with a lower stream | is sent twice, carried out once, answered | the same, or lost if the transport does not know; sent once, not carried out |
/// | ends the stream or the connection otherwise before the answer is whole | is sent twice, answered | is lost; sent once |
/// | resets the stream after the whole answer, with whatever code | is sent once, answered | is sent once, answered |
/// | sends a GOAWAY that includes the request, and answers it | is sent once, answered | is sent once, answered |
package struct HTTP2Case: Sendable {
    package enum Call: CaseIterable, Sendable { case get, post, postWithKey }

    package enum Moment: CaseIterable, Sendable { case before, within, after }

    /// The last stream of a GOAWAY, beside the request's.
    package enum Last: CaseIterable, Sendable { case zero, below, this, above, every }

    package enum Event: Sendable {
        case reset(HTTP2Frames.Code, Moment)
        /// And then it closes the connection, or answers the request where that is included and leaves the
        /// connection open.
        case goAway(Last, HTTP2Frames.Code, closes: Bool)
    }

    package let call: Call
    package let event: Event
    /// Whether the connection has carried another request before.
    package let isKept: Bool

    /// Whether the server answers in spite of what it does.
    private var isAnswered: Bool {
        switch event {
        case .reset(_, let moment): moment == .after
        case .goAway(_, _, let closes): !event.excludes && !closes
        }
    }

    /// What has to come of it.
    ///
    /// - Parameters:
    ///   - tellsExclusion: Whether the transport knows that the server has excluded a request.
    ///   - tellsDemand: Whether it knows that the server has demanded HTTP/1.1.
    package func expected(tellsExclusion: Bool, tellsDemand: Bool) -> HTTP2Outcome {
        let isTold =
            if case .reset(.http11Required, _) = event { tellsDemand } else { tellsExclusion }
        if isAnswered { return HTTP2Outcome(result: "answer", sent: 1, carriedOut: 1) }
        let carriedOut = event.excludes ? 0 : 1
        if call != .post || event.excludes && isTold {
            return HTTP2Outcome(result: "answer", sent: 2, carriedOut: carriedOut + 1)
        }
        return HTTP2Outcome(result: "connectionLost", sent: 1, carriedOut: carriedOut)
    }

    /// All combinations.
    package static let all: [HTTP2Case] = {
        let resets = HTTP2Frames.Code.allCases.flatMap { code in
            Moment.allCases.map { Event.reset(code, $0) }
        }
        let leaving = Last.allCases.flatMap { last in
            [HTTP2Frames.Code.noError, .enhanceYourCalm, .internalError].flatMap { code in
                [false, true].map { Event.goAway(last, code, closes: $0) }
            }
        }
        return (resets + leaving).flatMap { event in
            Call.allCases.flatMap { call in
                [false, true].map { HTTP2Case(call: call, event: event, isKept: $0) }
            }
        }
    }()

    /// Some of them, for a short run.
    package static let few = all.filter { one in
        guard one.isKept else { return false }
        switch one.event {
        case .reset(let code, _):
            return [.noError, .internalError, .refusedStream, .http11Required].contains(code)
        case .goAway(_, let code, _): return code == .noError
        }
    }
}

extension HTTP2Case: CustomStringConvertible {
    package var description: String { "\(call), \(event), \(isKept ? "kept" : "new")" }
}

/// What came of a call.
package struct HTTP2Outcome: Equatable, Sendable {
    /// The text of the answer, or the code of the error.
    package var result: String
    /// How often the server got the request.
    package var sent: Int
    /// How often it carried it out.
    package var carriedOut: Int

    package init(result: String, sent: Int, carriedOut: Int) {
        self.result = result
        self.sent = sent
        self.carriedOut = carriedOut
    }
}

extension HTTP2Bench {
    fileprivate struct Counts {
        var isWarm: Bool
        var sent = 0
        var carriedOut = 0
    }

    /// Makes the call of a case.
    package func outcome(of one: HTTP2Case) async throws -> HTTP2Outcome {
        let counts = Locked(Counts(isWarm: !one.isKept))
        let carryOut: @Sendable () -> Void = {
            counts.withLock { counts in
                counts.sent += 1
                counts.carriedOut += 1
            }
        }
        let script: Script = { frames in
            frames.serve { stream in
                let isFirst = counts.withLock { counts in
                    if counts.isWarm, counts.sent == 0 {
                        counts.sent = 1
                        return true
                    }
                    return false
                }
                if isFirst { return one.event.happen(to: stream, frames, counts) }
                if counts.withLock({ $0.isWarm }) { carryOut() }
                frames.answer(stream, "answer")
                return true
            }
        }
        return try await with(script: script, http1: carryOut) { client in
            if one.isKept {
                _ = try await client.send(HTTPRequest(.get, site.url)).soon
                counts.withLock { $0.isWarm = true }
            }
            let retry = Middleware<HTTPRequest, HTTPResponse>.retry(
                Retry(backoff: .constant(.zero), unproven: .never))
            let result = await stack(retry, over: client.send)(one.request(site.url)).resultSoon
            let words: String
            switch result {
            case .success(let response): words = response.text
            case .failure(let error):
                words = (error as? HTTPError)?.code.rawValue ?? "\(error)"
            }
            return counts.withLock { counts in
                HTTP2Outcome(result: words, sent: counts.sent, carriedOut: counts.carriedOut)
            }
        }
    }
}

extension HTTP2Case {
    fileprivate func request(_ url: URL) -> HTTPRequest {
        if call == .get { return HTTPRequest(.get, url) }
        var request = HTTPRequest(.post, url, body: .data(Data("once".utf8)))
        if call == .postWithKey { request.context.idempotencyKey = "key" }
        return request
    }
}

extension HTTP2Case.Event {
    /// Does it to a request that has arrived whole; returns whether the connection stays open.
    fileprivate func happen(
        to stream: UInt32, _ frames: HTTP2Frames, _ counts: Locked<HTTP2Bench.Counts>
    ) -> Bool {
        if !excludes { counts.withLock { $0.carriedOut += 1 } }
        switch self {
        case .reset(let code, let moment):
            switch moment {
            case .before: break
            case .within:
                frames.head(stream, 200, ["content-length": "6"])
                frames.data(stream, "ans")
                // The client has begun to take the answer.
                _ = frames.settle()
            case .after: frames.answer(stream, "answer")
            }
            frames.reset(stream, code)
            return true
        case .goAway(let last, let code, let closes):
            frames.goAway(last: last.stream(beside: stream), code)
            if closes { return false }
            if !excludes { frames.answer(stream, "answer") }
            return true
        }
    }

    /// Whether the server says that it has not processed the request.
    fileprivate var excludes: Bool {
        switch self {
        case .reset(let code, let moment):
            moment == .before && [.refusedStream, .http11Required].contains(code)
        case .goAway(let last, _, _): [.zero, .below].contains(last)
        }
    }
}

extension HTTP2Case.Last {
    fileprivate func stream(beside stream: UInt32) -> UInt32 {
        switch self {
        case .zero: 0
        case .below: max(stream, 2) - 2
        case .this: stream
        case .above: stream + 2
        case .every: 0x7FFF_FFFF
        }
    }
}
#endif
