package import PledgeFutures

/// A listener to an exchange: its answer, the chunks of a streamed body, and its end.
///
/// The end may be reported more than once, by a body that is given up after it has ended; the first counts.
package protocol ExchangeListener: Sendable {
    /// Notes the answer.
    func answer(_ response: some HTTPResponseHead)

    /// Notes a chunk of a streamed body.
    func receive(_ chunk: Data)

    /// Notes that no answer has arrived, or none that is accepted.
    func fail(with error: any Error)

    /// Notes the end of the body, or its failure.
    func end(with error: (any Error)?)
}

extension ExchangeListener {
    package func receive(_ chunk: Data) {}

    package func fail(with error: any Error) { end(with: error) }
}

extension Future where Value: HTTPResponseHead {
    /// The same response, which notifies a listener; the exchange ends with the body, or when the body is
    /// given up.
    package func notifying(_ listener: some ExchangeListener) -> Future {
        onEnd { result in
            if case .failure(let error) = result { listener.fail(with: error) }
        }
        .mapWithoutOrigin { response in
            listener.answer(response)
            guard let body = response.bodyStream else {
                listener.end(with: nil)
                return response
            }
            var told = response
            told.bodyStream = body.notifying(listener)
            return told
        }
    }
}

extension HTTPBodyStream {
    fileprivate func notifying(_ listener: some ExchangeListener) -> HTTPBodyStream {
        HTTPBodyStream(
            length: length,
            next: {
                self.next().onEnd { result in
                    switch result {
                    case .success(let chunk?): listener.receive(chunk)
                    case .success(nil): listener.end(with: nil)
                    case .failure(let error): listener.end(with: error)
                    }
                }
            },
            cancel: {
                self.cancel()
                listener.end(with: CancellationError())
            })
    }
}
