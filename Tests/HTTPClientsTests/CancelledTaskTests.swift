import Foundation
import Pledge
import PledgeStorage
import PledgeTesting
import TestSupport
import Testing

/// A client's calls in a task that is already cancelled.
@Suite struct CancelledTaskTests {
    typealias Call = @Sendable (HTTPClient, URL) async throws -> Void

    /// Every way to make a call.
    static let calls: [(name: String, call: Call)] = [
        ("get", { client, _ in _ = try await client.get("/a") }),
        ("post", { client, _ in _ = try await client.post("/a", json: ["n": 1]) }),
        ("put", { client, _ in _ = try await client.put("/a", json: ["n": 1]) }),
        ("patch", { client, _ in _ = try await client.patch("/a", json: ["n": 1]) }),
        ("delete", { client, _ in _ = try await client.delete("/a") }),
        ("head", { client, _ in _ = try await client.head("/a") }),
        ("send", { client, _ in _ = try await client.send(Endpoint(path: "/a")) }),
        ("request", { client, _ in _ = try await client.send(HTTPRequest(client.base!)) }),
        ("stream", { client, _ in _ = try await client.stream(Endpoint(path: "/a")) }),
        (
            "networking",
            { client, _ in _ = try await client.networking(Endpoint(path: "/a")).value }
        ),
        (
            "decoded",
            { client, _ in let _: [Int] = try await client.send(Endpoint(path: "/a")) }
        ),
        (
            "decoded future",
            { client, _ in
                _ = try await client.futures.send(Endpoint(path: "/a"), as: [Int].self).value
            }
        ),
        ("events", { client, _ in for try await _ in client.events("/a") {} }),
        ("download", { client, file in _ = try await client.download("/a", to: file) }),
        (
            "upload",
            { client, file in _ = try await client.upload(file, to: "/a", by: .tus) }
        ),
    ]

    @Test(arguments: calls.indices) func aClientInACancelledTaskSendsNothing(index: Int)
        async throws
    {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data("abc".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let transport = MemoryTransport(routes: [.any("/a", answer: .text("[1]"))])
        let base = URL(string: "https://a.example")!
        let sent = Locked(0)
        let overFunction = HTTPClient(base: base) { _ in
            sent.withLock { $0 += 1 }
            return Future(value: HTTPResponse(status: 200))
        }
        for client in [HTTPClient(base: base, over: transport), overFunction] {
            let result = await inCancelledTask { try await Self.calls[index].call(client, file) }
            #expect(throws: CancellationError.self) { try result.get() }
        }
        #expect(transport.calls.isEmpty)
        #expect(sent.withLock { $0 } == 0)
    }
}
