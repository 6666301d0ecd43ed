extension HTTPError {
    /// The request as a command line for curl, without secrets.
    ///
    /// See ``HTTPRequest/curlCommand``. Nil if the request is not known, or if the endpoint could
    /// not be sent.
    public var curlCommand: String? { curlCommand(revealingSecrets: false) }

    /// The request as a command line for curl.
    ///
    /// - Parameter revealingSecrets: Whether everything is shown as it is sent. Such a text must not be
    ///   written to a log.
    /// - Returns: See ``HTTPRequest/curlCommand(revealingSecrets:)``. Nil if the request is not
    ///   known, or if the endpoint could not be sent.
    public func curlCommand(revealingSecrets: Bool) -> String? {
        let asked = request ?? endpoint.flatMap { try? HTTPRequest($0) }
        return asked?.curlCommand(revealingSecrets: revealingSecrets)
    }
}
