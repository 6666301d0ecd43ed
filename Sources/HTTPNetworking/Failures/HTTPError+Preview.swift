extension HTTPError {
    /// The beginning of the answer's body for a log: in one line, without secrets.
    ///
    /// | Body | What is shown |
    /// |---|---|
    /// | JSON, by its type or by its looks | The names and the structure. A string or a number only where its name says that it is about an error: `error`, `message`, `code`, `status`, `title`, `detail`, `type`, `reason`, `description`, `instance`, and the like. |
    /// | a form, by its type or by its looks | The names. |
    /// | plain text, HTML | The text; control characters as escapes. |
    /// | anything else | Nothing. |
    ///
    /// Everything that is known to be a secret is removed from what is shown, in upper and lower
    /// case, percent-encoded, and with the escapes of JSON and HTML, but not in Base64, in hexadecimal
    /// digits or as `\x41`: userinfo, the values of the query, the values of all headers
    /// that are not known to be harmless, the values of the body that was sent, and those of the
    /// answer that are not shown at their own place. The values after a name like "token", and runs
    /// of 20 and more letters and digits, are removed as well. Values of fewer than four bytes, and
    /// words like "true", are left unchanged.
    ///
    /// A secret in an answer's plain text that is short, was not sent and has no name is shown.
    ///
    /// A body that cannot be examined is not shown. JSON, forms, and the fields of multipart bodies are
    /// examined, up to 64 KiB. If anything else was sent, such as a file, a stream or a text, or if
    /// the error has no request, only the structure of JSON is shown, with the names above. No text of an
    /// incomplete answer is shown.
    ///
    /// - Parameter limit: How many characters are shown; "…" comes after them.
    /// - Returns: The text; nil if no part of the body may be shown.
    public func bodyPreview(upTo limit: Int = 300) -> String? { preview(without: nil, upTo: limit) }

    /// The secrets of the exchange.
    var knownSecrets: KnownSecrets {
        var secrets = KnownSecrets(of: request, endpoint, response)
        // The sent data is not known, so the answer may repeat any secret.
        if request == nil, endpoint == nil, response?.request == nil { secrets.isMissingSome() }
        return secrets
    }

    func preview(without secrets: KnownSecrets?, upTo limit: Int) -> String? {
        guard let response, !response.body.isEmpty else { return nil }
        var secrets = secrets ?? knownSecrets
        // A secret that is cut in two is not recognised.
        if !isWhole { secrets.isMissingSome() }
        return BodyPreview.text(
            of: response.body, contentType: response.headers["Content-Type"],
            without: secrets, harmless: .ofErrors, upTo: limit)
    }

    /// Whether the body of the answer is complete: a transport keeps the part that arrived before a failure.
    private var isWhole: Bool {
        switch code {
        case .unacceptableStatus: cause == nil
        case .tooManyRedirects, .tokenRefreshFailed, .signInNeeded, .sessionEnded: true
        default: false
        }
    }
}
