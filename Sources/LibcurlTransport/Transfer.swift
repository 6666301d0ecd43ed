import CPledgeCurl
import PledgeFutures
import PledgeHTTPNetworking

/// An exchange while libcurl performs it; only the I/O thread uses it.
final class Transfer {
    let exchange: TransportExchange
    let handle: EasyHandle
    private unowned let loop: CurlLoop
    private var reader: HeadReader
    private var hasHead = false
    /// Bytes of a streamed body that have arrived and have not been delivered.
    private var unread = Data()
    /// The body to send, if it is not passed to libcurl in one piece.
    var upload: UploadBuffer?
    /// Whether no more is received until the reader of the body has read.
    var isFull = false
    /// Whether libcurl keeps bytes back until it is resumed.
    private var isPaused = false
    private(set) var hasConnection = false
    /// Whether the transfer has been added to libcurl.
    var isAdded = false
    /// Its place in the queue for a lane; nil if it has a lane, or needs none.
    var laneTicket: Int?
    /// Whether libcurl has it, or it waits for a lane.
    var isEntered: Bool { isAdded || laneTicket != nil }
    private var isReceiving = false
    /// Why one of the transfer's own functions stopped it.
    private var failure: (any Error)?
    /// Whether libcurl has read bytes of the body since its beginning.
    private var hasReadBody = false
    /// How often the request was sent, or was about to be.
    private var sends = 0
    /// How many connections in a row had unrequested bytes on them.
    private var spoiltConnections = 0
    /// How often its connection over HTTP/2 ended before any part of an answer had arrived.
    private var lostConnections = 0
    /// Whether it is made again on another connection: it was stopped before the request was sent, or that
    /// connection has ended and the request may be repeated.
    private(set) var isToBeRepeated = false

    private var engine: CurlEngine { loop.engine }

    init(_ exchange: TransportExchange, _ handle: EasyHandle, _ loop: CurlLoop) {
        self.exchange = exchange
        self.handle = handle
        self.loop = loop
        reader = HeadReader(limit: loop.options.maxHeadSize)
        handle.join(self)
    }

    /// Opens the body to send.
    func openUpload() {
        let upload = UploadBuffer(exchange) { [exchange, engine] in
            engine.submit(.send(exchange))
        }
        self.upload = upload
        upload.open()
    }

    /// The transfer behind libcurl's context pointer.
    static func at(_ context: UnsafeMutableRawPointer) -> Transfer {
        Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }

    /// Starts the transfer again.
    func restart() {
        isToBeRepeated = false
        sends = 0
    }

    func takeUnread() -> Data {
        defer { unread = Data() }
        return unread
    }

    /// The result of the transfer, as the caller gets it.
    func result(_ code: Int32) -> Result<Void, any Error> {
        if let failure { return .failure(failure) }
        // A whole answer stands, even if the server then resets the stream, or takes no more of the request.
        let isComplete = exchange.isComplete(with: unread.count)
        if hasHead, code == ccurl_ok.rawValue || isComplete { return .success(()) }
        let error = CurlError(code, handle, isAnswered: hasHead)
        return .failure(HTTPError(error, of: exchange.request, loop.options))
    }
}

// What libcurl does not repeat by itself.
extension Transfer {
    /// Repeats the request if its connection over HTTP/2 has ended before any part of an answer arrived, as
    /// libcurl itself does over HTTP/1.1.
    func repeatIfConnectionWasLost(_ code: Int32) {
        if speaksOnlyHTTP2(code) {
            handle.keepToHTTP1(false, loop.options)
            isToBeRepeated = true
            return
        }
        guard failure == nil, !hasHead, upload == nil, exchange.request.isReplayable,
            lostConnections < 5, CurlError(code, handle).isEndOfConnection
        else { return }
        lostConnections += 1
        isToBeRepeated = true
    }

    /// Whether TLS failed since the transfer kept to HTTP/1.1, so that nothing was sent.
    private func speaksOnlyHTTP2(_ code: Int32) -> Bool {
        handle.keepsToHTTP1 && code == ccurl_ssl_connect_error.rawValue && failure == nil
            && handle.errorText.lowercased().contains("no application protocol")
    }
}

