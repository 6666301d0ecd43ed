import PledgeHTTPNetworking

/// The users of a request; a stored response is returned only to requests with the same users.
///
/// Requests are compared by their users, and not by their headers' values, so an account keeps its stored responses
/// when its token is renewed. A header that no middleware added belongs to the holder of its value
/// (`Principal.holder(of:in:)`). This keeps two users separate in any order of the middleware, and even if the caller
/// sets the header.
///
/// In a private cache, every header identifies a user unless it's known to be harmless, because any header may hold an
/// API key. This is true even of a response with `Cache-Control: public`: if another user asks for it, the cache asks
/// the origin again.
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

    /// Returns whether a header identifies users if no middleware added it; `header` is in lower case.
    private static func counts(_ header: String, by rules: CacheRules) -> Bool {
        if secrets.contains(header) { return true }
        return rules.mode == .private && !HTTPHeaders.isHarmless(header)
            && !rules.harmlessHeaders.contains(header)
    }

    /// Returns the value that identifies users, normalised so that lists with the same meaning are equal.
    private static func value(of header: String, in headers: HTTPHeaders) -> String? {
        secrets.contains(header) ? headers[header] : CacheVariant.value(of: header, in: headers)
    }

    /// True if one of the users has signed out; the partition's stored responses must then not be returned.
    var isOver: Bool { members.contains { $0.principal.isOver } }

    /// Returns whether the other partition contains all of these users; it may contain more.
    func isPart(of other: CachePartition) -> Bool { members.isSubset(of: other.members) }

    /// Returns whether a header does nothing but identify these users, so that equal requests may differ in it.
    ///
    /// The result is false for Cookie, because a cookie's value also affects the answer.
    func standsFor(_ header: String) -> Bool {
        header != "cookie" && members.contains { $0.header == header }
    }

    /// Returns a principal for the current value of each header that identifies these users.
    ///
    /// When a token is renewed, its principal changes.
    func holders(in headers: HTTPHeaders) -> Set<Principal> {
        Set(
            members.compactMap { member in
                Self.value(of: member.header, in: headers).map {
                    .holder(of: $0, in: member.header)
                }
            })
    }

    /// True if a header other than Cookie identifies a user.
    var isAuthorized: Bool { members.contains { $0.header != "cookie" } }

    /// The approximate size, in bytes.
    var byteCount: Int { members.count * 32 }

    private static let secrets: Set<String> = ["authorization", "cookie", "proxy-authorization"]
}
