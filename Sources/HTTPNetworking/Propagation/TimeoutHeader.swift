import PledgeServices

/// A header by which a caller says how long it waits: its name, and how the time is written.
///
/// The time is a duration and no instant, so the clocks of both sides need not agree. The time that a request is
/// under way is not part of it.
public struct TimeoutHeader {
    /// How the time is written.
    public enum Format: Hashable, Sendable {
        /// A whole number of milliseconds.
        case milliseconds
        /// At most eight digits and a unit: `H`, `M`, `S`, `m` (milliseconds), `u`, `n`. (gRPC over HTTP/2.)
        case grpc
    }

    /// The name of the header.
    public var name: String

    /// How the time is written.
    public var format: Format

    /// Names a header.
    ///
    /// - Parameters:
    ///   - name: Its name. One that is no token of RFC 9110 fails the requests.
    ///   - format: How the time is written.
    public init(_ name: String, _ format: Format = .milliseconds) {
        self.name = name
        self.format = format
    }

    /// `Request-Timeout`, in milliseconds: a name that no standard has.
    public static let requestTimeout = TimeoutHeader("Request-Timeout")

    /// `x-envoy-expected-rq-timeout-ms`, in which Envoy says how long it waits for a response.
    ///
    /// An Envoy between the two sides replaces it by a time of its own.
    public static let envoyExpected = TimeoutHeader("x-envoy-expected-rq-timeout-ms")

    /// `grpc-timeout`, in gRPC's format.
    public static let grpc = TimeoutHeader("grpc-timeout", .grpc)
}

extension TimeoutHeader {
    /// The longest time that is sent and read; longer ones are cut to it.
    static let longest = Duration.seconds(1_000_000)

    /// The time as a header has it, rounded down, but never zero: to some receivers that means no limit.
    func value(of duration: Duration) -> String {
        let time = min(duration, Self.longest)
        let milliseconds = max(1, time.nanoseconds / 1_000_000)
        guard format == .grpc else { return "\(milliseconds)" }
        if milliseconds < 100_000_000 { return "\(milliseconds)m" }
        return "\(milliseconds / 1_000)S"
    }

    /// The time in the headers of a request.
    ///
    /// - Returns: Nil if they have none, several, or one that is not well formed. Zero is not: some senders
    ///   mean no limit by it.
    func duration(in headers: HTTPHeaders) -> Duration? {
        guard let text = headers.only(name) else { return nil }
        switch format {
        case .milliseconds: return Self.duration(text, unit: .milliseconds(1), digits: 19)
        case .grpc:
            guard let unit = text.last.flatMap(Self.unit) else { return nil }
            return Self.duration(text.dropLast(), unit: unit, digits: 8)
        }
    }

    private static func duration(
        _ text: some StringProtocol, unit: Duration, digits: Int
    ) -> Duration? {
        guard (1...digits).contains(text.utf8.count), text.utf8.allSatisfy(\.isDigit),
            let number = Int64(text), number > 0
        else { return nil }
        let most = longest.nanoseconds / unit.nanoseconds + 1
        return min(unit * min(number, most), longest)
    }

    private static func unit(_ letter: Character) -> Duration? {
        switch letter {
        case "H": .seconds(3_600)
        case "M": .seconds(60)
        case "S": .seconds(1)
        case "m": .milliseconds(1)
        case "u": .microseconds(1)
        case "n": .nanoseconds(1)
        default: nil
        }
    }
}

extension TimeoutHeader: Hashable, Sendable {}
