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

extension SocketConnection {
    /// Sends a greeting, and then forwards bytes to a port of 127.0.0.1 and back until one of the sides
    /// closes.
    ///
    /// - Returns: False if no server listens there; then nothing is sent.
    package func forward(toPort port: UInt16, saying greeting: [UInt8]) -> Bool {
        guard let other = Sockets.connect(toPort: port) else { return false }
        send(greeting)
        let back = DispatchGroup()
        back.enter()
        Thread.detachNewThread { [self] in
            while let bytes = Sockets.receive(from: other), send(bytes) {}
            shutDown()
            back.leave()
        }
        while let bytes = bytes(), Sockets.send(bytes, to: other) {}
        Sockets.shutDown(other)
        back.wait()
        Sockets.close(other)
        return true
    }
}

extension Sockets {
    /// Connects to a port of 127.0.0.1; nil if no server listens there.
    static func connect(toPort port: UInt16) -> Int32? {
        let number = socket(AF_INET, streamSocket, 0)
        preventSignals(number)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
                systemConnect(number, general, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        if isConnected { return number }
        close(number)
        return nil
    }
}
