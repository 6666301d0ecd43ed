import CLoopback
import Foundation
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPNetworking
import PledgeTesting
import PledgeURLSessionTransport

extension Case {
    /// A call that never leaves the process, which is the cost of the network in an app's tests.
    static let memoryRoundTrip = Case(
        name: "in-memory round trip",
        ways: [
            Way("Pledge") { count in
                let transport = MemoryTransport(routes: [.get("/products/:id", answer: .text("ok"))]
                )
                let networking: Networking = transport.request
                for _ in 0..<count {
                    networking(Endpoint(path: "/products/7")).observe { keep($0) }
                }
            },
            Way("closures by path") { count in
                let answers = opaque(["/products/7": { @Sendable in Data("ok".utf8) }])
                let request: @Sendable (String, (Data?) -> Void) -> Void = { path, completion in
                    completion(answers[path]?())
                }
                let networking = opaque(request)
                for _ in 0..<count { networking(opaque("/products/7")) { keep($0) } }
            },
        ]
    )

    /// A call to a server in this process, over a kept connection.
    static let loopbackRoundTrip = Case(
        name: "HTTP round trip on loopback",
        ways: [
            Way(awaiting: "Pledge") { count in
                let networking: Networking = URLSession.shared.request
                for _ in 0..<count {
                    keep(try! await networking(Endpoint(url: Loopback.url)).value)
                }
            },
            Way(awaiting: "URLSession") { count in
                for _ in 0..<count {
                    keep(
                        await withCheckedContinuation { continuation in
                            let request = URLRequest(url: Loopback.url)
                            URLSession.shared.dataTask(with: request) { body, _, _ in
                                continuation.resume(returning: body)
                            }.resume()
                        }
                    )
                }
            },
        ]
    )
}

/// The server of the round trips, started on first use.
enum Loopback {
    static let url: URL = {
        let port = loopback_start()
        precondition(port > 0, "the system refuses a port on 127.0.0.1")
        return URL(string: "http://127.0.0.1:\(port)/products/7")!
    }()
}
