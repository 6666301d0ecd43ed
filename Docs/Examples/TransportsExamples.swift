import Foundation
import Pledge
import PledgeTesting
import Testing

/// The code of Docs/Guides/Transports.md.
@Suite(.timeLimit(.minutes(10)))
struct TransportsExamples {
    private let loopback: LoopbackServer
    private var server: URL { loopback.url }

    init() throws {
        loopback = try LoopbackServer { request in
            switch (request.method, request.target) {
            case ("GET", "/books/7"):
                .text(#"{"id": 7, "name": "Green Grass"}"#, headers: ["Content-Type": "text/json"])
            case ("GET", "/film"): .chunked(["scene one, ", "scene two"])
            case ("PUT", "/film"): .text("\(request.body.count)")
            default: .text("what?", status: 404)
            }
        }
    }

    @Test func send() async throws {
        // snippet: send
        let transport = SessionTransport()
        let request = HTTPRequest(.get, server.appending(path: "books/7"))
        let response = try await transport.send(request).value
        print(response.status, response.headers["Content-Type"] ?? "", response.text)
        // end snippet
        #expect(response.status == 200)
        #expect(response.headers["Content-Type"] == "text/json")
        // snippet: lowered
        let api: Networking = networking(over: transport.send, base: server)
        let book: Book = try await api(.book(withID: 7)).decoded().value
        // end snippet
        #expect(book == Book(id: 7, name: "Green Grass"))
        await #expect(throws: HTTPError.self) { try await api(.book(withID: 8)).value }
        // snippet: close
        try await transport.close(cancelling: true).value
        // Further calls reject with an HTTPError with the code .transportClosed.
        // end snippet
        let error = await #expect(throws: HTTPError.self) {
            try await transport.send(HTTPRequest(.get, server)).value
        }
        #expect(error?.code == .transportClosed)
    }

    @Test func limits() async throws {
        // snippet: limits
        let transport = SessionTransport(
            SessionTransport.Configuration(
                idleTimeout: .milliseconds(500),
                maxBodySize: 1 << 20,
                maxConnectionsPerHost: 20
            )
        )
        // end snippet
        let request = HTTPRequest(.get, server.appending(path: "books/7"))
        #expect(try await transport.send(request).value.status == 200)
    }

    @Test func largeBodies() async throws {
        let transport = SessionTransport()
        let film = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        _ = FileManager.default.createFile(atPath: film.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: film) }
        let file = try FileHandle(forWritingTo: film)
        func download() async throws {
            // snippet: download
            let request = HTTPRequest(.get, server.appending(path: "film"))
            let response = try await transport.stream(request).value
            guard response.status == 200 else { return response.discardBody() }
            for try await chunk in response.body { try file.write(contentsOf: chunk) }
            // end snippet
        }
        try await download()
        let scenes = try Data(contentsOf: film)
        #expect(scenes == Data("scene one, scene two".utf8))
        // snippet: upload
        let whole = HTTPRequest(.put, server.appending(path: "film"), body: .file(film))
        let pieces = HTTPRequest(
            .put, server.appending(path: "film"),
            body: .stream(HTTPRequest.BodySource(isReplayable: true) { HTTPBodyStream(scenes) })
        )
        // end snippet
        #expect(try await transport.send(whole).value.text == "20")
        #expect(try await transport.send(pieces).value.text == "20")
    }

    @Test func own() async throws {
        let client = CallbackClient()
        // snippet: own
        @Sendable func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
            let request = request.inCallContext()
            do { try request.validate() } catch { return Future(error: error) }
            return CallContext.current.exchange(request) {
                let promise = Promise<HTTPResponse>()
                let method = request.method.rawValue
                let call = client.start(method, request.url) { status, body, error in
                    if let error {
                        promise.reject(
                            with: HTTPError(code: .other, request: request, cause: error))
                    } else {
                        promise.resolve(
                            with: HTTPResponse(
                                status: status, body: body, url: request.url, request: request))
                    }
                }
                promise.onCancel { call.cancel() }
                guard let deadline = request.context.deadline else { return promise }
                let late = HTTPError(code: .timedOut, request: request)
                return promise.timeout(deadline.remaining, on: deadline.scheduler).mapError {
                    ($0 as? FutureError)?.code == .timedOut ? late : $0
                }
            }
        }
        // end snippet
        let api = networking(over: send, base: server)
        let data = try await api(Endpoint(path: "/hello")).value
        #expect(String(decoding: data, as: UTF8.self) == "GET /hello")
        let invalid = HTTPRequest(.get, server, body: .data(Data([1])))
        await #expect(throws: HTTPRequest.Error.self) { try await send(invalid).value }
        let order = HTTPRequest(.post, server)
        let record = CallRecord()
        let answer = try CallContext.current.with(record: record).run { send(order) }.settledValue()
        #expect(answer.request == order)
        #expect(record.close() == .harmful)
    }

    @Test func ownStream() async throws {
        let client = CallbackClient()
        // snippet: own-stream
        @Sendable func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
            let response = Promise<HTTPStreamedResponse>()
            let (pipe, body) = HTTPBodyPipe.make(capacity: 1 << 20)
            let call = client.start(
                request.url,
                onHeaders: { status in
                    response.resolve(with: HTTPStreamedResponse(status: status, body: body))
                },
                onBytes: { bytes in _ = pipe.offer(bytes) },
                onEnd: { pipe.finish() }
            )
            pipe.onCancel { call.cancel() }
            return response
        }
        // end snippet
        let response = try await stream(HTTPRequest(.get, server)).value
        #expect(try await response.body.gathered(upTo: 10).value == Data("bytes".utf8))
    }
}

/// A client such as a guide's reader may have: it calls back.
private struct CallbackClient: Sendable {
    struct Call: Sendable {
        func cancel() {}
    }

    func start(
        _ method: String, _ url: URL, then call: @Sendable (Int, Data, (any Error)?) -> Void
    ) -> Call {
        call(200, Data("\(method) \(url.path)".utf8), nil)
        return Call()
    }

    func start(
        _ url: URL, onHeaders: (Int) -> Void, onBytes: (Data) -> Void, onEnd: () -> Void
    ) -> Call {
        onHeaders(200)
        onBytes(Data("bytes".utf8))
        onEnd()
        return Call()
    }
}
