#if os(Linux)
import Foundation
import PledgeFutures
import PledgeHTTPMessages
import PledgeServices
import TestSupport

/// What a server over HTTP/2 does beside its answers, and what has to come of the calls.
package struct HTTP2Check: Sendable {
    /// What was not as it has to be.
    package struct Difference: Error, CustomStringConvertible {
        package let description: String
    }

    package let name: String
    private let test: @Sendable (HTTP2Bench) async throws -> Void

    /// Runs the check.
    ///
    /// - Throws: ``Difference``, or the error of a call that has to succeed.
    package func run(_ bench: HTTP2Bench) async throws { try await test(bench) }

    private init(_ name: String, _ test: @escaping @Sendable (HTTP2Bench) async throws -> Void) {
        self.name = name
        self.test = test
    }

    /// All checks.
    ///
    /// - Parameter floods: How many frames a flood has.
    package static func all(floods: Int) -> [HTTP2Check] {
        settings + heads + windows
            + HTTP2Frames.Flood.allCases.flatMap { [flood(of: $0, floods), endlessFlood(of: $0)] }
    }

    private static func require<Value: Equatable>(
        _ value: Value, is expected: Value, _ what: String
    ) throws {
        if value == expected { return }
        throw Difference(description: "\(what): \(value), not \(expected)")
    }
}

extension HTTP2Check: CustomStringConvertible {
    package var description: String { name }
}

// MARK: - Settings

extension HTTP2Check {
    private static let settings = [
        HTTP2Check("no more requests at a time than the server allows, which changes") { bench in
            let most = TestLog<Int>()
            try await bench.with { frames in
                // First everything, then one at a time, then four.
                var allowed = 100
                frames.serve { stream in
                    var open = [stream]
                    let note = {
                        for case .head(let stream, _, _) in frames.settle() ?? [] {
                            open.append(stream)
                        }
                    }
                    note()
                    if open.count > allowed { most.append(open.count) }
                    let next: UInt32 = stream > 20 ? 4 : 1
                    if next != allowed {
                        frames.send([.maxConcurrentStreams: next])
                        note()
                        allowed = Int(next)
                    }
                    for stream in open { frames.answer(stream, "answer") }
                    return true
                }
            } _: { client in
                let request = HTTPRequest(.get, bench.site.url)
                _ = try await client.send(request).soon
                for call in (0..<40).map({ _ in client.send(request) }) {
                    try require(try await call.soon.text, is: "answer", "the answer")
                }
            }
            try require(most.elements, is: [], "more at a time than allowed")
        },
        HTTP2Check("none while the server allows none") { bench in
            let log = TestLog<String>()
            let isAsked = Locked(false)
            try await bench.with { frames in
                frames.serve { stream in
                    var open = [stream]
                    if log.elements.isEmpty {
                        frames.send([.maxConcurrentStreams: 0])
                        _ = frames.settle()
                        log.append("none")
                        var turns = 0
                        while turns < 20 {
                            for case .head(let stream, _, _) in frames.settle() ?? [] {
                                log.append("too much")
                                open.append(stream)
                            }
                            if isAsked.withLock({ $0 }) { turns += 1 }
                        }
                        frames.send([.maxConcurrentStreams: 10])
                    }
                    for stream in open { frames.answer(stream, "answer") }
                    return true
                }
            } _: { client in
                let request = HTTPRequest(.get, bench.site.url)
                let first = client.send(request)
                _ = await comesTrue { first.isSettled || log.elements.contains("none") }
                // It waits, or goes by another connection.
                let second = client.send(request)
                isAsked.withLock { $0 = true }
                for call in [first, second, client.send(request)] {
                    try require(try await call.soon.text, is: "answer", "the answer")
                }
            }
            try require(log.elements, is: ["none"], "the server's log")
        },
        HTTP2Check("no more of a body than the window of a stream, up and down") { bench in
            let counts = TestLog<Int>()
            try await bench.with { frames in
                frames.send([.initialWindowSize: 10])
                var total = 0
                while let frame = frames.next() {
                    switch frame {
                    case .head(let stream, true, _): frames.answer(stream, "answer")
                    case .head:
                        // The client reads while it has a request.
                        for window in [10, 20, 0, 5] as [UInt32] {
                            frames.send([.initialWindowSize: window])
                            for case .data(_, _, let count) in frames.settle() ?? [] {
                                total += count
                            }
                            counts.append(total)
                        }
                        frames.send([.initialWindowSize: 65_535])
                    case .data(let stream, let isLast, let count):
                        total += count
                        guard isLast else { continue }
                        counts.append(total)
                        frames.answer(stream, "answer")
                    default: continue
                    }
                }
            } _: { client in
                let url = bench.site.url
                _ = try await client.send(HTTPRequest(.get, url)).soon
                let put = HTTPRequest(.put, url, body: .data(Data(count: 50_000)))
                try require(try await client.send(put).soon.text, is: "answer", "the answer")
            }
            // Over HTTP/1.1 there are no windows.
            if counts.elements.isEmpty { return }
            try require(counts.elements.last, is: 50_000, "bytes")
            for (count, allowed) in zip(counts.elements, [10, 20, 20, 20]) where count > allowed {
                throw Difference(description: "\(count) bytes, and \(allowed) allowed")
            }
        },
        HTTP2Check("no larger frames than the server takes") { bench in
            let largest = TestLog<Int>()
            try await bench.with { frames in
                frames.send([.maxFrameSize: 65_536, .initialWindowSize: 1 << 20])
                frames.allow(1 << 20)
                var most = 0
                while let frame = frames.next() {
                    switch frame {
                    case .head(let stream, true, _): frames.answer(stream, "answer")
                    case .data(let stream, let isLast, let count):
                        most = max(most, count)
                        guard isLast else { continue }
                        largest.append(most)
                        most = 0
                        frames.send([.maxFrameSize: 16_384])
                        frames.allow(1 << 20)
                        _ = frames.settle()
                        frames.answer(stream, "answer")
                    default: continue
                    }
                }
            } _: { client in
                let url = bench.site.url
                _ = try await client.send(HTTPRequest(.get, url)).soon
                for _ in 1...2 {
                    let put = HTTPRequest(.put, url, body: .data(Data(count: 300_000)))
                    try require(try await client.send(put).soon.text, is: "answer", "the answer")
                }
            }
            for (found, allowed) in zip(largest.elements, [65_536, 16_384]) where found > allowed {
                throw Difference(description: "a frame of \(found) bytes, and \(allowed) allowed")
            }
        },
        HTTP2Check("the table of fields is given up, and used again") { bench in
            let starts = TestLog<UInt8>()
            try await bench.with { frames in
                var number = 0
                while let frame = frames.next() {
                    guard case .head(let stream, _, let block) = frame else { continue }
                    number += 1
                    starts.append(block.first ?? 0)
                    frames.send([.headerTableSize: number == 1 ? 0 : 4_096])
                    _ = frames.settle()
                    frames.answer(stream, "answer")
                }
            } _: { client in
                for _ in 1...4 {
                    let request = HTTPRequest(
                        .get, bench.site.url, headers: ["X-Word": "the same each time"])
                    try require(
                        try await client.send(request).soon.text, is: "answer", "the answer")
                }
            }
            // A table of no bytes is told at the beginning of the next block.
            try require(starts.elements.dropFirst().first, is: 0x20, "the update")
        },
    ]
}

