public import PledgeHTTPMessages
import PledgeHTTPText

extension HTTPRequest {
    /// The request as a curl command line without secrets, for a log or a bug report.
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
    /// The URL and the headers are shown as in their `description`. For a body in memory, only the names and the
    /// structure are shown; for a file, only its path. The command lacks the secrets, so it doesn't send the same
    /// request; for the complete command, see ``curlCommand(revealingSecrets:)``.
    public var curlCommand: String { curlCommand(revealingSecrets: false) }

    /// The request as a curl command line for a POSIX shell.
    ///
    /// Everything is quoted, so that a shell reads exactly this request. The body is written by `printf` and piped into
    /// curl if it is not UTF-8, contains NUL, is larger than 30,000 bytes, or begins with "@". The parts of a multipart
    /// body are piped into curl too. A stream is not read; a comment above the command says to pass the stream's bytes
    /// on standard input. If the request cannot be sent, a comment says so.
    ///
    /// The deadline is left out. If the headers contain no User-Agent, curl adds its own; if they contain no Accept,
    /// curl adds `Accept: */*`. The command follows no redirects.
    ///
    /// - Parameter revealingSecrets: True to show everything as it is sent. Never write such a text to a log.
    public func curlCommand(revealingSecrets: Bool) -> String {
        CurlCommand.text(of: self, revealingSecrets: revealingSecrets)
    }
}

extension HTTPError {
    /// The request as a curl command line, without secrets.
    ///
    /// See `HTTPRequest.curlCommand`. Nil if the error has no request, and no request can be made from its endpoint.
    public var curlCommand: String? { curlCommand(revealingSecrets: false) }

    /// The request as a curl command line.
    ///
    /// - Parameter revealingSecrets: True to show everything as it is sent. Never write such a text to a log.
    /// - Returns: See `HTTPRequest.curlCommand(revealingSecrets:)`. Nil if the error has no request, and no request
    ///   can be made from its endpoint.
    package func curlCommand(revealingSecrets: Bool) -> String? {
        let asked = request ?? endpoint.flatMap { try? HTTPRequest($0) }
        return asked?.curlCommand(revealingSecrets: revealingSecrets)
    }
}

struct CurlCommand {
    private let request: HTTPRequest
    /// The secrets to hide; nil to show everything.
    private let secrets: KnownSecrets?

    private var comments: [String] = []
    private var options: [String] = []
    /// The command that pipes the body into curl; nil if the body is an argument, or if there is no body.
    private var source: String?

    /// The largest body that is passed as an argument, in bytes.
    ///
    /// On Linux, an argument may have 128 KiB. A single quote in the body becomes four bytes, so even 30,000 quotes
    /// fit.
    private static let largestArgument = 30_000
    /// The most characters of a redacted body to show.
    private static let shown = 2_000

    static func text(of request: HTTPRequest, revealingSecrets: Bool) -> String {
        var command = CurlCommand(request: request, revealing: revealingSecrets)
        command.addMethodAndURL()
        command.addHeaders()
        command.addBody()
        let line = (["curl"] + command.options).joined(separator: " \\\n  ")
        let piped = command.source.map { "\($0) | \(line)" } ?? line
        let comments = command.comments.map { "# \(command.shown($0))" }
        return (comments + [piped]).joined(separator: "\n")
    }

    private init(request: HTTPRequest, revealing: Bool) {
        self.request = request
        if revealing {
            secrets = nil
        } else {
            var known = KnownSecrets()
            known.add(request)
            secrets = known
        }
    }

    private mutating func addMethodAndURL() {
        do { try request.validate() } catch { comments.append("it cannot be sent: \(error)") }
        let method = request.method
        if method == .head {
            options.append("--head")
        } else if method != .get || !request.body.isEmpty {
            options.append("--request \(ShellWord.quoted(shown(method.rawValue)))")
        }
        let url = request.url.absoluteString.prefix { $0 != "#" }
        // Without these options, curl expands brackets and braces to several URLs, and removes dot segments.
        if url.contains(where: { "[]{}".contains($0) }) { options.append("--globoff") }
        if url.contains("/.") { options.append("--path-as-is") }
        let place = secrets == nil ? String(url) : SafeText.redacted(request.url)
        options.append("--url \(ShellWord.quoted(place))")
    }

