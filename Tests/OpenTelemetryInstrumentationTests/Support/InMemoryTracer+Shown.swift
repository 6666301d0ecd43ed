#if Observability
import InMemoryTracing
import Tracing

extension SpanAttributes {
    /// Each attribute as text, with the type of one that is no string.
    var shown: [String: String] {
        var all: [String: String] = [:]
        forEach { name, value in
            switch value {
            case .string(let text): all[name] = text
            case .int32(let number): all[name] = "Int \(number)"
            case .int64(let number): all[name] = "Int \(number)"
            default: all[name] = "\(value)"
            }
        }
        return all
    }
}

extension InMemoryTracer {
    /// The attributes of the only span that has ended.
    var attributes: [String: String] {
        let spans = finishedSpans
        return spans.count == 1 ? spans[0].attributes.shown : ["spans": "\(spans.count)"]
    }
}
#endif
