import Pledge
import PledgeTesting

extension TransportCheck {
    /// An answer that cannot be parsed is not reported as a lost connection, which a retry repeats.
    static var spoiltAnswers: [TransportCheck] {
        let spoilt: [(Name, String, String)] = [
            (
                "bad chunk size is told", "a chunk without a size is badResponse",
                "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n"
            ),
            (
                "bad length is told", "a Content-Length that is no number is badResponse",
                "Content-Length: five\r\n\r\nabcde"
            ),
            (
                "negative length is told", "a Content-Length below zero is badResponse",
                "Content-Length: -5\r\n\r\nabcde"
            ),
            (
                "two lengths are told", "two different Content-Lengths are badResponse",
                "Content-Length: 5\r\nContent-Length: 3\r\n\r\nabcde"
            ),
            (
                "hexadecimal length is told",
                "a Content-Length that only begins like a number is badResponse",
                "Content-Length: 0x5\r\n\r\nabcde"
            ),
            (
                "missing colon is told", "a header without a colon is badResponse",
                "no colon here\r\nContent-Length: 2\r\n\r\nok"
            ),
        ]
        return spoilt.map { name, requirement, rest in
            TransportCheck(name, requirement) { bench in
                let error = try await bench.failure(.raw("HTTP/1.1 200 OK\r\n" + rest))
                try require("the code", error.code, is: .badResponse)
            }
        } + [
            TransportCheck("no TLS", "a server that speaks no TLS is insecureConnection") { bench in
                let server = try LoopbackServer(answering: { _ in .text("x") })
                defer { server.stop() }
                let url = URL(string: "https://127.0.0.1:\(server.port)/") ?? .anywhere
                let error = try await bench.failure(HTTPRequest(.get, url))
                try require("the code", error.code, is: .insecureConnection)
            },
            TransportCheck("Latin-1 header", "a value that is not UTF-8 is read as ISO-8859-1") {
                bench in
                let fields: [(name: String, value: [UInt8])] = [
                    ("X-Latin", [0x63, 0x61, 0x66, 0xE9]), ("X-Broken", [0xC3, 0xA9, 0xFF]),
                    ("X-UTF8", [0xC3, 0xA9]),
                ]
                // Twice on a connection, and after a head that is not the answer.
                for start in ["", "HTTP/1.1 103 Early Hints\r\nX-Latin: a\r\n\r\n"] {
                    var head = Data((start + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n").utf8)
                    for field in fields {
                        head += Data("\(field.name): ".utf8) + field.value + Data("\r\n".utf8)
                    }
                    let answer = LoopbackAnswer([.send(head + Data("\r\nok".utf8))])
                    let server = try LoopbackServer(answering: { _ in answer })
                    defer { server.stop() }
                    for _ in 0..<2 {
                        let response = try await bench.get(server)
                        let headers = response.headers
                        try require("X-Latin", headers["X-Latin"], is: "caf\u{e9}")
                        try require("X-Broken", headers["X-Broken"], is: "\u{c3}\u{a9}\u{ff}")
                        try require("X-UTF8", headers["X-UTF8"], is: "\u{e9}")
                        try require("the body", response.text, is: "ok")
                    }
                }
            },
        ]
    }
}
