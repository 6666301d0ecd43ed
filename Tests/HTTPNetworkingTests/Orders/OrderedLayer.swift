import PledgeHTTPBodies
import TestSupport

/// The kinds of middleware in random stacks.
enum OrderedLayer: String, CaseIterable, Sendable {
    case observed, deadline, timeout, retry, hedge, coalesce, bulkhead, rateLimit, circuitBreaker
    case fallback
    case redirect, authorizeKey, authorizeToken, cookies, cache, acceptStatus, decompress
    case defaultHeaders, idempotencyKey, exchangeLog

    /// Whether it goes around functions of any input.
    var isGeneral: Bool {
        switch self {
        case .observed, .deadline, .timeout, .retry, .hedge, .coalesce, .bulkhead, .rateLimit,
            .circuitBreaker, .fallback:
            true
        default: false
        }
    }

    /// Whether it adds no time to a call.
    var takesNoTime: Bool {
        switch self {
        case .observed, .fallback, .authorizeKey, .cookies, .acceptStatus, .decompress,
            .defaultHeaders, .idempotencyKey, .exchangeLog, .circuitBreaker:
            true
        default: false
        }
    }

    /// Whether it adds credentials to requests.
    var addsCredentials: Bool {
        switch self {
        case .authorizeKey, .authorizeToken, .cookies: true
        default: false
        }
    }

    /// The layers of a stack, outermost first: 1 to 8, and at least four in half of the stacks.
    ///
    /// Two kinds that hide the layers beneath them are rarer than the others. In half of the stacks the
    /// policies for any input are outermost, so that they can go around functions of a number.
    static func draw(_ dice: inout SeededGenerator) -> [OrderedLayer] {
        let count = Int.random(in: Bool.random(using: &dice) ? 1...3 : 4...8, using: &dice)
        let layers = (0..<count).map { _ in
            let kind = allCases.randomElement(using: &dice) ?? .observed
            let isRare = kind == .fallback || kind == .idempotencyKey
            guard isRare, Int.random(in: 0..<3, using: &dice) > 0 else { return kind }
            return allCases.randomElement(using: &dice) ?? .observed
        }
        guard Bool.random(using: &dice) else { return layers }
        return layers.filter(\.isGeneral) + layers.filter { !$0.isGeneral }
    }
}

/// A layer and one beneath it, at any distance.
struct LayerPair: Hashable, Sendable, CustomStringConvertible {
    let outer: OrderedLayer
    let inner: OrderedLayer

    var description: String { "\(outer) > \(inner)" }

    /// All pairs of a stack.
    static func all(of layers: [OrderedLayer]) -> Set<LayerPair> {
        var pairs: Set<LayerPair> = []
        for (index, outer) in layers.enumerated() {
            for inner in layers[(index + 1)...] {
                pairs.insert(LayerPair(outer: outer, inner: inner))
            }
        }
        return pairs
    }
}
