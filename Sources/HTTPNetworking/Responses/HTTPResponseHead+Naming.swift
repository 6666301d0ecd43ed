package import Futures

extension HTTPResponseHead {
    /// The same response with a request, where it knows none.
    package func naming(_ request: HTTPRequest) -> Self {
        var response = self
        response.request = response.request ?? request
        return response
    }
}

extension Error {
    /// The same error with a request, where it is an ``HTTPError`` that knows none.
    package func naming(_ request: HTTPRequest) -> any Error {
        guard var error = self as? HTTPError else { return self }
        let sent = error.request ?? error.response?.request ?? request
        error.request = sent
        error.response = error.response?.naming(sent)
        return error
    }
}

extension Future {
    /// The same future, whose response or error knows the request that a service was given.
    ///
    /// What knows one already keeps it: our transports say what they send. This is for a service of
    /// somebody else's, beneath what adds something to a request.
    package func naming(_ request: HTTPRequest) -> Future {
        continued { result in
            switch result {
            case .success(let value):
                guard let response = value as? any HTTPResponseHead, response.request == nil,
                    let named = response.naming(request) as? Value
                else { return nil }
                return Future(value: named)
            case .failure(let error as HTTPError) where error.request == nil:
                return Future(error: error.naming(request))
            case .failure: return nil
            }
        }
    }
}
