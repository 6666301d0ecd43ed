#if AsyncHTTPClient
import AsyncHTTPClient
import Dispatch
import PledgeFutures
import PledgeHTTPNetworking
import NIOCore

/// Sends the chunks of a stream, each after the connection has taken the one before.
///
/// The stream is opened and read on a dispatch queue: it may block there, which an event loop must not do.
struct UploadPump: Sendable {
    private let writer: HTTPClient.Body.StreamWriter
    private let call: RequestAttempt
    private let control: RequestLifetime
    private let done: EventLoopPromise<Void>

    /// - Parameter done: Settled when everything has been sent.
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
        // The idle timeout does not count while the source has no bytes.
        control.exchange.expectNothing()
        stream.next().observe { result in
            switch result {
            case .success(let chunk?):
                control.exchange.noteSign()
                writer.write(.byteBuffer(ByteBuffer(bytes: chunk))).whenComplete { result in
                    switch result {
                    case .success: DispatchQueue.global().async { send(stream) }
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

/// An error of the request's body, and not of the connection.
struct BodyFailure: Error {
    let cause: any Error
}
#endif
