extension HTTPRequest {
    /// The request as a command line for curl, without secrets: for a log or a bug report.
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
    /// It shows the URL and the headers as their `description` does, and the names and the structure of a
    /// body in memory. The path of a file is shown. Without the secrets it is another request: see
    /// ``curlCommand(revealingSecrets:)``.
    public var curlCommand: String { curlCommand(revealingSecrets: false) }

    /// The request as a command line for curl, in the language of a POSIX shell.
    ///
    /// Everything is quoted, so that a shell reads exactly the request. A body that is not UTF-8,
    /// is larger than some 30,000 bytes, or begins with "@", is written by `printf` and piped in;
    /// so are the parts of a multipart body. A stream is not read: a comment says to pass it on
    /// standard input. If the request cannot be sent, a comment says so.
    ///
    /// The deadline is left out. curl sends its own User-Agent and `Accept: */*` if the headers have none.
    /// The command follows no redirect.
    ///
    /// - Parameter revealingSecrets: Whether everything is shown as it is sent. Such a text must not be
    ///   written to a log.
    public func curlCommand(revealingSecrets: Bool) -> String {
        CurlCommand.text(of: self, revealingSecrets: revealingSecrets)
    }
}
