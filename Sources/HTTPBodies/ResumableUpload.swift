import Dispatch
public import PledgeFutures
public import PledgeHTTPNetworking
public import PledgeServices

/// A protocol by which a server takes the rest of an upload whose connection was lost.
public struct ResumableUploadProtocol: Hashable, Sendable {
    /// The version of the IETF's draft; nil for tus.
    let draft: Int?

    /// The protocol tus 1.0 (tus.io), with its extension "creation".
    public static let tus = ResumableUploadProtocol(draft: nil)

    /// The IETF's draft "Resumable Uploads for HTTP" (draft-ietf-httpbis-resumable-upload).
    ///
    /// - Parameter interopVersion: The version that the server speaks, as in Upload-Draft-Interop-Version; 3…8. Other
    ///   versions are a programming error and trap.
    public static func ietfDraft(interopVersion: Int = 8) -> ResumableUploadProtocol {
        precondition(
            (3...8).contains(interopVersion),
            "the draft's interop version is 3 to 8, not \(interopVersion)")
        return ResumableUploadProtocol(draft: interopVersion)
    }
}

/// Uploads a file, and goes on where a lost connection, or an earlier run, has stopped.
///
/// ```swift
/// let request = HTTPRequest(.post, server.appending(path: "files"))
/// let response = upload(film, with: request, over: transport.send, by: .tus)
/// ```
///
/// The server makes a resource for the upload, and names its URL in a Location. The bytes follow in PATCH requests.
/// After a lost connection, a HEAD asks the server how many bytes it has. The request's headers are sent with each of
/// these requests; to another origin, only the headers that are known to hold no secret.
///
/// With `record`, a later call of this function goes on with the same upload, if the URL, the protocol, the user and the
/// file are the same, and the file was neither changed nor replaced. The record is a file that only the user may read, because
/// an upload's URL may be a secret. A record that somebody else has made or can change is ignored, and so is one whose
/// address a redirect couldn't lead to. If a recorded upload can't go on, the upload begins anew in the same call: for
/// example if its resource is gone, or claims more bytes than were sent, or if it has taken no byte in this call when
/// the attempts are used up. The record is removed at the end, when the server doesn't know the upload any more, and
/// when the server breaks the protocol. In a call, an upload begins anew at most as often as `resuming` has attempts,
/// and once for a record that can't go on.
///
/// No server is believed that claims more bytes than this call and the earlier ones have sent. Those that the system has
/// taken for the network count as sent, because nobody can tell them from bytes that arrived. If the process was killed
/// during a request, or the call was cancelled, all bytes of that request's body count.
///
/// - Parameters:
///   - file: A regular file, or a symbolic link to one. If it is changed or replaced during the upload, the upload
///     fails.
///   - request: The request that makes the upload: its URL, its headers, and its method, usually POST. Its body is
///     ignored.
///   - service: The service for the requests.
///   - proto: The protocol.
///   - record: The file that remembers the upload; nil to remember it for this call only.
///   - partSize: The largest body of a request, in bytes; nil for all that is missing. A server's `max-append-size`
///     makes it smaller. Less than one is a programming error and traps.
///   - rules: How the upload goes on after a lost connection.
///   - progress: Called with the number of bytes sent, and the file's size, on the thread that reads the file. After a
///     lost connection, the number can be smaller than before.
///   - random: The source of the backoff's jitter.
///   - scheduler: The clock for the waits.
/// - Returns: A future of the last response. It rejects with the error of the last request, or with an `HTTPError`:
///   with the code `bodyUnreadable` if the file can't be read or was changed, with `fileUnwritable` if the record can't
///   be written, if possible before the first request, with `badResponse` if the server breaks the protocol.
public func upload(
    _ file: URL, with request: HTTPRequest, over service: @escaping HTTPService,
    by proto: ResumableUploadProtocol, record: URL? = nil, partSize: Int64? = nil,
    resuming rules: Resumption = Resumption(),
    progress: (@Sendable (_ completed: Int64, _ total: Int64?) -> Void)? = nil,
    random: RandomSource = .system, on scheduler: some FutureScheduler = .live
) -> Future<HTTPResponse> {
    precondition(partSize ?? 1 >= 1, "a part has 1 byte or more, not \(partSize ?? 1)")
    if CallBeginning.isTooLate { return Future(error: CancellationError()) }
    // The size is of the target, like the bytes that are read.
    let file = file.resolvingSymlinksInPath()
    // Only a regular file can be opened.
    do { _ = try HTTPBodyStream.file(file) } catch {
        return Future(error: error.naming(request))
    }
    let folder = SystemFolder(file.deletingLastPathComponent())
    guard let version = folder.version(of: file.lastPathComponent) else {
        return Future(
            error: HTTPError.unreadable(file, cause: CancellationError()).naming(request))
    }
    let state = UploadState(proto, request, version, partSize: partSize, rules.redirects)
    return ResumableUpload(
        file, version, service, state, record, rules, progress, random, scheduler
    ).run()
}

