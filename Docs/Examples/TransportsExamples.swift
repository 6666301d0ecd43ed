import Foundation
import Pledge
import PledgeTesting
import TestSupport
import Testing

/// The code of Docs/Guides/Transports.md.
@Suite(.oneAtATime)
struct TransportsExamples {
    // snippet: book
    struct Book: Codable, Equatable, Sendable {
        var id: Int
        var name: String
    }
    // end snippet

    private let loopback: LoopbackServer
    private var server: URL { loopback.url }

    private let uploads = ExampleLog()

    init() throws {
        loopback = try LoopbackServer { [uploads] request in
            switch (request.method, request.target) {
            case ("GET", "/books/7"):
                .text(#"{"id": 7, "name": "Green Grass"}"#, headers: ["Content-Type": "text/json"])
            case ("GET", "/film"): .chunked(["scene one, ", "scene two"])
            case ("PUT", "/film"): Self.stored(request.body, uploads)
            default: .text("what?", status: 404)
            }
        }
    }

    private static func stored(_ film: Data, _ uploads: ExampleLog) -> LoopbackAnswer {
        uploads.add(String(decoding: film, as: UTF8.self))
        return .text("stored", status: 201)
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
        let api: Networking = makeNetworking(over: transport.send, base: server)
        let book: Book = try await api(Endpoint(path: "/books/7")).decoded().value
        // end snippet
        #expect(book == Book(id: 7, name: "Green Grass"))
        await #expect(throws: HTTPError.self) { try await api(Endpoint(path: "/books/8")).value }
        // snippet: close
        try await transport.close(cancelling: true).value
        // Further calls reject with an HTTPError with the code .transportClosed.
        // end snippet
        let error = await #expect(throws: HTTPError.self) {
            try await transport.send(HTTPRequest(.get, server)).value
        }
        #expect(error?.code == .transportClosed)
    }

    @Test func shared() async throws {
        // snippet: shared
        let session = SessionTransport(session: .shared)
        let request: Networking = makeNetworking(over: stack(.redirect(), over: session.send))
        // end snippet
        for network in [request, URLSession.shared.request] {
            let data = try await network(Endpoint(path: "/books/7", base: server)).value
            #expect(data == Data(#"{"id": 7, "name": "Green Grass"}"#.utf8))
        }
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

    @Test func curl() async throws {
        // snippet: curl
        let curl = CurlTransport()
        let answer = try await curl.send(HTTPRequest(.get, server.appending(path: "books/7"))).value
        print(answer.status, answer.timing.connection?.protocolVersion ?? "")
        // end snippet
        #expect(answer.status == 200)
        #expect(answer.timing.connection?.protocolVersion == "HTTP/1.1")
    }

    // snippet: curl-limits
    func curl(settlingOn queue: DispatchQueue) throws -> CurlTransport {
        try CurlTransport(
            CurlTransport.Configuration(
                connectionWaitTimeout: .seconds(5), idleTimeout: .seconds(20),
                maxConnectionsPerHost: 20
            ),
            delivery: .serial(queue))
    }
    // end snippet

    @Test func curlSettlesOnAQueue() async throws {
        let queue = DispatchQueue(label: "responses")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let isOnQueue = Promise<Bool>()
        try curl(settlingOn: queue).send(HTTPRequest(.get, server)).observe { _ in
            isOnQueue.resolve(with: DispatchQueue.getSpecific(key: key) == true)
        }
        #expect(try await isOnQueue.value)
    }

    // snippet: download
    func download(_ film: URL, to file: FileHandle, over transport: SessionTransport) async throws {
        let response = try await transport.stream(HTTPRequest(film)).value
        guard response.status == 200 else { return response.discardBody() }
        for try await chunk in response.body { try file.write(contentsOf: chunk) }
    }
    // end snippet

    // snippet: upload
    func upload(_ file: URL, to film: URL, over transport: SessionTransport) async throws {
        let whole = HTTPRequest(.put, film, body: .file(file))
        print(try await transport.send(whole).value.status)

        let scenes = HTTPRequest.BodySource(isReplayable: true) {
            HTTPBodyStream(Data("scene one, scene two".utf8), chunksOf: 10)
        }
        let pieces = HTTPRequest(.put, film, body: .stream(scenes))
        print(try await transport.send(pieces).value.status)
    }
    // end snippet

    @Test func largeBodies() async throws {
        let transport = SessionTransport()
        let (film, address) = (
            FileManager.default.temporaryDirectory.appending(path: UUID().uuidString),
            server.appending(path: "film")
        )
        _ = FileManager.default.createFile(atPath: film.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: film) }
        try await download(address, to: FileHandle(forWritingTo: film), over: transport)
        #expect(try Data(contentsOf: film) == Data("scene one, scene two".utf8))
        try await upload(film, to: address, over: transport)
        #expect(uploads.lines == ["scene one, scene two", "scene one, scene two"])
    }

