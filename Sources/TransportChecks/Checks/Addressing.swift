import Pledge
import PledgeTesting

extension TransportCheck {
    /// An address in place of a host's name.
    static var addresses: [TransportCheck] {
        [
            TransportCheck(
                "IPv6 literal", "a URL with an IPv6 address reaches it, and Host names it"
            ) {
                bench in
                let server = try LoopbackServer(at: .v6) { _ in Future(value: .text("ok")) }
                defer { server.stop() }
                let text = "http://[::1]:\(server.port)/a?b=%26"
                guard let url = URL(string: text) else { throw Unexpected("\(text) is no URL") }
                let response = try await bench.send(HTTPRequest(.get, url))
                try require("the body", response.text, is: "ok")
                try require("the response's URL", response.url?.absoluteString ?? "", is: text)
                let request = server.requests.first
                try require("the target", request?.target ?? "", is: "/a?b=%26")
                try require("Host", request?.headers("Host") ?? [], is: ["[::1]:\(server.port)"])
            },
            TransportCheck(
                "IPv6 redirect", "a redirect from an IPv6 address comes with its Location"
            ) {
                bench in
                let server = try LoopbackServer(at: .v6) { _ in
                    Future(value: .response(302, headers: ["Location": "/b"]))
                }
                defer { server.stop() }
                guard let url = URL(string: "http://[::1]:\(server.port)/") else { return }
                let response = try await bench.send(HTTPRequest(.get, url))
                try require("the status", response.status, is: 302)
                try require("Location", response.headers["Location"] ?? "", is: "/b")
            },
        ]
    }
}
