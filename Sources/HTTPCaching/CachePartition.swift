package import PledgeHTTPMessages

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
package struct CachePartition: Sendable {
    package struct Member: Hashable, Sendable {
        package let header: String
        package let principal: Principal

        package init(header: String, principal: Principal) {
            self.header = header
            self.principal = principal
        }
    }

    package private(set) var members: Set<Member> = []
    /// The kind of cache, which decides which headers identify users.
    let mode: HTTPCache.Mode
    /// The key of the hashes that stand for users; nil if they are known to this process only.
    private let key: [UInt8]?

    /// Creates a partition from its members, as a store has kept them.
    package init(members: Set<Member>) {
        self.members = members
        mode = .private
        key = nil
    }

    init(of request: HTTPRequest, by rules: CacheRules = CacheRules(mode: .private)) {
        mode = rules.mode
        key = rules.hashKey
        for owner in request.owners(counting: { Self.counts($0, by: rules) }) {
            guard let credential = owner.credential else {
                addHolder(of: owner.header, in: request)
                continue
            }
            members.insert(Member(header: owner.header, principal: principal(of: credential)))
        }
    }

    private mutating func addHolder(of header: String, in request: HTTPRequest) {
        guard let holder = holder(of: header, in: request.headers) else { return }
        members.insert(Member(header: header, principal: holder))
    }

    /// Returns the user of a credential, known to all processes with the key if that's possible.
    private func principal(of credential: HTTPRequest.Credential) -> Principal {
        guard let key else { return credential.principal }
        switch credential.principal {
        case .account(let name): return .account(name, key: key)
        case .holder(of: credential.value, in: credential.header):
            return .holder(of: credential.value, in: credential.header, key: key)
        case let other: return other
        }
    }

    /// Returns the holder of a header's value; nil if the headers don't have it.
    func holder(of header: String, in headers: HTTPHeaders) -> Principal? {
        Self.value(of: header, in: headers).map { .holder(of: $0, in: header, key: key) }
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
    func holders(in headers: HTTPHeaders) -> Set<Member> {
        Set(
            members.compactMap { member in
                holder(of: member.header, in: headers).map {
                    Member(header: member.header, principal: $0)
                }
            })
    }

    /// True if a header other than Cookie identifies a user.
    var isAuthorized: Bool { members.contains { $0.header != "cookie" } }

    /// The approximate size, in bytes.
    var byteCount: Int { members.count * 32 }

    /// The headers that always separate users, in lower case.
    static let secrets: Set<String> = ["authorization", "cookie", "proxy-authorization"]
}

extension CachePartition: Hashable {
    /// Returns whether both have the same users; the mode and the key aren't compared.
    package static func == (left: CachePartition, right: CachePartition) -> Bool {
        left.members == right.members
    }

    /// Hashes the users.
    package func hash(into hasher: inout Hasher) { hasher.combine(members) }
}
