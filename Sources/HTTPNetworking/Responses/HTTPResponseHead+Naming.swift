package import PledgeFutures

extension HTTPResponseHead {
    /// The same response with a request, if it has none.
    package func naming(_ request: HTTPRequest) -> Self {
        var response = self
        response.request = response.request ?? request
        return response
    }
}

extension Error {
    /// The same error with a request, if it is an ``HTTPError`` that has none.
    package func naming(_ request: HTTPRequest) -> any Error {
        guard var error = self as? HTTPError else { return self }
        let sent = error.request ?? error.response?.request ?? request
        error.request = sent
        error.response = error.response?.naming(sent)
        return error
    }
}

extension Future {
    /// The same future, whose response or error has the request that was passed to a service.
    ///
    /// A response that has a request keeps it: the transports of this package set it. This is for another
    /// service beneath middleware that changes a request. An output that is not a response does not change.
    package func naming(_ request: HTTPRequest) -> Future {
        // A cast of the future is cheap; a cast of its value to the protocol would copy the value into a box.
        if let whole = self as? Future<HTTPResponse> {
            return unsafeDowncast(whole.namingHead(request) { $0.isNamed }, to: Future.self)
        }
        if let streamed = self as? Future<HTTPStreamedResponse> {
            return unsafeDowncast(
                streamed.namingHead(request) { $0.request != nil }, to: Future.self)
        }
        return flatMapSomeResults { result in
            guard case .success(let value) = result else { return result.namingError(request) }
            guard let response = value as? any HTTPResponseHead, response.request == nil,
                let named = response.naming(request) as? Value
            else { return nil }
            return Future(value: named)
        }
    }
}

extension Future where Value: HTTPResponseHead {
    fileprivate func namingHead(
        _ request: HTTPRequest, unless isNamed: @escaping @Sendable (Value) -> Bool
    ) -> Future {
        flatMapSomeResults { result in
            guard case .success(let response) = result else { return result.namingError(request) }
            return isNamed(response) ? nil : Future(value: response.naming(request))
        }
    }
}

extension Result where Success: Sendable, Failure == any Error {
    fileprivate func namingError(_ request: HTTPRequest) -> Future<Success>? {
        guard case .failure(let error as HTTPError) = self, error.request == nil else { return nil }
        return Future(error: error.naming(request))
    }
}
