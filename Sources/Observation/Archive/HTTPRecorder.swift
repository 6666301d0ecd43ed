import Dispatch
public import PledgeFutures
public import PledgeHTTPClients
public import PledgeHTTPMessages
import PledgeHTTPNetworking
public import PledgeServices

/// Records exchanges, without their secrets, for a file that other programs can open and tests can replay.
///
/// ```swift
/// let recorder = HTTPRecorder()
/// client.aroundExchange = .record(into: recorder)
/// // … requests …
/// try recorder.archive.write(to: file)
/// ```
///
/// Secrets are replaced by "REDACTED" before an exchange is kept: credentials and cookies in headers, userinfo in URLs,
/// also within texts, and the values of headers, query items, form fields, JSON members and XML elements with names
/// like "token", "password" or "secret"; in headers, queries and forms also with names like "key". A header value that
/// looks like a token is replaced too, unless the header is known to be harmless. A replaced value is also replaced
/// where the exchange repeats it, except in hosts and in names. Values of fewer than 4 bytes and common words aren't
/// looked for. A secret number in the JSON of a response becomes 0. Multipart and encoded bodies are left out, and text
/// that isn't UTF-8. Other bodies that aren't text are kept as they are, unless they hold a secret that was replaced
/// elsewhere.
///
/// Calls don't wait for the recorder: it looks for secrets on a queue of its own, one exchange after the other. While
/// exchanges with 32 MiB of bodies wait there, it leaves out the bodies of those that end, with a comment.
///
/// Several clients and threads may use one recorder at the same time. It keeps its exchanges until it's released, at
/// most `totalLimit` bytes. Then it leaves out what ends; the last entry's comment says how many exchanges that were.
public final class HTTPRecorder: Sendable {
    private struct State {
        /// The ended exchanges by their numbers, in the order in which they began.
        var ended: [(number: Int, entry: HTTPArchive.Entry)] = []
        var count = 0
        /// The size of the bodies that wait for redaction, in bytes.
        var pending = 0
        /// The size of all that waits or is kept, in bytes.
        var total = 0
        var leftOut = 0
    }

    /// The largest size of bodies that wait for redaction, in bytes; a single exchange may have more.
    private static let pendingLimit = 32 << 20

    private let bodyLimit: Int
    private let redact: (@Sendable (HTTPArchive.Entry) -> HTTPArchive.Entry?)?
    private let now: @Sendable () -> SchedulerInstant
    /// The date at an instant; all dates are counted from it, so they don't jump with the system's clock.
    private let epoch: (date: Date, instant: SchedulerInstant)
    private let state = Locked(State())
    private let totalLimit: Int
    /// Redacts the ended exchanges, in the order in which they ended.
    private let queue = DispatchQueue(label: "Pledge.HTTPRecorder", qos: .utility)
    /// Marks the queue, so that a closure on it may read the archive.
    private let queueKey = DispatchSpecificKey<Bool>()

    /// Creates a recorder.
    ///
    /// - Parameters:
    ///   - bodyLimit: The largest body to keep, in bytes; a larger one is left out with a comment. Less than zero is a
    ///     programming error and traps.
    ///   - totalLimit: The largest size of all that the recorder holds, in bytes, counting 1,000 bytes for each exchange
    ///     besides its URL, headers and bodies.
    ///   - scheduler: The clock that measures times.
    ///   - redact: Removes more than the recorder has already removed, and returns the entry to keep, or nil for none.
    ///     Called once for each exchange, in the order in which they ended, on the recorder's queue.
    public convenience init(
        bodyLimit: Int = 1_048_576, totalLimit: Int = 268_435_456,
        on scheduler: some FutureScheduler = .live,
        redact: (@Sendable (HTTPArchive.Entry) -> HTTPArchive.Entry?)? = nil
    ) {
        self.init(
            bodyLimit: bodyLimit, totalLimit: totalLimit, on: scheduler, startingAt: Date.now,
            redact: redact)
    }

