#if os(Linux)
import Foundation
import HTTPTestSupport
import TestSupport
import Testing

/// The connection of Docs/Guides/CachingOnDisk.md, with servers whose replies are damaged or hostile.
@Suite(.oneAtATime) struct RedisConnectionTests {
    /// Sends one command to a server that gives this reply, and then ends the connection.
    private func reply(_ bytes: String) throws -> RedisConnection.Reply {
        let server = try SocketServer { connection in
            if connection.bytes() != nil, connection.send(bytes) { connection.finishSending() }
            connection.awaitEnd()
        }
        defer { server.stop() }
        let redis = RedisConnection(port: server.port)
        defer { redis.disconnect() }
        return try redis.send("GET", "key")
    }

    @Test(
        "a reply that isn't RESP 2, or that claims too much, is an error",
        arguments: [
            "$9223372036854775807\r\n", "$9223372036854775806\r\nabc", "$67108864\r\n", "$-2\r\n",
            "$\r\n", "$x\r\n", "$99999999999999999999\r\n", "$3\r\nabcde", "$3\r\nab",
            "*9223372036854775807\r\n", "*60000000\r\n:1\r\n", "*-2\r\n", "*x\r\n", "*2\r\n:1\r\n",
            ":\r\n", ":1x\r\n", ":99999999999999999999\r\n", ":1\n", "\n", "\r\n", "?1\r\n", "",
            "-ERR no\r\n", "+" + String(repeating: "a", count: 100_000) + "\r\n",
            String(repeating: "*1\r\n", count: 100_000),
            String(repeating: "*1000000\r\n", count: 8),
            "*1100000\r\n"
                + String(repeating: "+\r\n", count: 1_100_000),
        ])
    func aReplyThatIsNotRESP2(_ bytes: String) {
        #expect(throws: RedisConnection.Failure.self) { try reply(bytes) }
    }

    @Test func wholeRepliesAreReadHoweverTheyAreNested() throws {
        guard
            case .list(let parts) = try reply("*4\r\n$5\r\na\r\nbc\r\n:-7\r\n*1\r\n+OK\r\n$-1\r\n"),
            parts.count == 4, case .text(let text) = parts[0], case .number(-7) = parts[1],
            case .list(let inner) = parts[2], inner.count == 1, case .nothing = parts[3]
        else {
            Issue.record("another reply")
            return
        }
        #expect(text == Data("a\r\nbc".utf8))
        let large = String(repeating: "x", count: 1 << 20)
        guard case .text(let found) = try reply("$\(large.utf8.count)\r\n\(large)\r\n") else {
            Issue.record("no text")
            return
        }
        #expect(found.count == 1 << 20)
    }
}
#endif
