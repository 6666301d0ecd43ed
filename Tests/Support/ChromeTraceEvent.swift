/// An event of a trace, in the form that trace viewers read.
package struct ChromeTraceEvent: Decodable {
    package let name: String
    package let cat: String
    /// The kind: X for a span, i for a mark, M for the name of a row.
    package let ph: String
    /// When it began, and how long it took, in microseconds.
    package let ts: Double
    package let dur: Double?
    /// The number of the call.
    package let pid: Int
    package let tid: Int
    private let args: [String: Argument]

    /// The event's arguments, as texts.
    package var arguments: [String: String] { args.mapValues(\.text) }

    /// A text, a number or a Boolean.
    private struct Argument: Decodable {
        let text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                text = "\(number)"
            } else if let isTrue = try? container.decode(Bool.self) {
                text = "\(isTrue)"
            } else {
                text = try container.decode(String.self)
            }
        }
    }
}
