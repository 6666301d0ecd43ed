import PledgeHTTPMessages

#if canImport(FoundationNetworking)
import Foundation
import FoundationNetworking
#else
import Foundation
#endif

/// What URLSession reports for one request and its response.
struct TransactionTimes: Sendable {
    /// False if the response came from a cache.
    var isFromNetwork = true
    /// The version of HTTP by its TLS name, such as "h2".
    var protocolName: String?
    var isReusedConnection = false
    var remoteAddress: String?
    var remotePort: String?
    var domainLookupEnd: Date?
    /// When the connection was ready, including TLS.
    var connectEnd: Date?
    var secureConnectionStart: Date?
    var secureConnectionEnd: Date?
    var responseStart: Date?
}

extension ConnectionMetrics {
    /// The metrics of the last exchange over the network; nil if there was none.
    ///
    /// - Parameters:
    ///   - transactions: All exchanges of a task.
    ///   - start: When the task began.
    init?(_ transactions: [TransactionTimes], since start: Date) {
        guard let last = transactions.last(where: \.isFromNetwork) else { return nil }
        self.init()
        protocolVersion = last.protocolName.flatMap { Self.versions[$0.lowercased()] }
        isReused = last.isReusedConnection
        remoteAddress = Self.place(last.remoteAddress, last.remotePort)
        untilFirstByte = Self.mark(last.responseStart, since: start)
        if last.isReusedConnection { return }
        untilNameLookup = Self.mark(last.domainLookupEnd, since: start)
        untilConnected = Self.mark(last.secureConnectionStart ?? last.connectEnd, since: start)
        untilSecure = Self.mark(last.secureConnectionEnd, since: start)
    }

    private static let versions = [
        "http/1.0": "HTTP/1.0", "http/1.1": "HTTP/1.1", "h2": "HTTP/2", "h3": "HTTP/3",
    ]

    private static func place(_ address: String?, _ port: String?) -> String? {
        guard let address, let port, !address.isEmpty else { return nil }
        let host = address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address
        return "\(host):\(port)"
    }

    /// The time until a date; nil unless it's between 0 and 30 days, because the system's clock may have been set
    /// meanwhile.
    private static func mark(_ date: Date?, since start: Date) -> Duration? {
        guard let seconds = date?.timeIntervalSince(start), (0...2_592_000).contains(seconds)
        else { return nil }
        return .seconds(seconds)
    }
}

#if !canImport(FoundationNetworking)
extension TransactionTimes {
    init(_ metrics: URLSessionTaskTransactionMetrics) {
        self.init(
            isFromNetwork: metrics.resourceFetchType == .networkLoad,
            protocolName: metrics.networkProtocolName,
            isReusedConnection: metrics.isReusedConnection,
            remoteAddress: metrics.remoteAddress,
            remotePort: metrics.remotePort.map { "\($0)" },
            domainLookupEnd: metrics.domainLookupEndDate, connectEnd: metrics.connectEndDate,
            secureConnectionStart: metrics.secureConnectionStartDate,
            secureConnectionEnd: metrics.secureConnectionEndDate,
            responseStart: metrics.responseStartDate)
    }
}
#endif
