import Dispatch
public import Futures
public import HTTPNetworking
import Services

#if canImport(FoundationNetworking)
public import Foundation
@_exported public import FoundationNetworking
#else
public import Foundation
#endif

extension URLSession {
    /// Sends an endpoint, and gives a future of the body that comes back.
    ///
    /// ```swift
    /// let networking: Networking = URLSession.shared.request
    /// ```
    ///
    /// The request is under way when the method returns. Cancelling the future cancels it, and the
    /// future then rejects with `CancellationError`. The future settles on the session's
    /// delegate queue.
    ///
    /// It rejects with
    /// - an `Endpoint.Error` where the endpoint cannot be sent; nothing is sent;
    /// - an `HTTPError` that keeps status, headers and body where the status lies
    ///   outside 200…299;
    /// - an `HTTPError` with a code and the session's own error as its cause
    ///   where the exchange failed;
    /// - `CancellationError` where the session cancelled the task.
    ///
    /// The session's configuration, cookies and credentials apply, and on Apple platforms its cache.
    /// The session must not have been invalidated: a new task of such a session traps or throws in
    /// URLSession itself, which tells nobody beforehand. On Linux, in a session with a delegate of
    /// its own, a 401 that asks for a password (Basic or Digest) comes without its body.
    ///
    /// Content-Length and Transfer-Encoding are the session's to set; an endpoint's are not sent.
    ///
    /// - Parameter endpoint: What to ask for.
    /// - Returns: A future of the body, which is empty where there is none.
    public func request(_ endpoint: Endpoint) -> Future<Data> {
        exchange(endpoint).mapWithoutOrigin { try $0.acceptedBody(for: endpoint) }
    }

    /// Sends an endpoint, and gives a future of the whole response, whatever its status.
    ///
    /// It rejects and is cancelled as ``request(_:)`` is, but for the status.
    package func exchange(_ endpoint: Endpoint) -> Future<HTTPResponse> {
        CallContext.current.exchange(endpoint) {
            do {
                return send(try URLRequest(endpoint), for: endpoint, redirectsLeft: 16)
            } catch {
                return Future(error: error)
            }
        }
    }

    private func send(
        _ request: URLRequest,
        for endpoint: Endpoint,
        redirectsLeft: Int
    ) -> Future<HTTPResponse> {
        let promise = InternalPromise<HTTPResponse>()
        let watch = TaskWatch()
        let task = makeTask(with: request, watch) { body, response, error in
            let exchange = URLExchange(
                endpoint: endpoint,
                body: body,
                answer: watch.refused ?? response,
                error: watch.refused == nil ? error : nil,
                idleLimit: .seconds(request.timeoutInterval)
            )
            switch Result(catching: { try exchange.response() }) {
            case .success(let response): promise.resolve(with: response)
            case .failure(let error): promise.reject(with: error)
            }
        }
        promise.onCancel { [weak task] in
            // On Linux `cancel` waits for a queue of the session; whoever cancels must not.
            cancellations.async { [weak task] in
                if let task { watch.cancel(task) }
            }
        }
        task.resume()
        return promise.flatMap { response in
            guard let next = watch.withheld else { return Future(value: response) }
            guard redirectsLeft > 0 else {
                throw HTTPError(code: .tooManyRedirects, endpoint: endpoint, response: response)
            }
            return self.send(next, for: endpoint, redirectsLeft: redirectsLeft - 1)
        }
    }
}

private let cancellations = DispatchQueue(label: "Pledge.URLSessionTransport.cancellations")
