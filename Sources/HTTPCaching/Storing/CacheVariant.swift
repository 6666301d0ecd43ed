import PledgeHTTPNetworking

/// The requests for a URL that a stored response answers: those with the same fields, as named by Vary, as
/// the original request (RFC 9111, section 4.1).
///
/// In a private cache they also belong to the same partition, so that no user gets the answer to
/// another user of the same process. A 401 is the answer to one value of the credentials, and not to those
/// that a renewal brings.
public struct CacheVariant {
    /// The fields by their names in lower case; nil if the request had none.
    let fields: [String: String?]

    /// Their users; nil in a shared cache.
    let partition: CachePartition?

    /// The holders of the refused credentials; nil if nothing was refused.
    let refused: Set<Principal>?

    /// Makes the variant of a response.
    ///
    /// - Parameters:
    ///   - presented: The original request.
    ///   - status: The status of the response.
    ///   - response: The headers of the response.
    ///   - mode: The kind of the cache.
    /// - Returns: Nil if Vary is "*" or not a valid name, so that the response answers no other request.
    init?(
        of presented: PresentedRequest, status: Int = 200, response: HTTPHeaders,
        mode: HTTPCache.Mode
    ) {
        partition = mode == .private ? presented.partition : nil
        refused = status == 401 ? presented.holders : nil
        var fields: [String: String?] = [:]
        for line in response.values(for: "Vary") {
            for name in line.split(separator: ",") {
                let name = HTTPHeaders.trimmed(name).lowercased()
                if name.isEmpty || partition?.standsFor(name) == true { continue }
                // An invalid name has the same effect as "*".
                guard name != "*", HTTPHeaders.isToken(name) else { return nil }
                fields[name] = .some(Self.value(of: name, in: presented.headers))
            }
        }
        self.fields = fields
    }

    /// Whether a request is one of them.
    func matches(_ presented: PresentedRequest) -> Bool {
        concerns(presented) && refused.map { $0 == presented.holders } ?? true
    }

    /// Whether a request asks for the same, even if with renewed credentials.
    func concerns(_ presented: PresentedRequest) -> Bool {
        isOf(presented.partition)
            && fields.allSatisfy { Self.value(of: $0.key, in: presented.headers) == $0.value }
    }

    /// Whether requests of such users may be among them.
    func isOf(_ names: CachePartition) -> Bool {
        partition.map { $0 == names && !$0.isOver } ?? true
    }

    /// Whether no such request can come any more.
    var isOver: Bool { partition?.isOver ?? false }

    /// How many bytes it takes.
    var byteCount: Int {
        fields.reduce((partition?.byteCount ?? 0) + (refused?.count ?? 0) * 16) {
            $0 + $1.key.utf8.count + ($1.value?.utf8.count ?? 0)
        }
    }

    /// All lines as one, with normalised white space around its commas.
    ///
    /// White space within quotation marks may be significant.
    static func value(of name: String, in headers: HTTPHeaders) -> String? {
        guard let value = headers[name] else { return nil }
        if value.utf8.contains(UInt8(ascii: "\"")) { return value }
        return value.split(separator: ",", omittingEmptySubsequences: false)
            .map(HTTPHeaders.trimmed).joined(separator: ",")
    }
}

extension CacheVariant: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names of the fields, without their values.
    public var description: String { fields.keys.sorted().joined(separator: ", ") }

    /// The same as `description`.
    public var debugDescription: String { description }

    /// A mirror that shows the description.
    public var customMirror: Mirror { Mirror(self, children: ["fields": description]) }
}

extension CacheVariant: Hashable {}

extension CacheVariant: Sendable {}
