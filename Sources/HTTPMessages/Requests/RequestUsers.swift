import PledgeHTTPText

/// The users of a transfer, so that no later call continues it for another user.
///
/// Put an empty value into the context of the transfer's requests, and read ``HTTPRequest/users`` of the request in the
/// answer, which has the headers that the layers below have added. A redirect notes the users of each request before
/// the last one, because another origin doesn't get its credentials.
package struct RequestUsers: Sendable {
    /// A header that identifies a user, and what stands for the user; each of these is enough.
    private struct Member: Hashable, Sendable {
        let header: String
        var proofs: [Proof] = []
    }

    /// A text that no other user has, and its kind.
    private struct Proof: Hashable, Sendable {
        let kind: String
        let text: String
    }

    private var members: [Member] = []
    /// The headers that identify nobody, in lower case, beside the harmless ones.
    private let ignored: Set<String>

    /// Creates a value without users.
    ///
    /// - Parameter ignored: The names of the transfer's own headers, in lower case, which identify nobody.
    package init(besides ignored: Set<String> = []) { self.ignored = ignored }

    /// Adds the users of a request as it was sent.
    package mutating func add(_ request: HTTPRequest) {
        var found: [String: Member] = [:]
        let owners = request.owners { header in
            // Another Host is another site at the same address, with users of its own.
            header == "host" || !HTTPHeaders.isHarmless(header) && !ignored.contains(header)
        }
        for owner in owners {
            guard let value = request.headers[owner.header] else { continue }
            found[owner.header, default: Member(header: owner.header)].proofs +=
                Self.proofs(owner, value)
        }
        // A redirect within an origin leads on for the same users.
        members += found.values.sorted { $0.header < $1.header }.filter { !members.contains($0) }
    }

    /// Returns the proofs of who owns a header.
    ///
    /// A token's sign-in stays the same when the token is renewed. A jar's sign-in doesn't stand for its user, because a
    /// site may change the user by a cookie.
    private static func proofs(_ owner: HTTPRequest.Owner, _ value: String) -> [Proof] {
        let holder = Proof(kind: "header \(owner.header)", text: stable(value))
        switch owner.credential?.principal {
        case .account(let name): return [Proof(kind: "account", text: name)]
        case .signIn(let signIn) where owner.header != "cookie":
            return [Proof(kind: "sign-in", text: signIn.id), holder]
        default: return [holder]
        }
    }

    /// Returns the part of a header's value that is the same in each request of a user.
    ///
    /// A digest differs in each request; its name and realm don't (RFC 7616, section 3.4).
    private static func stable(_ value: String) -> String {
        guard value.lowercased().hasPrefix("digest ") else { return value }
        var reader = FieldReader(value.dropFirst(7))
        var names: [String] = []
        while reader.nextMember() {
            let name = reader.token().lowercased()
            if ["username", "username*", "realm"].contains(name), reader.skip("=") {
                let text = reader.quotedString()?.content ?? reader.token()
                names.append("\(name)=\(text.asQuotedString)")
            }
            reader.endMember()
        }
        return names.isEmpty ? value : "Digest \(names.sorted().joined(separator: ","))"
    }

    /// A line of text for a record, from which nobody can read the users.
    ///
    /// It has a new salt, and for each header a hash of what stands for its user, with that salt.
    package var mark: String {
        let salt = (0..<2).flatMap { _ in UInt64.random(in: .min ... .max).bigEndianBytes }
        let hashes = hashes(salt).map { $0.joined(separator: ",") }
        return ([salt.hexadecimal] + hashes).joined(separator: " ")
    }

    /// Returns whether other requests of the same call had the same cookies.
    ///
    /// The other headers say nothing within a call, because a layer may sign each request anew.
    package func haveCookies(of other: RequestUsers) -> Bool { cookies == other.cookies }

    private var cookies: [Member] { members.filter { $0.header == "cookie" } }

    /// Returns whether a record's line is of the same users.
    package func isMarked(by mark: String) -> Bool {
        let words = mark.split(separator: " ", omittingEmptySubsequences: false)
        guard let salt = words.first.flatMap({ [UInt8](hexadecimal: String($0)) }), salt.count == 16
        else { return false }
        let own = hashes(salt)
        let marked = words.dropFirst().map { Set($0.split(separator: ",").map(String.init)) }
        return own.count == marked.count
            && zip(own, marked).allSatisfy { !$1.isDisjoint(with: $0) }
    }

    private func hashes(_ salt: [UInt8]) -> [[String]] {
        members.map { member in
            member.proofs.map { proof in
                Principal.hash(of: proof.text, as: proof.kind, key: salt).hexadecimal
            }
        }
    }
}

extension HTTPRequest {
    /// A header that says whose request it is.
    package struct Owner: Sendable {
        /// The header's name, in lower case.
        package let header: String
        /// The credential in the header; nil if the owner is whoever holds the header's value.
        package let credential: Credential?
    }

    /// Returns the headers that say whose request it is.
    ///
    /// - Parameter counts: Returns whether a header that no middleware added identifies users; its name is in lower
    ///   case.
    package func owners(counting counts: (String) -> Bool) -> [Owner] {
        var owners: [Owner] = []
        for credential in context.credentials {
            let header = credential.header.lowercased()
            let isSent = headers[header] == credential.value
            owners.append(Owner(header: header, credential: isSent ? credential : nil))
        }
        for (name, _) in headers {
            let header = name.lowercased()
            guard counts(header), !owners.contains(where: { $0.header == header }) else { continue }
            owners.append(Owner(header: header, credential: nil))
        }
        return owners
    }

    /// The users of the request, and of those that have redirected to it.
    package var users: RequestUsers {
        var users = context.users ?? RequestUsers()
        users.add(self)
        return users
    }
}
