public import PledgeFutures
public import PledgeHTTPMessages
public import PledgeHTTPText
public import PledgeHTTPTransportKit
public import PledgeObservation
public import PledgeServices

/// A transport that answers from recorded exchanges, without a network.
///
/// ```swift
/// let archive = try HTTPArchive(contentsOf: file)
/// let client = HTTPClient(base: server, over: ReplayTransport(archive))
/// ```
///
/// The recording may come from an `HTTPRecorder` or from a browser's developer tools. A request gets the first entry that
/// matches it and that no other request has got. Where the recording says "REDACTED", a request may have any text.
///
/// You can call the transport from any thread. It refuses the same requests as a real transport.
public final class ReplayTransport: Sendable, HTTPTransport {
    /// The parts of a request that must be as recorded, besides the method and the URL's origin and path.
    public struct Matching: Hashable, Sendable {
        /// Compares the query's items, whatever their order.
        public var query: Bool

        /// Compares the body: JSON by its values, forms by their fields in any order, and anything else by its bytes.
        public var body: Bool

        /// The headers to compare, by name.
        public var headers: [String]

        /// Creates rules.
        ///
        /// - Parameters:
        ///   - query: Compares the query's items, whatever their order.
        ///   - body: Compares the body.
        ///   - headers: The headers to compare, by name.
        public init(query: Bool = true, body: Bool = false, headers: [String] = []) {
            self.query = query
            self.body = body
            self.headers = headers
        }
    }

    private let recorded: [RecordedRequest]
    /// The entries that may answer a request, as indices.
    private let index: [RecordedRequest.Key: [Int]]
    private let matching: Matching
    private let repeatsLast: Bool
    private let takesTime: Bool
    private let scheduler: any FutureScheduler
    /// The entries that were replayed, as indices.
    private let used = Locked<Set<Int>>([])

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - archive: The recording. Exchanges that were cancelled before a response arrived are ignored.
    ///   - matching: The parts of a request that must be as recorded.
    ///   - repeatsLast: When all entries for a request have been replayed, replays the last one again; otherwise such a
    ///     request fails.
    ///   - takesRecordedTime: Lets each response's headers and body take the time that they took when they were recorded.
    ///   - scheduler: The clock of these times.
    public init(
        _ archive: HTTPArchive, matching: Matching = Matching(), repeatsLast: Bool = true,
        takesRecordedTime: Bool = false, on scheduler: any FutureScheduler = LiveScheduler.live
    ) {
        recorded = archive.entries.filter { $0.response != nil || $0.failure != "cancelled" }
            .map { RecordedRequest($0, for: matching) }
        var index: [RecordedRequest.Key: [Int]] = [:]
        for (number, request) in recorded.enumerated() {
            if let key = request.key { index[key, default: []].append(number) }
        }
        self.index = index
        self.matching = matching
        self.repeatsLast = repeatsLast
        takesTime = takesRecordedTime
        self.scheduler = scheduler
    }

