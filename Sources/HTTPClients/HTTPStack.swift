public import PledgeFutures
public import PledgeHTTPMessages
public import PledgeHTTPTransportKit
public import PledgeServices

/// A stack of parts for HTTP, each at the level where it belongs.
///
/// ```swift
/// let shop = HTTPStack(
///     call: [.deadline(.seconds(10)), .acceptStatus(), .redirect()],
///     hop: [.cache(HTTPCache()), .retry()],
///     attempt: [.circuitBreaker(), .timeout(.seconds(2))])
/// let send = shop.send(over: transport)
/// ```
///
/// | Level | A request passes it |
/// |---|---|
/// | call | once; its innermost part is `redirect`, which makes a hop of each URL |
/// | hop | once for each URL; its innermost part is `retry`, which makes attempts of a hop |
/// | attempt | once for each attempt; a hedge makes several requests of it |
/// | exchange | once for each request that is sent |
///
/// Within a level, the first part is outermost, but `redirect` and `retry` are always innermost. A part at another level
/// than its own doesn't compile. All parts have the stack's clock, source of randomness and classifier. An ``HTTPClient``
/// is such a stack, with a slot for each part.
public struct HTTPStack: Sendable {
    /// The level that a call passes once.
    public enum Call {}

    /// The level that a call passes once for each URL.
    public enum Hop {}

    /// The level that a call passes once for each attempt.
    public enum Attempt {}

    /// The level that each request passes.
    public enum Exchange {}

    /// All parts, for whole responses.
    let whole: Middleware<HTTPRequest, HTTPResponse>

    /// All parts, for streamed responses.
    let streamed: Middleware<HTTPRequest, HTTPStreamedResponse>

    /// Each level's name and the names of its parts, for the description.
    private let levels: [(name: String, parts: [String])]

    private let scheduler: any FutureScheduler

    /// The parts of a level, outermost first.
    ///
    /// It's a type of its own so that the compiler names a part at a wrong level; about an array, it would speak of `Any`.
    public struct Parts<Level>: ExpressibleByArrayLiteral, Sendable {
        let parts: [HTTPPart<Level>]

        /// Creates parts from an array.
        public init(_ parts: [HTTPPart<Level>]) { self.parts = parts }

        /// Creates parts from a literal.
        public init(arrayLiteral parts: HTTPPart<Level>...) { self.parts = parts }
    }

    /// Creates a stack.
    ///
    /// If a level has two parts that are always its innermost (two `redirect` or two `retry`), that is a programming
    /// error and traps.
    ///
    /// - Parameters:
    ///   - call: The parts that a call passes once.
    ///   - hop: The parts that a call passes once for each URL.
    ///   - attempt: The parts that a call passes once for each attempt.
    ///   - exchange: The parts that each request passes.
    ///   - classifier: Overrides what the end of an exchange means for the parts; see
    ///     ``HTTPClient/Settings/classifier``.
    ///   - scheduler: The clock of all parts.
    ///   - random: The source of randomness of all parts.
    public init(
        call: Parts<Call> = [], hop: Parts<Hop> = [], attempt: Parts<Attempt> = [],
        exchange: Parts<Exchange> = [],
        classifier: (@Sendable (Result<any HTTPResponseHead, any Error>) -> Outcome?)? = nil,
        on scheduler: some FutureScheduler = .live, random: RandomSource = .system
    ) {
        let observers = ServiceObserver(combining: call.parts.flatMap(\.observers))
        let settings = StackSettings(
            scheduler: scheduler, random: random, classifier: classifier, watch: observers.watch)
        let levels = [
            ("call", made(call, settings)), ("hop", made(hop, settings)),
            ("attempt", made(attempt, settings)), ("exchange", made(exchange, settings)),
        ]
        let parts = levels.flatMap(\.1)
        whole = PartContent.assembled(parts.map(\.whole))
        streamed = PartContent.assembled(parts.map(\.streamed))
        self.levels = levels.map { ($0, $1.flatMap(\.whole.names)) }
        self.scheduler = scheduler
    }

