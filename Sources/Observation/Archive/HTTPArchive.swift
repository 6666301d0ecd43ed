public import PledgeFutures
public import PledgeHTTPMessages
public import PledgeHTTPText
import PledgeHTTPTransportKit
public import PledgeServices

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// Recorded exchanges, as a file in the format HAR 1.2, which browsers' developer tools also read and write.
///
/// ```swift
/// let archive = try HTTPArchive(contentsOf: file)
/// let client = HTTPClient(base: server, over: ReplayTransport(archive))
/// ```
///
/// `ReplayTransport` is in the module `PledgeTesting`. An ``HTTPRecorder`` makes an archive from a client's exchanges. Two
/// archives are equal if their entries are, apart from the responses' times.
public struct HTTPArchive: Hashable, Sendable {
    /// The exchanges, in the order in which they began.
    public var entries: [Entry]

    /// Creates an archive from entries.
    public init(entries: [Entry] = []) { self.entries = entries }

    /// Reads the text of a HAR file.
    ///
    /// It accepts what browsers write: unknown members are ignored, most missing ones are replaced by defaults, and the
    /// pseudo-headers of HTTP/2, such as ":authority", are left out.
    ///
    /// - Throws: A ``ReadError`` that names the damaged place.
    public init(_ data: Data) throws(ReadError) {
        let value: JSONValue
        do { value = try JSONDecoder().decode(JSONValue.self, from: data) } catch {
            throw ReadError(place: "", reason: "it isn't JSON: \(Self.reason(of: error))")
        }
        try self.init(ArchiveReader(value))
    }

    /// Reads a HAR file.
    ///
    /// - Throws: A ``ReadError`` if the file can't be read, or is damaged.
    public init(contentsOf file: URL) throws(ReadError) {
        do { try self.init(try Data(contentsOf: file)) } catch var error as ReadError {
            error.file = file
            throw error
        } catch {
            throw ReadError(file: file, place: "", reason: "it can't be opened")
        }
    }

    /// The archive as the text of a HAR file.
    ///
    /// Encoding the same archive again gives the same text. A request's body that isn't UTF-8 is written in Base64,
    /// with the member `_encoding`, because the format has no member for it.
    public var encoded: Data { Data(ArchiveText.bytes(of: self)) }

    /// Writes a HAR file that only the current user may read, and creates its folder if there is none.
    ///
    /// The file is replaced as a whole: whenever the system stops, it has its old content or its new one. The call
    /// blocks until the disk has it.
    ///
    /// - Throws: A `FileError`; the old file, if any, is then unchanged.
    public func write(to file: URL) throws(FileError) {
        let folder = SystemFolder(file.deletingLastPathComponent())
        let name = file.lastPathComponent
        try folder.create()
        try folder.replace(
            name, with: Array(encoded),
            by: "\(name).\(getpid()).\(UInt32.random(in: 0 ... .max)).part",
            at: Date.now.secondsSince1970 * 1_000_000_000)
    }

    package static func exists(at file: URL) -> Bool {
        SystemFolder(file.deletingLastPathComponent()).version(of: file.lastPathComponent) != nil
    }

    private static func reason(of error: any Error) -> String {
        guard case .dataCorrupted(let context) = error as? DecodingError else {
            return "it isn't readable"
        }
        let cause = context.underlyingError.map { ": \($0)" } ?? ""
        return SafeText.line(context.debugDescription + cause, upTo: 200)
    }
}

extension HTTPArchive {
    /// One exchange: a request, and its response or failure.
    public struct Entry: Hashable, Sendable {
        /// When the exchange began; the file keeps milliseconds.
        package var startedAt: Date

        /// The time from the beginning to the end; the file keeps microseconds.
        public var duration: Duration

        /// The request as it was sent.
        ///
        /// A body that was left out is empty.
        public var request: HTTPRequest

        /// The response, with its times; nil if none arrived.
        ///
        /// A body that was left out is empty.
        public var response: HTTPResponse?

        /// The reason why the exchange failed, or ended before its body did; nil if it didn't.
        ///
        /// In a recording of this package, it's "cancelled", the raw value of an `HTTPError.Code` such as
        /// "connectionLost", or the name of another error's type. Browsers write words of their own.
        public var failure: String?

        /// A note for the reader of the file; nil for none.
        public var comment: String?

        /// Why the request's body was left out; nil if it wasn't.
        package var missingRequestBody: String?

        /// Why the response's body was left out; nil if it wasn't.
        package var missingResponseBody: String?

        /// Creates an entry.
        ///
        /// - Parameters:
        ///   - request: The request as it was sent.
        ///   - response: The response; nil if none arrived.
        ///   - failure: The reason why the exchange failed; nil if it didn't.
        ///   - startedAt: When the exchange began.
        ///   - duration: The time from the beginning to the end.
        public init(
            _ request: HTTPRequest, _ response: HTTPResponse?, failure: String? = nil,
            startedAt: Date = Date(timeIntervalSince1970: 0), duration: Duration = .zero
        ) {
            self.request = request
            self.response = response
            self.failure = failure
            self.startedAt = startedAt
            self.duration = duration
        }
    }

    /// The text that replaces a secret in a recording; a replayed request may have any text in its place.
    package static let redacted = "REDACTED"
}

extension HTTPArchive {
    /// A HAR file that can't be read.
    public struct ReadError: Error, Hashable, CallerError {
        /// The file; nil for a text in memory.
        package internal(set) var file: URL?

        /// The damaged place, like "log.entries[3].request.url"; empty if it's the whole file.
        package let place: String

        /// What is wrong there.
        package let reason: String

        init(file: URL? = nil, place: String, reason: String) {
            self.file = file
            self.place = place
            self.reason = reason
        }
    }
}

extension HTTPArchive.ReadError: DescribedError {
    /// The file, the place and the reason.
    public var description: String {
        let name = file.map { SafeText.line($0.path, upTo: 300) } ?? "the text"
        return
            "\(name) can't be read as a recording in the format HAR: \(place.isEmpty ? "" : place + ": ")\(reason)"
    }
}

extension HTTPArchive: DescriptionOnly {
    /// The number of entries, without their content.
    public var description: String {
        entries.count == 1
            ? "a recording of 1 exchange" : "a recording of \(entries.count) exchanges"
    }
}

extension HTTPArchive.Entry: DescriptionOnly {
    /// The method, the URL without its query's values, and the status or the failure.
    public var description: String {
        let end = response.map { "\($0.status)" } ?? SafeText.line(failure ?? "", upTo: 100)
        return
            "\(SafeText.escaped(request.method.rawValue)) \(SafeText.redacted(request.url)) → \(end)"
    }
}
