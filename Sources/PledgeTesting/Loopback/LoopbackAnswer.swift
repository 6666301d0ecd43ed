package import Pledge

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// What the loopback server does about one request, step by step.
package struct LoopbackAnswer: Sendable {
    /// One thing the server does.
    package enum Step: Sendable {
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
    package var steps: [Step]

    /// Makes an answer of steps.
    package init(_ steps: [Step]) { self.steps = steps }

    /// A whole response with a Content-Length.
    package static func response(
        _ status: Int = 200,
        headers: KeyValuePairs<String, String> = [:],
        body: Data = Data()
    ) -> LoopbackAnswer {
        let bare = status == 204 || status == 304 || status < 200
        let length = bare ? "" : "Content-Length: \(body.count)\r\n"
        return LoopbackAnswer([
            .send(head(status, headers, ending: length)), .body(bare ? Data() : body),
        ])
    }

    /// A whole response with text for a body.
    package static func text(
        _ text: String,
        status: Int = 200,
        headers: KeyValuePairs<String, String> = [:]
    ) -> LoopbackAnswer {
        response(status, headers: headers, body: Data(text.utf8))
    }

    /// A response whose body comes in chunks.
    ///
    /// Without `isComplete` the last chunk never comes.
    package static func chunked(
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
    package static func truncated(_ text: String, of length: Int) -> LoopbackAnswer {
        let start = head(200, [:], ending: "Content-Length: \(length)\r\n")
        return LoopbackAnswer([.send(start), .body(Data(text.utf8)), .close])
    }

    /// A response that sends the beginning of a body, and goes on when the future settles.
    package static func stopping(
        after text: String, of length: Int, until rest: Future<Void>, then steps: [Step] = []
    ) -> LoopbackAnswer {
        let start = head(200, [:], ending: "Content-Length: \(length)\r\n")
        return LoopbackAnswer([.send(start), .body(Data(text.utf8)), .hold(rest)] + steps)
    }

    /// A response without a length, whose end is the connection's end.
    package static func untilClose(_ text: String) -> LoopbackAnswer {
        LoopbackAnswer([
            .send(head(200, [:], ending: "Connection: close\r\n")), .body(Data(text.utf8)), .close,
        ])
    }

    /// Bytes of the test's own making, after which the connection ends.
    package static func raw(_ text: String) -> LoopbackAnswer {
        LoopbackAnswer([.send(Data(text.utf8)), .close])
    }

    /// No answer: the connection ends.
    package static let hangUp = LoopbackAnswer([.close])

    private static func head(
        _ status: Int,
        _ headers: KeyValuePairs<String, String>,
        ending: String
    ) -> Data {
        let fields = headers.map { "\($0): \($1)\r\n" }.joined()
        return Data("HTTP/1.1 \(status) Status \(status)\r\n\(fields)\(ending)\r\n".utf8)
    }
}
