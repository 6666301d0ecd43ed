import Dispatch
import Foundation
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

/// The server's loop, which waits for sockets and messages and runs the connections.
///
/// One thread runs it.
struct LoopbackLoop {
    private let listener: LoopbackListener
    private let context: LoopbackContext
    private var connections: [Int: LoopbackConnection] = [:]
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var acceptedCount = 0
    private var isStopped = false
    /// True if the system had no descriptor left.
    ///
    /// The server then accepts no new connection until an open connection ends.
    private var isFull = false

    init(listener: LoopbackListener, context: LoopbackContext) {
        self.listener = listener
        self.context = context
    }

    /// Runs until the mailbox has a stop message, and then closes every socket.
    mutating func run() {
        while !isStopped {
            let ready = waitForEvents()
            for message in context.mailbox.collect() { handle(message) }
            for id in ready.sorted() where !isStopped {
                guard let connection = connections[id] else { continue }
                var verdict = connection.goOn()
                if case .keep = verdict { verdict = connection.receive(into: &buffer) }
                apply(verdict, to: id)
            }
            if !isFull, !isStopped { letIn() }
        }
        connections = [:]
        context.log.noteEvent { events in
            events.open = 0
            events.isStopped = true
        }
    }

    /// Waits for events.
    ///
    /// - Returns: The connections that can read or write.
    private func waitForEvents() -> [Int] {
        let open = Array(connections.values)
        var polled = [
            pollfd(fd: context.mailbox.wakeUp, events: Int16(POLLIN), revents: 0),
            pollfd(
                fd: isFull ? -1 : listener.descriptor.number,
                events: Int16(POLLIN),
                revents: 0
            ),
        ]
        for connection in open {
            let events = connection.hasUnsentBytes ? POLLIN | POLLOUT : POLLIN
            polled.append(
                pollfd(fd: connection.descriptor, events: Int16(events), revents: 0)
            )
        }
        _ = poll(&polled, numericCast(polled.count), -1)
        return zip(open, polled.dropFirst(2)).filter { $1.revents != 0 }.map { $0.0.id }
    }

    private mutating func handle(_ message: LoopbackMailbox.Message) {
        switch message {
        case .stop:
            isStopped = true
        case .answer(let result, let id):
            if let connection = connections[id] { apply(connection.answer(result), to: id) }
        case .goOn(let id):
            if let connection = connections[id] { apply(connection.release(), to: id) }
        }
    }

    private mutating func apply(_ verdict: LoopbackConnection.Verdict, to id: Int) {
        let hungUp: Int
        switch verdict {
        case .keep: return
        case .close: hungUp = 0
        case .hungUp: hungUp = 1
        }
        // Releasing the connection closes its socket. The log notifies the test only afterwards, so the test finds the
        // socket closed.
        connections[id] = nil
        isFull = false
        context.log.noteEvent { events in
            events.open -= 1
            events.hangUps += hungUp
        }
    }

    private mutating func letIn() {
        do {
            while let socket = try listener.accept() {
                let id = acceptedCount
                acceptedCount += 1
                connections[id] = LoopbackConnection(id: id, socket: socket, context: context)
                context.log.noteEvent { events in
                    events.open += 1
                    events.accepted += 1
                }
            }
        } catch {
            isFull = true
        }
    }
}

/// The messages from other threads to the server's loop, with a pair of sockets that wakes the loop.
final class LoopbackMailbox: Sendable {
    /// A message to the loop.
    enum Message: Sendable {
        /// The answer to the current request of a connection.
        case answer(Result<LoopbackAnswer, any Error>, connection: Int)
        /// The end of a connection's hold.
        case goOn(connection: Int)
        /// The order to close everything and return.
        case stop
    }

    /// The descriptor that the loop polls: one end of the pair of sockets.
    ///
    /// The mailbox keeps both ends open as long as it lives.
    let wakeUp: Int32

    private let pair: DescriptorPair
    private let messages = Locked([Message]())

    /// Creates an empty mailbox.
    ///
    /// - Throws: ``LoopbackError`` if the system has no descriptor left.
    init() throws(LoopbackError) {
        pair = try DescriptorPair()
        wakeUp = pair.output.number
    }

    /// Adds a message and wakes the loop.
    func post(_ message: Message) {
        messages.withLock { $0.append(message) }
        // If the byte isn't sent because the socket's buffer is full, earlier bytes have already woken the loop.
        _ = pair.input.send([1])
    }

    /// Takes all messages, in the order they were added.
    func collect() -> [Message] {
        var bytes = [UInt8](repeating: 0, count: 256)
        while case .moved = pair.output.receive(into: &bytes) {}
        return messages.withLock { messages in
            defer { messages = [] }
            return messages
        }
    }
}

/// Two connected sockets.
///
/// Unlike the ends of a pipe, they aren't inherited by a process that starts at the same time.
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

/// A thread on which one server waits for its sockets.
///
/// The server doesn't wait on a Dispatch queue, because the wait would occupy one of Dispatch's threads as long as
/// the server runs. Dispatch has about 250 threads for all queues of a process, and tests that run in parallel have
/// more servers than that. Code that needs a queue would then make no progress.
final class LoopbackThread: Sendable {
    private let end = DispatchGroup()

    /// Starts a thread that runs a closure and ends with it.
    init(_ body: @escaping @Sendable () -> Void) {
        end.enter()
        Thread.detachNewThread { [end] in
            Thread.current.threadDictionary[Self.mark] = end
            body()
            end.leave()
        }
    }

    /// Waits until the thread ends.
    ///
    /// Call it on another thread.
    func join() {
        let here = Thread.current.threadDictionary[Self.mark] as? DispatchGroup
        precondition(here !== end, "a thread cannot wait for its own end")
        end.wait()
    }

    private static let mark = "Pledge.LoopbackThread"
}
