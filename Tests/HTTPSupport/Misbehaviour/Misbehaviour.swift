import PledgeFutures

/// A server that makes one kind of mistake on each connection, from a table that the tests of all transports
/// share.
package struct Misbehaviour: Sendable, CustomStringConvertible {
    package let name: String
    let serve: @Sendable (SocketConnection) -> Void

    package var description: String { name }

    /// Starts a server that makes this mistake.
    package func server() throws -> SocketServer {
        let serve = serve
        return try SocketServer { connection in
            // The mistake may be endless; it ends when the client closes the connection.
            serve(connection)
        }
    }

    /// Reads a whole request, then sends the bytes unchanged and closes the connection.
    private static func raw(_ name: String, _ text: String) -> Misbehaviour {
        raw(name, Array(text.utf8))
    }

    private static func raw(_ name: String, _ bytes: [UInt8]) -> Misbehaviour {
        Misbehaviour(name: name) { connection in
            if connection.head() != nil { connection.send(bytes) }
        }
    }

    /// Reads a whole request, then sends a beginning, and then the same text again and again.
    private static func endless(_ name: String, _ start: String, _ again: String) -> Misbehaviour {
        Misbehaviour(name: name) { connection in
            guard connection.head() != nil else { return }
            connection.send(start)
            let piece = Array(String(repeating: again, count: 8_192 / again.utf8.count).utf8)
            while connection.send(piece) {}
        }
    }

    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let chunked = ok + "Transfer-Encoding: chunked\r\n\r\n"

    /// All mistakes.
    package static let all: [Misbehaviour] = leaving + heads + lengths + chunks + endlessness

    private static let leaving: [Misbehaviour] = [
        Misbehaviour(name: "leaves at once") { _ in },
        Misbehaviour(name: "resets at once") { $0.resetAtEnd() },
        Misbehaviour(name: "leaves after the request") { _ = $0.head() },
        Misbehaviour(name: "resets after the request") { connection in
            _ = connection.head()
            connection.resetAtEnd()
        },
        Misbehaviour(name: "resets in the body") { connection in
            _ = connection.head()
            connection.send(ok + "Content-Length: 100\r\n\r\nhalf")
            connection.resetAtEnd()
        },
        Misbehaviour(name: "answers before the request") { connection in
            connection.answer("too early")
            _ = connection.head()
        },
        Misbehaviour(name: "answers twice") { connection in
            guard connection.head() != nil else { return }
            connection.answer("first")
            connection.answer("second")
            connection.awaitEnd()
        },
        Misbehaviour(name: "ends its side and stays") { connection in
            _ = connection.head()
            connection.finishSending()
            connection.awaitEnd()
        },
    ]

    private static let heads: [Misbehaviour] = [
        raw("no HTTP", [0, 1, 2, 3, 0xff, 10, 13]),
        raw("HTTP/0.9", "<html>hello</html>"),
        raw("another protocol", "SSH-2.0-OpenSSH_9.2\r\n"),
        raw("a TLS alert", [21, 3, 1, 0, 2, 2, 40]),
        raw("a status of no digits", "HTTP/1.1 abc OK\r\nContent-Length: 0\r\n\r\n"),
        raw("a status too long", "HTTP/1.1 2000 OK\r\nContent-Length: 0\r\n\r\n"),
        raw("a version unheard of", "HTTP/9.9 200 OK\r\nContent-Length: 0\r\n\r\n"),
        raw("half a status line", "HTTP/1.1 2"),
        raw("half a head", ok + "Content-Len"),
        raw("a field without a colon", ok + "no colon\r\nContent-Length: 2\r\n\r\nok"),
        raw("a field without a name", ok + ": value\r\nContent-Length: 2\r\n\r\nok"),
        raw("a folded first field", ok + " folded\r\nContent-Length: 2\r\n\r\nok"),
        raw("a NUL in a field", ok + "X: a\u{0}b\r\nContent-Length: 2\r\n\r\nok"),
        raw("a field of Latin-1", Array((ok + "X: ").utf8) + [0xe9] + Array("\r\n\r\n".utf8)),
        raw("an upgrade unasked", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\nbytes"),
        raw("a redirect to nowhere", "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n"),
    ]

    private static let lengths: [Misbehaviour] = [
        raw("a length too large", ok + "Content-Length: 9223372036854775807\r\n\r\nabc"),
        raw("a length beyond numbers", ok + "Content-Length: 99999999999999999999\r\n\r\nabc"),
        raw("a negative length", ok + "Content-Length: -1\r\n\r\nabc"),
        raw("two lengths", ok + "Content-Length: 3\r\nContent-Length: 5\r\n\r\nabcde"),
        raw("a body too short", ok + "Content-Length: 100\r\n\r\nabc"),
        raw("a body too long", ok + "Content-Length: 3\r\n\r\nabcdefghij"),
        raw("a body after 204", "HTTP/1.1 204 No Content\r\n\r\nbody"),
    ]

    private static let chunks: [Misbehaviour] = [
        raw("a bad chunk size", chunked + "zz\r\nabc\r\n0\r\n\r\n"),
        raw("a chunk size too large", chunked + "ffffffffffffffffff\r\nabc\r\n"),
        raw("a chunk too short", chunked + "9\r\nabc"),
        raw("a chunk without an end", chunked + "3\r\nabcdef\r\n0\r\n\r\n"),
        raw("no last chunk", chunked + "3\r\nabc\r\n"),
        raw("a bad trailer", chunked + "3\r\nabc\r\n0\r\nno colon\r\n\r\n"),
        raw("a coding unheard of", ok + "Transfer-Encoding: magic\r\n\r\nabc"),
    ]

    private static let endlessness: [Misbehaviour] = [
        endless("an endless status line", "HTTP/1.1 200 ", "a"),
        endless("an endless field", ok + "X: ", "a"),
        endless("endless fields", ok, "X: a\r\n"),
        endless("endless interim heads", "", "HTTP/1.1 100 Continue\r\n\r\n"),
        endless("an endless chunk size", chunked, "0"),
        endless("endless trailers", chunked + "0\r\n", "X: a\r\n"),
        endless("an endless body", ok + "\r\n", "a"),
    ]
}
