import Pledge

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension TransportCheck {
    /// A check that a transport survives whatever a server sends.
    ///
    /// It is not one of ``all``, since the bytes are the caller's: a corpus of responses, say, changed at
    /// random. Each is what a server sends to one request before it ends the connection. The call must
    /// end, with a response or with an `HTTPError`; and a body must not be longer than what was sent.
    ///
    /// - Parameter responses: Bytes as they go over the wire. One that a transport decompresses may
    ///   give more than it has bytes; leave `Content-Encoding` out.
    public static func survives(_ responses: [Data]) -> TransportCheck {
        TransportCheck("survives", "whatever a server sends, the call ends, and the next one works")
        {
            bench in
            let server = try LoopbackServer { request in
                let number = Int(request.target.dropFirst()) ?? responses.count
                guard responses.indices.contains(number) else { return .text("still here") }
                return LoopbackAnswer([.send(responses[number]), .close])
            }
            defer { server.stop() }
            for (number, bytes) in responses.enumerated() {
                let request = HTTPRequest(.get, server.at("/\(number)"))
                let sent = String(decoding: bytes, as: UTF8.self).debugDescription
                switch await bench.settled(bench.transport.send(request)) {
                case .success(let response):
                    if response.body.count > bytes.count {
                        throw Unexpected("a body of \(response.body.count) bytes came of \(sent)")
                    }
                case .failure(let error as Unexpected):
                    throw Unexpected("\(error.text) after \(sent)")
                case .failure(let error):
                    if !(error is HTTPError) {
                        throw Unexpected("\(type(of: error)): \(error) came of \(sent)")
                    }
                }
            }
            let last = try await bench.get(server, "/end")
            if last.body != Data("still here".utf8) {
                throw Unexpected("the call after them gives \(last)")
            }
        }
    }
}
