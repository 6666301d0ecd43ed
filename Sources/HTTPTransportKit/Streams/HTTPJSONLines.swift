public import PledgeHTTPMessages

/// The lines of a body, each decoded as JSON as soon as it is complete (NDJSON, JSON Lines).
///
/// Created by `HTTPStreamedResponse.jsonLines(as:limit:)`.
package struct HTTPJSONLines<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    let lines: HTTPBodyLines
    let json: JSONCoding

    /// An iterator over the remaining lines.
    package struct Iterator: AsyncIteratorProtocol {
        private var lines: HTTPBodyLines.Iterator
        private let decoder: JSONDecoder
        private var number = 0

        init(_ values: HTTPJSONLines) {
            lines = values.lines.makeAsyncIterator()
            decoder = values.json.decoder()
        }

        /// Decodes the next line that is not empty, or returns nil after the last one.
        ///
        /// Cancelling the task cancels the stream.
        ///
        /// - Throws: A `DecodingFailure` with the line's number if the line does not match the type. The next call
        ///   then goes on with the next line. Also the stream's error, and for a line that is longer than allowed, an
        ///   `HTTPError` with the code `HTTPError.Code.bodyTooLarge`.
        package mutating func next() async throws -> Value? {
            while let line = try await lines.next() {
                number += 1
                if line.utf8.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) {
                    continue
                }
                do {
                    return try decoder.decoded(Value.self, from: Data(line.utf8))
                } catch {
                    var failure = error
                    failure.line = number
                    throw failure
                }
            }
            return nil
        }
    }

    /// Creates an iterator; only one iterator can read a body.
    package func makeAsyncIterator() -> Iterator { Iterator(self) }
}

extension HTTPStreamedResponse {
    /// Decodes each line of the body as JSON, with the settings of the client that sent the request.
    ///
    /// ```swift
    /// for try await entry in response.jsonLines(as: LogEntry.self) { print(entry.text) }
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type of each line; leave it out if Swift can infer it.
    ///   - limit: The largest length of a line, in bytes. Less than 1 is a programming error and traps.
    public func jsonLines<Value: Decodable & Sendable>(
        as type: Value.Type = Value.self, limit: Int = 1 << 20
    ) -> some AsyncSequence<Value, any Error> & Sendable {
        body.jsonLines(as: type, limit: limit, using: json)
    }
}

extension HTTPBodyStream {
    /// Decodes each line as JSON.
    ///
    /// Lines end as in ``lines(limit:)``. Empty lines, and lines of spaces and tabs, are left out.
    ///
    /// - Parameters:
    ///   - type: The type of each line; leave it out if Swift can infer it.
    ///   - limit: The largest length of a line, in bytes. Less than 1 is a programming error and traps.
    ///   - json: The settings.
    public func jsonLines<Value: Decodable & Sendable>(
        as type: Value.Type = Value.self, limit: Int = 1 << 20,
        using json: JSONCoding = JSONCoding()
    ) -> some AsyncSequence<Value, any Error> & Sendable {
        HTTPJSONLines(lines: HTTPBodyLines(stream: self, limit: limit), json: json)
    }
}
