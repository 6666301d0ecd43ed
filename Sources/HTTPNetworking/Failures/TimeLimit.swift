import Services

/// Which limit of time a transport has kept, as it stands in an error's text.
package enum TimeLimit {
    /// Nothing came or went for so long.
    case idle(Duration)
    /// No connection was made within so long.
    case connect(Duration)
    /// No connection was free, and none could be made, within so long.
    case freeConnection(Duration)
    /// The call's deadline passed so long after the call was made.
    case deadline(after: Duration)

    /// The limit in words.
    package var words: String {
        switch self {
        case .idle(let time): "the idle limit of \(time.inWords)"
        case .connect(let time): "the connect limit of \(time.inWords)"
        case .freeConnection(let time): "the limit of \(time.inWords) for a free connection"
        case .deadline(let time): "the deadline, after \(time.inWords)"
        }
    }
}
