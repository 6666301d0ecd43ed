import CPledgeCurl
import PledgeFutures
import PledgeHTTPMessages
import PledgeHTTPText

/// One of libcurl's easy handles, which makes one transfer after the other.
///
/// One thread at a time uses it, which is all that libcurl requires: the caller's, then the I/O thread, then the one
/// that delivers the result.
final class EasyHandle: @unchecked Sendable {
    let easy: OpaquePointer
    private let connectTimeout: Duration
    private let words = UnsafeMutablePointer<CChar>.allocate(capacity: 256)
    /// Where libcurl reports whether the server has excluded the request.
    private let refusal = UnsafeMutablePointer<ccurl_refusal>.allocate(capacity: 1)
    private var watchesRefusals = false
    /// The error code that libcurl returned for the first option that it rejected.
    private(set) var refusedOption: Int32?
    private var headers: OpaquePointer?
    private var addresses: OpaquePointer?
    /// True if the request's body is read while it is sent.
    private(set) var readsBody = false
    /// True to use HTTP/1.1 even if the server supports HTTP/2.
    private(set) var keepsToHTTP1 = false
    /// True if the transfer may share a connection, and so waits for another one's handshake.
    private(set) var mayShare = false
    /// True if the next transfer has less time to connect than usual.
    private var hasOwnConnectLimit = false

    /// The scheme, host and port whose connections are limited; nil if the transfer may share a connection.
    var laneHost: String?

    /// Returns nil if there is no memory.
    init?(_ options: CurlOptions) {
        guard let easy = ccurl_easy_make() else { return nil }
        self.easy = easy
        connectTimeout = options.connectTimeout
        words.pointee = 0
        refusal.pointee = ccurl_refusal()
        ccurl_set_error_buffer(easy, words)
        var functions = Self.functions
        ccurl_set_functions(easy, &functions)
        guard (try? options.configure(easy)) != nil else { return nil }
    }

    deinit {
        ccurl_easy_free(easy)
        ccurl_list_free(headers)
        ccurl_list_free(addresses)
        words.deallocate()
        refusal.deallocate()
    }

    /// libcurl's message about a failure; empty if there is none.
    var errorText: String { String(cString: words) }

    /// True if the server has excluded the request, and so hasn't processed it.
    var isRefused: Bool { refusal.pointee.is_refused }

    /// Call it before the request is sent again.
    func forgetRefusal() { refusal.pointee = ccurl_refusal() }

    func resume() { _ = ccurl_pause(easy, 0) }

    /// Frees the last transfer's data.
    func forget() {
        _ = ccurl_set_list(easy, ccurl_http_header, nil)
        ccurl_list_free(headers)
        headers = nil
        _ = ccurl_copy_post_fields(easy, nil)
        if hasOwnConnectLimit {
            hasOwnConnectLimit = false
            set(ccurl_connect_timeout_ms, connectTimeout.wholeMilliseconds)
        }
        if addresses != nil {
            _ = ccurl_set_list(easy, ccurl_resolve, nil)
            ccurl_list_free(addresses)
            addresses = nil
        }
    }

    /// Prepares the handle for a request; sets ``refusedOption`` if libcurl rejects a part of it.
    ///
    /// - Parameter isStreamed: True if the response is streamed.
    func prepare(_ request: HTTPRequest, isStreamed: Bool, _ options: CurlOptions) {
        words.pointee = 0
        forgetRefusal()
        set(ccurl_url, Self.url(of: request))
        let isAlone = options.needsOwnConnection(request)
        keepToHTTP1(options.keepsToHTTP1(request, isStreamed: isStreamed), options)
        let mayUseHTTP2 = !keepsToHTTP1 && options.mayUseHTTP2(request)
        mayShare = mayUseHTTP2 && !isAlone
        laneHost = mayShare ? nil : AbsoluteURL.schemeAndAuthority(of: request.url)
        set(ccurl_pipe_wait, mayShare ? 1 : 0)
        set(ccurl_fresh_connect, isAlone ? 1 : 0)
        set(ccurl_forbid_reuse, isAlone ? 1 : 0)
        // Refusals matter only if libcurl might repeat a request that must not be sent twice.
        watchRefusals(mayUseHTTP2 && !request.isReplayable)
        setBody(of: request)
        setHeaders(of: request)
        if let addresses = options.addresses(for: request) { setAddresses(addresses) }
    }

    private func set(_ option: ccurl_long_option, _ value: Int) {
        check(ccurl_set_long(easy, option, value))
    }

    private func set(_ option: ccurl_offset_option, _ value: Int64) {
        check(ccurl_set_offset(easy, option, value))
    }

