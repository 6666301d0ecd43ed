public import PledgeFutures
package import PledgeHTTPMessages

/// The requests for a URL that a stored response answers.
///
/// They have the same values as the original request in the fields that Vary names (RFC 9111, section 4.1). In a
/// private cache, they also have the same users as the original request, so that no user gets another user's answer. A
/// 401 answers only requests with the refused credentials, and not those with renewed ones.
package struct CacheVariant: Hashable, Sendable {
    /// A field that Vary names, in lower case, with its value in the requests.
    package struct Field: Hashable, Sendable {
        package let name: String
        package let value: Value

        package init(name: String, value: Value) {
            self.name = name
            self.value = value
        }
    }

    /// A field's value; of a secret, such as a Cookie, only its holder.
    package enum Value: Hashable, Sendable {
        case none
        case text(String)
        case holder(Principal)
    }

    /// Sorted by name.
    package let fields: [Field]

    /// The kind of cache that stored the response; nil if both kinds may use it.
    ///
    /// A shared cache doesn't know a response's users, and a private one keeps what must not be shared.
    package let mode: HTTPCache.Mode?

    /// The users of the requests; nil in a shared cache.
    package let partition: CachePartition?

    /// Who held the credentials that a stored 401 refused.
    package let refused: Set<CachePartition.Member>?

    /// Creates the variant of a response.
    ///
    /// - Returns: Nil if Vary is "*" or has an invalid name: the response answers no other request.
    init?(
        of presented: PresentedRequest, status: Int = 200, response: HTTPHeaders,
        mode: HTTPCache.Mode
    ) {
        self.mode = mode
        partition = mode == .private ? presented.partition : nil
        refused = status == 401 ? presented.holders : nil
        var names: Set<String> = []
        for line in response.values(for: "Vary") {
            for name in line.split(separator: ",") {
                let name = HTTPHeaders.trimmed(name).lowercased()
                if name.isEmpty || partition?.standsFor(name) == true { continue }
                // An invalid name has the same effect as "*".
                guard name != "*", HTTPHeaders.isToken(name) else { return nil }
                names.insert(name)
            }
        }
        // A part answers only requests for the same range.
        if status == 206 { names.insert("range") }
        fields = names.sorted().map { Field(name: $0, value: presented.value(of: $0)) }
    }

    /// Creates a variant that a store has kept.
    package init(
        fields: [Field] = [], mode: HTTPCache.Mode? = nil, partition: CachePartition? = nil,
        refused: Set<CachePartition.Member>? = nil
    ) {
        self.fields = fields
        self.mode = mode
        self.partition = partition
        self.refused = refused
    }

    func matches(_ presented: PresentedRequest) -> Bool {
        isAskedFor(by: presented) && refused.map { $0 == presented.holders } ?? true
    }

    /// Returns whether a request asks for the same response; renewed credentials make no difference.
    ///
    /// - Parameter ignoresRange: True if another range of the same response counts too.
    func isAskedFor(
        by presented: PresentedRequest, ignoringRange ignoresRange: Bool = false
    ) -> Bool {
        isOf(presented.partition)
            && fields.allSatisfy {
                ignoresRange && $0.name == "range" || presented.value(of: $0.name) == $0.value
            }
    }

    /// Returns whether these users may get the response.
    ///
    /// Only the request knows that a sign-in has ended: a partition that a store has kept doesn't.
    func isOf(_ names: CachePartition) -> Bool {
        (mode ?? names.mode) == names.mode
            && partition.map { $0 == names && !$0.isOver && !names.isOver } ?? true
    }

    /// True if one of the users has signed out, so that no request can match any more.
    var isOver: Bool { partition?.isOver ?? false }

    var names: [String] { fields.map(\.name) }

    /// Approximate, in bytes.
    var byteCount: Int {
        fields.reduce((partition?.byteCount ?? 0) + (refused?.count ?? 0) * 32) { sum, field in
            var size = 32
            if case .text(let text) = field.value { size = text.utf8.count }
            return sum + field.name.utf8.count + size
        }
    }

    /// All lines of a field as one, without white space around the commas.
    ///
    /// A value with quotation marks stays as it is, because white space within them may matter. Language tags become
    /// lower case.
    static func value(of name: String, in headers: HTTPHeaders) -> String? {
        guard let value = headers[name] else { return nil }
        if value.utf8.contains(UInt8(ascii: "\"")) { return value }
        let list = value.split(separator: ",", omittingEmptySubsequences: false)
            .map(HTTPHeaders.trimmed).joined(separator: ",")
        return name == "accept-language" ? list.lowercased() : list
    }
}

extension CacheVariant: DescriptionOnly {
    /// The names of the fields, without their values.
    package var description: String { names.joined(separator: ", ") }
}
