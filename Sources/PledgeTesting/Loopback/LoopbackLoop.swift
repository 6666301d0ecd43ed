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

/// Runs a server's connections on one thread, and waits for sockets and messages.
struct LoopbackLoop {
    private let listener: LoopbackListener
    private let context: LoopbackContext
    private var connections: [Int: LoopbackConnection] = [:]
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var acceptedCount = 0
    private var isStopped = false
    /// True if the system has no descriptor left; no connection is accepted until one ends.
    private var isFull = false

    init(listener: LoopbackListener, context: LoopbackContext) {
        self.listener = listener
        self.context = context
    }

    /// Runs until it gets a stop message, and then closes every socket.
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

    /// Waits; returns the connections that can read or write.
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
        // This closes the socket. The log tells the test only afterwards, so the test finds it closed.
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

/// Messages of other threads to the server's loop, with a pair of sockets that wakes it.
final class LoopbackMailbox: Sendable {
    enum Message: Sendable {
        case answer(Result<LoopbackAnswer, any Error>, connection: Int)
        /// End a connection's hold.
        case goOn(connection: Int)
        /// Close everything and return.
        case stop
    }

    /// What the loop polls: one end of the pair of sockets, which stay open as long as the mailbox lives.
    let wakeUp: Int32

    private let pair: DescriptorPair
    private let messages = Locked([Message]())

    /// - Throws: ``LoopbackError`` if the system has no descriptor left.
    init() throws(LoopbackError) {
        pair = try DescriptorPair()
        wakeUp = pair.output.number
    }

    /// Adds a message and wakes the loop.
    func post(_ message: Message) {
        messages.withLock { $0.append(message) }
        // If the socket's buffer is full, earlier bytes have already woken the loop.
        _ = pair.input.send([1])
    }

    /// Takes all messages, in order.
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
/// Unlike a pipe's ends, they aren't inherited by a process that is just being started.
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

/// The thread of one server.
///
/// On a Dispatch queue, the server would occupy one of Dispatch's threads as long as it runs. Dispatch has about 250,
/// and parallel tests have more servers than that, so code that needs a queue would be stuck.
final class LoopbackThread: Sendable {
    private let end = DispatchGroup()

    /// Starts a thread that runs a closure.
    init(_ body: @escaping @Sendable () -> Void) {
        end.enter()
        Thread.detachNewThread { [end] in
            Thread.current.threadDictionary[Self.mark] = end
            body()
            end.leave()
        }
    }

    /// Waits for the thread's end; call it on another thread.
    func join() {
        let here = Thread.current.threadDictionary[Self.mark] as? DispatchGroup
        precondition(here !== end, "a thread cannot wait for its own end")
        end.wait()
    }

    private static let mark = "Pledge.LoopbackThread"
}