    private func set(_ option: ccurl_text_option, _ value: String?) {
        check(ccurl_set_text(easy, option, value))
    }

    private func check(_ code: Int32) {
        if code != ccurl_ok.rawValue, refusedOption == nil { refusedOption = code }
    }

    /// Records an error if there was no memory for a list.
    private func check(_ list: OpaquePointer?) {
        check(list == nil ? Int32(ccurl_out_of_memory.rawValue) : 0)
    }

    private func watchRefusals(_ watches: Bool) {
        if watches == watchesRefusals { return }
        watchesRefusals = watches
        ccurl_watch_refusals(easy, watches ? refusal : nil)
    }

    func keepToHTTP1(_ keepsToHTTP1: Bool, _ options: CurlOptions) {
        self.keepsToHTTP1 = keepsToHTTP1
        // Hardly possible, because the versions were tried when the transport was created.
        guard (try? options.setVersions(easy, keepingToHTTP1: keepsToHTTP1)) != nil else {
            return check(Int32(ccurl_not_built_in.rawValue))
        }
    }

    /// Lets the transfer open a connection while another one is being made.
    func waitNoLonger() {
        mayShare = false
        set(ccurl_pipe_wait, 0)
    }

    func limitConnecting(to limit: Duration) {
        hasOwnConnectLimit = true
        set(ccurl_connect_timeout_ms, limit.wholeMilliseconds)
    }

    /// Changes libcurl's list of addresses when the transfer starts.
    ///
    /// - Parameter entry: "example.com:443:10.0.0.7" to set addresses, or "-example.com:443" to forget them.
    func setAddresses(_ entry: String) {
        _ = ccurl_set_list(easy, ccurl_resolve, nil)
        ccurl_list_free(addresses)
        addresses = ccurl_list_append(nil, entry)
        check(addresses)
        check(ccurl_set_list(easy, ccurl_resolve, addresses))
    }

    /// Sets the transfer that libcurl's callbacks get.
    func join(_ transfer: Transfer) {
        ccurl_set_context(easy, Unmanaged.passUnretained(transfer).toOpaque())
    }

    /// The URL without its fragment, and without the user and password, which libcurl would send.
    private static func url(of request: HTTPRequest) -> String {
        let text = request.url.absoluteString
        guard text.utf8.contains(where: { $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "@") }),
            let parts = AbsoluteURL(request.url)
        else { return text }
        let place = parts.schemeAndAuthority
        let start = place.utf8.firstIndex(of: UInt8(ascii: "/")).map {
            place.index($0, offsetBy: 2)
        }
        let user = place.utf8.lastIndex(of: UInt8(ascii: "@"))
        let authority =
            user.map { place[place.index(after: $0)...] } ?? place[(start ?? place.startIndex)...]
        let query = parts.query.map { "?" + $0 } ?? ""
        return place[..<(start ?? place.startIndex)] + authority + parts.path + query
    }

    private func setBody(of request: HTTPRequest) {
        readsBody = false
        let method = request.method
        var custom: String? = method.rawValue
        switch request.body.content {
        case _ where method == .head:
            set(ccurl_no_body, 1)
            custom = nil
        case .none where ![.post, .put, .patch].contains(method):
            set(ccurl_http_get, 1)
            if method == .get { custom = nil }
        case .none: setPost(Data())
        case .data(let data) where !request.body.isUpload: setPost(data)
        case .data, .file, .stream: setUpload(of: request)
        }
        set(ccurl_custom_request, custom)
        set(ccurl_no_progress, readsBody ? 0 : 1)
    }

    private func setPost(_ data: Data) {
        set(ccurl_no_body, 0)
        set(ccurl_post, 1)
        set(ccurl_post_length, Int64(data.count))
        if data.isEmpty {
            check(ccurl_copy_post_fields(easy, ""))
        } else {
            check(data.withUnsafeBytes { ccurl_copy_post_fields(easy, $0.baseAddress) })
        }
    }

    private func setUpload(of request: HTTPRequest) {
        readsBody = true
        set(ccurl_no_body, 0)
        set(ccurl_upload, 1)
        // Four times libcurl's default, because libcurl waits for the socket after each buffer.
        _ = ccurl_set_long(easy, ccurl_upload_buffer_size, 262_144)
        set(ccurl_upload_length, request.body.length ?? -1)
    }

    private func setHeaders(of request: HTTPRequest) {
        var list: OpaquePointer?
        func append(_ line: UnsafePointer<CChar>) {
            let longer = ccurl_list_append(list, line)
            check(longer)
            list = longer ?? list
        }
        var namesAccept = false
        var namesType = false
        let fields = request.effectiveHeaders
        for (index, (name, value)) in fields.enumerated() {
            if let bytes = fields.bytes(at: index) {
                let line = Array("\(name): ".utf8) + bytes + [0]
                append(line.map(CChar.init(bitPattern:)))
            } else {
                // To libcurl, "Name:" means not to send the field; "Name;" sends it empty.
                append(value.isEmpty ? name + ";" : name + ": " + value)
            }
            switch name.utf8.count {
            case 6 where name.lowercased() == "accept": namesAccept = true
            case 12 where name.lowercased() == "content-type": namesType = true
            default: break
            }
        }
        if !namesAccept { append("Accept:") }
        if !request.body.isEmpty || [.post, .put, .patch].contains(request.method) {
            append("Expect:")
            if !namesType { append("Content-Type:") }
        }
        headers = list
        check(ccurl_set_list(easy, ccurl_http_header, list))
    }
}

