import HTTPTestSupport

/// The server's side of a connection over HTTP/2, frame by frame.
///
/// It reads no fields of requests, so a script tells them apart by connection and stream. It obeys no window:
/// answers must be short.
struct HTTP2Frames {
    /// A frame from the client.
    enum Frame {
        /// The head of a request; the last frame of its stream if there is no body.
        case head(stream: UInt32, isLast: Bool)
        /// A part of a body.
        case data(stream: UInt32, isLast: Bool)
        /// The client has reset the stream.
        case reset(stream: UInt32)
    }

    /// The codes of RST_STREAM and GOAWAY that scripts use (RFC 9113, section 7).
    enum Code: UInt8 {
        case noError = 0
        case internalError = 2
        case refusedStream = 7
        case http11Required = 13
    }

    private let connection: SocketConnection

    /// Begins after the first line of the client's preface has been read as a head; nil if the client leaves.
    init?(_ connection: SocketConnection) {
        self.connection = connection
        guard connection.bytes(6) != nil else { return nil }
        // No settings of its own.
        send(type: 4, stream: 0, [])
    }

    /// The next frame of a request; nil if the client has closed the connection.
    func next() -> Frame? {
        while let start = connection.bytes(9) {
            let count = Int(start[0]) << 16 | Int(start[1]) << 8 | Int(start[2])
            guard let payload = count == 0 ? [] : connection.bytes(count) else { return nil }
            let stream = start[5...8].reduce(0 as UInt32) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
            let isLast = start[4] & 1 != 0
            switch start[3] {
            case 0: return .data(stream: stream, isLast: isLast)
            case 1: return .head(stream: stream, isLast: isLast)
            case 3: return .reset(stream: stream)
            case 4 where !isLast: send(type: 4, flags: 1, stream: 0, [])
            case 6 where !isLast: send(type: 6, flags: 1, stream: 0, payload)
            default: continue
            }
        }
        return nil
    }

    /// Sends a whole response.
    func answer(_ stream: UInt32, _ text: String, status: Int = 200) {
        // HPACK without a table: ":status" and "content-length" are names 8 and 28 of the static one.
        let length = Array("\(text.utf8.count)".utf8)
        let fields =
            [0x08, 3] + Array("\(status)".utf8) + [0x0F, 13, UInt8(length.count)] + length
        send(type: 1, flags: 4, stream: stream, fields)
        send(type: 0, flags: 1, stream: stream, Array(text.utf8))
    }

    /// Ends a stream.
    func reset(_ stream: UInt32, _ code: Code) {
        send(type: 3, stream: stream, [0, 0, 0, code.rawValue])
    }

    /// Says that no streams beyond `last` have been or will be processed.
    func goAway(last: UInt32, _ code: Code = .noError) {
        send(type: 7, stream: 0, Self.bytes(of: last) + [0, 0, 0, code.rawValue])
    }

    private func send(type: UInt8, flags: UInt8 = 0, stream: UInt32, _ payload: [UInt8]) {
        var frame = Array(Self.bytes(of: UInt32(payload.count)).dropFirst())
        frame += [type, flags]
        frame += Self.bytes(of: stream)
        connection.send(frame + payload)
    }

    private static func bytes(of number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}