/// What is known of an upload: a pure state machine.
struct UploadState: Sendable {
    /// The meaning of an answer.
    enum Step: Sendable {
        /// The upload has a URL: remember it, then send bytes.
        case created
        /// Send the bytes from the offset on.
        case append
        /// Ask for the offset.
        case ask
        /// All is sent; the answer is the result.
        case done
        /// The server doesn't know the upload any more: begin anew.
        case restart
    }

    private let proto: ResumableUploadProtocol
    /// The request that makes the upload.
    private(set) var request: HTTPRequest
    private let redirects: Redirects
    /// A hash of the URL, and the file's inode, size and time.
    let source: String
    let size: Int64
    /// The largest body, in bytes.
    private var partSize: Int64
    /// A request to the upload's resource, without a method and a body; nil until the upload has one.
    private var resource: HTTPRequest?
    /// The number of bytes that the server has.
    private(set) var offset: Int64 = 0
    /// The largest offset so far: only bytes above it bring the upload further.
    private(set) var highest: Int64 = 0
    /// The end of the bytes that were sent before the last body, also by earlier runs.
    private var sentEnd: Int64 = 0
    /// The bytes of the last body.
    private var sending: SentBytes?
    /// True if the upload's resource comes from a record, and has taken no byte since.
    private(set) var isRecorded = false
    /// The offset that the resource of a record had at first; nil if it hasn't answered yet.
    private var firstOffset: Int64?
    /// The end of the sent bytes that the record has; nil if the upload isn't recorded.
    private var recordedEnd: Int64?
    /// The mark of the users whose upload it is (`RequestUsers.mark`).
    private(set) var users = ""
    /// True if the call is known to be for these users.
    private var isOfUsers = false
    /// True if the server has broken the protocol, so that the upload can't go on.
    private(set) var isBroken = false

    init(
        _ proto: ResumableUploadProtocol, _ request: HTTPRequest, _ file: FileVersion,
        partSize: Int64?, _ redirects: Redirects
    ) {
        self.proto = proto
        self.redirects = redirects
        var request = request
        // The upload asks for its offset before it sends again: a policy below must not repeat a request.
        request.context.skipsRetry = true
        request.context.users = RequestUsers(besides: Self.ownHeaders)
        self.request = request
        self.partSize = partSize ?? .max
        size = Int64(file.size)
        let url = SHA256.hash(Array(request.url.absoluteString.utf8)).hexadecimal
        source = "\(url) \(file.inode) \(file.size) \(file.modified) \(proto.draft ?? 0)"
    }

    /// The URL of the upload's resource.
    var location: URL? { resource?.url }

    /// The headers by which the protocols differ from one request to the next, in lower case.
    private static let ownHeaders: Set<String> = [
        "tus-resumable", "upload-complete", "upload-draft-interop-version", "upload-incomplete",
        "upload-length", "upload-metadata", "upload-offset",
    ]

    /// True if another request must show for whom the call is, because the resource gets no header that says so.
    var isOfUnknownUsers: Bool {
        isRecorded && !isOfUsers && location.flatMap(HTTPOrigin.init) != HTTPOrigin(request.url)
    }

    /// The request that shows for whom the call is: both protocols know it as a question for the server's options.
    var optionsRequest: HTTPRequest {
        var next = request
        next.method = .options
        next.body = .none
        mark(&next)
        return next
    }

    /// Compares the users of a request, as it was sent, with those of the upload.
    ///
    /// - Throws: ``OtherUsers`` if the upload is somebody else's.
    mutating func note(_ sent: HTTPRequest) throws(OtherUsers) {
        if isRecorded, !isOfUsers, !sent.users.isMarked(by: users) { throw OtherUsers() }
        if resource == nil { users = sent.users.mark }
        isOfUsers = true
        // The layers below refuse a request for other users than the call's.
        request.context.signIns.bind(sent.context.signIns)
        resource?.context.signIns.bind(sent.context.signIns)
    }

