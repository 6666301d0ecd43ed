import Foundation

/// A client's connection to a ``SocketServer``, used by one thread.
package final class SocketConnection: @unchecked Sendable {
    // Only its own thread reads and writes. Another thread may call `shutDown`, holding the lock of the
    // server, under which the connection is closed as well.
    private let number: Int32
    private var buffer: [UInt8] = []
    /// The number of the connection at its server, counted from zero.
    package var index = 0

    init(_ number: Int32) { self.number = number }

    /// The next head of a request, with the empty line; nil if the client has closed the connection.
    package func head() -> String? { headBytes().map { String(decoding: $0, as: UTF8.self) } }

    /// The same, byte by byte.
    package func headBytes() -> [UInt8]? {
        while true {
            if let end = buffer.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound {
                defer { buffer.removeFirst(end) }
                return Array(buffer[..<end])
            }
            guard receive() else { return nil }
        }
    }

    /// The next bytes, at least one; nil if the client has closed the connection.
    package func bytes() -> [UInt8]? {
        if buffer.isEmpty, !receive() { return nil }
        defer { buffer = [] }
        return buffer
    }

    /// Exactly `count` bytes; nil if the client closes the connection before.
    package func bytes(_ count: Int) -> [UInt8]? {
        while buffer.count < count { guard receive() else { return nil } }
        defer { buffer.removeFirst(count) }
        return Array(buffer[..<count])
    }

    /// Discards the client's bytes until it closes the connection.
    package func awaitEnd() { while bytes() != nil {} }

    /// Sends text; returns false if the client has closed the connection.
    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends bytes; returns false if the client has closed the connection.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool { Sockets.send(bytes, to: number) }

    /// Sends a whole response with a text as its body.
    @discardableResult
    package func answer(_ text: String, status: Int = 200) -> Bool {
        send("HTTP/1.1 \(status) OK\r\nContent-Length: \(text.utf8.count)\r\n\r\n\(text)")
    }

    /// Makes the connection end with a reset when it is closed.
    package func resetAtEnd() { Sockets.resetOnClose(number) }

    /// Closes the sending side; the client may continue to send.
    package func finishSending() { Sockets.finishSending(number) }

    /// Ends a wait for bytes; the client learns nothing.
    func stopReceiving() { Sockets.stopReceiving(number) }

    func shutDown() { Sockets.shutDown(number) }

    func close() { Sockets.close(number) }

    private func receive() -> Bool {
        guard let bytes = Sockets.receive(from: number) else { return false }
        buffer += bytes
        return true
    }
}
