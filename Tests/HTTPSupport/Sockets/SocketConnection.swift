import Foundation

/// A client's connection to a ``SocketServer``, used by one thread.
package final class SocketConnection: @unchecked Sendable {
    // Only its own thread reads and writes. `shutDown` may be called by another one, with the lock of the
    // server held, by which it is closed as well.
    private let number: Int32
    private var buffer: [UInt8] = []
    /// Which of the server's connections it is, counted from zero.
    package var index = 0

    init(_ number: Int32) { self.number = number }

    /// The next head of a request, with the empty line; nil where the client has left.
    package func head() -> String? {
        while true {
            if let end = buffer.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound {
                defer { buffer.removeFirst(end) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            guard receive() else { return nil }
        }
    }

    /// The next bytes, at least one of them; nil where the client has left.
    package func bytes() -> [UInt8]? {
        if buffer.isEmpty, !receive() { return nil }
        defer { buffer = [] }
        return buffer
    }

    /// So many bytes; nil where the client leaves before.
    package func bytes(_ count: Int) -> [UInt8]? {
        while buffer.count < count { guard receive() else { return nil } }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    /// Waits until the client has left, and takes what it sends meanwhile.
    package func awaitEnd() { while bytes() != nil {} }

    /// Sends text; false where the client has left.
    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends bytes; false where the client has left.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool { Sockets.send(bytes, to: number) }

    /// Sends a whole response with text for a body.
    @discardableResult
    package func answer(_ text: String, status: Int = 200) -> Bool {
        send("HTTP/1.1 \(status) OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
    }

    /// Has the connection end with a reset where it is closed.
    package func resetAtEnd() { Sockets.resetOnClose(number) }

    /// Ends the connection in good order towards the client, which may go on sending.
    package func finishSending() { Sockets.finishSending(number) }

    func shutDown() { Sockets.shutDown(number) }

    func close() { Sockets.close(number) }

    private func receive() -> Bool {
        guard let bytes = Sockets.receive(from: number) else { return false }
        buffer += bytes
        return true
    }
}
