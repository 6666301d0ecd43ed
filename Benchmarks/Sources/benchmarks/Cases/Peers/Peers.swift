/// What other libraries add to the cases; nothing without the trait `Peers`.
enum Peers {
    /// A case, and how another library does it.
    typealias Addition = (subject: Case, way: Way)

    #if Peers
    static let all: [Addition] = nio + openCombine + asyncHTTPClient

    /// What can only be measured beside another library.
    static let cases: [Case] = [.asyncHTTPClientAlone, .asyncHTTPClientTogether]
    #else
    static let all: [Addition] = []
    static let cases: [Case] = []
    static let aims: [Limits.Ratio] = []
    #endif
}
