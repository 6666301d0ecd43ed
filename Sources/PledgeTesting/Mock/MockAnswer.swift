public import Pledge

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a test answers to a ``MockCall``.
public struct MockAnswer {
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
    /// - Throws: What the encoder throws, where the value cannot be encoded.
    public static func json(
        _ value: some Encodable,
        encoder: JSONEncoder = JSONEncoder()
    ) throws -> MockAnswer {
        let data = try encoder.encode(value)
        return .status(200, headers: ["Content-Type": "application/json"], body: data)
    }

    /// A status, headers and a body.
    ///
    /// Outside 200…299 the call rejects with an `HTTPError` that keeps all three, as with a real
    /// transport.
    public static func status(
        _ status: Int,
        headers: HTTPHeaders = [:],
        body: Data = Data()
    ) -> MockAnswer {
        MockAnswer(kind: .response(HTTPResponse(status: status, headers: headers, body: body)))
    }

    /// No response: the call rejects with this error, such as one of a lost connection.
    public static func failure(_ error: any Error) -> MockAnswer {
        MockAnswer(kind: .failure(error))
    }

    /// What a transport makes of this answer.
    func result(for endpoint: Endpoint) -> Result<Data, any Error> {
        switch kind {
        case .response(let response): Result { try response.acceptedBody(for: endpoint) }
        case .failure(let error): .failure(error)
        }
    }
}

extension MockAnswer: Sendable {}
