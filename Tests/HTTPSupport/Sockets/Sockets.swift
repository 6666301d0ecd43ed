import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// The system's blocking calls for sockets.
enum Sockets {
    /// Listens on an address; returns the descriptor and the port.
    static func listen(at place: SocketServer.Place) throws -> (descriptor: Int32, port: UInt16) {
        let isUnix = if case .unix = place { true } else { false }
        let isIPv6 = if case .ipv6 = place { true } else { false }
        let number = socket(isUnix ? AF_UNIX : isIPv6 ? AF_INET6 : AF_INET, streamSocket, 0)
        guard number >= 0 else { throw POSIXError(.EMFILE) }
        let isBound =
            switch place {
            case .ipv4: bindIPv4(number)
            case .loopback(let last, let port): bindIPv4(number, port, last)
            case .ipv6: bindIPv6(number)
            case .unix(let path): bindUnix(number, path)
            }
        guard isBound, systemListen(number, 1_024) == 0 else {
            close(number)
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EINVAL)
        }
        return (number, isUnix ? 0 : port(of: number))
    }

    /// Waits for a client; nil if the listener was woken.
    static func accept(_ listener: Int32) -> Int32? {
        while true {
            let number = systemAccept(listener)
            if number >= 0 {
                set(number, Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
                preventSignals(number)
                return number
            }
            if errno != EINTR, errno != ECONNABORTED { return nil }
        }
    }

    /// Makes a send to a closed connection fail instead of ending the process, where no flag of `send` does.
    static func preventSignals(_ number: Int32) {
        #if canImport(Darwin)
        set(number, SOL_SOCKET, SO_NOSIGPIPE, Int32(1))
        #endif
    }

    /// Ends a wait for clients, by a client of its own: Apple's kernel shuts no listening socket down.
    static func wake(_ listener: Int32) {
        var address = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                _ = getsockname(listener, general, &size)
                let client = socket(Int32(general.pointee.sa_family), streamSocket, 0)
                _ = systemConnect(client, general, size)
                close(client)
            }
        }
    }

    static func close(_ number: Int32) { _ = systemClose(number) }

    static func shutDown(_ number: Int32) { _ = shutdown(number, Int32(SHUT_RDWR)) }

    /// Ends a wait for bytes; the other side learns nothing.
    static func stopReceiving(_ number: Int32) { _ = shutdown(number, Int32(SHUT_RD)) }

    static func finishSending(_ number: Int32) { _ = shutdown(number, Int32(SHUT_WR)) }

    static func resetOnClose(_ number: Int32) {
        set(number, SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
    }

    /// The next bytes; nil if there are no more.
    static func receive(from number: Int32) -> [UInt8]? {
        let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { room, count in
            repeat {
                count = max(-1, read(number, room.baseAddress, room.count))
            } while count < 0
                && errno == EINTR
            count = max(0, count)
        }
        return bytes.isEmpty ? nil : bytes
    }

    /// Sends all bytes; returns false if the other side has closed the connection.
    static func send(_ bytes: [UInt8], to number: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes { bytes in
                systemSend(number, UnsafeRawBufferPointer(rebasing: bytes[sent...]))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}

extension Sockets {
    static var streamSocket: Int32 {
        #if canImport(Glibc)
        Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        #else
        SOCK_STREAM
        #endif
    }

    private static func set<Value: BitwiseCopyable>(
        _ number: Int32, _ level: Int32, _ option: Int32, _ value: Value
    ) {
        var value = value
        setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Value>.size))
    }

    /// Whether both loopback addresses have a port free.
    static func isFree(_ port: UInt16) -> Bool {
        [AF_INET, AF_INET6].allSatisfy { family in
            let number = socket(family, streamSocket, 0)
            // A system without IPv6.
            guard number >= 0 else { return family == AF_INET6 }
            defer { close(number) }
            return family == AF_INET ? bindIPv4(number, port) : bindIPv6(number, port)
        }
    }

    private static func bindIPv4(
        _ number: Int32, _ port: UInt16 = 0, _ last: UInt8 = 1
    ) -> Bool {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = (UInt32(0x7F00_0000) | UInt32(last)).bigEndian
        return bind(number, to: &address)
    }

    private static func bindIPv6(_ number: Int32, _ port: UInt16 = 0) -> Bool {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = in6addr_loopback
        return bind(number, to: &address)
    }

    private static func bindUnix(_ number: Int32, _ path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { room in
            room.copyBytes(from: path.utf8.prefix(room.count - 1))
        }
        return bind(number, to: &address)
    }

    private static func bind<Address>(_ number: Int32, to address: inout Address) -> Bool {
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                systemBind(number, general, socklen_t(MemoryLayout<Address>.size)) == 0
            }
        }
    }

    /// The port, which is at the same offset for both families.
    private static func port(of number: Int32) -> UInt16 {
        var address = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                _ = getsockname(number, general, &size)
            }
        }
        return UInt16(bigEndian: address.sin6_port)
    }
}

// The system's calls, which methods with the same names hide.

private func systemListen(_ number: Int32, _ count: Int32) -> Int32 { listen(number, count) }

private func systemAccept(_ number: Int32) -> Int32 { accept(number, nil, nil) }

func systemConnect(
    _ number: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t
) -> Int32 {
    connect(number, address, size)
}

private func systemClose(_ number: Int32) -> Int32 { close(number) }

private func systemBind(
    _ number: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t
) -> Int32 {
    bind(number, address, size)
}

private func systemSend(_ number: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Darwin)
    send(number, bytes.baseAddress, bytes.count, 0)
    #else
    send(number, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    #endif
}
