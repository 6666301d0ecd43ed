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
    /// A loopback address.
    package enum Address: String {
        case v4 = "127.0.0.1"
        case v6 = "::1"
    }

    let descriptor: Descriptor
    let port: UInt16

    /// Binds a port that the system chooses, and listens there by default.
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

    /// Writes the chosen port into the address.
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

    /// The next client in the backlog, if any.
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
/// Accepts a client on a socket that no process started meanwhile inherits.
///
/// The C library's headers declare `accept4` only with a feature macro, so it is looked up by name.
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
