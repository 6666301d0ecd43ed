/// The colours of a waterfall, by their numbers in the sixteen that a terminal's user has chosen.
enum WaterfallColour: Int {
    case success = 32
    case failure = 31
    case retryable = 33
    case ignorable = 90
    case unfinished = 36
    case mark = 35

    /// The colour of a span with an outcome, which is empty while the span goes on.
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
