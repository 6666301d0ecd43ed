import Pledge
import PledgeTesting

extension TransportCheck {
    /// A slow reader gets the whole body.
    static var slowReading: TransportCheck {
        TransportCheck(
            "slow reader", "48 MiB come whole to a reader who is slower than the server",
            needsStreaming: true
        ) { bench in
            let piece = Pattern.bytes(1_048_576)
            let count = 48
            let head = "HTTP/1.1 200 OK\r\nContent-Length: \(count * piece.count)\r\n\r\n"
            let pieces = (0..<count).map { _ in LoopbackAnswer.Step.send(piece) }
            let server = try LoopbackServer(answering: { _ in
                LoopbackAnswer([.send(Data(head.utf8))] + pieces)
            })
            let other = try LoopbackServer(answering: { _ in .text("ok") })
            defer {
                server.stop()
                other.stop()
            }
            let response = try await bench.stream(HTTPRequest(.get, server.url))
            var received = 0
            while let chunk = try await bench.inTime(response.body.next()) {
                // For the first chunks the reader takes as long as other calls take.
                if received < 2 * piece.count {
                    for _ in 0..<10 { _ = try await bench.get(other) }
                }
                let first = received
                var rest = chunk[...]
                while !rest.isEmpty {
                    let expected = piece.dropFirst(received % piece.count).prefix(rest.count)
                    guard rest.prefix(expected.count) == expected else {
                        throw Unexpected("the chunk after \(first) bytes is another one")
                    }
                    received += expected.count
                    rest = rest.dropFirst(expected.count)
                }
            }
            try require("the number of bytes", received, is: count * piece.count)
        }
    }
}
