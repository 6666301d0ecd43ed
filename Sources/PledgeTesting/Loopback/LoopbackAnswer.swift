public import Pledge

/// What a ``LoopbackServer`` does about one request, step by step.
///
/// ```swift
/// .text("Green Grass")
/// .truncated("Green", of: 11)
/// LoopbackAnswer([.hold(go)] + LoopbackAnswer.text("at last").steps)
/// ```
///
/// Headers are sent as they are, valid or not, in their order.
public struct LoopbackAnswer {
    /// One thing the server does.
    public enum Step: Sendable {
        /// Sends bytes as they are.
        case send(Data)
        /// Sends bytes of a body: left out where the request was a HEAD.
        case body(Data)
        /// Goes on when the future settles, and not before.
        case hold(Future<Void>)
        /// Ends the connection in good order.
        case close
        /// Breaks the connection off.
        case reset
    }

    /// What the server does, in order.
    ///
    /// Without ``Step/close`` the connection stays open.
    public var steps: [Step]

    /// Makes an answer of steps.
    public init(_ steps: [Step]) { self.steps = steps }

    /// A whole response with a Content-Length.
    ///
    /// - Parameters:
    ///   - status: The status. One below 200, 204 and 304 have no body.
    ///   - headers: The headers besides.
    ///   - body: The body.
    public static func response(
        _ status: Int = 200,
        headers: KeyValuePairs<String, String> = [:],
        body: Data = Data()
    ) -> LoopbackAnswer {
        whole(status, headers, body)
    }

    /// A whole response, with headers in any form.
    static func whole(
        _ status: Int, _ headers: some Collection<(key: String, value: String)>, _ body: Data
    ) -> LoopbackAnswer {
        let bare = status == 204 || status == 304 || status < 200
        let length = bare ? "" : "Content-Length: \(body.count)\r\n"
        return LoopbackAnswer([
            .send(head(status, headers, ending: length)), .body(bare ? Data() : body),
        ])
    }

    /// A whole response with text for a body, as UTF-8.
    public static func text(
        _ text: String,
        status: Int = 200,
        headers: KeyValuePairs<String, String> = [:]
    ) -> LoopbackAnswer {
        response(status, headers: headers, body: Data(text.utf8))
    }

    /// A whole response with a value as JSON, and the Content-Type `application/json`.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - status: The status.
    ///   - encoder: The encoder.
    /// - Throws: What the encoder throws.
    public static func json(
        _ value: some Encodable, status: Int = 200, encoder: JSONEncoder = JSONEncoder()
    ) throws -> LoopbackAnswer {
        let body = try encoder.encode(value)
        return response(status, headers: ["Content-Type": "application/json"], body: body)
    }

    /// A response whose body comes in chunks.
    ///
    /// - Parameters:
    ///   - chunks: The chunks, as UTF-8; none of them empty.
    ///   - status: The status.
    ///   - headers: The headers besides.
    ///   - isComplete: Whether the last chunk comes; without it the connection ends in the midst.
    public static func chunked(
        _ chunks: [String],
        status: Int = 200,
        headers: KeyValuePairs<String, String> = [:],
        isComplete: Bool = true
    ) -> LoopbackAnswer {
        let pieces = chunks.map { "\(String($0.utf8.count, radix: 16))\r\n\($0)\r\n" }
        let text = pieces.joined() + (isComplete ? "0\r\n\r\n" : "")
        let start = head(status, headers, ending: "Transfer-Encoding: chunked\r\n")
        return LoopbackAnswer(
            [.send(start), .body(Data(text.utf8))] + (isComplete ? [] : [.close])
        )
    }

    /// A response that promises more bytes than it sends, and then ends the connection.
    ///
    /// - Parameters:
    ///   - text: What is sent of the body.
    ///   - length: How many bytes are promised.
    public static func truncated(_ text: String, of length: Int) -> LoopbackAnswer {
        let start = head(200, [:], ending: "Content-Length: \(length)\r\n")
        return LoopbackAnswer([.send(start), .body(Data(text.utf8)), .close])
    }

    /// A response that sends the beginning of a body, and goes on when a future settles.
    ///
    /// - Parameters:
    ///   - text: What is sent of the body at once.
    ///   - length: How many bytes are promised.
    ///   - rest: What is waited for.
    ///   - steps: What is done then.
    public static func stopping(
        after text: String, of length: Int, until rest: Future<Void>, then steps: [Step] = []
    ) -> LoopbackAnswer {
        let start = head(200, [:], ending: "Content-Length: \(length)\r\n")
        return LoopbackAnswer([.send(start), .body(Data(text.utf8)), .hold(rest)] + steps)
    }

    /// A response without a length, whose end is the connection's end.
    public static func untilClose(_ text: String) -> LoopbackAnswer {
        LoopbackAnswer([
            .send(head(200, [:], ending: "Connection: close\r\n")), .body(Data(text.utf8)), .close,
        ])
    }

    /// Bytes of the test's own making, after which the connection ends.
    public static func raw(_ text: String) -> LoopbackAnswer {
        LoopbackAnswer([.send(Data(text.utf8)), .close])
    }

    /// No answer: the connection ends.
    public static let hangUp = LoopbackAnswer([.close])

    private static func head(
        _ status: Int, _ headers: some Collection<(key: String, value: String)>, ending: String
    ) -> Data {
        let fields = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
        return Data("HTTP/1.1 \(status) Status \(status)\r\n\(fields)\(ending)\r\n".utf8)
    }
}

extension LoopbackAnswer: Sendable {}
