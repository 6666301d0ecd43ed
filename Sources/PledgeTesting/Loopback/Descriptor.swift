#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A file descriptor that is closed exactly once, when its owner lets go of it.
struct Descriptor: ~Copyable {
    /// What became of an attempt to read or write without waiting.
    enum Outcome {
        /// So many bytes were moved.
        case moved(Int)
        /// Nothing can be moved now.
        case wouldWait
        /// The other side is gone.
        case gone
    }

    let number: Int32

    /// The kind of socket to ask for: where the system can, non-blocking and closed on exec from the
    /// beginning, so that no process begun meanwhile on another thread inherits it.
    static var streamSocket: Int32 {
        #if canImport(Glibc)
        Int32(SOCK_STREAM.rawValue) | atomicFlags
        #else
        SOCK_STREAM | atomicFlags
        #endif
    }

    /// Non-blocking and closed on exec, where a socket can be had so.
    static var atomicFlags: Int32 {
        #if canImport(Glibc)
        Int32(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        #elseif os(Linux) || os(Android)
        SOCK_CLOEXEC | SOCK_NONBLOCK
        #else
        0
        #endif
    }

    /// Takes over what a system call returned, and makes it non-blocking and closed on exec, if it
    /// is not yet.
    ///
    /// - Throws: ``LoopbackError`` where the system call had failed.
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

    /// Sends what the socket will take of some bytes.
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

    /// Lets a small piece not wait until the one before it is acknowledged.
    ///
    /// A client that has nothing to say takes 40 ms for that.
    borrowing func sendAtOnce() {
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
    }

    /// Says that nothing more will be sent.
    borrowing func finishSending() { _ = shutdown(number, Int32(SHUT_WR)) }

    /// Makes closing the socket reset the connection, instead of ending it in good order.
    borrowing func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(number, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    private borrowing func outcome(of count: Int) -> Outcome {
        if count >= 0 { return .moved(count) }
        return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? .wouldWait : .gone
    }
}

/// The system's `send`, which the method of that name hides.
private func systemSend(
    _ descriptor: Int32,
    _ bytes: UnsafeRawPointer?,
    _ count: Int,
    _ flags: Int32
) -> Int {
    send(descriptor, bytes, count, flags)
}
