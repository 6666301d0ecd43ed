import PledgeHTTPNetworking

/// The users of a request; a stored response is returned only to requests with the same users.
///
/// The users count, not the headers' values, so an account keeps its stored responses when its token is renewed. A
/// header that no middleware added belongs to the holder of its value (`Principal.holder(of:in:)`). So two users stay
/// separate whatever the order of the middleware, and even if the caller sets the header.
///
/// In a private cache, every header counts unless it's known to be harmless, because any header may hold a key.
/// `Cache-Control: public` is no exception: for another user, the cache asks the origin again.
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

    /// Returns whether a header that no middleware added identifies users; its name is in lower case.
    private static func counts(_ header: String, by rules: CacheRules) -> Bool {
        if secrets.contains(header) { return true }
        return rules.mode == .private && !HTTPHeaders.isHarmless(header)
            && !rules.harmlessHeaders.contains(header)
    }

    /// Returns the value that identifies users, normalised so that lists with the same meaning are equal.
    private static func value(of header: String, in headers: HTTPHeaders) -> String? {
        secrets.contains(header) ? headers[header] : CacheVariant.value(of: header, in: headers)
    }

    /// True if any of its users has signed out, so that its stored responses must not be returned.
    var isOver: Bool { members.contains { $0.principal.isOver } }

    /// Returns whether the other partition has each of these users, and perhaps more.
    func isPart(of other: CachePartition) -> Bool { members.isSubset(of: other.members) }

    /// Returns whether a header only identifies these users, so that its value may differ between their requests.
    ///
    /// A cookie doesn't: its value matters in addition to its user.
    func standsFor(_ header: String) -> Bool {
        header != "cookie" && members.contains { $0.header == header }
    }

    /// Returns the holders of the current values of these users' headers.
    ///
    /// They change when a token is renewed.
    func holders(in headers: HTTPHeaders) -> Set<Principal> {
        Set(
            members.compactMap { member in
                Self.value(of: member.header, in: headers).map {
                    .holder(of: $0, in: member.header)
                }
            })
    }

    /// True if it has a member from another header than Cookie.
    var isAuthorized: Bool { members.contains { $0.header != "cookie" } }

    /// The approximate size, in bytes.
    var byteCount: Int { members.count * 32 }

    private static let secrets: Set<String> = ["authorization", "cookie", "proxy-authorization"]
}
