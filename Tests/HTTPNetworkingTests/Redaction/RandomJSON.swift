/// Random JSON objects, with texts that the caller makes.
enum RandomJSON {
    static func object<Generator: RandomNumberGenerator>(
        depth: Int, using random: inout Generator, text: (inout Generator) -> String
    ) -> [String: Any] {
        var object: [String: Any] = [:]
        for number in 0...Int.random(in: 0...3, using: &random) {
            object["k\(number)\(random.next() % 10)"] = value(
                depth: depth, using: &random, text: text)
        }
        return object
    }

    private static func value<Generator: RandomNumberGenerator>(
        depth: Int, using random: inout Generator, text: (inout Generator) -> String
    ) -> Any {
        switch Int.random(in: 0...(depth > 0 ? 5 : 3), using: &random) {
        case 0: return true
        case 1: return Int.random(in: 0..<100, using: &random)
        case 2, 3: return text(&random)
        case 4: return object(depth: depth - 1, using: &random, text: text)
        default:
            return (0..<2).map { _ in value(depth: depth - 1, using: &random, text: text) }
        }
    }
}