// MARK: - Heads and trailers

extension HTTP2Check {
    private static let heads = [
        answered(
            "an interim response",
            by: { frames, stream in
                frames.head(stream, 103, ["link": "</a.css>"])
                frames.answer(stream, "answer")
            }),
        answered(
            "several interim responses",
            by: { frames, stream in
                for number in 1...50 {
                    frames.head(stream, [100, 102, 103][number % 3], ["x-number": "\(number)"])
                }
                frames.answer(stream, "answer")
            }),
        answered(
            "trailers",
            by: { frames, stream in
                frames.head(stream, 200)
                frames.data(stream, "answer")
                frames.trailers(stream, ["x-checksum": "7"])
            }),
        answered(
            "trailers after a whole body",
            by: { frames, stream in
                frames.head(stream, 200, ["content-length": "6"])
                frames.data(stream, "answer")
                frames.trailers(stream, ["x-checksum": "7"])
            }),
        answeredOrRefused(
            "a trailer that changes the status",
            by: { frames, stream in
                frames.head(stream, 200)
                frames.data(stream, "answer")
                frames.trailers(stream, [":status": "500"])
            }),
        answeredOrRefused(
            "a trailer of the connection",
            by: { frames, stream in
                frames.head(stream, 200)
                frames.data(stream, "answer")
                frames.trailers(stream, ["connection": "close"])
            }),
        answeredOrRefused(
            "a trailer in upper case",
            by: { frames, stream in
                frames.head(stream, 200)
                frames.data(stream, "answer")
                frames.trailers(stream, ["X-Checksum": "7"])
            }),
        answeredOrRefused(
            "a trailer with another length",
            by: { frames, stream in
                frames.head(stream, 200)
                frames.data(stream, "answer")
                frames.trailers(stream, ["content-length": "99"])
            }),
    ]

