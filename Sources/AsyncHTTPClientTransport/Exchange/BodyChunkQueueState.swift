#if AsyncHTTPClient
import HTTPNetworking
import NIOCore

/// The state of passing on a body: the chunks that have not been asked for, or the reader that waits for one.
///
/// A reader asks for chunks; a gate stops the connection from being read until it is opened. The gate is shut
/// when the waiting bytes reach the capacity, and opened when half of them have been read: so the two threads
/// seldom wake each other.
struct BodyChunkQueueState<Reader, Gate> {
    private enum Phase {
        /// The head has not arrived. Next: `open`, `over`.
        case closed
        /// More chunks may arrive. Next: `over`.
        case open
        /// No more chunks arrive; waiting chunks can still be read. Next: none.
        case over(Result<Void, any Error>)
    }

    /// The result of asking for a chunk.
    enum ReadResult {
        /// There is a chunk; the gate is to be opened.
        case chunk(Data, Gate?)
        /// A chunk will come later.
        case wait
        /// No chunk will come.
        case over(Result<Void, any Error>)
    }

    /// The result of giving a chunk.
    enum WriteResult {
        /// A reader has waited for it.
        case handed(to: Reader)
        /// It waits, and more chunks may come.
        case kept
        /// It waits, and the gate is shut.
        case full(Gate)
        /// The body is not wanted any more.
        case refused
    }

    private let capacity: Int
    private var phase = Phase.closed
    private var chunks = CircularBuffer<Data>()
    private var count = 0
    private var reader: Reader?
    private var gate: Gate?

    /// Whether the head has arrived.
    private(set) var isOpen = false

    /// - Parameter capacity: The number of waiting bytes at which the gate is shut.
    init(capacity: Int) { self.capacity = capacity }

    /// Notes the head; returns false if the response is not wanted any more.
    mutating func open() -> Bool {
        guard case .closed = phase else { return false }
        isOpen = true
        phase = .open
        return true
    }

    /// Asks for a chunk.
    mutating func ask(_ reader: Reader) -> ReadResult {
        if let chunk = chunks.popFirst() {
            count -= chunk.count
            return .chunk(chunk, count <= capacity / 2 ? gate.take() : nil)
        }
        if case .over(let result) = phase { return .over(result) }
        self.reader = reader
        return .wait
    }

    /// Takes a chunk.
    mutating func give(_ chunk: Data, before makeGate: () -> Gate) -> WriteResult {
        guard case .open = phase else { return .refused }
        if let reader = reader.take() { return .handed(to: reader) }
        chunks.append(chunk)
        count += chunk.count
        guard count >= capacity else { return .kept }
        let gate = makeGate()
        self.gate = gate
        return .full(gate)
    }

    /// Notes the end, which comes after the waiting chunks.
    ///
    /// - Returns: The reader to notify, and the gate, which does not have to be opened any more.
    mutating func end(_ result: Result<Void, any Error>) -> (reader: Reader?, gate: Gate?) {
        if case .over = phase { return (nil, nil) }
        phase = .over(result)
        return (reader.take(), gate.take())
    }

    /// Discards the waiting chunks, since the reader will not ask for them.
    ///
    /// - Returns: The chunks, for the caller to release.
    mutating func drop() -> CircularBuffer<Data> {
        defer { (chunks, count) = (CircularBuffer(), 0) }
        return chunks
    }
}
#endif
