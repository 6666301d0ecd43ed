import Foundation
import PledgeArticles

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// "Futures & Promises": the article's own `request`, which Pledge brings; under another name here.
// snippet: request
extension URLSession {
    func requestAsWritten(_ endpoint: Endpoint) -> Future<Data> {
        // Start by constructing a Promise, that will later be
        // returned as a Future
        let promise = Promise<Data>()

        // Immediately reject the promise in case the passed
        // endpoint can't be converted into a valid URL
        guard let url = endpoint.url else {
            promise.reject(with: Endpoint.Error.invalidURL)
            return promise
        }

        let task = dataTask(with: url) { data, _, error in
            // Reject or resolve the promise, depending on the result
            if let error = error {
                promise.reject(with: error)
            } else {
                promise.resolve(with: data ?? Data())
            }
        }

        task.resume()

        return promise
    }
}
// end snippet
