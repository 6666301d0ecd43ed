import CCurl
import Futures
import HTTPNetworking

/// A call while libcurl performs it; only the I/O thread uses it.
final class Transfer {
    let call: CurlCall
    let handle: EasyHandle
    private unowned let loop: CurlLoop
    private var reader: HeadReader
    /// The head of the response, and its body if it is collected.
    private var response: HTTPResponse?
    private var body = Data()
    /// The length of the body that the head announces; nil if it announces none.
    private var announced: Int64?
    /// How many bytes of the body have arrived.
    private var received: Int64 = 0
    /// Bytes of a streamed body that have arrived and have not been delivered.
    private(set) var unread = Data()
    /// The pipe of a streamed body, once it has begun.
    private(set) var pipe: HTTPBodyPipe?
    /// The body to send, if it is not passed to libcurl in one piece.
    var upload: UploadBuffer?
    /// Whether no more is received until the reader of the body has read.
    var isFull = false
    /// Whether libcurl keeps bytes back until it is resumed.
    private var isPaused = false
    private(set) var hasConnection = false
    /// Whether the transfer has been added to libcurl.
    var isAdded = false
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

    init(_ call: CurlCall, _ handle: EasyHandle, _ loop: CurlLoop) {
        self.call = call
        self.handle = handle
        self.loop = loop
        reader = HeadReader(limit: loop.options.maxHeadSize)
        handle.join(self)
    }

    /// Opens the body to send.
    func openUpload() {
        let upload = UploadBuffer(call) { [call, engine] in engine.submit(.send(call)) }
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

    /// The whole response; nil if there is none, or if it was streamed.
    func takeWhole() -> HTTPResponse? {
        guard !call.isStreamed, var whole = response else { return nil }
        response = nil
        whole.body = body
        whole.timing.total = call.elapsed
        return whole
    }

    /// An error with the part of the response that has arrived.
    func keepingPart(_ error: any Error) -> any Error {
        guard var error = error as? HTTPError, var part = response else { return error }
        // An error does not keep what was too large to be kept.
        part.body = error.code == .bodyTooLarge ? Data() : body
        part.timing.total = call.elapsed
        error.response = part
        return error
    }

    func takeUnread() -> Data {
        defer { unread = Data() }
        return unread
    }

    /// The result of the transfer, as the caller gets it.
    func result(_ code: Int32) -> Result<Void, any Error> {
        if let failure { return .failure(failure) }
        // A whole answer stands, even if the server then resets the stream, or takes no more of the request.
        if response != nil, code == ccurl_ok.rawValue || received == announced {
            return .success(())
        }
        return .failure(HTTPError(CurlError(code, handle), of: call, response, loop.options))
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
        guard failure == nil, response == nil, upload == nil, call.request.isReplayable,
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
            failure = call.failure(.badResponse, reason: reason)
        case .tooLarge:
            let limit = loop.options.maxHeadSize
            failure = call.failure(.badResponse, reason: "its head has more than \(limit) bytes")
        }
        return false
    }

    private func take(head status: Int, _ headers: HTTPHeaders) {
        var timing = HTTPTiming(untilHeaders: call.elapsed)
        timing.connection = HTTPConnectionReport(of: handle.easy)
        let head = HTTPResponse(
            status: status, headers: headers, url: call.request.url, timing: timing,
            request: call.request)
        response = head
        call.noteSign()
        let method = call.request.method
        if head.hasInvalidLength(for: method) {
            failure = call.failure(.badResponse, reason: HTTPError.invalidLength)
            return
        }
        let length = head.announcedLength(for: method)
        announced = headers["Transfer-Encoding"] == nil ? length : nil
        if call.isStreamed { return open(head, length) }
        guard length ?? 0 <= loop.options.maxBodySize else { return refuse() }
        body.reserveCapacity(Int(min(length ?? 0, 1 << 20)))
    }

