extension HTTPError {
    /// How an exchange failed.
    ///
    /// Transports may add codes of their own.
    public struct Code: RawRepresentable {
        /// The failure in words, as it stands in an error's text.
        public var rawValue: String

        /// Makes a code of words.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The status lies outside 200…299.
        public static let unacceptableStatus = Code(rawValue: "the status is no success")
        /// The host's name leads nowhere.
        public static let cannotFindHost = Code(rawValue: "the host was not found")
        /// The host did not accept the connection.
        public static let cannotConnect = Code(rawValue: "the host refused the connection")
        /// The connection ended before the answer was whole.
        public static let connectionLost = Code(rawValue: "the connection was lost")
        /// This machine has no network.
        public static let notConnected = Code(rawValue: "there is no network connection")
        /// No answer came in time.
        public static let timedOut = Code(rawValue: "it timed out")
        /// No secure connection could be made: a certificate, or TLS itself.
        public static let insecureConnection = Code(
            rawValue: "no secure connection could be made"
        )
        /// The answer is not HTTP, or not whole.
        public static let badResponse = Code(rawValue: "the answer is no valid HTTP response")
        /// The body is larger than the transport may keep.
        public static let bodyTooLarge = Code(rawValue: "the body is too large")
        /// The body has fewer or more bytes than was announced.
        public static let bodyLengthMismatch = Code(
            rawValue: "the body has not the length that was announced"
        )
        /// The body can be sent once only, and was.
        public static let bodyNotReplayable = Code(
            rawValue: "the body can be sent only once: make its source replayable"
        )
        /// A chunk of the body was asked for while another was awaited.
        public static let bodyIsBeingRead = Code(
            rawValue: "the body is being read: await one chunk before asking for the next"
        )
        /// The body to be sent cannot be read; the error's cause says why.
        public static let bodyUnreadable = Code(rawValue: "the body to be sent cannot be read")
        /// Bytes were written to a body after its end.
        public static let bodyEnded = Code(
            rawValue: "the body has ended: write nothing after finish()"
        )
        /// The writer of a body was released before it had ended it.
        public static let bodyAbandoned = Code(
            rawValue: "the body was abandoned: its pipe was released before finish() or fail(_:)"
        )
        /// The file into which a body goes cannot be written; the error's cause says why.
        public static let fileUnwritable = Code(rawValue: "the file cannot be written")
        /// The transport was closed before the call.
        public static let transportClosed = Code(rawValue: "the transport is closed")
        /// The transport cannot do what the request asks for; the error's cause says what.
        public static let unsupported = Code(rawValue: "the transport cannot do this")
        /// Redirects went round in a circle, or too far.
        public static let tooManyRedirects = Code(rawValue: "there were too many redirects")
        /// Something else; the error's cause says what.
        public static let other = Code(rawValue: "the transport failed")
    }
}

extension HTTPError.Code: CustomStringConvertible {
    /// The failure in words.
    public var description: String { rawValue }
}

extension HTTPError.Code: Hashable {}

extension HTTPError.Code: Sendable {}
