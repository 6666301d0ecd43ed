public import PledgeFutures
public import PledgeHTTPMessages
public import PledgeServices

extension MemoryTransport {
    /// The answer of a route, or of a test to a call of a `MockNetwork`.
    public struct Answer: Sendable {
        /// Chooses the answer to a call at once; the returned function creates it when it's due.
        typealias Responder = @Sendable (Call) -> @Sendable () -> Future<HTTPResponse>

        /// Creates a responder with its own state, so that transports don't share state.
        let makeResponder: @Sendable () -> Responder

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
    /// The response to a call without a route.
    package func response(
        to endpoint: Endpoint, _ request: HTTPRequest?
    ) -> Future<HTTPResponse> {
        makeResponder()(MemoryTransport.Call(endpoint: endpoint, request: request))()
    }
}

extension MemoryTransport.Answer {
    /// The data, with the status 200.
    public static func data(_ data: Data) -> Self {
        response(HTTPResponse(status: 200, body: data))
    }

    /// The text as UTF-8, with the status 200.
    public static func text(_ text: String) -> Self { data(Data(text.utf8)) }

    /// The value as JSON, with the status 200 and the Content-Type `application/json`.
    ///
    /// - Parameters:
    ///   - value: The value. It is encoded at once. If it cannot be encoded, the call fails with an error that names the
    ///     route and says why.
    ///   - json: The JSON settings. Usually you pass the settings of the client that you test.
    public static func json(_ value: some Encodable, using json: JSONCoding = JSONCoding()) -> Self
    {
        let body = Result { try json.encoder().encode(value) }
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
    /// - Parameter url: The file. It is read for each call, on the thread that answers. If it cannot be read, the call
    ///   fails with an error that names the route and says why.
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

    /// Fails the call with an error, which reaches the caller unchanged.
    public static func failure(_ error: any Error) -> Self { Self { _ in Future(error: error) } }

    /// A response with a status, headers and a body.
    ///
    /// With ``MemoryTransport/request(_:)``, a status outside 200…299 fails with the same `HTTPError` as over a real
    /// transport.
    public static func status(
        _ status: Int,
        headers: HTTPHeaders = [:],
        body: Data = Data()
    ) -> Self {
        response(HTTPResponse(status: status, headers: headers, body: body))
    }

    /// A whole response.
    ///
    /// With ``MemoryTransport/request(_:)``, a status outside 200…299 fails with the same `HTTPError` as over a real
    /// transport.
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
    /// Data that a closure creates for each call, with the status 200.
    ///
    /// If the closure throws, the call fails with that error.
    ///
    /// ```swift
    /// .get("/hello/:name", answer: .reply { call in Data("Hello \(call.parameters["name"]!)".utf8) })
    /// ```
    public static func reply(
        _ body: @escaping @Sendable (MemoryTransport.Call) throws -> Data
    ) -> Self {
        Self { call in Future(value: HTTPResponse(status: 200, body: try body(call))) }
    }

    /// A response that a closure creates for each call.
    ///
    /// If the closure throws, the call fails with that error.
    public static func respond(
        _ body: @escaping @Sendable (MemoryTransport.Call) throws -> HTTPResponse
    ) -> Self {
        Self { call in Future(value: try body(call)) }
    }

    /// A future of a response that a closure creates for each call.
    ///
    /// With it, a test controls when and how each call is answered. Cancelling the call cancels the future. If the
    /// closure throws, the call fails with that error.
    public static func future(
        _ body: @escaping @Sendable (MemoryTransport.Call) throws -> Future<HTTPResponse>
    ) -> Self {
        Self(body)
    }
}

extension MemoryTransport.Answer {
    /// Several answers: each call takes the next one, and the last answer repeats.
    ///
    /// The order of the calls decides which answer each one gets, whatever the latency. Each transport starts with the
    /// first answer. An empty sequence fails each call. To fail every call after the last
    /// answer, put ``failure(_:)`` at the end.
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
    /// The error of a route that could not answer: the route, the call, and the reason.
    package struct AnswerFailure: Error, CallerError {
        /// The reason why a route could not answer.
        package enum Code: Hashable, Sendable {
            /// The file cannot be read.
            case unreadableFile
            /// The value cannot be encoded.
            case unencodableValue
            /// The sequence has no answers.
            case emptySequence
        }

        /// The reason why the route could not answer.
        package let code: Code

        /// The call that got no answer.
        package let call: Call

        /// The file's path, or the type of the value.
        ///
        /// For an empty sequence, the words "a sequence".
        package let subject: String

        /// The error of reading the file or encoding the value; nil for an empty sequence.
        package let cause: (any Error)?
    }
}

extension MemoryTransport.AnswerFailure: CustomStringConvertible {
    /// The route, what it should have answered with, and why it couldn't.
    public var description: String {
        let route = call.route ?? "the answer to \(call.endpoint)"
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
