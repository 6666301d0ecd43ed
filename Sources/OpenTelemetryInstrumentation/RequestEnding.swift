#if Observability
import PledgeHTTPNetworking
import PledgeServices
import Tracing

/// How a request that was sent ended.
struct RequestEnding {
    let status: Int?
    let connection: ConnectionMetrics?
    let error: (any Error)?

    /// Whether the span's status is an error; giving a request up is not an error.
    var isFailure: Bool { errorType != nil && !(error is CancellationError) }

    /// The dimensions of a metric.
    var dimensions: [(String, String)] {
        [
            status.map { ("http.response.status_code", "\($0)") },
            errorType.map { ("error.type", $0) },
            protocolVersion.map { ("network.protocol.version", $0) },
        ].compactMap { $0 }
    }

    /// Adds the attributes of a span.
    func add(to attributes: inout SpanAttributes) {
        if let status { attributes["http.response.status_code"] = status }
        if let errorType { attributes["error.type"] = errorType }
        if let protocolVersion { attributes["network.protocol.version"] = protocolVersion }
        guard let peer = connection?.remoteAddress,
            let colon = peer.lastIndex(of: ":"), let port = Int(peer[colon...].dropFirst())
        else { return }
        attributes["network.peer.address"] = peer[..<colon].withoutBrackets
        attributes["network.peer.port"] = port
    }

    /// The error's code, or its type without its module, as in log lines; the status, if the status is the
    /// error.
    private var errorType: String? {
        if let error {
            return (error as? any CodedError)?.loggedCode ?? "\(type(of: error))"
        }
        return status.flatMap { $0 >= 400 ? "\($0)" : nil }
    }

    /// "1.1" of "HTTP/1.1".
    private var protocolVersion: String? {
        guard let version = connection?.protocolVersion, version.hasPrefix("HTTP/") else {
            return nil
        }
        return String(version.dropFirst("HTTP/".count))
    }
}
#endif