    @Test func own() async throws {
        let client = Echo()
        let send = client.send
        let api = makeNetworking(over: send, base: server)
        let data = try await api(Endpoint(path: "/hello")).value
        #expect(String(decoding: data, as: UTF8.self) == "GET /hello")
        let invalid = HTTPRequest(.get, server, body: .data(Data([1])))
        await #expect(throws: Endpoint.Error.self) { try await send(invalid).value }
        let order = HTTPRequest(.post, server)
        let record = CallRecord()
        let answer = try CallContext.current.with(record: record).run { send(order) }.settledValue()
        #expect(answer.request == order)
        #expect(record.close() == .harmful)
    }

    @Test func ownStream() async throws {
        let response = try await Echo().stream(HTTPRequest(.get, server)).value
        #expect(try await response.body.collected(upTo: 10).value == Data("bytes".utf8))
    }
}

// snippet: client
/// A client that calls back, and gives a function that cancels.
protocol CallbackClient: Sendable {
    func start(
        _ method: String, _ url: URL,
        then done: @escaping @Sendable (Int, Data, (any Error)?) -> Void
    ) -> @Sendable () -> Void
}
// end snippet

// snippet: own
extension CallbackClient {
    func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
        do { try request.validate() } catch { return Future(error: error) }
        return CallContext.current.exchange(request) {
            let promise = Promise<HTTPResponse>()
            let cancel = start(request.method.rawValue, request.url) { status, body, error in
                if let error {
                    promise.reject(
                        with: HTTPError(code: .other, request: request, cause: error))
                } else {
                    promise.resolve(
                        with: HTTPResponse(
                            status: status, body: body, url: request.url, request: request))
                }
            }
            promise.onCancel(cancel)
            guard let deadline = CallContext.current.deadline else { return promise }
            // The cause says that the service is not at fault.
            let late = HTTPError(
                code: .timedOut, request: request,
                cause: ServiceError(.deadlineExceeded, policy: "transport"))
            return promise.timeout(deadline.remaining, on: deadline.scheduler).mapError {
                ($0 as? FutureError)?.code == .timedOut ? late : $0
            }
        }
    }
}
// end snippet

// snippet: own-stream
/// A client that calls back for each piece.
protocol StreamingClient: Sendable {
    func start(
        _ url: URL, onHeaders: @escaping @Sendable (Int) -> Void,
        onBytes: @escaping @Sendable (Data) -> Void, onEnd: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void
}

extension StreamingClient {
    func stream(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        let response = Promise<HTTPStreamedResponse>()
        let (pipe, body) = HTTPBodyPipe.make(capacity: 1 << 20)
        let cancel = start(
            request.url,
            onHeaders: { status in
                response.resolve(with: HTTPStreamedResponse(status: status, body: body))
            },
            onBytes: { bytes in _ = pipe.offer(bytes) },
            onEnd: { pipe.finish() }
        )
        pipe.onCancel(cancel)
        return response
    }
}
// end snippet

/// A client that answers with what it was asked, at once.
private struct Echo: CallbackClient, StreamingClient {
    func start(
        _ method: String, _ url: URL, then done: @Sendable (Int, Data, (any Error)?) -> Void
    ) -> @Sendable () -> Void {
        done(200, Data("\(method) \(url.path)".utf8), nil)
        return {}
    }

    func start(
        _ url: URL, onHeaders: (Int) -> Void, onBytes: (Data) -> Void, onEnd: () -> Void
    ) -> @Sendable () -> Void {
        onHeaders(200)
        onBytes(Data("bytes".utf8))
        onEnd()
        return {}
    }
}
