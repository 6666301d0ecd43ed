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

/// How other threads reach the server's loop: messages, and a pipe that wakes it.
final class LoopbackMailbox: Sendable {
    /// What the loop is told.
    enum Message: Sendable {
        /// The answer to the request that a connection is busy with.
        case answer(Result<LoopbackAnswer, any Error>, connection: Int)
        /// What a connection waited for has come about.
        case goOn(connection: Int)
        /// Close everything and return.
        case stop
    }

    /// The pipe's end that the loop polls; the mailbox keeps both ends open as long as it lives.
    let wakeUp: Int32

    private let pipe: DescriptorPair
    private let messages = Locked([Message]())

    /// Makes an empty mailbox.
    ///
    /// - Throws: ``LoopbackError`` where the system has no descriptor left to give.
    init() throws(LoopbackError) {
        pipe = try DescriptorPair()
        wakeUp = pipe.output.number
    }

    /// Leaves a message and wakes the loop.
    func post(_ message: Message) {
        messages.withLock { $0.append(message) }
        // A full pipe has woken the loop already.
        var byte: UInt8 = 1
        _ = write(pipe.input.number, &byte, 1)
    }

    /// Takes all messages, in the order in which they were left.
    func collect() -> [Message] {
        var bytes = [UInt8](repeating: 0, count: 256)
        while case .moved = pipe.output.receive(into: &bytes) {}
        return messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}

/// Both ends of a pipe.
private struct DescriptorPair: ~Copyable {
    let output: Descriptor
    let input: Descriptor

    init() throws(LoopbackError) {
        var ends: [Int32] = [-1, -1]
        let code = pipe(&ends)
        let output = try Descriptor(taking: code == 0 ? ends[0] : code, from: "pipe")
        let input = try Descriptor(taking: ends[1], from: "pipe")
        self.output = output
        self.input = input
    }
}
