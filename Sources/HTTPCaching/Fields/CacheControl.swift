import PledgeHTTPNetworking

/// The directives of Cache-Control fields, in their strictest interpretation.
///
/// Anything that is not a list of directives (RFC 9111, section 5.2) makes the fields malformed; the readable
/// directives count nevertheless. Names are compared in lower case. An argument may be a token or a quoted
/// string.
struct CacheControl: Hashable, Sendable {
    /// Whether a field was not a list of directives, so that its meaning is not known.
    private(set) var isMalformed = false

    /// Whether there was a field at all.
    let isPresent: Bool

    private var arguments: [String: [Argument]] = [:]

    init(_ headers: HTTPHeaders) {
        // Each line separately: an unclosed quotation mark in one does not affect the next.
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

    /// Whether a directive is there, with any argument.
    func contains(_ name: String) -> Bool { arguments[name] != nil }

    /// The seconds of a permissive directive, with which more is allowed; nil if it is absent.
    ///
    /// The least of several; zero if one cannot be parsed.
    ///
    /// - Parameters:
    ///   - name: The directive.
    ///   - bare: Its value without an argument.
    func permitted(_ name: String, bare: Int64 = 0) -> Int64? {
        arguments[name]?.map { $0.seconds ?? ($0 == .none ? bare : 0) }.min()
    }

    /// The seconds of a demanding directive, with which more is required; nil if it is absent.
    ///
    /// The greatest of several; unlimited if one cannot be parsed.
    func demanded(_ name: String) -> Int64? {
        arguments[name]?.map { $0.seconds ?? DeltaSeconds.most }.max()
    }

    /// The field names, in lower case, that a directive is limited to; nil if it holds for the
    /// whole response, also because its argument cannot be parsed.
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
        /// Nothing.
        case none
        /// A token, or the content of a quoted string.
        case text(String)
        /// Anything else.
        case garbage

        /// A number of seconds, if it consists of digits only.
        var seconds: Int64? {
            guard case .text(let text) = self else { return nil }
            return DeltaSeconds.parse(text)
        }

        /// Names of fields, at least one and all valid.
        var fieldNames: [String]? {
            guard case .text(let text) = self else { return nil }
            let names = text.split(separator: ",").map { HTTPHeaders.trimmed($0).lowercased() }
            return !names.isEmpty && names.allSatisfy(HTTPHeaders.isToken) ? names : nil
        }
    }
}
