#if HTTPTypes
public import PledgeHTTPNetworking
public import HTTPTypes

extension HTTPTypes.HTTPResponse {
    /// Makes the head of a response from a response of Pledge, whole or streamed.
    ///
    /// The reason phrase is empty: Pledge stores none, and HTTP/2 has none. The body, the URL, the timing and
    /// the request are lost, since this type cannot store them.
    ///
    /// - Parameter response: The response.
    /// - Throws: ``ConversionError/invalidStatus(_:)``, and what `HTTPFields.init(_:)` throws.
    public init(_ response: some HTTPResponseHead) throws(ConversionError) {
        guard (0...999).contains(response.status) else { throw .invalidStatus(response.status) }
        self.init(
            status: Status(code: response.status),
            headerFields: try HTTPFields(response.headers))
    }
}

extension PledgeHTTPNetworking.HTTPResponse {
    /// Makes a response from a response of HTTPTypes and a body.
    ///
    /// The reason phrase is lost, and everything that `HTTPHeaders.init(_:)` lists.
    ///
    /// - Parameters:
    ///   - response: The head of the response.
    ///   - body: The body, which HTTPTypes stores separately.
    ///   - url: The URL that the response comes from.
    public init(_ response: HTTPTypes.HTTPResponse, body: Data = Data(), url: URL? = nil) {
        self.init(
            status: response.status.code, headers: HTTPHeaders(response.headerFields), body: body,
            url: url)
    }
}

extension HTTPStreamedResponse {
    /// Makes a response from a response of HTTPTypes and a streamed body.
    ///
    /// The reason phrase is lost, and everything that `HTTPHeaders.init(_:)` lists.
    ///
    /// - Parameters:
    ///   - response: The head of the response.
    ///   - body: The body, which HTTPTypes stores separately.
    ///   - url: The URL that the response comes from.
    public init(_ response: HTTPTypes.HTTPResponse, body: HTTPBodyStream, url: URL? = nil) {
        self.init(
            status: response.status.code, headers: HTTPHeaders(response.headerFields), body: body,
            url: url)
    }
}
#endif
