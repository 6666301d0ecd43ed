package import PledgeHTTPText

extension KnownSecrets {
    /// Collects the secrets of an exchange.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent. The response's own request is examined as well.
    ///   - endpoint: The endpoint. It may hold secrets that redirects have removed from the request.
    ///   - response: The response.
    package init(of request: HTTPRequest?, _ endpoint: Endpoint?, _ response: HTTPResponse?) {
        self.init()
        if let request { add(request) }
        if let sent = response?.request, sent != request { add(sent) }
        if let endpoint { add(endpoint) }
        guard let response else { return }
        if let url = response.url { add(url) }
        for (name, value) in response.headers where !HTTPHeaders.isShown(name) {
            if name.lowercased() == "set-cookie" {
                add(field: value.prefix { $0 != ";" })
            } else {
                add(value)
                add(query: value.drop { $0 != "?" })
            }
        }
    }

    /// Returns a response's content type, without its parameters if they may repeat unknown secrets.
    package func shownType(of response: HTTPResponse) -> String? {
        guard let type = response.headers["Content-Type"], !type.isEmpty else { return nil }
        return isComplete ? scrubbed(type) : scrubbed(type.prefix { $0 != ";" })
    }

    package mutating func add(_ request: HTTPRequest) {
        add(request.url)
        add(request.effectiveHeaders, request.body)
    }

    /// Adds the header values that may be secrets, and the values of the body.
    mutating func add(_ headers: HTTPHeaders, _ body: HTTPRequest.Body) {
        for (name, value) in headers where !HTTPHeaders.isShown(name) { add(field: value) }
        add(body, contentType: headers["Content-Type"])
    }

    private mutating func add(_ endpoint: Endpoint) {
        if let url = endpoint.url { add(url) }
        if endpoint.url == nil { add(query: endpoint.target.drop { $0 != "?" }.dropFirst()) }
        // The URLs made from the base lack its fragment, so the base is added too.
        if let base = endpoint.base { add(base) }
        if endpoint.pathAndQuery.isMeantAsURL { add(url: endpoint.path) }
        for item in endpoint.query.items { add(item.value ?? item.name) }
        add(endpoint.effectiveHeaders, endpoint.body)
    }

    private mutating func add(_ url: URL) { add(url: url.absoluteString) }
}

extension KnownSecrets {
    /// Adds the values of a request's body, as far as it can be examined.
    ///
    /// JSON, forms, and the parts of a multipart body that are fields, JSON or forms can be examined. Anything else,
    /// such as a file, a stream or a text, cannot.
    mutating func add(_ body: HTTPRequest.Body, contentType: String?) {
        switch body.content {
        case .none: break
        case .data(let data): add(data, contentType: contentType)
        case .file: isMissingSome()
        case .stream(let source):
            guard let pieces = source.pieces else { return isMissingSome() }
            for case .part(let headers, let body) in pieces { add(part: headers, body) }
        }
    }

    private mutating func add(part headers: HTTPHeaders, _ body: HTTPRequest.Body) {
        var headers = headers
        // The names of files are added, because the user chooses them; the app chooses the names of fields.
        let names = headers["Content-Disposition"]?.split(separator: "filename=\"") ?? []
        if names.count > 1 { add(names[1].dropLast()) }
        headers.remove("Content-Disposition")
        if headers["Content-Type"] == nil, case .data(let text) = body.content {
            return add(text)
        }
        add(headers, body)
    }
}
