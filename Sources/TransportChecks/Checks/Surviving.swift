import Pledge
import PledgeTesting

extension TransportCheck {
    /// A check that a transport handles any bytes from a server.
    ///
    /// It is not in ``all``, because the caller provides the bytes, such as a corpus of randomly mutated
    /// responses. A server sends each of them in answer to one request, and then ends the connection. The
    /// call must end, with a response or with an `HTTPError`, and a body must not be longer than the bytes
    /// sent.
    ///
    /// - Parameter responses: Bytes as they go over the wire. Leave `Content-Encoding` out: a decompressed
    ///   body may be longer than its bytes.
    public static func survives(_ responses: [Data]) -> TransportCheck {
        TransportCheck(
            "survives", "whatever a server sends, the call ends, and the next one works"
        ) { bench in
            let server = try LoopbackServer { request in
                guard let number = Int(request.target.dropFirst()) else {
                    return .text("still here")
                }
                return LoopbackAnswer([.send(responses[number]), .close])
            }
            defer { server.stop() }
            for (number, bytes) in responses.enumerated() {
                let request = HTTPRequest(.get, server.at("/\(number)"))
                let sent = String(decoding: bytes, as: UTF8.self).debugDescription
                switch await bench.settled(bench.transport.send(request)) {
                case .success(let response):
                    try require(
                        response.body.count <= bytes.count,
                        "a body of \(response.body.count) bytes came of \(sent)")
                case .failure(let error as Unexpected):
                    throw Unexpected("\(error.text) after \(sent)")
                case .failure(let error):
                    try require(
                        error is HTTPError, "\(type(of: error)): \(error) came of \(sent)")
                }
            }
            let last = try await bench.get(server, "/end")
            try require("the body of the next response", last.text, is: "still here")
        }
    }
}
