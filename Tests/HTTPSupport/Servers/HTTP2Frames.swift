import PledgeFutures

/// The server's side of a connection over HTTP/2, frame by frame.
///
/// It reads no fields of requests, so a script tells them apart by connection and stream. It obeys no window:
/// answers must be short.
package struct HTTP2Frames {
    /// A frame from the client.
    package enum Frame {
        /// The head of a request; the last frame of its stream if there is no body.
        case head(stream: UInt32, isLast: Bool, block: [UInt8])
        /// A part of a body.
        case data(stream: UInt32, isLast: Bool, count: Int)
        /// The client has reset the stream.
        case reset(stream: UInt32)
        /// The client has taken the settings.
        case tookSettings
        /// The client's answer to a ping.
        case pong([UInt8])
    }

    /// The codes of RST_STREAM and GOAWAY (RFC 9113, section 7).
    package enum Code: UInt8, CaseIterable, Sendable {
        case noError, protocolError, internalError, flowControlError, settingsTimeout, streamClosed
        case frameSizeError, refusedStream, cancel, compressionError, connectError
        case enhanceYourCalm, inadequateSecurity, http11Required
    }

    /// Settings that scripts send (RFC 9113, section 6.5.2).
    package enum Setting: UInt16, Sendable {
        case headerTableSize = 1
        case maxConcurrentStreams = 3
        case initialWindowSize = 4
        case maxFrameSize = 5
    }

    /// The number of the connection at its server, counted from zero.
    package var index: Int { connection.index }

    private let connection: SocketConnection

    /// Begins after the first line of the client's preface has been read as a head; nil if the client leaves.
    init?(_ connection: SocketConnection) {
        self.connection = connection
        guard connection.bytes(6) != nil else { return nil }
        send([:])
    }

    /// The next frame of a request; nil if the client has closed the connection.
    ///
    /// Settings and pings of the client are answered.
    package func next() -> Frame? {
        while let start = connection.bytes(9) {
            let count = Int(start[0]) << 16 | Int(start[1]) << 8 | Int(start[2])
            guard let payload = count == 0 ? [] : connection.bytes(count) else { return nil }
            let stream = start[5...8].reduce(0 as UInt32) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
            let isLast = start[4] & 1 != 0
            switch start[3] {
            case 0: return .data(stream: stream, isLast: isLast, count: count)
            case 1:
                // A client may put a priority before the fields.
                let block = start[4] & 0x20 != 0 ? Array(payload.dropFirst(5)) : payload
                return .head(stream: stream, isLast: isLast, block: block)
            case 3: return .reset(stream: stream)
            case 4 where isLast: return .tookSettings
            case 4: send(type: 4, flags: 1, stream: 0, [])
            case 6 where isLast: return .pong(payload)
            case 6: send(type: 6, flags: 1, stream: 0, payload)
            default: continue
            }
        }
        return nil
    }

    /// Calls a closure with the stream of each request that has arrived whole, until the client closes the
    /// connection or the closure returns false.
    package func serve(_ answer: (_ stream: UInt32) -> Bool) {
        while let frame = next() {
            switch frame {
            case .head(let stream, true, _), .data(let stream, true, _):
                guard answer(stream) else { return }
            default: continue
            }
        }
    }

    /// Reads until the client has taken what was sent, which its answer to a ping tells.
    ///
    /// - Returns: The frames that have come meanwhile; nil if the client has closed the connection.
    package func settle(_ mark: UInt8 = 0) -> [Frame]? {
        let payload = Array(repeating: mark, count: 8)
        ping(payload)
        var frames: [Frame] = []
        while let frame = next() {
            if case .pong(payload) = frame { return frames }
            frames.append(frame)
        }
        return nil
    }
}

// MARK: - Sending

extension HTTP2Frames {
    /// Sends a whole response.
    package func answer(_ stream: UInt32, _ text: String, status: Int = 200) {
        head(stream, status, ["content-length": "\(text.utf8.count)"])
        data(stream, text, isLast: true)
    }

    /// Sends the head of a response, or of an interim one.
    package func head(
        _ stream: UInt32, _ status: Int, _ fields: KeyValuePairs<String, String> = [:],
        isLast: Bool = false
    ) {
        // ":status" is name 8 of the static table.
        let first = [0x08, 3] + Array("\(status)".utf8)
        send(type: 1, flags: isLast ? 5 : 4, stream: stream, first + Self.block(fields))
    }

