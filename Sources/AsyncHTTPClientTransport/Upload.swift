#if AsyncHTTPClient
import AsyncHTTPClient
import Dispatch
import NIOCore
import NIOHTTP1
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPTransportKit

enum Upload: Sendable {
    /// Sent in one piece.
    case data(Data)
    /// Chunks that are read one after the other.
    case stream(length: Int64?, open: @Sendable () throws -> HTTPBodyStream)

    /// Returns nil if the body is empty, or if it's a file, which the caller opens.
    init?(_ body: HTTPRequest.Body) {
        switch body.content {
        case .none, .file: return nil
        case .data(let data) where data.count > HTTPRequest.Body.largestPiece:
            self = .stream(length: Int64(data.count)) { HTTPBodyStream(data) }
        case .data(let data): self = .data(data)
        case .stream(let source): self = .stream(length: source.length) { try source.open() }
        }
    }

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

/// Sends a stream's chunks, each after the connection has taken the one before.
///
/// A dispatch queue opens and reads the stream, because that may block.
struct UploadPump: Sendable {
    private let writer: HTTPClient.Body.StreamWriter
    private let call: RequestAttempt
    private let control: RequestLifetime
    private let done: EventLoopPromise<Void>

    /// `done` settles when everything was sent, or when the body has failed.
    init(
        _ writer: HTTPClient.Body.StreamWriter, _ call: RequestAttempt, _ control: RequestLifetime,
        _ done: EventLoopPromise<Void>
    ) {
        self.writer = writer
        self.call = call
        self.control = control
        self.done = done
    }

    func start(_ open: @escaping @Sendable () throws -> HTTPBodyStream) {
        DispatchQueue.global().async {
            do {
                let stream = try open()
                control.hold(upload: stream, attempt: call.attempt)
                send(stream)
            } catch {
                fail(error)
            }
        }
    }

    private func send(_ stream: HTTPBodyStream) {
        // While the source has no bytes, the idle timeout doesn't run.
        control.exchange.expectNothing()
        stream.next().observe { result in
            switch result {
            case .success(let chunk?):
                control.exchange.noteSign()
                writer.write(.byteBuffer(ByteBuffer(bytes: chunk))).whenComplete { result in
                    switch result {
                    case .success:
                        control.exchange.noteSentBytes()
                        DispatchQueue.global().async { send(stream) }
                    case .failure(let error): done.fail(error)
                    }
                }
            case .success(nil):
                control.exchange.noteSign()
                control.didUpload()
                done.succeed()
            case .failure(let error): fail(error)
            }
        }
    }

    private func fail(_ error: any Error) { done.fail(BodyFailure(cause: error)) }
}

/// An error of the request's body, not of the connection.
struct BodyFailure: Error {
    let cause: any Error
}

extension HTTPClient.Request {
    /// AsyncHTTPClient adds Host, and Content-Length or Transfer-Encoding.
    init(_ call: RequestAttempt, _ upload: Upload?, _ control: RequestLifetime) throws {
        let request = call.request
        let lowered = call.lease.routes.lowered(request.url)
        var headers = NIOHTTP1.HTTPHeaders(request.effectiveHeaders.map { ($0.name, $0.value) })
        if let lowered, !headers.contains(name: "Host") {
            headers.add(name: "Host", value: lowered.host)
        }
        try self.init(
            url: lowered?.url ?? request.url,
            method: NIOHTTP1.HTTPMethod(rawValue: request.method.rawValue),
            headers: headers,
            body: upload?.body(for: call, control)
        )
    }
}
#endif