    /// Forgets the upload.
    mutating func reset() {
        (users, isOfUsers) = ("", false)
        (resource, sending, isRecorded, isBroken) = (nil, nil, false, false)
        (offset, highest, sentEnd) = (0, 0, 0)
        (firstOffset, recordedEnd) = (nil, nil)
    }

    /// Goes on with a recorded upload of an earlier run, if it is of the same file, and unless the rules of redirects
    /// forbid its URL.
    mutating func goOn(with bytes: [UInt8]) {
        guard let lines = SealedLines.decoded(bytes), lines.count == 5,
            lines[0] == "pledge-upload 3", lines[1] == source,
            let end = Self.offset(lines[3]), end <= size
        else { return }
        guard let resource = try? resource(at: URL(string: lines[4])) else { return }
        (self.resource, users, isRecorded) = (resource, lines[2], true)
        (sentEnd, recordedEnd) = (end, end)
    }

    /// Returns the record for a later run; nil if it has not changed, or if there is nothing to go on with.
    ///
    /// - Parameter isSending: True before a body is sent. A run that is killed while it sends can't note how much it has
    ///   sent, so the record has the end of the body until the request has ended.
    mutating func changedRecord(isSending: Bool) -> [UInt8]? {
        let sent = isSending ? max(most, end) : most
        guard let resource, !isBroken, sent != recordedEnd else { return nil }
        recordedEnd = sent
        return SealedLines.encoded([
            "pledge-upload 3", source, users, "\(sent)", resource.url.absoluteString,
        ])
    }

    /// Notes that the next body is sent.
    mutating func send() -> SentBytes {
        sentEnd = most
        let sent = SentBytes(from: offset)
        sending = sent
        return sent
    }

    /// The largest offset that the server can have.
    private var most: Int64 { max(sentEnd, sending?.end ?? 0) }

    /// The end of the next body.
    var end: Int64 { partSize >= size - offset ? size : offset + partSize }

    /// The request that makes the upload, or asks for its offset.
    func request(asking: Bool) -> HTTPRequest {
        guard var request = resource else {
            var request = self.request
            request.body = .none
            mark(&request)
            request.headers.set("\(size)", for: "Upload-Length")
            if proto.draft != nil { markComplete(&request, size == 0) }
            return request
        }
        if asking {
            request.method = .head
            request.headers.set("no-store", for: "Cache-Control")
            return request
        }
        request.method = .patch
        request.headers.set("\(offset)", for: "Upload-Offset")
        if proto.draft != nil { markComplete(&request, end == size) }
        return request
    }

    /// The Content-Type of the bytes.
    var contentType: String {
        proto.draft == nil ? "application/offset+octet-stream" : "application/partial-upload"
    }

    /// Returns the request to a resource that a server or a record names.
    ///
    /// Its URL obeys the rules of redirects, because the file's bytes are sent there.
    private func resource(at url: URL?) throws(RedirectRefusal) -> HTTPRequest {
        var next = request
        for name in ["Content-Type", "Upload-Metadata"] { next.headers.remove(name) }
        // It stands for the file's bytes.
        next.body = HTTPRequest.Body(.data(Data([0])), contentType: contentType)
        next = try next.moved(to: url, by: redirects)
        next.body = .none
        mark(&next)
        return next
    }

    private func mark(_ request: inout HTTPRequest) {
        if let draft = proto.draft {
            request.headers.set("\(draft)", for: "Upload-Draft-Interop-Version")
        } else {
            request.headers.set("1.0.0", for: "Tus-Resumable")
        }
    }

    /// Says whether the upload is complete with this body; version 3 says whether it isn't.
    private func markComplete(_ request: inout HTTPRequest, _ isComplete: Bool) {
        let isOld = proto.draft == 3
        request.headers.set(
            isComplete != isOld ? "?1" : "?0", for: isOld ? "Upload-Incomplete" : "Upload-Complete")
    }

    private func isComplete(_ headers: HTTPHeaders) -> Bool? {
        let isOld = proto.draft == 3
        switch headers[isOld ? "Upload-Incomplete" : "Upload-Complete"] {
        case "?1": return !isOld
        case "?0": return isOld
        default: return nil
        }
    }

