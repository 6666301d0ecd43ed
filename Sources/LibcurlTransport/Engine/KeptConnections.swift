import CCurl

/// The connections that are kept for the next call, by their local ports.
///
/// libcurl gives the first bytes by a kept connection to the next call as its answer, even where they came
/// before that call. It tells a transfer its descriptor only once it has ended, and its local port before it
/// begins.
struct KeptConnections {
    /// All Unix domain sockets have the port zero.
    private var sockets: [Int32: Set<Int32>] = [:]

    /// Notes by what connection a transfer has ended.
    mutating func note(_ easy: OpaquePointer) {
        // By other versions calls share a connection, and something may come unasked.
        guard ccurl_get_long(easy, ccurl_info_http_version) <= 2 else { return }
        let socket = ccurl_socket(easy)
        guard socket >= 0 else { return }
        let port = Int32(truncatingIfNeeded: ccurl_get_long(easy, ccurl_info_local_port))
        if sockets.count >= 4_096 { forgetClosed() }
        sockets[port, default: []].insert(socket)
    }

    /// Whether something has come by a connection that is about to be used again.
    ///
    /// - Parameter port: Its local port. Of Unix domain sockets, any counts: that which is used is not known.
    mutating func isSpoilt(_ port: Int32) -> Bool {
        guard let candidates = sockets.removeValue(forKey: port) else { return false }
        let open = candidates.filter { ccurl_has_local_port($0, port) }
        if port == 0, !open.isEmpty { sockets[0] = open }
        return open.contains { ccurl_has_input($0) }
    }

    private mutating func forgetClosed() {
        sockets = sockets.filter { port, sockets in
            sockets.contains { ccurl_has_local_port($0, port) }
        }
    }
}
