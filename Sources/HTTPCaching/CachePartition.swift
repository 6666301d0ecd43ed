package import PledgeHTTPMessages

/// The users of a request.
///
/// A stored response only answers requests of the same users.
///
/// Users are compared, and not header values, so an account keeps its responses when its token is renewed. A header
/// that no middleware added stands for whoever holds its value (`Principal.holder(of:in:)`). So two users stay separate
/// in any order of the middleware, even if the caller sets the header.
///
/// In a private cache, every header identifies a user unless it's known to be harmless, because it may hold an API key.
/// That is so even for a response with `Cache-Control: public`: for another user, the cache asks the origin again.
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
    /// Decides which headers identify users.
    let mode: HTTPCache.Mode
    /// The key of the hashes that stand for users; nil if only this process knows the users.
    private let key: [UInt8]?

    /// Creates a partition that a store has kept.
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

    /// The user of a credential; one that all processes with the key know, if possible.
    private func principal(of credential: HTTPRequest.Credential) -> Principal {
        guard let key else { return credential.principal }
        switch credential.principal {
        case .account(let name): return .account(name, key: key)
        case .holder(of: credential.value, in: credential.header):
            return .holder(of: credential.value, in: credential.header, key: key)
        case let other: return other
        }
    }

    /// The holder of a header's value; nil if the header is absent.
    func holder(of header: String, in headers: HTTPHeaders) -> Principal? {
        Self.value(of: header, in: headers).map { .holder(of: $0, in: header, key: key) }
    }

    /// Returns whether a header that no middleware added identifies users; `header` is in lower case.
    private static func counts(_ header: String, by rules: CacheRules) -> Bool {
        if secrets.contains(header) { return true }
        return rules.mode == .private && !HTTPHeaders.isHarmless(header)
            && !rules.harmlessHeaders.contains(header)
    }

    /// The value that identifies users, normalised so that lists with the same meaning are equal.
    private static func value(of header: String, in headers: HTTPHeaders) -> String? {
        secrets.contains(header) ? headers[header] : CacheVariant.value(of: header, in: headers)
    }

    /// True if one of the users has signed out, so that no stored response may be returned.
    var isOver: Bool { members.contains { $0.principal.isOver } }

    /// Returns whether the other partition has all of these users.
    func isPart(of other: CachePartition) -> Bool { members.isSubset(of: other.members) }

    /// Returns whether a header does nothing but identify these users, so that equal requests may differ in it.
    ///
    /// Cookie doesn't count, because its value also affects the answer.
    func standsFor(_ header: String) -> Bool {
        header != "cookie" && members.contains { $0.header == header }
    }

    /// Who holds the current values of the headers that identify these users; changes when a token is renewed.
    func holders(in headers: HTTPHeaders) -> Set<Member> {
        Set(
            members.compactMap { member in
                holder(of: member.header, in: headers).map {
                    Member(header: member.header, principal: $0)
                }
            })
    }

    var isAuthorized: Bool { members.contains { $0.header != "cookie" } }

    /// Approximate, in bytes.
    var byteCount: Int { members.count * 32 }

    /// The headers that always separate users, in lower case.
    static let secrets: Set<String> = ["authorization", "cookie", "proxy-authorization"]
}

extension CachePartition: Hashable {
    /// Compares the users, but neither mode nor key.
    package static func == (left: CachePartition, right: CachePartition) -> Bool {
        left.members == right.members
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(members) }
}
