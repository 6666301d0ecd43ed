extension HTTPRequest {
    /// The request as a command line for curl, without secrets: for a log, or a report of a fault.
    ///
    /// ```
    /// curl \
    ///   --request POST \
    ///   --url 'https://api.example.com/orders?key=…' \
    ///   --header 'Authorization: …' \
    ///   --header 'Content-Type: application/json' \
    ///   --data-binary '{"item":…,"name":"…"}'
    /// ```
    ///
    /// Of URL and headers it shows what `description` of each does; of a body in memory, names and
    /// structure. The path of a file is shown. Run as it is, it asks for something else: see
    /// ``curlCommand(revealingSecrets:)``.
    public var curlCommand: String { curlCommand(revealingSecrets: false) }

    /// The request as a command line for curl, in the language of a POSIX shell.
    ///
    /// All is quoted, so that a shell reads just what stands in the request. A body that is no UTF-8, is
    /// larger than some 30,000 bytes, or begins with "@", is written by `printf` and piped in; so are the
    /// parts of a multipart body. A stream is not read: a comment says that it is to be given on standard
    /// input. A request that cannot be
    /// sent says so in a comment.
    ///
    /// The deadline is left out, and so is what curl does unasked: it sends its own User-Agent and
    /// `Accept: */*` where the headers name none. It follows no redirect.
    ///
    /// - Parameter revealingSecrets: Whether all is shown as it is sent. Such a text belongs in no log.
    public func curlCommand(revealingSecrets: Bool) -> String {
        CurlCommand.text(of: self, revealingSecrets: revealingSecrets)
    }
}