    package init(
        bodyLimit: Int, totalLimit: Int = 268_435_456, on scheduler: some FutureScheduler,
        startingAt date: Date,
        redact: (@Sendable (HTTPArchive.Entry) -> HTTPArchive.Entry?)?
    ) {
        precondition(
            bodyLimit >= 0, "a recorder needs a limit of 0 bytes or more, not \(bodyLimit)")
        self.bodyLimit = bodyLimit
        self.totalLimit = totalLimit
        self.redact = redact
        now = { scheduler.now }
        epoch = (date, scheduler.now)
        queue.setSpecific(key: queueKey, value: true)
    }

    /// The exchanges that have ended, in the order in which they began.
    ///
    /// An exchange with a streamed body ends when the body has been read, has failed or was cancelled.
    ///
    /// It blocks until the exchanges that ended before are redacted, except in the closure that redacts them.
    public var archive: HTTPArchive {
        if DispatchQueue.getSpecific(key: queueKey) != true { queue.sync {} }
        let (ended, leftOut) = state.withLock { ($0.ended, $0.leftOut) }
        var entries = ended.map(\.entry)
        if leftOut > 0, let last = entries.indices.last {
            let note = "the recorder was full, and left out \(leftOut) exchanges"
            entries[last].comment = [entries[last].comment, note].compactMap(\.self)
                .joined(separator: "; ")
        }
        return HTTPArchive(entries: entries)
    }

    fileprivate func begin(_ request: HTTPRequest) -> Recording {
        let (number, start) = state.withLock { state in
            state.count += 1
            return (state.count, now())
        }
        return Recording(
            request, number, start: start, limit: bodyLimit, now: now
        ) { [weak self] in
            self?.keepEntry($0, $1, start: start)
        }
    }

    private func keepEntry(_ number: Int, _ entry: HTTPArchive.Entry, start: SchedulerInstant) {
        var entry = entry
        let size = entry.bodySize
        let (isKept, waits) = state.withLock { state in
            let waits = state.pending == 0 || state.pending + size <= Self.pendingLimit
            let total = state.total + entry.size - (waits ? 0 : size)
            guard total <= totalLimit else {
                state.leftOut += 1
                return (false, false)
            }
            state.total = total
            if waits { state.pending += size }
            return (true, waits)
        }
        guard isKept else { return }
        if !waits { entry.leaveOutBodies() }
        let date = epoch.date.addingTimeInterval(epoch.instant.duration(to: start) / .seconds(1))
        entry.startedAt = ArchiveDate(date).date
        queue.async { [entry] in self.redact(number, entry, pending: waits ? size : 0) }
    }

    private func redact(_ number: Int, _ entry: HTTPArchive.Entry, pending: Int) {
        let size = entry.size
        let redacted = ArchiveRedaction.redacted(entry)
        let kept = redact.map { $0(redacted) } ?? redacted
        state.withLock { state in
            state.pending -= pending
            state.total += (kept?.size ?? 0) - size
            guard let kept else { return }
            let place = state.ended.lastIndex { $0.number < number }.map { $0 + 1 } ?? 0
            state.ended.insert((number, kept), at: place)
        }
    }
}

extension HTTPArchive.Entry {
    fileprivate var bodySize: Int {
        (request.body.data?.count ?? 0) + (response?.body.count ?? 0)
    }

    /// The size in memory, about.
    fileprivate var size: Int {
        let headers = Array(request.headers) + Array(response?.headers ?? [:])
        return headers.reduce(bodySize + 1_000 + request.url.absoluteString.utf8.count) {
            $0 + $1.name.utf8.count + $1.value.utf8.count
        }
    }

    fileprivate mutating func leaveOutBodies() {
        let reason = "left out, because the recorder was still redacting others"
        if let count = request.body.data?.count, count > 0 {
            missingRequestBody = missingRequestBody ?? "\(count) bytes, \(reason)"
            request.body = .none
        }
        if let count = response?.body.count, count > 0 {
            missingResponseBody = missingResponseBody ?? "\(count) bytes, \(reason)"
            response?.body = Data()
        }
    }
}

