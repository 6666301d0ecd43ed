import CPledgeCurl
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPText
import PledgeHTTPTransportKit
import PledgeServices

/// An exchange that libcurl performs; only the I/O thread uses it.
final class Transfer {
    let exchange: TransportExchange
    let handle: EasyHandle
    unowned let loop: CurlLoop
    private var reader: HeadReader
    private var hasFirstLine = false
    private var hasHead = false
    /// Bytes of a streamed body that have arrived, but were not delivered.
    private var unread = Data()
    /// The body to send; nil if libcurl has it in one piece.
    var upload: UploadBuffer?
    /// True while the body's reader has enough unread bytes.
    var isFull = false
    /// True while libcurl has stopped receiving, and must be resumed.
    private var isPaused = false
    private(set) var hasConnection = false
    /// True from the look-up of the name until the connection is made.
    private(set) var isConnecting = false
    /// When connecting began.
    private(set) var connectStart = ContinuousClock.now
    /// True if an address was left because it didn't answer in the short time.
    var hasLeftAddress = false
    /// True if the addresses have the rest of the time to connect.
    var isPatient = false
    /// The connection that carried the request, as long as libcurl has the transfer.
    var connection: Connection?
    /// Nil if libcurl doesn't have the transfer.
    var pool: ConnectionPool?
    /// True while the transfer is in libcurl's multi handle.
    var isAdded = false
    /// The transfer's right to a connection, or its place in the queue for one.
    var lane = TransferLanes.Place.none
    /// When its bytes last arrived or left, or else when it began.
    private(set) var lastSign: SchedulerInstant
    /// True if libcurl has the transfer, or if it waits for a connection.
    var isEntered: Bool { isAdded || lane.isWaiting }
    /// True if the server owes bytes.
    ///
    /// A streamed body's bytes may take their time.
    var expectsBytes: Bool { !(hasHead && exchange.isStreamed) }
    private var isReceiving = false
    /// Why a callback has stopped the transfer; nil if none has.
    private(set) var failure: (any Error)?
    /// True if libcurl has read from the body since it was opened or rewound.
    private var hasReadBody = false
    /// True while libcurl waits for more bytes of the body.
    private var isSourceAway = false
    /// How many bytes of the body libcurl has sent.
    private var sentCount: Int64 = 0
    /// How often libcurl was about to send the request since the transfer was started or restarted.
    private var sends = 0
    /// How many kept connections weren't used, because bytes had arrived that nobody requested.
    private var spoiltConnections = 0
    /// How many HTTP/2 connections ended before any part of an answer arrived.
    private var lostConnections = 0
    /// True if the transfer is to run again on another connection.
    ///
    /// The request wasn't sent, or the connection has ended and the request may be repeated.
    var isToBeRepeated = false

    private var engine: CurlEngine { loop.engine }

    /// The scheme, host and port to which the transfer goes.
    private(set) lazy var authority =
        handle.laneHost ?? AbsoluteURL.schemeAndAuthority(of: exchange.request.url)

    init(_ exchange: TransportExchange, _ handle: EasyHandle, _ loop: CurlLoop) {
        self.exchange = exchange
        self.handle = handle
        self.loop = loop
        lastSign = loop.now
        reader = HeadReader(limit: loop.options.maxHeadSize)
        handle.join(self)
    }

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

    /// Records that bytes have arrived or left, or that the transfer begins.
    func noteSign() { lastSign = loop.now }

    private func noteByte() {
        noteSign()
        connection?.noteByte()
    }

    func restart() {
        isToBeRepeated = false
        isConnecting = false
    }

    func takeUnread() -> Data {
        defer { unread = Data() }
        return unread
    }

    func result(_ code: Int32) -> Result<Void, any Error> {
        if let failure { return .failure(failure) }
        // A whole answer is a success, even if the server then resets the stream or stops reading the request.
        if hasHead, code == ccurl_ok.rawValue || exchange.isComplete(with: unread.count) {
            return .success(())
        }
        let error = CurlError(code, handle, isAnswered: hasHead)
        return .failure(HTTPError(error, of: exchange.request, loop.options))
    }
}

// The repetitions that libcurl doesn't make itself.
extension Transfer {
    /// Has the transfer repeated if its HTTP/2 connection ended before any part of an answer.
    ///
    /// Over HTTP/1.1, libcurl repeats such a request itself. Also repeats one that was limited to HTTP/1.1 if the
    /// server speaks only HTTP/2, without that limit.
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
        sends = 0
        isToBeRepeated = true
    }

    /// Returns whether TLS failed because the transfer allowed only HTTP/1.1; then nothing was sent.
    private func speaksOnlyHTTP2(_ code: Int32) -> Bool {
        handle.keepsToHTTP1 && code == ccurl_ssl_connect_error.rawValue && failure == nil
            && handle.errorText.lowercased().contains("no application protocol")
    }
}

