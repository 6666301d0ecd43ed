import CPledgeCurl

/// The connections that are kept for the next call, by their local ports.
///
/// libcurl gives the first bytes on a kept connection to the next call as its answer, even if they arrived
/// before that call. It reports a transfer's descriptor only after the transfer has ended, but its local port
/// before the transfer begins.
struct KeptConnections {
    /// All Unix domain sockets have the port zero.
    private var sockets: [Int32: [Int32]] = [:]

    /// Notes the connection on which a transfer has ended.
    mutating func note(_ easy: OpaquePointer) {
        // With other versions calls share a connection, and bytes may arrive unrequested.
        guard ccurl_get_long(easy, ccurl_info_http_version) <= 2 else { return }
        let socket = ccurl_socket(easy)
        guard socket >= 0 else { return }
        let port = Int32(truncatingIfNeeded: ccurl_get_long(easy, ccurl_info_local_port))
        if sockets.count >= 4_096 { forgetClosed() }
        if sockets[port]?.contains(socket) == true { return }
        sockets[port, default: []].append(socket)
    }

    /// Whether bytes have arrived on a connection that is about to be used again.
    ///
    /// - Parameter port: The connection's local port. For Unix domain sockets, bytes on any of them count,
    ///   since it is not known which one is used.
    mutating func hasUnsolicitedBytes(_ port: Int32) -> Bool {
        guard let candidates = sockets.removeValue(forKey: port) else { return false }
        if port == 0 { sockets[0] = candidates.filter { ccurl_has_local_port($0, 0) } }
        // Usually nothing has arrived. If something has, the socket may have been closed since, and its number be
        // that of another one.
        return candidates.contains { ccurl_has_input($0) && ccurl_has_local_port($0, port) }
    }

    private mutating func forgetClosed() {
        sockets = sockets.filter { port, sockets in
            sockets.contains { ccurl_has_local_port($0, port) }
        }
    }
}