    /// Answers with the whole recorded response.
    ///
    /// The response has no Content-Encoding, because recorded bodies are decoded.
    ///
    /// - Returns: A future of the response. It fails with a `Failure` if no entry answers the request, and with an
    ///   `HTTPError` if the recorded exchange failed.
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        exchange(request) {
            try $0.whole(for: request)
        } delay: {
            $0.duration
        }
    }

    /// Answers with the recorded response, as a stream.
    ///
    /// If the recorded exchange failed within the body, the stream fails after the bytes that were recorded.
    public func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        let (takesTime, scheduler) = (takesTime, scheduler)
        return exchange(request) { entry in
            let head = try entry.replayed(for: request)
            let body = ReplayedBody(
                head.body, failure: entry.failureOfBody(request),
                after: takesTime ? entry.duration - entry.untilHeaders : .zero, on: scheduler)
            return HTTPStreamedResponse(
                status: head.status, headers: head.headers,
                body: HTTPBodyStream(
                    length: entry.failure == nil ? Int64(head.body.count) : nil,
                    next: body.next, cancel: body.cancel), url: head.url)
        } delay: {
            $0.untilHeaders
        }
    }

    private func exchange<Response: HTTPResponseHead>(
        _ request: HTTPRequest,
        _ answer: @escaping @Sendable (HTTPArchive.Entry) throws -> Response,
        delay: @escaping @Sendable (HTTPArchive.Entry) -> Duration
    ) -> Future<Response> {
        let start = scheduler.now
        let context = CallContext.current
        return context.exchange(request) {
            let reply = request.bodyInMemory(on: scheduler).flatMap { body in
                do {
                    try request.validate()
                    try context.checkDeadline(request: request)
                    let entry = try self.takeEntry(request, body)
                    let time = self.takesTime ? delay(entry) : .zero
                    return self.scheduler.passing(time).map { try answer(entry) }
                } catch { return Future(error: error) }
            }
            return context.limiting(reply, request: request)
        }
        .mapWithoutOrigin { [scheduler] response in
            var response = response
            let total = start.duration(to: scheduler.now)
            response.timing = HTTPTiming(
                untilHeaders: total, total: response.bodyStream == nil ? total : nil)
            response.request = request
            return response
        }
        .mapError { $0.withRequest(request) }
    }

    /// The entry that answers a request, marked as replayed.
    private func takeEntry(_ request: HTTPRequest, _ body: Data?) throws(Failure)
        -> HTTPArchive.Entry
    {
        let asked = RecordedRequest(HTTPArchive.Entry(request, nil), body: body, for: matching)
        let matches = asked.keys.flatMap { index[$0] ?? [] }.sorted()
            .filter { recorded[$0].differences(from: asked, by: matching).isEmpty }
        let choice = used.withLock { used -> Int? in
            guard let next = matches.first(where: { !used.contains($0) }) else {
                return repeatsLast ? matches.last : nil
            }
            used.insert(next)
            return next
        }
        if let choice {
            let entry = recorded[choice].entry
            guard let reason = entry.missingResponseBody else { return entry }
            throw Failure(
                code: .bodyLeftOut, request: request, nearest: entry, differences: [reason],
                count: recorded.count)
        }
        if let last = matches.last {
            throw Failure(
                code: .usedUp, request: request, nearest: recorded[last].entry,
                differences: ["each of the \(matches.count) that match was replayed"],
                count: recorded.count)
        }
        let all = recorded.map { $0.differences(from: asked, by: matching) }
        let nearest = all.indices.min { all[$0].weight < all[$1].weight }
        throw Failure(
            code: .unmatched, request: request, nearest: nearest.map { recorded[$0].entry },
            differences: nearest.map { all[$0].map(\.text) } ?? [], count: recorded.count)
    }
}

extension ReplayTransport: DescriptionOnly {
    /// The number of recorded exchanges, without their content.
    public var description: String { "a replay of \(recorded.count) exchanges" }
}

extension ReplayTransport {
    /// The error of a request that the recording doesn't answer.
    package struct Failure: Error, CallerError {
        /// The kinds of failure.
        package enum Code: Hashable, Sendable {
            /// No entry matches the request.
            case unmatched
            /// Each entry that matches was replayed, and the last one isn't repeated.
            case usedUp
            /// The entry's body was left out of the recording.
            case bodyLeftOut
        }

        /// The kind of failure.
        package let code: Code

        /// The request.
        package let request: HTTPRequest

        /// The entry with the fewest differences; nil if the recording is empty.
        package let nearest: HTTPArchive.Entry?

        /// The differences between the request and the nearest entry, in words.
        package let differences: [String]

        let count: Int
    }
}