    private func open(_ head: HTTPResponse, _ length: Int64?) {
        let delivery = loop.engine.delivery
        let (pipe, body) = HTTPBodyPipe.make(
            length: length, capacity: loop.options.maxUnreadBytes,
            handing: { delivery.deliver($0) })
        self.pipe = pipe
        pipe.onCancel { [call] in call.end(with: CancellationError()) }
        let streamed = HTTPStreamedResponse(head, body: body)
        loop.results.append(ResultDelivery.Job { [call] in call.resolve(with: streamed) })
    }

    private func refuse() {
        failure = call.failure(
            .bodyTooLarge, reason: HTTPError.tooLarge(loop.options.maxBodySize))
    }

    /// Receives bytes of the body.
    ///
    /// - Returns: How many were taken, or another instruction to libcurl.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        if response == nil { return 0 }
        if !isReceiving {
            isReceiving = true
            loop.receivers.append(self)
        }
        if call.isStreamed {
            // One turn may fill a hundred buffers.
            isPaused = isFull || unread.count >= loop.options.maxUnreadBytes
            if isPaused { return ccurl_write_pause }
            unread.append(contentsOf: bytes)
            received += Int64(bytes.count)
            return bytes.count
        }
        guard bytes.count <= loop.options.maxBodySize - body.count else {
            refuse()
            return 0
        }
        body.append(contentsOf: bytes)
        received += Int64(bytes.count)
        return bytes.count
    }

    /// Notes that the received bytes have been delivered.
    func endReceiving() {
        isReceiving = false
        if !isFull { goOnReceiving() }
    }

    /// Notes that there is room for more.
    func goOnReceiving() {
        isFull = false
        call.noteSign()
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
            call.noteSign()
            hasReadBody = true
            return count
        case .pause:
            // The idle timeout does not count while the source has no bytes.
            call.expectNothing()
            return ccurl_read_pause
        case .failed(let error):
            failure = call.unreadable(error)
            return ccurl_read_abort
        }
    }

    /// Rewinds the body, to send it on another connection; returns false if it cannot be sent again.
    ///
    /// Whether the request may be sent again, ``maySend(from:)`` says.
    func rewind() -> Bool {
        guard hasReadBody, let upload else { return true }
        guard call.request.body.isReplayable else { return false }
        hasReadBody = false
        upload.rewind()
        return true
    }

    /// Notes that a connection is being made.
    func noteConnecting() {
        if hasConnection { return }
        hasConnection = true
        call.stopWaiting()
    }

    /// Whether the request may be sent on the present connection.
    ///
    /// If a kept connection ends before any part of an answer has arrived, libcurl sends the request again by
    /// itself, whatever the method. That is correct only if the request may be repeated (RFC 9112, section
    /// 9.3.1), or the server has excluded it (RFC 9113, section 8.7). And if unrequested bytes have arrived on
    /// a connection, libcurl would return them as the answer.
    ///
    /// - Parameter localPort: The port that identifies the connection; zero for a Unix domain socket.
    func maySend(from localPort: Int32) -> Bool {
        noteConnecting()
        if isSpoilt(localPort) {
            spoiltConnections += 1
            isToBeRepeated = true
            return false
        }
        sends += 1
        if sends > 1, !maySendAgain() {
            failure = call.failure(.connectionLost, reason: "a kept connection had ended")
            return false
        }
        reader = HeadReader(limit: loop.options.maxHeadSize)
        return true
    }

    private func maySendAgain() -> Bool {
        defer { handle.forgetRefusal() }
        guard response == nil, call.request.isReplayable || handle.isRefused else { return false }
        // libcurl does it itself, unless it changes to HTTP/1.1.
        return rewind()
    }

    private func isSpoilt(_ localPort: Int32) -> Bool {
        guard spoiltConnections < 100, ccurl_get_long(handle.easy, ccurl_info_new_connections) == 0
        else { return false }
        return loop.kept.isSpoilt(localPort)
    }
}
