// snippet: imports
import Foundation
import Pledge
// end snippet
import Testing

/// The code of Docs/Guides/HTTP.md.
@Suite struct HTTPExamples {
    // snippet: shop
    struct Order: Encodable {
        var item: Int
        var name: String
    }

    let order = Order(item: 7, name: "Joanna")
    let server = URL(string: "https://api.example.com")!

    /// A server that sells out.
    let transport: HTTPService = { request in
        if request.method == .get {
            return Future(value: HTTPResponse(status: 200, body: Data(#"{"id":7}"#.utf8)))
        }
        let body = #"{"error":"Joanna, it is sold out","stock":0}"#
        return Future(
            value: HTTPResponse(
                status: 409, headers: ["Content-Type": "application/json"], body: Data(body.utf8)))
    }
    // end snippet

    @Test func request() throws {
        // snippet: request
        var request = HTTPRequest(.post, URL(string: "https://api.example.com/orders?key=s3cret")!)
        request.headers["Authorization"] = "Bearer t0ken"
        request.body = try .json(order)
        request.context.idempotencyKey = "order 7 of Joanna"
        // end snippet
        #expect(request.effectiveHeaders["Content-Type"] == "application/json")
        #expect(request.isReplayable)
        try request.validate()
    }

    @Test func bodies() throws {
        // snippet: bodies
        let (file, chunks) = (URL(fileURLWithPath: "/tmp/film.mp4"), Data("abc".utf8))
        let json = try HTTPRequest.Body.json(order)
        let film = HTTPRequest.Body.file(file, contentType: "video/mp4")
        let stream = HTTPRequest.Body.stream(
            HTTPRequest.BodySource(length: 3, isReplayable: true) { HTTPBodyStream(chunks) })
        // end snippet
        #expect(json.isReplayable && film.isReplayable && stream.isReplayable)
    }

    @Test func lowering() async throws {
        let (server, transport) = (server, transport)
        // snippet: lowering
        let service: HTTPService = stack(.retry(), .acceptStatus(), over: transport)
        let api: Networking = makeNetworking(over: service, base: server)

        let product = try await api(Endpoint(path: "/products/7")).value
        // end snippet
        #expect(product == Data(#"{"id":7}"#.utf8))
    }

    @Test func decompressing() async throws {
        let compressed = try #require(
            Data(base64Encoded: "H4sIAAAAAAACA6tWykxRsjLXUcpLzE1VslIKSU1UqgUA2uwSvBUAAAA="))
        let transport: HTTPService = { request in
            #expect(request.headers["Accept-Encoding"]?.hasPrefix("gzip, deflate") == true)
            return Future(
                value: HTTPResponse(
                    status: 200, headers: ["Content-Encoding": "gzip"], body: compressed))
        }
        // snippet: decompressing
        let request = HTTPRequest(.get, server)
        let service: HTTPService = stack(.decompress(upTo: 10 << 20), over: transport)
        let response = try await service(request).value
        // end snippet
        #expect(response.text == #"{"id":7,"name":"Tea"}"#)
        #expect(response.headers["Content-Encoding"] == nil)
    }

    @Test func order() async throws {
        let (server, transport, lines) = (server, transport, ExampleLog())
        let print: @Sendable (String) -> Void = { lines.add($0) }
        // snippet: order
        let scheduler = ManualScheduler()
        let service: HTTPService = stack(
            .observed(by: .logging { line in print(line) }, named: { "\($0.method)" }),
            .deadline(.seconds(10)),
            .userAgent("Shop/2.1"),
            .defaultHeaders(["Accept": "application/json"]),
            .idempotencyKey(),
            .retry(),
            .acceptStatus(),
            .exchangeLog(on: scheduler) { exchange in print(exchange.logLine) },
            .timeout(.seconds(2)),
            over: transport)
        // end snippet
        let url = server.appendingPathComponent("products")
        #expect(try await service(HTTPRequest(.get, url)).value.status == 200)
        // The line of the exchange has the numbers of the attempt's span.
        let logged = try #require(lines.lines.first { $0.contains("method=GET") })
        let attempt = try #require(lines.lines.first { $0.contains("attempt 1") })
        #expect(logged.split(separator: " ").prefix(2) == attempt.split(separator: " ").prefix(2))
        #expect(
            logged.hasSuffix(
                " method=GET url=https://api.example.com/products attempt=1 status=200 bytes=8 duration_ms=0"
            ))
    }

    @Test func errors() async throws {
        let (transport, lines) = (transport, ExampleLog())
        let print: @Sendable (String) -> Void = { lines.add($0) }
        var request = HTTPRequest(.post, URL(string: "https://api.example.com/orders?key=s3cret")!)
        request.headers["Authorization"] = "Bearer t0ken"
        request.body = try .json(order)
        // snippet: errors
        let service: HTTPService = stack(.acceptStatus(), over: transport)
        do {
            _ = try await service(request).value
        } catch let error as HTTPError where error.status == 409 {
            print("\(error)")
            print(error.response?.text ?? "")
            print(error.curlCommand ?? "")
        }
        // end snippet
        let shown = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("Outputs/http-error.txt"), encoding: .utf8)
        #expect(lines.lines.map { $0 + "\n" }.joined() == shown)
    }

    @Test func curl() throws {
        // snippet: curl
        let request = HTTPRequest(
            .get, URL(string: "https://api.example.com/me?key=s3cret")!,
            headers: ["Cookie": "sid=c00kie"])
        let toShow = request.curlCommand
        let toRun = request.curlCommand(revealingSecrets: true)
        // end snippet
        #expect(!toShow.contains("s3cret") && !toShow.contains("c00kie"))
        #expect(toRun.contains("key=s3cret") && toRun.contains("sid=c00kie"))
    }

    @Test func logging() async throws {
        let (transport, lines) = (transport, ExampleLog())
        let print: @Sendable (String) -> Void = { lines.add($0) }
        let scheduler = ManualScheduler()
        let url = URL(string: "https://api.example.com/orders?key=s3cret")!
        // snippet: logging
        let service: HTTPService = stack(
            .exchangeLog(on: scheduler) { exchange in
                print("\(exchange.isFailure ? "error" : "info") \(exchange.logLine)")
            },
            over: transport)
        // end snippet
        _ = try await service(HTTPRequest(.post, url)).value
        #expect(
            lines.lines == [
                #"error method=POST url="https://api.example.com/orders?key=…" attempt=1 status=409 bytes=44 duration_ms=0"#
            ])
    }

    @Test func own() async throws {
        let transport = transport
        // snippet: own
        let sign: @Sendable (HTTPRequest) -> String = { "signature of \($0.url.path)" }
        let signed = Middleware<HTTPRequest, HTTPResponse> { next in
            { request in
                var request = request
                request.headers["X-Signature"] = sign(request)
                return next(request)
            }
        }
        let service: HTTPService = stack(.retry(), signed, over: transport)
        // end snippet
        let url = URL(string: "https://api.example.com/a")!
        #expect(try await service(HTTPRequest(.get, url)).value.status == 200)
    }
}
