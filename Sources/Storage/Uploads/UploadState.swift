import PledgeFutures
import PledgeHTTPBodies
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeHTTPText
import PledgeHTTPTransportKit
import PledgeServices

/// What is known of an upload: a pure state machine.
struct UploadState: Sendable {
    /// What to do next.
    enum Step: Sendable {
        /// The upload has got a URL: record it, then send bytes.
        case created
        /// Send the bytes from the offset on.
        case append
        /// Ask for the offset.
        case ask
        /// Return the answer: everything is sent.
        case done
        /// Start over: the server doesn't know the upload any more.
        case restart
    }

    private let proto: ResumableUploadProtocol
    /// The request that creates the upload.
    private(set) var request: HTTPRequest
    private let redirects: Redirects
    /// Identifies the URL and the file: a hash of the URL, and the file's inode, size and time.
    let source: String
    let size: Int64
    /// The largest body, in bytes.
    private var partSize: Int64
    /// A request to the upload's URL, without method and body; nil until the upload has a URL.
    private var resource: HTTPRequest?
    /// How many bytes the server has.
    private(set) var offset: Int64 = 0
    /// The largest offset so far; only bytes beyond it count as progress.
    private(set) var highest: Int64 = 0
    /// The end of what was sent before the last body, also by earlier runs.
    private var sentEnd: Int64 = 0
    /// The last body.
    private var sending: SentBytes?
    /// True if the upload's URL comes from a record, and the server has taken nothing since.
    private(set) var isRecorded = false
    /// The first offset that a recorded upload's server has told; nil if it hasn't yet.
    private var firstOffset: Int64?
    /// The end of the sent bytes, according to the record; nil if there is no record.
    private var recordedEnd: Int64?
    /// Identifies the upload's users (`RequestUsers.mark`).
    private(set) var users = ""
    /// True once it's known that the call is for these users.
    private var isOfUsers = false
    /// True if the server has broken the protocol, so that the upload can't continue.
    private(set) var isBroken = false

    init(
        _ proto: ResumableUploadProtocol, _ request: HTTPRequest, _ file: FileVersion,
        partSize: Int64?, _ redirects: Redirects
    ) {
        self.proto = proto
        self.redirects = redirects
        var request = request
        // Before it sends again, the upload asks for the offset, so a retry below must not repeat a request.
        request.context.skipsRetry = true
        request.context.users = RequestUsers(besides: Self.ownHeaders)
        self.request = request
        self.partSize = partSize ?? .max
        size = Int64(file.size)
        let url = SHA256.hash(Array(request.url.absoluteString.utf8)).hexadecimal
        source = "\(url) \(file.inode) \(file.size) \(file.modified) \(proto.draft ?? 0)"
    }

    var location: URL? { resource?.url }

    /// The lowercase headers that the upload itself sets, different for each request.
    private static let ownHeaders: Set<String> = [
        "tus-resumable", "upload-complete", "upload-draft-interop-version", "upload-incomplete",
        "upload-length", "upload-metadata", "upload-offset",
    ]

    /// True if another request has to show whose call this is, because no header goes to the upload's URL.
    var isOfUnknownUsers: Bool {
        isRecorded && !isOfUsers && location.flatMap(HTTPOrigin.init) != HTTPOrigin(request.url)
    }

    /// A request that shows whose call this is.
    ///
    /// In both protocols, OPTIONS asks what the server can do.
    var optionsRequest: HTTPRequest {
        var next = request
        next.method = .options
        next.body = .none
        mark(&next)
        return next
    }

    /// Compares a sent request's users with the upload's.
    ///
    /// - Throws: ``OtherUsers`` if the upload is somebody else's.
    mutating func noteUsers(of sent: HTTPRequest) throws(OtherUsers) {
        if isRecorded, !isOfUsers, !sent.users.isMarked(by: users) { throw OtherUsers() }
        if resource == nil { users = sent.users.mark }
        isOfUsers = true
        // The layers below refuse to send a request for other users than the call's.
        request.context.signIns.bind(sent.context.signIns)
        resource?.context.signIns.bind(sent.context.signIns)
    }

    mutating func reset() {
        (users, isOfUsers) = ("", false)
        (resource, sending, isRecorded, isBroken) = (nil, nil, false, false)
        (offset, highest, sentEnd) = (0, 0, 0)
        (firstOffset, recordedEnd) = (nil, nil)
    }