    /// Two calls are answered that a server answers in an unusual way.
    private static func answered(
        _ name: String, by answer: @escaping @Sendable (HTTP2Frames, UInt32) -> Void
    ) -> HTTP2Check {
        HTTP2Check(name) { bench in
            for result in try await results(of: bench, answer) {
                let response = try result.get()
                try require(response.status, is: 200, "the status")
                try require(response.text, is: "answer", "the text")
                try require(response.headers["X-Number"], is: nil, "a field of another head")
                try require(response.headers["X-Checksum"], is: nil, "a field of the trailers")
            }
        }
    }

    /// Two calls end alike if a server breaks the rules: with the answer, or as one that is not valid or is lost.
    private static func answeredOrRefused(
        _ name: String, by answer: @escaping @Sendable (HTTP2Frames, UInt32) -> Void
    ) -> HTTP2Check {
        HTTP2Check(name) { bench in
            for result in try await results(of: bench, answer) { try checkEnd(of: result) }
        }
    }

    private static func results(
        of bench: HTTP2Bench, _ answer: @escaping @Sendable (HTTP2Frames, UInt32) -> Void
    ) async throws -> [Result<HTTPResponse, any Error>] {
        try await bench.with { frames in
            frames.serve { stream in
                answer(frames, stream)
                return true
            }
        } _: { client in
            let request = HTTPRequest(.get, bench.site.url)
            return [await client.send(request).resultSoon, await client.send(request).resultSoon]
        }
    }

    private static func checkEnd(of result: Result<HTTPResponse, any Error>) throws {
        switch result {
        case .success(let response):
            try require(response.status, is: 200, "the status")
            try require(response.text, is: "answer", "the text")
        case .failure(let error as HTTPError)
        where [.connectionLost, .badResponse].contains(error.code): return
        case .failure(let error): throw error
        }
    }
}

// MARK: - Windows that stay shut

extension HTTP2Check {
    private static let windows = [
        HTTP2Check("a window that stays shut ends a call by its idle limit, and no other") {
            try await shut($0, quietFor: .milliseconds(59_700), endingBy: .timedOut) {
                _, scheduler in scheduler.advance(by: .milliseconds(900))
            }
        },
        HTTP2Check("a window that stays shut ends a call by its deadline, and no other") {
            try await shut(
                $0, within: .seconds(30), quietFor: .milliseconds(29_700), endingBy: .timedOut
            ) { _, scheduler in scheduler.advance(by: .milliseconds(900)) }
        },
        HTTP2Check("a call whose window stays shut can be cancelled, and no other is") {
            try await shut($0, endingBy: nil) { call, _ in call.cancel() }
        },
    ]

    /// - Parameter quiet: How long nothing comes before the last answer to another call. That answer shows that the
    ///   connection isn't silent.
    private static func shut(
        _ bench: HTTP2Bench, within limit: Duration? = nil, quietFor quiet: Duration = .zero,
        endingBy code: HTTPError.Code?,
        _ end: (Future<HTTPResponse>, ManualScheduler) -> Void
    ) async throws {
        let log = TestLog<String>()
        let scheduler = ManualScheduler()
        try await bench.with(idleTimeout: .seconds(60), on: scheduler) { frames in
            frames.send([.initialWindowSize: 0])
            while let frame = frames.next() {
                switch frame {
                case .head(let stream, true, _):
                    log.append("GET by \(frames.index)")
                    frames.answer(stream, "answer")
                case .head: log.append("PUT by \(frames.index)")
                case .data(_, _, let count) where count > 0: log.append("bytes")
                case .reset: log.append("reset")
                default: continue
                }
            }
        } _: { client in
            let get = HTTPRequest(.get, bench.site.url)
            _ = try await client.send(get).soon
            let put = HTTPRequest(.put, bench.site.url, body: .data(Data(count: 10_000)))
            let deadline = limit.map { CallDeadline(after: $0, on: scheduler) }
            let call = CallContext(deadline: deadline).run { client.send(put) }
            guard await comesTrue({ call.isSettled || log.elements.count > 1 }) else { return }
            // Over HTTP/1.1 there are no windows.
            if call.isSettled { return }
            scheduler.advance(by: quiet)
            _ = try await client.send(get).soon
            end(call, scheduler)
            switch await call.resultSoon {
            case .success: throw Difference(description: "it was answered")
            case .failure(let error as HTTPError):
                try require(error.code, is: code ?? .other, "the end")
            case .failure: try require(code == nil, is: true, "it was cancelled")
            }
            _ = try await client.send(get).soon
            let gets = Set(log.elements.filter { $0.hasPrefix("GET") })
            try require(gets.count, is: 1, "the connections")
            try require(log.elements.contains("bytes"), is: false, "it sent bytes")
            try require(log.elements.contains("reset"), is: true, "the server was told")
        }
    }
}

