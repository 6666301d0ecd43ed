import PledgeHTTPMessages
import Testing

struct ConnectionMetricsTests {
    @Test func theMetricsOfAConnectionAreALine() {
        var report = ConnectionMetrics()
        #expect(report.description == "")
        report.protocolVersion = "HTTP/2"
        #expect(report.description == "HTTP/2")
        report.remoteAddress = "[::1]:443"
        report.isReused = false
        report.untilNameLookup = .microseconds(40)
        report.untilConnected = .microseconds(1_250)
        report.untilSecure = .milliseconds(12)
        report.untilFirstByte = .seconds(2)
        #expect(
            report.description
                == "HTTP/2 [::1]:443, new, name 0.0, connected 1.3, TLS 12.0, first byte 2000.0 ms"
        )
        report.isReused = true
        #expect(report.description.hasPrefix("HTTP/2 [::1]:443, reused, "))
    }
}
