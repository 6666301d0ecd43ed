import HTTPTestSupport
import TestSupport

/// The random server's answer to a request.
enum OrderAnswer: Sendable {
    /// No connection is made.
    case unreachable
    /// The connection is lost after the request has arrived.
    case lost
    /// The answer's body ends too early.
    case cutShort
    case status(Int, retryAfter: Int? = nil)
    case redirect(Int, toOtherHost: Bool)
    case cacheable
    case compressed(isCutShort: Bool)

    /// Makes a random answer.
    ///
    /// - Parameter isHealthy: Whether the server never fails.
    static func draw(_ dice: inout SeededGenerator, isHealthy: Bool) -> OrderAnswer {
        switch Int.random(in: 0..<100, using: &dice) {
        case 0..<22: .status(200)
        case 22..<30: .cacheable
        case 30..<34: .compressed(isCutShort: false)
        case 34..<37: .status(204)
        case 37..<52:
            .redirect(
                [301, 302, 303, 307, 308].randomElement(using: &dice) ?? 302,
                toOtherHost: Bool.random(using: &dice))
        case 52..<58: .status(401)
        case 58..<72:
            .status(
                [403, 404, 413, 421, 422, 425].randomElement(using: &dice) ?? 404,
                retryAfter: Int.random(in: 0..<3, using: &dice) == 0 ? 1 : nil)
        case _ where isHealthy: .status(422)
        case 72..<79: .status(503, retryAfter: [nil, 0, 2, 100].randomElement(using: &dice) ?? nil)
        case 79..<83: .status(500)
        case 83..<87: .status(429, retryAfter: Bool.random(using: &dice) ? 1 : nil)
        case 87..<91: .unreachable
        case 91..<97: .lost
        case 97..<99: .cutShort
        default: .compressed(isCutShort: true)
        }
    }

    /// Whether it shows that the service is not healthy.
    var isEvidence: Bool {
        switch self {
        case .unreachable, .lost, .cutShort, .compressed(isCutShort: true): true
        case .status(let status, _): status >= 500 || status == 408 || status == 429
        default: false
        }
    }

    /// Whether the server has processed a request that gets this answer.
    var hasProcessed: Bool {
        switch self {
        case .unreachable, .redirect: false
        case .status(let status, _): ![401, 407, 421, 425].contains(status)
        default: true
        }
    }
}
