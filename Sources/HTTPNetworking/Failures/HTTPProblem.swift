/// What went wrong, as a server tells it in `application/problem+json` (RFC 9457).
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
    /// It is "about:blank", which says no more than the status does, where the server names none.
    public let type: String

    /// The kind in a few words, the same for each problem of it.
    public let title: String?

    /// The status that the server gave; the response's own may have been changed on its way.
    public let status: Int?

    /// This very problem in words.
    public let detail: String?

    /// Which one it was: a reference to a URI.
    public let instance: String?

    /// All other members, by their names; what they mean depends on the type.
    public let extensions: [String: JSONValue]
}

extension HTTPProblem: Decodable {
    /// Reads the members of a JSON object.
    ///
    /// - Throws: `DecodingError` where it is no object.
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
    /// The problem that the body describes, nil where its Content-Type is not
    /// `application/problem+json` or it is no JSON object.
    ///
    /// It is read each time that it is asked for, in time linear in the size of the body.
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
    /// The status, and how many members there are; nothing of their text, which may hold secrets.
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
