#if AsyncHTTPClient
import HTTPNetworking
import NIOCore

/// How far a body has been handed over: what came before it was asked for, or who asked before it came.
///
/// A reader asks for chunks; a gate holds the connection back until it is opened. A gate is shut
/// when as many bytes wait as may, and opened when half of them have been read: so the two threads wake each
/// other seldom.
struct HandOverState<Reader, Gate> {
    private enum Phase {
        /// The head has not come. Next: `open`, `over`.
        case closed
        /// More may come. Next: `over`.
        case open
        /// No more comes; what waits is still read, where it ended so. Next: none.
        case over(Result<Void, any Error>)
    }

    /// What a question leads to.
    enum Asked {
        /// There is a chunk; the gate is to be opened.
        case chunk(Data, Gate?)
        /// One will come.
        case wait
        /// None will.
        case over(Result<Void, any Error>)
    }

    /// What a chunk leads to.
    enum Given {
        /// Somebody has waited for it.
        case handed(to: Reader)
        /// It waits, and more may come.
        case kept
        /// It waits, and the gate is shut.
        case full(Gate)
        /// Nobody wants it any more.
        case refused
    }

    private let capacity: Int
    private var phase = Phase.closed
    private var chunks = CircularBuffer<Data>()
    private var count = 0
    private var reader: Reader?
    private var gate: Gate?

    /// Whether the head has come.
    private(set) var isOpen = false

    /// - Parameter capacity: How many bytes wait before the gate is shut.
    init(capacity: Int) { self.capacity = capacity }

    /// Takes the head: false where nobody wants it any more.
    mutating func open() -> Bool {
        guard case .closed = phase else { return false }
        isOpen = true
        phase = .open
        return true
    }

    /// Takes a question.
    mutating func ask(_ reader: Reader) -> Asked {
        if let chunk = chunks.popFirst() {
            count -= chunk.count
            return .chunk(chunk, count <= capacity / 2 ? gate.take() : nil)
        }
        if case .over(let result) = phase { return .over(result) }
        self.reader = reader
        return .wait
    }

    /// Takes a chunk.
    mutating func give(_ chunk: Data, before makeGate: () -> Gate) -> Given {
        guard case .open = phase else { return .refused }
        if let reader = reader.take() { return .handed(to: reader) }
        chunks.append(chunk)
        count += chunk.count
        guard count >= capacity else { return .kept }
        let gate = makeGate()
        self.gate = gate
        return .full(gate)
    }

    /// Takes the end, after what waits: who is to be told, and the gate that need not be opened any more.
    mutating func end(_ result: Result<Void, any Error>) -> (reader: Reader?, gate: Gate?) {
        if case .over = phase { return (nil, nil) }
        phase = .over(result)
        return (reader.take(), gate.take())
    }

    /// Forgets what waits, since nobody will ask.
    ///
    /// - Returns: What waited, to be released.
    mutating func drop() -> CircularBuffer<Data> {
        defer { (chunks, count) = (CircularBuffer(), 0) }
        return chunks
    }
}
#endif
