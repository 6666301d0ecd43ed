import Pledge
import PledgeTesting

extension TransportCheck {
    /// The head of a response arrives as it was sent.
    static var responses: [TransportCheck] {
        let statuses = [200, 201, 203, 205, 299, 400, 404, 418, 429, 500, 503, 599].map { status in
            TransportCheck(
                .init(rawValue: "status \(status)"), "\(status) is a response, with its body"
            ) { bench in
                let response = try await bench.get(
                    .text(status == 205 ? "" : "said \(status)", status: status))
                try require("the status", response.status, is: status)
                if status != 205 { try require("the body", response.text, is: "said \(status)") }
            }
        }
        let bodiless = [204, 304].map { status in
            TransportCheck(.init(rawValue: "status \(status)"), "\(status) has no body") { bench in
                let server = try LoopbackServer(answers: [.response(status), .text("next")])
                defer { server.stop() }
                let response = try await bench.get(server)
                try require("the status", response.status, is: status)
                try require("the body's size", response.body.count, is: 0)
                try require("the next body", try await bench.get(server).text, is: "next")
            }
        }
        return statuses + bodiless + [
            TransportCheck("HEAD", "HEAD has headers and no body, whatever its length says") {
                bench in
                let server = try LoopbackServer(answers: [.text("12345"), .text("next")])
                defer { server.stop() }
                let response = try await bench.send(HTTPRequest(.head, server.url))
                try require("the body's size", response.body.count, is: 0)
                try require("Content-Length", response.headers["Content-Length"], is: "5")
                try require("the next body", try await bench.get(server).text, is: "next")
            },
            TransportCheck("challenge", "401 with a challenge keeps headers and body") { bench in
                let response = try await bench.get(
                    .text("who?", status: 401, headers: ["WWW-Authenticate": "Basic realm=\"a\""]))
                try require("the status", response.status, is: 401)
                try require("the body", response.text, is: "who?")
                try require(
                    "WWW-Authenticate", response.headers["WWW-Authenticate"],
                    is: "Basic realm=\"a\"")
            },
            TransportCheck("digest challenge", "401 with a Digest challenge is delivered") {
                bench in
                let challenge = "Digest realm=\"a\", nonce=\"b\", qop=\"auth\""
                let response = try await bench.get(
                    .text("who?", status: 401, headers: ["WWW-Authenticate": challenge]))
                try require("the status", response.status, is: 401)
                try require("the body", response.text, is: "who?")
            },
            TransportCheck("proxy challenge", "407 is delivered with its body") { bench in
                let response = try await bench.get(
                    .text("who?", status: 407, headers: ["Proxy-Authenticate": "Basic realm=\"a\""])
                )
                try require("the status", response.status, is: 407)
                try require("the body", response.text, is: "who?")
            },
            TransportCheck("response headers", "values come as they were sent, in any case") {
                bench in
                let response = try await bench.get(
                    .text(
                        "x",
                        headers: ["x-lower": "a, b; c=\"d\"", "X-EMPTY": "", "X-Space": "  v  "]))
                try require("X-Lower", response.headers["X-Lower"], is: "a, b; c=\"d\"")
                try require("x-empty", response.headers["x-empty"] ?? "", is: "")
                try require("X-Space", response.headers["X-Space"], is: "v")
            },
            TransportCheck("repeated response headers", "every value of a name comes") { bench in
                let response = try await bench.get(
                    .text("x", headers: ["X-A": "1", "X-B": "2", "X-A": "3"]))
                let values = response.headers["X-A"]?.filter { $0 != " " }
                try require("X-A", values, is: "1,3")
            },
            TransportCheck("Set-Cookie", "cookies come apart, dates and all") { bench in
                let cookies = [
                    "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "b=2, 3; Path=/", "c=\"4\"",
                ]
                let response = try await bench.get(
                    .text(
                        "x",
                        headers: [
                            "Set-Cookie": cookies[0], "Set-Cookie": cookies[1],
                            "Set-Cookie": cookies[2],
                        ]))
                try require("the cookies", response.headers.values(for: "Set-Cookie"), is: cookies)
            },
            TransportCheck("many headers", "100 headers come") { bench in
                let lines = (0..<100).map { "X-\($0): v\($0)\r\n" }.joined()
                let response = try await bench.get(
                    .raw("HTTP/1.1 200 OK\r\n\(lines)Content-Length: 1\r\n\r\nx"))
                let missing = (0..<100).filter { response.headers["X-\($0)"] != "v\($0)" }
                try require("the headers that are missing", missing, is: [])
            },
            TransportCheck("no reason phrase", "a status line without a reason is read") { bench in
                let response = try await bench.get(
                    .raw("HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok"))
                try require("the body", response.text, is: "ok")
            },
            TransportCheck("interim responses", "100 and 103 are not the answer") { bench in
                let response = try await bench.get(
                    .raw(
                        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
                            + "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"))
                try require("the status", response.status, is: 200)
                try require("the body", response.text, is: "ok")
            },
            TransportCheck("place and time", "the response says its URL and how long it took") {
                bench in
                let server = try LoopbackServer(answering: { _ in .text("x") })
                defer { server.stop() }
                let url = server.at("/a?b=c")
                let response = try await bench.send(HTTPRequest(.get, url))
                try require("the URL", response.url, is: url)
                try require("whether a time is known", response.timing.total != nil, is: true)
            },
        ]
    }
}
