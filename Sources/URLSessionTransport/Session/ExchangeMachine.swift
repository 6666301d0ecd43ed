import Futures
import HTTPNetworking

/// The state of one exchange, and what each event of the session means for it.
///
/// Pure state: it refers neither to the session nor to the recipient.
struct ExchangeMachine {
    /// How the body is delivered.
    enum Delivery {
        /// As a whole, of at most so many bytes.
        case whole(upTo: Int)
        /// Piece by piece, as the bytes arrive.
        case streamed
    }

    /// What to do after an event.
    enum Command: Equatable {
        case nothing
        /// Deliver the headers; the body follows.
        case deliverHead(HTTPResponse)
        /// Deliver a piece of the body.
        case pass(Data)
        /// The body is complete.
        case finish(HTTPResponse)
        /// The exchange has failed, for a reason where the code does not say everything.
        case fail(HTTPError.Code, because: String? = nil)
    }

    private let delivery: Delivery
    private let request: HTTPRequest
    private let idleTimeout: Duration?
    private let decodedCodings: Set<String>?
    private let start: SchedulerInstant
    private var lastSign: SchedulerInstant
    private var holds = 0

    /// The part of the response that has arrived so far.
    private(set) var response: HTTPResponse?

    init(
        _ request: HTTPRequest, _ delivery: Delivery, idleTimeout: Duration?,
        decoding decodedCodings: Set<String>? = Self.decodedCodings,
        since start: SchedulerInstant, at now: SchedulerInstant
    ) {
        self.delivery = delivery
        self.idleTimeout = idleTimeout
        self.decodedCodings = decodedCodings
        self.request = request
        self.start = start
        lastSign = now
    }

    /// Takes the headers.
    mutating func receive(_ head: HTTPResponse, at now: SchedulerInstant) -> Command {
        lastSign = now
        // URLSession on Linux delivers "100 Continue" as well.
        guard head.status >= 200, response == nil else { return .nothing }
        var head = head
        head.request = request
        let isInvalid = head.hasInvalidLength(for: request.method)
        if request.method != .head { head.headers.dropFraming(decodedFrom: decodedCodings) }
        head.timing.untilHeaders = start.duration(to: now)
        response = head
        if isInvalid { return .fail(.badResponse, because: HTTPError.invalidLength) }
        switch delivery {
        case .streamed: return .deliverHead(head)
        case .whole(let limit):
            let announced = head.announcedLength(for: request.method) ?? 0
            return announced > limit ? tooLarge(limit) : .nothing
        }
    }

    /// Takes a piece of the body.
    mutating func receive(_ data: Data, at now: SchedulerInstant) -> Command {
        lastSign = now
        guard response != nil else { return .nothing }
        guard case .whole(let limit) = delivery else { return .pass(data) }
        guard data.count <= limit - response!.body.count else { return tooLarge(limit) }
        response!.body.append(data)
        return .nothing
    }

    private func tooLarge(_ limit: Int) -> Command {
        .fail(.bodyTooLarge, because: HTTPError.tooLarge(limit))
    }

    /// Notes that a piece of the request's body was sent.
    mutating func didSend(at now: SchedulerInstant) -> Command {
        lastSign = now
        return .nothing
    }

    /// Discards an answer that asked for a password, since the request is sent again with one.
    mutating func startAgain(at now: SchedulerInstant) -> Command {
        lastSign = now
        response = nil
        return .nothing
    }

    /// Whether the response is delivered before it is complete.
    var isStreamed: Bool { if case .streamed = delivery { true } else { false } }

    /// Notes that nothing can arrive until the reader has read or a decision is made; until then the exchange
    /// does not count as idle.
    mutating func hold() -> Command {
        holds += 1
        return .nothing
    }

    /// Notes that the reader has read, or a decision is made.
    mutating func goOn(at now: SchedulerInstant) -> Command {
        holds -= 1
        lastSign = now
        return .nothing
    }

    /// Takes the end of the answer.
    mutating func finish(at now: SchedulerInstant) -> Command {
        guard var whole = response else { return .fail(.badResponse) }
        whole.timing.total = start.duration(to: now)
        return .finish(whole)
    }

    /// How long the exchange may still be idle: zero if the time is over, nil if there is no limit.
    func idleTimeLeft(at now: SchedulerInstant) -> Duration? {
        idleTimeout.map { holds > 0 ? $0 : max(.zero, $0 - lastSign.duration(to: now)) }
    }
}

extension ExchangeMachine {
    /// The codings that URLSession decodes on this system; nil for every one.
    ///
    /// On Linux libcurl decodes a body or fails the call. Apple's URLSession passes on a body in a coding that
    /// it does not know, as the server sent it. It knows br since iOS 11, and zstd since the systems of 26.3.
    private static var decodedCodings: Set<String>? {
        #if canImport(FoundationNetworking)
        nil
        #else
        if #available(macOS 26.3, iOS 26.3, tvOS 26.3, watchOS 26.3, visionOS 26.3, *) {
            ["gzip", "x-gzip", "deflate", "br", "zstd"]
        } else {
            ["gzip", "x-gzip", "deflate", "br"]
        }
        #endif
    }
}

extension HTTPHeaders {
    /// Removes the headers that are no longer true, if URLSession has decoded the body.
    ///
    /// A body in several codings stays encoded if one of them is not decoded.
    fileprivate mutating func dropFraming(decodedFrom known: Set<String>?) {
        let codings = (self["Content-Encoding"] ?? "").lowercased().split(separator: ",")
            .map(HTTPHeaders.trimmed).filter { !$0.isEmpty && $0 != "identity" }
        guard !codings.isEmpty, known.map({ $0.isSuperset(of: codings) }) ?? true else { return }
        remove("Content-Encoding")
        remove("Content-Length")
    }
}
