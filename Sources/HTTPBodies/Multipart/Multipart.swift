import PledgeHTTPNetworking
public import PledgeServices

/// A body of several parts, such as the fields and files of a form (RFC 7578, RFC 2046).
///
/// ```swift
/// let form = Multipart([
///     .text("title", "Holidays"),
///     .file("photo", photo, contentType: "image/jpeg"),
/// ])
/// let request = HTTPRequest(.post, url, body: try .multipart(form))
/// ```
///
/// Files and streams are read while they are sent, chunk by chunk. The length is known, and sent to the
/// server, if the length of each part is known.
public struct Multipart {
    /// The parts, in the order in which they are sent.
    public let parts: [Part]

    /// The kind, such as `form-data`, `mixed` or `related`.
    public let subtype: String

    /// The boundary between the parts: only letters, digits and "-", at most 70 of them.
    public let boundary: String

    /// Makes a body from parts.
    ///
    /// - Parameters:
    ///   - parts: The parts.
    ///   - subtype: The kind; a token, such as `mixed`.
    ///   - random: The source of the boundary. It has 128 random bits and does not occur in
    ///     any part that is in memory; these parts are searched once.
    public init(_ parts: [Part], subtype: String = "form-data", random: RandomSource = .system) {
        self.parts = parts
        self.subtype = subtype
        boundary = Self.boundary(for: parts, random)
    }

    /// The value of the header Content-Type.
    public var contentType: String { "multipart/\(subtype); boundary=\(boundary)" }

    private static func boundary(for parts: [Part], _ random: RandomSource) -> String {
        let start = "pledge-\(HexDigits.text(random.next()))\(HexDigits.text(random.next()))"
        var boundary = start
        var count = 0
        // It ends with any generator: the data cannot contain all numbers.
        while isFound(boundary, in: parts) {
            count += 1
            boundary = "\(start)-\(count)"
        }
        return boundary
    }

    private static func isFound(_ boundary: String, in parts: [Part]) -> Bool {
        let pattern = BytePattern(boundary.utf8)
        return parts.contains { part in
            guard case .data(let data) = part.body.content else { return false }
            return pattern.firstOffset(in: data) != nil
        }
    }
}

extension Multipart: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind and the number of parts, without their content.
    public var description: String {
        "multipart/\(SafeText.escaped(subtype)) of \(parts.count) parts"
    }

    /// The same as `description`, so that a debugger prints no secret either.
    public var debugDescription: String { description }

    /// A mirror that shows the description.
    public var customMirror: Mirror { Mirror(self, children: ["multipart": description]) }
}

extension Multipart: Sendable {}
