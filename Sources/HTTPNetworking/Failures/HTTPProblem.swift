/// A server's description of a problem in `application/problem+json` (RFC 9457).
///
/// ```swift
/// if let problem = error.problem, problem.type == "https://example.com/probs/out-of-credit",
///     case .integer(let balance) = problem.extensions["balance"] { … }
/// ```
///
/// A member of another type than the RFC gives it is ignored, as the RFC demands.
public struct HTTPProblem {
    /// What kind of problem it is: a URI, or a reference to one that is relative to the response's URL.
    ///
    /// It is "about:blank", which means the same as the status, if the server names none.
    public let type: String

    /// The kind in a few words, the same for each problem of this kind.
    public let title: String?

    /// The status of the origin server; a proxy may have changed the response's own status.
    public let status: Int?

    /// This occurrence of the problem in words.
    public let detail: String?

    /// The occurrence: a URI reference.
    public let instance: String?

    /// All other members, by their names; their meaning depends on the type.
    public let extensions: [String: JSONValue]
}

extension HTTPProblem: Decodable {
    /// Reads the members of a JSON object.
    ///
    /// - Throws: `DecodingError` if it is not an object.
    public init(from decoder: any Decoder) throws {
        var members = try [String: JSONValue](from: decoder)
        func text(_ name: String) -> String? {
            if case .string(let text)? = members.removeValue(forKey: name) { text } else { nil }
        }
        type = text("type") ?? "about:blank"
        title = text("title")
        detail = text("detail")
        instance = text("instance")
        if case .integer(let number)? = members.removeValue(forKey: "status") {
            status = number
        } else {
            status = nil
        }
        extensions = members
    }
}

extension HTTPResponse {
    /// The problem that the body describes, nil if its Content-Type is not `application/problem+json` or it
    /// is not a JSON object.
    ///
    /// Each access parses the body, in time linear in its size.
    public var problem: HTTPProblem? {
        guard BodyText.mediaType(headers["Content-Type"]) == "application/problem+json" else {
            return nil
        }
        return try? JSONDecoder().decode(HTTPProblem.self, from: body)
    }
}

extension HTTPError {
    /// The problem that the answer describes; see ``HTTPResponse/problem``.
    public var problem: HTTPProblem? { response?.problem }
}

extension HTTPProblem: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status, and the number of members; not their text, which may contain secrets.
    ///
    /// What may be shown of it is in the description of its ``HTTPError``.
    public var description: String {
        let members = [title, detail, instance].compactMap(\.self).count + extensions.count
        return "a problem\(status.map { " of status \($0)" } ?? "") with \(members) more members"
    }

    /// The same as `description`, so that a debugger prints no secret either.
    public var debugDescription: String { description }

    /// A mirror that shows the description.
    public var customMirror: Mirror { Mirror(self, children: ["problem": description]) }
}

extension HTTPProblem: Hashable {}

extension HTTPProblem: Sendable {}
