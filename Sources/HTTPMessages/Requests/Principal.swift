import PledgeFutures
package import PledgeServices

/// The user of a request.
///
/// Caches compare the users of requests, so that no user gets another user's response.
package enum Principal: Hashable, Sendable {
    /// An account that the app names.
    case account(String)
    /// A signed-in user, until that user signs out or another signs in.
    case signIn(SignIn)
    /// The holder of a secret, known in this process only, by a salted hash.
    case secret(Int)
    /// An account, or the holder of a secret, known by a hash with a key that several processes have.
    case digest(UInt64, UInt64)
    /// A user of another process, whom no request of this process has.
    case nobody

    /// Returns the holder of the secret in a header.
    ///
    /// A hash of the secret stands for it within this process. The hash can't be inverted, and its salt differs in each
    /// process. The probability that two secrets have the same hash is 2⁻⁶⁴.
    package static func holder(of value: String, in header: String) -> Principal {
        var hasher = Hasher()
        hasher.combine(salt)
        hasher.combine(header.lowercased())
        hasher.combine(value)
        return .secret(hasher.finalize())
    }

    /// Returns the holder of the secret in a header, known to all processes with the same key.
    ///
    /// - Parameter key: The key; with nil, the holder is known to this process only.
    package static func holder(of value: String, in header: String, key: [UInt8]?) -> Principal {
        guard let key else { return holder(of: value, in: header) }
        return digest(of: value, as: "header \(header.lowercased())", key: key)
    }

    /// Returns the account that an app names, known to all processes with the same key.
    package static func account(_ name: String, key: [UInt8]) -> Principal {
        digest(of: name, as: "account", key: key)
    }

    /// SHA-512/256 of a key, a kind and a value, cut to 128 bits; a longer message doesn't follow from its hash.
    private static func digest(of value: String, as kind: String, key: [UInt8]) -> Principal {
        let hash = hash(of: value, as: kind, key: key)
        func word(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
        return .digest(word(hash[0..<8]), word(hash[8..<16]))
    }

    static func hash(of value: String, as kind: String, key: [UInt8]) -> [UInt8] {
        Array(SHA512_256.hash(key + Array(kind.utf8) + [0] + Array(value.utf8)).prefix(16))
    }

    /// True if this user's sign-in has ended, or if the user is unknown in this process.
    package var isOver: Bool {
        switch self {
        case .signIn(let signIn): signIn.isOver
        case .nobody: true
        case .account, .secret, .digest: false
        }
    }

    /// True if other processes may know this user.
    package var mayOutliveProcess: Bool {
        switch self {
        case .account, .digest: true
        case .signIn(let signIn): signIn.name != nil
        case .secret, .nobody: false
        }
    }

    /// A second seed for the hash, because an environment variable can fix the process's own seed.
    private static let salt = UInt64.random(in: .min ... .max)
}

/// One sign-in of a user, different from every other sign-in, even for the same account.
package final class SignIn: Sendable {
    private let state = Locked(State())

    /// True if this object stands for the time in which no user is signed in.
    package let isOfNobody: Bool

    /// The name that the sign-in has in every process; nil if it is known to this process only.
    package let name: String?

    /// The name, or a random text that no other sign-in has.
    let id: String

    package init(ofNobody isOfNobody: Bool = false) {
        self.isOfNobody = isOfNobody
        name = nil
        id = "\(UInt64.random(in: .min ... .max)) \(UInt64.random(in: .min ... .max))"
    }

    /// Continues a sign-in that may have begun in another process.
    package init(named name: String) {
        isOfNobody = false
        self.name = name
        id = name
    }

    /// True if the user has signed out, or another has signed in.
    package var isOver: Bool { state.withLock { $0.isOver } }

    /// Has a cache told when this sign-in ends, and when those that follow it end.
    ///
    /// It does nothing if the sign-in is over. The cache isn't kept alive.
    ///
    /// - Parameter account: The account that the app has named; nil for none. The cache is told of it when the user
    ///   signs out.
    package func inform(_ cache: any UserForgetting, account: String? = nil) {
        state.withLock { state in
            if !state.isOver { state.caches.add(cache, account: account) }
        }
    }

    /// Ends the sign-in permanently.
    ///
    /// The caller then calls ``informCaches()``, without a lock held.
    ///
    /// - Parameters:
    ///   - next: The sign-in that follows.
    ///   - isSignOut: True if the user has signed out, and no other has signed in.
    package func endSignIn(before next: SignIn? = nil, isSignOut: Bool = false) {
        let caches = state.withLock { state in
            state.isOver = true
            state.isSignOut = isSignOut
            return state.caches
        }
        next?.state.withLock { $0.caches = caches }
    }

    /// Tells the caches once that the sign-in is over.
    package func informCaches() {
        let (caches, isSignOut) = state.withLock { state in
            defer { state.caches = InformedCaches() }
            return (state.caches, state.isSignOut)
        }
        for (cache, accounts) in caches.all {
            cache.forget(self, accounts: isSignOut ? accounts : [])
        }
    }

    private struct State {
        var isOver = false
        var isSignOut = false
        var caches = InformedCaches()
    }
}

/// A cache that removes the responses of users who have signed out.
package protocol UserForgetting: AnyObject, Sendable {
    /// Removes the responses of a sign-in that is over, and of accounts that have signed out; doesn't wait for that.
    func forget(_ signIn: SignIn, accounts: Set<String>)
}

/// The caches that are told of the end of a sign-in.
private struct InformedCaches: @unchecked Sendable {
    private struct Entry {
        weak var cache: (any UserForgetting)?
        var accounts: Set<String> = []
    }

    private var entries: [ObjectIdentifier: Entry] = [:]

    /// Adds a cache, or an account to a cache.
    mutating func add(_ cache: any UserForgetting, account: String?) {
        let identifier = ObjectIdentifier(cache)
        if let entry = entries[identifier], entry.cache != nil {
            if account.map(entry.accounts.contains) ?? true { return }
        } else {
            // Another cache may have been at this address before.
            entries = entries.filter { $0.value.cache != nil }
            entries[identifier] = Entry(cache: cache)
        }
        if let account { entries[identifier]?.accounts.insert(account) }
    }

    /// The caches that exist, with the accounts that were named for them.
    var all: [(any UserForgetting, accounts: Set<String>)] {
        entries.values.compactMap { entry in entry.cache.map { ($0, entry.accounts) } }
    }
}

/// The sign-ins that a call is made for, recorded when its first request is sent.
///
/// A redirect, a repetition after a 401, and each further attempt of a retry or a hedge keep them, so that no part of
/// the call continues for another user.
package struct SignIns: CallUsers, Equatable {
    /// The sign-in of the request's token; nil if no `TokenRefresher` was asked for a token.
    ///
    /// If no user is signed in, this is a sign-in with ``SignIn/isOfNobody``.
    package var token: SignIn?
    /// The sign-in of the cookie jar; nil without a jar.
    package var cookies: SignIn?

    package init() {}

    /// True if one of the sign-ins has ended.
    package var isOver: Bool { token?.isOver ?? false || cookies?.isOver ?? false }

    /// Copies the sign-ins of the sent request; a sign-in that the request lacks stays as it is.
    package mutating func bind(_ sent: SignIns?) {
        token = sent?.token ?? token
        cookies = sent?.cookies ?? cookies
    }
}

extension HTTPRequest: UserBound {
    /// Returns the request with the sign-ins of an earlier attempt.
    package func bound(to users: any CallUsers) -> HTTPRequest {
        guard let users = users as? SignIns, users != SignIns() else { return self }
        var request = self
        request.context.signIns.bind(users)
        return request
    }

    /// Records the request's sign-ins in its attempt, so that the next attempt is for the same users.
    package func noteSignIns() { CallContext.current.record?.noteUsers(context.signIns) }
}

extension SignIn: Hashable {
    /// Returns whether both are the same object, or have the same name.
    package static func == (left: SignIn, right: SignIn) -> Bool {
        left === right || left.name != nil && left.name == right.name
    }

    /// Hashes the name, or the object's identity if it has none.
    package func hash(into hasher: inout Hasher) {
        if let name { hasher.combine(name) } else { hasher.combine(ObjectIdentifier(self)) }
    }
}

extension HTTPResponse: UserBound {
    /// The response without the cookies that it sets.
    package var forOthers: HTTPResponse {
        var response = self
        response.headers.remove("Set-Cookie")
        return response
    }

    /// True if the user of the request has signed out.
    package var isOver: Bool { request?.context.signIns.isOver ?? false }
}

extension HTTPError: UserBound {
    /// The error without the cookies that its response sets.
    package var forOthers: HTTPError {
        var error = self
        error.response = response?.forOthers
        return error
    }

    /// True if the user of the request has signed out.
    package var isOver: Bool { request?.context.signIns.isOver ?? false }
}
