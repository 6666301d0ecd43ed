/// The colours of a waterfall, by their numbers among the sixteen of a terminal.
enum WaterfallColour: Int {
    case success = 32
    case failure = 31
    case retryable = 33
    case ignorable = 90
    case unfinished = 36
    case mark = 35

    /// The colour of a span with an outcome, which is empty while the span is under way.
    init(ofOutcome outcome: String) {
        switch outcome {
        case "success": self = .success
        case "retryable": self = .retryable
        case "ignorable": self = .ignorable
        case "": self = .unfinished
        default: self = .failure
        }
    }

    /// A text in this colour, if the style has colours and the text is not empty.
    func paint(_ text: String, in style: RecordedCall.WaterfallStyle) -> String {
        switch style {
        case .ansi where !text.isEmpty: "\u{1B}[\(rawValue)m\(text)\u{1B}[0m"
        case .ansi, .plain: text
        }
    }
}
