#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A request as it came over the wire, for a test to look at.
package struct LoopbackRequest: Sendable, Hashable {
    /// A header field, spelled as it was sent.
    package struct Header: Sendable, Hashable {
        /// The name, in the letters it was sent with.
        package var name: String
        /// The value, without the blanks around it.
        package var value: String
    }

    /// The method, such as `GET`.
    package var method: String
    /// The request's target as it was sent, escapes and all: `/products/7?expand=price`.
    package var target: String
    /// The protocol's version: `HTTP/1.1`.
    package var version: String
    /// The header fields, in order, repeated ones repeated.
    package var headers: [Header] = []
    /// The body, freed of its transfer coding.
    package var body = Data()
    /// Which connection it came over, counted from 0: equal numbers mean a reused connection.
    package var connection = 0

    /// The first value of a header, by name in any case.
    package func header(_ name: String) -> String? { headers(name).first }

    /// The values of a header, by name in any case.
    package func headers(_ name: String) -> [String] {
        headers.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// The body as text.
    package var text: String { String(decoding: body, as: UTF8.self) }

    /// Whether the client keeps the connection open for another request.
    var keepsConnection: Bool {
        version == "HTTP/1.1" && header("Connection")?.lowercased() != "close"
    }
}
