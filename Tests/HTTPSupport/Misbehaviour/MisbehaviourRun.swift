import PledgeFutures
import PledgeHTTPMessages
package import PledgeHTTPTransportKit
import TestSupport

/// Calls of a transport to a server that misbehaves.
package struct MisbehaviourRun {
    /// The calls that ended wrongly: without an `HTTPError`, or too late.
    package private(set) var strange: [String] = []

    /// Makes calls, some at a time, and waits for the end of each.
    ///
    /// - Parameters:
    ///   - count: The number of calls.
    ///   - width: The number of calls at a time.
    package init(
        of misbehaviour: Misbehaviour, _ count: Int, atOnce width: Int = 8,
        by send: @escaping HTTPService
    ) async throws {
        let server = try misbehaviour.server()
        defer { server.stop() }
        for start in stride(from: 0, to: count, by: width) {
            let calls = (start..<min(start + width, count)).map { number in
                send(HTTPRequest(.get, server.url("/\(number)")))
            }
            for call in calls {
                switch await call.resultSoon {
                case .success: continue
                case .failure(is HTTPError): continue
                case .failure(let error): strange.append("\(misbehaviour): \(error)")
                }
            }
        }
    }

    /// Makes calls to a server of each kind, and returns the calls that ended wrongly.
    package static func ofAll(
        _ count: Int, by send: @escaping HTTPService
    ) async throws -> [String] {
        var strange: [String] = []
        for misbehaviour in Misbehaviour.all {
            strange += try await MisbehaviourRun(of: misbehaviour, count, by: send).strange
        }
        return strange
    }
}
