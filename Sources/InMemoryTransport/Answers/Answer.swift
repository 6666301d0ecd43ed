import PledgeFutures
public import PledgeHTTPNetworking

extension MemoryTransport {
    /// The answer of a route.
    public struct Answer {
        /// Chooses the answer to a call at once, and makes it when it is due.
        typealias Responder = @Sendable (Call) -> @Sendable () -> Future<HTTPResponse>

        /// Makes a responder with a state of its own, so that transports do not share a state.
        let makeResponder: @Sendable () -> Responder

        /// An answer without a state.
        init(_ respond: @escaping @Sendable (Call) throws -> Future<HTTPResponse>) {
            makeResponder = {
                { call in
                    {
                        do { return try respond(call) } catch { return Future(error: error) }
                    }
                }
            }
        }

        init(makingResponder: @escaping @Sendable () -> Responder) {
            makeResponder = makingResponder
        }
    }
}

extension MemoryTransport.Answer {
    /// Data, with the status 200.
    public static func data(_ data: Data) -> Self {
        response(HTTPResponse(status: 200, body: data))
    }

    /// Text as UTF-8, with the status 200.
    public static func text(_ text: String) -> Self { data(Data(text.utf8)) }

    /// A value as JSON, with the status 200 and the Content-Type `application/json`.
    ///
    /// - Parameters:
    ///   - value: The value. It is encoded at once; if that fails, each call rejects with
    ///     ``MemoryTransport/AnswerFailure`` that keeps the encoder's error.
    ///   - json: The settings, such as those of the client that is tested.
    public static func json(_ value: some Encodable, using json: JSONCoding = JSONCoding()) -> Self
    {
        .json(value, encoder: json.encoder())
    }

    /// A value as JSON that an encoder writes; see ``json(_:using:)``.
    public static func json(_ value: some Encodable, encoder: JSONEncoder) -> Self {
        let body = Result { try encoder.encode(value) }
        let type = String(describing: Swift.type(of: value))
        return Self { call in
            do { return Future(value: .json(try body.get())) } catch {
                throw MemoryTransport.AnswerFailure(
                    code: .unencodableValue,
                    call: call,
                    subject: type,
                    cause: error
                )
            }
        }
    }

    /// The bytes of a file, with the status 200.
    ///
    /// - Parameter url: The file. It is read for each call, on the thread that answers; if that fails, the
    ///   call rejects with ``MemoryTransport/AnswerFailure`` that keeps the system's error.
    public static func file(_ url: URL) -> Self {
        Self { call in
            do {
                return Future(value: HTTPResponse(status: 200, body: try Data(contentsOf: url)))
            } catch {
                throw MemoryTransport.AnswerFailure(
                    code: .unreadableFile,
                    call: call,
                    subject: url.path,
                    cause: error
                )
            }
        }
    }

    /// An error, unchanged.
    public static func failure(_ error: any Error) -> Self { Self { _ in Future(error: error) } }

    /// A status, with headers and a body.
    ///
    /// With ``MemoryTransport/request(_:)`` a status outside 200…299 rejects with the same `HTTPError` as a
    /// wire transport.
    public static func status(
        _ status: Int,
        headers: HTTPHeaders = [:],
        body: Data = Data()
    ) -> Self {
        response(HTTPResponse(status: status, headers: headers, body: body))
    }

    /// A whole response.
    ///
    /// With ``MemoryTransport/request(_:)`` a status outside 200…299 rejects with the same `HTTPError` as a
    /// wire transport.
    public static func response(_ response: HTTPResponse) -> Self {
        Self { _ in Future(value: response) }
    }
}

extension HTTPResponse {
    fileprivate static func json(_ body: Data) -> HTTPResponse {
        HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: body)
    }
}

extension MemoryTransport.Answer: Sendable {}
