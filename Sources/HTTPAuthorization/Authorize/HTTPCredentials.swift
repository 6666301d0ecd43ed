import HTTPNetworking

/// By what a request is let in.
public struct HTTPCredentials {
    enum Kind: Sendable {
        /// A header that stays the same.
        case fixed(name: String, value: String, of: Principal)
        /// Something that cannot be sent.
        case invalid
        /// A token that is renewed.
        case refreshed(TokenRefresher)
    }

    let kind: Kind

    /// A name and a password, as UTF-8 (RFC 7617).
    ///
    /// A name with a colon and control characters in either cannot be sent: the call then rejects with
    /// `Endpoint.Error.invalidHeader(name:)`.
    public static func basic(user: String, password: String) -> HTTPCredentials {
        let text = "\(user):\(password)"
        let hasControl = text.unicodeScalars.contains {
            $0.properties.generalCategory == .control
        }
        guard !hasControl, !user.utf8.contains(UInt8(ascii: ":")) else {
            return HTTPCredentials(kind: .invalid)
        }
        return .header("Authorization", "Basic \(Data(text.utf8).base64EncodedString())")
    }

    /// A token that stays the same (RFC 6750).
    public static func bearer(_ token: String) -> HTTPCredentials {
        .header("Authorization", "Bearer \(token)")
    }

    /// A token that is renewed when the server refuses it, or when its time is nearly over.
    public static func bearer(from refresher: TokenRefresher) -> HTTPCredentials {
        HTTPCredentials(kind: .refreshed(refresher))
    }

    /// A header of your own, such as X-API-Key.
    public static func header(_ name: String, _ value: String) -> HTTPCredentials {
        HTTPCredentials(
            kind: .fixed(name: name, value: value, of: .holder(of: value, in: name)))
    }
}

extension HTTPCredentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    /// That there are some; nothing of them.
    public var description: String { "credentials" }

    /// The same as `description`, so that a debugger prints no secret either.
    public var debugDescription: String { description }

    /// A mirror that shows nothing.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension HTTPCredentials: Sendable {}
