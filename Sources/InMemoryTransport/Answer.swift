public import PledgeFutures
public import PledgeHTTPNetworking
public import PledgeServices

extension MemoryTransport {
    /// The answer of a route.
    public struct Answer: Sendable {
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

extension MemoryTransport.Answer {
    /// Data that is made for each call; if the closure throws, the call rejects with that error.
    ///
    /// ```swift
    /// .get("/hello/:name", answer: .reply { call in Data("Hello \(call.parameters["name"]!)".utf8) })
    /// ```
    public static func reply(
        _ body: @escaping @Sendable (MemoryTransport.Call) throws -> Data
    ) -> Self {
        Self { call in Future(value: HTTPResponse(status: 200, body: try body(call))) }
    }

    /// A response that is made for each call; if the closure throws, the call rejects with that error.
    public static func respond(
        _ body: @escaping @Sendable (MemoryTransport.Call) throws -> HTTPResponse
    ) -> Self {
        Self { call in Future(value: try body(call)) }
    }

    /// A future of data, with the status 200, that is made for each call, so that the test controls when and
    /// how it is answered.
    ///
    /// Cancelling the call cancels that future. If the closure throws, the call rejects with that error.
    public static func future(
        _ body: @escaping @Sendable (MemoryTransport.Call) throws -> Future<Data>
    ) -> Self {
        Self { call in try body(call).map { HTTPResponse(status: 200, body: $0) } }
    }

    /// A future of a response that is made for each call.
    ///
    /// Cancelling the call cancels that future. If the closure throws, the call rejects with that error.
    public static func futureResponse(
        _ body: @escaping @Sendable (MemoryTransport.Call) throws -> Future<HTTPResponse>
    ) -> Self {
        Self(body)
    }
}

extension MemoryTransport.Answer {
    /// Answers one after the other: each call takes the next, and the last one is repeated.
    ///
    /// Calls take them in the order in which they are made, whatever the latency. Each transport
    /// begins at the first. An empty sequence rejects with ``MemoryTransport/AnswerFailure``; to fail after
    /// the last answer, put ``failure(_:)`` at the end.
    public static func sequence(_ answers: [Self]) -> Self {
        guard let last = answers.indices.last else {
            return Self { call in
                throw MemoryTransport.AnswerFailure(
                    code: .emptySequence,
                    call: call,
                    subject: "a sequence",
                    cause: nil
                )
            }
        }
        return Self(makingResponder: {
            let responders = answers.map { $0.makeResponder() }
            let next = Locked(0)
            return { call in
                let index = next.withLock { next in
                    defer { next = min(next + 1, last) }
                    return next
                }
                return responders[index](call)
            }
        })
    }
}

extension MemoryTransport {
    /// The error of a route without an answer: the route, the call, and the reason.
    public struct AnswerFailure: Error, CallerError {
        /// Why there is no answer.
        public enum Code: Hashable, Sendable {
            /// The file cannot be read.
            case unreadableFile
            /// The value cannot be encoded.
            case unencodableValue
            /// The sequence has no answers.
            case emptySequence
        }

        /// Why there is no answer.
        public let code: Code

        /// The call.
        public let call: Call

        /// The file's path or the value's type.
        public let subject: String

        /// The error of reading or encoding.
        public let cause: (any Error)?
    }
}

extension MemoryTransport.AnswerFailure: CustomStringConvertible {
    /// The route, what it should have answered with, and why it could not.
    public var description: String {
        let route = call.route ?? "a route"
        let reason = cause.map { ": \($0)" } ?? ""
        return switch code {
        case .unreadableFile: "\(route) cannot read the file \(subject)\(reason)"
        case .unencodableValue: "\(route) cannot encode the \(subject) as JSON\(reason)"
        case .emptySequence: "\(route) has an empty sequence of answers: give it at least one"
        }
    }
}

extension MemoryTransport.AnswerFailure: LocalizedError {
    /// The same as `description`.
    public var errorDescription: String? { description }
}
