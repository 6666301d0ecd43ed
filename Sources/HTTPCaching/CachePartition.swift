import PledgeHTTPNetworking

/// The users of a request: a stored response is returned only to requests of the same users.
///
/// It is defined by the users and not by the values of the headers, so that an account keeps its stored
/// responses when its token is renewed. A header that no middleware has added belongs to the holder of its
/// value (`Principal.holder(of:in:)`), so that no order, and no header set by the caller, mixes two users.
/// In a private cache every header counts that is not known to be harmless: a key may be in any.
/// `Cache-Control: public` is not an exception: the answer for another user is requested again.
struct CachePartition: Hashable, Sendable {
    private struct Member: Hashable {
        let header: String
        let principal: Principal
    }

    private var members: Set<Member> = []

    init(of request: HTTPRequest, by rules: CacheRules = CacheRules(mode: .private)) {
        for credential in request.context.credentials {
            let header = credential.header.lowercased()
            guard request.headers[header] == credential.value else {
                addHolder(of: header, in: request)
                continue
            }
            members.insert(Member(header: header, principal: credential.principal))
        }
        for (name, _) in request.headers {
            let header = name.lowercased()
            guard Self.counts(header, by: rules), !members.contains(where: { $0.header == header })
            else { continue }
            addHolder(of: header, in: request)
        }
    }

    private mutating func addHolder(of header: String, in request: HTTPRequest) {
        guard let value = Self.value(of: header, in: request.headers) else { return }
        members.insert(Member(header: header, principal: .holder(of: value, in: header)))
    }

    /// Whether a header that no middleware has added, its name in lower case, identifies users.
    private static func counts(_ header: String, by rules: CacheRules) -> Bool {
        if secrets.contains(header) { return true }
        return rules.mode == .private && !HTTPHeaders.isHarmless(header)
            && !rules.harmlessHeaders.contains(header)
    }

    /// The value that identifies users; lists that mean the same are equal.
    private static func value(of header: String, in headers: HTTPHeaders) -> String? {
        secrets.contains(header) ? headers[header] : CacheVariant.value(of: header, in: headers)
    }

    /// Whether one of its users has signed out, so that its stored responses must not be returned.
    var isOver: Bool { members.contains { $0.principal.isOver } }

    /// Whether a request has each of these users, and perhaps more.
    func isPart(of other: CachePartition) -> Bool { members.isSubset(of: other.members) }

    /// Whether requests of these users may differ in a header, because it only identifies them.
    ///
    /// The value of a cookie matters in addition to its user.
    func standsFor(_ header: String) -> Bool {
        header != "cookie" && members.contains { $0.header == header }
    }

    /// The holders of the values that the headers of its users have: others after a renewal of a token.
    func holders(in headers: HTTPHeaders) -> Set<Principal> {
        Set(
            members.compactMap { member in
                Self.value(of: member.header, in: headers).map {
                    .holder(of: $0, in: member.header)
                }
            })
    }

    /// Whether it contains more than cookies.
    var isAuthorized: Bool { members.contains { $0.header != "cookie" } }

    /// How many bytes it takes.
    var byteCount: Int { members.count * 32 }

    private static let secrets: Set<String> = ["authorization", "cookie", "proxy-authorization"]
}
