import Pledge

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

/// A client that sends exactly the given bytes, on a connection of its own.
struct RawClient: ~Copyable {
    private let descriptor: Int32

    init(port: UInt16) {
        #if canImport(Glibc)
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, size)
            }
        }
        precondition(code == 0, "no connection to port \(port)")
    }

    deinit { _ = close(descriptor) }

    borrowing func send(_ text: String) {
        let bytes = Array(text.utf8)
        precondition(write(descriptor, bytes, bytes.count) == bytes.count)
    }

    /// Reads until the received text contains a mark, or until the server closes the connection.
    borrowing func read(until mark: String? = nil) -> String {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4096)
        while mark.map({ !text.contains($0) }) ?? true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count <= 0 { break }
            text += String(decoding: buffer[..<count], as: UTF8.self)
        }
        return text
    }
}
