import PledgeHTTPMessages
import PledgeHTTPText
import PledgeObservation

/// A request in the form in which it's compared with recorded ones.
struct RecordedRequest: Sendable {
    let entry: HTTPArchive.Entry
    private let origin: HTTPOrigin?
    private let segments: [String]
    private let query: [Item]
    private let body: Data
    /// The body as JSON; nil if it isn't JSON, or if bodies aren't compared.
    private let json: JSONValue?
    private let comparesBody: Bool

    /// - Parameters:
    ///   - body: The body, if it isn't in the entry.
    ///   - matching: What to compare.
    init(_ entry: HTTPArchive.Entry, body: Data? = nil, for matching: ReplayTransport.Matching) {
        self.entry = entry
        let url = entry.request.url
        origin = HTTPOrigin(url)
        let path = AbsoluteURL(url)?.path ?? ""
        segments = path.drop { $0 == "/" }.split(separator: "/", omittingEmptySubsequences: false)
            .map { PercentEncoding.decode($0) ?? String($0) }
        query = ArchiveQuery.items(of: url)
        self.body = body ?? entry.request.body.data ?? Data()
        comparesBody = matching.body
        json = matching.body ? Self.json(self.body) : nil
    }

    /// What a request has in common with the recorded request that answers it.
    struct Key: Hashable {
        fileprivate let method: HTTPMethod
        fileprivate let origin: HTTPOrigin
        /// Nil if one of the path's segments was redacted.
        fileprivate var segments: [String]?
        fileprivate let count: Int
        /// Nil if bodies aren't compared as bytes or JSON.
        fileprivate var body: Body?

        fileprivate enum Body: Hashable {
            case json(JSONValue)
            case bytes(Data)
        }
    }

    /// The key of this recorded request; nil if it answers no request.
    var key: Key? {
        guard var key = exactKey else { return nil }
        if segments.contains(where: Self.isRedacted) { key.segments = nil }
        let isExact =
            entry.missingRequestBody == nil && !isForm
            && !Self.isRedacted(String(decoding: body, as: UTF8.self))
        if !isExact { key.body = nil }
        return key
    }

    /// The keys of recorded requests that may answer this one.
    var keys: Set<Key> {
        guard let key = exactKey else { return [] }
        var keys: Set<Key> = [key]
        for path in [key.segments, nil] {
            for body in [key.body, nil] {
                var other = key
                (other.segments, other.body) = (path, body)
                keys.insert(other)
            }
        }
        return keys
    }

    private var exactKey: Key? {
        origin.map {
            Key(
                method: entry.request.method, origin: $0, segments: segments,
                count: segments.count,
                body: comparesBody ? json.map { .json($0) } ?? .bytes(body) : nil)
        }
    }

    private static func isRedacted(_ text: String) -> Bool {
        text.utf8.split(around: HTTPArchive.redacted.utf8).count > 1
    }

    /// An item of a query or a form; without "=", it has no value.
    private typealias Item = (name: String, value: String?)

    struct Difference {
        let text: String
        /// How much it counts in the search for the nearest recorded request.
        var weight = 1
    }

    /// How a request differs from this recorded one; empty if this one answers it.
    func differences(
        from asked: RecordedRequest, by matching: ReplayTransport.Matching
    ) -> [Difference] {
        var all: [Difference] = []
        let (mine, theirs) = (entry.request, asked.entry.request)
        if mine.method != theirs.method {
            all.append(Difference(text: "the method is not \(mine.method)", weight: 2))
        }
        if origin == nil || origin != asked.origin {
            all.append(Difference(text: "the URL begins differently", weight: 4))
        }
        all += differencesOfPath(from: asked)
        if matching.query {
            all += Self.differences(query, asked.query, in: "the query")
        }
        for name in matching.headers {
            let (own, other) = (mine.effectiveHeaders[name], theirs.effectiveHeaders[name])
            if let own, let other, Self.matches(own, other) { continue }
            if own == nil, other == nil { continue }
            all.append(Difference(text: "the header \(name.debugDescription) is another one"))
        }
        if matching.body, entry.missingRequestBody == nil {
            all += differencesOfBody(from: asked)
        }
        return all
    }

    private func differencesOfPath(from asked: RecordedRequest) -> [Difference] {
        guard segments.count == asked.segments.count else {
            let text = "the path has \(asked.segments.count) segments, not \(segments.count)"
            return [Difference(text: text, weight: 4)]
        }
        return zip(segments, asked.segments).enumerated().compactMap { index, pair in
            if Self.matches(pair.0, pair.1) { return nil }
            let text =
                "segment \(index + 1) is \(pair.1.debugDescription), not \(pair.0.debugDescription)"
            return Difference(text: text, weight: 2)
        }
    }

