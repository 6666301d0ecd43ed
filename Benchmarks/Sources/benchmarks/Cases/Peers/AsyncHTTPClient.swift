#if Peers
import AsyncHTTPClient
import NIOCore

extension Peers {
    static let asyncHTTPClient: [Addition] = [
        (
            .loopbackRoundTrip,
            Way(awaiting: "AsyncHTTPClient") { count in
                let url = Loopback.url.absoluteString
                for _ in 0..<count {
                    let request = HTTPClientRequest(url: url)
                    let answer = try! await HTTPClient.shared.execute(request, timeout: .seconds(5))
                    keep(try! await answer.body.collect(upTo: 1_024))
                }
            }
        )
    ]
}
#endif
