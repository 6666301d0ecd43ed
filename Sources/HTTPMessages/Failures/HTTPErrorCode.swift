extension HTTPError {
    /// The kind of failure of an exchange.
    ///
    /// Transports may add their own codes.
    public struct Code: RawRepresentable, CustomStringConvertible, Sendable {
        /// A short word for logs and metrics, the same in all versions.
        public let rawValue: String

        /// The failure in words, as it appears in an error's text.
        public let description: String

        /// Creates a code whose description is its raw value.
        public init(rawValue: String) { self.init(rawValue: rawValue, description: rawValue) }

        /// Creates a code.
        ///
        /// - Parameters:
        ///   - rawValue: A short word for logs and metrics, such as "modemHungUp". Codes with the same word are
        ///     equal.
        ///   - description: The failure in words, such as "the modem hung up".
        package init(rawValue: String, description: String) {
            self.rawValue = rawValue
            self.description = description
        }

        /// The status is not accepted; by default, 200…299 are accepted.
        public static let unacceptableStatus = Code(
            rawValue: "unacceptableStatus", description: "the status is no success")
        /// The response's Content-Type is not the one that was asked for, such as `text/event-stream`.
        public static let unacceptableContentType = Code(
            rawValue: "unacceptableContentType",
            description: "the answer has another Content-Type than was asked for")
        /// The host's name cannot be resolved.
        public static let cannotFindHost = Code(
            rawValue: "cannotFindHost", description: "the host was not found")
        /// The host did not accept the connection.
        public static let cannotConnect = Code(
            rawValue: "cannotConnect", description: "the host refused the connection")
        /// The proxy refused to connect to the host, with a status such as 403 or 407, or a SOCKS reply.
        public static let proxyRefused = Code(
            rawValue: "proxyRefused", description: "the proxy refused to connect to the host")
        /// The connection ended before the response was complete.
        public static let connectionLost = Code(
            rawValue: "connectionLost", description: "the connection was lost")
        /// This machine has no network.
        public static let notConnected = Code(
            rawValue: "notConnected", description: "there is no network connection")
        /// No response arrived in time.
        public static let timedOut = Code(rawValue: "timedOut", description: "it timed out")
        /// No secure connection could be made, because of a certificate or of TLS itself.
        public static let insecureConnection = Code(
            rawValue: "insecureConnection", description: "no secure connection could be made")
        /// The response is not HTTP, or is incomplete.
        public static let badResponse = Code(
            rawValue: "badResponse", description: "the answer is no valid HTTP response")
        /// The body is larger than the transport may keep.
        public static let bodyTooLarge = Code(
            rawValue: "bodyTooLarge", description: "the body is too large")
        /// The body has more or fewer bytes than announced.
        public static let bodyLengthMismatch = Code(
            rawValue: "bodyLengthMismatch",
            description: "the body has not the length that was announced")
        /// The body isn't the expected one: its digest is different.
        public static let digestMismatch = Code(
            rawValue: "digestMismatch", description: "the body has not the expected digest")
        /// The body can be sent only once, and was sent already.
        public static let bodyNotReplayable = Code(
            rawValue: "bodyNotReplayable",
            description: "the body can be sent only once: make its source replayable")
        /// A chunk of the body was requested while an earlier one was still awaited.
        public static let bodyIsBeingRead = Code(
            rawValue: "bodyIsBeingRead",
            description: "the body is being read: await one chunk before asking for the next")
        /// The body to send cannot be read; the error's cause says why.
        public static let bodyUnreadable = Code(
            rawValue: "bodyUnreadable", description: "the body to be sent cannot be read")
        /// Bytes were written to a body after its end.
        public static let bodyEnded = Code(
            rawValue: "bodyEnded", description: "the body has ended: write nothing after finish()")
        /// The writer of a body was released before it ended the body.
        public static let bodyAbandoned = Code(
            rawValue: "bodyAbandoned",
            description: "the body was abandoned: its pipe was released before finish() or fail(_:)"
        )
        /// The multipart body is malformed, or exceeds the reader's limits; the error's cause says which.
        public static let malformedMultipart = Code(
            rawValue: "malformedMultipart", description: "the multipart body cannot be read")
        /// The file for a body cannot be written; the error's cause says why.
        public static let fileUnwritable = Code(
            rawValue: "fileUnwritable", description: "the file cannot be written")
        /// The transport was closed before the call.
        public static let transportClosed = Code(
            rawValue: "transportClosed", description: "the transport is closed")
        /// The transport does not support a part of the request; the error's cause names the part.
        public static let unsupported = Code(
            rawValue: "unsupported", description: "the transport cannot do this")
        /// The app's function that prepares the request threw an error, which is the cause.
        public static let requestNotPrepared = Code(
            rawValue: "requestNotPrepared", description: "the request could not be prepared")
        /// Redirects form a loop, or there are too many.
        public static let tooManyRedirects = Code(
            rawValue: "tooManyRedirects", description: "there were too many redirects")
        /// The transport refused to follow a redirect to a forbidden place.
        public static let redirectRefused = Code(
            rawValue: "redirectRefused", description: "the redirect was refused")
        /// The server refused the token, or the token had expired, and no new token is available.
        ///
        /// The error's cause says why.
        public static let tokenRefreshFailed = Code(
            rawValue: "tokenRefreshFailed", description: "no new access token could be had")
        /// The server no longer accepts the refresh token.
        ///
        /// Tokens are refreshed again only after a user has signed in. The error's cause is the server's response.
        public static let signInNeeded = Code(
            rawValue: "signInNeeded",
            description: "the refresh token is not valid any more: sign in")
        /// No user is signed in, or a user signed in or out during the request.
        ///
        /// The user signed in or out while the request waited for a token, before a redirect was followed, or before
        /// another attempt was sent.
        public static let sessionEnded = Code(
            rawValue: "sessionEnded", description: "the session ended: sign in and ask again")
        /// Another failure; the error's cause says which.
        public static let other = Code(rawValue: "other", description: "the transport failed")
    }
}

extension HTTPError.Code {
    /// The code for a proxy's response to CONNECT: `cannotConnect` if a new try may succeed, else `proxyRefused`.
    package static func refusal(byProxy status: Int) -> HTTPError.Code {
        [408, 425, 429].contains(status) || !(300...499).contains(status)
            ? .cannotConnect : .proxyRefused
    }
}

extension HTTPError.Code: Hashable {
    /// Returns whether the raw values are equal.
    public static func == (left: HTTPError.Code, right: HTTPError.Code) -> Bool {
        left.rawValue == right.rawValue
    }

    /// Hashes the properties that `==` compares.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}
