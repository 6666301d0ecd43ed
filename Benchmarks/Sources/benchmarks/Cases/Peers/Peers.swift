/// What other libraries add to the cases; nothing without the trait `Peers`.
enum Peers {
    /// A case, and how another library does it.
    typealias Addition = (subject: Case, way: Way)

    #if Peers
    static let all: [Addition] = nio + openCombine + asyncHTTPClient
    #else
    static let all: [Addition] = []
    static let limits: [Limits.Ratio] = []
    #endif
}
