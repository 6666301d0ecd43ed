package import PledgeHTTPMessages

/// The directives of Cache-Control, in their strictest meaning.
///
/// If a field isn't a list of directives (RFC 9111, section 5.2), it's malformed, but its readable directives still
/// count. Names are in lower case.
package struct CacheControl: Hashable, Sendable {
    /// True if a field isn't a list of directives.
    private(set) var isMalformed = false

    let isPresent: Bool

    private var arguments: [String: [Argument]] = [:]

    package init(_ headers: HTTPHeaders) {
        // Line by line, so that an unclosed quotation mark doesn't affect the next line.
        let lines = headers.values(for: "Cache-Control")
        isPresent = !lines.isEmpty
        for line in lines {
            let list = CacheControlParser(line)
            isMalformed = isMalformed || list.isMalformed
            for (name, argument) in list.directives {
                arguments[name, default: []].append(argument)
            }
        }
    }

    /// Returns whether the directive is there, with or without an argument.
    func contains(_ name: String) -> Bool { arguments[name] != nil }

    /// The seconds of a directive that permits more the larger it is, such as max-age; nil if it's absent.
    ///
    /// The smallest of several values counts, and one that can't be read counts as zero.
    ///
    /// - Parameter bare: The value of a directive without an argument.
    func permitted(_ name: String, bare: Int64 = 0) -> Int64? {
        arguments[name]?.map { $0.seconds ?? ($0 == .none ? bare : 0) }.min()
    }

    /// The seconds of a directive that demands more the larger it is, such as min-fresh; nil if it's absent.
    ///
    /// The largest of several values counts, and one that can't be read counts as unlimited.
    func demanded(_ name: String) -> Int64? {
        arguments[name]?.map { $0.seconds ?? DeltaSeconds.most }.max()
    }

    /// The lowercase field names that a directive is limited to.
    ///
    /// - Returns: Empty if the directive is absent; nil if it applies to the whole response, because its argument is
    ///   missing or unreadable.
    func fieldNames(_ name: String) -> Set<String>? {
        var names: Set<String> = []
        for argument in arguments[name] ?? [] {
            guard let listed = argument.fieldNames else { return nil }
            names.formUnion(listed)
        }
        return names
    }
}

extension CacheControl {
    enum Argument: Hashable {
        case none
        /// A token, or what a quoted string contains.
        case text(String)
        /// Neither a token nor a quoted string.
        case garbage

        /// Nil unless the text has only digits.
        var seconds: Int64? {
            guard case .text(let text) = self else { return nil }
            return DeltaSeconds.parse(text)
        }

        /// In lower case; nil unless there is at least one and all are valid.
        var fieldNames: [String]? {
            guard case .text(let text) = self else { return nil }
            let names = text.split(separator: ",").map { HTTPHeaders.trimmed($0).lowercased() }
            return !names.isEmpty && names.allSatisfy(HTTPHeaders.isToken) ? names : nil
        }
    }
}

/// Parses one Cache-Control line.
///
/// A quoted string begins right after an equals sign. Other quotation marks have no meaning, so a comma after them
/// still separates directives.
struct CacheControlParser {
    private(set) var directives: [(name: String, argument: CacheControl.Argument)] = []
    private(set) var isMalformed = false

    private var reader: FieldReader

    init(_ line: String) {
        reader = FieldReader(line)
        while reader.nextMember() { readDirective() }
    }

    private mutating func readDirective() {
        let name = reader.token().lowercased()
        var argument = CacheControl.Argument.none
        if reader.skip("=") {
            argument = readArgument()
        } else if !reader.endMember() {
            argument = .garbage
        }
        if name.isEmpty || argument == .garbage { isMalformed = true }
        if !name.isEmpty { directives.append((name, argument)) }
    }

    private mutating func readArgument() -> CacheControl.Argument {
        let start = reader
        var text = reader.quotedString().flatMap { $0.isClosed ? $0.content : nil }
        if text == nil {
            reader = start
            let token = reader.token()
            text = token.isEmpty ? nil : token
        }
        return reader.endMember() ? text.map { .text($0) } ?? .garbage : .garbage
    }
}