    /// Continues a recorded upload, if it's of the same file, and if the rules of redirects allow its URL.
    mutating func goOn(with bytes: [UInt8]) {
        guard let lines = SealedLines.decoded(bytes), lines.count == 5,
            lines[0] == "pledge-upload 3", lines[1] == source,
            let end = Self.offset(lines[3]), end <= size
        else { return }
        guard let resource = try? resource(at: URL(string: lines[4])) else { return }
        (self.resource, users, isRecorded) = (resource, lines[2], true)
        (sentEnd, recordedEnd) = (end, end)
    }

    /// The record for a later run; nil if it hasn't changed, or if there is nothing to continue.
    ///
    /// - Parameter isSending: True before a body is sent. If the process is killed while it sends, nothing says how
    ///   much was sent. So until the request has ended, the record has the end of the whole body.
    mutating func changedRecord(isSending: Bool) -> [UInt8]? {
        let sent = isSending ? max(most, end) : most
        guard let resource, !isBroken, sent != recordedEnd else { return nil }
        recordedEnd = sent
        return SealedLines.encoded([
            "pledge-upload 3", source, users, "\(sent)", resource.url.absoluteString,
        ])
    }

    /// Begins the next body.
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

    /// The request that creates the upload, or asks for its offset.
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

    var contentType: String {
        proto.draft == nil ? "application/offset+octet-stream" : "application/partial-upload"
    }

    /// A request to a URL that a server or a record names.
    ///
    /// The URL must obey the rules of redirects, because it gets the file's bytes.
    private func resource(at url: URL?) throws(RedirectRefusal) -> HTTPRequest {
        var next = request
        for name in ["Content-Type", "Upload-Metadata"] { next.headers.remove(name) }
        // A placeholder for the file's bytes.
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

    /// Says whether this body completes the upload; draft 3 says whether it does not.
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

    /// Handles an answer with a status of 200…299.
    mutating func receive(_ response: HTTPResponse, asking: Bool) throws(HTTPError) -> Step {
        // Computed first, because a limit in the answer is for the next body.
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
        // Nothing beyond this was sent.
        let most = asking ? most : min(planned, sending?.end ?? 0)
        let sent = most == planned ? planned : nil
        if proto.draft != nil {
            let isComplete = isComplete(response.headers)
            let isWhole = most == size && found ?? size == size
            // The answer to the last bytes is the result, and need not have upload headers.
            if isWhole, isComplete ?? !asking { return .done }
            if isComplete == true {
                throw broken("the upload is complete before all bytes are there", response)
            }
        }
        guard let offset = found ?? (asking ? nil : sent), offset <= most else {
            throw broken(Self.noOffset, response)
        }
        // Otherwise the same bytes would be sent for ever.
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

    /// Nil unless the text has only digits and the number isn't too large.
    private static func offset(_ text: String) -> Int64? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            ? Int64(text) : nil
    }

    /// Records that the file has changed, so that the upload can't continue.
    mutating func noteChange() { (isBroken, isRecorded) = (true, false) }

    /// Handles an answer with another status; nil if it's an error.
    func step(after status: Int?) -> Step? {
        guard resource != nil else { return nil }
        switch status {
        case 404, 410: return .restart
        case 403 where proto.draft == nil: return .restart
        // The offset was wrong, or an earlier request still holds the upload.
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

/// The recorded upload belongs to other users than the call's.
struct OtherUsers: Error {}

/// How many bytes of a body were sent.
final class SentBytes: Sendable {
    /// The body's first byte, as a position in the file.
    let start: Int64
    private let counts = Locked<(read: Int64, taken: Int64?)>((0, nil))

    init(from start: Int64) { self.start = start }

    /// The end of the sent bytes, as a position in the file.
    ///
    /// A transport reads ahead. If it doesn't say how much it has sent, everything that it has read counts.
    var end: Int64 { start + counts.withLock { min($0.read, $0.taken ?? $0.read) } }

    /// Records how many bytes the transport has read since it opened the body.
    func noteRead(_ count: Int64) { counts.withLock { $0.read = max($0.read, count) } }

    /// Records how many bytes the system has taken from the transport.
    func noteTaken(_ count: Int64) { counts.withLock { $0.taken = max($0.taken ?? 0, count) } }
}
