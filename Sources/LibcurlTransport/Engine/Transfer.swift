import CCurl
import Futures
import HTTPNetworking

/// A call while libcurl makes it, which the I/O thread alone touches.
final class Transfer {
    let call: CurlCall
    let handle: EasyHandle
    private unowned let loop: CurlLoop
    private var reader: HeadReader
    /// The head of the response, and its body where that is gathered.
    private var response: HTTPResponse?
    private var body = Data()
    /// What has come of a streamed body and is not handed out yet.
    private(set) var unread = Data()
    /// Where a streamed body is handed out, once it has begun.
    private(set) var pipe: HTTPBodyPipe?
    /// The body to be sent, where it is not handed over in one piece.
    var upload: UploadBuffer?
    /// Whether no more is taken until the reader of the body has read.
    var isFull = false
    /// Whether libcurl keeps bytes back until it is told to go on.
    private var isPaused = false
    private(set) var hasConnection = false
    /// Whether libcurl has it.
    var isAdded = false
    private var isReceiving = false
    /// Why the transfer was stopped from within.
    private var failure: (any Error)?
    /// How often the request went out, or was about to.
    private var sends = 0
    /// How many connections in a row had something on them that nobody had asked for.
    private var spoiltConnections = 0
    /// Whether it was stopped before the request went out, to be made by another connection.
    private(set) var isToBeRepeated = false

    private var engine: CurlEngine { loop.engine }

    init(_ call: CurlCall, _ handle: EasyHandle, _ loop: CurlLoop) {
        self.call = call
        self.handle = handle
        self.loop = loop
        reader = HeadReader(limit: loop.options.maxHeadSize)
        handle.join(self)
    }

    /// Opens the body to be sent.
    func openUpload() {
        let upload = UploadBuffer(call) { [call, engine] in engine.submit(.send(call)) }
        self.upload = upload
        upload.open()
    }

    /// The transfer that is libcurl's context.
    static func at(_ context: UnsafeMutableRawPointer) -> Transfer {
        Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    }

    /// Begins anew, since nothing was sent.
    func restart() {
        isToBeRepeated = false
        sends = 0
    }

    /// The whole response; nil where there is none, or it was streamed.
    func takeWhole() -> HTTPResponse? {
        guard !call.isStreamed, var whole = response else { return nil }
        response = nil
        whole.body = body
        whole.timing.total = call.elapsed
        return whole
    }

    func takeUnread() -> Data {
        defer { unread = Data() }
        return unread
    }

    /// How it ended, in the caller's terms.
    func result(_ code: Int32) -> Result<Void, any Error> {
        if let failure { return .failure(failure) }
        if code == ccurl_ok.rawValue, response != nil {
            return .success(())
        }
        return .failure(HTTPError(CurlError(code, handle), of: call, response, loop.options))
    }
}

// What libcurl calls while it goes on.
extension Transfer {
    /// Takes a line of a head; false stops the transfer.
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
        let isBodyless = call.request.method == .head || status == 204 || status == 304
        let length = isBodyless ? 0 : headers["Content-Length"].flatMap { Int($0) }
        if call.isStreamed { return open(head, length) }
        guard length ?? 0 <= loop.options.maxBodySize else { return refuse(head) }
        body.reserveCapacity(min(length ?? 0, 1 << 20))
    }

    private func open(_ head: HTTPResponse, _ length: Int?) {
        let delivery = loop.engine.delivery
        let (pipe, body) = HTTPBodyPipe.make(
            length: length, capacity: loop.options.maxUnreadBytes,
            handing: { delivery.deliver($0) })
        self.pipe = pipe
        pipe.onCancel { [call] in call.end(with: CancellationError()) }
        let streamed = HTTPStreamedResponse(head, body: body)
        loop.results.append(ResultDelivery.Job { [call] in call.resolve(with: streamed) })
    }

    private func refuse(_ head: HTTPResponse) {
        let limit = loop.options.maxBodySize
        failure = call.failure(
            .bodyTooLarge, reason: "its body has more than \(limit) bytes", response: head)
    }

    /// Takes bytes of the body: how many, or what else libcurl is to do.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let response else { return 0 }
        if !isReceiving {
            isReceiving = true
            loop.receivers.append(self)
        }
        if call.isStreamed {
            // One turn may bring a hundred buffers full.
            isPaused = isFull || unread.count >= loop.options.maxUnreadBytes
            if isPaused { return ccurl_write_pause }
            unread.append(contentsOf: bytes)
            return bytes.count
        }
        guard bytes.count <= loop.options.maxBodySize - body.count else {
            refuse(response)
            return 0
        }
        body.append(contentsOf: bytes)
        return bytes.count
    }

    /// Notes that what came is handed out.
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

    /// Gives bytes of the body to be sent: how many, or what else libcurl is to do.
    func giveBody(to room: UnsafeMutableRawBufferPointer) -> Int {
        switch upload?.give(to: room) ?? .bytes(0) {
        case .bytes(let count):
            call.noteSign()
            return count
        case .pause:
            // The source may take its time; the server may not.
            call.expectNothing()
            return ccurl_read_pause
        case .failed(let error):
            failure = call.unreadable(error)
            return ccurl_read_abort
        }
    }

    /// Goes back to the beginning of the body, to send it by another connection; false where it cannot.
    func rewind() -> Bool {
        guard call.request.isReplayable, let upload else { return false }
        upload.rewind()
        return true
    }

    /// Notes that a connection is being made.
    func noteConnecting() {
        if hasConnection { return }
        hasConnection = true
        call.stopWaiting()
    }

    /// Whether the request may go out by the connection that there is now.
    ///
    /// libcurl sends a request again by itself, where a connection that was kept ends before anything of an
    /// answer has come: whatever the method. That is right only where the request may be repeated (RFC
    /// 9112, section 9.3.1). And a connection on which something has come unasked would give that as the
    /// answer.
    ///
    /// - Parameter localPort: By which the connection is known; zero for a Unix domain socket.
    func maySend(from localPort: Int32) -> Bool {
        noteConnecting()
        if isSpoilt(localPort) {
            spoiltConnections += 1
            isToBeRepeated = true
            return false
        }
        sends += 1
        if sends > 1, !call.request.isReplayable {
            failure = call.failure(.connectionLost, reason: "a kept connection had ended")
            return false
        }
        reader = HeadReader(limit: loop.options.maxHeadSize)
        return true
    }

    private func isSpoilt(_ localPort: Int32) -> Bool {
        guard spoiltConnections < 100, ccurl_get_long(handle.easy, ccurl_info_new_connections) == 0
        else { return false }
        return loop.kept.isSpoilt(localPort)
    }
}