    /// Begins the head of a response, which ``endHead(_:)`` ends.
    package func beginHead(_ stream: UInt32) {
        send(type: 1, stream: stream, [0x08, 3] + Array("200".utf8))
    }

    /// Ends the head of a response.
    package func endHead(_ stream: UInt32) { send(type: 9, flags: 4, stream: stream, []) }

    /// Sends the fields after a body, which end the stream.
    package func trailers(_ stream: UInt32, _ fields: KeyValuePairs<String, String>) {
        send(type: 1, flags: 5, stream: stream, Self.block(fields))
    }

    /// Sends a part of a body.
    @discardableResult
    package func data(_ stream: UInt32, _ text: String, isLast: Bool = false) -> Bool {
        send(type: 0, flags: isLast ? 1 : 0, stream: stream, Array(text.utf8))
    }

    /// Ends a stream.
    package func reset(_ stream: UInt32, _ code: Code) {
        send(type: 3, stream: stream, [0, 0, 0, code.rawValue])
    }

    /// Says that no streams beyond `last` have been or will be processed.
    package func goAway(last: UInt32, _ code: Code = .noError) {
        send(type: 7, stream: 0, Self.bytes(of: last) + [0, 0, 0, code.rawValue])
    }

    /// Sends settings.
    package func send(_ settings: KeyValuePairs<Setting, UInt32>) {
        var payload: [UInt8] = []
        for (setting, value) in settings {
            payload += [0, UInt8(setting.rawValue)] + Self.bytes(of: value)
        }
        send(type: 4, stream: 0, payload)
    }

    /// Sends a ping.
    package func ping(_ payload: [UInt8]) { send(type: 6, stream: 0, payload) }

    /// Allows more bytes of a stream's body; of all bodies if the stream is zero.
    package func allow(_ count: UInt32, of stream: UInt32 = 0) {
        send(type: 8, stream: stream, Self.bytes(of: count))
    }

    /// Sends many frames of a kind in one piece; returns false if the client has closed the connection.
    package func send(_ count: Int, of frame: Flood, to stream: UInt32) -> Bool {
        let one = frame.frame(stream)
        return connection.send(Array(repeatElement(one, count: count).joined()))
    }

    @discardableResult
    private func send(
        type: UInt8, flags: UInt8 = 0, stream: UInt32, _ payload: [UInt8]
    ) -> Bool {
        connection.send(Self.frame(type: type, flags: flags, stream: stream, payload))
    }

    static func frame(
        type: UInt8, flags: UInt8 = 0, stream: UInt32, _ payload: [UInt8] = []
    ) -> [UInt8] {
        var frame = Array(bytes(of: UInt32(payload.count)).dropFirst())
        frame += [type, flags]
        frame += bytes(of: stream)
        return frame + payload
    }

    /// HPACK without a table: short names and values as they are.
    private static func block(_ fields: KeyValuePairs<String, String>) -> [UInt8] {
        var block: [UInt8] = []
        for (name, value) in fields {
            block += [0, UInt8(name.utf8.count)] + Array(name.utf8)
            block += [UInt8(value.utf8.count)] + Array(value.utf8)
        }
        return block
    }

    private static func bytes(of number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

extension HTTP2Frames {
    /// Frames that cost a server little, and of which it sends many.
    package enum Flood: CaseIterable, Sendable {
        case priority, ping, settings, emptyContinuation, emptyData, reset

        fileprivate func frame(_ stream: UInt32) -> [UInt8] {
            switch self {
            case .priority: HTTP2Frames.frame(type: 2, stream: stream, [0, 0, 0, 0, 15])
            case .ping: HTTP2Frames.frame(type: 6, stream: 0, Array(repeating: 9, count: 8))
            case .settings: HTTP2Frames.frame(type: 4, stream: 0)
            case .emptyContinuation: HTTP2Frames.frame(type: 9, stream: stream)
            case .emptyData: HTTP2Frames.frame(type: 0, stream: stream)
            case .reset: HTTP2Frames.frame(type: 3, stream: stream, [0, 0, 0, 8])
            }
        }
    }
}
