#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A socket that listens on a free port of 127.0.0.1.
final class LoopbackListener: Sendable {
    let descriptor: Descriptor
    let port: UInt16

    /// Binds a port that the system chooses, and listens there.
    init() throws(LoopbackError) {
        let descriptor = try Descriptor(
            taking: socket(AF_INET, Descriptor.streamSocket, 0), from: "socket")
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let number = descriptor.number
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general -> Int32 in
                if bind(number, general, size) != 0 { return errno }
                if listen(number, 1024) != 0 { return errno }
                return getsockname(number, general, &size) == 0 ? 0 : errno
            }
        }
        guard code == 0 else {
            let reason = String(cString: strerror(code))
            throw LoopbackError(.system(code), "no port of 127.0.0.1 could be had: \(reason)")
        }
        self.descriptor = descriptor
        self.port = UInt16(bigEndian: address.sin_port)
    }

    /// The next client that waits to be let in, if any.
    ///
    /// - Throws: ``LoopbackError`` where the system has no descriptor left to give.
    func accept() throws(LoopbackError) -> Descriptor? {
        let number = systemAccept(descriptor.number)
        if number < 0, errno != EMFILE, errno != ENFILE { return nil }
        let client = try Descriptor(taking: number, from: "accept")
        client.sendAtOnce()
        return client
    }
}

#if os(Linux)
/// Lets a client in on a socket that no process begun meanwhile inherits.
///
/// The C library's headers show `accept4` only where they are told to, so it is looked up by name.
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
/// The system's `accept`, which the method of that name hides.
private func systemAccept(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }
#endif
