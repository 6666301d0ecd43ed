import Services

/// The exceeded time limit of an exchange, for an error's text.
package enum TimeLimit {
    /// No bytes were sent or received for this time.
    case idle(Duration)
    /// No connection was made within this time.
    case connect(Duration)
    /// No connection was free, and none could be made, within this time.
    case freeConnection(Duration)
    /// The call's deadline passed this time after the call was made.
    case deadline(after: Duration)
    /// The body of an error was not complete within this time.
    case errorBody(Duration)

    /// The limit in words.
    package var words: String {
        switch self {
        case .idle(let time): "the idle limit of \(time.inWords)"
        case .connect(let time): "the connect limit of \(time.inWords)"
        case .freeConnection(let time): "the limit of \(time.inWords) for a free connection"
        case .deadline(let time): "the deadline, after \(time.inWords)"
        case .errorBody(let time): "the limit of \(time.inWords) for an error's body"
        }
    }
}