    private mutating func addHeaders() {
        let headers = request.effectiveHeaders
        for (name, value) in headers {
            let isShown = HTTPHeaders.isShown(name)
            let text = secrets == nil ? value : isShown ? shown(value) : "…"
            let name = shown(name)
            // curl leaves out a header that has nothing after its colon. With a semicolon instead of the colon, curl
            // sends the empty header.
            options.append(
                "--header " + ShellWord.quoted(text.isEmpty ? "\(name);" : "\(name): \(text)"))
        }
        // `--compressed` changes no header here, but without it curl would print compressed bytes.
        if headers["Accept-Encoding"] != nil { options.append("--compressed") }
        guard hasBody else { return }
        // Without this option, curl would declare the body as a form.
        if headers["Content-Type"] == nil { options.append("--header Content-Type:") }
    }

    /// True if the command passes a body to curl, which then sends a POST by default.
    private var hasBody: Bool {
        if case .none = request.body.content { return false }
        return !request.body.isEmpty || ![.get, .head, .trace].contains(request.method)
    }

    private mutating func addBody() {
        guard hasBody else { return }
        switch request.body.content {
        case .none: return
        case .data(let data): add(data)
        case .file(let url):
            let path = url.isFileURL ? url.path : secrets == nil ? url.absoluteString : "…"
            options.append(
                "--data-binary \(ShellWord.quoted("@\(secrets == nil ? path : shown(path))"))")
        case .stream(let stream):
            options.append("--data-binary @-")
            if secrets == nil, let commands = stream.pieces.flatMap(Self.printing) {
                source = "{ \(commands.joined(separator: "; ")); }"
                return
            }
            comments.append("the body is \(request.body), to be given on standard input")
        }
    }

    /// The commands that write the pieces of a body; nil if one piece is a stream.
    private static func printing(_ pieces: [HTTPRequest.BodySource.Piece]) -> [String]? {
        var commands: [String] = []
        for piece in pieces {
            switch piece {
            case .text(let text): commands.append(ShellWord.printing(text))
            case .part(_, let body):
                switch body.content {
                case .none: break
                case .data(let data): commands.append(ShellWord.printing(data))
                case .file(let url): commands.append("cat \(ShellWord.quoted(url.path))")
                case .stream(let source):
                    guard let inner = source.pieces.flatMap(printing) else { return nil }
                    commands += inner
                }
            }
        }
        return commands
    }

    private mutating func add(_ data: Data) {
        if let secrets {
            let preview = BodyPreview.text(
                of: data, contentType: request.effectiveHeaders["Content-Type"], without: secrets,
                harmless: .none, upTo: Self.shown)
            if preview == nil, !data.isEmpty { comments.append("the body is \(request.body)") }
            let text = preview ?? (data.isEmpty ? "" : "…")
            options.append("--data-binary \(ShellWord.quoted(text))")
            return
        }
        let text = data.count <= Self.largestArgument ? String(data: data, encoding: .utf8) : nil
        // curl would read a text that begins with "@" as the name of a file.
        if let text, text.utf8.first != UInt8(ascii: "@"), !text.utf8.contains(0) {
            options.append("--data-binary \(ShellWord.quoted(text))")
        } else {
            source = ShellWord.printing(data)
            options.append("--data-binary @-")
        }
    }

    /// Returns the text unchanged if secrets may be shown; otherwise the text in one line, without secrets.
    private func shown(_ text: String) -> String {
        guard let secrets else { return text }
        return SafeText.line(secrets.scrubbed(text), upTo: 1_000)
    }
}

/// Text quoted for a POSIX shell (POSIX.1-2024, Shell Command Language, section 2.2.2).
enum ShellWord {
    /// Quotes a text as one word of a shell.
    ///
    /// The text may hold any character except NUL, which no argument can contain. Between single quotes, every
    /// character stands for itself, except a single quote, which ends the quotation.
    static func quoted(_ text: some StringProtocol) -> String {
        if !text.isEmpty, text.utf8.allSatisfy(isPlain) { return String(text) }
        return "'" + String(text).replacing(scalar: "'", with: "'\\''") + "'"
    }

    static func printing(_ data: Data) -> String {
        var format = ""
        for byte in data {
            switch byte {
            case UInt8(ascii: "%"): format += "%%"
            case UInt8(ascii: "\\"): format += "\\\\"
            case 32..<127 where byte != UInt8(ascii: "'"):
                format.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 8)
                format += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
            }
        }
        // `printf` would read a format that begins with "-" as an option.
        if format.hasPrefix("-") { format = "\\055" + format.dropFirst() }
        return "printf '\(format)'"
    }

    /// Returns whether a byte has no special meaning to a shell, anywhere in an argument.
    private static func isPlain(_ byte: UInt8) -> Bool {
        byte.isLetterOrDigit || "-_./:@,+".utf8.contains(byte)
    }
}
