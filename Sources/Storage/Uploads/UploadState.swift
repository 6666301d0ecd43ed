import PledgeFutures
import PledgeHTTPBodies
import PledgeHTTPNetworking
import PledgeServices

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
    mutating func noteUsers(of sent: HTTPRequest) throws(OtherUsers) {
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
