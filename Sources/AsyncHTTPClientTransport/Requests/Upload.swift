#if AsyncHTTPClient
import AsyncHTTPClient
import PledgeHTTPNetworking
import NIOCore

/// A request's body, ready to be sent.
enum Upload: Sendable {
    /// A body of at most 1 MiB in memory, which is sent in one piece.
    case data(Data)
    /// Chunks that are read one after the other.
    case stream(length: Int64?, open: @Sendable () throws -> HTTPBodyStream)

    /// Makes the body of a request; nil if the request has none, or has a file, which the caller opens.
    init?(_ body: HTTPRequest.Body) {
        switch body.content {
        case .none, .file: return nil
        case .data(let data) where data.count > 1 << 20:
            self = .stream(length: Int64(data.count)) { HTTPBodyStream(data) }
        case .data(let data): self = .data(data)
        case .stream(let source): self = .stream(length: source.length) { try source.open() }
        }
    }

    /// The body in AsyncHTTPClient's form.
    func body(for call: RequestAttempt, _ control: RequestLifetime) -> HTTPClient.Body {
        switch self {
        case .data(let data): return .bytes(data)
        case .stream(let length, let open):
            return .stream(contentLength: length) { writer in
                let done = call.lease.anyLoop.makePromise(of: Void.self)
                UploadPump(writer, call, control, done).start(open)
                return done.futureResult
            }
        }
    }
}
#endif