extension ReplayTransport.Failure: CustomStringConvertible, DescribedError {
    /// The request without its query's values, and the nearest entry with its differences.
    package var description: String {
        let asked = "\(request.method) \(SafeText.redacted(request.url))"
        guard let nearest else { return "no exchange answers \(asked): the recording is empty" }
        return """
            no exchange answers \(asked)
            nearest of \(count): \(nearest) (\(differences.joined(separator: "; ")))
            """
    }
}

extension HTTPArchive.Entry {
    fileprivate var untilHeaders: Duration { response?.timing.untilHeaders ?? duration }

    /// The error of an exchange that failed within the body.
    fileprivate func failureOfBody(_ request: HTTPRequest) -> (any Error)? {
        failure.flatMap { $0 == "cancelled" ? nil : HTTPError(recorded: $0, request) }
    }

    fileprivate func whole(for request: HTTPRequest) throws -> HTTPResponse {
        let response = try replayed(for: request)
        if let error = failureOfBody(request) { throw error }
        return response
    }

    /// The response as a transport returns it.
    fileprivate func replayed(for request: HTTPRequest) throws(HTTPError) -> HTTPResponse {
        guard let response else { throw HTTPError(recorded: failure ?? "", request) }
        let isBodyless = response.isBodyless(for: request.method)
        let body = isBodyless ? Data() : response.body
        var headers = response.headers
        headers.remove("Transfer-Encoding")
        if !isBodyless { headers.remove("Content-Encoding") }
        if !isBodyless, headers["Content-Length"] != "\(body.count)" {
            headers.remove("Content-Length")
        }
        return HTTPResponse(status: response.status, headers: headers, body: body, url: request.url)
    }
}

extension HTTPError {
    /// The error of an exchange that failed when it was recorded.
    ///
    /// - Parameter word: A code's raw value; or a browser's word, which counts as a lost connection.
    fileprivate init(recorded word: String, _ request: HTTPRequest) {
        let codes: [Code] = [
            .cannotFindHost, .cannotConnect, .proxyRefused, .notConnected, .timedOut,
            .insecureConnection, .badResponse, .bodyTooLarge, .bodyLengthMismatch, .bodyUnreadable,
            .transportClosed, .unsupported, .redirectRefused, .tooManyRedirects, .other,
        ]
        let code = codes.first { $0.rawValue == word } ?? .connectionLost
        let reason = SafeText.line(word, upTo: 100)
        self.init(
            code: code, request: request,
            reason: word.isEmpty || word == code.rawValue ? "as recorded" : "as recorded: \(reason)"
        )
    }
}

extension FutureScheduler {
    /// Resolves after a time, or at once for zero or less; cancelling it frees its timer.
    fileprivate func passing(_ time: Duration) -> Future<Void> {
        guard time > .zero else { return Future(value: ()) }
        return Future.make { resolver in
            let action = schedule(after: time) { resolver.resolve(with: ()) }
            resolver.onCancel { action.cancel() }
        }
    }
}

/// A recorded body: after a time, its bytes, and then its end or failure.
private final class ReplayedBody: Sendable {
    private enum Step { case bytes, end }

    private let data: Data
    private let failure: (any Error)?
    private let time: Duration
    private let scheduler: any FutureScheduler
    private let step = Locked(Step.bytes)

    init(
        _ data: Data, failure: (any Error)?, after time: Duration, on scheduler: any FutureScheduler
    ) {
        self.data = data
        self.failure = failure
        self.time = time
        self.scheduler = scheduler
    }

    @Sendable func next() -> Future<Data?> {
        let isFirst = step.withLock { step in
            defer { step = .end }
            return step == .bytes
        }
        guard isFirst else { return endOfBody() }
        return scheduler.passing(time).flatMap {
            self.data.isEmpty ? self.endOfBody() : Future(value: self.data)
        }
    }

    private func endOfBody() -> Future<Data?> {
        failure.map { Future(error: $0) } ?? Future(value: nil)
    }

    @Sendable func cancel() { step.withLock { $0 = .end } }
}