extension EasyHandle {
    private static var functions: ccurl_functions {
        ccurl_functions(
            header: { bytes, size, count, context in
                let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
                return Transfer.at(context).takeHeaderLine(line) ? line.count : 0
            },
            write: { bytes, size, count, context in
                let chunk = UnsafeRawBufferPointer(start: bytes, count: size * count)
                return Transfer.at(context).takeBody(chunk)
            },
            read: { bytes, size, count, context in
                let room = UnsafeMutableRawBufferPointer(start: bytes, count: size * count)
                return Transfer.at(context).giveBody(to: room)
            },
            seek: { context, offset, origin in
                let isDone = offset == 0 && origin == 0 && Transfer.at(context).rewind()
                return Int32(isDone ? ccurl_seek_done : ccurl_seek_failed)
            },
            progress: { context, _, _, _, sentCount in
                Transfer.at(context).noteSent(sentCount)
                return 0
            },
            connected: { context, address, _, _, localPort in
                let may = Transfer.at(context).maySend(to: address, from: localPort)
                return Int32(may ? ccurl_may_send : ccurl_must_not_send)
            },
            resolving: { _, _, context in
                Transfer.at(context).noteConnecting()
                return 0
            },
            connecting: { context, socket, _ in
                Transfer.at(context).noteConnecting(socket)
                return 0
            })
    }
}

/// A transport's handles, in use and spare.
///
/// Callers prepare the handles, so that the I/O thread does only what it alone can do.
final class HandlePool: Sendable {
    private struct State {
        var spare: [EasyHandle] = []
        var takenCount = 0
        var isClosed = false
        /// Called when no handle is in use any more.
        var lastReturn: (@Sendable () -> Void)?
    }

    private static let mostSpare = 64
    private let options: CurlOptions
    private let state = Locked(State())

    init(_ options: CurlOptions) { self.options = options }

    /// Prepares a handle for a request.
    ///
    /// - Throws: `HTTPError` if there is no memory, or if libcurl rejects a part of the request.
    func takeHandle(for request: HTTPRequest, isStreamed: Bool) throws(HTTPError) -> EasyHandle {
        let spare = state.withLock { $0.spare.popLast() }
        var noMemory: HTTPError {
            HTTPError(code: .other, request: request, reason: "there is no memory")
        }
        guard let handle = spare ?? EasyHandle(options) else { throw noMemory }
        handle.prepare(request, isStreamed: isStreamed, options)
        if let code = handle.refusedOption {
            if code == ccurl_out_of_memory.rawValue { throw noMemory }
            let words = String(cString: ccurl_words(code))
            throw HTTPError(
                code: .unsupported, request: request,
                reason: "libcurl does not take the request: \(words) (libcurl \(code))")
        }
        state.withLock { $0.takenCount += 1 }
        return handle
    }

    /// Takes a handle back after its result was delivered; it must not be in a multi handle.
    ///
    /// If handles can't be reused, this makes a new one, so that the next caller needn't wait for that.
    func giveBack(_ handle: EasyHandle) {
        if options.mayReuseHandles { handle.forget() }
        let next = options.mayReuseHandles ? handle : EasyHandle(options)
        let lastReturn: (@Sendable () -> Void)? = state.withLock { state in
            state.takenCount -= 1
            if let next, !state.isClosed, state.spare.count < Self.mostSpare {
                state.spare.append(next)
            }
            return state.takenCount == 0 ? state.lastReturn.take() : nil
        }
        lastReturn?()
    }

    /// Frees the spare handles, and calls `completion` when no handle is in use.
    func close(_ completion: @escaping @Sendable () -> Void) {
        let isDone = state.withLock { state in
            state.spare = []
            state.isClosed = true
            if state.takenCount > 0 { state.lastReturn = completion }
            return state.takenCount == 0
        }
        if isDone { completion() }
    }
}
