package import PledgeHTTPMessages

/// The directives of Cache-Control fields, in their strictest interpretation.
///
/// Anything that isn't a list of directives (RFC 9111, section 5.2) makes the fields malformed, but the readable
/// directives still count. Names are compared in lower case. An argument is a token or a quoted string.
package struct CacheControl: Hashable, Sendable {
    /// True if a field isn't a list of directives, so that the field's meaning is unknown.
    private(set) var isMalformed = false

    /// True if the headers have a Cache-Control field.
    let isPresent: Bool

    private var arguments: [String: [Argument]] = [:]

    package init(_ headers: HTTPHeaders) {
        // Each line is parsed by itself, so that an unclosed quotation mark doesn't affect the next line.
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

    /// Returns whether a directive is present, with or without an argument.
    func contains(_ name: String) -> Bool { arguments[name] != nil }

    /// Returns the seconds of a directive whose larger values permit more, such as max-age; nil if it's absent.
    ///
    /// If the directive occurs several times, the smallest value counts. A value that can't be parsed counts as zero.
    ///
    /// - Parameters:
    ///   - name: The directive.
    ///   - bare: The value that counts if the directive has no argument.
    func permitted(_ name: String, bare: Int64 = 0) -> Int64? {
        arguments[name]?.map { $0.seconds ?? ($0 == .none ? bare : 0) }.min()
    }

    /// Returns the seconds of a directive whose larger values demand more, such as min-fresh; nil if it's absent.
    ///
    /// If the directive occurs several times, the largest value counts. A value that can't be parsed counts as
    /// unlimited.
    func demanded(_ name: String) -> Int64? {
        arguments[name]?.map { $0.seconds ?? DeltaSeconds.most }.max()
    }

    /// Returns the lowercase names of the fields that a directive is limited to.
    ///
    /// - Returns: Empty if the directive is absent. Nil if the directive has no argument, or one that can't be parsed;
    ///   such a directive applies to the whole response.
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
    /// The argument of a directive.
    enum Argument: Hashable {
        /// No argument.
        case none
        /// A token, or the content of a quoted string.
        case text(String)
        /// Text that is neither a token nor a quoted string.
        case garbage

        /// The number of seconds; nil unless the text consists of digits only.
        var seconds: Int64? {
            guard case .text(let text) = self else { return nil }
            return DeltaSeconds.parse(text)
        }

        /// The field names in lower case; nil unless there is at least one and all are valid.
        var fieldNames: [String]? {
            guard case .text(let text) = self else { return nil }
            let names = text.split(separator: ",").map { HTTPHeaders.trimmed($0).lowercased() }
            return !names.isEmpty && names.allSatisfy(HTTPHeaders.isToken) ? names : nil
        }
    }
}

/// A parser of one Cache-Control line.
///
/// A quoted string begins with a quotation mark directly after an equals sign, and ends with a second one. Any other
/// quotation mark has no special meaning, so a comma after it still separates two directives.
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
