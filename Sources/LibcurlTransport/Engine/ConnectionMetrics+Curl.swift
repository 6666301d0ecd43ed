import CPledgeCurl
import PledgeHTTPNetworking

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
