#if os(Linux)
import Foundation
import PledgeFutures
import PledgeHTTPMessages
import PledgeServices
import TestSupport

extension NginxSite {
    /// What came of many calls, as their caller and the server count them.
    package struct Tally: Sendable {
        /// GETs that failed.
        package var lostGETs = 0
        /// POSTs that failed because their connection was lost.
        package var lostPOSTs = 0
        /// Of those, the ones that the server never answered.
        package var lostUnansweredPOSTs = 0
        /// POSTs that failed otherwise.
        package var failedPOSTs = 0
        /// POSTs that the server carried out more than once.
        package var carriedOutTwice = 0
        /// POSTs that succeeded, and that the server did not carry out.
        package var imagined = 0
    }

    private struct Progress {
        var next = 0
        var failures: [Int: any Error] = [:]
    }

    /// Makes GETs and POSTs in turn, 32 at a time, through the retry of a client, while the server is reloaded.
    ///
    /// - Parameters:
    ///   - count: How many GETs, and how many POSTs.
    ///   - listener: The server.
    ///   - reloads: How often it is reloaded meanwhile.
    ///   - client: The transport, which is closed at the end.
    package func tally(
        of count: Int, to listener: Listener, reloads: Int, over client: HTTP2Client
    ) async throws -> Tally {
        let retry = Middleware<HTTPRequest, HTTPResponse>.retry(
            Retry(backoff: .constant(.zero), unproven: .never), budget: .unlimited)
        let send = stack(retry, over: client.send)
        let url = try url(listener).appending(path: "counted")
        let progress = Locked(Progress())
        let step = max(1, 2 * count / (reloads + 1))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<32 {
                group.addTask {
                    while true {
                        let number = progress.withLock { progress in
                            defer { progress.next += 1 }
                            return progress.next
                        }
                        guard number < 2 * count else { return }
                        if number % step == step - 1 { try reload() }
                        let place = URL(string: "\(url.absoluteString)?\(number)")!
                        let isGET = number % 2 == 0
                        let body = HTTPRequest.Body.data(Data("once".utf8))
                        let request =
                            isGET ? HTTPRequest(.get, place) : HTTPRequest(.post, place, body: body)
                        let result = await send(request).resultSoon
                        if case .failure(let error) = result {
                            progress.withLock { $0.failures[number] = error }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        try await client.close().soon
        // What it has taken, it logs before it ends.
        stop()
        return try tally(of: count, failures: progress.withLock { $0.failures })
    }

    private func tally(of count: Int, failures: [Int: any Error]) throws -> Tally {
        var times: [Int: Int] = [:]
        for line in try counted() {
            let words = line.split(separator: " ")
            if let number = words.last.flatMap({ Int($0) }) { times[number, default: 0] += 1 }
        }
        var tally = Tally()
        for number in 0..<2 * count {
            let count = times[number] ?? 0
            let failure = failures[number]
            if number % 2 == 0 {
                if failure != nil { tally.lostGETs += 1 }
                continue
            }
            if count > 1 { tally.carriedOutTwice += 1 }
            if failure == nil, count == 0 { tally.imagined += 1 }
            guard let failure else { continue }
            guard (failure as? HTTPError)?.code == .connectionLost else {
                tally.failedPOSTs += 1
                continue
            }
            tally.lostPOSTs += 1
            if count == 0 { tally.lostUnansweredPOSTs += 1 }
        }
        return tally
    }
}
#endif
