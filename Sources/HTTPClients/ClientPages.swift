import PledgeFutures
public import PledgeHTTPMessages
public import PledgeServices

extension HTTPClient {
    /// The decoded pages of a list, if each response names the next page in a Link header with `rel="next"`.
    ///
    /// ```swift
    /// for try await issues: [Issue] in client.pages("/repos/ada/kit/issues") { show(issues) }
    /// ```
    ///
    /// While you use a page, the next one loads; see `paginate(_:from:maxPages:next:)`.
    ///
    /// - Parameters:
    ///   - path: The path of the first page below `base`.
    ///   - query: Items to append to the query of the first page.
    ///   - headers: The headers of each request.
    ///   - timeout: The time limit of each page's call, instead of ``Settings/deadline``.
    ///   - context: Further properties of the calls.
    ///   - type: The type of a page. Leave it out if the loop names the type.
    ///   - maxPages: The maximum number of pages; a further page fails with `ServiceError.Code.tooManyPages`. Less than
    ///     one is a programming error and traps.
    /// - Returns: The pages, decoded with ``Settings/json``. Iterating throws the errors of `get`. If
    ///   the next page is at another origin, iterating throws an `HTTPError` with the code `redirectRefused`.
    public func pages<Page: Decodable & Sendable>(
        _ path: Endpoint.Path, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        timeout: Duration? = nil, context: HTTPRequest.Context = .init(),
        of type: Page.Type = Page.self, maxPages: Int = 10_000
    ) -> some AsyncSequence<Page, any Error> & Sendable {
        let first = Endpoint(.get, path, query, headers, timeout, context)
        let load: Service<URL?, LinkedPage<Page>> = {
            [json = slots.json, client = uncountedCopy] url in
            let response =
                if let url {
                    client.functions.send(
                        HTTPRequest(url, headers: headers, context: first.context))
                } else {
                    client.functions.sendEndpoint(first)
                }
            return response.mapWithoutOrigin {
                LinkedPage(page: try json.value(of: $0), next: $0.nextPage)
            }
        }
        return paginate(load, from: nil, maxPages: maxPages) { page, _ in try page.next.get() }
            .map { $0.page }
    }

    /// The decoded pages of a list whose pages each hold a cursor for the next page.
    ///
    /// ```swift
    /// for try await feed in client.pages("/posts", cursor: "after", next: \Feed.next) { show(feed.posts) }
    /// ```
    ///
    /// - Parameters:
    ///   - path: The path below `base`.
    ///   - query: Items to append to the query of each page.
    ///   - headers: The headers of each request.
    ///   - timeout: The time limit of each page's call, instead of ``Settings/deadline``.
    ///   - context: Further properties of the calls.
    ///   - name: The name of the query item that holds the cursor. The first request has none.
    ///   - maxPages: The maximum number of pages; a further page fails with `ServiceError.Code.tooManyPages`. Less than
    ///     one is a programming error and traps.
    ///   - next: Takes a page, and returns the cursor for the next page; nil after the last page.
    /// - Returns: The pages, decoded with ``Settings/json``. Iterating throws the errors of `get`.
    public func pages<Page: Decodable & Sendable, Cursor: Sendable & LosslessStringConvertible>(
        _ path: Endpoint.Path, query: Endpoint.Query = [:], headers: HTTPHeaders = [:],
        timeout: Duration? = nil, context: HTTPRequest.Context = .init(),
        cursor name: String, maxPages: Int = 10_000, next: @escaping @Sendable (Page) -> Cursor?
    ) -> some AsyncSequence<Page, any Error> & Sendable {
        let load: Service<Cursor?, Page> = { [client = uncountedCopy] cursor in
            var query = query
            if let cursor { query.items.append(URLQueryItem(name: name, value: "\(cursor)")) }
            return client.futures.get(
                path, as: Page.self, query: query, headers: headers, timeout: timeout,
                context: context)
        }
        return paginate(load, from: nil, maxPages: maxPages) { page, _ in next(page) }
    }
}

/// A page and the URL of the next page.
private struct LinkedPage<Page: Sendable>: Sendable {
    var page: Page
    var next: Result<URL?, any Error>
}

extension HTTPResponse {
    /// The next page's URL; a failure if it is at another origin, which must not get the caller's headers.
    fileprivate var nextPage: Result<URL?, any Error> {
        guard let next = link("next") else { return .success(nil) }
        guard let own = url ?? request?.url, HTTPOrigin(own) == HTTPOrigin(next) else {
            return .failure(
                HTTPError(
                    code: .redirectRefused, response: self,
                    reason: "the next page is at another origin"))
        }
        return .success(next)
    }
}