extension HTTPRecorder: DescriptionOnly {
    /// The number of recorded exchanges, without their content.
    public var description: String { "\(archive)" }
}

extension Middleware where Input == HTTPRequest, Output: HTTPResponseHead {
    /// Records each exchange when it ends.
    ///
    /// Below a redirect, a retry and a sign-in, each request is an entry of its own. A streamed body is recorded while
    /// it's read. Put it above `decompress`, because the recorder leaves out bodies with a Content-Encoding: it can't
    /// look for secrets in them.
    ///
    /// - Parameter recorder: The recorder. It looks for secrets on its own queue, in time linear in the size of the
    ///   bodies.
    public static func record(into recorder: HTTPRecorder) -> Middleware {
        Middleware(named: "record") { next in
            { request in next(request).notifying(recorder.begin(request)) }
        }
    }
}

extension HTTPClient.CustomMiddleware {
    /// Records each request and its response, without secrets; see the middleware `record(into:)`.
    ///
    /// ```swift
    /// client.aroundExchange = .record(into: recorder)
    /// ```
    ///
    /// At this place, redirects, retries and requests that got a 401 are entries of their own.
    public static func record(into recorder: HTTPRecorder) -> Self {
        Self(send: .record(into: recorder), stream: .record(into: recorder))
    }
}

private final class Recording: ExchangeListener {
    private struct State {
        var response: HTTPResponse?
        var untilHeaders: Duration?
        /// The size of the body so far, in bytes; the body is dropped when it exceeds the limit.
        var size = 0
        var hasEnded = false
    }

    private let request: HTTPRequest
    private let number: Int
    private let start: SchedulerInstant
    private let limit: Int
    private let now: @Sendable () -> SchedulerInstant
    private let keep: @Sendable (Int, HTTPArchive.Entry) -> Void
    private let state = Locked(State())

    init(
        _ request: HTTPRequest, _ number: Int, start: SchedulerInstant, limit: Int,
        now: @escaping @Sendable () -> SchedulerInstant,
        keep: @escaping @Sendable (Int, HTTPArchive.Entry) -> Void
    ) {
        self.request = request
        self.number = number
        self.start = start
        self.limit = limit
        self.now = now
        self.keep = keep
    }

    func answer(_ response: some HTTPResponseHead) {
        let time = start.duration(to: now())
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.response = response.head
            state.untilHeaders = response.timing.untilHeaders ?? time
        }
        if let body = response.receivedBody { receive(body) }
    }

    func receive(_ chunk: Data) {
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.size += chunk.count
            if state.size <= limit {
                state.response?.body.append(chunk)
            } else {
                state.response?.body = Data()
            }
        }
    }

    func fail(with error: any Error) {
        if let response = (error as? HTTPError)?.response { answer(response) }
        endExchange(with: error)
    }

    func endExchange(with error: (any Error)?) {
        let last = state.withLock { state in
            defer { state = State(hasEnded: true) }
            return state.hasEnded ? nil : state
        }
        guard let last else { return }
        let duration = start.duration(to: now())
        let sent = last.response?.request ?? (error as? HTTPError)?.request ?? request
        var entry = HTTPArchive.Entry(
            HTTPRequest(sent.method, sent.url, headers: sent.effectiveHeaders), last.response,
            failure: error.map(Self.name), duration: duration)
        entry.response?.timing.untilHeaders = last.untilHeaders
        entry.response?.timing.total = duration
        let type = entry.request.headers["Content-Type"]
        if let data = sent.body.data, data.count <= limit {
            entry.request.body = .init(data.isEmpty ? .none : .data(data), contentType: type)
        } else {
            entry.missingRequestBody = "\(sent.body.description), left out"
        }
        if last.size > limit { entry.missingResponseBody = "\(last.size) bytes, left out" }
        keep(number, entry)
    }

    private static func name(of error: any Error) -> String {
        if error is CancellationError { return "cancelled" }
        return (error as? HTTPError)?.code.rawValue ?? "\(type(of: error))"
    }
}