    private func differencesOfBody(from asked: RecordedRequest) -> [Difference] {
        let another = Difference(text: "the body is another one", weight: 3)
        if let mine = json {
            let isSame = asked.json.map { Self.matches(mine, $0) } ?? false
            return isSame ? [] : [another]
        }
        let mine = String(decoding: body, as: UTF8.self)
        let theirs = String(decoding: asked.body, as: UTF8.self)
        if isForm, asked.isForm {
            return Self.differences(
                ArchiveQuery.items(in: mine[...]), ArchiveQuery.items(in: theirs[...]),
                in: "the form")
        }
        let isText = String(validating: body, as: UTF8.self) != nil
        return body == asked.body || isText && Self.matches(mine, theirs) ? [] : [another]
    }

    private var isForm: Bool {
        entry.request.effectiveHeaders["Content-Type"]?.lowercased()
            .hasPrefix("application/x-www-form-urlencoded") ?? false
    }

    private static func json(_ body: Data) -> JSONValue? {
        guard let first = body.first(where: { $0 > 32 }), "{[".utf8.contains(first) else {
            return nil
        }
        return try? JSONDecoder().decode(JSONValue.self, from: body)
    }
}

extension RecordedRequest {
    /// The differences between recorded items and a request's, in any order.
    private static func differences(
        _ recorded: [Item], _ asked: [Item], in place: String
    ) -> [Difference] {
        var rest = asked
        // A redacted item matches anything, so the others choose first.
        let known = recorded.filter { !isRedacted($0) }
        var missing: [Item] = []
        for item in known + recorded.filter(isRedacted) {
            if let index = rest.firstIndex(where: { matches(item, $0) }) {
                rest.remove(at: index)
            } else {
                missing.append(item)
            }
        }
        var texts: [String] = []
        for item in missing {
            if let index = rest.firstIndex(where: { $0.name == item.name }) {
                rest.remove(at: index)
                texts.append("\(place)'s \(shownName(item)) is another one")
            } else {
                texts.append("\(place) has no \(shownName(item))")
            }
        }
        texts += rest.map { "\(place) has \(shownName($0)), which wasn't recorded" }
        return texts.map { Difference(text: $0) }
    }

    /// The name for a message; an item without "=" is a value, which isn't shown.
    private static func shownName(_ item: Item) -> String {
        item.value == nil ? "\"…\"" : item.name.debugDescription
    }

    private static func isRedacted(_ item: Item) -> Bool {
        (item.value ?? item.name).contains(HTTPArchive.redacted)
    }

    private static func matches(_ recorded: Item, _ asked: Item) -> Bool {
        if recorded.value == nil, asked.value == nil { return matches(recorded.name, asked.name) }
        return recorded.name == asked.name && matches(recorded.value ?? "", asked.value ?? "")
    }

    /// Returns whether a text is as recorded, with any text in place of what was redacted.
    static func matches(_ recorded: String, _ text: String) -> Bool {
        let parts = recorded.utf8.split(around: HTTPArchive.redacted.utf8)
        guard parts.count > 1, let first = parts.first, let last = parts.last else {
            return recorded.utf8.elementsEqual(text.utf8)
        }
        var rest = Substring(text).utf8
        guard rest.count >= first.count + last.count, rest.starts(with: first),
            rest.suffix(last.count).elementsEqual(last)
        else { return false }
        rest = rest.dropFirst(first.count).dropLast(last.count)
        for part in parts.dropFirst().dropLast() {
            guard let after = rest.after(part) else { return false }
            rest = after
        }
        return true
    }

    private static func matches(_ recorded: JSONValue, _ value: JSONValue) -> Bool {
        switch (recorded, value) {
        case (.string(HTTPArchive.redacted), _): true
        case (.string(let mine), .string(let theirs)): matches(mine, theirs)
        case (.array(let mine), .array(let theirs)):
            mine.count == theirs.count && zip(mine, theirs).allSatisfy { matches($0, $1) }
        case (.object(let mine), .object(let theirs)):
            mine.count == theirs.count
                && mine.allSatisfy { name, value in theirs[name].map { matches(value, $0) } ?? false
                }
        default: recorded == value
        }
    }
}

extension [RecordedRequest.Difference] {
    var weight: Int { reduce(0) { $0 + $1.weight } }
}

extension Substring.UTF8View {
    /// What follows the first occurrence of a text.
    fileprivate func after(_ part: Substring.UTF8View) -> Substring.UTF8View? {
        var rest = self
        while true {
            if rest.starts(with: part) { return rest.dropFirst(part.count) }
            if rest.popFirst() == nil { return nil }
        }
    }
}

extension String.UTF8View {
    /// Splits around each occurrence of a text.
    fileprivate func split(around sign: String.UTF8View) -> [Substring.UTF8View] {
        var parts: [Substring.UTF8View] = []
        var start = startIndex
        var rest = self[...]
        while let byte = rest.first {
            if byte == sign.first, rest.starts(with: sign) {
                parts.append(self[start..<rest.startIndex])
                rest = rest.dropFirst(sign.count)
                start = rest.startIndex
            } else {
                rest.removeFirst()
            }
        }
        return parts + [self[start...]]
    }
}
