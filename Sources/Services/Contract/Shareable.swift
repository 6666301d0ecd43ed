/// An answer, or an error that keeps one, of which a part is for the exchange that received it alone.
///
/// A cookie is such a part: the server has set it for whoever asked, and not for those who share the answer.
package protocol Shareable: Sendable {
    /// The same without that part, for all others.
    var shared: Self { get }

    /// Whether a user that it is for has signed out, so that it is kept for nobody.
    var isOver: Bool { get }
}

extension Result where Success: Sendable, Failure == any Error {
    /// The result for those who share it; the same if its type has no such part.
    var shared: Result {
        switch self {
        case .success(let value):
            (value as? any Shareable).flatMap { $0.shared as? Success }.map(Result.success) ?? self
        case .failure(let error):
            (error as? any Shareable & Error).map { .failure($0.shared) } ?? self
        }
    }

    /// Whether it is a value for a user who has signed out.
    var isOver: Bool {
        guard case .success(let value) = self else { return false }
        return (value as? any Shareable)?.isOver ?? false
    }
}

/// An input whose caller learns of each answer to it, also of one that does not become the result.
package protocol AnswerKeeping: Sendable {
    /// Takes an answer that another replaces, or whose caller has left.
    func keep<Output: Sendable>(_ result: Result<Output, any Error>)
}

extension Result where Success: Sendable, Failure == any Error {
    /// Tells the maker of an input that the result is replaced.
    package func replaced(of input: some Sendable) { (input as? any AnswerKeeping)?.keep(self) }
}

/// The users that a part beneath has sent a request for.
package protocol CallUsers: Sendable {
    /// Whether one of them has signed out.
    var isOver: Bool { get }
}

/// An input that is sent again only for the users that it was sent for.
package protocol UserBound: Sendable {
    /// The same for these users.
    func bound(to users: any CallUsers) -> Self
}

extension CallRecord {
    /// The input of a further attempt: for the users of this one.
    func next<Input: Sendable>(_ input: Input) -> Input {
        guard let users, let bound = input as? any UserBound else { return input }
        return bound.bound(to: users) as? Input ?? input
    }
}
