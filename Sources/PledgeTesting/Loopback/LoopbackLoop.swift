#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The server's loop: waits for sockets and messages, and runs the connections.
///
/// One thread runs it.
struct LoopbackLoop {
    private let listener: LoopbackListener
    private let context: LoopbackContext
    private var connections: [Int: LoopbackConnection] = [:]
    private var buffer = [UInt8](repeating: 0, count: 65_536)
    private var acceptedCount = 0
    private var isStopped = false
    /// Whether the system had no descriptor left; no connection is then accepted until one ends.
    private var isFull = false

    init(listener: LoopbackListener, context: LoopbackContext) {
        self.listener = listener
        self.context = context
    }

    /// Runs until the mailbox has a stop message; then closes every socket.
    mutating func run() {
        while !isStopped {
            let ready = waitForEvents()
            for message in context.mailbox.collect() { take(message) }
            for id in ready.sorted() where !isStopped {
                guard let connection = connections[id] else { continue }
                var verdict = connection.goOn()
                if case .keep = verdict { verdict = connection.receive(into: &buffer) }
                apply(verdict, to: id)
            }
            if !isFull, !isStopped { letIn() }
        }
        connections = [:]
        context.log.note { events in
            events.open = 0
            events.isStopped = true
        }
    }

    /// Waits for events, and returns the connections that can read or write.
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

    private mutating func take(_ message: LoopbackMailbox.Message) {
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
        // Released before the test is notified, so that the socket is closed by then.
        connections[id] = nil
        isFull = false
        context.log.note { events in
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
                context.log.note { events in
                    events.open += 1
                    events.accepted += 1
                }
            }
        } catch {
            isFull = true
        }
    }
}
