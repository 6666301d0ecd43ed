import TestSupport

/// The kind of a script, which decides how its server answers.
enum OrderBehaviour: Sendable {
    /// A few calls; the server answers at random.
    case random
    /// Many calls; the server is down, and gives each of them this answer at once.
    case down(OrderAnswer)
    /// The same GET a few times; the server's answer may be stored, and the server confirms a stored answer.
    case confirming

    /// Makes a random behaviour.
    static func draw(_ dice: inout SeededGenerator) -> OrderBehaviour {
        switch Int.random(in: 0..<30, using: &dice) {
        case 0:
            let delay = [nil, 0, 0, 1].randomElement(using: &dice) ?? nil
            let answers: [OrderAnswer] = [
                .unreachable, .lost, .status(500), .status(503, retryAfter: delay),
                .status(429, retryAfter: delay),
            ]
            return .down(answers.randomElement(using: &dice) ?? .lost)
        case 1: return .confirming
        default: return .random
        }
    }

    /// Adds the layers that the script tests, at random places.
    func complete(_ layers: inout [OrderedLayer], _ dice: inout SeededGenerator) {
        switch self {
        case .random: return
        case .down:
            guard !layers.contains(.retry) else { return }
            layers.insert(.retry, at: Int.random(in: 0...layers.count, using: &dice))
        case .confirming:
            // A cache above credentials stores nothing.
            let first = layers.lastIndex(where: \.addsCredentials) ?? -1
            let place = Int.random(in: (first + 1)...layers.count, using: &dice)
            layers.insert(.cache, at: place)
            layers.insert(.authorizeToken, at: Int.random(in: 0...place, using: &dice))
        }
    }

    /// The number of calls of a script.
    func drawCount(_ dice: inout SeededGenerator) -> Int {
        switch self {
        case .random: Int.random(in: 1...4, using: &dice)
        case .down: 30
        case .confirming: 4
        }
    }
}
