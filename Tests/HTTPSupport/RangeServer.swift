package import Foundation
package import PledgeFutures
package import PledgeHTTPMessages

/// A server of one file, which sends parts of it, and makes the mistakes that a test asks for.
package final class RangeServer: Sendable {
    /// A mistake in an answer to a request with a Range.
    package enum Mistake: CaseIterable, Sendable {
        /// The whole file comes, with status 200.
        case whole
        /// The part begins a byte too early, and says so.
        case early
        /// The part is the whole file, with status 206.
        case wholePart
        /// The part has the tag of another file.
        case otherTag
        /// The part has no tag.
        case noTag
        /// The part's Content-Range is of a larger file.
        case otherSize
        /// The part has no Content-Range.
        case noRange
        /// The part's Content-Range can't be read.
        case brokenRange
        /// The part is encoded.
        case encoded
        /// The part is shorter than asked for, and says so.
        case short
        /// The part has another length than its Content-Range.
        case otherLength
        /// The server has no such range.
        case notSatisfiable
        /// The server is busy.
        case busy
    }

    fileprivate struct State {
        var content: Data
        var headers: HTTPHeaders
        var requests: [HTTPRequest] = []
        var mistakes: [Mistake] = []
        /// After how many bytes of each of the next bodies the connection is lost.
        var losses: [Int] = []
        var sendsLength = true
        var withoutSize = 0
        /// A header that no part has.
        var lacking: String?
        var losesSilently = false
        var chunk = 1_000
    }

    private let state: Locked<State>

    package init(_ content: Data, headers: HTTPHeaders = ["ETag": "\"1\""]) {
        state = Locked(State(content: content, headers: headers))
    }

    /// The requests so far.
    package var requests: [HTTPRequest] { state.withLock { $0.requests } }

    /// The values of Range in the requests so far.
    package var ranges: [String?] { requests.map { $0.headers["Range"] } }

    package var content: Data { state.withLock { $0.content } }

    /// Replaces the file.
    package func change(_ content: Data, headers: HTTPHeaders) {
        state.withLock { ($0.content, $0.headers) = (content, headers) }
    }

    /// Makes mistakes in the next answers to requests with a Range.
    package func make(_ mistakes: [Mistake]) { state.withLock { $0.mistakes += mistakes } }

    /// Loses the connections of the next answers, after so many bytes of the body; `Int.max` loses none.
    package func lose(after bytes: [Int]) { state.withLock { $0.losses += bytes } }

    /// Lets bodies whose connection is lost end as if they were whole.
    package func loseSilently() { state.withLock { $0.losesSilently = true } }

    /// Leaves a header out of all parts, but not out of the whole file.
    package func leaveOutOfParts(_ header: String) { state.withLock { $0.lacking = header } }

    /// Leaves the file's size out of the next parts' Content-Range, which is no mistake.
    package func leaveOutSizes(of count: Int) { state.withLock { $0.withoutSize += count } }

    package func sendNoLength() { state.withLock { $0.sendsLength = false } }

    /// Sends bodies in chunks of this size, in bytes.
    package func send(inChunksOf size: Int) { state.withLock { $0.chunk = size } }

    package func answer(_ request: HTTPRequest) -> Future<HTTPStreamedResponse> {
        Future(value: state.withLock { $0.answer(request) })
    }
}

extension RangeServer.State {
    mutating func answer(_ request: HTTPRequest) -> HTTPStreamedResponse {
        requests.append(request)
        guard let range = request.headers["Range"], isCurrent(request.headers["If-Range"]) else {
            return response(200, content, [:])
        }
        let ends = range.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        let first = Int(ends[0]) ?? 0
        let mistake = mistakes.isEmpty ? nil : mistakes.removeFirst()
        guard first < content.count, mistake != .notSatisfiable else {
            return response(416, Data(), ["Content-Range": "bytes */\(content.count)"])
        }
        var last = min(Int(ends[1]) ?? .max, content.count - 1)
        if mistake == .short { last = first + (last - first) / 2 }
        // What must not be written is no part of the file.
        let part =
            mistake == nil || mistake == .short || request.headers["If-Range"] == nil
            ? content[first...last] : Data(content[first...last].map { ~$0 })
        let size = withoutSize > 0 ? "*" : "\(content.count)"
        withoutSize = max(0, withoutSize - 1)
        let place = "bytes \(first)-\(last)/\(size)"
        switch mistake {
        case nil, .short: return response(206, part, ["Content-Range": place])
        case .whole: return response(200, content, [:])
        case .early:
            let place = "bytes \(max(0, first - 1))-\(last)/\(content.count)"
            return response(206, content[max(0, first - 1)...last], ["Content-Range": place])
        case .wholePart:
            let place = "bytes 0-\(content.count - 1)/\(content.count)"
            return response(206, content, ["Content-Range": place])
        case .otherTag:
            return response(206, part, ["Content-Range": place, "ETag": "\"other\""])
        case .otherSize:
            return response(
                206, part, ["Content-Range": "bytes \(first)-\(last)/\(content.count + 1)"])
        case .noTag:
            return response(206, part, ["Content-Range": place], without: "ETag")
        case .noRange: return response(206, part, [:])
        case .brokenRange: return response(206, part, ["Content-Range": "bytes \(first)-"])
        case .encoded:
            return response(206, part, ["Content-Range": place, "Content-Encoding": "gzip"])
        case .otherLength:
            return response(206, part.dropLast(), ["Content-Range": place])
        case .notSatisfiable, .busy: return response(503, Data(), [:])
        }
    }

    private func isCurrent(_ condition: String?) -> Bool {
        guard let condition else { return true }
        return condition == headers["ETag"] || condition == headers["Last-Modified"]
    }

    private mutating func response(
        _ status: Int, _ body: Data, _ more: HTTPHeaders, without lacking: String? = nil
    ) -> HTTPStreamedResponse {
        var headers = headers
        for name in [status == 206 ? self.lacking : nil, lacking] {
            if let name { headers.remove(name) }
        }
        for field in more { headers.set(field.value, for: field.name) }
        let loss = losses.isEmpty || status > 299 ? nil : losses.removeFirst()
        let sent = Data(body.prefix(loss ?? .max))
        let source = HTTPBodyStream(sent, chunksOf: chunk)
        let isSilent = losesSilently
        let stream = HTTPBodyStream(length: sendsLength ? Int64(body.count) : nil) {
            source.next().flatMap { piece in
                if piece == nil, let loss, loss < .max, !isSilent {
                    throw HTTPError(code: .connectionLost)
                }
                return Future(value: piece)
            }
        }
        return HTTPStreamedResponse(status: status, headers: headers, body: stream)
    }
}