// The callbacks that libcurl calls.
extension Transfer {
    /// Reads a line of a head; returns false to stop the transfer.
    func takeHeaderLine(_ line: UnsafeRawBufferPointer) -> Bool {
        if !hasFirstLine {
            hasFirstLine = true
            loop.lanes.noteAnswer(to: self, after: lastSign.duration(to: loop.now))
        }
        noteByte()
        switch reader.readLine(line) {
        case .more: return true
        case .head(let status, let headers):
            receive(head: status, headers)
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

    private func receive(head status: Int, _ headers: HTTPHeaders) {
        hasHead = true
        exchange.context.record?.noteAnswer()
        connection?.evidence.noteAnswer()
        loop.noteVersion(ccurl_get_long(handle.easy, ccurl_info_http_version), of: self)
        var head = HTTPResponse(status: status, headers: headers)
        head.timing.connection = ConnectionMetrics(of: handle.easy)
        failure = exchange.receive(
            head, delivering: { self.loop.results.append(ResultDelivery.Job($0)) })
    }

    /// Receives bytes of the body.
    ///
    /// - Returns: The number of bytes taken, or another instruction to libcurl.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        if !hasHead { return 0 }
        noteByte()
        if !isReceiving {
            isReceiving = true
            loop.receivers.append(self)
        }
        if exchange.isStreamed {
            // Otherwise libcurl might deliver a hundred buffers before the loop hands out the first.
            isPaused = isFull || unread.count >= loop.options.maxUnreadBytes
            if isPaused { return ccurl_write_pause }
            unread.append(contentsOf: bytes)
            return bytes.count
        }
        failure = exchange.receive(bytes)
        return failure == nil ? bytes.count : 0
    }

    /// Records that the received bytes were delivered.
    func endReceiving() {
        isReceiving = false
        if !isFull { goOnReceiving() }
    }

    /// Records that the reader has room for more bytes.
    func goOnReceiving() {
        isFull = false
        guard isPaused, isAdded else { return }
        isPaused = false
        handle.resume()
    }

    /// Copies bytes of the body to send.
    ///
    /// - Returns: The number of bytes copied, or another instruction to libcurl.
    func giveBody(to room: UnsafeMutableRawBufferPointer) -> Int {
        switch upload?.give(to: room) ?? .bytes(0) {
        case .bytes(let count) where count > 0 && hasEarlyAnswer:
            // Checked at the last moment, because copying takes a while; the bytes go back.
            upload?.takeBack(Data(UnsafeRawBufferPointer(rebasing: room[..<count])))
            engine.submit(.send(exchange))
            return ccurl_read_pause
        case .bytes(let count):
            noteSign()
            exchange.noteSign()
            hasReadBody = true
            isSourceAway = false
            return count
        case .pause:
            isSourceAway = true
            // While the source has no bytes, the idle timeout doesn't run.
            exchange.expectNothing()
            return ccurl_read_pause
        case .failed(let error):
            failure = exchange.unreadable(error)
            return ccurl_read_abort
        }
    }

    /// True if part of an answer has arrived that libcurl hasn't read.
    ///
    /// A server may answer and close the connection before it has read the whole request. If libcurl sends more,
    /// sending fails, and libcurl forgets the answer. So it must read first.
    private var hasEarlyAnswer: Bool {
        // A shared connection has input for other transfers too. It's HTTP/2, which loses no answer.
        guard !hasHead, handle.laneHost != nil else { return false }
        return connection?.hasUnreadBytes ?? false
    }

    /// Records how many bytes of the body were sent.
    ///
    /// libcurl reads up to 256 KiB at once, and sends them at the pace of the connection.
    func noteSent(_ count: Int64) {
        if count == sentCount { return }
        sentCount = count
        exchange.request.context.noteSentBytes?(count)
        noteByte()
        if !isSourceAway { exchange.noteSign() }
    }

    /// Rewinds the body, to send it on another connection; returns false if that's impossible.
    ///
    /// ``maySend(to:from:)`` decides whether the request may be sent again.
    func rewind() -> Bool {
        guard hasReadBody, let upload else { return true }
        guard exchange.request.body.isReplayable else { return false }
        hasReadBody = false
        upload.rewind()
        return true
    }

    func noteConnecting() {
        isConnecting = true
        if hasConnection { return }
        hasConnection = true
        connectStart = .now
        exchange.stopWaiting()
    }

    /// Records that a socket was created, which is about to be connected.
    func noteConnecting(_ socket: Int32) {
        noteConnecting()
        loop.connects.add(socket, of: self)
        if let limit = loop.options.userTimeout {
            ccurl_set_user_timeout(socket, Int32(clamping: limit))
        }
    }

    /// Returns whether the request may be sent on the current connection.
    ///
    /// If a kept connection ends before any part of an answer, libcurl sends the request again by itself, whatever its
    /// method. That is right only if the request may be repeated (RFC 9112, section 9.3.1), or if the server has
    /// excluded it (RFC 9113, section 8.7). And libcurl would take bytes that nobody requested for the answer.
    ///
    /// - Parameters:
    ///   - address: The peer's address.
    ///   - localPort: Identifies the connection; zero for a Unix domain socket.
    func maySend(to address: UnsafePointer<CChar>?, from localPort: Int32) -> Bool {
        noteConnecting()
        isConnecting = false
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
        noteConnection(localPort)
        return true
    }

    private func noteConnection(_ localPort: Int32) {
        connection?.endTransfer()
        connection = pool?.connection(of: self, from: localPort)
        connection?.begin()
        if let connection { exchange.context.record?.use(connection.evidence) }
    }

    /// How long connecting took; zero if the transfer uses another one's connection.
    var connectTime: Duration {
        let all = ccurl_get_offset(handle.easy, ccurl_info_connect_time)
        let lookup = ccurl_get_offset(handle.easy, ccurl_info_name_lookup_time)
        return .microseconds(max(0, all - lookup))
    }

    private func maySendAgain() -> Bool {
        defer { handle.forgetRefusal() }
        guard !hasHead, exchange.request.isReplayable || handle.isRefused else { return false }
        // libcurl has usually rewound the body, but not after a change to HTTP/1.1.
        return rewind()
    }

    private func hasUnsolicitedBytes(_ localPort: Int32) -> Bool {
        guard spoiltConnections < 100, ccurl_get_long(handle.easy, ccurl_info_new_connections) == 0
        else { return false }
        return loop.kept.hasUnsolicitedBytes(localPort)
    }
}

extension ConnectionMetrics {
    /// Reads libcurl's report, once the answer's first byte has arrived.
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

    /// The time of an event from libcurl's microseconds; nil for zero, because the event hasn't happened.
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