    /// Takes an answer with a status of 200…299.
    mutating func receive(_ response: HTTPResponse, asking: Bool) throws(HTTPError) -> Step {
        // A limit in the answer is for the next body.
        let planned = end
        limitParts(response.headers)
        guard resource != nil else {
            if size == 0 { return .done }
            let url = response.headers.location(from: response.url ?? request.url)
            do { resource = try resource(at: url) } catch {
                throw broken("the upload has no usable Location: \(error.reason)", response)
            }
            (sentEnd, sending, recordedEnd) = (0, nil, nil)
            return .created
        }
        var found: Int64?
        if let text = response.headers["Upload-Offset"] {
            found = Self.offset(text)
            guard found != nil else { throw broken(Self.noOffset, response) }
        }
        // The server can't have more.
        let most = asking ? most : min(planned, sending?.end ?? 0)
        let sent = most == planned ? planned : nil
        if proto.draft != nil {
            let isComplete = isComplete(response.headers)
            let isWhole = most == size && found ?? size == size
            // The answer to the last bytes is the resource's own, and need not say more.
            if isWhole, isComplete ?? !asking { return .done }
            if isComplete == true {
                throw broken("the upload is complete before all bytes are there", response)
            }
        }
        guard let offset = found ?? (asking ? nil : sent), offset <= most else {
            throw broken(Self.noOffset, response)
        }
        // Such a server would be sent the same bytes for ever.
        guard asking || offset > self.offset else {
            throw broken("the server takes no bytes", response)
        }
        self.offset = offset
        highest = max(highest, offset)
        if offset > firstOffset ?? offset { isRecorded = false }
        firstOffset = firstOffset ?? offset
        if proto.draft == nil, offset == size { return .done }
        return .append
    }

    private static let noOffset = "the server has no valid Upload-Offset"

    /// Returns the number in an Upload-Offset; nil if the text has anything but digits, or if the number is too large.
    private static func offset(_ text: String) -> Int64? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            ? Int64(text) : nil
    }

    /// Notes that the file was changed, so that the upload can't go on.
    mutating func noteChange() { (isBroken, isRecorded) = (true, false) }

    /// The step after an answer with another status; nil if it's an error.
    func step(after status: Int?) -> Step? {
        guard resource != nil else { return nil }
        switch status {
        case 404, 410: return .restart
        case 403 where proto.draft == nil: return .restart
        // Another offset is right, or an earlier request still holds the upload.
        case 409, 423: return .ask
        default: return nil
        }
    }

    private mutating func limitParts(_ headers: HTTPHeaders) {
        for limit in (headers["Upload-Limit"] ?? "").split(separator: ",") {
            let words = limit.split(separator: "=")
            guard words.count == 2, HTTPHeaders.trimmed(words[0]) == "max-append-size",
                let size = Int64(HTTPHeaders.trimmed(words[1])), size > 0
            else { continue }
            partSize = min(partSize, size)
        }
    }

    private mutating func broken(_ reason: String, _ response: HTTPResponse) -> HTTPError {
        isBroken = resource != nil
        return HTTPError(code: .badResponse, request: request, response: response, reason: reason)
    }
}

/// A recorded upload is not of the call's users.
struct OtherUsers: Error {}

/// How many bytes of a body were sent.
final class SentBytes: Sendable {
    /// The position of the first byte in the file.
    let start: Int64
    private let counts = Locked<(read: Int64, taken: Int64?)>((0, nil))

    init(from start: Int64) { self.start = start }

    /// The end of the bytes that were sent, as a position in the file.
    ///
    /// A transport reads ahead of what it sends. If it doesn't say how much it has sent, all that it has read counts.
    var end: Int64 { start + counts.withLock { min($0.read, $0.taken ?? $0.read) } }

    /// Notes how many bytes the transport has read since it opened the body.
    func noteRead(_ count: Int64) { counts.withLock { $0.read = max($0.read, count) } }

    /// Notes how many bytes of a request the system has taken from the transport.
    func noteTaken(_ count: Int64) { counts.withLock { $0.taken = max($0.taken ?? 0, count) } }
}

/// The requests of an upload, one after the other.
private final class ResumableUpload: Sendable {
    private let file: URL
    private let version: FileVersion
    private let service: HTTPService
    private let state: Locked<UploadState>
    private let record: URL?
    private let rules: Resumption
    private let report: (@Sendable (Int64, Int64?) -> Void)?
    private let random: RandomSource
    private let scheduler: any FutureScheduler
    private let queue = DispatchQueue(label: "Pledge.ResumableUpload")