    /// Returns a service that sends requests through the stack, for whole responses.
    ///
    /// - Parameter transport: The transport that sends the requests.
    public func send(over transport: some HTTPTransport) -> HTTPService {
        unlessCancelled(whole(transport.send))
    }

    /// Returns a service that sends requests through the stack, for whole responses.
    ///
    /// - Parameter service: The function that sends the requests, such as a fake in a test, or another stack.
    public func send(over service: @escaping HTTPService) -> HTTPService {
        send(over: FunctionTransport(service: service, scheduler: scheduler))
    }

    /// Returns a service that sends requests through the stack, for streamed responses.
    ///
    /// - Parameter transport: The transport that sends the requests.
    public func stream(over transport: some HTTPTransport) -> HTTPStreamingService {
        unlessCancelled(streamed(transport.stream))
    }
}

extension HTTPStack: DescriptionOnly {
    /// The names of the parts by level, outermost first, such as "HTTPStack(hop: cache, retry; attempt: timeout)".
    public var description: String {
        let levels = levels.filter { !$0.parts.isEmpty }
        return "HTTPStack("
            + levels.map { "\($0.name): \($0.parts.joined(separator: ", "))" }.joined(
                separator: "; ")
            + ")"
    }
}

/// Makes the parts of a level, the innermost last.
private func made<Level>(
    _ level: HTTPStack.Parts<Level>, _ settings: StackSettings
) -> [HTTPPart<Level>.Made] {
    let parts = level.parts
    let innermost = parts.filter(\.isInnermost)
    precondition(
        innermost.count <= 1,
        "a level has one `redirect` or `retry`, not \(innermost.count): \(Level.self)")
    return (parts.filter { !$0.isInnermost } + innermost).map { $0.make(settings) }
}

/// What all parts of a stack have in common.
package struct StackSettings: Sendable {
    let scheduler: any FutureScheduler
    let random: RandomSource
    let classifier: (@Sendable (Result<any HTTPResponseHead, any Error>) -> Outcome?)?
    /// Shows the numbers of a part's object to the stack's observers.
    package let watch: @Sendable (any AnyObject & Sendable) -> Void

    /// The classifier of all policies: the stack's own, or the standard rules if it's missing or returns nil.
    package func judge<Output: HTTPResponseHead>() -> Classifier<Output> {
        guard let classifier else { return .standard }
        let standard = Classifier<Output>.standard
        return Classifier { result in classifier(result.map { $0 }) ?? standard(result) }
    }
}

/// What a part does with requests.
enum PartContent<Output: Sendable>: Sendable {
    typealias Part = Middleware<HTTPRequest, Output>

    case part(Part)
    /// Makes an origin's part.
    case ofOrigin(StackPlace, @Sendable (HTTPOrigin?) -> Part)

    var names: [String] {
        switch self {
        case .part(let part): part.parts
        case .ofOrigin(let place, _): [place.rawValue]
        }
    }

    /// One middleware of all parts.
    ///
    /// Adjacent parts of an origin become one part, so that a call looks up its origin only once for all of them.
    static func assembled(_ contents: [PartContent]) -> Part {
        var parts: [Part] = []
        var places: [StackPlace] = []
        var ofOrigin: [@Sendable (HTTPOrigin?) -> Part] = []
        func endOrigins() {
            if ofOrigin.isEmpty { return }
            let all = ofOrigin
            parts.append(
                Part(parts: places.map(\.rawValue)) { next in
                    OriginServices<Output>(
                        { origin in Middleware(stacking: all.map { $0(origin) }) }, around: next
                    ).call
                })
            (places, ofOrigin) = ([], [])
        }
        for content in contents {
            switch content {
            case .part(let part):
                endOrigins()
                parts.append(part)
            case .ofOrigin(let place, let part):
                places.append(place)
                ofOrigin.append(part)
            }
        }
        endOrigins()
        return Middleware(stacking: parts)
    }
}
