import Pledge

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The messages of other threads to the server's loop, and a pair of sockets that wakes it.
final class LoopbackMailbox: Sendable {
    /// A message to the loop.
    enum Message: Sendable {
        /// The answer to the current request of a connection.
        case answer(Result<LoopbackAnswer, any Error>, connection: Int)
        /// The hold of a connection is over.
        case goOn(connection: Int)
        /// Close everything and return.
        case stop
    }

    /// The pair's end that the loop polls; the mailbox keeps both ends open as long as it lives.
    let wakeUp: Int32

    private let pair: DescriptorPair
    private let messages = Locked([Message]())

    /// Makes an empty mailbox.
    ///
    /// - Throws: ``LoopbackError`` if the system has no descriptor left.
    init() throws(LoopbackError) {
        pair = try DescriptorPair()
        wakeUp = pair.output.number
    }

    /// Adds a message and wakes the loop.
    func post(_ message: Message) {
        messages.withLock { $0.append(message) }
        // A full buffer has woken the loop already.
        _ = pair.input.send([1])
    }

    /// Takes all messages, in the order in which they were added.
    func collect() -> [Message] {
        var bytes = [UInt8](repeating: 0, count: 256)
        while case .moved = pair.output.receive(into: &bytes) {}
        return messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}

/// Two sockets that are joined; unlike with a pipe, no process started meanwhile inherits an end.
private struct DescriptorPair: ~Copyable {
    let output: Descriptor
    let input: Descriptor

    init() throws(LoopbackError) {
        var ends: [Int32] = [-1, -1]
        let code = socketpair(AF_UNIX, Descriptor.streamSocket, 0, &ends)
        let output = try Descriptor(taking: code == 0 ? ends[0] : code, from: "socketpair")
        let input = try Descriptor(taking: ends[1], from: "socketpair")
        self.output = output
        self.input = input
    }
}
