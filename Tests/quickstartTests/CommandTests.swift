import TestSupport
import Testing

@Suite(.oneAtATime)
struct CommandTests {
    @Test(arguments: ["--help", "-h"])
    func helpShowsHowItIsUsed(flag: String) async throws {
        let run = try await runQuickstart(flag)

        #expect(
            run.output.hasPrefix(
                """
                usage: swift run quickstart [--page FILE.html] [--trace FILE.json] [--transport NAME]
                                            [--timeout SECONDS] [URL]

                """))
        #expect(run.errors == "")
        #expect(run.exitCode == 0)
    }

    @Test(arguments: [
        ("--fast", #"unknown flag "--fast"; see --help"#),
        ("-\u{1B}[31m", #"unknown flag "-\u{1B}[31m"; see --help"#),
        ("", #""" is no URL; write one like https://example.com"#),
        ("foo bar", #""foo bar" is no URL; write one like https://example.com"#),
        ("localhost:8080", #""localhost:8080" is no URL; write one like https://example.com"#),
        (
            "http://user:secret@",
            #""…@" is no URL that leads to a host; write one like https://example.com"#
        ),
        ("user:secret@host", #"the scheme "user" is not supported; http and https are"#),
        ("ftp://example.com/x", #"the scheme "ftp" is not supported; http and https are"#),
        ("file:///etc/hosts", #"the scheme "file" is not supported; http and https are"#),
        (
            "http://",
            #""http://" is no URL that leads to a host; write one like https://example.com"#
        ),
    ])
    func wrongArgumentsGetOneLine(argument: String, line: String) async throws {
        let run = try await runQuickstart(argument)

        #expect(run.errors == "quickstart: \(line)\n")
        #expect(run.output == "")
        #expect(run.exitCode == 2)
    }

    @Test(arguments: [
        (["--transport"], "--transport needs curl, urlsession, ahc; see --help"),
        (
            ["--transport", "wget", "http://a"],
            #"there is no transport "wget"; there are curl, urlsession, ahc"#
        ),
        (["--transport", "urlsession"], "--transport needs a URL; see --help"),
        (["--timeout", "5"], "--timeout needs a URL; see --help"),
        (
            ["--timeout", "soon", "http://a"],
            #"--timeout needs a number of seconds above zero, not "soon""#
        ),
        (
            ["--transport", "ahc", "--transport", "ahc", "http://a"],
            "--transport is given more than once; see --help"
        ),
    ])
    func aTransportNeedsANameAndAURL(arguments: [String], line: String) async throws {
        let run = try await runQuickstart(arguments)

        #expect(run.errors == "quickstart: \(line)\n")
        #expect(run.exitCode == 2)
    }

    @Test func twoURLsAreOneTooMany() async throws {
        let run = try await runQuickstart("http://a", "http://b")

        #expect(run.errors == "quickstart: one URL at most, not 2; see --help\n")
        #expect(run.exitCode == 2)
    }
}