// MARK: - Floods

extension HTTP2Check {
    /// The frames of a flood in one piece.
    private static let piece = 500

    /// A call ends, and takes little memory, if a server sends many frames before its answer.
    private static func flood(of kind: HTTP2Frames.Flood, _ count: Int) -> HTTP2Check {
        HTTP2Check("\(count) frames of the kind \(kind)") { bench in
            let before = heldBytes()
            let most = Locked(0)
            let results = try await bench.with { frames in
                frames.serve { stream in
                    guard stream > 1 else {
                        frames.answer(stream, "answer")
                        return true
                    }
                    kind.begin(frames, stream)
                    for _ in 0..<max(1, count / piece) {
                        guard frames.send(min(piece, count), of: kind, to: kind.target(stream))
                        else {
                            return false
                        }
                        // The client's answers are read, so that it need not keep them.
                        if kind.mayBeInterrupted, frames.settle() == nil { return false }
                        most.withLock { $0 = max($0, heldBytes() - before) }
                    }
                    kind.end(frames, stream)
                    return true
                }
            } _: { client in
                let request = HTTPRequest(.get, bench.site.url)
                _ = try await client.send(request).soon
                // nghttp2 1.70 reads no more after some ten thousand frames, and its client then waits.
                let context = CallContext(deadline: CallDeadline(after: .seconds(10)))
                let calls = [1, 2].map { _ in { context.run { client.send(request) } } }
                return [await calls[0]().resultSoon, await calls[1]().resultSoon]
            }
            for result in results {
                if case .failure(let error) = result, error.isTimeout { continue }
                try checkEnd(of: result)
            }
            let kept = most.withLock { $0 }
            if kept > 24 << 20 { throw Difference(description: "it keeps \(kept) bytes") }
        }
    }

    /// A call ends by its deadline if a server only sends frames, or before.
    private static func endlessFlood(of kind: HTTP2Frames.Flood) -> HTTP2Check {
        HTTP2Check("frames of the kind \(kind) without an end") { bench in
            let before = heldBytes()
            let isFirst = Locked(true)
            let hasBegun = Locked(false)
            let most = Locked(0)
            let scheduler = ManualScheduler()
            let result = try await bench.with(on: scheduler) { frames in
                frames.serve { stream in
                    // Once: a client may repeat its request by another connection.
                    let answers = isFirst.withLock { isFirst in
                        defer { isFirst = false }
                        return isFirst
                    }
                    guard !answers else {
                        frames.answer(stream, "answer")
                        return true
                    }
                    kind.begin(frames, stream)
                    while frames.send(piece, of: kind, to: kind.target(stream)) {
                        hasBegun.withLock { $0 = true }
                        if kind.mayBeInterrupted, frames.settle() == nil { break }
                        most.withLock { $0 = max($0, heldBytes() - before) }
                    }
                    return false
                }
            } _: { client in
                let request = HTTPRequest(.get, bench.site.url)
                _ = try await client.send(request).soon
                let deadline = CallDeadline(after: .seconds(30), on: scheduler)
                let call = CallContext(deadline: deadline).run { client.send(request) }
                _ = await comesTrue { call.isSettled || hasBegun.withLock { $0 } }
                scheduler.advance(by: .seconds(31))
                return await call.resultSoon
            }
            guard case .failure(let error as HTTPError) = result,
                [.timedOut, .connectionLost, .badResponse].contains(error.code)
            else { throw Difference(description: "it ended with \(result)") }
            let kept = most.withLock { $0 }
            if kept > 24 << 20 { throw Difference(description: "it keeps \(kept) bytes") }
        }
    }
}

extension HTTP2Frames.Flood {
    /// Whether other frames may stand between its frames.
    fileprivate var mayBeInterrupted: Bool { self != .emptyContinuation }

    /// The stream of its frames, for a request.
    ///
    /// Streams are reset that have ended.
    fileprivate func target(_ stream: UInt32) -> UInt32 { self == .reset ? 1 : stream }

    fileprivate func begin(_ frames: HTTP2Frames, _ stream: UInt32) {
        switch self {
        case .emptyContinuation: frames.beginHead(stream)
        case .emptyData: frames.head(stream, 200)
        default: break
        }
    }

    fileprivate func end(_ frames: HTTP2Frames, _ stream: UInt32) {
        switch self {
        case .emptyContinuation:
            frames.endHead(stream)
            frames.data(stream, "answer", isLast: true)
        case .emptyData: frames.data(stream, "answer", isLast: true)
        default: frames.answer(stream, "answer")
        }
    }
}
#endif
