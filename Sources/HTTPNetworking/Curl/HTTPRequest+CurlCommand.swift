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
    /// Everything is quoted, so that a shell reads exactly the request. A body that is not UTF-8,
    /// is larger than some 30,000 bytes, or begins with "@", is written by `printf` and piped in;
    /// so are the parts of a multipart body. A stream is not read: a comment says to pass it on
    /// standard input. If the request cannot be sent, a comment says so.
    ///
    /// The deadline is left out, and so is what curl does unasked: it sends its own User-Agent and
    /// `Accept: */*` where the headers name none. It follows no redirect.
    ///
    /// - Parameter revealingSecrets: Whether all is shown as it is sent. Such a text belongs in no log.
    public func curlCommand(revealingSecrets: Bool) -> String {
        CurlCommand.text(of: self, revealingSecrets: revealingSecrets)
    }
}
