/// An answer, or an error that keeps one, of which a part is for the exchange that received it alone.
///
/// A cookie is such a part: the server has set it for whoever asked, and not for those who share the answer.
package protocol Shareable: Sendable {
    /// The same without that part, for all others.
    var shared: Self { get }
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
