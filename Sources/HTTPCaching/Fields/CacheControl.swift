import HTTPNetworking

/// The directives of Cache-Control fields, read as a server may have meant them at the strictest.
///
/// What is no list of directives (RFC 9111, section 5.2) makes the fields malformed; what can be read of
/// them counts nevertheless. Names are compared in lower case. An argument may be a token or a
/// quoted string.
struct CacheControl: Hashable, Sendable {
    /// Whether a field was no list of directives, so that it is not known what was meant.
    private(set) var isMalformed = false

    /// Whether there was a field at all.
    let isPresent: Bool

    private var arguments: [String: [Argument]] = [:]

    init(_ headers: HTTPHeaders) {
        // Each line for itself: an unclosed quotation mark in one does not swallow the next.
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

    /// The seconds of a directive that permits more the more it says, nil where it is not there.
    ///
    /// Of several the least; zero where one cannot be read.
    ///
    /// - Parameters:
    ///   - name: The directive.
    ///   - bare: What it says where it has no argument.
    func permitted(_ name: String, bare: Int = 0) -> Int? {
        arguments[name]?.map { $0.seconds ?? ($0 == .none ? bare : 0) }.min()
    }

    /// The seconds of a directive that demands more the more it says, nil where it is not there.
    ///
    /// Of several the most; without end where one cannot be read.
    func demanded(_ name: String) -> Int? {
        arguments[name]?.map { $0.seconds ?? DeltaSeconds.most }.max()
    }

    /// The field names, in lower case, that a directive is limited to, nil if it holds for the
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
    /// What stands behind a directive's name.
    enum Argument: Hashable {
        /// Nothing.
        case none
        /// A token, or the content of a quoted string.
        case text(String)
        /// What is neither.
        case garbage

        /// A count of seconds, where it is nothing but digits.
        var seconds: Int? {
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
