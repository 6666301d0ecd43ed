public import PledgeFutures
import PledgeHTTPText

/// A server's description of a problem in `application/problem+json` (RFC 9457).
///
/// ```swift
/// if let problem = error.problem, problem.type == "https://example.com/probs/out-of-credit",
///     case .integer(let balance) = problem.extensions["balance"] { … }
/// ```
///
/// As the RFC demands, a member of the wrong type is ignored.
public struct HTTPProblem: Hashable, Sendable {
    /// The kind of problem, as a URI or as a reference relative to the response's URL.
    ///
    /// If the server names no kind, this is "about:blank", which means that only the status describes the problem.
    public let type: String

    /// The kind in a few words, the same for every problem of this kind.
    public let title: String?

    /// The origin server's status; a proxy may have changed the response's own status.
    public let status: Int?

    /// A description of this occurrence of the problem.
    public let detail: String?

    /// A URI reference that identifies this occurrence of the problem.
    public let instance: String?

    /// All other members by name; their meaning depends on the type.
    public let extensions: [String: JSONValue]
}

extension HTTPProblem: Decodable {
    /// Reads the members of a JSON object.
    ///
    /// - Throws: `DecodingError` if the JSON value is not an object.
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
    /// The problem that the body describes.
    ///
    /// Nil if the Content-Type is not `application/problem+json`, or the body is not a JSON object. Each access
    /// parses the body, in time linear in its size.
    public var problem: HTTPProblem? {
        guard BodyText.mediaType(headers["Content-Type"]) == "application/problem+json" else {
            return nil
        }
        return try? JSONDecoder().decode(HTTPProblem.self, from: body)
    }
}

extension HTTPError {
    /// The problem that the response describes; see ``HTTPResponse/problem``.
    public var problem: HTTPProblem? { response?.problem }
}

extension HTTPProblem: DescriptionOnly {
    /// The status and the number of members, without their text, which may contain secrets.
    ///
    /// The description of the ``HTTPError`` shows the parts that may be shown.
    public var description: String {
        let members = [title, detail, instance].compactMap(\.self).count + extensions.count
        return "a problem\(status.map { " of status \($0)" } ?? "") with \(members) more members"
    }
}
