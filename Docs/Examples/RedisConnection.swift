// snippet: wire
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A connection to Redis on this machine, with its protocol RESP 2; one thread at a time may use it.
final class RedisConnection: @unchecked Sendable {
    struct Failure: Error {}

    enum Reply {
        case nothing
        case number(Int)
        case text(Data)
        case list([Reply])
    }

    private let port: UInt16
    private var socket: Int32?
    private var received: [UInt8] = []
    private var lastFailure = Date.distantPast

    init(port: UInt16) { self.port = port }

    deinit { disconnect() }

    func disconnect() {
        guard let open = socket else { return }
        close(open)
        (socket, received, lastFailure) = (nil, [], Date())
    }

    @discardableResult
    func send(_ words: String...) throws -> Reply {
        if socket == nil { socket = try connected() }
        var command = "*\(words.count)\r\n"
        for word in words { command += "$\(word.utf8.count)\r\n\(word)\r\n" }
        var rest = Array(command.utf8)[...]
        while !rest.isEmpty { rest = rest.dropFirst(try count { write($0, Array(rest)) }) }
        return try reply()
    }

    private func reply() throws -> Reply {
        let line = try bytes { $0.firstIndex(of: 10).map { $0 + 1 } }.dropLast(2)
        let rest = String(decoding: line.dropFirst(), as: UTF8.self)
        switch line.first {
        case UInt8(ascii: "+"): return .text(Data(rest.utf8))
        case UInt8(ascii: ":"): return .number(Int(rest) ?? 0)
        case UInt8(ascii: "$"):
            guard let count = Int(rest), count >= 0 else { return .nothing }
            return .text(Data(try bytes { $0.count < count + 2 ? nil : count + 2 }.dropLast(2)))
        case UInt8(ascii: "*"):
            guard let count = Int(rest), count >= 0 else { return .nothing }
            return .list(try (0..<count).map { _ in try reply() })
        default: throw Failure()
        }
    }

    /// Takes bytes from the received ones; waits for more while `count` returns nil.
    private func bytes(_ count: ([UInt8]) -> Int?) throws -> [UInt8] {
        while true {
            if let count = count(received) {
                defer { received.removeFirst(count) }
                return Array(received.prefix(count))
            }
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = try self.count { recv($0, &buffer, buffer.count, 0) }
            received += buffer.prefix(count)
        }
    }

    private func count(_ call: (Int32) -> Int) throws -> Int {
        let count = call(socket ?? -1)
        guard count > 0 else { throw Failure() }
        return count
    }

    private func write(_ socket: Int32, _ bytes: [UInt8]) -> Int {
        #if canImport(Glibc)
        Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        #else
        Darwin.send(socket, bytes, bytes.count, 0)
        #endif
    }

    private func connected() throws -> Int32 {
        // While the server is away or hangs, one call a second waits for it; the others fail at once.
        guard Date().timeIntervalSince(lastFailure) > 1 else { throw Failure() }
        #if canImport(Glibc)
        let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        let socket = Darwin.socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(socket, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if code == 0 { return socket }
        close(socket)
        lastFailure = Date()
        throw Failure()
    }
}
// end snippet
