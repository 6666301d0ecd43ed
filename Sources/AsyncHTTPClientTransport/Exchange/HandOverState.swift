#if AsyncHTTPClient
/// How far a body has been handed over, one chunk for each time it was asked for.
///
/// A reader is whoever asks; a gate is what holds the next chunk back until it is opened.
struct HandOverState<Reader, Gate> {
    private enum Phase {
        /// The head has not come. Next: `idle`, `over`.
        case closed
        /// Nobody asks, and the gate is shut. Next: `asked`, `over`.
        case idle(Gate)
        /// The gate is open. Next: `idle`, `over`.
        case asked(Reader)
        /// There is no more. Next: none.
        case over(Result<Void, any Error>)
    }

    /// What a question leads to.
    enum Asked {
        /// The chunk will come; the gate is to be opened.
        case open(Gate?)
        /// None will.
        case over(Result<Void, any Error>)
    }

    private var phase = Phase.closed

    /// Whether the head has come.
    private(set) var isOpen = false

    /// Takes the head: false where nobody wants it any more.
    mutating func open(before gate: Gate) -> Bool {
        guard case .closed = phase else { return false }
        isOpen = true
        phase = .idle(gate)
        return true
    }

    /// Takes a question.
    mutating func ask(_ reader: Reader) -> Asked {
        switch phase {
        case .over(let result): return .over(result)
        case .idle(let gate):
            phase = .asked(reader)
            return .open(gate)
        case .closed, .asked:
            phase = .asked(reader)
            return .open(nil)
        }
    }

    /// Takes a chunk: who gets it, nil where nobody wants it any more.
    mutating func give(before gate: Gate) -> Reader? {
        guard case .asked(let reader) = phase else { return nil }
        phase = .idle(gate)
        return reader
    }

    /// Takes the end: who is to be told, and the gate that need not be opened any more.
    mutating func end(_ result: Result<Void, any Error>) -> (reader: Reader?, gate: Gate?) {
        switch phase {
        case .over: return (nil, nil)
        case .closed:
            phase = .over(result)
            return (nil, nil)
        case .idle(let gate):
            phase = .over(result)
            return (nil, gate)
        case .asked(let reader):
            phase = .over(result)
            return (reader, nil)
        }
    }
}
#endif
