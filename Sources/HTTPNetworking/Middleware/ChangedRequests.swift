import PledgeFutures
package import PledgeHTTPMessages
package import PledgeServices

// An answer or an error names the request as it was sent. The transports of this package see to that themselves, but
// other services may not. So the innermost middleware that changes the request names it, and nothing above does.

extension Middleware where Input == HTTPRequest {
    /// Sends another request in place of each one.
    ///
    /// - Parameter change: Returns the request to send; nil to send the request as it is. If it throws, the call fails
    ///   with that error.
    package static func changing(
        named name: String? = nil,
        _ change: @escaping @Sendable (HTTPRequest) throws -> HTTPRequest?
    ) -> Middleware {
        Middleware(named: name) { next in
            { request in
                do {
                    guard let sent = try change(request) else { return next(request) }
                    return next(sent).withRequest(sent)
                } catch {
                    return Future(error: error)
                }
            }
        }
    }

    /// Creates a middleware that may send other requests than it gets.
    ///
    /// - Parameter wrap: Returns the wrapped service. The answers and errors of `next` name the request that it got.
    package init(
        changing name: String,
        _ wrap:
            @escaping @Sendable (_ next: @escaping Service<Input, Output>) -> Service<Input, Output>
    ) {
        self.init(named: name) { wrap(Self.addingRequests(to: $0)) }
    }

    /// Returns a service whose answers and errors name the request that it got, unless they name one already.
    package static func addingRequests(
        to service: @escaping Service<Input, Output>
    ) -> Service<Input, Output> {
        { request in service(request).withRequest(request) }
    }
}

extension Future {
    /// Adds a request to the response or the error, unless it already has one.
    ///
    /// An output that is not a response does not change.
    fileprivate func withRequest(_ request: HTTPRequest) -> Future {
        // Casting the future is cheap. Casting its value to the protocol would copy the value into a box.
        if let whole = self as? Future<HTTPResponse> {
            return unsafeDowncast(
                whole.withRequestInHead(request) { $0.hasRequest }, to: Future.self)
        }
        if let streamed = self as? Future<HTTPStreamedResponse> {
            return unsafeDowncast(
                streamed.withRequestInHead(request) { $0.request != nil }, to: Future.self)
        }
        return replacingAtEnd { result in
            guard case .success(let value) = result else {
                return result.withRequestInError(request)
            }
            guard let response = value as? any HTTPResponseHead, response.request == nil,
                let named = response.withRequest(request) as? Value
            else { return nil }
            return .success(named)
        }
    }
}

extension Future where Value: HTTPResponseHead {
    fileprivate func withRequestInHead(
        _ request: HTTPRequest, unless hasRequest: @escaping @Sendable (Value) -> Bool
    ) -> Future {
        // A response that is there, and is named, needs no closure.
        if hasSucceeded(hasRequest) { return self }
        return replacingAtEnd { result in
            guard case .success(let response) = result else {
                return result.withRequestInError(request)
            }
            return hasRequest(response) ? nil : .success(response.withRequest(request))
        }
    }
}

extension Result where Success: HTTPResponseHead, Failure == any Error {
    /// Returns the response or the error with a request; nil if it has one, or can't have one.
    package func withRequest(_ request: HTTPRequest) -> Result? {
        guard case .success(let response) = self else { return withRequestInError(request) }
        return response.request == nil ? .success(response.withRequest(request)) : nil
    }
}

extension Result where Success: Sendable, Failure == any Error {
    fileprivate func withRequestInError(_ request: HTTPRequest) -> Result? {
        guard case .failure(let error as HTTPError) = self, error.request == nil else { return nil }
        return .failure(error.withRequest(request))
    }
}
