#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A socket that listens on a free port of this machine.
package final class LoopbackListener: Sendable {
    package enum Address: String {
        case v4 = "127.0.0.1"
        case v6 = "::1"
    }

    let descriptor: Descriptor
    let port: UInt16

    /// Binds a port that the system chooses; by default, also listens there.
    init(_ address: Address = .v4, listens: Bool = true) throws(LoopbackError) {
        let backlog: Int32? = listens ? 1024 : nil
        let family = address == .v4 ? AF_INET : AF_INET6
        descriptor = try Descriptor(
            taking: socket(family, Descriptor.streamSocket, 0), from: "socket")
        switch address {
        case .v4:
            var bound = sockaddr_in()
            bound.sin_family = sa_family_t(AF_INET)
            bound.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            try Self.bind(descriptor.number, to: &bound, named: address, backlog)
            port = UInt16(bigEndian: bound.sin_port)
        case .v6:
            var bound = sockaddr_in6()
            bound.sin6_family = sa_family_t(AF_INET6)
            bound.sin6_addr = in6addr_loopback
            try Self.bind(descriptor.number, to: &bound, named: address, backlog)
            port = UInt16(bigEndian: bound.sin6_port)
        }
    }

    /// Binds the address, and writes the chosen port into it.
    private static func bind<Bound>(
        _ number: Int32, to bound: inout Bound, named address: Address, _ backlog: Int32?
    ) throws(LoopbackError) {
        var size = socklen_t(MemoryLayout<Bound>.size)
        let code = withUnsafeMutablePointer(to: &bound) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general -> Int32 in
                if systemBind(number, general, size) != 0 { return errno }
                if let backlog, listen(number, backlog) != 0 { return errno }
                return getsockname(number, general, &size) == 0 ? 0 : errno
            }
        }
        guard code == 0 else {
            let reason = String(cString: strerror(code))
            throw LoopbackError(
                .system(code), "no port of \(address.rawValue) could be had: \(reason)")
        }
    }

    /// The next client in the backlog, if there is one.
    ///
    /// - Throws: ``LoopbackError`` if the system has no descriptor left.
    func accept() throws(LoopbackError) -> Descriptor? {
        let number = systemAccept(descriptor.number)
        if number < 0, errno != EMFILE, errno != ENFILE { return nil }
        let client = try Descriptor(taking: number, from: "accept")
        client.sendAtOnce()
        return client
    }
}

/// The system's `bind`, which the method `bind` hides.
private func systemBind(
    _ descriptor: Int32, _ address: UnsafeMutablePointer<sockaddr>, _ size: socklen_t
) -> Int32 {
    bind(descriptor, address, size)
}

#if os(Linux)
/// Accepts a client in such a way that a process that is just being started doesn't inherit the socket.
///
/// Found by name, because the C library declares `accept4` only with a feature macro.
private func systemAccept(_ descriptor: Int32) -> Int32 {
    guard let accept4 else { return accept(descriptor, nil, nil) }
    return accept4(descriptor, nil, nil, Descriptor.atomicFlags)
}

private typealias Accept4 =
    @convention(c) (Int32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, Int32) -> Int32

private let accept4: Accept4? = dlsym(nil, "accept4").map {
    unsafeBitCast($0, to: Accept4.self)
}
#else
/// The system's `accept`, which the method `accept` hides.
private func systemAccept(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }
#endif

/// A file descriptor that is closed exactly once, when its owner releases it.
struct Descriptor: ~Copyable {
    enum Outcome {
        case moved(Int)
        /// No bytes can be moved now.
        case wouldWait
        case gone
    }

    let number: Int32

    /// The type of socket to create.
    ///
    /// If possible, the socket is non-blocking and closed on exec from the beginning, so that a process that another
    /// thread is just starting doesn't inherit it.
    static var streamSocket: Int32 {
        #if canImport(Glibc)
        Int32(SOCK_STREAM.rawValue) | atomicFlags
        #else
        SOCK_STREAM | atomicFlags
        #endif
    }

    /// Non-blocking and closed on exec; 0 if the system can't create such a socket.
    static var atomicFlags: Int32 {
        #if canImport(Glibc)
        Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        #elseif os(Linux) || os(Android)
        SOCK_CLOEXEC | SOCK_NONBLOCK
        #else
        0
        #endif
    }

    /// Owns the descriptor that a system call returned, and makes it non-blocking and closed on exec.
    ///
    /// - Throws: ``LoopbackError`` if the system call failed.
    init(taking number: Int32, from call: String) throws(LoopbackError) {
        guard number >= 0 else {
            let code = errno
            throw LoopbackError(.system(code), "\(call) failed: \(String(cString: strerror(code)))")
        }
        self.number = number
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
        var on: Int32 = 1
        setsockopt(number, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    deinit { _ = close(number) }

    borrowing func receive(into buffer: inout [UInt8]) -> Outcome {
        let count = buffer.withUnsafeMutableBytes { read(number, $0.baseAddress, $0.count) }
        return count == 0 ? .gone : outcome(of: count)
    }

    /// Sends as many bytes as the socket takes; raises no signal if the peer has closed the connection.
    borrowing func send(_ bytes: ArraySlice<UInt8>) -> Outcome {
        #if canImport(Darwin)
        let flags: Int32 = 0
        #else
        let flags = Int32(MSG_NOSIGNAL)
        #endif
        return outcome(
            of: bytes.withUnsafeBytes { systemSend(number, $0.baseAddress, $0.count, flags) }
        )
    }

    /// Makes the socket send small pieces at once.
    ///
    /// By default, each waits for the acknowledgement of the piece before, which a client that sends nothing delays by
    /// 40 ms.
    borrowing func sendAtOnce() {
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
    }

    borrowing func finishSending() { _ = shutdown(number, Int32(SHUT_WR)) }

    /// Makes the socket reset the connection when it's closed.
    borrowing func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(number, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    private borrowing func outcome(of count: Int) -> Outcome {
        if count >= 0 { return .moved(count) }
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? .wouldWait : .gone
    }
}

/// The system's `send`, which the method `send` hides.
private func systemSend(
    _ descriptor: Int32,
    _ bytes: UnsafeRawPointer?,
    _ count: Int,
    _ flags: Int32
) -> Int {
    send(descriptor, bytes, count, flags)
}
