#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A file descriptor that is closed exactly once, when its owner releases it.
struct Descriptor: ~Copyable {
    /// The outcome of an attempt to read or write without waiting.
    enum Outcome {
        /// This number of bytes was moved.
        case moved(Int)
        /// Nothing can be moved now.
        case wouldWait
        /// The other side has closed the connection.
        case gone
    }

    let number: Int32

    /// The type of socket to create.
    ///
    /// If the system supports it, it is non-blocking and closed on exec from the beginning, so that no
    /// process started meanwhile on another thread inherits it.
    static var streamSocket: Int32 {
        #if canImport(Glibc)
        Int32(SOCK_STREAM.rawValue) | atomicFlags
        #else
        SOCK_STREAM | atomicFlags
        #endif
    }

    /// The flags for non-blocking and closed on exec, if the system can create a socket with them.
    static var atomicFlags: Int32 {
        #if canImport(Glibc)
        Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        #elseif os(Linux) || os(Android)
        SOCK_CLOEXEC | SOCK_NONBLOCK
        #else
        0
        #endif
    }

    /// Takes over the descriptor that a system call returned, and makes it non-blocking and closed on exec,
    /// if it is not yet.
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

    /// Reads what has arrived into a buffer.
    borrowing func receive(into buffer: inout [UInt8]) -> Outcome {
        let count = buffer.withUnsafeMutableBytes { read(number, $0.baseAddress, $0.count) }
        return count == 0 ? .gone : outcome(of: count)
    }

    /// Sends as many bytes as the socket takes.
    ///
    /// A closed peer raises no signal.
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

    /// Sends a small piece without waiting for the acknowledgement of the one before it.
    ///
    /// A client that sends nothing delays its acknowledgement by 40 ms.
    borrowing func sendAtOnce() {
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
    }

    /// Ends the sending direction of the connection.
    borrowing func finishSending() { _ = shutdown(number, Int32(SHUT_WR)) }

    /// Makes closing the socket reset the connection, instead of closing it normally.
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