// The functions that libcurl calls during a transfer.
extension Transfer {
    /// Reads a line of a head; returns false to stop the transfer.
    func takeHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        switch reader.take(line) {
        case .more: return true
        case .head(let status, let headers):
            take(head: status, headers)
            return failure == nil
        case .malformed(let reason):
            failure = exchange.failure(.badResponse, reason: reason)
        case .tooLarge:
            let limit = loop.options.maxHeadSize
            let reason = "its head has more than \(limit) bytes"
            failure = exchange.failure(.badResponse, reason: reason)
        }
        return false
    }

    private func take(head status: Int, _ headers: HTTPHeaders) {
        hasHead = true
        var head = HTTPResponse(status: status, headers: headers)
        head.timing.connection = ConnectionMetrics(of: handle.easy)
        failure = exchange.receive(
            head, delivering: { self.loop.results.append(ResultDelivery.Job($0)) })
    }

    /// Receives bytes of the body.
    ///
    /// - Returns: How many were taken, or another instruction to libcurl.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        if !hasHead { return 0 }
        if !isReceiving {
            isReceiving = true
            loop.receivers.append(self)
        }
        if exchange.isStreamed {
            // One turn may fill a hundred buffers.
            isPaused = isFull || unread.count >= loop.options.maxUnreadBytes
            if isPaused { return ccurl_write_pause }
            unread.append(contentsOf: bytes)
            return bytes.count
        }
        failure = exchange.receive(bytes)
        return failure == nil ? bytes.count : 0
    }

    /// Notes that the received bytes have been delivered.
    func endReceiving() {
        isReceiving = false
        if !isFull { goOnReceiving() }
    }

    /// Notes that there is room for more.
    func goOnReceiving() {
        isFull = false
        guard isPaused, isAdded else { return }
        isPaused = false
        handle.resume()
    }

    /// Copies bytes of the body to send.
    ///
    /// - Returns: How many were copied, or another instruction to libcurl.
    func giveBody(to room: UnsafeMutableRawBufferPointer) -> Int {
        switch upload?.give(to: room) ?? .bytes(0) {
        case .bytes(let count):
            exchange.noteSign()
            hasReadBody = true
            return count
        case .pause:
            // The idle timeout does not count while the source has no bytes.
            exchange.expectNothing()
            return ccurl_read_pause
        case .failed(let error):
            failure = exchange.unreadable(error)
            return ccurl_read_abort
        }
    }

    /// Rewinds the body, to send it on another connection; returns false if it cannot be sent again.
    ///
    /// Whether the request may be sent again, ``maySend(from:)`` says.
    func rewind() -> Bool {
        guard hasReadBody, let upload else { return true }
        guard exchange.request.body.isReplayable else { return false }
        hasReadBody = false
        upload.rewind()
        return true
    }

    /// Notes that a connection is being made.
    func noteConnecting() {
        if hasConnection { return }
        hasConnection = true
        exchange.stopWaiting()
    }

    /// Whether the request may be sent on the present connection.
    ///
    /// If a kept connection ends before any part of an answer has arrived, libcurl sends the request again by
    /// itself, whatever the method. That is correct only if the request may be repeated (RFC 9112, section
    /// 9.3.1), or the server has excluded it (RFC 9113, section 8.7). And if unrequested bytes have arrived on
    /// a connection, libcurl would return them as the answer.
    ///
    /// - Parameters:
    ///   - address: The peer's address.
    ///   - localPort: The port that identifies the connection; zero for a Unix domain socket.
    func maySend(to address: UnsafePointer<CChar>?, from localPort: Int32) -> Bool {
        noteConnecting()
        if loop.options.refusesPrivateAddresses(exchange.request),
            HTTPOrigin.isPrivate(address: address.map { String(cString: $0) } ?? "")
        {
            failure = exchange.failure(.redirectRefused, reason: HTTPError.privateNetwork)
            return false
        }
        if hasUnsolicitedBytes(localPort) {
            spoiltConnections += 1
            isToBeRepeated = true
            return false
        }
        sends += 1
        if sends > 1, !maySendAgain() {
            failure = exchange.failure(.connectionLost, reason: "a kept connection had ended")
            return false
        }
        do {
            try exchange.willSend()
        } catch {
            failure = error
            return false
        }
        reader = HeadReader(limit: loop.options.maxHeadSize)
        return true
    }

    private func maySendAgain() -> Bool {
        defer { handle.forgetRefusal() }
        guard !hasHead, exchange.request.isReplayable || handle.isRefused else { return false }
        // libcurl does it itself, unless it changes to HTTP/1.1.
        return rewind()
    }

    private func hasUnsolicitedBytes(_ localPort: Int32) -> Bool {
        guard spoiltConnections < 100, ccurl_get_long(handle.easy, ccurl_info_new_connections) == 0
        else { return false }
        return loop.kept.hasUnsolicitedBytes(localPort)
    }
}

extension ConnectionMetrics {
    /// What libcurl reports of a transfer after its first byte has arrived.
    init(of easy: OpaquePointer) {
        self.init()
        protocolVersion = Self.version(ccurl_get_long(easy, ccurl_info_http_version))
        isReused = ccurl_get_long(easy, ccurl_info_new_connections) == 0
        remoteAddress = Self.address(of: easy)
        untilFirstByte = Self.mark(easy, ccurl_info_start_transfer_time)
        if isReused == true { return }
        untilNameLookup = Self.mark(easy, ccurl_info_name_lookup_time)
        untilConnected = Self.mark(easy, ccurl_info_connect_time)
        untilSecure = Self.mark(easy, ccurl_info_secure_connect_time)
    }

    private static func version(_ number: Int) -> String? {
        switch number {
        case 1: "HTTP/1.0"
        case 2: "HTTP/1.1"
        case 3: "HTTP/2"
        case 30: "HTTP/3"
        default: nil
        }
    }

    /// libcurl counts microseconds; zero means that the event has not happened.
    private static func mark(_ easy: OpaquePointer, _ info: ccurl_offset_info) -> Duration? {
        let time = ccurl_get_offset(easy, info)
        return time > 0 ? .microseconds(time) : nil
    }

    private static func address(of easy: OpaquePointer) -> String? {
        guard let text = ccurl_get_text(easy, ccurl_info_remote_address) else { return nil }
        let address = String(cString: text)
        if address.isEmpty { return nil }
        let host = address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address
        return "\(host):\(ccurl_get_long(easy, ccurl_info_remote_port))"
    }
}
