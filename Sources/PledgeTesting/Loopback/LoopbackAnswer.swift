public import Pledge

/// The steps that a ``LoopbackServer`` takes to answer one request.
///
/// ```swift
/// .text("Green Grass")
/// .truncated("Green", of: 11)
/// LoopbackAnswer([.hold(go)] + LoopbackAnswer.text("at last").steps)
/// ```
///
/// Headers are sent unchanged and in order, even invalid ones.
public struct LoopbackAnswer: Sendable {
    /// One step of the server.
    public enum Step: Sendable {
        /// Sends bytes unchanged.
        case send(Data)
        /// Sends bytes of a body; sends nothing if the request is a HEAD.
        case body(Data)
        /// Waits until the future settles.
        case hold(Future<Void>)
        /// Closes the connection normally.
        case close
        /// Resets the connection.
        case reset
    }

    /// The steps, in order.
    ///
    /// If no step closes or resets the connection, it stays open as long as the client keeps it.
    public var steps: [Step]

    /// Creates an answer from steps.
    public init(_ steps: [Step]) { self.steps = steps }

    /// A whole response with a Content-Length.
    ///
    /// - Parameters:
    ///   - status: The status. With 204, 304 or any status below 200, no body is sent.
    ///   - headers: Further headers.
    ///   - body: The body.
    public static func response(
        _ status: Int = 200,
        headers: KeyValuePairs<String, String> = [:],
        body: Data = Data()
    ) -> LoopbackAnswer {
        whole(status, headers, body)
    }

    /// A whole response; the headers aren't checked.
    static func whole(
        _ status: Int, _ headers: some Collection<(key: String, value: String)>, _ body: Data
    ) -> LoopbackAnswer {
        let bare = status == 204 || status == 304 || status < 200
        let length = bare ? "" : "Content-Length: \(body.count)\r\n"
        return LoopbackAnswer([
            .send(head(status, headers, ending: length)), .body(bare ? Data() : body),
        ])
    }

    /// A whole response with text as its body, in UTF-8.
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
    ///   - value: The value. If it cannot be encoded, the answer has status 500 and the encoder's error as its text.
    ///   - status: The status.
    ///   - encoder: The encoder.
    public static func json(
        _ value: some Encodable, status: Int = 200, encoder: JSONEncoder = JSONEncoder()
    ) -> LoopbackAnswer {
        do {
            let body = try encoder.encode(value)
            return response(status, headers: ["Content-Type": "application/json"], body: body)
        } catch {
            return .text("the value cannot be encoded: \(error)", status: 500)
        }
    }

    /// A response whose body comes in chunks.
    ///
    /// - Parameters:
    ///   - chunks: The chunks, as UTF-8. None of them may be empty.
    ///   - status: The status.
    ///   - headers: Further headers.
    ///   - isComplete: True to mark the end of the body with an empty chunk. If false, the connection ends within the
    ///     body.
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

    /// A response that ends the connection before it has sent as many bytes as it declares.
    ///
    /// - Parameters:
    ///   - text: The part of the body that is sent.
    ///   - length: The declared length of the body.
    public static func truncated(_ text: String, of length: Int) -> LoopbackAnswer {
        let start = head(200, [:], ending: "Content-Length: \(length)\r\n")
        return LoopbackAnswer([.send(start), .body(Data(text.utf8)), .close])
    }

    /// A response that sends the beginning of a body, and continues when a future settles.
    ///
    /// - Parameters:
    ///   - text: The part of the body that is sent at once.
    ///   - length: The declared length of the body.
    ///   - rest: The future to wait for.
    ///   - steps: The steps after the future settles.
    public static func stopping(
        after text: String, of length: Int, until rest: Future<Void>, then steps: [Step] = []
    ) -> LoopbackAnswer {
        let start = head(200, [:], ending: "Content-Length: \(length)\r\n")
        return LoopbackAnswer([.send(start), .body(Data(text.utf8)), .hold(rest)] + steps)
    }

    /// A response without a length, whose body ends with the connection.
    public static func untilClose(_ text: String) -> LoopbackAnswer {
        LoopbackAnswer([
            .send(head(200, [:], ending: "Connection: close\r\n")), .body(Data(text.utf8)), .close,
        ])
    }

    /// Arbitrary bytes, followed by the end of the connection.
    public static func raw(_ text: String) -> LoopbackAnswer {
        LoopbackAnswer([.send(Data(text.utf8)), .close])
    }

    /// No answer: the connection just ends.
    public static let hangUp = LoopbackAnswer([.close])

    private static func head(
        _ status: Int, _ headers: some Collection<(key: String, value: String)>, ending: String
    ) -> Data {
        let fields = headers.map { "\($0.key): \($0.value)\r\n" }.joined()
        return Data("HTTP/1.1 \(status) Status \(status)\r\n\(fields)\(ending)\r\n".utf8)
    }
}
