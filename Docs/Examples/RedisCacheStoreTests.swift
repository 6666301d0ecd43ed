// Exit tests capture values since Swift 6.3.
#if os(Linux) && compiler(>=6.3)
import Foundation
import HTTPTestSupport
import Pledge
import TestSupport
import Testing

// snippet: cache
func sharedCache(port: UInt16) -> HTTPCache {
    HTTPCache(in: RedisCacheStore(port: port), partitionKey: Data("0123456789abcdef".utf8))
}
// end snippet

/// The stores of Docs/Guides/CachingOnDisk.md over a real server; without one installed, they do nothing.
@Suite(.oneAtATime) struct RedisCacheStoreTests {
    /// An origin whose answers stay fresh, each with another number.
    private struct Origin: HTTPTransport {
        let calls = ExampleLog()
        let name: String

        func send(_ request: HTTPRequest) -> Future<HTTPResponse> {
            calls.add("\(request.url)")
            return Future(
                value: HTTPResponse(
                    status: 200, headers: ["Cache-Control": "max-age=3600"],
                    body: Data("\(name) \(calls.lines.count)".utf8)))
        }
    }

    private static func client(_ name: String, port: UInt16) -> (HTTPClient, Origin) {
        let origin = Origin(name: name)
        var client = HTTPClient(base: URL(string: "https://shop.example")!, over: origin)
        client.authorization = .bearer("token")
        client.cache = sharedCache(port: port)
        return (client, origin)
    }

    @Test func twoProcessesShareAStoreWhoseConnectionIsLostMidway() async throws {
        let folder = try TestFolder()
        guard let redis = try await RedisServer.start(in: folder.url) else { return }
        let port = Int(redis.port)
        await #expect(processExitsWith: .success) { [port = port as Int] in
            let (client, _) = Self.client("first", port: UInt16(port))
            guard try await client.get("/prices").text == "first 1" else { exit(1) }
            try await client.cache?.flush().value
        }
        let (client, origin) = Self.client("second", port: redis.port)
        #expect(try await client.get("/prices").text == "first 1")
        #expect(origin.calls.lines == [])

        redis.program.stop()
        #expect(try await client.get("/prices").text == "second 1")
        #expect(try await client.get("/prices").text == "second 2")
        #expect(client.cache?.storeError is RedisConnection.Failure)
    }

    @Test func aRemovedResponseStaysRemovedInAllProcesses() async throws {
        let folder = try TestFolder()
        guard let redis = try await RedisServer.start(in: folder.url) else { return }
        let (first, _) = Self.client("first", port: redis.port)
        let (second, _) = Self.client("second", port: redis.port)
        #expect(try await first.get("/prices").text == "first 1")
        try await first.cache?.flush().value
        #expect(try await second.get("/prices").text == "first 1")
        try await second.post("/prices")
        try await second.cache?.flush().value
        #expect(try await first.get("/prices").text == "first 2")
        try await first.cache?.flush().value
        #expect(try await first.cache?.usage().value.count == 1)
        // Each user's own responses are found in the store, and removed for all processes.
        let urls = try await first.cache?.storedURLs.value
        #expect(urls?.map(\.absoluteString) == ["https://shop.example/prices"])
        try await first.cache?.remove(account: "another account").value
        #expect(try await second.get("/prices").text == "first 2")
        try await first.cache?.remove(under: URL(string: "https://shop.example")!).value
        #expect(try await second.get("/prices").text == "second 2")
        try await second.cache?.flush().value
        try await first.cache?.clear().value
        #expect(try await second.get("/prices").text == "second 3")
    }

    @Test func fourProcessesThatMissAResponseAtTheSameTimeAskForItOnce() async throws {
        let folder = try TestFolder()
        guard let redis = try await RedisServer.start(in: folder.url) else { return }
        let (path, port) = (folder.url.path, Int(redis.port))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    await #expect(processExitsWith: .success) {
                        [path = path as String, port = port as Int] in
                        // However slow the machine is, nobody asks because of the time limit.
                        let cache = HTTPCache(
                            in: RedisCacheStore(port: UInt16(port)), storeTimeLimit: .seconds(600))
                        try await askForTwenty(
                            through: .cache(sharing: cache), noting: path + "/asked")
                        try await cache.flush().value
                    }
                }
            }
            try await group.waitForAll()
        }
        let asked = try Data(contentsOf: folder.url.appending(path: "asked"))
        // A process that stands still for five seconds loses its lock.
        #expect((20...24).contains(asked.count))
    }
}
#endif
