package import PledgeFutures
package import PledgeHTTPMessages
import PledgeServices

extension HTTPRequest {
    /// Reads the body into memory, for a transport that sends nothing; nil if there is none, or if the request is invalid.
    ///
    /// - Returns: A future that fails with an `HTTPError` with the code `HTTPError.Code.bodyUnreadable`, or with the
    ///   error of a stream's length.
    package func bodyInMemory(on scheduler: any FutureScheduler) -> Future<Data?> {
        switch body.content {
        case .none: return Future(value: nil)
        case .data(let data): return Future(value: data)
        // A refused request must not use up a body that can be sent only once.
        case _ where (try? validate()) == nil: return Future(value: nil)
        case .file(let url):
            do { return Future(value: try Data(contentsOf: url)) } catch {
                return Future(error: HTTPError.unreadable(url, cause: error).withRequest(self))
            }
        case .stream:
            let record = CallContext.current.record
            record?.beginPause(.upload, on: scheduler)
            do {
                return try body.open().collected(upTo: .max).mapWithoutOrigin { $0 }
                    .mapError(HTTPError.failure(ofBody:))
                    .onEnd { _ in record?.endPause(.upload) }
            } catch {
                record?.endPause(.upload)
                return Future(error: HTTPError.failure(ofBody: error))
            }
        }
    }
}
