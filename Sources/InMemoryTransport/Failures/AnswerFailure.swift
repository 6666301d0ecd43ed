public import PledgeServices

extension MemoryTransport {
    /// The error of a route without an answer: the route, the call, and the reason.
    public struct AnswerFailure: Error {
        /// Why there is no answer.
        public enum Code: Hashable, Sendable {
            /// The file cannot be read.
            case unreadableFile
            /// The value cannot be encoded.
            case unencodableValue
            /// The sequence has no answers.
            case emptySequence
        }

        /// Why there is no answer.
        public let code: Code

        /// The call.
        public let call: Call

        /// The file's path or the value's type.
        public let subject: String

        /// The error of reading or encoding.
        public let cause: (any Error)?
    }
}

extension MemoryTransport.AnswerFailure: CallerError {}

extension MemoryTransport.AnswerFailure: CustomStringConvertible {
    /// The route, what it should have answered with, and why it could not.
    public var description: String {
        let route = call.route ?? "a route"
        let reason = cause.map { ": \($0)" } ?? ""
        return switch code {
        case .unreadableFile: "\(route) cannot read the file \(subject)\(reason)"
        case .unencodableValue: "\(route) cannot encode the \(subject) as JSON\(reason)"
        case .emptySequence: "\(route) has an empty sequence of answers: give it at least one"
        }
    }
}
