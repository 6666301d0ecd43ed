extension KnownSecrets {
    /// The secrets of an exchange.
    ///
    /// - Parameters:
    ///   - request: The request as it was sent. The response's request counts as well.
    ///   - endpoint: The endpoint. Redirects may have taken out what stands there.
    ///   - response: The answer.
    init(of request: HTTPRequest?, _ endpoint: Endpoint?, _ response: HTTPResponse?) {
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

    /// The type of an answer's body, without its parameters if they may repeat unknown secrets.
    func shownType(of response: HTTPResponse) -> String? {
        guard let type = response.headers["Content-Type"], !type.isEmpty else { return nil }
        return isComplete ? scrubbed(type) : scrubbed(type.prefix { $0 != ";" })
    }

    mutating func add(_ request: HTTPRequest) {
        add(request.url)
        add(request.effectiveHeaders, request.body)
    }

    /// Adds the values of headers that may be secrets, and the values of a body.
    mutating func add(_ headers: HTTPHeaders, _ body: HTTPRequest.Body) {
        for (name, value) in headers where !HTTPHeaders.isShown(name) { add(field: value) }
        add(body, contentType: headers["Content-Type"])
    }

    private mutating func add(_ endpoint: Endpoint) {
        if let url = endpoint.url { add(url) }
        if endpoint.url == nil { add(query: endpoint.target.drop { $0 != "?" }.dropFirst()) }
        // No URL that is made from it has its fragment.
        if let base = endpoint.base { add(base) }
        if endpoint.pathAndQuery.isMeantAsURL { add(url: endpoint.path) }
        for item in endpoint.queryItems { add(item.value ?? item.name) }
        add(endpoint.effectiveHeaders, HTTPRequest.Body(endpoint.body))
    }

    private mutating func add(_ url: URL) { add(url: url.absoluteString) }

    /// Adds userinfo, the values of the query, and the fragment.
    private mutating func add(url: String) {
        let beforeFragment = url.prefix { $0 != "#" }
        let fragment = url[beforeFragment.endIndex...].dropFirst()
        if !fragment.isEmpty {
            add(fragment)
            add(query: fragment)
        }
        let place = beforeFragment.prefix { $0 != "?" }
        add(query: beforeFragment[place.endIndex...].dropFirst())
        // After the scheme and two slashes, up to the next slash.
        let authority = place.drop { $0 != ":" }.dropFirst(3).prefix { $0 != "/" }
        guard let at = authority.lastIndex(of: "@") else { return }
        add(userinfo: authority[..<at])
    }

    /// Adds a name and a password, together and apart, and as Basic authentication sends them.
    private mutating func add(userinfo: Substring) {
        add(userinfo)
        let name = userinfo.prefix { $0 != ":" }
        add(name)
        add(userinfo[name.endIndex...].dropFirst())
        let decoded = PercentEncoding.decode(userinfo) ?? String(userinfo)
        add(Data(decoded.utf8).base64EncodedString())
    }

    /// Adds the values of a query or a form; an item without a name is a value.
    mutating func add(query: Substring) {
        for item in query.split(whereSeparator: { "&;?".contains($0) }) {
            add(item.firstIndex(of: "=").map { item[item.index(after: $0)...] } ?? item)
        }
    }

    /// Adds a header's value: whole, without its scheme, the values of its pairs, and each word; for Basic
    /// credentials, also the decoded ones.
    private mutating func add(field value: some StringProtocol) {
        add(value)
        add(value.drop { $0 != " " })
        for separator: Character in [";", ","] {
            for item in value.split(separator: separator) {
                let pair = item.drop { $0 != "=" }.dropFirst()
                add(pair)
                add(pair.drop { $0 == "\"" }.prefix { $0 != "\"" })
            }
        }
        for word in value.split(whereSeparator: { " \t;,=&?\"'<>()".contains($0) }) {
            add(word)
            let padding = String(repeating: "=", count: (4 - word.utf8.count % 4) % 4)
            guard let data = Data(base64Encoded: word + padding),
                let text = String(data: data, encoding: .utf8), text.contains(":")
            else { continue }
            add(text)
            add(text.prefix { $0 != ":" })
            add(text.drop { $0 != ":" }.dropFirst())
        }
    }
}
