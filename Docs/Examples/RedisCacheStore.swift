// snippet: store
import Dispatch
import Foundation
import Pledge

/// Keeps a cache's responses in Redis or Valkey, for all processes that use the same server.
final class RedisCacheStore: CacheStore {
    private let connection: RedisConnection
    private let queue = DispatchQueue(label: "RedisCacheStore")

    init(port: UInt16) { connection = RedisConnection(port: port) }

    func responses(for key: CacheKey) -> Future<[CachedResponse]> {
        onQueue { connection in try Self.read(Self.name(key), connection) }
    }

    func update(
        _ key: CacheKey, _ change: @escaping @Sendable (inout [CachedResponse]) -> Void
    ) -> Future<Void> {
        onQueue { connection in
            let name = Self.name(key)
            for attempt in 1...100 {
                try connection.send("WATCH", name)
                var responses = try Self.read(name, connection)
                // Another process has removed the responses in between, and this one may be as old.
                if attempt > 1, responses.isEmpty { return }
                change(&responses)
                try connection.send("MULTI")
                if responses.isEmpty {
                    try connection.send("DEL", name)
                } else {
                    let text = String(decoding: try JSONEncoder().encode(responses), as: UTF8.self)
                    try connection.send("SET", name, text, "EX", "86400")
                }
                // If another process has changed the key in between, the change is made to its responses.
                if case .list = try connection.send("EXEC") { return }
            }
            throw RedisConnection.Failure()
        }
    }

    func removeAll() -> Future<Void> { onQueue { try $0.send("FLUSHDB") } }

    func usage() -> Future<CacheUsage> {
        onQueue { connection in
            guard case .list(let names) = try connection.send("KEYS", "http *") else {
                throw RedisConnection.Failure()
            }
            return CacheUsage(count: names.count, bytes: 0)
        }
    }

    func keys(
        where isIncluded: @escaping @Sendable (CacheKey, [CachedResponse]) -> Bool
    ) -> Future<[CacheKey]> {
        onQueue { connection in
            guard case .list(let names) = try connection.send("KEYS", "http *") else {
                throw RedisConnection.Failure()
            }
            return try names.compactMap { reply in
                guard case .text(let name) = reply, let key = Self.key(name) else { return nil }
                let responses = try Self.read(Self.name(key), connection)
                return isIncluded(key, responses) ? key : nil
            }
        }
    }

    func lockForRequest(_ name: String) -> Future<(any AnyObject & Sendable)?> {
        onQueue { connection in
            let (name, owner) = ("lock \(name)", UUID().uuidString)
            // If this process dies, or is slower than five seconds, the lock ends by itself.
            let reply = try connection.send("SET", name, owner, "NX", "PX", "5000")
            guard case .text = reply else { return nil }
            return Lock {
                _ = self.onQueue { try $0.send("EVAL", Self.unlocking, "1", name, owner) }
            }
        }
    }

    /// Removes a lock, unless it has ended and is another process's now.
    private static let unlocking = """
        if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
        return 0
        """

    private final class Lock: Sendable {
        private let end: @Sendable () -> Void
        init(_ end: @escaping @Sendable () -> Void) { self.end = end }
        deinit { end() }
    }

    func flush() -> Future<Void> { onQueue { _ in } }

    private static func name(_ key: CacheKey) -> String { "http \(key.text)" }

    private static func key(_ name: Data) -> CacheKey? {
        CacheKey(text: String(decoding: name.dropFirst("http ".utf8.count), as: UTF8.self))
    }

    private static func read(_ name: String, _ redis: RedisConnection) throws -> [CachedResponse] {
        guard case .text(let bytes) = try redis.send("GET", name) else { return [] }
        // What another version of the app has written counts as absent.
        return (try? JSONDecoder().decode([CachedResponse].self, from: bytes)) ?? []
    }

    /// Runs commands in order, on a thread that may wait for the server.
    private func onQueue<Value: Sendable>(
        _ body: @escaping @Sendable (RedisConnection) throws -> Value
    ) -> Future<Value> {
        Future.make { resolver in
            queue.async { [connection] in
                do { resolver.resolve(with: try body(connection)) } catch {
                    connection.disconnect()
                    resolver.reject(with: error)
                }
            }
        }
    }
}
// end snippet
