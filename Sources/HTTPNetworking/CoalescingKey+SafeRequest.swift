public import Services

extension CoalescingKey
where Input == HTTPRequest, Output == HTTPResponse, Key == HTTPRequest {
    /// Lets equal safe requests share one call.
    ///
    /// ```swift
    /// let service = stack(.coalesce(by: .safeRequest), .retry(), over: transport.send)
    /// ```
    ///
    /// Two requests share a call if method, URL, all headers, body, idempotency key and tags are equal. An
    /// answer may depend on any header, such as Authorization, Cookie, Accept and Range, so none is left out.
    /// Put this beneath the middleware that adds headers. Each Set-Cookie goes to the caller whose request was
    /// sent, so that visitors who ask at once do not get one session. These requests share nothing:
    ///
    /// - requests whose method is not safe (``HTTPMethod/isSafe``),
    /// - those with a body that is not in memory.
    ///
    /// There is no such key for streamed responses, because a stream can be read only once.
    public static var safeRequest: CoalescingKey {
        CoalescingKey { request in
            guard request.method.isSafe else { return nil }
            switch request.body.content {
            case .none, .data: return request
            case .file, .stream: return nil
            }
        }
    }
}