    init(
        _ file: URL, _ version: FileVersion, _ service: @escaping HTTPService,
        _ state: UploadState, _ record: URL?, _ rules: Resumption,
        _ report: (@Sendable (Int64, Int64?) -> Void)?, _ random: RandomSource,
        _ scheduler: any FutureScheduler
    ) {
        self.file = file
        self.version = version
        self.service = service
        self.state = Locked(state)
        self.record = record
        self.rules = rules
        self.report = report
        self.random = random
        self.scheduler = scheduler
    }

    func run() -> Future<HTTPResponse> {
        withRecord { folder, name in
            try self.checkPlace(of: name, in: folder)
            guard let bytes = try Self.ownBytes(of: name, in: folder) else { return }
            self.state.withLock { $0.goOn(with: bytes) }
        }
        .flatMap { self.goOn(asking: true, failures: 0, restarts: 0, after: nil) }
        .flatMap { response in self.forget().map { response } }
        .mapError { error in error.naming(self.state.withLock { $0.request }) }
    }

    /// Checks that a record can be written, before the server makes an upload that nobody would remember.
    private func checkPlace(of name: String, in folder: SystemFolder) throws(FileError) {
        guard let record else { return }
        try FileWriter.checkTarget(record)
        do {
            try folder.remove(name + "-new")
            try folder.write([], to: name + "-new", at: 0)
            try folder.remove(name + "-new")
        } catch {
            throw FileError(operation: error.operation, code: error.code, path: record.path)
        }
    }

    /// Notes in the record how many bytes were sent, or may be sent by the next request.
    private func remember(isSending: Bool) -> Future<Void> {
        let bytes = state.withLock { $0.changedRecord(isSending: isSending) }
        guard let bytes else { return Future(value: ()) }
        return withRecord { folder, name in
            try folder.replace(
                name, with: bytes, by: name + "-new",
                at: Int64(Date().timeIntervalSince1970 * 1e9))
        }
    }

    /// Reads a record; nil if there is none that only the user can have written.
    private static func ownBytes(
        of name: String, in folder: SystemFolder
    ) throws(FileError) -> [UInt8]? {
        do {
            return try folder.read(name, upTo: 1 << 20)?.bytes
        } catch {
            if error.isOfUnusableFile { return nil }
            throw error
        }
    }

    /// Removes the record.
    private func forget() -> Future<Void> {
        withRecord { folder, name in try folder.remove(name) }
    }

    /// Calls a function with the record's folder and name, if there is to be a record.
    private func withRecord(
        _ body: @escaping @Sendable (SystemFolder, String) throws -> Void
    ) -> Future<Void> {
        guard let record else { return Future(value: ()) }
        return Future.make { resolver in
            self.queue.async {
                do {
                    let folder = SystemFolder(record.deletingLastPathComponent())
                    try body(folder, record.lastPathComponent)
                    resolver.resolve()
                } catch {
                    resolver.reject(with: HTTPError(code: .fileUnwritable, cause: error))
                }
            }
        }
    }

    /// Sends requests until all is sent; after a failure, asks the server first what it has.
    private func goOn(
        asking: Bool, failures: Int, restarts: Int, after wait: Duration?
    ) -> Future<HTTPResponse> {
        let before = state.withLock { ($0.highest, $0.location) }
        return send(asking: asking).flatMapError { error in
            if error is OtherUsers {
                self.state.withLock { $0.reset() }
                return self.goOn(asking: true, failures: 0, restarts: restarts, after: nil)
            }
            let isFurther = self.state.withLock {
                $0.highest > before.0 || before.1 == nil && $0.location != nil
            }
            // Without the note, a later run believes the server up to the end of the request's body.
            return self.remember(isSending: false).flatMapResult { _ in
                self.goOn(
                    after: error, failures: isFurther ? 1 : failures + 1, restarts: restarts,
                    last: wait)
            }
        }
    }

    /// Goes on after a request has failed.
    private func goOn(
        after error: any Error, failures: Int, restarts: Int, last: Duration?
    ) -> Future<HTTPResponse> {
        let step = state.withLock { $0.step(after: (error as? HTTPError)?.status) }
        if case .restart? = step {
            state.withLock { $0.reset() }
            return forget().flatMap {
                guard restarts < self.rules.retry.attempts else { throw error }
                return self.goOn(
                    asking: true, failures: failures - 1, restarts: restarts + 1, after: nil)
            }
        }
        let next = rules.wait(
            after: error, isTemporary: step != nil, failures: failures, last: last, random: random)
        if let next {
            return Future<Void>(value: ()).delay(next.time, on: scheduler)
                .flatMap {
                    self.goOn(
                        asking: true, failures: failures, restarts: restarts, after: next.backoff)
                }
        }
        if let left = attemptsAnew(after: error, failures: failures) {
            state.withLock { $0.reset() }
            return goOn(
                asking: true, failures: rules.retry.attempts - left, restarts: restarts, after: nil)
        }
        guard state.withLock({ $0.isBroken }) else { return Future(error: error) }
        return forget().flatMapResult { _ in Future(error: error) }
    }

