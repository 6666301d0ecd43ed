public import PledgeFutures
import PledgeHTTPBodies
public import PledgeHTTPMessages
public import PledgeHTTPTransportKit
public import PledgeObservation
import PledgeServices

/// A transport that records into a file if there is none, and otherwise replays it, without a network.
///
/// ```swift
/// let transport = try RecordOnceTransport(file, over: SessionTransport())
/// let client = HTTPClient(base: server, over: transport)
/// // … requests …
/// try transport.save()
/// ```
///
/// To record anew, remove the file.
public final class RecordOnceTransport: Sendable, HTTPTransport {
    /// True if the file existed, so that nothing is sent.
    public var isReplaying: Bool { recorder == nil }

    private let file: URL
    /// Nil while a file is replayed.
    private let recorder: HTTPRecorder?
    private let whole: HTTPService
    private let streaming: HTTPStreamingService

    /// Opens a recording, or begins one.
    ///
    /// - Parameters:
    ///   - file: The file in the format HAR. If it exists, it's read now, and nothing is ever sent.
    ///   - transport: Sends the requests while there is no file.
    ///   - recorder: Records them. It decides what is redacted and how large a body may be.
    ///   - replay: Makes the transport that replays the file.
    /// - Throws: An `HTTPArchive.ReadError` if the file exists, but is no recording. It isn't overwritten.
    public init(
        _ file: URL, over transport: some HTTPTransport, recorder: HTTPRecorder = HTTPRecorder(),
        replay: (HTTPArchive) -> ReplayTransport = { ReplayTransport($0) }
    ) throws(HTTPArchive.ReadError) {
        self.file = file
        if HTTPArchive.exists(at: file) {
            let replay = replay(try HTTPArchive(contentsOf: file))
            self.recorder = nil
            whole = replay.send
            streaming = replay.stream
        } else {
            self.recorder = recorder
            // Only decoded bodies can be searched for secrets.
            whole = stack(
                .record(into: recorder), .decompress(upTo: 64 << 20), over: transport.send)
            streaming = stack(
                .record(into: recorder), .decompress(upTo: 64 << 20), over: transport.stream)
        }
    }

    /// Sends and records a request, or replays its response.
    public func send(_ request: HTTPRequest) -> Future<HTTPResponse> { whole(request) }

    /// Sends and records a request, or replays its response as a stream.
    public func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        streaming(request)
    }

    /// Writes the exchanges that have ended, or does nothing while a file is replayed.
    ///
    /// Call it when everything went well: a run that stops before leaves no file, so the next run records anew instead
    /// of replaying a part. The file is replaced as a whole, and only the current user may read it.
    ///
    /// - Throws: A `FileError`; then there is no file.
    public func save() throws(FileError) { try recorder?.archive.write(to: file) }
}

extension RecordOnceTransport: CustomStringConvertible {
    /// The text "a recording" or "a replay".
    public var description: String { isReplaying ? "a replay" : "a recording" }
}
