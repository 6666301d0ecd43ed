import HTTPNetworking

/// The users of a request: a stored response is returned only to requests of the same users.
///
/// It is defined by the users and not by the values of the headers, so that an account keeps its stored
/// responses when its token is renewed. A header that no middleware has added belongs to the holder of its
/// value (`Principal.holder(of:in:)`), so that no order, and no header set by the caller, mixes two users.
/// `Cache-Control: public` is not an exception: the answer for another user is requested again.
struct CachePartition: Hashable, Sendable {
    private struct Member: Hashable {
        let header: String
        let principal: Principal
    }

    private var members: Set<Member> = []

    init(of request: HTTPRequest) {
        for credential in request.context.credentials {
            let header = credential.header.lowercased()
            guard request.headers[header] == credential.value else {
                addHolder(of: header, in: request)
                continue
            }
            members.insert(Member(header: header, principal: credential.principal))
        }
        for header in Self.headers where !members.contains(where: { $0.header == header }) {
            addHolder(of: header, in: request)
        }
    }

    private mutating func addHolder(of header: String, in request: HTTPRequest) {
        guard let value = request.headers[header] else { return }
        members.insert(Member(header: header, principal: .holder(of: value, in: header)))
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

    /// Whether it contains more than cookies.
    var isAuthorized: Bool { members.contains { $0.header != "cookie" } }

    /// How many bytes it takes.
    var byteCount: Int { members.count * 32 }

    private static let headers = ["authorization", "cookie", "proxy-authorization"]
}