    /// Returns how often a new upload may be tried in place of a recorded one that can't go on; nil for not at all.
    ///
    /// The record would make each call fail in the same way. It stays until the new upload has a URL, so a server that is
    /// down loses nothing. It is asked only once more.
    private func attemptsAnew(after error: any Error, failures: Int) -> Int? {
        let code = (error as? HTTPError)?.code
        guard state.withLock({ $0.isRecorded }), !(error is CancellationError),
            code != .fileUnwritable, code != .bodyUnreadable
        else { return nil }
        if rules.isFinal(error) { return rules.retry.attempts }
        return failures >= rules.retry.attempts ? 1 : nil
    }

    private func send(asking: Bool) -> Future<HTTPResponse> {
        if let change = change() { return Future(error: change) }
        if state.withLock({ $0.isOfUnknownUsers }) {
            return identify().flatMap { self.send(asking: asking) }
        }
        if state.withLock({ $0.location }) == nil || asking { return exchange(asking: asking) }
        return remember(isSending: true).flatMap { self.exchange(asking: false) }
    }

    private func exchange(asking: Bool) -> Future<HTTPResponse> {
        var (request, state, sent) = state.withLock { state in
            let sent = state.location == nil || asking ? nil : state.send()
            return (state.request(asking: asking), state, sent)
        }
        if let sent {
            request.context.noteSentBytes = sent.noteTaken
            request.body = body(to: state.end, of: state.size, state.contentType, noting: sent)
        }
        return service(request).flatMap { [request] response in
            guard (200...299).contains(response.status) else {
                throw HTTPError(code: .unacceptableStatus, request: request, response: response)
            }
            let step = try self.state.withLock { state in
                try state.note(response.request ?? request)
                return try state.receive(response, asking: asking)
            }
            switch step {
            case .done:
                if let change = self.change() { throw change }
                return Future(value: response)
            case .created, .append, .ask, .restart: return self.send(asking: false)
            }
        }
    }

    /// Finds out for whom the call is.
    ///
    /// The answer doesn't matter, only what the layers below have added to the request.
    private func identify() -> Future<Void> {
        let request = state.withLock { $0.optionsRequest }
        return service(request).flatMapResult { result in
            switch result {
            case .success(let response):
                try self.state.withLock { try $0.note(response.request ?? request) }
            case .failure(let error):
                guard let sent = (error as? HTTPError)?.response?.request else { throw error }
                try self.state.withLock { try $0.note(sent) }
            }
            return Future(value: ())
        }
    }

    /// The error of a file that was changed or replaced since the upload began; nil if it wasn't.
    private func change() -> HTTPError? {
        let folder = SystemFolder(file.deletingLastPathComponent())
        if folder.version(of: file.lastPathComponent) == version { return nil }
        let request = state.withLock { state in
            state.noteChange()
            return state.request
        }
        return HTTPError(
            code: .bodyUnreadable, request: request, cause: FileError.stale(file.path),
            reason: "the file was changed during the upload")
    }

    private func body(
        to end: Int64, of size: Int64, _ type: String, noting sent: SentBytes
    ) -> HTTPRequest.Body {
        let start = sent.start
        let source = HTTPRequest.BodySource(length: end - start, isReplayable: true) {
            [file, report] in
            let rest = Locked(end - start)
            let stream = try HTTPBodyStream.file(file, from: start)
            let part = HTTPBodyStream(
                length: end - start,
                next: {
                    if rest.withLock({ $0 }) == 0 { return Future(value: nil) }
                    return stream.next().map { chunk in
                        chunk.map { chunk in
                            rest.withLock { rest in
                                let taken = chunk.prefix(Int(min(rest, Int64(chunk.count))))
                                rest -= Int64(taken.count)
                                sent.noteRead(end - start - rest)
                                return taken
                            }
                        }
                    }
                }, cancel: { stream.cancel() })
            guard let report else { return part }
            return part.reportingProgress { count, _ in report(start + count, size) }
        }
        return HTTPRequest.Body(.stream(source), contentType: type)
    }
}
