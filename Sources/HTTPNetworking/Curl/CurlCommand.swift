/// A curl command line that sends a request.
struct CurlCommand {
    private let request: HTTPRequest
    /// The secrets that must not be shown; nil if everything is shown.
    private let secrets: KnownSecrets?

    /// Lines for a reader, in front of the command.
    private var comments: [String] = []
    private var options: [String] = []
    /// The command that writes the body to curl's standard input.
    private var source: String?

    /// The largest body that is passed as an argument: Linux allows 128 KiB, in which a single quote
    /// takes four bytes.
    private static let largestArgument = 30_000
    /// How many characters of a redacted body are shown.
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
        // curl interprets these as a pattern of several URLs, and removes dot segments.
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
            // With a colon and nothing after it, curl would leave the header out.
            options.append(
                "--header " + ShellWord.quoted(text.isEmpty ? "\(name);" : "\(name): \(text)"))
        }
        // The header does not change; without the option curl would print compressed bytes.
        if headers["Accept-Encoding"] != nil { options.append("--compressed") }
        guard hasBody else { return }
        // curl would declare it as a form.
        if headers["Content-Type"] == nil { options.append("--header Content-Type:") }
    }

    /// Whether curl gets a body, which by default makes the request a POST.
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
        // With "@" in front, curl would read a file of that name.
        if let text, text.utf8.first != UInt8(ascii: "@"), !text.utf8.contains(0) {
            options.append("--data-binary \(ShellWord.quoted(text))")
        } else {
            source = ShellWord.printing(data)
            options.append("--data-binary @-")
        }
    }

    /// A text, unchanged or without secrets in one line.
    private func shown(_ text: String) -> String {
        guard let secrets else { return text }
        return SafeText.line(secrets.scrubbed(text), upTo: 1_000)
    }
}
