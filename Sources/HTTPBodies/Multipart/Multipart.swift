import HTTPNetworking
public import Services

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
/// Files and streams are read while they are sent, chunk by chunk. The length is known, and told to the
/// server, where that of each part is.
public struct Multipart {
    /// The parts, in the order in which they are sent.
    public let parts: [Part]

    /// The kind, such as `form-data`, `mixed` or `related`.
    public let subtype: String

    /// What stands between the parts: letters, digits and "-" only, at most 70 of them.
    public let boundary: String

    /// Makes a body of parts.
    ///
    /// - Parameters:
    ///   - parts: The parts.
    ///   - subtype: The kind; a token, such as `mixed`.
    ///   - random: Where the boundary comes from. It holds 128 random bits and does not occur in
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
        // It ends whatever the generator does: data of so many bytes hold fewer numbers.
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
    /// The kind and the number of parts, nothing of what they say.
    public var description: String {
        "multipart/\(SafeText.escaped(subtype)) of \(parts.count) parts"
    }

    /// The same as `description`, so that a debugger prints no secret either.
    public var debugDescription: String { description }

    /// A mirror that shows the description.
    public var customMirror: Mirror { Mirror(self, children: ["multipart": description]) }
}

extension Multipart: Sendable {}
