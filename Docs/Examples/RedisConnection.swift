// snippet: wire
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A connection to Redis on this machine, with its protocol RESP 2; one thread at a time may use it.
final class RedisConnection: @unchecked Sendable {
    /// The connection failed, or what arrived isn't a reply; call ``disconnect()`` then.
    struct Failure: Error {}

    enum Reply: Sendable {
        case nothing
        case number(Int)
        case text(Data)
        case list([Reply])
    }

    /// The largest reply, in bytes.
    private static let largestReply = 64 << 20

    private let port: UInt16
    private var socket: Int32?
    private var received: [UInt8] = []
    /// How many bytes the rest of the reply may have.
    private var left = 0
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
        left = Self.largestReply
        return try reply()
    }

    /// Reads one reply, without reserving memory for the lengths that the server claims.
    private func reply(depth: Int = 0) throws -> Reply {
        // Each reply in a list takes memory, even an empty one.
        left -= 64
        guard left > 0, depth < 8 else { throw Failure() }
        let line = try bytes { received in
            let line = received.prefix(1_024)
            if let end = line.firstIndex(of: 10) { return end + 1 }
            if line.count == 1_024 { throw Failure() }
            return nil
        }
        guard line.suffix(2) == [13, 10] else { throw Failure() }
        let rest = String(decoding: line.dropFirst().dropLast(2), as: UTF8.self)
        if line.first == UInt8(ascii: "+") { return .text(Data(rest.utf8)) }
        guard let number = Int(rest) else { throw Failure() }
        switch line.first {
        case UInt8(ascii: ":"): return .number(number)
        case UInt8(ascii: "$"), UInt8(ascii: "*"):
            guard number >= 0 else {
                guard number == -1 else { throw Failure() }
                return .nothing
            }
            guard number < left else { throw Failure() }
            return line.first == UInt8(ascii: "$") ? try text(number) : try list(number, depth)
        default: throw Failure()
        }
    }

    private func text(_ count: Int) throws -> Reply {
        let bytes = try bytes { $0.count < count + 2 ? nil : count + 2 }
        guard bytes.suffix(2) == [13, 10] else { throw Failure() }
        return .text(Data(bytes.dropLast(2)))
    }

    private func list(_ count: Int, _ depth: Int) throws -> Reply {
        var replies: [Reply] = []
        for _ in 0..<count { replies.append(try reply(depth: depth + 1)) }
        return .list(replies)
    }

    /// Takes bytes from the received ones; waits for more while `count` returns nil.
    private func bytes(_ count: ([UInt8]) throws -> Int?) throws -> [UInt8] {
        while true {
            if let count = try count(received) {
                left -= count
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
