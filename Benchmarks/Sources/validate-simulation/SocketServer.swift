import CLoopback
import Foundation
import PledgeServices

/// A server on the loopback interface that sleeps for each request.
struct SocketServer: @unchecked Sendable {
    private let server: OpaquePointer

    /// Where it is.
    let base: URL

    /// Starts it; it runs until the process ends.
    ///
    /// - Parameter times: How long its workers take, in seconds, one after the other.
    init(workers: Int, queueLimit: Int, times: [Double]) {
        let numbers = UnsafeMutableBufferPointer<Int64>.allocate(capacity: times.count)
        _ = numbers.initialize(from: times.map { Int64(($0 * 1e9).rounded()) })
        guard
            let server = queueing_loopback_start(
                Int32(workers), queueLimit, numbers.baseAddress, numbers.count)
        else { fatalError("the server for \(workers) workers does not start") }
        self.server = server
        base = URL(string: "http://127.0.0.1:\(queueing_loopback_port(server))")!
    }

    /// How many requests have come.
    var received: Int { Int(queueing_loopback_received(server)) }
}
