import Foundation
import Pledge
// snippet: stubs
import PledgeTesting
// end snippet
import TestSupport
import Testing

/// The run-time errors of Docs/Guides/Errors.md, with the very texts that the guide shows.
@Suite(.oneAtATime) struct ErrorTextExamples {
    // snippet: product
    struct Product: Codable, Equatable, Sendable {
        var id: Int
        var name: String
    }
    // end snippet

    /// Fails unless the guide shows the text of the error that a future settles with.
    private func expectInGuide<Value>(
        _ future: Future<Value>,
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) async throws {
        let guide = try Repository.this.check().documents["Docs/Guides/Errors.md"] ?? ""
        let error = await #expect(throws: (any Error).self, sourceLocation: sourceLocation) {
            try await future.value
        }
        let text = error.map { "\($0)" } ?? "no error"
        let isShown = guide.contains("```text\n\(text)\n```")
        #expect(isShown, "Errors.md does not show\n\(text)", sourceLocation: sourceLocation)
    }

    @Test func abandoned() async throws {
        let future = Future<Int>.make(fileID: "Shop/Loading.swift", line: 12) { resolver in }
        try await expectInGuide(future)
    }

    @Test func timedOut() async throws {
        let scheduler = ManualScheduler()
        let answer = Promise<Int>()
        let inTime = answer.timeout(
            .seconds(2),
            on: scheduler,
            fileID: "Shop/Loading.swift",
            line: 20
        )
        scheduler.advance(by: .seconds(2))
        try await expectInGuide(inTime)
    }

    @Test func timeLimits() async throws {
        let scheduler = ManualScheduler()
        let answer = Promise<Data>()
        let endpoint = Endpoint(
            path: "/products/7", base: URL(string: "https://api.example.com"))
        let networking: Networking = stack(
            .timeout(.seconds(2), on: scheduler), over: { _ in answer })
        let inTime = networking(endpoint)
        scheduler.advance(by: .seconds(2))
        try await expectInGuide(inTime)
        let idle = HTTPError(
            code: .timedOut, endpoint: endpoint, reason: "the idle limit of 60.0 seconds")
        try await expectInGuide(Future<Data>(error: idle))
    }

    @Test func causes() async throws {
        let base = URL(string: "https://api.example.com")
        let insecure = HTTPError(
            code: .insecureConnection, endpoint: Endpoint(path: "/products/7", base: base),
            reason: "the certificate has expired")
        try await expectInGuide(Future<Data>(error: insecure))
        let unreadable = HTTPError(
            code: .bodyUnreadable, endpoint: Endpoint(path: "/photos", method: .post, base: base),
            cause: FileError(operation: "open", code: ENOENT, path: "/tmp/photo.jpg"))
        try await expectInGuide(Future<Data>(error: unreadable))
    }

    @Test func decoding() async throws {
        // snippet: decoding
        let data = Future(value: Data(#"[{"id": 7, "name": "iPad"}, {"id": "8"}]"#.utf8))
        let products: Future<[Product]> = data.decoded()
        let shown = products.recover { error in
            guard let failure = error as? DecodingFailure else { throw error }
            print(failure.codingPath, String(decoding: failure.data, as: UTF8.self))
            return []
        }
        // end snippet
        #expect(try await shown.value == [])
        try await expectInGuide(products)
    }

    @Test func addresses() async throws {
        try await expectInGuide(URLSession.shared.request(Endpoint(path: "/products/7")))
        let base = URL(string: "https://shop.example")
        let forged = Endpoint(path: "/", headers: ["X-Name": "a\r\nX-Role: admin"], base: base)
        try await expectInGuide(URLSession.shared.request(forged))
    }

    @Test func answers() async throws {
        // snippet: status
        let transport = MemoryTransport(routes: [
            .get("/products/:id", answer: .status(404)),
            .post("/login", answer: .status(401)),
        ])
        let request = transport.request(Endpoint(path: "/products/7"))
        let name = request.map { data in "\(data.count) bytes" }.recover { error in
            guard let error = error as? HTTPError, error.status == 404 else { throw error }
            return "No such product"
        }
        // end snippet
        #expect(try await name.value == "No such product")
        try await expectInGuide(request)
        try await expectInGuide(transport.request(Endpoint(path: "/product/7")))
    }

    @Test func steps() async throws {
        let future = Future(value: 3)
        try await expectInGuide(
            future.filter({ $0 > 5 }, fileID: "Shop/Loading.swift", line: 30)
        )
        try await expectInGuide(
            Future<Int>.any([Future<Int>](), fileID: "Shop/Loading.swift", line: 31)
        )
    }

    @Test func cycles() async throws {
        for hasStep in [true, false] {
            let (login, kept) = (Promise<Int>(), Locked<Future<Int>?>(nil))
            let session = login.flatMap(
                { id in kept.withLock { $0.take() } ?? Future(value: id) },
                fileID: "Shop/Session.swift",
                line: 40
            )
            let step = session.map({ $0 + 1 }, fileID: "Shop/Session.swift", line: 41)
            kept.withLock { $0 = hasStep ? step : session }
            login.resolve(with: 7)
            try await expectInGuide(session)
        }
    }

    /// In a process of its own, since the reports are of the whole process.
    @Test func longCycles() async {
        await #expect(processExitsWith: .success) {
            let log = ExampleLog()
            FutureDiagnostics.send { text in log.add(text) }
            FutureDiagnostics.awaitingLimit = .milliseconds(1)
            let (login, kept) = (Promise<Int>(), Locked<Future<Int>?>(nil))
            let session = login.flatMap(
                { id in kept.withLock { $0.take() } ?? Future(value: id) },
                fileID: "Shop/Session.swift",
                line: 40
            )
            let both = Future.all([session])
            kept.withLock {
                $0 = both.map({ $0[0] }, fileID: "Shop/Session.swift", line: 41)
            }
            login.resolve(with: 7)
            while log.lines.isEmpty { await Task.yield() }
            let guide = try? Repository.this.check().documents["Docs/Guides/Errors.md"]
            let text = "```text\nPledge: \(log.lines[0])\n```"
            precondition(guide?.contains(text) == true, "Errors.md does not show \(text)")
            withExtendedLifetime(session) {}
        }
    }
}
