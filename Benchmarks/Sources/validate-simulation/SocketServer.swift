import CLoopback
import Foundation
import PledgeServices

/// A server on the loopback interface that sleeps for each request.
struct SocketServer: @unchecked Sendable {
    private let server: OpaquePointer

    /// The server's URL.
    let base: URL

    /// Starts the server, which runs until the process ends.
    ///
    /// - Parameter times: The times for which successive calls keep a worker busy, in seconds.
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

    /// The number of requests that have arrived.
    var received: Int { Int(queueing_loopback_received(server)) }
}
