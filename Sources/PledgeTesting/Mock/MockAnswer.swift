public import Pledge

/// A test's answer to a ``MockCall``.
public struct MockAnswer: Sendable {
    private enum Kind {
        case response(HTTPResponse)
        case failure(any Error)
    }

    private let kind: Kind

    /// Status 200 and bytes.
    public static func data(_ data: Data) -> MockAnswer { .status(200, body: data) }

    /// Status 200 and text, as UTF-8.
    public static func text(_ text: String) -> MockAnswer { .data(Data(text.utf8)) }

    /// Status 200 and a value as JSON.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: The encoder.
    /// - Throws: The encoder's error, if the value cannot be encoded.
    public static func json(
        _ value: some Encodable,
        encoder: JSONEncoder = JSONEncoder()
    ) throws -> MockAnswer {
        let data = try encoder.encode(value)
        return .status(200, headers: ["Content-Type": "application/json"], body: data)
    }

    /// A status, headers and a body.
    ///
    /// With a status outside 200…299, the call rejects with an `HTTPError` that keeps the status, the headers and the
    /// body, as with a real transport. A call through ``MockNetwork/send(_:)`` resolves with the response, whatever its
    /// status.
    public static func status(
        _ status: Int,
        headers: HTTPHeaders = [:],
        body: Data = Data()
    ) -> MockAnswer {
        MockAnswer(kind: .response(HTTPResponse(status: status, headers: headers, body: body)))
    }

    /// No response: the call rejects with this error, such as a lost connection.
    public static func failure(_ error: any Error) -> MockAnswer {
        MockAnswer(kind: .failure(error))
    }

    /// Returns the body that a `Networking` returns for this answer.
    func body(for endpoint: Endpoint) throws -> Data {
        try response(to: nil).acceptedBody(for: endpoint)
    }

    /// Returns the response that an `HTTPService` returns for this answer.
    func response(to request: HTTPRequest?) throws -> HTTPResponse {
        switch kind {
        case .response(var response):
            response.url = request?.url
            response.request = request
            return response
        case .failure(let error): throw request.map(error.naming) ?? error
        }
    }
}
