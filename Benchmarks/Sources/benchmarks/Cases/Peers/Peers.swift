/// The additions of other libraries to the cases; none without the trait `Peers`.
enum Peers {
    /// A case, and another library's way of doing it.
    typealias Addition = (subject: Case, way: Way)

    #if Peers
    static let all: [Addition] = nio + openCombine + asyncHTTPClient

    /// The cases that only make sense beside another library.
    static let cases: [Case] = [.asyncHTTPClientAlone, .asyncHTTPClientTogether]
    #else
    static let all: [Addition] = []
    static let cases: [Case] = []
    static let aims: [Limits.Ratio] = []
    #endif
}
