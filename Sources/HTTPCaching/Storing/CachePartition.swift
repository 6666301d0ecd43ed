import HTTPNetworking

/// In whose names a request goes: a stored response is given only to requests in the same names.
///
/// It is defined by the names and not by the values of the headers, so that an account keeps what
/// was stored for it when its token is renewed. A header that no middleware has added belongs to
/// the holder of its value (`Principal.holder(of:in:)`), so that no order, and no header set by
/// hand, mixes two users. `Cache-Control: public` is no exception: another user's answer is
/// requested anew.
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

    /// Whether one of its names has ended, so that what was stored in it must not be returned.
    var isOver: Bool { members.contains { $0.principal.isOver } }

    /// Whether a request goes in each of these names, and perhaps in more.
    func isPart(of other: CachePartition) -> Bool { members.isSubset(of: other.members) }

    /// Whether requests in these names need not agree in a header, since it tells no more than they do.
    ///
    /// What a cookie says matters besides whose it is.
    func standsFor(_ header: String) -> Bool {
        header != "cookie" && members.contains { $0.header == header }
    }

    /// Whether there is more in it than cookies.
    var isAuthorized: Bool { members.contains { $0.header != "cookie" } }

    /// How many bytes it takes.
    var byteCount: Int { members.count * 32 }

    private static let headers = ["authorization", "cookie", "proxy-authorization"]
}
