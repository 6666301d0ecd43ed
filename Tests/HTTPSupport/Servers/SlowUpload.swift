import Dispatch
import Foundation
package import PledgeFutures
package import PledgeHTTPMessages
package import PledgeServices
import TestSupport
import Testing

/// A PUT of bytes in memory to a server that takes them in steps of eight seconds, and never answers.
///
/// The seconds are those of a manual clock. Each step is larger than what the sockets hold.
package final class SlowUpload: Sendable {
    private static let steps = 5
    private static let stepSize = 16 << 20

    package let scheduler = ManualScheduler()
    private let record = CallRecord()
    private let turn: DispatchSemaphore
    private let hasHead = Promise<Void>()
    private let hasAll = Promise<Void>()
    private let server: SocketServer

    package init() throws {
        let turn = DispatchSemaphore(value: 0)
        self.turn = turn
        server = try SocketServer { [hasHead, hasAll] connection in
            guard connection.head() != nil else { return }
            hasHead.resolve()
            for _ in 0..<Self.steps {
                turn.wait()
                guard connection.bytes(Self.stepSize) != nil else { return }
            }
            hasAll.resolve()
            connection.awaitEnd()
        }
    }

    /// Expects that a client whose attempts have 10 seconds, and whose calls have 15, counts only the time after the
    /// server has all bytes.
    ///
    /// - Parameter send: The client's function; it doesn't repeat requests.
    package func expectLimitsToBeginAfterwards(
        _ send: Service<HTTPRequest, HTTPResponse>
    ) async throws {
        let call = start(send)
        #expect(try await letServerTakeAll(from: call))
        scheduler.advance(by: .seconds(9))
        #expect(!call.isSettled)
        scheduler.advance(by: .seconds(1))
        let error = await #expect(throws: ServiceError.self) { try await call.soon }
        #expect(error?.code == .timedOut)
    }

    private func start(_ send: Service<HTTPRequest, HTTPResponse>) -> Future<HTTPResponse> {
        let body = HTTPRequest.Body.data(Data(count: Self.steps * Self.stepSize))
        return CallContext().with(record: record).run {
            send(HTTPRequest(.put, server.url(), body: body))
        }
    }

    /// Lets the server take the whole body, while the clock advances by 40 seconds.
    ///
    /// - Returns: False if the call has ended before.
    private func letServerTakeAll(from call: Future<HTTPResponse>) async throws -> Bool {
        try await hasHead.soon
        for step in 1...Self.steps {
            scheduler.advance(by: .seconds(8))
            turn.signal()
            let isNoted = { self.record.time(of: .upload) >= .seconds(8 * step) }
            guard await comesTrue({ call.isSettled || isNoted() }), !call.isSettled else {
                return false
            }
        }
        try await hasAll.soon
        return true
    }

    package func stop() {
        for _ in 0..<Self.steps { turn.signal() }
        server.stop()
    }
}
