import Futures

/// In whose name a request goes, so that what is answered to one is not given to another.
package enum Principal {
    /// An account that the app names.
    case account(String)
    /// A signed-in user, until that user signs out or another signs in.
    case signIn(SignIn)
    /// The holder of a secret, of which only a salted hash is kept.
    case secret(Int)

    /// The holder of the secret in a header.
    ///
    /// The hash stands for the secret within this process: it cannot be turned back, the salt makes it
    /// another in each process, and that two secrets of one process have the same is as likely as
    /// to guess a number of 64 bits.
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

    /// Beside the process's own seed, which an environment variable can fix.
    private static let salt = UInt64.random(in: .min ... .max)
}

/// One sign-in of a user, different from every other, even of the same account.
package final class SignIn {
    private let over = Locked(false)

    /// Begins.
    package init() {}

    /// Whether the user has signed out, or another has signed in.
    package var isOver: Bool { over.withLock { $0 } }

    /// Ends, for good.
    package func end() { over.withLock { $0 = true } }
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
