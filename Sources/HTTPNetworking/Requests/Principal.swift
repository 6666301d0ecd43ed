import PledgeFutures
package import PledgeServices

/// The user of a request, so that the answer to one user is not returned to another.
package enum Principal {
    /// An account that the app names.
    case account(String)
    /// A signed-in user, until that user signs out or another signs in.
    case signIn(SignIn)
    /// The holder of a secret, of which only a salted hash is kept.
    case secret(Int)

    /// The holder of the secret in a header.
    ///
    /// The hash represents the secret within this process: it cannot be inverted, the salt makes it different
    /// in each process, and a collision of two secrets is as likely as a correct guess of a 64-bit number.
    package static func holder(of value: String, in header: String) -> Principal {
        var hasher = Hasher()
        hasher.combine(salt)
        hasher.combine(header.lowercased())
        hasher.combine(value)
        return .secret(hasher.finalize())
    }

    /// Whether this name has ended.
    package var isOver: Bool {
        if case .signIn(let signIn) = self { signIn.isOver } else { false }
    }

    /// In addition to the process's own seed, which an environment variable can fix.
    private static let salt = UInt64.random(in: .min ... .max)
}

/// One sign-in of a user, different from every other, even of the same account.
package final class SignIn {
    private let over = Locked(false)

    /// Whether nobody is signed in.
    package let isOfNobody: Bool

    /// Begins a sign-in.
    package init(ofNobody isOfNobody: Bool = false) { self.isOfNobody = isOfNobody }

    /// Whether the user has signed out, or another has signed in.
    package var isOver: Bool { over.withLock { $0 } }

    /// Ends the sign-in permanently.
    package func end() { over.withLock { $0 = true } }
}

/// The sign-ins that a call is made for, bound when its first request is sent.
///
/// A redirect, a repetition after a 401, and each further attempt of a retry or a hedge take them along, so that the
/// parts beneath do not go on for another user.
package struct SignIns {
    /// The sign-in of the token, also of nobody; nil if no refresher was asked.
    package var token: SignIn?
    /// The sign-in of the jar; nil without a jar.
    package var cookies: SignIn?

    /// Whether one of them has ended.
    package var isOver: Bool { token?.isOver ?? false || cookies?.isOver ?? false }

    /// Binds those of a request that was sent, and keeps the others.
    package mutating func bind(_ sent: SignIns?) {
        token = sent?.token ?? token
        cookies = sent?.cookies ?? cookies
    }
}

extension SignIns: CallUsers, Equatable {}

extension HTTPRequest: UserBound {
    /// The same for the sign-ins of an earlier attempt.
    package func bound(to users: any CallUsers) -> HTTPRequest {
        guard let users = users as? SignIns, users != SignIns() else { return self }
        var request = self
        request.context.signIns.bind(users)
        return request
    }

    /// Notes its sign-ins in the record of the attempt, so that the next attempt is for the same users.
    package func noteSignIns() { CallContext.current.record?.note(users: context.signIns) }
}

extension SignIn: Hashable {
    /// Whether both are the same object.
    package static func == (left: SignIn, right: SignIn) -> Bool { left === right }

    /// Feeds the hasher the object's identity.
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension SignIn: Sendable {}

extension Principal: Hashable {}

extension Principal: Sendable {}
