// snippet: store
import Dispatch
import Foundation
import Pledge
import PledgeTraffic

/// Keeps the state of policies in Redis or Valkey, for all machines that use the same server.
final class RedisPolicyStore: PolicyStore {
    private let connection: RedisConnection
    private let queue = DispatchQueue(label: "RedisPolicyStore")

    init(port: UInt16) { connection = RedisConnection(port: port) }

    /// The server runs this as one step, by its own clock.
    private static let taking = """
        local time = redis.call('TIME')
        local now = time[1] + time[2] / 1000000
        local tokens, capacity, rate = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
        local old = redis.call('HMGET', KEYS[1], 'level', 'time')
        local level, last = tonumber(old[1]) or capacity, tonumber(old[2]) or now
        level = math.min(capacity, level + math.max(0, now - last) * rate)
        local granted = level - tokens >= -ARGV[4]
        if granted then level = math.min(capacity, level - tokens) end
        redis.call('HSET', KEYS[1], 'level', level, 'time', now)
        redis.call('PEXPIRE', KEYS[1], ARGV[5])
        return {granted and 1 or 0, string.format('%.17g', level)}
        """

    func takeTokens(_ request: BucketRequest) -> Future<BucketGrant> {
        onQueue { redis in
            let reply = try redis.send(
                "EVAL", Self.taking, "1", request.key, "\(request.tokens)", "\(request.capacity)",
                "\(request.tokensPerSecond)", "\(request.overdraft)",
                Self.milliseconds(request.lifetime))
            guard case .list(let parts) = reply, parts.count == 2,
                case .number(let granted) = parts[0], case .text(let text) = parts[1],
                let level = Double(String(decoding: text, as: UTF8.self))
            else { throw RedisConnection.Failure() }
            return BucketGrant(isGranted: granted == 1, level: level)
        }
    }

    func value(for key: String) -> Future<[UInt8]?> {
        onQueue { redis in
            guard case .text(let text) = try redis.send("GET", key) else { return nil }
            return Data(base64Encoded: text).map { Array($0) }
        }
    }

    func set(_ value: [UInt8]?, for key: String, lifetime: Duration) -> Future<Void> {
        onQueue { redis in
            if let value {
                let text = Data(value).base64EncodedString()
                try redis.send("SET", key, text, "PX", Self.milliseconds(lifetime))
            } else {
                try redis.send("DEL", key)
            }
        }
    }

    private static func milliseconds(_ duration: Duration) -> String {
        "\(Int((duration / .milliseconds(1)).rounded(.up)))"
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
