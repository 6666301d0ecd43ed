import PledgeFutures
import PledgeHTTPNetworking

extension HTTPBodyStream {
    /// The same bytes without their codings, decoded on request.
    ///
    /// - Parameter failure: Makes the stream's error from the decoder's.
    func decoded(
        by decoder: BodyDecoder, failingWith failure: @escaping @Sendable (any Error) -> HTTPError
    ) -> HTTPBodyStream {
        let decoding = DecodedBody(self, decoder, failure)
        return HTTPBodyStream(next: decoding.next, cancel: cancel)
    }
}

/// A body and the state of its decoding.
private final class DecodedBody: Sendable {
    private let body: HTTPBodyStream
    private let decoder: Locked<BodyDecoder>
    private let failure: @Sendable (any Error) -> HTTPError

    init(
        _ body: HTTPBodyStream, _ decoder: BodyDecoder,
        _ failure: @escaping @Sendable (any Error) -> HTTPError
    ) {
        self.body = body
        self.decoder = Locked(decoder)
        self.failure = failure
    }

    @Sendable func next() -> Future<Data?> {
        do {
            if let piece = try decoder.withLock({ try $0.read() }) { return Future(value: piece) }
        } catch { return fail(error) }
        return body.next().flatMapSomeResults { result in
            guard case .success(let data) = result else { return nil }
            guard let data else {
                do { try self.decoder.withLock { try $0.finish() } } catch {
                    return self.fail(error)
                }
                return nil
            }
            self.decoder.withLock { $0.give(data) }
            return self.next()
        }
    }

    private func fail(_ error: any Error) -> Future<Data?> {
        body.cancel()
        return Future(error: failure(error))
    }
}
